"""People per item of a long public list: by how much they are off, whether intervals hold, what the release says."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.noise import KeyedEntropy
from headcount.release import Release

PEOPLE, KEYS = 20_000, 400


def one_each() -> pa.Table:
    """Everybody has one of 300 items; the list has 100 more."""
    return pa.table({"user": np.arange(PEOPLE), "item": np.arange(PEOPLE) % 300})


def released(table: pa.Table, keys: int = KEYS, **more: Any) -> Release:
    release: Release = hc.histogram(table, user="user", by="item", keys=list(range(keys)), epsilon=1, **more)
    return release


def test_people_with_one_item_have_the_noise_of_one() -> None:
    """Laplace noise with a deviation of 1.6, where Gaussian noise for a bound of 1 has more than 4. Noise alone is
    taken for people who have more in one release of 24."""
    true = np.where(np.arange(KEYS) < 300, -(-(PEOPLE - np.arange(KEYS)) // 300), 0)
    errors = []
    for _ in range(5):
        rows = released(one_each()).table.to_pydict()
        counts = np.array(rows["count"])[np.argsort(rows["item"])]
        errors.append(float(np.abs(counts - true).mean()))
    assert np.median(errors) < 2


def test_the_release_says_what_was_done() -> None:
    found = [released(one_each()) for _ in range(5)]
    release = next(each for each in found if len(each.cost.events) == 4)
    explained = " ".join(release.explain().split())
    assert [event.name for event in release.cost.events] == ["laplace"] * 4
    assert "headcount counts the people who have more than 4 items, with discrete Laplace noise" in explained
    assert "This uses 5% of epsilon (0.05)." in explained
    assert (release.about.estimand == "true") == (not release.about.tail)
    assert release.about.unseen.startswith("A few people (up to ")


@pytest.mark.parametrize("more", [{"bound": 1}, {"mechanism": "clipped"}, {"debias": None}, {"count": "events"}])
def test_whoever_asks_for_something_else_gets_it(more: dict[str, Any]) -> None:
    assert "people who have more than" not in released(one_each(), **more).explain()


def test_counts_of_a_list_that_is_mostly_empty_add_up() -> None:
    """5,000 people with about 8 of 6,000 items: noise that is cut off at 0 would add up to as much again."""
    random = np.random.default_rng(1)
    users = np.repeat(np.arange(5_000), random.geometric(0.12, 5_000))
    items = (6_000 ** random.random(len(users))).astype(np.int64)
    table = pa.table({"user": users, "item": items}).group_by(["user", "item"]).aggregate([])
    found = [sum(released(table, 6_000).table["count"].to_pylist()) for _ in range(3)]
    assert np.median(found) == pytest.approx(len(table), rel=0.3)


def test_people_with_nearly_everything_are_seen() -> None:
    """300 of 20,000 people have 220 of 400 items, half of all pairs: intervals hold all the same."""
    random, held = np.random.default_rng(2), []
    light = np.repeat(np.arange(PEOPLE - 300), random.integers(1, 4, PEOPLE - 300))
    heavy = np.repeat(np.arange(PEOPLE - 300, PEOPLE), 220)
    own = np.concatenate([random.permutation(KEYS)[:220] for _ in range(300)])
    items = np.concatenate([(KEYS ** random.random(len(light))).astype(np.int64), own])
    table = pa.table({"user": np.concatenate([light, heavy]), "item": items}).group_by(["user", "item"]).aggregate([])
    true = np.bincount(table["item"].to_numpy(), minlength=KEYS)
    for _ in range(5):
        rows = released(table).table.to_pydict()
        found = true[rows["item"]]
        held.append(np.mean((np.array(rows["low"]) <= found) & (found <= np.array(rows["high"]))))
    assert np.mean(held) > 0.85


def test_a_list_needs_no_delta() -> None:
    release = released(one_each(), delta=0)
    assert (release.cost.delta, len(release)) == (0, KEYS)


def test_a_loss_that_is_seen_is_undone_by_a_model() -> None:
    """Rare items are those of people who have four, of which one is kept: all are raised by one ratio, and the release
    says so."""
    random, people = np.random.default_rng(2), 60_000
    common = [(user, user % 20) for user in range(people)]
    rare = [(people + user, 20 + int(item)) for user in range(400) for item in random.permutation(180)[:4]]
    table = pa.table(dict(zip(("user", "item"), zip(*common, *rare, strict=True), strict=True)))
    plan = hc.plan("histogram", table, user="user", by="item", keys=list(range(200)), epsilon=1)
    releases = [plan.release(entropy=KeyedEntropy(bytes([seed]) * 32)) for seed in range(1, 7)]
    sampled = [each for each in releases if each.about.bound == 1]
    modelled = [each for each in sampled if each.about.estimand == "modelled"]
    assert "if all items lost about the same part by the bound" in " ".join(str(modelled[0]).split())
