"""Every engine gives what DuckDB gives: bounded counts, statistics, and, with the same chance, a release's bytes."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from inspect import isabstract
from pathlib import Path
from typing import Any, get_args

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.conformance.engines import Put, Seeded, kept, people
from tests.groups import SCALE, looked_at_groups
from tests.tables import looked_at_again

import headcount as hc
from headcount import papers
from headcount.account.events import GaussianThreshold
from headcount.bound import (
    BoundedWeighted,
    Bounding,
    BoundSelection,
    CutAmounts,
    EvenL2Budget,
    ListedItems,
    SampledEvents,
    SampledItems,
    ScaledToSize,
    ScaledToSum,
    SplitL2Budget,
    TopItems,
    TopSums,
    WeightedClip,
    WithScalar,
)
from headcount.bound.boundings.draws import Draws, ExactDraws
from headcount.bound.boundings.groups import BoundedGroups, FoundGroups, ListedGroups
from headcount.bound.pairs.vectors import Vector
from headcount.bound.selection.amounts import LowestSums, UsualAmounts
from headcount.bound.selection.by_load import Exponential, Generalized
from headcount.bound.selection.compare import ComparedSizes, ComparedSums
from headcount.bound.selection.draws import MostDrawn, PublicDrawn
from headcount.bound.selection.heavy import HeavyPeople
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.paper import DpSgd, InverseSensitivity, MQuantile, OutputPerturbation, Quantile
from headcount.bound.selection.people import PeopleCount
from headcount.bound.selection.plume import Discovered, Discovering, UsualItems
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.selection import HardlyMore
from headcount.source import Contributions, contributions, open_events
from headcount.source.engines.registry import to_arrow
from headcount.source.scales.periods import Period, Periods

pytestmark = [pytest.mark.spark, pytest.mark.slow(sibling="test_releases")]

SECRET = bytes(range(32))
KEYS = pa.table({"item0": ["item 1", "item 2", "nobody's", "é", ""]})
FOUND = GaussianThreshold(Fraction(10), 3, 1, 20, "add-remove")
BOUNDINGS: list[tuple[str, Bounding]] = [
    ("users", SampledItems(2)),
    ("events", SampledEvents(3)),
    ("users", ScaledToSum(2, 1)),
    ("events", ScaledToSum(3, 10**6)),
    ("users", ScaledToSize(2, 1)),
    ("events", ScaledToSize(9, 10**6)),
    ("users", WeightedClip(2, 5, 1)),
    ("events", WeightedClip(4, 10**4, 10**6)),
    ("users", EvenL2Budget(5)),
    ("users", SplitL2Budget(5, full=2)),
    ("users", ListedItems(5, 2)),
    ("users", TopItems(7)),
    ("events", TopSums(7, 3, "count")),
    ("amounts", TopSums(7, 100, "amount")),
    ("amounts", LowestSums(7, 2, "amount")),
    ("events", WithScalar(ScaledToSum(3, 10**6), "taken")),
    ("users", WithScalar(ScaledToSize(2, 1), "people")),
    ("events", Draws(3, 3)),
    ("events", ExactDraws(2)),
    ("users", Discovered(SampledItems(2), KEYS, FOUND)),
    ("numbers", FoundGroups(5, full=2)),
    ("numbers", ListedGroups()),
    ("numbers", CutAmounts(5, 30, 2)),
    ("numbers", CutAmounts(5, 30, 2, bits=4)),
]
EPSILON: tuple[Fraction, Any] = (Fraction(1, 10), "add-remove")
KNOWN: tuple[Any, ...] = (4.0, 1, (1, 2, 4, 9, 16))
UNKNOWN: tuple[Any, ...] = ((1, 2, 5, 9), (9.0, 10.0, 12.0, 15.0), (1.0, 2.0, 5.0, 9.0))
CHOICES: list[tuple[str, BoundSelection[Any]]] = [
    ("events", Quantile(*EPSILON, *KNOWN)),
    ("users", MQuantile(*EPSILON, *KNOWN)),
    ("events", InverseSensitivity(*EPSILON, *KNOWN)),
    ("users", DpSgd(*EPSILON, *KNOWN)),
    ("events", OutputPerturbation(*EPSILON, *KNOWN)),
    ("events", ComparedSums(*EPSILON, *KNOWN)),
    ("users", ComparedSizes(*EPSILON, *KNOWN)),
    ("users", Exponential(*EPSILON, SampledItems, *UNKNOWN)),
    ("events", Generalized(*EPSILON, SampledEvents, *UNKNOWN)),
    ("users", FromProfile(*EPSILON, 1)),
    ("users", HeavyPeople(*EPSILON, HardlyMore(SampledItems(1), 0.0), SampledItems(2))),
    ("events", HeavyPeople(*EPSILON, HardlyMore(SampledEvents(1), 0.0), SampledEvents(2))),
    ("users", SamplingLoss(*EPSILON, SampledItems(2))),
    ("events", SamplingLoss(*EPSILON, SampledEvents(3))),
    ("events", MostDrawn(*EPSILON, (), 5, None)),
    ("events", PublicDrawn(*EPSILON, (), 5, None)),
    ("events", UsualAmounts(*EPSILON, 5, "count")),
    ("amounts", UsualAmounts(*EPSILON, 5, "amount")),
    ("users", UsualItems(*EPSILON)),
    ("users", Discovering(*EPSILON, Fraction(1, 10), Fraction(1, 1000))),
]
Both = dict[str, tuple[Contributions, Contributions]]


@pytest.fixture(scope="module")
def both(put: Put) -> Iterator[Both]:
    """What each person did, on DuckDB and on another engine: as users, as events, with amounts, and with numbers that
    are measured."""
    ways: dict[str, dict[str, Any]] = {
        "users": {},
        "events": {"events": True},
        "amounts": {"amounts": True},
        "numbers": {"scales": (SCALE,)},
    }
    with ExitStack() as stack:
        there = put(people())
        yield {name: (kept(stack, people(), **how), kept(stack, there, **how)) for name, how in ways.items()}


def told(value: Any) -> Any:
    """Everything in it, to be compared."""
    if isinstance(value, Contributions):
        return rows(value.table)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return {each.name: told(getattr(value, each.name)) for each in fields(value)}
    return value


def rows(table: Any) -> Any:
    """A table on an engine, sorted, with its types."""
    found = to_arrow(table.order_by(table.columns))
    return found.schema.types, found.to_pylist()


def drawn(bounded: Any) -> Any:
    """The same; people's draws, which come in any order, as a bag; and what a second look shows."""
    if isinstance(bounded, BoundedWeighted | BoundedGroups):
        again = looked_at_again(bounded) if isinstance(bounded, BoundedWeighted) else None
        groups = looked_at_groups(bounded) if isinstance(bounded, BoundedGroups) else None
        return bounded.items, bounded.totals.tolist(), bounded.sensitivity, again, groups
    if not hasattr(bounded, "starts"):
        return told(bounded)
    pairs = list(zip(bounded.indices.tolist(), bounded.counts.tolist(), strict=True))
    each = [sorted(pairs[low:high]) for low, high in zip(bounded.starts, bounded.starts[1:], strict=False)]
    return bounded.items, bounded.totals.tolist(), bounded.sensitivity, sorted(each)


