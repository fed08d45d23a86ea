"""Items found one after another: the k most common, as many as a budget allows, and what amounts add up to."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.packed import packed

import headcount as hc
from headcount.account.composition import compose
from headcount.account.curves import zcdp
from headcount.bound import TopSums
from headcount.mechanism import CountRelease, check_widths

ASKED: dict[str, Any] = {"user": "user", "by": "song", "epsilon": 1}


@pytest.fixture(scope="module")
def plays() -> Any:
    table = hc.example()
    minutes = np.arange(table.num_rows) % 7 + 0.5
    return table.append_column("minutes", pa.array(minutes))


@pytest.fixture(scope="module")
def people(plays: Any) -> Counter[str]:
    pairs = set(zip(plays["user"].to_pylist(), plays["song"].to_pylist(), strict=True))
    return Counter(song for _, song in pairs)


def rows(release: hc.Release) -> dict[str, dict[str, Any]]:
    return {row["song"]: row for row in release.table.to_pylist()}


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_the_most_common(plays: Any, people: Counter[str], neighbours: Any) -> None:
    """The songs differ by hundreds of people, and the noise is about 1/rate = 10 to 20 of them."""
    release = hc.top(plays, **ASKED, k=5, neighbours=neighbours)
    assert release.about.what == "the 5 most common by song"
    assert release.table.column_names == ["song", "count", "low", "high", "deviation"]
    assert list(rows(release)) == [song for song, _ in people.most_common(5)]
    for song, row in rows(release).items():
        assert abs(row["count"] - people[song]) < 8 * row["deviation"]
        assert row["low"] < row["count"] < row["high"]


def test_without_counts_there_are_ranks(plays: Any, people: Counter[str], tmp_path: Path) -> None:
    release = hc.top(plays, **ASKED, k=5, count="none")
    assert release.table.to_pydict() == {
        "song": [song for song, _ in people.most_common(5)],
        "rank": [1, 2, 3, 4, 5],
    }
    assert "song 0001     1" in release.summary()
    for name in ("r.parquet", "r.csv", "r.json", "r.html"):
        release.save(tmp_path / name)
    with pytest.raises(hc.HeadcountError, match="items without counts have no bars to draw"):
        release.plot()
    assert "low to high" not in release.explain()
    told = hc.plan("top", plays, **ASKED, k=100, count="none"), hc.plan("top", plays, **ASKED, k=100)
    softest = [plan.mechanism.levels[0].threshold for plan in told if isinstance(plan.mechanism, CountRelease)]
    assert softest[0] < softest[1]  # items alone cost less, so rarer ones are found


def test_fewer_than_k_if_the_others_are_rare(plays: Any) -> None:
    assert 20 < hc.top(plays, **ASKED, k=1000).table.num_rows < 200


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("variant", ["level", "rogers", "coarse", "refined"])
def test_as_many_as_the_budget_allows(plays: Any, people: Counter[str], variant: Any) -> None:
    """Of more than 100 items 6 to 13% miss the target; with noise of a tenth of the right one, or ten times as much,
    next to none or most would. Two releases together miss 22 or more on average: none by chance once in 10^9 runs."""
    released = hc.CountRelease(rho=1, variant=variant)
    both = [rows(hc.histogram(plays, user="user", by="song", mechanism=released)) for _ in range(2)]
    found = [(people[song], row) for each in both for song, row in each.items()]
    missed = [row for true, row in found if abs(row["count"] - true) > 0.1 * true]
    assert min(map(len, both)) > 100
    assert 0.0025 < len(missed) / len(found) < 0.25
    outside = [row for true, row in found if not row["low"] <= true <= row["high"]]
    assert len(outside) / len(found) < 0.2


def test_ours_finds_many_more_than_the_paper(plays: Any) -> None:
    ways = [hc.CountRelease(rho=1, variant=variant) for variant in ("level", "rogers")]
    ours, papers = (hc.histogram(plays, user="user", by="song", mechanism=way).table.num_rows for way in ways)
    assert ours > 1.2 * papers


def test_a_budget_as_rho(plays: Any) -> None:
    plan = hc.plan("histogram", plays, user="user", by="song", mechanism=hc.CountRelease(rho=0.1))
    assert plan.cost.epsilon == zcdp.epsilon(Fraction(1, 10), plan.cost.delta / 2)
    assert isinstance(plan.mechanism, CountRelease)
    assert Fraction(1, 10) * (1 - Fraction(1, 10**10)) < plan.mechanism.event.rho <= Fraction(1, 10)


def test_a_third_of_epsilon_is_covered_to_the_last_digit(plays: Any) -> None:
    release = hc.histogram(plays, **ASKED, sum="minutes", mechanism="count-release", bound=hc.ChosenBound(share="1/3"))
    assert compose.covers(
        hc.plan("histogram", plays, **ASKED, sum="minutes", mechanism="count-release").cost, release.cost.events
    )


def test_no_limit_that_may_be_drawn_makes_noise_too_wide(plays: Any) -> None:
    """Noise that does not fit is refused by the plan: work that fails after a limit is drawn is drawn again under its
    charge."""
    wide: dict[str, Any] = {"mechanism": hc.CountRelease(kbar=10**7, target_error=1), "delta": 1e-30}
    asked: dict[str, Any] = {"user": "user", "by": "song", "sum": "minutes", "neighbours": "replace", **wide}
    with pytest.raises(hc.HeadcountError, match="the noise would not fit into 64 bits"):
        hc.plan("histogram", plays, **asked, epsilon=0.001, bound=hc.ChosenBound(share=0.3))
    plan = hc.plan("histogram", plays, **asked, epsilon=0.01)
    for each in (1, 2**7 - 1, 2**7, 2**15 - 1, 2**20, 10**12 + 1):
        check_widths(plan.strategy.mechanism(TopSums(10**7, each)))


def test_what_amounts_add_up_to(plays: Any) -> None:
    """Of each person at most 10 minutes for a song: with people who play a song more often, less than all."""
    pairs: Counter[tuple[int, str]] = Counter()
    for user, song, minutes in zip(*(plays[name].to_pylist() for name in ("user", "song", "minutes")), strict=True):
        pairs[user, song] += minutes
    true: Counter[str] = Counter()
    for (_, song), minutes in pairs.items():
        true[song] += min(minutes, 10)
    release = hc.histogram(plays, **ASKED, sum="minutes", mechanism="count-release", bound=10)
    assert release.table.column_names == ["song", "sum", "low", "high", "deviation"]
    assert len(rows(release)) > 20
    for song, row in rows(release).items():
        assert abs(row["sum"] - true[song]) < 8 * row["deviation"]
    assert "a person's amount counts as at least 0 and at most 10." in " ".join(release.explain().split())
    release.plot()


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("asked", [{"sum": "minutes"}, {"count": "events"}])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_the_limit_is_chosen_privately(plays: Any, asked: dict[str, Any], neighbours: Any) -> None:
    """About one release in a hundred believes in people whom only noise has made: not two of them."""
    asked = {**asked, "mechanism": "count-release"}
    for _ in range(2):
        release = hc.histogram(plays, **ASKED, **asked, neighbours=neighbours)
        if release.about.bound <= 40:
            break
    assert release.about.chosen == "amounts"
    assert 2 <= release.about.bound <= 40
    assert "This uses 5% of epsilon (0.05)." in " ".join(release.explain().split())
    assert compose.covers(hc.plan("histogram", plays, **ASKED, **asked).cost, release.cost.events)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("job", "asked"),
    [
        ("top", {"k": 5}),
        ("top", {"k": 5, "count": "none", "kbar": 50}),
        ("histogram", {"mechanism": hc.CountRelease(target_error="0.2", variant="rogers", kbar=77)}),
        (
            "histogram",
            {"mechanism": hc.CountRelease(variant="rogers", first_epsilon="0.001", selection_delta="1e-12")},
        ),
        ("histogram", {"sum": "minutes"}),
        ("histogram", {"sum": "minutes", "bound": 10, "neighbours": "replace"}),
        ("histogram", {"count": "events", "mechanism": "count-release"}),
    ],
)
def test_a_plan_goes_through_text_and_a_ledger(plays: Any, tmp_path: Path, job: Any, asked: dict[str, Any]) -> None:
    plan = hc.plan(job, hc.table(plays, name="plays"), **ASKED, **asked)
    again = hc.Plan.from_json(plan.to_json())
    assert str(again) == str(plan)
    ledger = hc.Ledger(tmp_path / "l.db", epsilon=1, delta=1e-6)
    release = again.release(plays, ledger=ledger)
    assert plan.release(ledger=ledger).content == release.content
    assert ledger.spent.epsilon == 1
    assert hc.load(release.save(tmp_path / "r.parquet")).about == release.about


def test_the_plan_tells_how_common_items_must_be(plays: Any) -> None:
    plan = str(hc.plan("histogram", plays, **ASKED, mechanism="count-release"))
    assert "error   Most counts will be off by at most 10%, large ones by less." in plan
    assert "appear  The most common items appear first:\n          1 song if it has about " in plan
    sums = str(hc.plan("histogram", plays, **ASKED, sum="minutes", mechanism="count-release", bound=10))
    assert "error   Expected error of a sum (95%, noise only):\n" in sums


def test_nothing_found(plays: Any) -> None:
    release = hc.histogram(plays.slice(0, 50), **ASKED, mechanism="count-release")
    assert release.table.num_rows == 0
    assert "No item had enough people to be shown." in release.summary()
    assert hc.top(plays.slice(0, 0), **ASKED).table.num_rows == 0


def test_people_with_many_items_each_are_scaled_as_well() -> None:
    """3,000 people with 300 of 20,000 items each: at least as many as are found one by one by name."""
    random = np.random.default_rng(1)
    users = np.repeat(np.arange(3000), 300)
    items = (20_000 * random.random(len(users)) ** 3).astype(np.int64)
    release = hc.histogram(pa.table({"user": users, "item": items}), user="user", by="item", epsilon=1)
    assert "headcount then measures the shown items again" in " ".join(release.explain().split())
    assert release.table.num_rows > 50


def test_few_people_are_looked_at_twice() -> None:
    """Noise alone seems to be people once in a thousand looks at so few: hardly in all of five."""
    users = np.arange(50)
    plan = hc.plan("histogram", pa.table({"user": users, "item": users % 2}), user="user", by="item", epsilon=1)
    releases = [plan.release() for _ in range(5)]
    twice = "The first look showed nobody, as there are too few people for its noise. So headcount looks again."
    assert any(twice in " ".join(release.explain().split()) for release in releases)
    assert all(compose.covers(plan.cost, release.cost.events) for release in releases)


def test_amounts_of_few_people_are_looked_at_twice() -> None:
    """So many are mostly too few for the first look at amounts, and mostly enough for the second."""
    users = np.arange(240)
    paid = pa.table({"user": users, "item": users % 2, "price": np.full(240, 40.0)})
    plan = hc.plan("histogram", paid, user="user", by="item", sum="price", epsilon=1, mechanism="count-release")
    releases = [plan.release() for _ in range(10)]
    again = "So headcount looks again. headcount measures privately how large an amount"
    twice = [release for release in releases if again in " ".join(release.explain().split())]
    assert any(40 < release.about.bound < 500 for release in twice)
    assert all(compose.covers(plan.cost, release.cost.events) for release in releases)


def test_amounts_of_hardly_anybody_are_not_seen_and_that_is_said() -> None:
    few = pa.table({"user": [1, 2, 3], "item": ["a", "b", "c"], "price": [20.0, 30.0, 40.0]})
    release = hc.histogram(few, user="user", by="item", sum="price", epsilon=1, mechanism="count-release")
    assert "There were too few people to see how much they have" in " ".join(release.explain().split())


MISTAKES = [
    ({"target_error": 0}, "target_error=0: the part of a count by which it may be off, more than 0 and at most 1."),
    ({"target_error": -1}, "target_error=-1: the part of a count"),
    ({"rho": 1}, "epsilon and rho: only one of them. Fix: epsilon=1, or rho=0.1"),
    ({"epsilon": None, "rho": 0}, "rho=0"),
    ({"kbar": 0}, "kbar=0: a whole number of at least 1 is needed."),
    ({"first_epsilon": 0, "variant": "rogers"}, "first_epsilon=0: it must be above 0. Fix: first_epsilon=0.0005"),
    ({"first_epsilon": 0.001}, 'first_epsilon: only variant="rogers", "coarse" or "refined" has it.'),
    ({"selection_delta": 1e-11, "variant": "coarse"}, 'selection_delta: only variant="rogers" has it.'),
    (
        {"selection_delta": 1e-10, "variant": "rogers"},
        "selection_delta=1e-10: this budget allows at most 5e-11. Fix: selection_delta=1e-11, or no selection_delta",
    ),
    ({"first_epsilon": 5, "variant": "refined"}, "first_epsilon=5: this budget allows at most "),
    ({"bound": 5}, 'bound=5 with mechanism="count-release": people may have as many items as they like.'),
    ({"bound": "profile"}, "bound='profile' with mechanism=\"count-release\""),
    ({"share": 0.1}, 'mechanism="count-release" leaves no bound to choose.'),
    (
        {"debias": "ratio"},
        "debias='ratio' with mechanism=\"count-release\": nothing is taken away that could be undone.",
    ),
    ({"variant": "best"}, "variant='best': unknown."),
    ({"keys": ["a"]}, 'mechanism="count-release" is for items not known in advance.'),
    ({"sum": "user"}, "sum='user': a column that makes the person or the item."),
    ({"sum": "song"}, "sum='song': a column that makes the person or the item."),
    ({"sum": "minute"}, "there is no column 'minute'. Fix: did you mean 'minutes'?"),
    ({"sum": 5}, "sum=5: the name of a column."),
    ({"sum": "minutes", "count": "events"}, "sum='minutes' and count=\"events\": only one of them."),
    ({"mechanism": "weighted", "sum": "minutes"}, "sum='minutes' with mechanism=\"weighted\": it counts people"),
    ({"epsilon": 1e-6, "variant": "rogers", "target_error": 1e-6}, "is too small to find anything"),
    ({"epsilon": None, "rho": 1, "sum": "minutes"}, "rho: the limit of amounts is chosen for an epsilon. Fix: bound="),
]


@pytest.mark.parametrize(("wrong", "message"), MISTAKES, ids=[message[:40] for _, message in MISTAKES])
def test_mistakes(plays: Any, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(hc.HeadcountError) as refused:
        hc.plan(
            "histogram",
            plays,
            **packed({**ASKED, "mechanism": "count-release", **wrong}, hc.CountRelease, hc.ChosenBound),
        )
    assert message in str(refused.value)
    assert "Fix: " in str(refused.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 0}, "k=0: a whole number of at least 1 is needed. Fix: k=20"),
        ({"k": 2.5}, "k=2.5"),
        ({"k": 30, "kbar": 20}, "k=30: more than the candidate list (kbar=20). Fix: kbar=300"),
        ({"count": "events"}, 'count=\'events\': unknown. Fix: count="users" or count="none"'),
        ({"count": "none", "target_error": 0.1}, 'target_error=0.1 with count="none": no counts are released.'),
        ({"epsilon": None}, "how much may it cost? Fix: epsilon=1"),
    ],
)
def test_mistakes_with_the_most_common(plays: Any, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(hc.HeadcountError) as refused:
        hc.top(plays, **{**ASKED, **wrong})
    assert message in str(refused.value)
