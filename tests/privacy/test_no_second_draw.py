"""Nothing that one row, or what was drawn, decides makes a release fail: a failure after the charge is worked again."""

from fractions import Fraction
from typing import Any

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from scipy import special

import headcount as hc
from headcount import papers
from headcount.account import Cost
from headcount.account.events import Neighbours
from headcount.bound import SampledEvents, SampledItems, WeightedClip
from headcount.bound.selection.paper import Known
from headcount.bound.selection.plume import LARGEST_BOUND, Discovering
from headcount.bound.selection.profile import MOST_ITEMS, FromProfile
from headcount.errors import BadParameter, HeadcountError
from headcount.mechanism import check_widths
from headcount.source.contributions.contributions import LARGEST_COUNT
from tests.strategies import strategy

HUGE = 2**127 - 1
ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1}


def on_duckdb(sql: str, *, settings: str = "") -> Any:
    connection = duckdb.connect()
    connection.execute(f"{settings} CREATE TABLE t AS {sql}")
    return ibis.duckdb.from_connection(connection).table("t")


@pytest.mark.parametrize("column", ["user", "item"])
@pytest.mark.parametrize("bound", [1, "auto"])
def test_a_number_too_large_for_the_engine_is_nobody_and_nothing(column: str, bound: Any) -> None:
    """It would fail where the engine keeps what was read, and so tell that this person is there."""
    one = {"user": "1::HUGEINT", "item": "1::HUGEINT", column: f"{HUGE}::HUGEINT"}
    people = on_duckdb(
        "SELECT range::HUGEINT AS user, (range % 3)::HUGEINT AS item FROM range(500) "
        f"UNION ALL SELECT {one['user']}, {one['item']}"
    )
    rows = hc.histogram(people, **ASKED, bound=bound).table.to_pylist()
    assert {int(row["item"]) for row in rows} == {0, 1, 2}


@pytest.mark.parametrize("bound", [1, "auto"])
def test_a_connection_that_ignores_case_is_refused(bound: Any) -> None:
    people = on_duckdb(
        "SELECT range AS user, 'apple' AS item FROM range(9)", settings="SET default_collation = 'nocase';"
    )
    with pytest.raises(HeadcountError, match="default_collation = 'nocase'"):
        hc.plan("histogram", people, **ASKED, bound=bound)


def test_a_collation_that_is_set_after_the_plan_is_refused_as_well() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range AS user, 'apple' AS item FROM range(9)")
    plan = hc.plan("histogram", ibis.duckdb.from_connection(connection).table("t"), **ASKED, bound=1)
    connection.execute("SET default_collation = 'nocase'")
    with pytest.raises(HeadcountError):
        plan.release()


@pytest.mark.parametrize(
    "setting", ["TimeZone='Asia/Tokyo'", "arrow_large_buffer_size=true", "arrow_lossless_conversion=true"]
)
def test_settings_that_fail_as_soon_as_there_is_a_row_are_refused(setting: str) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range AS user, 'apple' AS item FROM range(9)")
    people = ibis.duckdb.from_connection(connection).table("t")
    connection.execute(f"SET {setting}")
    with pytest.raises(HeadcountError, match=r"an Ibis table whose connection has"):
        hc.plan("histogram", people, **ASKED)


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMP_NS"])
def test_days_that_no_calendar_has_are_no_items(kind: str) -> None:
    people = on_duckdb(
        f"SELECT range AS user, '2024-05-06'::{kind} AS item FROM range(500) UNION ALL SELECT 1, 'infinity'::{kind}"
    )
    rows = hc.histogram(people, **ASKED, bound=2).table.to_pylist()
    assert [str(row["item"])[:10] for row in rows] == ["2024-05-06"]