def name(value: Any) -> str:
    return value if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize(("what", "bounding"), BOUNDINGS, ids=name)
def test_bounded_counts(both: Both, what: str, bounding: Bounding) -> None:
    keys = KEYS if isinstance(bounding, Draws | ExactDraws | ListedGroups | ListedItems | CutAmounts) else None
    here, there = (drawn(bounding.bound(each, SECRET, keys)) for each in both[what])
    assert here == there


def test_a_norm_that_no_integer_holds(put: Put) -> None:
    """A thousand events, each far from the centre: nobody adds more than the units, however norms are rounded."""
    far, units = Vector("amount", centre=-(2.0**60), centred=True), 2**24
    table = pa.table({"user": [1] * 1000, "item": ["item 1", "item 2"] * 500, "amount": [1.0] * 1000})
    with ExitStack() as stack:
        each = kept(stack, put(table), scales=(None,))
        look = ListedGroups().bound(each, SECRET, KEYS).look(np.ones(len(KEYS), dtype=bool))
        totals = look.totals(far, 1.0, units).tolist()
    assert 0.999 * units**2 < sum(total**2 for total in totals) <= units**2


@pytest.mark.parametrize(("what", "choice"), CHOICES, ids=name)
def test_statistics(both: Both, what: str, choice: BoundSelection[Any]) -> None:
    here, there = (told(choice.look(each)) for each in both[what])
    assert here == there


