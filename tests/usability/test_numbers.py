"""Quantiles and ranges of a column of numbers: as a user asks for them."""

import json
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from tests.packed import packed

import headcount as hc
from headcount.bound import Bounded, ScaledToSum
from headcount.bound.selection.people import NoisyCount
from headcount.noise import SystemEntropy

PEOPLE = 50_000
ASKED: dict[str, Any] = {"user": "user", "value": "amount", "epsilon": 1, "bound": 1}
Q = [0.1, 0.5, 0.9]
MECHANISMS = ["tree", "sample-threshold", "search", "sample-search"]


@pytest.fixture(scope="module")
def amounts() -> np.ndarray[Any, Any]:
    return np.minimum(np.random.default_rng(3).lognormal(3, 1, PEOPLE), 999.0)


@pytest.fixture(scope="module")
def table(amounts: np.ndarray[Any, Any]) -> pa.Table:
    return pa.table({"user": np.arange(PEOPLE), "amount": amounts})


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_quantiles(table: pa.Table, amounts: np.ndarray[Any, Any], mechanism: Any, neighbours: Any) -> None:
    """Off by at most 4% of the ranks: the noise is some hundred ranks at most, a sample's error some hundred, a cell of
    2^10 has up to 3% of the people. The intervals are around them, and the release is a file like others."""
    release = hc.quantiles(
        table, **ASKED, q=Q, range=(0, 1000), cells=2**10, mechanism=mechanism, neighbours=neighbours
    )
    each = ", one row of each person" if "sample" in mechanism else ""
    assert release.about.what == f"quantiles of amount{each}"
    assert release.table.column_names == ["q", "value", "low", "high"]
    rows = release.table.to_pydict()
    assert rows["q"] == Q
    assert np.abs(np.searchsorted(np.sort(amounts), rows["value"]) / PEOPLE - Q).max() < 0.04
    assert all(0 <= low <= value <= high <= 1000 for _, value, low, high in zip(*rows.values(), strict=True))
    assert release.cost.epsilon == 1
    assert release.cost.delta == (0 if mechanism == "tree" else 1e-6)  # of few levels Laplace noise is the quieter
    assert "1,024 cells of one width from 0 to 1000." in " ".join(release.explain().split())


def test_tenths_by_default_and_one_by_itself(table: pa.Table) -> None:
    assert hc.quantiles(table, **ASKED, range=(0, 1000)).table["q"].to_pylist() == [n / 10 for n in range(1, 10)]
    assert hc.quantiles(table, **ASKED, range=(0, 1000), q=0.5).table.num_rows == 1


def test_edges_of_ones_own(table: pa.Table, amounts: np.ndarray[Any, Any]) -> None:
    release = hc.quantiles(table, **ASKED, q=0.5, edges=np.geomspace(0.1, 1000, 200).tolist())
    (row,) = release.table.to_pylist()
    assert abs(np.mean(amounts <= row["value"]) - 0.5) < 0.01
    assert "200 cells" not in release.explain()
    assert "199 cells of a public list from 0.1 to 1000" in " ".join(release.explain().split())


def test_what_is_outside_is_clamped_and_what_is_no_number_left_out() -> None:
    values = [-50.0] * 3000 + [5000.0] * 7000 + [None, float("nan")] * 1000
    odd = pa.table({"user": range(len(values)), "amount": pa.array(values, pa.float64())})
    low, high = hc.quantiles(odd, **ASKED, q=[0.2, 0.4], range=(0, 100)).table["value"].to_pylist()
    assert low < 1
    assert high > 99
    as_text = odd.set_column(1, "amount", pa.array([str(value) for value in values])).to_pandas()
    low, high = hc.quantiles(as_text, **ASKED, q=[0.2, 0.4], range=(0, 100)).table["value"].to_pylist()
    assert (low < 1, high > 99) == (True, True)


