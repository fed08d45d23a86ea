"""Named views: the verdict, and a search for a violation whatever it is."""

import functools
from typing import Any

import duckdb
import pytest
from benchmarks.views.databases import Databases

from headcount.errors import NotATable
from headcount.source.views.view import View
from tests import effort

from .cases import CASES, Case, databases

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.every_case]
MIN_SEEN = 30
"""Refused views of which a violation is found, of 57: ties and clocks do not show here, some refusals are strict."""


@functools.cache
def found() -> tuple[Databases, Any]:
    return databases(5, effort.runs(25) if effort.at_night() else 10)


def view_of(case: Case) -> View:
    store, tables = found()
    expression = case.make(tables)
    return View(expression, **store.declarations(expression))


@pytest.mark.parametrize("case", [case for case in CASES if case.proved], ids=lambda case: case.name)
def test_a_proved_view_mixes_nobody(case: Case) -> None:
    certificate, table = view_of(case).certified(case.user)
    assert certificate.user == case.user
    assert found()[0].violation(table, case.user) == ""


@pytest.mark.parametrize("case", [case for case in CASES if not case.proved], ids=lambda case: case.name)
def test_a_view_without_a_proof_is_refused(case: Case) -> None:
    with pytest.raises(NotATable, match="the view"):
        view_of(case).certified(case.user)


def test_most_refused_views_mix_people() -> None:
    """The rules are not strict for nothing."""
    assert sum(_violates(case) for case in CASES if not case.proved) >= MIN_SEEN


def _violates(case: Case) -> bool:
    store, _ = found()
    view = view_of(case)
    try:
        return bool(case.user in view.expression.columns and store.violation(view.expression, case.user))
    except duckdb.Error:
        return False
