"""Simulations on data that are not secret: ways side by side, compared with the truth, and marked as NOT PRIVATE."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.errors import BadParameter, UnknownColumn
from headcount.simulation.scores import scores, standard_error
from headcount.simulation.truth import TrueValues, truth_of

PEOPLE = 400
ROWS = [(person, f"item {index}", 10.0 * index, person % 2) for person in range(PEOPLE) for index in range(1, 4)]
TWICE = [(person, "item 1", 50.0, 0) for person in range(100)]
COLUMNS = ("user", "item", "price", "side")
TABLE = pa.table({name: [row[index] for row in ROWS + TWICE] for index, name in enumerate(COLUMNS)})
ITEM: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1}


def true_values(job: str, name: str, **arguments: Any) -> dict[tuple[Any, ...], float]:
    return truth_of(hc.plan(job, TABLE, **arguments))[name].by_item


def per_item(*values: float) -> dict[tuple[Any, ...], float]:
    return {(f"item {index}",): value for index, value in enumerate(values, 1)}


def test_the_truth_of_counts() -> None:
    assert true_values("histogram", "count", **ITEM) == per_item(400, 400, 400)
    assert true_values("histogram", "count", **ITEM, count="events") == per_item(500, 400, 400)
    assert true_values("histogram", "count", **ITEM, where={"side": 1}) == per_item(200, 200, 200)
    assert true_values("histogram", "count", **ITEM, keys=["item 2", "item 9"]) == {("item 2",): 400}
    assert true_values("top", "count", **ITEM, k=2) == per_item(400, 400, 400)
    assert true_values("heavy_hitters", "count", **ITEM) == per_item(400, 400, 400)


@pytest.mark.parametrize("mechanism", ["auto", "count-release"])
def test_the_truth_of_sums(mechanism: str) -> None:
    bound = {"bound": 30} if mechanism == "count-release" else {}
    found = true_values("histogram", "sum", **ITEM, sum="price", mechanism=mechanism, **bound)
    assert found == per_item(9000, 8000, 12000)


def test_the_truth_of_bins_and_periods_has_their_labels() -> None:
    binned = true_values("histogram", "count", user="user", by="price", bins=[0, 15, 100], epsilon=1)
    released = hc.histogram(TABLE, user="user", by="price", bins=[0, 15, 100], epsilon=1)
    assert sorted(binned.values()) == [400, 400]
    assert set(binned) == {(label,) for label in released["price"].to_pylist()}
    days = pa.table({"user": [1, 2, 3], "day": [date(2024, 1, 5), date(2024, 1, 9), date(2024, 2, 1)]})
    truth = truth_of(hc.plan("histogram", days, user="user", by="day", per="month", epsilon=1))["count"]
    assert sorted(truth.by_item.values()) == [1, 2]
    assert all(str(month).startswith("2024-0") for (month,) in truth.by_item)


def test_the_truth_of_groups() -> None:
    metrics = ["people", "events", "share", "sum(price)", "mean(price)", "mean(price) per person", "median(price)"]
    truth = truth_of(hc.plan("aggregate", TABLE, **ITEM, metrics=metrics, range={"price": (0, 100)}))
    first = {name: truth[name].by_item["item 1",] for name in metrics}
    assert list(first.values()) == [400, 500, 1.0, 9000, 18, 22.5, 10]
    assert [name for name in metrics if truth[name].additive] == metrics[:4]


def test_the_truth_of_groups_with_rows_without_an_amount() -> None:
    rows = [(1, "a", 4.0), (1, "a", None), (2, "a", None), (3, "b", None)]
    table = pa.table({name: [row[index] for row in rows] for index, name in enumerate(COLUMNS[:3])})
    metrics = ["people", "events", "people(price)", "events(price)", "sum(price)", "mean(price)", "median(price)"]
    truth = truth_of(hc.plan("aggregate", table, **ITEM, metrics=metrics, range={"price": (0, 100)}))
    assert [truth[name].by_item["a",] for name in metrics] == [2, 3, 1, 1, 4, 4, 4]
    assert [truth[name].by_item.get(("b",)) for name in metrics] == [1, 1, 0, 0, 0, None, None]
    assert [name for name in metrics if truth[name].additive] == metrics[:5]


def test_the_truth_of_totals_and_quantiles() -> None:
    assert true_values("total", "count", user="user", epsilon=1) == {("events",): 1300}
    assert true_values("total", "count", user="user", epsilon=1, count="users") == {("people",): 400}
    assert true_values("total", "sum", user="user", epsilon=1, sum="price") == {("price",): 29000}
    numbers: dict[str, Any] = {"user": "user", "value": "price", "q": [0.1, 0.5, 0.9], "range": (0, 25), "epsilon": 1}
    assert true_values("quantiles", "value", **numbers) == {(0.1,): 10, (0.5,): 20, (0.9,): 25}
    once = true_values("quantiles", "value", **numbers, bound=1, mechanism="sample-threshold")
    assert once == {(0.1,): 10, (0.5,): 20, (0.9,): 25}


def test_scores_tell_right_from_wrong() -> None:
    release = hc.histogram(TABLE, **ITEM, keys=["item 1", "item 2"], bound=2)
    true = dict(zip(((item,) for item in release["item"].to_pylist()), release["count"].to_pylist(), strict=True))
    right = scores(release, {"count": TrueValues(true)})["count"]
    assert (right.l1, right.relative.max(), right.covered.min()) == (0, 0, 1)
    wrong = {item: 10 * value for item, value in true.items()} | {("item 9",): 7.0}
    score = scores(release, {"count": TrueValues(wrong)})["count"]
    assert score.l1 == 9 * sum(true.values()) + 7
    assert score.relative == pytest.approx(0.9)
    assert score.covered.max() == 0


def test_lists_are_compared_with_each_other() -> None:
    found = hc.simulate(
        "histogram", TABLE, user="user", by="item", epsilon=[0.5, 2], bound=[1, "auto"], keys=["item 1"], runs=2
    )
    assert found.table.select(["epsilon", "bound"]).to_pylist() == [
        {"epsilon": epsilon, "bound": bound} for epsilon in (0.5, 2) for bound in ("1", "auto")
    ]
    assert found.table["items"].to_pylist() == [1] * 4
    assert found.table["shown"].to_pylist() == [1] * 4
    assert set(found.to_pandas()["measure"]) == {"count"}


def test_the_standard_error_is_that_of_releases() -> None:
    """Intervals that all miss together in half of the releases are as good as one coin for each release."""
    miss, hold = np.zeros(50), np.ones(50)
    assert standard_error([miss, hold] * 8) == pytest.approx(0.5 / 15**0.5)
    assert standard_error([hold] * 4) == 0
    assert standard_error([hold]) is None
    found = hc.simulate("histogram", TABLE, **ITEM, mechanism=("auto", "rounds"), runs=2)
    assert found.table["mechanism"].to_pylist() == ["auto", "rounds"]
    assert found.table.column_names[-3:] == ["coverage", "standard_error", "intervals_for"]


def test_ways_change_several_parameters_at_once() -> None:
    ways: list[dict[str, Any]] = [
        {"by": "item", "keys": ["item 1"]},
        {"by": ["item", "side"], "keys": [("item 1", 0), ("item 1", 1)]},
    ]
    found = hc.simulate("histogram", TABLE, user="user", epsilon=1, bound=3, runs=1, ways=ways)
    assert found.table["shown"].to_pylist() == [1, 2]
    assert found.table["by"].to_pylist() == ["item", "['item', 'side']"]
    total = hc.simulate("total", TABLE, user="user", epsilon=1, runs=1, ways=[{"count": "users"}, {}])
    assert total.table["count"].to_pylist() == ["users", "default"]


def test_every_metric_has_a_row_and_items_without_counts_have_no_error() -> None:
    groups = hc.simulate("aggregate", TABLE, **ITEM, metrics=["people", "mean(price)"], runs=1)
    assert groups.table["measure"].to_pylist() == ["people", "mean(price)"]
    ranks = hc.simulate("top", TABLE, **ITEM, k=2, count="none", runs=1)
    assert ranks.table.select(["measure", "median_error", "coverage"]).to_pylist() == [
        {"measure": "rank", "median_error": None, "coverage": None}
    ]
    assert " - " in str(ranks)


def test_it_says_that_it_is_not_private(tmp_path: Path) -> None:
    found = hc.simulate("histogram", TABLE, user="user", by="item", keys=["item 1"], epsilon=[1, 2], runs=1)
    for shown in (str(found), repr(found), found._repr_html_(), found.plot()._suptitle.get_text()):  # type: ignore[attr-defined]
        assert "NOT PRIVATE" in shown
        assert "DO NOT RUN THIS ON SECRET DATA" in shown
    found.plot(tmp_path / "ways.svg")
    assert "coverage of the truth" in (tmp_path / "ways.svg").read_text()
    assert "NOT PRIVATE" in (hc.simulate.__doc__ or "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"job": "shape"}, "no truth to compare with"),
        ({"job": "nonsense"}, "no truth to compare with"),
        ({"job": TABLE, "data": "histogram"}, "the name of the job comes first"),
        ({"ways": 5}, "a list of mappings"),
        ({"ledger": "plays.db"}, "charged to no ledger"),
        ({"runs": 0}, "runs=0"),
        ({"runs": 10**6}, "at most 10,000"),
        ({"epsilon": []}, "0 ways to compare"),
        ({"epsilon": list(range(1, 200))}, "199 ways"),
        ({"ways": {"by": "item"}}, "a list of mappings"),
        ({"ways": [{"epsilon": 2}]}, "given both in ways and outside of them"),
        ({"mechanism": ["auto", "best"]}, "best"),
        ({"epsilonn": 2}, "no such parameter"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadParameter, match=message) as refused:
        hc.simulate(**{"job": "histogram", "data": TABLE, **ITEM, **arguments})
    assert "Fix: " in str(refused.value)


def test_a_missing_column_is_refused() -> None:
    with pytest.raises(UnknownColumn):
        hc.simulate("histogram", TABLE, user="user", by="itme", epsilon=[1, 2])
