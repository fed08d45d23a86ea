"""The panel of amounts: its halves are fair, hindsight is what a best clip gives, and limits are seen to be passed."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from benchmarks.amounts import Kind, Rows, grouped, one_each, totals
from benchmarks.tails import Line, Measured, hindsight, lines_of, measure, read_once, truth

from benchmarks import tails
from headcount import run

PANEL = {**totals(Path()), **grouped(Path())}
EQUAL = one_each(np.full(1_000, 10.0))


def line(error: float = 0.1, held: float = 1.0, *, true: float = 1.0, heavy: bool = True) -> Line:
    """A line of ten releases of one interval."""
    kind = Kind("report", heavy, lambda _: EQUAL)
    errors, holds = np.full((10, 1), error), np.full((10, 1), held)
    return Line("equal", kind, "total", 1.0, [Measured(errors, errors, holds, np.full(10, true))], hindsight=0.05)


def test_both_halves_have_heavy_and_light_tables_for_totals_and_for_groups() -> None:
    for kinds in (totals(Path()), grouped(Path())):
        assert {(kind.half, kind.heavy) for kind in kinds.values()} == {
            (half, heavy) for half in ("fit", "report") for heavy in (True, False)
        }
        assert {kind.half for name, kind in kinds.items() if kind.real} == {"fit", "report"}


@pytest.mark.parametrize("name", [name for name, kind in PANEL.items() if not kind.real])
def test_a_table_is_the_same_each_time_and_another_one_from_each_seed(name: str) -> None:
    first, second = PANEL[name].tables(3, 2)
    again = PANEL[name].tables(3, 1)[0]
    assert np.array_equal(first.amounts, again.amounts)
    assert not np.array_equal(first.amounts[:100], second.amounts[:100])
    assert len(first.vectors) <= 8_000


def test_the_truth_of_sums_and_means() -> None:
    rows = Rows(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([5.0, 3.0, 9.0]))
    assert truth(rows, "total").tolist() == [17]
    assert truth(rows, "sum").tolist() == [5, 12]
    assert truth(rows, "mean").tolist() == truth(rows, "mean alone").tolist() == [5, 6]


def test_hindsight_of_equal_amounts_is_the_noise_of_one_of_them() -> None:
    """1,000 people with 10 each: a clip of 10 removes nothing, and its noise is 10 on 10,000."""
    assert hindsight(EQUAL, "total", 1) == pytest.approx(0.001, rel=0.2)
    assert hindsight(EQUAL, "total", 4) == pytest.approx(0.00025, rel=0.2)


def test_hindsight_clips_one_person_with_most_of_the_amount() -> None:
    """One person with as much as everybody else: clipping loses half, not clipping has noise of half."""
    rows = one_each(np.append(np.full(1_000, 10.0), 10_000.0))
    assert 0.2 < hindsight(rows, "total", 1) < 0.5
    assert hindsight(rows, "total", 4) == pytest.approx(0.5 / 4, rel=0.25)


def test_limits_that_a_line_is_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails, "frozen", lambda: {"errors": {"equal, total, 1": 0.1}})
    assert line().beyond == []
    assert line(held=0.0).beyond == ["holds"]
    assert line(held=0.0, true=0.0).beyond == []
    assert line(error=0.16).beyond == ["hindsight"]
    assert line(error=0.14, heavy=False).beyond == ["before"]
    assert line(error=0.12, heavy=False).beyond == []


def test_a_line_that_is_new_has_no_error_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails, "frozen", lambda: {"errors": {}})
    assert line(heavy=False).beyond == []
    assert "-" in line().cells


def test_releases_share_what_is_read_and_not_their_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Mock(wraps=run.read)
    monkeypatch.setattr(run, "read", read)
    with read_once():
        found = measure(EQUAL, tails.TOTAL, 1.0, 5)["total"]
    assert read.call_count == 1
    assert len(np.unique(found.errors)) > 1


@pytest.mark.parametrize(
    ("question", "names"),
    [(tails.TOTAL, ["total"]), (tails.BOTH, ["sum beside", "mean"]), (tails.MEAN, ["mean alone"])],
)
def test_a_line_from_end_to_end(question: tails.Question, names: list[str]) -> None:
    """Everybody has the same amount in each of two groups: what is released is near the truth in most releases."""
    rows = Rows(np.repeat(np.arange(2_000), 2), np.tile([0, 1], 2_000), np.full(4_000, 10.0))
    kind = replace(PANEL["gamma 2"], make=lambda _: rows)
    found = lines_of("equal", kind, 0, question, [4.0], 4)
    assert [line.what for line in found] == names
    for each in found:
        assert np.median([one.errors for one in each.measured]) < 0.1
        assert 0 < each.hindsight < 0.1
        assert len(each.cells) == len(tails.HEADS)
