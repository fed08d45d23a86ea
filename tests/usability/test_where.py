"""A condition on rows, in every job: the release is that of a table with these rows alone."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from tests.golden.tables import TABLES
from tests.jobs import of_every_job

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, HeadcountError, UnknownColumn
from headcount.planner import Plan

WHERE: dict[str, Any] = {"city": ["Rome", "Oslo"], "minutes": (0, 50)}
ITEM: dict[str, Any] = {"by": "item"}
ASKED = of_every_job(
    {
        "histogram": {"by": ["city", "item"], "bound": 3},
        "top": ITEM,
        "heavy_hitters": {**ITEM, "bound": 3, "share": 0.1},
        "total": {"bound": 5},
        "profile": ITEM,
        "quantiles": {"value": "minutes", "range": (0, 150), "cells": 64, "bound": 1},
        "ranges": {"value": "minutes", "ranges": [(0, 10), (10, 60)], "bound": 1},
        "shape": ITEM,
        "aggregate": {**ITEM, "metrics": ["people", "sum(minutes)"]},
        "distribution": {**ITEM, "keys": ["item 01", "item 02", "item 03"]},
    },
    item="item",
    number="minutes",
    listed=["item 01", "item 02", "item 03"],
)


def planned(job: str, data: Any, **arguments: Any) -> Plan:
    plan: Plan = hc.plan(job, hc.table(data, name="visits"), user="person", epsilon=2, **ASKED[job], **arguments)
    return plan


def matching(table: pa.Table) -> pa.Table:
    """The rows that fulfil the conditions, by other means."""
    minutes = table["minutes"]
    inside = pc.and_(pc.greater_equal(minutes, 0), pc.less_equal(minutes, 50))
    return table.filter(pc.and_(inside, pc.is_in(table["city"], pa.array(["Rome", "Oslo"]))))


@pytest.mark.parametrize("job", sorted(ASKED))
def test_a_release_is_that_of_a_table_with_these_rows_alone(job: str) -> None:
    visits = TABLES["visits"]()
    some = planned(job, visits, where=WHERE).release(entropy=Fixed(0)).table
    alone = planned(job, matching(visits)).release(entropy=Fixed(0)).table
    assert some == alone
    assert some != planned(job, visits).release(entropy=Fixed(0)).table


@pytest.mark.parametrize("job", sorted(ASKED))
def test_a_release_says_which_rows_it_is_about(job: str) -> None:
    release = planned(job, TABLES["visits"](), where=WHERE).release(entropy=Fixed(0))
    assert release.about.what.endswith(" where city is Oslo or Rome and minutes is from 0 to 50")
    assert "city" in release.about.steps[0]


@pytest.mark.parametrize("job", sorted(ASKED))
def test_a_plan_without_conditions_is_the_plan_of_a_version_that_had_none(job: str) -> None:
    plan = planned(job, TABLES["visits"]())
    assert ("where" in plan.job.to_plain()) == (job == "total")
    assert Plan.from_json(plan.to_json()).to_json() == plan.to_json()
    filtered = planned(job, TABLES["visits"](), where=WHERE)
    assert Plan.from_json(filtered.to_json()).job == filtered.job
    assert filtered.charge().request != plan.charge().request


def test_of_heavy_hitters_all_people_are_those_of_these_rows() -> None:
    table = pa.table({"user": [*range(100)], "item": ["a"] * 100, "city": ["Rome"] * 20 + ["Oslo"] * 80})
    plan = hc.plan("heavy_hitters", table, user="user", by="item", share=0.5, epsilon=4, where={"city": "Rome"})
    assert "There are about 20 people; 50% are 10." in " ".join(plan.release(entropy=Fixed(0)).about.steps)


def test_of_a_total_all_people_are_all_people() -> None:
    """Of how many people nobody has such a row is part of what a Poisson law says."""
    table = pa.table({"user": [*range(100)], "city": ["Rome"] * 20 + ["Oslo"] * 80})
    arguments: dict[str, Any] = {"user": "user", "epsilon": 1, "where": {"city": "Rome"}, "bound": 1}
    counted = hc.plan("total", table, debias=hc.PoissonCounts(people="count"), **arguments)
    given = hc.plan("total", table, debias=hc.PoissonCounts(people=100), **arguments)
    counts = [plan.release(entropy=Fixed(0)).table["count"] for plan in (counted, given)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "pandas", "polars", "arrow"])
def test_a_column_may_be_an_item_an_amount_or_a_person_too(kind: str, tmp_path: Any) -> None:
    table = pa.table({"user": [1, 1, 2, 3], "item": ["a", "b", "b", "c"], "price": [1.0, 5.0, 7.0, 5.0]})
    data = of_kind(table, kind, tmp_path)
    shared: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "bound": 9}
    plan = hc.plan("histogram", data, keys=["a", "b", "c"], where={"item": ["a", "b"], "user": [1, 3]}, **shared)
    counts = plan.release(entropy=Fixed(0)).table
    assert dict(zip(counts["item"].to_pylist(), counts["count"].to_pylist(), strict=True)) == {"a": 1, "b": 1, "c": 0}
    amounts = hc.plan("ranges", data, user="user", value="price", ranges=[(0, 6), (6, 9)], epsilon=1, bound=9)
    some = hc.plan(
        "ranges", data, user="user", value="price", ranges=[(0, 6), (6, 9)], epsilon=1, bound=9, where={"price": [5, 7]}
    )
    assert amounts.release(entropy=Fixed(0)).table["count"].to_pylist() == [3, 1]
    assert some.release(entropy=Fixed(0)).table["count"].to_pylist() == [2, 1]


def of_kind(table: pa.Table, kind: str, folder: Any) -> Any:
    path = folder / f"visits.{kind}"
    writers = {
        "parquet": lambda: pq.write_table(table, path),
        "csv": lambda: csv.write_csv(table, path),
        "jsonl": lambda: table.to_pandas().to_json(path, orient="records", lines=True, date_format="iso"),
    }
    if kind in writers:
        writers[kind]()
        return path
    frames: dict[str, Any] = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table), "arrow": lambda: table}
    return frames[kind]()


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        ({"citty": "Rome"}, UnknownColumn, "did you mean 'city'"),
        ({"minutes": "long"}, BadParameter, "where: column 'minutes' holds float64"),
        ({"city": (0, 5)}, HeadcountError, "column 'city' holds text, and numbers are needed"),
        ({"minutes": (50, 0)}, BadParameter, "the smaller one first"),
        ([], BadParameter, "a mapping from columns to what they must be"),
        ({"city": []}, BadParameter, "has no value that it may be"),
    ],
)
@pytest.mark.parametrize("job", ["histogram", "quantiles"])
def test_a_wrong_condition_is_refused_before_a_row_is_read(job: str, where: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words) as refused:
        planned(job, TABLES["visits"](), where=where)
    assert "Fix: " in str(refused.value)


def test_dates_and_numpy_numbers_are_values_too() -> None:
    frame = pd.DataFrame({"user": [1, 2, 3], "day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-02"])})
    day = frame["day"][1]
    found = [
        hc.plan("total", frame, user="user", epsilon=1, bound=1, where={"day": each}).release(entropy=Fixed(0))
        for each in (day.date(), day.to_numpy().astype("datetime64[D]"), "2024-01-02")
    ]
    assert [release.table["count"].to_pylist() for release in found] == [[2]] * 3


ONE_SIDED: dict[str, tuple[Any, Any, Any]] = {
    "from a number on": ((10, None), lambda x: x >= 10, "x is 10 or more"),
    "up to a number": ((None, 10), lambda x: x <= 10, "x is 10 or less"),
    "a fraction": ((9.5, None), lambda x: x >= 9.5, "x is 9.5 or more"),
}


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "pandas", "polars", "arrow"])
@pytest.mark.parametrize("case", ONE_SIDED)
def test_a_range_may_have_one_end(case: str, kind: str, tmp_path: Any) -> None:
    """That end included; what is no number is in none."""
    ends, inside, words = ONE_SIDED[case]
    numbers = [float(index % 21) for index in range(210)]
    table = pa.table({"user": range(212), "x": pa.array([*numbers, None, float("nan")], from_pandas=False)})
    release = total(of_kind(table, kind, tmp_path), {"x": ends})
    assert release.about.what == f"all events where {words}"
    assert release.table["count"].to_pylist() == [sum(map(inside, numbers))]


def total(data: Any, where: Any) -> hc.Release:
    plan = hc.plan("total", hc.table(data, name="v"), user="user", epsilon=1, bound=1, where=where)
    again = Plan.from_json(plan.to_json())
    assert again.job == plan.job
    assert again.to_json() == plan.to_json()
    return plan.release(entropy=Fixed(0))


@pytest.mark.parametrize("kind", ["parquet", "csv", "pandas", "polars", "arrow"])
def test_a_range_of_dates_may_have_one_end(kind: str, tmp_path: Any) -> None:
    days = pa.array([f"2024-01-{1 + index % 30:02}" for index in range(300)]).cast(pa.date32())
    data = of_kind(pa.table({"user": range(300), "day": days}), kind, tmp_path)
    later, earlier = total(data, {"day": ("2024-01-11", None)}), total(data, {"day": (None, "2024-01-11")})
    assert later.about.what == "all events where day is 2024-01-11 or later"
    assert earlier.about.what == "all events where day is 2024-01-11 or earlier"
    assert [release.table["count"][0].as_py() for release in (later, earlier)] == [200, 110]


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "pandas", "polars", "arrow"])
def test_two_equal_ends_are_one_value(kind: str, tmp_path: Any) -> None:
    numbers = [float(index % 21) for index in range(210)]
    data = of_kind(pa.table({"user": range(210), "x": numbers}), kind, tmp_path)
    release = total(data, {"x": (10, 10)})
    assert release.about.what == "all events where x is 10"
    assert release.table["count"].to_pylist() == [10]
    assert total(data, {"x": (9.5, 9.5)}).table["count"].to_pylist() == [0]


@pytest.mark.parametrize("kind", ["parquet", "csv", "pandas", "polars", "arrow"])
@pytest.mark.parametrize("moments", [False, True])
def test_two_equal_days_are_that_whole_day(kind: str, moments: bool, tmp_path: Any) -> None:
    """Of a column of moments, too: from its first one to its last."""
    texts = ["2024-01-30T23:59:59.999999", *(f"2024-01-31T{time}" for time in ("00:00:00", "12:30:00"))]
    texts += ["2024-01-31T23:59:59.999999", "2024-02-01T00:00:00"]
    days = pa.array(texts).cast(pa.timestamp("us"))
    table = pa.table({"user": range(5), "day": days if moments else days.cast(pa.date32())})
    data = of_kind(table, kind, tmp_path)
    day = total(data, {"day": ("2024-01-31", "2024-01-31")})
    assert day.about.what == "all events where day is 2024-01-31"
    assert day.table["count"].to_pylist() == [3]
    if moments:
        assert total(data, {"day": ("2024-01-31T12:30", "2024-01-31T12:30")}).table["count"].to_pylist() == [1]


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "pandas", "polars", "arrow"])
def test_true_and_false_are_found_however_a_file_spells_them(kind: str, tmp_path: Any) -> None:
    data = of_kind(pa.table({"user": range(9), "paid": [True] * 6 + [False, False, None]}), kind, tmp_path)
    assert total(data, {"paid": True}).table["count"].to_pylist() == [6]
    assert total(data, {"paid": [False]}).table["count"].to_pylist() == [2]
    assert total(data, {"paid": [True, False]}).table["count"].to_pylist() == [8]


def test_true_of_a_column_of_text_is_in_any_capitals_and_a_text_is_that_text(tmp_path: Any) -> None:
    (tmp_path / "v.csv").write_text("user,paid\n1,true\n2,True\n3,TRUE\n4,tRUE\n5,1\n6,yes\n")
    for value, count in ((True, 4), ("true", 1), ("True", 1), (["true", True], 4), (1, 1), ([1, True], 4)):
        assert total(tmp_path / "v.csv", {"paid": value}).table["count"].to_pylist() == [count]


@pytest.mark.parametrize("where", [{"x": (0, 50)}, {"x": (0, None)}, {"x": (None, 50)}], ids=str)
def test_the_rows_of_one_person_do_not_decide_on_others_that_are_no_number(where: Any, tmp_path: Any) -> None:
    """The largest value in a Parquet file is known before its rows are read, and NaN is not among them."""
    for others in ([], [60.0]):
        numbers = [*(float(index % 20) for index in range(200)), *[float("nan")] * 50, *others]
        path = of_kind(pa.table({"user": range(len(numbers)), "x": numbers}), "parquet", tmp_path)
        more = len(others) if where["x"][1] is None else 0
        assert total(path, where).table["count"].to_pylist() == [200 + more]
        plan = hc.plan("histogram", path, user="user", by="x", bins=[0, 10, 50], epsilon=1, bound=1)
        assert plan.release(entropy=Fixed(0)).table["count"].to_pylist() == [100, 100]


def test_infinite_numbers_are_beyond_every_end() -> None:
    table = pa.table({"user": range(4), "x": [float("inf"), float("-inf"), float("nan"), 1.0]})
    for ends, count in (((1, None), 2), ((None, 1), 2), ((0, 1), 1)):
        assert total(table, {"x": ends}).table["count"].to_pylist() == [count]


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        (">10", "where={'x': (10, None)}, end included"),
        (" >= 10", "where={'x': (10, None)}, end included"),
        ("<10", "where={'x': (None, 10)}, end included"),
        (">2024-01-05", "where={'x': ('2024-01-05', None)}, end included"),
        ("=FR", "where={'x': 'FR'}"),
        ("== FR", "where={'x': 'FR'}"),
        ("!=FR", "where={'x': ['first', 'second']}, with all values that it may be"),
        ("<> FR", "where={'x': ['first', 'second']}, with all values that it may be"),
        ("FR AND event=view", "where={'x': 'FR', 'event': 'view'}"),
        ("FR && event == view", "where={'x': 'FR', 'event': 'view'}"),
        ("FR and age > 5", "where={'x': 'FR', 'age': ...}"),
        ("FR OR x=DE", "where={'x': ['FR', 'DE']}, with all values that it may be"),
        ("10..20", "where={'x': (10, 20)}"),
        ("10..", "where={'x': (10, None)}"),
    ],
)
def test_operators_are_refused_before_the_charge(tmp_path: Any, value: str, fix: str) -> None:
    """In a CSV they would be a text that no row has, at the full price; a list means that very text."""
    (tmp_path / "v.csv").write_text("user,x\n1,a\n")
    ledger = hc.Ledger(tmp_path / "v.db", epsilon=1)
    with pytest.raises(BadParameter) as refused:
        hc.total(tmp_path / "v.csv", user="user", epsilon=1, ledger=ledger, where={"x": value})
    assert str(refused.value).endswith(f" Fix: {fix}; or where={{'x': [{value!r}]}} for that very text")
    assert not ledger.spends()
    assert total(tmp_path / "v.csv", {"x": [value]}).about.what == f"all events where x is {value}"


@pytest.mark.parametrize("value", ["Trinidad and Tobago", "R&D", "a=b", "A or B", "...", "1.2.3", "-5", "a <b>"])
def test_other_texts_are_values(value: str) -> None:
    assert hc.plan("total", pa.table({"user": [1], "x": ["a"]}), user="user", epsilon=1, where={"x": value})