def test_how_many_people_there_are(both: Both) -> None:
    here, there = (PeopleCount(Fraction(1)).look(each) for each in both["users"])
    assert here == there > 0


def test_every_way_is_here() -> None:
    def below(kind: Any) -> set[Any]:
        own = {each for each in kind.__subclasses__() if each.__module__.startswith("headcount.bound")}
        return {found for each in own for found in (each, *below(each)) if not isabstract(found)}

    assert below(Bounding) == {type(bounding) for _, bounding in BOUNDINGS}
    assert below(BoundSelection) == {type(choice) for _, choice in CHOICES}


ITEM = {"by": "item"}
LISTED = [f"item {number}" for number in range(1, 12)]
METRICS: dict[str, Any] = {
    "metrics": [
        *("people", "events", "sum(amount)", "mean(amount)", "mean(amount) per person", "median(amount)"),
        *("people(amount)", "events(amount)"),
    ],
    "range": (0, 100),
}
JOBS: dict[str, tuple[Any, dict[str, Any]]] = {
    "auto": ("histogram", ITEM),
    "bound": ("histogram", {**ITEM, "bound": 2}),
    "events": ("histogram", {**ITEM, "count": "events"}),
    "events bound": ("histogram", {**ITEM, "count": "events", "bound": 3}),
    "keys": ("histogram", {**ITEM, "keys": LISTED}),
    "keys events": ("histogram", {**ITEM, "keys": LISTED, "count": "events", "bound": 3}),
    "bins": ("histogram", {"by": "amount", "bins": [0, 10, 50, 100]}),
    "days": ("histogram", {"by": "day", "bins": ["2024-01-01", "2024-01-20", "2024-02-10"]}),
    "weeks": ("histogram", {"by": "day", "per": "week", "bound": 3}),
    "months": ("histogram", {"by": "day", "per": "month", "dates": ("2023-12-24", "2024-02-10")}),
    "quarters by name": ("histogram", {"by": "day", "per": "quarter", "keys": ["2024-01-01"], "bound": 1}),
    "weeks and cities": ("histogram", {"by": ["day", "city"], "per": {"day": "week"}, "where": {"amount": (0, 50)}}),
    "weeks of people": ("profile", {"by": "day", "per": "week", "where": {"day": ("2024-01-01", "2024-01-30")}}),
    "two columns": ("histogram", {"by": ["city", "day"], "bound": 3}),
    "rounds": ("histogram", {**ITEM, "mechanism": "rounds"}),
    "count-release": ("histogram", {**ITEM, "mechanism": "count-release"}),
    "sum": ("histogram", {**ITEM, "mechanism": "count-release", "sum": "amount"}),
    "listed sum": ("histogram", {**ITEM, "keys": LISTED, "sum": "amount", "mechanism": "correlated", "bound": 30}),
    "plume": ("histogram", {**ITEM, "mechanism": papers.PlumeThreshold()}),
    "sample": ("histogram", {**ITEM, "mechanism": "sample-threshold"}),
    "heavy hitters": ("heavy_hitters", ITEM),
    "top": ("top", {**ITEM, "k": 3}),
    "profile": ("profile", ITEM),
    "total": ("total", {"where": {"city": ["Rome", "Oslo"], "amount": (0, 50)}}),
    "one end": ("total", {"where": {"amount": (10, None), "day": (None, "2024-01-20")}}),
    "quantiles": ("quantiles", {"value": "amount", "range": (0, 100), "q": [0.25, 0.5]}),
    "ranges": ("ranges", {"value": "amount", "ranges": [(0, 10), (10, 100)]}),
    "shape": ("shape", ITEM),
    "quantiles over decades": ("quantiles", {"value": "amount", "range": (0, 20_000), "q": [0.25, 0.5], "bound": 1}),
    "distribution": ("distribution", {**ITEM, "keys": LISTED}),
    "distribution over rows": ("distribution", {**ITEM, "keys": LISTED, "target": "rows"}),
    "groups": ("aggregate", {**ITEM, **METRICS}),
    "listed groups": ("aggregate", {**ITEM, **METRICS, "keys": LISTED}),
    "groups of two columns": ("aggregate", {"by": ["city", "day"], "metrics": ["people", "sum(amount)"]}),
    "replaced groups": ("aggregate", {**ITEM, "metrics": ["share", "mean(amount)"], "neighbours": "replace"}),
    "binned groups": ("aggregate", {"by": "day", "bins": ["2024-01-01", "2024-01-20", "2024-02-10"], **METRICS}),
    "distribution of a source": ("distribution", {**ITEM, "keys": LISTED, "target": "source"}),
}