def test_a_condition_on_decimals_is_exact() -> None:
    people = on_duckdb("SELECT range AS user, 1.23456::DECIMAL(20, 6) AS x FROM range(900)")
    found = hc.total(people, user="user", epsilon=1, where={"x": "1.23456"}, bound=1)
    assert found.table["count"][0].as_py() == pytest.approx(900, abs=40)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    "mechanism",
    ["auto", "thresholded", "joint", "weighted", "rounds", "count-release", papers.Plume(), "sample-threshold"],
    ids=str,
)
def test_nothing_is_left_on_the_users_connection(mechanism: Any) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range AS user, 'a' AS item FROM range(900)")
    hc.histogram(ibis.duckdb.from_connection(connection).table("t"), **ASKED, mechanism=mechanism)
    assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("t",)]
    assert not connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"epsilon": 1e-4}, "epsilon=0.0001: to choose a bound, it is at least 0.001."),
        ({"bound": hc.ChosenBound(share=1e-9)}, "share=1e-09: too little of epsilon"),
        ({"bound": hc.ChosenBound(share=0.99999)}, "share=0.99999: too little of epsilon"),
        (
            {"epsilon": 0.5, "delta": 0.4, "neighbours": "replace"},
            "delta=0.4: to choose a bound, it is at most a tenth",
        ),
        ({"epsilon": 1e-6, "bound": 10**6, "count": "events", "keys": [1], "debias": "ratio"}, "epsilon: too small"),
    ],
)
def test_what_could_fail_after_the_charge_is_refused_before(asked: dict[str, Any], message: str) -> None:
    table = pa.table({"user": [1], "item": [1]})
    with pytest.raises(HeadcountError) as refused:
        hc.plan("histogram", table, **{**ASKED, **asked})
    assert str(refused.value).startswith(message)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("count", ["users", "events"])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.001", "1e-9"), ("0.001", "5e-5"), ("100", "1e-12"), ("100", "0.9")])
def test_every_bound_that_may_be_chosen_has_a_mechanism(
    neighbours: Neighbours, count: Any, epsilon: str, delta: str
) -> None:
    """At the ends of what is allowed: the smallest and the largest of each kind."""
    asked = strategy(Cost(Fraction(epsilon), Fraction(delta)), count, neighbours, None, "auto")
    asked.check()
    largest = 1 if count == "users" else LARGEST_COUNT
    few = SampledItems if count == "users" else SampledEvents
    top = 2**14 if count == "users" else LARGEST_COUNT**2
    for bounding in (
        few(1),
        few(2),
        WeightedClip(1, 4, largest),
        WeightedClip(top, MOST_ITEMS, largest),
    ):
        check_widths(asked.mechanism(bounding))


@pytest.mark.parametrize("delta", ["1e-31", "1e-58", "1e-60", "1e-400"])
@pytest.mark.parametrize(
    ("job", "asked"),
    [
        ("histogram", {"by": "item"}),
        ("histogram", {"by": "item", "bound": 5}),
        ("histogram", {"by": "item", "keys": [1, 2]}),
        ("histogram", {"by": "item", "mechanism": "count-release"}),
        ("histogram", {"by": "item", "mechanism": papers.Plume()}),
        ("histogram", {"by": "item", "mechanism": "rounds"}),
        ("histogram", {"by": "item", "mechanism": "sample-threshold"}),
        ("heavy_hitters", {"by": "item"}),
        ("top", {"by": "item"}),
        ("quantiles", {"value": "item", "range": (0, 8)}),
        ("ranges", {"value": "item", "ranges": [(0, 1)]}),
        ("distribution", {"by": "item", "keys": [1, 2]}),
    ],
    ids=str,
)
def test_a_delta_that_no_threshold_could_be_computed_for_is_refused(
    job: Any, asked: dict[str, Any], delta: str
) -> None:
    """By the plan: with a chosen bound it would raise after the choice was drawn."""
    table = pa.table({"user": [1], "item": [1]})
    with pytest.raises(BadParameter, match=f"delta='{delta}': it is 0, or at least 1e-30. Fix: delta=1e-6"):
        hc.plan(job, table, user="user", epsilon=1, delta=delta, **asked)


