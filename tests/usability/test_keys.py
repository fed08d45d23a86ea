"""Known values of each column, as somebody would list them: these countries, these days, these ages."""

from collections.abc import Mapping
from datetime import date, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import HeadcountError
from headcount.planner import Plan

VISITS = pa.table(
    {
        "user": [1, 1, 2, 3, 3, 4],
        "country": ["FR", "DE", "FR", "FR", "IT", "DE"],
        "device": ["app", "web", "web", "web", "web", "tv"],
        "at": [datetime(2024, 1, day, 12) for day in (1, 2, 2, 2, 1, 9)],
        "age": [30, 30, 70, 15, 15, 30],
    }
)
DAYS: dict[str, Any] = {"by": ["country", "at"], "per": {"at": "day"}, "dates": ("2024-01-01", "2024-01-02")}
DEVICES: dict[str, Any] = {"by": ["country", "device"], "keys": {"country": ["FR", "DE"], "device": ["web", "app"]}}


def planned(job: str = "histogram", data: Any = VISITS, **asked: Any) -> Plan:
    plan: Plan = hc.plan(job, hc.table(data, name="visits"), **{"user": "user", "epsilon": 1, **asked})
    return plan


def counted(**asked: Any) -> dict[tuple[str, ...], int]:
    """Items as text, and counts without noise."""
    table = planned(bound=100, **asked).release(entropy=Fixed(0)).table
    parts = (table[name].cast(pa.string()).to_pylist() for name in asked["by"])
    return dict(zip(zip(*parts, strict=True), table["count"].to_pylist(), strict=True))


def test_countries_and_days() -> None:
    expected = {
        ("FR", "2024-01-01"): 1,
        ("DE", "2024-01-01"): 0,
        ("FR", "2024-01-02"): 2,
        ("DE", "2024-01-02"): 1,
    }
    assert counted(**DAYS, keys={"country": ["FR", "DE"]}) == expected
    assert counted(**DAYS, keys=["FR", "DE"]) == expected  # the only column that has no dates
    assert counted(**{**DAYS, "dates": {"at": DAYS["dates"]}}, keys={"country": pd.Series(["FR", "DE"])}) == expected
    starts = [date(2024, 1, 1), datetime(2024, 1, 2)]
    assert counted(**{**DAYS, "dates": None}, keys={"at": starts, "country": ["FR", "DE"]}) == expected


def test_values_of_all_columns_are_their_combinations() -> None:
    found = counted(**DEVICES)
    assert found == {("FR", "app"): 1, ("FR", "web"): 2, ("DE", "app"): 0, ("DE", "web"): 1}
    assert found == counted(by=DEVICES["by"], keys=list(product(["FR", "DE"], ["web", "app"])))
    one = planned(by="country", keys={"country": ["FR", "DE"]})
    assert one.to_json() == planned(by="country", keys=["FR", "DE"]).to_json()


def test_values_and_bins() -> None:
    found = counted(by=["age", "country"], keys={"country": ["FR"]}, bins={"age": [0, 20, 100]})
    assert found == {("[0, 20)", "FR"): 1, ("[20, 100]", "FR"): 2}


def test_some_items_with_every_day() -> None:
    """Items of two columns that are not all combinations, with the days of a third."""
    asked: dict[str, Any] = {**DAYS, "by": ["country", "at", "device"], "keys": [("FR", "app"), ("DE", "web")]}
    assert set(counted(**asked)) == {
        (country, day, device) for country, device in asked["keys"] for day in ("2024-01-01", "2024-01-02")
    }


def test_numbers_of_a_column_of_text_come_back_as_numbers() -> None:
    table = VISITS.set_column(4, "age", VISITS["age"].cast(pa.string()))
    plan = planned(data=table, by=["age", "at"], per={"at": "day"}, dates=DAYS["dates"], keys={"age": [15, 30]})
    assert plan.release().table["age"].type == pa.int64()


@pytest.mark.parametrize(
    ("job", "more"),
    [
        ("histogram", {}),
        ("histogram", {"count": "events"}),
        ("histogram", {"sum": "age"}),
        ("aggregate", {"metrics": ["people", "mean(age)"]}),
        ("distribution", {}),
        ("shape", {"mechanism": "buckets"}),
    ],
)
@pytest.mark.parametrize("asked", [{**DAYS, "keys": {"country": ["FR", "DE"]}}, DEVICES], ids=["days", "devices"])
def test_every_job_with_keys_takes_them_by_column(job: str, more: dict[str, Any], asked: dict[str, Any]) -> None:
    plan = planned(job, **asked, **more)
    assert plan.domain is not None
    assert plan.domain.num_rows == 4
    assert Plan.from_json(plan.to_json()) == plan
    if job != "shape":
        assert plan.release().table.num_rows == 4


