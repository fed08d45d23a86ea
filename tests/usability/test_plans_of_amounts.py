"""A plan says what becomes of a few people who have far more than all others, and its expected error is that of noise:
near what happens to a light table, and less than what happens to a heavy one, whose release says so. The noise is the
same each time."""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.test_commands import headcount

import headcount as hc
from headcount.noise import KeyedEntropy

PEOPLE, GROUPS, RELEASES = 1_000, 10, 6
FACTOR = 2.5
"""The realised error of a light table is within this factor of the expected one."""
random = np.random.default_rng(1)
AMOUNTS = {"light": random.uniform(5, 9, PEOPLE), "heavy": (1 - random.random(PEOPLE)) ** (-1 / 1.2)}
ADDED, EXCESS = (
    "estimates how much they have above that, and adds it to the values. If that may be wrong",
    "is not counted",
)


def table(name: str) -> pa.Table:
    """Everybody in all groups, with one amount."""
    people, groups = np.repeat(np.arange(PEOPLE), GROUPS), np.tile(np.arange(GROUPS), PEOPLE)
    return pa.table({"user": people, "group": groups, "x": np.repeat(AMOUNTS[name], GROUPS)})


def plan(name: str, **asked: Any) -> hc.Plan:
    question = {"by": "group", "keys": list(range(GROUPS)), "metrics": "sum(x)", **asked}
    return hc.plan("aggregate", hc.table(table(name), name="orders"), user="user", epsilon=1, **question)


def plain(text: object) -> str:
    return " ".join(str(text).split())


def realised(name: str) -> tuple[float, list[hc.Release]]:
    """The error that 19 of 20 values do not exceed, relative to the truth, and the releases."""
    releases = [plan(name).release(entropy=KeyedEntropy(bytes([seed]) * 32)) for seed in range(1, RELEASES + 1)]
    true = AMOUNTS[name].sum()
    errors = [np.abs(release.table["sum(x)"].to_numpy() - true) / true for release in releases]
    return float(np.quantile(errors, 0.95)), releases


def expected(name: str) -> float:
    """The expected error of a group of as many people."""
    found = re.search(r"Expected error \(95%, noise only\): .* ([\d.]+)% for 1,000", plain(plan(name)))
    assert found
    return float(found[1]) / 100


def test_a_light_table_is_as_far_off_as_the_plan_expects() -> None:
    error, _ = realised("light")
    assert expected("light") / FACTOR < error < FACTOR * expected("light")


def test_a_heavy_table_is_farther_off_and_its_releases_say_by_how_much_it_may_be() -> None:
    """As the plan says beforehand."""
    error, releases = realised("heavy")
    assert error > FACTOR * expected("heavy")
    assert all(release.about.too_small["sum(x)"] > 0.1 for release in releases)
    assert "more than 5% of a typical value" in plain(plan("heavy"))


@pytest.mark.parametrize(
    ("asked", "added", "cut"),
    [
        ({}, True, False),
        ({"metrics": ["mean(x)", "people"]}, True, False),
        ({"metrics": "events"}, True, False),
        ({"bound": {"sum(x)": 90}}, False, True),
        ({"metrics": ["sum(x)", "events"], "bound": {"sum(x)": 90}}, True, True),
        ({"metrics": "people"}, False, False),
        ({"metrics": "median(x)", "range": (0, 10)}, False, False),
    ],
)
def test_a_plan_says_what_becomes_of_large_amounts(asked: dict[str, Any], added: bool, cut: bool) -> None:
    words = plain(plan("light", **asked))
    assert (ADDED in words, EXCESS in words) == (added, cut)


def test_so_does_that_of_a_total_and_its_card() -> None:
    total = hc.plan("total", table("light"), user="user", sum="x", epsilon=1)
    assert ADDED in plain(total)
    assert ADDED in plain(total._repr_html_())
    assert ADDED not in plain(hc.plan("total", table("light"), user="user", count="users", epsilon=1))


def test_so_does_the_command(tmp_path: Any) -> None:
    (tmp_path / "v.csv").write_text("user,x\n1,5\n2,7\n")
    done = headcount("total", "v.csv", "--user", "user", "--sum", "x", "--epsilon", "1", "--dry-run", cwd=tmp_path)
    assert ADDED in plain(done.stdout)