def budgets(many: int) -> list[Cost]:
    """All over what is allowed, with the ends."""
    chance = np.random.default_rng(19)
    exponents = np.column_stack([chance.uniform(-3, 2, many), chance.uniform(-30, -5, many)])
    between = [Cost(Fraction(f"{10**high:.3g}"), Fraction(f"{10**low:.2e}")) for high, low in exponents.tolist()]
    ends = [Cost(Fraction(epsilon), Fraction("1e-30")) for epsilon in ("0.001", "100")]
    return [*ends, *between]


def options(choice: Any, count: str, chance: np.random.Generator) -> list[Any]:
    """Bounds that may be drawn: the smallest, the largest, and one between."""
    if isinstance(choice, FromProfile):
        few, largest = (SampledItems, 1) if count == "users" else (SampledEvents, LARGEST_COUNT)
        large = int(2 ** chance.uniform(0, 14)) ** (1 if count == "users" else 2)
        max_items = min(4 * large, MOST_ITEMS) if count == "users" else MOST_ITEMS
        scaled = WeightedClip(large, max_items, largest)
        return [choice.unseen_people, few(1), few(2), scaled]
    if isinstance(choice, Discovering):
        return [choice.example(bound) for bound in (1, int(2 ** chance.uniform(0, 14)), LARGEST_BOUND)]
    drawn = choice.kind if hasattr(choice, "kind") else choice.bounding
    return [drawn(choice.grid[index]) for index in (0, int(chance.integers(len(choice.grid))), -1)]


@pytest.mark.slow(but=["auto-plume-None", "auto-auto-10"])
@pytest.mark.parametrize(
    ("bound", "mechanism", "cells"),
    [
        ("auto", "auto", None),
        ("generalized", "auto", None),
        ("auto", "plume", None),
        ("auto", "auto", 10),
        ("m-quantile", "auto", 1000),
    ],
)
def test_every_bound_that_may_be_drawn_has_a_mechanism_whatever_the_budget(
    bound: str, mechanism: Any, cells: int | None
) -> None:
    """What a plan does not refuse can be calibrated, and so can what is looked at after the choice."""
    chance = np.random.default_rng(20)
    for index, budget in enumerate(budgets(3)):
        count: Any = ("users", "events")[index % 2] if mechanism == "auto" else "users"
        neighbours: Neighbours = "replace" if index % 3 else "add-remove"
        asked = strategy(budget, count, neighbours, cells, bound, mechanism)
        try:
            asked.check()
        except BadParameter:
            continue
        choice = asked.selection
        if choice is None:  # a short list: nobody is bounded
            check_widths(asked.mechanism())
            continue
        for bounding in options(choice, count, chance):
            second = asked.next_selection(bounding, [choice])
            after = asked.after(second) if second else asked
            check_widths(after.mechanism(bounding))


@pytest.mark.parametrize("debias", ["auto", "ratio"])
@pytest.mark.parametrize("cells", [1, 1000])
def test_every_bound_on_known_items_has_a_mechanism(debias: str, cells: int) -> None:
    asked = strategy(Cost(Fraction("0.001"), Fraction("5e-5")), "events", "replace", cells, "auto", debias=debias)
    asked.check()
    choice = asked.selection
    ends: list[Any] = [WeightedClip(bound, MOST_ITEMS, LARGEST_COUNT) for bound in (1, LARGEST_COUNT**2)]
    if debias == "ratio":
        assert isinstance(choice, Known)
        ends = [choice.bounding(candidate) for candidate in (choice.grid[0], choice.grid[-1])]
    for bounding in ends:
        check_widths(asked.mechanism(bounding))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"count": "events"},
        {"bound": 1},
        {"keys": [1, 2], "debias": "ratio", "bound": 9},
        {"keys": list(range(40))},
        {"keys": list(range(40, 80)), "count": "events"},
    ],
    ids=str,
)
def test_no_setting_of_the_caller_makes_odd_numbers_an_error(asked: dict[str, Any]) -> None:
    table = pa.table({"user": list(range(3000)), "item": [number % 2 for number in range(3000)]})
    with np.errstate(all="raise"), special.errstate(all="raise"):
        for _ in range(3):
            rows = hc.histogram(table, **ASKED, **asked).table.to_pylist()
            assert all(0 <= row["low"] <= row["count"] <= row["high"] for row in rows)