def test_people_with_many_rows_are_bounded() -> None:
    """One person with a million rows of 90 beside 10,000 people of 10: the median stays at 10 with any bound that is
    chosen, and a person who has ten different values counts once in all with bound=1."""
    table = pa.table({"user": [0] * 1_000_000 + list(range(1, 10_001)), "amount": [90] * 1_000_000 + [10] * 10_000})
    for bound in (1, "auto"):
        release = hc.quantiles(table, user="user", value="amount", epsilon=1, q=0.5, range=(0, 100), bound=bound)
        assert 9 < release.table["value"][0].as_py() < 11
    many = pa.table({"user": np.repeat(np.arange(5000), 10), "amount": np.tile(np.arange(10), 5000) * 10 + 5})
    (count,) = hc.ranges(many, **ASKED, ranges=[(0, 100)]).table["count"].to_pylist()
    assert abs(count - 5000) < 100


def test_ranges(table: pa.Table, amounts: np.ndarray[Any, Any]) -> None:
    """Of one level of few counts: off by at most 60, eight deviations of 3 and more."""
    wanted = [(0, 10), (10, 50), (5, 1000), (2000, 3000)]
    release = hc.ranges(table, **ASKED, ranges=wanted)
    assert release.table.column_names == ["from", "to", "count", "low", "high"]
    for row, (low, high) in zip(release.table.to_pylist(), wanted, strict=True):
        truth = int(((amounts >= low) & (amounts < high)).sum())
        assert (row["from"], row["to"]) == (low, high)
        assert abs(row["count"] - truth) < 60
        assert row["low"] <= row["count"] <= row["high"]


def test_ranges_of_a_sample(table: pa.Table, amounts: np.ndarray[Any, Any]) -> None:
    found = hc.ranges(table, **ASKED, ranges=[(0, 20), (20, 100)], mechanism="sample-threshold").table.to_pylist()
    truth = [int((amounts < 20).sum()), int(((amounts >= 20) & (amounts < 100)).sum())]
    assert [abs(row["count"] - true) < 3000 for row, true in zip(found, truth, strict=True)] == [True, True]


def test_a_sample_never_says_rows_where_it_counts_people() -> None:
    """4,000 people with five rows each: refused, unless one row of each person was asked for; which is what it says."""
    table = pa.table({"user": np.repeat(np.arange(4000), 5), "amount": np.tile(np.arange(5), 4000)})
    asked: dict[str, Any] = {"user": "user", "value": "amount", "epsilon": 1, "mechanism": "sample-threshold"}
    with pytest.raises(hc.HeadcountError, match=r"so it counts people, not rows\. Fix: bound=1 and no share, or mech"):
        hc.ranges(table, **asked, ranges=[(0, 10)])
    plan = hc.plan("ranges", table, **asked, ranges=[(0, 10)], bound=1)
    release = plan.release()
    assert abs(release.table["count"][0].as_py() - 4000) < 1000
    assert (release.about.unit, release.about.what) == ("people", "ranges of amount, one row of each person")
    assert "people for a range of half of them if there are 10,000 people" in " ".join(str(plan).split())
    assert release.plot().axes[0].get_xlabel() == "people"
    median = hc.quantiles(table, **asked, q=0.5, range=(0, 10), bound=1)
    assert median.plot().axes[0].get_ylabel() == "part of all people below"
    rows = hc.quantiles(table, **{**asked, "mechanism": "tree"}, q=0.5, range=(0, 10), bound=5)
    assert rows.plot().axes[0].get_ylabel() == "part of all rows below"


