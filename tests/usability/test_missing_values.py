"""A value that is missing belongs to a metric: as in SQL, `people` and `events` count all rows of a group, and whatever
is about a column counts the rows with a number there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headcount as hc
from headcount.audit.choices import Fixed

ABOUT_PRICE = ["people(price)", "events(price)", "sum(price)", "mean(price)", "mean(price) per person", "median(price)"]
LARGE = {"people": 3, "events": 40, "people(price)": 3, "events(price)": 40, "mean(price)": 9_000}
"""More than anybody has."""


def released(data: Any, metrics: list[str], **more: Any) -> pd.DataFrame:
    """A release whose noise is 0, with bounds that nobody is above, by region."""
    bound = {metric: LARGE[metric] for metric in metrics if metric in LARGE}
    ranges = {"range": (0, 100)} if "median(price)" in metrics else {}
    asked = {"user": "user", "by": "region", "epsilon": 50, "bound": bound, **ranges, **more}
    made = hc.plan("aggregate", data, metrics=metrics, **asked).release(entropy=Fixed(0))
    return made.to_pandas().set_index("region").sort_index()


def half_priced() -> pd.DataFrame:
    """Every other row has a price: 9,950 rows in the north, of which 4,950 have one."""
    rows = np.arange(19_900)
    price = np.where(rows // 2 % 199 < 99, 10.0 + rows % 20, np.nan)
    return pd.DataFrame({"user": rows // 10, "region": np.where(rows % 2, "south", "north"), "price": price})


def in_sql(data: pd.DataFrame) -> pd.DataFrame:
    """What a database says of all metrics."""
    query = """select region, count(distinct "user") as "people", count(*) as "events",
      count(distinct case when price is not null then "user" end) as "people(price)", count(price) as "events(price)",
      sum(price) as "sum(price)", avg(price) as "mean(price)",
      sum(price) / count(distinct case when price is not null then "user" end) as "mean(price) per person",
      median(price) as "median(price)" from data group by region order by region"""
    assert len(data)
    return duckdb.sql(query).df().set_index("region")


READERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda data, folder: data,
    "arrow": lambda data, folder: pa.Table.from_pandas(data, preserve_index=False),
    "polars": lambda data, folder: pl.from_pandas(data),
    "polars, NaN": lambda data, folder: pl.from_pandas(data, nan_to_null=False),
    "ibis": lambda data, folder: ibis.duckdb.connect().read_parquet(
        _written(data.to_parquet, folder / "orders.parquet")
    ),
    "parquet": lambda data, folder: _written(data.to_parquet, folder / "orders.parquet"),
    "csv": lambda data, folder: _written(lambda path: data.to_csv(path, index=False, na_rep="n/a"), folder / "o.csv"),
    "json lines": lambda data, folder: _written(
        lambda path: data.to_json(path, orient="records", lines=True), folder / "orders.jsonl"
    ),
}


def _written(write: Callable[[Path], Any], path: Path) -> str:
    write(path)
    return str(path)


@pytest.mark.every_case
@pytest.mark.parametrize("keys", [None, ["north", "south"]], ids=["found", "known"])
@pytest.mark.parametrize("reader", READERS)
def test_metrics_are_those_of_sql(reader: str, keys: list[str] | None, tmp_path: Path) -> None:
    data = half_priced()
    metrics, wanted = ["people", "events", *ABOUT_PRICE], in_sql(data)
    found = released(READERS[reader](data, tmp_path), metrics, keys=keys)
    for metric in metrics[:-1]:
        assert found[metric].to_numpy() == pytest.approx(wanted[metric].to_numpy(), rel=0.002), metric
    assert np.abs(found["median(price)"] - wanted["median(price)"]).max() < 1.5


def test_a_mean_does_not_change_what_other_metrics_count() -> None:
    """The number of rows was 4,950 instead of 9,950, once the mean of a column was released that half of them have."""
    data = half_priced()
    alone = released(data, ["people", "events"])
    beside = released(data, ["people", "events", "mean(price)"])
    assert (alone["events"] == 9_950).all()
    for metric in ("people", "events"):
        assert beside[metric].tolist() == alone[metric].tolist()
    assert released(data, ["events(price)"])["events(price)"].tolist() == pytest.approx([4_950, 4_950], rel=0.001)


def test_people_of_a_log_with_amounts_on_purchases_only() -> None:
    """3,369 people visit, 1,009 of them buy something."""
    visits = pd.DataFrame({"user": np.arange(3_369), "region": "US", "price": None})
    bought = pd.DataFrame({"user": np.arange(1_009), "region": "US", "price": 20.0})
    log = pd.concat([visits, bought]).astype({"price": "float64"})
    found = released(log, ["people", "share", "people(price)", "sum(price)"]).loc["US"]
    assert found["people"] == 3_369
    assert found["share"] == pytest.approx(1, abs=0.01)
    assert found["people(price)"] == 1_009
    assert found["sum(price)"] == pytest.approx(20_180, rel=0.02)


def test_two_columns_that_are_never_filled_in_the_same_row() -> None:
    rows = np.arange(4_000)
    paid = np.where(rows % 2, 30.0, np.nan)
    minutes = np.where(rows % 2, np.nan, 7.0)
    table = pd.DataFrame({"user": rows // 4, "region": "north", "price": paid, "minutes": minutes})
    found = released(table, ["events", "mean(price)", "mean(minutes)", "events(price)"]).loc["north"]
    assert found["events"] == pytest.approx(4_000, abs=4)
    assert found["events(price)"] == pytest.approx(2_000, abs=4)
    assert found["mean(price)"] == pytest.approx(30, rel=0.01)
    assert found["mean(minutes)"] == pytest.approx(7, rel=0.01)


@pytest.mark.parametrize("keys", [None, ["north", "south"]], ids=["found", "known"])
def test_a_group_without_any_value_is_there_with_nothing_of_the_column(keys: list[str] | None) -> None:
    rows = np.arange(6_000)
    region = np.where(rows % 2, "south", "north")
    data = pd.DataFrame({"user": rows, "region": region, "price": np.where(rows % 2, 12.0, np.nan)})
    found = released(data, ["people", "people(price)", "events(price)", "sum(price)"], keys=keys)
    assert found["people"].tolist() == pytest.approx([3_000, 3_000], abs=2)
    assert found["people(price)"].tolist() == pytest.approx([0, 3_000], abs=2)
    assert found["events(price)"].tolist() == pytest.approx([0, 3_000], abs=2)
    assert found["people(price)_low"].tolist()[0] == 0
    assert found["sum(price)"].tolist() == pytest.approx([0, 36_000], abs=200)


def test_sums_of_a_histogram_and_of_all_rows() -> None:
    """A sum is that of the rows with an amount; its groups are found by everybody in them."""
    rows = np.arange(6_000)
    data = pd.DataFrame({"user": rows, "region": np.where(rows % 2, "south", "north"), "price": 5.0})
    data.loc[data["region"] == "north", "price"] = np.nan
    sums = hc.plan("histogram", data, user="user", by="region", sum="price", epsilon=50, bound=20)
    found = sums.release(entropy=Fixed(0)).to_pandas().set_index("region").sort_index()
    assert found["sum"].tolist() == pytest.approx([0, 15_000], abs=100)
    total = hc.plan("total", data, user="user", sum="price", epsilon=50, bound=20).release(entropy=Fixed(0))
    assert total["sum"].to_pylist() == pytest.approx([15_000], rel=0.001)


def test_nobody_has_a_value() -> None:
    """Nothing fails after the charge, whatever noise is drawn, and all values are finite."""
    rows = np.arange(3_000)
    data = pa.table({"user": rows, "region": rows % 3, "price": pa.nulls(3_000, pa.float64())})
    for keys in (None, [0, 1, 2]):
        made = hc.aggregate(
            data, user="user", by="region", keys=keys, epsilon=2, metrics=["people", *ABOUT_PRICE], range=(0, 100)
        ).to_pandas()
        assert len(made) == 3
        assert np.isfinite(made.astype(float)).all().all()
        assert (np.abs(made["people"] - 1_000) < 300).all()
