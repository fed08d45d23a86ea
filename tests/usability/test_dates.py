"""Counts per day, month or year, as somebody would ask for them."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from tests.golden.tables import TABLES

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import HeadcountError
from headcount.planner import Plan
from headcount.source.scales.periods import Period, start_of

VISITS = pa.table(
    {
        "user": [1, 1, 2, 2, 3, 3, 4],
        "at": [
            datetime(2023, 12, 31, 23, 59, 59),
            datetime(2024, 1, 1),
            datetime(2024, 1, 31, 10),
            datetime(2024, 2, 1),
            datetime(2024, 2, 29, 23),
            datetime(2024, 12, 31, 23, 59, 59, 999999),
            None,
        ],
        "city": ["Rome", "Rome", "Oslo", "Oslo", "Rome", "Rome", "Rome"],
    }
)
YEAR = ("2024-01-01", "2024-12-31")


def planned(data: Any = VISITS, job: str = "histogram", **arguments: Any) -> Plan:
    bound = {"bound": 100} if job in ("histogram", "shape") else {}
    plan: Plan = hc.plan(
        job, hc.table(data, name="visits"), **{"user": "user", "by": "at", "epsilon": 1, **bound, **arguments}
    )
    return plan


def counted(data: Any = VISITS, **arguments: Any) -> dict[str, int]:
    """Items as text, and counts without noise."""
    table = planned(data, **arguments).release(entropy=Fixed(0)).table
    return dict(zip(table["at"].cast(pa.string()).to_pylist(), table["count"].to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("per", "dates", "counts"),
    [
        ("year", ("2023-06-01", "2024-12-31"), {"2023-01-01": 1, "2024-01-01": 3}),
        ("year", ("2024-01-01", "2024-12-31"), {"2024-01-01": 3}),
        (
            "quarter",
            YEAR,
            {"2024-01-01": 3, "2024-04-01": 0, "2024-07-01": 0, "2024-10-01": 1},
        ),
        ("month", ("2024-01-01", "2024-03-01"), {"2024-01-01": 2, "2024-02-01": 2, "2024-03-01": 0}),
        ("week", ("2024-01-01", "2024-01-31"), dict.fromkeys(["2024-01-08", "2024-01-15", "2024-01-22"], 0)),
        ("day", ("2023-12-31", "2024-01-02"), {"2023-12-31": 1, "2024-01-01": 1, "2024-01-02": 0}),
    ],
)
def test_all_periods_between_public_dates_are_released(
    per: Period, dates: tuple[str, str], counts: dict[str, int]
) -> None:
    found = counted(per=per, dates=dates)
    expected = {"2024-01-01": 1, **counts, "2024-01-29": 1} if per == "week" else counts
    assert found == expected
    assert list(found) == sorted(found)  # by date


def test_hours_are_moments() -> None:
    plan = planned(per="hour", dates=("2024-01-31T09:30", "2024-01-31T11:00"))
    table = plan.release(entropy=Fixed(0)).table
    assert table.schema.field("at").type == pa.timestamp("us")
    assert table["at"].to_pylist() == [datetime(2024, 1, 31, hour) for hour in (9, 10, 11)]
    assert table["count"].to_pylist() == [0, 1, 0]


def test_ends_are_included_and_what_is_beyond_them_does_not_count() -> None:
    """The last day is a whole day, the first month a part of one."""
    assert counted(per="month", dates=("2024-01-02", "2024-01-31")) == {"2024-01-01": 1}
    assert counted(per="month", dates=("2024-01-01", "2024-01-30")) == {"2024-01-01": 1}
    assert counted(per="year", dates=("2024-01-01", "2024-12-31T23:59:59")) == {"2024-01-01": 3}
    assert counted(per="day", dates=("2024-12-31", "2024-12-31")) == {"2024-12-31": 1}


def test_beside_an_unknown_column_too() -> None:
    rows = pa.table(
        {
            "user": range(3000),
            "at": [date(2024, 1 + number % 3, 7) for number in range(3000)],
            "city": ["Rome"] * 3000,
        }
    )
    arguments: dict[str, Any] = {"by": ["city", "at"], "per": {"at": "month"}, "bound": 1}
    everything = planned(rows, **arguments).release(entropy=Fixed(0)).table
    some = planned(rows, **arguments, dates=("2024-02-01", "2024-02-08")).release(entropy=Fixed(0)).table
    assert everything["at"].to_pylist() == [date(2024, month, 1) for month in (1, 2, 3)]
    assert some["at"].to_pylist() == [date(2024, 2, 1)]
    assert not planned(rows, **arguments, dates=("2024-02-01", "2024-02-08")).strategy.pure


def test_dates_make_the_items_known() -> None:
    """Then no delta is needed."""
    assert planned(per="month", dates=YEAR, delta=0).domain is not None
    unknown: list[dict[str, Any]] = [{}, {"by": ["at", "city"], "per": {"at": "month"}, "dates": YEAR}]
    for way in unknown:
        with pytest.raises(HeadcountError, match="items that are not known in advance need a delta above 0"):
            planned(**{"per": "month", **way}, delta=0)
    amount = pa.table({"user": [1], "at": [date(2024, 1, 1)], "age": [30]})
    known = planned(amount, by=["age", "at"], per={"at": "month"}, dates=YEAR, bins={"age": [0, 18, 65]})
    assert known.domain is not None
    assert len(known.domain) == 24
    assert known.release(entropy=Fixed(0)).table.column("age").to_pylist()[-1] == "[18, 65]"


@pytest.mark.parametrize("per", ["hour", "day", "week", "month", "quarter", "year"])
def test_the_engine_cuts_as_the_calendar_does(per: Period) -> None:
    days = [datetime(1968, 12, 25, 13, 5) + timedelta(hours=31 * number) for number in range(2000)]
    table = pa.table({"user": range(len(days)), "at": days})
    found = planned(table, per=per, dates=(days[0], days[-1]), bound=1).release(entropy=Fixed(0)).table
    starts = [start_of(per, day) for day in days]
    counts = pa.table({"at": starts}).group_by("at").aggregate([([], "count_all")]).sort_by("at")
    there = found.filter(pc.greater(found["count"], 0))
    assert there["at"].cast(pa.timestamp("us")).to_pylist() == counts["at"].to_pylist()
    assert there["count"].to_pylist() == counts["count_all"].to_pylist()
    assert all(start.weekday() == 0 for start in starts) == (per == "week")


def text(table: pa.Table) -> pa.Table:
    return table.set_column(1, "at", pc.strftime(table["at"], "%Y-%m-%dT%H:%M:%S"))


SOURCES: dict[str, Any] = {
    "arrow": lambda table, path: table,
    "pandas": lambda table, path: table.to_pandas(),
    "pandas objects": lambda table, path: table.to_pandas().astype({"at": object}),
    "polars": lambda table, path: pl.from_arrow(table),
    "parquet": lambda table, path: pq.write_table(table, path) or path,
    "text in parquet": lambda table, path: pq.write_table(text(table), path) or path,
    "csv": lambda table, path: csv.write_csv(table, path.with_suffix(".csv")) or path.with_suffix(".csv"),
    "jsonl": lambda table, path: (
        text(table).to_pandas().to_json(path.with_suffix(".jsonl"), orient="records", lines=True)
        or path.with_suffix(".jsonl")
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_has_the_same_periods(source: str, tmp_path: Path) -> None:
    data = SOURCES[source](VISITS, tmp_path / "visits.parquet")
    found = planned(data, per="month", dates=YEAR).release(entropy=Fixed(0)).table
    assert found == planned(per="month", dates=YEAR).release(entropy=Fixed(0)).table
    assert found.schema.field("at").type == pa.date32()


def test_one_strange_cell_of_pandas_changes_nothing_for_others() -> None:
    frame = VISITS.to_pandas()
    strange = pd.concat([frame.astype({"at": object}), pd.DataFrame({"user": [9], "at": ["soon"], "city": ["Rome"]})])
    assert counted(strange, per="month", dates=YEAR) == counted(frame, per="month", dates=YEAR)


def test_a_time_zone_is_utc() -> None:
    late = pa.array([datetime(2024, 1, 31, 23, 30, tzinfo=UTC)], pa.timestamp("us", "Asia/Tokyo"))  # there, 1 February
    table = pa.table({"user": [1], "at": late})
    for data in (table, table.to_pandas(), table.to_pandas().astype({"at": object}), pl.from_arrow(table)):
        assert counted(data, per="month", dates=YEAR)["2024-01-01"] == 1
    explained = planned(table, per="month").release(entropy=Fixed(0)).explain()
    assert "in UTC if the column has a time zone" in " ".join(explained.split())


def test_what_is_no_date_is_left_out() -> None:
    texts = ["2024-01-05", "2024-01-05T10:00:00+09:00", "2024-1-5", "5.1.2024", "2024-02-30", "", "soon", None]
    table = pa.table({"user": range(len(texts)), "at": texts})
    assert counted(table, per="month", dates=YEAR)["2024-01-01"] == 3
    assert sum(counted(table, per="month", dates=YEAR).values()) == 3


def test_keys_are_starts_of_periods() -> None:
    for keys in (["2024-01-01", "2024-02-01"], [date(2024, 1, 1), date(2024, 2, 1)], pd.date_range("2024", periods=2)):
        starts = list(keys) if isinstance(keys, list) else [keys[0], datetime(2024, 2, 1)]
        assert counted(per="month", keys=starts) == {"2024-01-01": 2, "2024-02-01": 2}
    hours = planned(per="hour", keys=["2024-01-31T10:00:00", "2024-01-01"]).release(entropy=Fixed(0)).table
    assert hours["count"].to_pylist() == [1, 1]


@pytest.mark.parametrize(
    "dates",
    [
        (date(2024, 1, 1), date(2024, 12, 31)),
        (datetime(2024, 1, 1), datetime(2024, 12, 31)),
        [np.datetime64("2024-01-01"), pd.Timestamp("2024-12-31")],
        {"at": ("2024-01-01T00:00", "2024-12-31")},
    ],
)
def test_two_spellings_of_dates_are_one_request(dates: Any) -> None:
    plan, other = (planned(per="month", dates=each) for each in (YEAR, dates))
    assert plan.charge().request == other.charge().request
    assert Plan.from_json(other.to_json()).job == plan.job


def test_other_periods_and_other_dates_are_other_requests() -> None:
    ways: list[dict[str, Any]] = [{}, {"per": "month"}, {"per": "year"}, {"per": "month", "dates": YEAR}]
    ways += [{"per": "month", "dates": ("2024-01-01", "2024-12-30")}]
    plans = [planned(**way) for way in ways]
    assert len({plan.charge().request for plan in plans}) == len(plans)
    assert [set(plan.job.to_plain()) & {"per", "dates"} for plan in plans[:2]] == [set(), {"per"}]
    assert all(Plan.from_json(plan.to_json()).to_json() == plan.to_json() for plan in plans)


@pytest.mark.parametrize("job", ["histogram", "top", "heavy_hitters", "profile", "shape", "distribution"])
def test_a_release_is_that_of_a_table_with_months(job: str) -> None:
    """What a period does is a map of rows: the same as one that is made beforehand."""
    visits = TABLES["visits"]()
    months = pc.floor_temporal(visits["day"], unit="month").cast(pa.date32())
    mapped = visits.set_column(visits.column_names.index("day"), "day", months)
    listed: dict[str, Any] = {"keys": [date(2024, 1, 1), date(2024, 2, 1)]} if job == "distribution" else {}
    asked: dict[str, Any] = {"user": "person", "by": "day", "epsilon": 4, **listed}
    some, same = (
        planned(data, job, **asked, **per).release(entropy=Fixed(0)).table
        for data, per in ((visits, {"per": "month"}), (mapped, {}))
    )
    assert some == same
    assert len(some)


def test_a_release_says_what_an_item_is() -> None:
    release = planned(per="month", dates=YEAR).release(entropy=Fixed(0))
    assert release.about.what == "people per month"
    assert release.about.steps[0].endswith(
        "Each date of at from 2024-01-01 to 2024-12-31 becomes the start of its month (in UTC if the column has a time "
        "zone). headcount drops all other rows."
    )
    day = planned(VISITS.rename_columns(["user", "day", "city"]), by="day", per="day")
    assert day.what == "people per day"
    assert planned(by=["city", "at"], per={"at": "day"}).what == "people per city and day"
    two = VISITS.append_column("then", VISITS["at"])
    assert (
        planned(two, by=["at", "then"], per={"at": "day", "then": "day"}).what == "people per day of at and day of then"
    )


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"per": {"city": "month"}}, "per: 'city' is not a column of by. Fix: per={'at': \"month\"}"),
        ({"per": "monthly"}, "per='monthly': unknown. Fix: did you mean per=\"month\"? One of hour, day, week, month,"),
        ({"per": 7}, "per=7: unknown. Fix: One of hour, day, week, month, quarter, year"),
        ({"per": {}}, "per={}: of which column?"),
        ({"by": ["at", "city"], "per": "month"}, "per='month': of which column? Fix: per={'at': \"month\"}"),
        ({"by": ["city", "at"], "per": "day"}, "per='day': of which column? Fix: per={'at': \"day\"}"),
        ({"by": ["city", "user2"], "per": "daily"}, "per='daily': of which column? Fix: per={'city': \"month\"}"),
        ({"by": "at", "per": {"city": "week"}}, "per: 'city' is not a column of by. Fix: per={'at': \"week\"}"),
        ({"by": "user2", "per": "day"}, "column 'user2' holds int64: not a date, and per='day' is for dates."),
        ({"by": "height", "per": "day"}, "column 'height' holds float64: not a date, and per='day' is for dates."),
        ({"dates": YEAR}, 'dates: between them lie periods, and per says of what length. Fix: per="month", dates=('),
        ({"per": "day", "dates": ("2024-12-31", "2024-01-01")}, "dates: 2024-12-31 is after 2024-01-01. Fix: dates=("),
        ({"per": "day", "dates": ("2024-01-01", "soon")}, "dates: 'soon' is no date."),
        ({"per": "day", "dates": ("2024-01-01", 5)}, "dates: 5 is no date."),
        ({"per": "day", "dates": ("2024-01-01", "2024-12-31T00:00Z")}, "dates: '2024-12-31T00:00Z' has a time zone."),
        ({"per": "day", "dates": "2024-01-01"}, "dates='2024-01-01': the first and the last date."),
        ({"per": "day", "dates": ["2024-01-01"]}, "dates=['2024-01-01']: the first and the last date."),
        ({"per": "day", "dates": {"city": YEAR}}, "dates: 'city' has no per."),
        (
            {"by": ["at", "then"], "per": {"at": "day", "then": "day"}, "dates": YEAR},
            "dates: of which column? Fix: dates={'at': (",
        ),
        (
            {"per": "hour", "dates": ("1900-01-01", "2024-12-31")},
            "dates: 1,095,744 items to release, at most 1,000,000",
        ),
        (
            {"by": ["at", "then"], "per": {"at": "day", "then": "day"}, "dates": dict.fromkeys(["at", "then"], YEAR)},
            None,
        ),
        (
            {"per": "day", "dates": YEAR, "keys": ["2024-01-01"]},
            "keys and dates of 'at': only one of them. Fix: no keys,",
        ),
        ({"per": "day", "bins": ["2024-01-01", "2024-02-01"]}, "per and bins of 'at': only one of them."),
        (
            {"per": "week", "keys": ["2024-01-03"]},
            "keys: no week starts with 2024-01-03. Fix: keys=['2024-01-01', ...]",
        ),
        ({"per": "month", "keys": ["2024-01"]}, "keys: '2024-01' is no date, and items are."),
        ({"per": "month", "keys": [1]}, "keys: 1 is no date, and items are."),
        ({"per": "day", "where": {"att": 5}}, "there is no column 'att'. Fix: did you mean 'at'?"),
    ],
)
def test_mistakes(asked: dict[str, Any], message: str | None) -> None:
    table = pa.table(
        {"user": [1], "at": [datetime(2024, 1, 1)], "then": [date(2024, 1, 1)], "user2": [1], "height": [1.5]}
    ).append_column("city", pa.array(["Rome"]))
    if message is None:
        assert planned(table, **asked).domain is not None
        return
    with pytest.raises(HeadcountError) as caught:
        planned(table, **asked)
    assert str(caught.value).startswith(message)
    assert "Fix: " in str(caught.value)


def test_jobs_of_unknown_items_have_no_dates() -> None:
    for job in ("top", "heavy_hitters", "profile"):
        with pytest.raises(HeadcountError, match=f"dates: {job} has no such parameter"):
            planned(job=job, per="month", dates=YEAR)


def test_a_distribution_needs_dates() -> None:
    with pytest.raises(HeadcountError, match="dates: those of 'at' are missing"):
        hc.plan("distribution", VISITS, user="user", by="at", per="month", epsilon=1)