TEXTS = pa.table({"user": [f"user {number}" for number in range(500)], "amount": ["12", "many"] * 250})
NUMERIC: list[tuple[str, dict[str, Any]]] = [
    ("quantiles", {"value": "amount", "range": (0, 100)}),
    ("ranges", {"value": "amount", "ranges": [(0, 100)]}),
    ("histogram", {"by": "amount", "bins": [0, 10, 100]}),
    ("total", {"where": {"amount": (0, 100)}}),
]
"""Wherever a column is read as numbers."""


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", ["arrow", "polars", "duckdb", "ibis", "parquet"])
@pytest.mark.parametrize(("job", "asked"), NUMERIC)
def test_a_column_of_text_is_refused_where_the_schema_knows_better(
    job: Any, asked: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    """Before anything is charged; also if a plan from text is given the data."""
    with pytest.raises(
        hc.HeadcountError, match=r"column 'amount' holds text, and numbers are needed\. Fix: a column of"
    ):
        hc.plan(job, _as(kind, tmp_path), user="user", epsilon=1, **asked)
    made = hc.plan(job, _as("csv", tmp_path), user="user", epsilon=1, **asked)
    with pytest.raises(hc.HeadcountError, match="column 'amount' holds text, and numbers are needed"):
        hc.Plan.from_json(made.to_json()).release(_as(kind, tmp_path))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("kind", ["pandas", "csv", "jsonl"])
@pytest.mark.parametrize(("job", "asked"), NUMERIC)
def test_elsewhere_text_is_read_as_numbers(job: Any, asked: dict[str, Any], kind: str, tmp_path: Path) -> None:
    rows = hc.plan(job, _as(kind, tmp_path), user="user", epsilon=20, bound=1, **asked).release().table.to_pylist()
    assert abs(rows[-1].get("value", 12) - 12) < 1
    assert abs(rows[-1].get("count", 250) - 250) < 20


def _as(kind: str, folder: Path) -> Any:
    """The table of texts as one of many kinds."""
    path = str(folder / f"table.{kind}")
    return {
        "arrow": lambda: TEXTS,
        "pandas": TEXTS.to_pandas,
        "polars": lambda: pl.from_arrow(TEXTS),
        "duckdb": lambda: duckdb.from_arrow(TEXTS),
        "ibis": lambda: ibis.memtable(TEXTS),
        "parquet": lambda: pq.write_table(TEXTS, path) or path,
        "csv": lambda: pc.write_csv(TEXTS, path) or path,
        "jsonl": lambda: TEXTS.to_pandas().to_json(path, orient="records", lines=True) or path,
    }[kind]()


def test_a_scale_on_which_nothing_was_seen_says_so() -> None:
    """Words in pandas: nothing may be refused by what the rows are, but the release tells that nothing is known."""
    words = pd.DataFrame({"user": range(500), "amount": ["word"] * 500})
    release = hc.quantiles(words, **ASKED, q=[0.2, 0.5], range=(0, 1), mechanism="sample-threshold")
    assert "Nothing was learned: too few rows hold a plain number, or epsilon is too small." in str(release)
    numbers = words.assign(amount="0.5")
    known = hc.quantiles(numbers, **ASKED, q=[0.2, 0.5], range=(0, 1), mechanism="sample-threshold")
    assert "Nothing could be told" not in str(known)


def test_a_range_is_without_its_end() -> None:
    table = pa.table({"user": range(2000), "amount": [10] * 2000})
    rows = hc.ranges(table, **ASKED, ranges=[(0, 10), (10, 20)]).table.to_pylist()
    assert [row["count"] > 1000 for row in rows] == [False, True]


def test_no_delta_is_needed_for_laplace_noise(table: pa.Table) -> None:
    release = hc.quantiles(table, **ASKED, q=0.5, range=(0, 1000), delta=0)
    assert release.cost.delta == 0
    assert release.cost.events[0].name == "laplace"


@pytest.mark.slow(sibling="test_quantiles")
def test_intervals_hold_the_true_quantile() -> None:
    """The interval of a median of 4,000 people, 60 times: at least 48 hold it (57 are expected of 95%; fewer than 48
    have a chance below 1e-6)."""
    amounts = np.random.default_rng(5).lognormal(3, 1, 4000)
    table = pa.table({"user": np.arange(4000), "amount": amounts})
    truth = np.median(amounts)
    plan = hc.plan("quantiles", table, **ASKED, q=[0.5], range=(0, 1000), cells=2**12)
    rows = [plan.release().table.to_pylist()[0] for _ in range(60)]
    assert sum(row["low"] <= truth <= row["high"] for row in rows) >= 48


def test_quantiles_never_cross(table: pa.Table) -> None:
    """One after the other has noise of its own; what is told rises all the same."""
    ways: tuple[Any, ...] = ("search", "sample-search")
    for mechanism in ways:
        release = hc.quantiles(table, **ASKED, q=[n / 50 for n in range(1, 50)], range=(0, 1000), mechanism=mechanism)
        for name in ("value", "low", "high"):
            assert (np.diff(release.table[name].to_numpy()) >= 0).all()


def test_ranges_come_back_as_they_were_asked(table: pa.Table) -> None:
    asked = [(10, 20), (0, 10), (10, 20)]
    rows = hc.ranges(table, **ASKED, ranges=asked).table.to_pylist()
    assert [(row["from"], row["to"]) for row in rows] == asked
    assert rows[0] == rows[2]


def test_a_range_as_wide_as_numbers_go() -> None:
    """No value makes reading fail."""
    for last in (1.0, 1e306):
        rows = pa.table({"user": range(100), "amount": [1.0] * 99 + [last]})
        (row,) = hc.ranges(rows, **ASKED, ranges=[(-1.79e308, 1.79e308)]).table.to_pylist()
        assert abs(row["count"] - 100) < 60


def test_intervals_of_a_search_with_laplace_noise() -> None:
    """Of one person, with no delta, 1,000 medians: 50 may miss, and 85 or more have a chance below 1e-6."""
    table = pa.table({"user": [1], "amount": [300.0]})
    plan = hc.plan("quantiles", table, **ASKED, q=[0.5], range=(0, 1000), cells=2**10, delta=0, mechanism="search")
    bounded = Bounded(
        pa.table({"item0": range(2**10)}), 1024 * (np.arange(2**10) == 307), ScaledToSum(1, 1).sensitivity
    )
    missed = 0
    for _ in range(1000):
        noisy = plan.mechanism.run(bounded, SystemEntropy())
        (row,) = plan.job.table(noisy, plan.mechanism.estimate(noisy), NoisyCount(0)).to_pylist()
        missed += not row["low"] <= 300.0 <= row["high"]
    assert missed < 85


def test_what_no_sample_shows_is_told_as_none(table: pa.Table) -> None:
    (row,) = hc.ranges(table.slice(0, 20), **ASKED, ranges=[(0, 1000)], mechanism="sample-threshold").table.to_pylist()
    assert (row["count"], row["low"]) == (0, 0)
    assert row["high"] > 0


def test_plans(table: pa.Table) -> None:
    plan = hc.plan("quantiles", table, user="user", value="amount", q=[0.5], range=(0, 1000), epsilon=1)
    assert "  error   Expected error (95%, noise only):\n          34.9 ranks if nearly everyone has 1 row\n" in str(
        plan
    )
    assert "          349 ranks if nearly everyone has at most 10 rows\n" in str(plan)
    for job, how in (("quantiles", {"range": (0, 1000)}), ("quantiles", {"edges": [0, 1, 5]}), ("ranges", {})):
        more = {"ranges": [(0, 10)]} if job == "ranges" else {"q": [0.5]}
        made = hc.plan(job, table, **ASKED, **how, **more)
        assert hc.Plan.from_json(made.to_json()).to_json() == made.to_json()
    wanted = hc.plan("quantiles", table, user="user", value="amount", range=(0, 9), bound=1, target_error=100)
    assert 95 < wanted.error <= 100
    assert wanted.release().cost.epsilon == float(wanted.budget.epsilon)


def test_pictures_and_files(table: pa.Table, tmp_path: Path) -> None:
    quantiles = hc.quantiles(table, **ASKED, range=(0, 1000))
    ranges = hc.ranges(table, **ASKED, ranges=[(0, 10), (10, 1000)])
    for release in (quantiles, ranges):
        for name in ("r.parquet", "r.csv", "r.json", "r.html", "r.png"):
            assert release.save(tmp_path / name).stat().st_size > 80
        assert hc.load(tmp_path / "r.parquet").table.equals(release.table)
        assert release.summary().startswith(f"{release.about.what}, from data frame")


def test_an_empty_table_and_one_person(table: pa.Table) -> None:
    """Nothing fails, and nothing is certain."""
    for few in (0, 1):
        for mechanism in MECHANISMS:
            release = hc.quantiles(table.slice(0, few), **ASKED, q=Q, range=(0, 1000), mechanism=mechanism)  # type: ignore[arg-type]
            assert all(0 <= value <= 1000 for value in release.table["value"].to_pylist())
        hc.ranges(table.slice(0, few), **ASKED, ranges=[(0, 10)])


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"range": None},
        "range: which values can there be? It is not read from the data. "
        "Fix: range=(0, 1000), or edges=[0, 1, 2, 5, 10, 100]",
    ),
    ({"edges": [0, 1, 2]}, "range and edges: only one of them. Fix: range=(0, 1000)"),
    (
        {"range": (5, 1)},
        "range=[5, 1]: they must rise. Fix: range=(0, 1000), the lowest and the highest value that can be",
    ),
    ({"range": None, "edges": [3, 2, 1]}, "edges=[3, 2, 1]: they must rise. Fix: edges=[0, 1, 2, 5, 10, 100], rising"),
    ({"range": None, "edges": [1, 1, 2]}, "edges=[1, 1, 2]: they must rise. Fix: edges=[0, 1, 2, 5, 10, 100], rising"),
    ({"q": [25, 75]}, "q=[25, 75]: up to 1,000 numbers between 0 and 1. Fix: q=[0.25, 0.75]"),
    ({"q": 0}, "q=[0]: up to 1,000 numbers between 0 and 1. Fix: q=[0.1, 0.5, 0.9], or q=0.5 for the median"),
    ({"q": [0.5, 0.1]}, "q=[0.5, 0.1]: they must rise. Fix: q=[0.1, 0.5]"),
    ({"cells": 1}, "cells=1: a whole number of at least 2 is needed. Fix: cells=16384"),
    ({"value": "user"}, "user='user', value='user': the names of two columns. Fix: user=\"user_id\", value=\"amount\""),
    ({"value": "amonut"}, "there is no column 'amonut'. Fix: did you mean 'amount'? There are user, amount, day"),
    (
        {"value": "day"},
        "column 'day' holds date: not a number. Fix: value: a column of numbers; of dates, how many days",
    ),
    ({"mechanism": "weighted"}, "mechanism='weighted': unknown. "),
    ({"mechanism": hc.Buckets()}, "mechanism=hc.Buckets(): quantiles does not take it. "),
    ({"mechanism": "sample-threshold", "theta": 1}, "theta=1: a whole number of at least 2 is needed. "),
    ({"mechanism": "sample-threshold", "bound": 2}, 'bound=2 with mechanism="sample-threshold": a sample has one row '),
    (
        {"mechanism": "sample-search", "bound": "auto"},
        "bound='auto' with mechanism=\"sample-search\": a sample has one ",
    ),
    ({"bound": "profile"}, "bound='profile': a number, or auto. Fix: bound=10, or bound=\"auto\""),
    ({"epsilon": None}, "how much may it cost? Fix: epsilon=1, or target_error=50, bound=1"),
    ({"mechanism": "sample-search", "delta": 0}, "delta=0: a sample needs a delta above 0. Fix: delta=1e-6"),
]