@pytest.fixture(scope="module")
def frame(put: Put) -> Any:
    return put(people())


@pytest.mark.slow(but=["spark-auto", "postgres-listed groups"])
@pytest.mark.parametrize("job", JOBS)
def test_releases(frame: Any, job: str, tmp_path: Path) -> None:
    what, asked = JOBS[job]
    for index, data in (("here", people()), ("there", frame)):
        plan = hc.plan(what, hc.table(data, name="events"), user="user", epsilon=2, **asked)
        plan.release(entropy=Seeded()).save(tmp_path / f"{index}.parquet")
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "there.parquet").read_bytes()


DAYS = [date(1, 1, 1), date(1, 1, 2), date(9999, 12, 31), date(2024, 2, 29), date(1582, 10, 10), None]
MOMENTS = [
    datetime(2024, 1, 1),
    datetime(2024, 1, 1, 0, 0, 0, 1),
    datetime(1500, 1, 1),
    datetime(9999, 12, 31, 23),
    None,
]
TEXTS = [
    "1",
    "1 ",
    " 1",
    "1.0",
    "True",
    "true",
    "",
    "é",
    "e\u0301",
    "É",
    "a\x01b",
    "\ufffd",
    "😀",
    "'\"`\\${x}%_",
    None,
]
ODD: dict[str, pa.Array] = {
    "text": pa.array(TEXTS),
    "categories": pa.array(TEXTS).dictionary_encode(),
    "text with a zero byte": pa.array(["a\0b", "a", "b", "\0", None]),
    "bytes": pa.array([-128, 0, 127, None], pa.int8()),
    "shorts": pa.array([-(2**15), 0, 2**15 - 1, None], pa.int16()),
    "large": pa.array([2**63 - 1, -(2**63), 2**53 + 1, 2**53, None]),
    "booleans": pa.array([True, False, None]),
    "decimals": pa.array(
        [Decimal("1.50"), Decimal("0.00"), Decimal("-0.01"), Decimal("1e-2"), None], pa.decimal128(20, 2)
    ),
    "long decimals": pa.array([Decimal(10) ** 37, Decimal(-1), Decimal(0), None], pa.decimal128(38, 0)),
    "days": pa.array(DAYS),
    "moments": pa.array(MOMENTS, pa.timestamp("us")),
    "floats": pa.array([0.0, -0.0, 1.5, 1e16, 1e300, -1e300, float("inf"), float("nan"), 1 / 3, None]),
    "short floats": pa.array([0.1, -0.0, 16777216.0, float("nan"), None], pa.float32()),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_values(put: Put, kind: str) -> None:
    """As people, and as items if they can be some."""
    values = pa.chunked_array([ODD[kind]] * 3).combine_chunks()
    other = pa.array([f"v{index % 7}" for index in range(len(values))]) if "floats" in kind else values.slice(1)
    table = pa.table({"user": values.slice(0, len(other)), "item": other})
    assert summed(table) == summed(put(table))


def summed(data: Any) -> list[Any]:
    """(user, item, count), and what a bound makes of it."""
    events, users = (
        contributions(open_events(data, ["user", "item"]).table(), [None], events=events, keys=None)
        for events in (True, False)
    )
    return [rows(events.table), told(SampledItems(1).bound(users, SECRET, None))]


NUMBERS = ["1", "1.0", " 1", "+1", "-1", "1e3", ".5", "5.", "1_000", "1d", "1f", "inf", "nan", "0x1", "", "1e400", "-0"]
DATES = [
    "2024-01-31",
    "2024-1-3",
    "2024-01-31 12:30",
    "2024-01-31T12:30:15.5",
    "2024-01-31 12:30:15Z",
    "2024-01-31T23:30:15-02:00",
    "2024-01-31 24:00:00",
    "2024-01-31 ",
    "2024-02-30",
    "2024/01/31",
    "24-01-31",
    "2024",
    "12:30:00",
    "epoch",
    "infinity",
    "10000-01-01",
]


def test_text_as_numbers_and_dates(put: Put) -> None:
    """Bins of text: an engine's own notion of a number or a date does not matter."""
    for texts, bins in (
        (NUMBERS, [-5, 0, 1, 2, 600, 1e6]),
        (DATES, ["1900-01-01", "2024-01-31", "2024-02-01", "2030-01-01"]),
    ):
        table = pa.table({"user": [f"u{index}" for index in range(len(texts))], "x": texts})
        here, there = (
            hc.plan("histogram", data, user="user", by="x", bins=bins, epsilon=1, bound=1)
            .release(entropy=Seeded())
            .table
            for data in (table.to_pandas(), put(table))
        )
        assert here == there


TIMES = [
    datetime(1, 1, 1),
    datetime(1, 1, 3, 5),
    datetime(1500, 2, 28, 23, 59, 59, 999999),
    datetime(1582, 10, 10, 12),
    datetime(1969, 12, 31, 23, 30),
    datetime(2023, 12, 31, 23, 59, 59, 999999),
    datetime(2024, 1, 1),
    datetime(2024, 2, 29, 13, 14, 15),
    datetime(9999, 12, 29, 1),
    datetime(9999, 12, 31, 23),
    None,
]
MORE_DATES = ["0000-01-05", "0001-01-01", "0001-01-05", "9999-12-31", "2023-12-31T23:59:59.999999999", "2024-02-29 1:2"]
DATED: dict[str, pa.Array] = {
    "text": pa.array([*DATES, *MORE_DATES]),
    "days": pa.array([each and each.date() for each in TIMES]),
    "moments": pa.array(TIMES, pa.timestamp("us")),
    "moments with a time zone": pa.array(TIMES, pa.timestamp("us", "Asia/Tokyo")),
}


@pytest.mark.parametrize("kind", DATED)
def test_periods(put: Put, kind: str) -> None:
    """Whatever a column of dates is, and however long ago."""
    values = DATED[kind]
    table = pa.table({"user": [f"u{index}" for index in range(len(values))], "x": values})
    here, there = (open_events(data, ["user", "x"]).table() for data in (table, put(table)))
    for period in get_args(Period):
        found = [contributions(each, [Periods(period)], events=False, keys=None).table for each in (here, there)]
        assert rows(found[0]) == rows(found[1])
        assert len(rows(found[0])[1]) > 5


CELL = st.sampled_from([*TEXTS, "b", "c", "d"])
ROW = st.tuples(CELL, CELL, st.one_of(st.none(), st.floats(), st.sampled_from([1e12, -1e15, 0.1])))


@given(st.lists(ROW, min_size=40, max_size=300))
@settings(
    deadline=None, max_examples=3, suppress_health_check=list(HealthCheck), phases=[Phase.generate], derandomize=True
)
def test_any_rows(put: Put, found: list[tuple[Any, Any, Any]]) -> None:
    users, items, amounts = zip(*found, strict=True)
    table = pa.table(
        {
            "user": pa.array(users, pa.string()),
            "item": pa.array(items, pa.string()),
            "amount": pa.array(amounts, pa.float64()),
        }
    )
    here, there = (rows(added(each)) for each in (table, put(table)))
    assert here == there
    assert summed(table) == summed(put(table))


def added(data: Any) -> Any:
    """(user, item, amount)"""
    table = open_events(data, ["user", "item", "amount"]).table()
    return contributions(table, [None], events=False, keys=None, amounts=True).table.drop("count")
