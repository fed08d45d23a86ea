"""No bound typed: it is chosen privately, inside the typed epsilon, and told."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount import papers
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.bound.selection.options import PAPER_BOUNDS
from headcount.mechanism.known.strategy import SELECTIONS as KNOWN
from headcount.mechanism.unknown.strategy import SELECTIONS as UNKNOWN
from headcount.noise import KeyedEntropy

SONGS = [f"song {number:04d}" for number in range(1, 201)]
ASKED: dict[str, Any] = {"user": "user", "by": "song", "epsilon": 1}


@pytest.fixture(scope="module")
def plays() -> Any:
    return hc.example()


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("count", ["users", "events"])
@pytest.mark.parametrize("keys", [None, SONGS], ids=["unknown", "known"])
def test_nothing_but_epsilon_is_needed(plays: Any, neighbours: Any, count: Any, keys: Any) -> None:
    plan = hc.plan("histogram", plays, **ASKED, neighbours=neighbours, count=count, keys=keys)
    assert plan.selection is not None
    assert plan.strategy.price <= plan.budget.epsilon / 10
    assert f"of epsilon ({float(plan.strategy.price):g})." in " ".join(str(plan).split())
    release = plan.release()
    assert release.about.chosen == plan.selection.name
    if release.about.bound:  # now and then items are found one after another, without one
        assert 2 <= release.about.bound <= 200
        assert f"{release.about.bound:,}" in release.explain()
    assert release.table.num_rows == 200 if keys else release.table.num_rows > 50


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("way", [*KNOWN, *UNKNOWN, "profile"])
@pytest.mark.parametrize("count", ["users", "events"])
def test_every_way_by_its_name(plays: Any, way: str, count: Any) -> None:
    keys = SONGS if way in KNOWN and way not in UNKNOWN else None
    asked = {kind.name: kind() for kind in PAPER_BOUNDS}.get(way, way)
    release = hc.histogram(plays, **ASKED, bound=asked, count=count, keys=keys)
    assert release.about.chosen == way
    assert release.about.bound >= 1


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("asked", [{}, {"count": "events"}, {"keys": SONGS}, {"mechanism": "thresholded"}])
def test_what_happened_is_paid_for(plays: Any, asked: dict[str, Any]) -> None:
    """The events of the release itself, with the bound that was chosen."""
    release = hc.histogram(plays, **ASKED, **asked)
    plan = hc.plan("histogram", plays, **ASKED, **asked)
    assert compose.covers(plan.cost, release.cost.events)
    assert release.cost.epsilon == 1


def test_a_ledger_is_charged_once_and_returns_the_same_release(plays: Any, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)
    one, other = (hc.histogram(hc.table(plays, name="plays"), **ASKED, ledger=ledger) for _ in range(2))
    assert one.content == other.content
    assert (one.fresh, other.fresh) == (True, False)
    assert ledger.spent.epsilon == 1


def test_a_share_and_a_grid_can_be_said(plays: Any) -> None:
    plan = hc.plan("histogram", plays, **ASKED, mechanism="thresholded", bound=hc.ChosenBound(share=0.2, grid=[3, 9]))
    assert "This uses 20% of epsilon (0.2)." in str(plan)
    assert plan.release().about.bound in (3, 9)
    assert hc.Plan.from_json(plan.to_json()) == plan


BY_RANK = (papers.Quantile, papers.MQuantile, papers.InverseSensitivity, papers.DpSgd, papers.OutputPerturbation)
BEWARE = 'beware bound="{}" can hardly tell which is best here, whatever the data are; bound="auto" can.'


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("way", BY_RANK)
def test_the_ways_of_the_paper_never_choose_a_bound_of_a_million(way: Any) -> None:
    """3,000 people, 20 known items: all bounds above everybody's are as likely as the best, so the largest is 100; the
    plan tells, and warns. With many items there is nothing to warn of."""
    table = pa.table({"user": [number // 6 for number in range(18_000)], "item": [n % 7 for n in range(18_000)]})
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "count": "events", "bound": way()}
    plan = hc.plan("histogram", table, keys=range(20), **asked)
    assert "  bound   headcount chooses one of 23 bounds up to 100; grid=[...] gives others." in str(plan)
    assert BEWARE.format(way.name) in " ".join(str(plan).split())
    assert max(plan.release().about.bound for _ in range(3)) <= 100
    many = str(hc.plan("histogram", table, keys=range(2_000), **asked))
    assert "one of 23 bounds up to 100" in many
    assert "beware" not in many
    others = hc.plan("histogram", table, keys=range(20), **{**asked, "bound": way(grid=[1, 10, 5_000])})
    assert "headcount chooses one of 3 bounds up to 5,000; grid=[...] gives others." in " ".join(str(others).split())


def test_the_default_has_nothing_to_warn_of() -> None:
    plan = str(hc.plan("histogram", hc.example(), **ASKED, keys=["song 0001", "song 0002"], count="events"))
    assert "beware" not in plan
    assert "grid=[...]" not in plan


def test_intervals_hold_the_true_count(plays: Any) -> None:
    """Of more than 200 songs; what scaling took away is undone, so the truth is that of the table."""
    pairs = set(zip(plays["user"].to_pylist(), plays["song"].to_pylist(), strict=True))
    truth = Counter(song for _, song in pairs)
    rows = hc.histogram(plays, **ASKED).table.to_pylist()
    held = [row["low"] <= truth[row["song"]] <= row["high"] for row in rows]
    assert len(rows) > 150
    assert sum(held) > 0.8 * len(rows)
    assert sum(row["count"] for row in rows) == pytest.approx(sum(truth[row["song"]] for row in rows), rel=0.1)


def test_without_undoing_counts_are_lower(plays: Any) -> None:
    raised, plain = (hc.histogram(plays, **ASKED, debias=debias) for debias in ("auto", None))
    assert plain.table["count"][0].as_py() < 0.95 * raised.table["count"][0].as_py()
    assert "It does not include what bounding removed." in " ".join(plain.explain().split())


def test_people_with_one_item_are_not_scaled() -> None:
    table = pa.table({"user": list(range(20_000)), "song": [f"song {number % 50}" for number in range(20_000)]})
    releases = [hc.histogram(table, **ASKED) for _ in range(5)]  # noise alone is taken for people in one of 24
    release = next(each for each in releases if len(each.cost.events) == 4)
    assert [event.name for event in release.cost.events] == ["laplace"] * 3 + ["randomized-laplace-threshold"]
    explained = " ".join(release.explain().split())
    assert "headcount counts the people who have more than 4 songs, with discrete Laplace noise" in explained
    assert "headcount measures how much is lost if people count at most once" in explained
    for each in releases:  # all that was drawn is charged, and taken from the same epsilon
        assert compose.covers(Cost(Fraction(1), Fraction(1, 10**6)), each.cost.events)
    assert not compose.covers(Cost(Fraction(99, 100), Fraction(1, 10**6)), release.cost.events)


def heavy_people() -> pa.Table:
    """20,000 people with one or two of 200 songs, and 300 with 12 to 400 rows each, of 400 songs."""
    random = np.random.default_rng(1)
    sizes = [random.integers(1, 3, 20_000), np.exp(random.uniform(np.log(12), np.log(400), 300)).astype(np.int64)]
    users = np.repeat(np.arange(20_300), np.concatenate(sizes))
    ranks = [200 ** random.random(sizes[0].sum()), 400 ** random.random(sizes[1].sum())]
    return pa.table({"user": users, "song": np.concatenate(ranks).astype(np.int64)})


def test_heavy_people_of_all_sizes_are_noticed() -> None:
    """They have half of all pairs, and hardly any two of them the same number: intervals hold all the same."""
    table, held = heavy_people(), []
    people = table.group_by(["user", "song"]).aggregate([]).group_by("song").aggregate([([], "count_all")])
    true = dict(zip(people["song"].to_pylist(), people["count_all"].to_pylist(), strict=True))
    for seed in range(4):
        entropy = KeyedEntropy(bytes([seed + 1] * 32))
        rows = hc.plan("histogram", table, **ASKED).release(entropy=entropy).table.to_pylist()
        held += [each["low"] <= true[each["song"]] <= each["high"] for each in rows]
    assert len(held) > 400
    assert np.mean(held) > 0.92