@pytest.mark.parametrize(("wrong", "message"), MISTAKES, ids=[message[:50] for _, message in MISTAKES])
def test_mistakes(wrong: dict[str, Any], message: str) -> None:
    days = pa.array([0], pa.date32())
    table = pa.table({"user": [1], "amount": [1.0], "day": days})
    with pytest.raises(hc.HeadcountError) as refused:
        hc.quantiles(table, **packed({**ASKED, "range": (0, 1000), **wrong}, hc.SampleThreshold))
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ([(5, 1)], "ranges: (5.0, 1.0) does not rise. Fix: ranges=[(0, 10), (10, 50)]"),
        ([1, 2], "ranges=[1, 2]: up to 1,000 pairs of numbers. Fix: ranges=[(0, 10), (10, 50)]"),
        ([], "ranges=[]: up to 1,000 pairs of numbers. Fix: ranges=[(0, 10), (10, 50)]"),
        ([(0, "x")], "ranges='x': a finite number is needed. Fix: ranges=[(0, 10), (10, 50)]"),
    ],
)
def test_mistakes_of_ranges(ranges: Any, message: str) -> None:
    with pytest.raises(hc.HeadcountError) as refused:
        hc.ranges(pa.table({"user": [1], "amount": [1.0]}), **ASKED, ranges=ranges)
    assert str(refused.value) == message


