"""Whose budget is spent does not depend on what a column is called; what earlier versions charged is recognised."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headcount as hc
from headcount.account import Charge, Ledger
from headcount.planner import Plan

ROWS: dict[str, list[Any]] = {"user": [1, 2, 3, 4], "item": ["a", "b", "a", "a"]}
VISITS = hc.table(pa.table(ROWS), name="visits")
ASKED: dict[str, Any] = {"by": "item", "epsilon": 1, "bound": 1, "keys": ["a", "b"]}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)


def test_the_owner_is_the_same_under_another_name_of_the_user_column(ledger: Ledger) -> None:
    hc.histogram(VISITS, user="user", **ASKED, ledger=ledger)
    hc.histogram(
        hc.table(pa.table(ROWS).rename_columns(["pid", "item"]), name="visits"), user="pid", **ASKED, ledger=ledger
    )
    assert {spend.dataset for spend in ledger.spends()} == {"visits"}
    assert ledger.spent.epsilon == 2


def as_before(plan: Plan) -> Charge:
    """The charge that versions up to 0.10.0 wrote."""
    return replace(plan.charge(), dataset="visits, people by user")


def charged_before(ledger: Ledger, monkeypatch: pytest.MonkeyPatch, plan: Plan, **how: Any) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(Plan, "charge_in", lambda self, ledger: as_before(self))
        return plan.release(ledger=ledger, **how)


def test_what_was_charged_with_the_column_in_its_name_is_not_charged_again(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = hc.plan("histogram", VISITS, user="user", **ASKED)
    sealed = charged_before(ledger, monkeypatch, plan)
    assert ledger.spends()[0].dataset == "visits, people by user"
    again = hc.histogram(VISITS, user="user", **ASKED, ledger=ledger)
    assert again.content == sealed.content
    assert not again.fresh
    assert len(ledger.spends()) == 1


def test_what_was_charged_so_and_never_finished_is_finished(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = hc.plan("histogram", VISITS, user="user", **ASKED)

    def stop(step: str) -> None:
        if step == "reading":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        charged_before(ledger, monkeypatch, plan, progress=stop)
    release = plan.release(ledger=ledger)
    assert release.fresh
    assert [spend.sealed for spend in ledger.spends()] == [True]


def test_other_data_are_refused_as_before(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    charged_before(ledger, monkeypatch, hc.plan("histogram", VISITS, user="user", **ASKED))
    other = hc.table(pa.table({**ROWS, "item": ["b"] * 4}), name="visits")
    with pytest.raises(hc.errors.HeadcountError, match="data changed"):
        hc.histogram(other, user="user", **ASKED, ledger=ledger)
    assert len(ledger.spends()) == 1