ITEMS: dict[str, Any] = {"by": "item", "share": 0.3}
NUMBERS: dict[str, Any] = {"value": "item", "range": (0, 8), "cells": 32}
DRAWN: dict[str, Any] = {"job": "distribution", "by": "item", "keys": [0, 1, 2]}
JOBS: dict[str, dict[str, Any]] = {
    "heavy hitters": {"job": "heavy_hitters", **ITEMS, "bound": 1},
    "heavy in a sample": {"job": "heavy_hitters", **ITEMS, "mechanism": "sample-threshold"},
    "tree": {"job": "quantiles", **NUMBERS},
    "tree over decades": {"job": "quantiles", **NUMBERS, "range": (0, 10**6)},
    "search": {"job": "quantiles", **NUMBERS, "mechanism": "search", "q": 0.5},
    "tree of samples": {"job": "quantiles", **NUMBERS, "mechanism": "sample-threshold", "bound": 1},
    "search by samples": {"job": "quantiles", **NUMBERS, "mechanism": "sample-search", "q": 0.5, "bound": 1},
    "ranges": {"job": "ranges", "value": "item", "ranges": [(0, 1), (1, 9)]},
    "staircase": {"job": "shape", "by": "item"},
    "buckets": {"job": "shape", "by": "item", "mechanism": "buckets"},
    "buckets, so many": {"job": "shape", "by": "item", "mechanism": hc.Buckets(buckets=1000)},
    "buckets of the paper": {"job": "shape", "by": "item", "mechanism": hc.Buckets(estimator="paper"), "loss": "l2"},
    "a list's shape": {"job": "shape", "by": "item", "mechanism": "buckets", "keys": [0, 1, 2]},
    "distribution": DRAWN,
    "distribution over rows": {**DRAWN, "target": "rows"},
    "distribution of a source": {**DRAWN, "target": "source"},
    "distribution of one": {**DRAWN, "keys": [1]},
    "distribution, rounds": {**DRAWN, "mechanism": "recentred", "neighbours": "replace"},
    "distribution, public": {**DRAWN, "mechanism": "ks", "neighbours": "replace", "sizes": "public"},
    "distribution, ks": {**DRAWN, "mechanism": "ks"},
    "distribution, rivals": {**DRAWN, "mechanism": "hypothesis-selection", "bound": 2},
    "distribution, sparse": {**DRAWN, "mechanism": "sparse"},
    "distribution, one sample": {**DRAWN, "mechanism": "sample-one"},
}


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("epsilon", [1, 40, 100])
@pytest.mark.parametrize("counts", [(1,), (1, 1, 1, 1, 2), (3, 3, 3, 1), (40, 2, 2, 2, 1, 1)])
def test_hardly_any_noise_makes_no_shape_fail(counts: tuple[int, ...], epsilon: int) -> None:
    items = [item for item, count in enumerate(counts) for _ in range(count)]
    table = pa.table({"user": range(len(items)), "item": items})
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": epsilon, "keys": range(8)}
    for _ in range(5):
        for mechanism in ("staircase", "buckets"):
            assert hc.shape(table, **asked, mechanism=mechanism).counts.sum() < 500


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("people", [0, 3000])
def test_no_number_of_people_makes_a_release_fail(job: str, people: int) -> None:
    """One person without a number, alone or with many others; also where odd numbers are errors."""
    users, items = list(range(people)), [number % 2 for number in range(people)]
    table = pa.table({"user": pa.array([*users, -1], pa.int64()), "item": pa.array([*items, None], pa.int64())})
    plan = hc.plan(data=table, user="user", epsilon=1, **JOBS[job])
    with np.errstate(all="raise"), special.errstate(all="raise"):
        release = plan.release()
    rows, value = release.table.to_pylist(), release.about.value
    assert all(row["low"] <= row[value] <= row["high"] for row in rows)
    assert rows or not people
    release.summary()
