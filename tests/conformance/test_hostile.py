"""Whatever is typed for any parameter of any job: it is refused with a line to write instead, and nothing is charged;
or it is released, can be loaded, and comes back byte for byte."""

from copy import deepcopy
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests import effort
from tests.conformance.hostile import JOBS, TABLE, VALUES

import headcount as hc
from headcount.jobs.registry import FUNCTIONS

ONCE = ("ledger",)
"""Parameters of a release that are no part of a plan."""
DECLARED = ("name", "promise", "memory", "spill")
"""What is declared about the data."""


@pytest.mark.parametrize("job", JOBS)
@settings(max_examples=effort.examples(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_refused_for_nothing_or_sealed_for_good(job: str, data: st.DataObject) -> None:
    parameters = [name for name in signature(FUNCTIONS[job]).parameters if name != "data"] + [*DECLARED]
    name = data.draw(st.sampled_from(parameters))
    index = data.draw(st.integers(0, len(VALUES) - 1))
    with TemporaryDirectory() as folder:
        _refused_or_sealed(Path(folder), job, name, VALUES[index])


@pytest.mark.parametrize("value", [20240506, True, 2024.5, ["a"], b"v", "a\nb", "x" * 600, "\ud800", Path("v")])
@pytest.mark.parametrize("job", JOBS)
def test_a_name_of_data_that_cannot_be_kept_costs_nothing(job: str, value: Any, tmp_path: Path) -> None:
    assert not _refused_or_sealed(tmp_path, job, "name", value)


def test_keys_that_a_plan_cannot_hold_cost_nothing(tmp_path: Path) -> None:
    assert not _refused_or_sealed(tmp_path, "histogram", "keys", [float("inf"), "a"])


def _refused_or_sealed(folder: Path, job: str, name: str, value: Any) -> bool:
    """True if a value was released; then it can be loaded, and asking again gives the same bytes."""
    ledger = hc.Ledger(folder / "ledger.db", epsilon=10**6, delta=0.9)
    refusal: hc.HeadcountError | None = None
    arguments = {**JOBS[job], "ledger": ledger}
    try:
        release = _released(job, arguments, name, value)
    except hc.HeadcountError as error:
        refusal = error
    if refusal is not None:
        assert refusal.fix
        assert len(str(refusal)) < 900
        assert ledger.spent.epsilon == 0
        return False
    assert hc.load(release.save(folder / "release.parquet")).table.equals(release.table)
    if name not in ONCE:
        again = _released(job, arguments, name, value)
        assert not again.fresh
        assert again.content == release.content
    return True


def _released(job: str, arguments: dict[str, Any], name: str, value: Any) -> hc.Release:
    """A release with another value of one parameter, or of what is declared about the data."""
    given = {name: _fresh(value)}
    declared, asked = (given, arguments) if name in DECLARED else ({}, {**arguments, **given})
    release: hc.Release = FUNCTIONS[job](hc.table(TABLE, **{"name": "words", **declared}), **asked)
    return release


def _fresh(value: Any) -> Any:
    """A copy, as an iterator can be read only once."""
    try:
        return deepcopy(value)
    except TypeError:
        return value
