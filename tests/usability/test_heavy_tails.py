"""Totals of amounts of which a few people have most: values, intervals, and what a release says of them."""

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.effort import seeds

import headcount as hc
from headcount.exact import Floats
from headcount.noise.entropy import KeyedEntropy

RANDOM = np.random.default_rng(11)
TABLES = {
    "Pareto": 10 * (1 + RANDOM.pareto(1.4, 4_000)),
    "log-normal": RANDOM.lognormal(3, 1.75, 4_000),
    "a few with far more": RANDOM.lognormal(3, 0.7, 5_000) * np.where(np.arange(5_000) < 100, 60.0, 1.0),
}
LIGHT = RANDOM.gamma(4, 10, 20_000)
SEEDS = 6


@cache
def plan(name: str) -> hc.Plan:
    return hc.plan("total", _table(TABLES[name]), user="user", sum="x", epsilon=1)


def _table(amounts: Floats) -> pa.Table:
    return pa.table({"user": np.arange(len(amounts)), "x": amounts})


def released(of: hc.Plan, seed: int) -> hc.Release:
    return of.release(entropy=KeyedEntropy(bytes([seed + 1]) * 32))


@pytest.mark.parametrize("name", TABLES)
def test_intervals_hold_and_values_are_near(name: str) -> None:
    """Of six releases with fixed noise, at most one interval misses; values are off by a fifth at most on average,
    where a bound that is chosen by what is seen alone was off by a quarter to a half."""
    true = float(TABLES[name].sum())
    rows = [released(plan(name), seed).table.to_pylist()[0] for seed in range(SEEDS)]
    assert sum(row["low"] <= true <= row["high"] for row in rows) >= SEEDS - 1
    assert np.mean([abs(row["sum"] - true) for row in rows]) < 0.2 * true
    assert all(row["low"] <= row["sum"] <= row["high"] for row in rows)


def test_a_release_says_by_how_much_it_may_be_too_small() -> None:
    """In its second line, in the field, and in what is unseen; and its intervals are not plainly for the truth."""
    for seed in seeds(SEEDS):
        release = released(plan("Pareto"), seed)
        (row,) = release.table.to_pylist()
        part = release.about.too_small["sum"]
        assert row["high"] / row["sum"] - 1 == pytest.approx(part, abs=0.1)
        assert release.about.estimand == "modelled"
        assert f"it may be too small by up to {round(100 * part)}%" in " ".join(release.summary().split())
        assert release.about.interval in release.about.steps
        assert "By that estimate, sum is too small by at most" in release.unseen


def test_amounts_without_a_tail_are_for_the_truth() -> None:
    of = hc.plan("total", _table(LIGHT), user="user", sum="x", epsilon=1)
    for seed in seeds(SEEDS):
        release = released(of, seed)
        assert (release.about.estimand, release.about.tail) == ("true", "")
        assert release.table.to_pylist()[0]["sum"] == pytest.approx(LIGHT.sum(), rel=0.01)


@pytest.mark.parametrize("amount", [1.0, 10.0])
def test_everybody_has_the_same_amount(amount: float) -> None:
    """A fee that all pay: wherever the bound is, what it cuts is measured, and contradicts that people are spread."""
    of = hc.plan("total", _table(np.full(2_000, amount)), user="user", sum="x", epsilon=1)
    rows = [released(of, seed).table.to_pylist()[0] for seed in range(SEEDS)]
    true = 2_000 * amount
    assert sum(row["low"] <= true <= row["high"] for row in rows) >= SEEDS - 1
    assert np.median([abs(row["sum"] - true) for row in rows]) < 0.02 * true


def test_equal_noise_gives_equal_bytes() -> None:
    """Also of what is computed from draws of its own."""
    first, second = (released(plan("log-normal"), 3) for _ in range(2))
    assert first.table.equals(second.table)
    assert first.about == second.about


def test_a_bound_that_is_given_stays_as_it_is() -> None:
    release = hc.total(_table(TABLES["Pareto"]), user="user", sum="x", bound=200, epsilon=1)
    assert (release.about.estimand, release.about.tail) == ("bounded", "")


def test_a_bound_that_is_given_means_the_same_for_two_groups_and_for_four() -> None:
    """It is one on the root of the sum of squares: nobody with 3,000 in each of two groups is above 5,000."""
    people = np.repeat(np.arange(500), 2)
    table = pa.table({"user": people, "group": ["a", "b"] * 500, "x": np.full(1_000, 3_000.0)})
    asked: dict[str, Any] = {"user": "user", "by": "group", "sum": "x", "bound": 5_000, "epsilon": 50}
    for keys in (["a", "b"], ["a", "b", "c", "d"]):
        release = hc.histogram(table, keys=keys, **asked)
        assert release.table["sum"][0].as_py() == pytest.approx(1_500_000, rel=0.01)