DECADES: dict[str, tuple[tuple[float, float], str]] = {
    "from 1": ((1, 1000), "log"),
    "from a small number": ((0.001, 0.1), "log"),
    "from 0 to much": ((0, 10_000), "log"),
    "from 0 to little": ((0, 9_999), "even"),
    "less than two decades": ((1, 99), "even"),
    "from below 0": ((-1, 10**6), "log"),
    "from much below 0": ((-10_000, 5), "log"),
    "both signs, little": ((-500, 9_999), "even"),
    "below 0, decades": ((-1000, -1), "log"),
    "below 0, less than two": ((-99, -1), "even"),
}


@pytest.mark.parametrize(("ends", "spacing"), DECADES.values(), ids=DECADES)
def test_cells_widen_by_default_if_the_range_spans_decades(table: pa.Table, ends: Any, spacing: str) -> None:
    plan = hc.plan("quantiles", table, **ASKED, range=ends)
    assert json.loads(plan.to_json())["parameters"]["spacing"] == spacing
    assert ("cells that widen with the value" in " ".join(str(plan).split())) == (spacing == "log")
    assert plan == hc.plan("quantiles", table, **ASKED, range=ends, spacing=spacing)
    assert hc.Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize("mechanism", ["tree", "search"])
@pytest.mark.parametrize("ends", [(0, 10**9), (1, 10**9)], ids=str)
def test_quantiles_over_decades(mechanism: Any, ends: Any) -> None:
    """Incomes in a range a thousand times too wide: with cells of one width, the lowest tenth would be in one."""
    incomes = np.random.default_rng(4).lognormal(10, 1.5, 20_000)
    table = pa.table({"user": np.arange(len(incomes)), "amount": incomes})
    release = hc.quantiles(table, **ASKED, q=Q, range=ends, mechanism=mechanism)
    true = np.quantile(incomes, Q)
    values, low, high = (np.array(release.table[name].to_pylist()) for name in ("value", "low", "high"))
    assert np.abs(values / true - 1).max() < 0.1
    assert (high / low).max() < 4  # a search has wide ones