@pytest.mark.parametrize(
    ("asked", "again"),
    [
        ({**DAYS, "keys": {"country": ["FR", "DE"]}}, {"country": ["DE", "FR"]}),
        ({**DAYS, "keys": {"country": ["FR", "DE"]}}, ["DE", "FR"]),
        (DEVICES, {"device": ["app", "web"], "country": ["DE", "FR"]}),
        (DEVICES, list(product(["DE", "FR"], ["app", "web"]))),
    ],
)
def test_keys_written_in_another_way_are_the_same_request(asked: dict[str, Any], again: Any, tmp_path: Path) -> None:
    """To a ledger; and the noise of a retry falls on the same items."""
    first, second = planned(**asked), planned(**{**asked, "keys": again})
    assert first.charge().request == second.charge().request
    assert first.domain is not None
    assert first.domain.equals(second.domain)
    ledger = hc.Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)
    assert first.release(ledger=ledger).table == second.release(ledger=ledger).table
    assert ledger.spent.epsilon == 1


def test_other_keys_are_another_request() -> None:
    requests = {
        planned(**DAYS, keys=keys).charge().request for keys in ({"country": ["FR"]}, {"country": ["DE"]}, ["IT"])
    }
    assert len(requests) == 3


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {**DAYS, "dates": None, "keys": {"country": ["FR", "DE", "IT"]}},
            "keys: those of 'at' are missing, and an item is known only if every part is. Fix: dates={'at': "
            "(\"2024-01-01\", \"2024-12-31\")}, or keys; if they are not known, where={'country': ['FR', 'DE', ...]} "
            "instead of keys",
        ),
        (
            {"by": ["country", "device"], "keys": {"device": ["web"]}},
            "keys: those of 'country' are missing, and an item is known only if every part is. Fix: keys of 'country' "
            "as well, or bins, or per and dates; if they are not known, where={'device': ['web']} instead of keys",
        ),
        (
            {**DAYS, "keys": {"at": ["2024-01-01"]}},
            "keys and bins or dates of 'at': only one of them. Fix: no keys of at",
        ),
        (
            {**DAYS, "keys": [("FR", "2024-01-01")]},
            "keys and dates of 'at': only one of them. Fix: keys={'country': [\"apple\", \"pear\"]}, or no dates",
        ),
        (
            {"by": ["country", "age"], "bins": {"age": [0, 20, 100]}, "keys": [("FR", 15)]},
            "keys and bins of 'age': only one of them. Fix: keys={'country': [\"apple\", \"pear\"]}, or no bins",
        ),
        (
            {"by": "country", "keys": {"contry": ["FR"]}},
            "keys: 'contry' is not a column of by. Fix: keys={'country': [\"apple\", \"pear\"]}",
        ),
        ({"by": "country", "keys": {}}, 'keys={}: of which column? Fix: keys={\'country\': ["apple", "pear"]}, or'),
        (
            {**DAYS, "keys": {"country": []}},
            "keys: no value of 'country'. Fix: keys={'country': [\"apple\", \"pear\"]}",
        ),
        (
            {**DAYS, "keys": {"country": "FR"}},
            "keys='FR': a list of items. Fix: keys={'country': [\"apple\", \"pear\"]}",
        ),
        ({**DAYS, "keys": {"country": ["FR", "DE", "FR"]}}, "keys: 'FR' is listed twice. Fix: each item once"),
        (
            {"by": ["country", "age"], "keys": {"country": range(2_000), "age": range(1_000)}},
            "keys: 2,000,000 items to release, at most 1,000,000. Fix: fewer keys",
        ),
        (
            {**DAYS, "dates": ("2000-01-01", "2099-12-31"), "keys": {"country": range(100)}},
            "dates: 3,652,500 items to release, at most 1,000,000. Fix: fewer dates, or longer periods",
        ),
        (
            {"by": ["country", "age"], "bins": {"age": range(2_001)}, "keys": range(1_000)},
            "bins: 2,000,000 items to release, at most 1,000,000. Fix: fewer bins, or keys",
        ),
    ],
)
def test_mistakes(asked: Mapping[str, Any], message: str) -> None:
    with pytest.raises(HeadcountError) as caught:
        planned(**asked)
    assert str(caught.value).startswith(message)


def test_a_distribution_says_which_column_is_missing() -> None:
    with pytest.raises(HeadcountError, match="keys: those of 'country' are missing"):
        planned("distribution", **DAYS)
