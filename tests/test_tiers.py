"""By day, nothing is left out that a night has: every slow test has a sibling, every part is in the full tier."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.jobs import JOBS
from tests import effort
from tests.strategies import mechanisms
from tests.tiers import TIERS, Tiers, case, function, siblings

ROOT = Path(__file__).parents[1]
MECHANISMS = [kind.name for kind in mechanisms()]
COMMANDS = [job.replace("_", "-") for job in JOBS]
PARTS = {
    "tests/audit/test_statistical.py::test_honest_mechanisms_pass": MECHANISMS,
    "tests/mechanism/test_conformance.py::test_honest_specimens_do_run": MECHANISMS,
    "tests/cli/test_names.py::test_every_job_shows_names_without_escapes": COMMANDS,
    "tests/conformance/test_engines.py::test_releases": ["spark", "postgres"],
}
"""Tests that run over all mechanisms, jobs, and engines beside DuckDB; a case begins with the part's name."""


@pytest.fixture(name="tiers")
def _tiers(request: pytest.FixtureRequest) -> Tiers:
    """The tiers, if all tests were collected, but for files that need a package which may be missing."""
    tiers = request.config.stash[TIERS]
    missing = set((ROOT / "tests").rglob("test_*.py")) - {item.path for item in tiers.everything}
    if any("importorskip" not in path.read_text() for path in missing):
        pytest.skip("not all tests were collected")
    return tiers


def test_every_slow_test_has_a_sibling(tiers: Tiers) -> None:
    day = {name.partition("[")[0] for name in tiers.full | tiers.long}
    alone = {function(item) for item in tiers.everything if not day.intersection(siblings(item))}
    assert alone == set()


def test_every_case_that_a_mark_keeps_is_there(tiers: Tiers) -> None:
    there = {(function(item), case(item)) for item in tiers.everything}
    for item in tiers.everything:
        for mark in item.iter_markers("slow"):
            assert {(function(item), name) for name in mark.kwargs.get("but", ())} <= there


@pytest.mark.parametrize("test", PARTS)
def test_every_part_is_in_the_full_tier(tiers: Tiers, test: str) -> None:
    of_test = [item for item in tiers.everything if function(item) == test]
    for items in (of_test, [item for item in of_test if item.nodeid in tiers.full]):
        there = [case(item) for item in items]
        assert [part for part in PARTS[test] if not any(name.startswith(part) for name in there)] == []


def numbers() -> Iterator[int]:
    """What the tests may try, in the tier that runs."""
    yield from (len(effort.seeds(10)), len(effort.seeds(2)))
    yield from (effort.runs(20_000), effort.runs(1000), effort.runs(50))
    yield from (effort.examples(100), effort.examples(10), effort.examples(3))


def test_by_day_a_fifth_is_tried_but_never_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(effort._tier, "night", False)
    assert list(numbers()) == [2, 1, 4000, 400, 50, 20, 5, 3]
    monkeypatch.setitem(effort._tier, "night", True)
    assert list(numbers()) == [10, 2, 20_000, 1000, 50, 100, 10, 3]