@pytest.mark.slow(sibling="test_quantiles_over_decades")
def test_intervals_over_decades_hold_the_true_quantile() -> None:
    """270 intervals, of which 95% should hold: less than 87% have a chance below one in a million."""
    incomes, hold = np.random.default_rng(5).lognormal(10, 2, 5_000), []
    table, tenths = pa.table({"user": np.arange(5_000), "amount": incomes}), np.arange(1, 10) / 10
    for _ in range(30):
        rows = hc.quantiles(table, **ASKED, range=(0, 10**8)).table.to_pydict()
        true = np.quantile(incomes, tenths)
        hold += ((np.array(rows["low"]) <= true) & (true <= np.array(rows["high"]))).tolist()
    assert np.mean(hold) > 0.87


def test_values_on_edges_and_outside_have_a_cell() -> None:
    """Powers of two are edges of sections; everything below counts as the lowest value, everything above as the
    highest."""
    values = [*[0.5] * 2500, *[2.0] * 2500, *[64.0] * 2500, *[10.0**9] * 2500]
    table = pa.table({"user": range(10_000), "amount": values})
    found = hc.quantiles(table, **ASKED, q=[0.125, 0.375, 0.625, 0.875], range=(1, 1024)).table["value"].to_pylist()
    assert found == pytest.approx([1, 2, 64, 1024], rel=0.01)


def test_quantiles_on_both_sides_of_zero_over_decades() -> None:
    """Profits between millions of either sign: with cells of one width, the middle half would be in one."""
    profits = np.random.default_rng(6).normal(20, 50, 20_000)
    table = pa.table({"user": np.arange(len(profits)), "amount": profits})
    found = hc.quantiles(table, **ASKED, q=[0.1, 0.25, 0.5, 0.9], range=(-(10**6), 10**6)).table["value"].to_numpy()
    assert found == pytest.approx(np.quantile(profits, [0.1, 0.25, 0.5, 0.9]), abs=3)


def test_a_spacing_that_cannot_be_is_refused(table: pa.Table) -> None:
    with pytest.raises(hc.HeadcountError, match=r"cells=3: at least 4 .* Fix: cells=16384"):
        hc.quantiles(table, **ASKED, range=(-5, 1000), spacing="log", cells=3)
    with pytest.raises(hc.HeadcountError, match='Fix: spacing="auto" or spacing="even" or spacing="log"'):
        hc.quantiles(table, **ASKED, range=(0, 1000), spacing="geometric")  # type: ignore[arg-type]
