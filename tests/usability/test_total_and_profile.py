"""One total and the profile of people, as somebody would ask for them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import headcount as hc
from headcount import papers
from headcount.audit.choices import Fixed
from headcount.errors import HeadcountError
from headcount.release.views.profile import suggested_bound

VISITS = pa.table(
    {
        "user": [1, 1, 1, 2, 2, 3, None],
        "country": ["FR", "FR", "DE", "FR", None, "ES", "FR"],
        "age": [30, 30, 30, 70, 70, 18, 40],
    }
)


def counted(**asked: Any) -> int:
    """A total whose noise is 0."""
    made = hc.plan("total", VISITS, user="user", epsilon=1, **{"bound": 100, **asked})
    return int(made.release(entropy=Fixed(0)).table["count"][0].as_py())


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("where", "events", "people"),
    [
        (None, 6, 3),
        ({"country": "FR"}, 3, 2),
        ({"country": ["FR", "ES"]}, 4, 3),
        ({"age": (18, 30)}, 4, 2),
        ({"age": 70}, 2, 1),
        ({"country": "FR", "age": (20, 40)}, 2, 1),
        ({"country": "IT"}, 0, 0),
    ],
)
def test_a_total_counts_rows_or_people_that_fulfil_a_condition(
    where: dict[str, Any] | None, events: int, people: int
) -> None:
    assert counted(where=where) == events
    assert counted(where=where, count="users", bound="auto") == people


def test_a_total_is_clipped() -> None:
    assert counted(bound=1) == 3
    assert counted(bound=2) == 5


def test_a_total_tells_its_condition_and_needs_no_delta() -> None:
    release = hc.total(VISITS, user="user", epsilon=1, where={"country": ["FR", "ES"], "age": (18, 65)}, bound=2)
    assert release.about.what == "all events where age is from 18 to 65 and country is ES or FR"
    assert release.cost.delta == 0
    assert release.table.column_names == ["total", "count", "low", "high"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"where": "country"}, "where='country': a mapping from columns to what they must be."),
        ({"where": {}}, "where={}: a mapping from columns to what they must be."),
        ({"where": {"country": []}}, "where: 'country' has no value that it may be."),
        ({"where": {"country": ""}}, "where: 'country' has no value that it may be."),
        ({"where": {"age": (1, 2, 3)}}, "where: 'age' lies between two numbers or dates, the smaller one first (None"),
        ({"where": {"age": (30, 20)}}, "where: 'age' lies between two numbers or dates, the smaller one first (None"),
        ({"where": {"country": ("FR", "DE")}}, "where: 'country' lies between two numbers or dates"),
        ({"where": {"age": "old"}}, "where: column 'age' holds int64, and ['old'] is something else."),
        ({"bound": papers.InverseSensitivity()}, 'bound="inverse-sensitivity" is for a histogram.'),
        ({"debias": hc.PoissonCounts(people=5), "count": "users"}, 'debias="poisson" is for events.'),
        ({"where": {"city": "Paris"}}, "there is no column 'city'."),
        ({"debias": "poisson"}, 'debias="poisson" needs to know how many people there are.'),
        ({"mechanism": "clipped"}, "mechanism: total has no such parameter."),
        ({"by": "country"}, "by: total has no such parameter."),
    ],
)
def test_mistakes_of_a_total(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(HeadcountError) as caught:
        hc.plan("total", VISITS, user="user", epsilon=1, **asked)
    assert str(caught.value).startswith(message)
    assert "Fix: " in str(caught.value)


def poisson(rate: float, people: int) -> pd.DataFrame:
    random = np.random.default_rng(5)
    many = random.poisson(rate, people)
    return pd.DataFrame({"user": np.repeat(np.arange(people), many), "item": random.integers(0, 4, many.sum())})


def test_poisson_counts_are_undone() -> None:
    """Clipped to 1, of 20,000 people with a rate of 1 only 63% are left."""
    data = poisson(1.0, 20_000)
    asked: dict[str, Any] = {"user": "user", "epsilon": 1, "bound": 1}
    ways: list[dict[str, Any]] = [{}, {"debias": hc.PoissonCounts(people=20_000)}]
    clipped, undone = (hc.total(data, **asked, **way).table["count"][0].as_py() for way in ways)
    assert clipped < 0.65 * len(data)
    assert undone == pytest.approx(len(data), rel=0.02)


def test_poisson_for_a_whole_histogram() -> None:
    data = poisson(3.0, 20_000)
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "count": "events", "keys": [0, 1, 2, 3]}
    release = hc.histogram(data, **asked, bound=2, debias=hc.PoissonCounts(people=20_000))
    assert sum(release.table["count"].to_pylist()) == pytest.approx(len(data), rel=0.05)
    assert "as if the counts of the given number of people were Poisson" in " ".join(release.explain().split())


def test_people_who_fulfil_no_condition_are_counted_as_well() -> None:
    """10,000 people, of whom 1,000 have the item once: with a rate of 0.1 each, clipping took little away."""
    data = pa.table({"user": list(range(10_000)), "item": ["a"] * 1000 + ["b"] * 9000})
    release = hc.total(
        data, user="user", epsilon=1, where={"item": "a"}, bound=1, debias=hc.PoissonCounts(people="count")
    )
    assert release.table["count"][0].as_py() == pytest.approx(1054, rel=0.03)
    assert "It also measures how many people there are, with Laplace noise with a standard deviation of 28.3." in (
        " ".join(release.explain().split())
    )


def test_people_can_be_paid_for() -> None:
    data = poisson(8.0, 20_000)  # hardly anybody has none
    release = hc.total(data, user="user", epsilon=1, bound=6, debias=hc.PoissonCounts(people="count"))
    assert release.table["count"][0].as_py() == pytest.approx(len(data), rel=0.05)
    assert len(release.cost.events) == 2


def test_a_ratio_undoes_what_clipping_took_from_known_items() -> None:
    data = poisson(6.0, 20_000)
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "count": "events", "keys": [0, 1, 2, 3]}
    ways: list[Any] = ["auto", "ratio"]
    releases = [hc.histogram(data, **asked, bound=4, debias=way) for way in ways]
    plain, raised = (sum(release.table["count"].to_pylist()) for release in releases)
    assert plain < 0.75 * len(data)
    assert raised == pytest.approx(len(data), rel=0.05)


def test_a_profile_tells_how_much_people_contribute() -> None:
    made = hc.plan("profile", VISITS, user="user", by="country", epsilon=1)
    rows = made.release(entropy=Fixed(0)).table.to_pylist()
    there = {(row["contributes"], row["size"]): row["count"] for row in rows if row["count"]}
    assert there == {("items", "1"): 2, ("items", "2"): 1, ("events", "1"): 2, ("events", "3"): 1}


def test_a_profile_suggests_a_bound_and_costs_what_is_typed(tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=1)
    release = hc.profile(hc.table(hc.example(), name="plays"), user="user", by="song", epsilon=0.1, ledger=ledger)
    assert float(ledger.spent.epsilon) == 0.1
    suggested = suggested_bound(release.table, release.about, "items")
    assert 12 <= suggested <= 31
    assert f"suggested: bound={suggested}; 95% of people have at most {suggested} items" in release.summary()
    sizes = release.table["size"].to_pylist()
    assert sizes[:7] == ["1", "2", "3", "4 to 5", "6 to 7", "8 to 11", "12 to 15"]
    release.plot(tmp_path / "profile.png")
    release.report(tmp_path / "profile.html")


@pytest.mark.parametrize("job", ["total", "profile"])
def test_plans_survive_text(job: Any) -> None:
    asked: dict[str, Any] = (
        {"where": {"age": (18, 65)}, "debias": hc.PoissonCounts(people="count")}
        if job == "total"
        else {"by": "country"}
    )
    made = hc.plan(job, VISITS, user="user", epsilon=1, **asked)
    again = hc.Plan.from_json(made.to_json())
    assert again == made
    assert again.release(VISITS).about.what == made.what
