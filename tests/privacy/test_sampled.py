"""Sample and threshold on tiny data: real bounding by the engine, then every coin.

The exact delta over all neighbours of both kinds is never above the price. For one report it is the price, so that a
chance or a threshold that is a little off would be seen. What must not be done with a sample is done here, too, and
what it would cost is computed. The number of people, which heavy hitters are a part of, comes last.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from audits.mechanisms.ordered import OneSample, on_cells, sampled_tree
from audits.mechanisms.sample_threshold import fixed_size, one_coin, release_hidden_sum
from audits.shortcuts import FINITE_LEFT_OUT, with_joint_coins
from audits.specimen import People, Run
from headcount.account import Cost
from headcount.account.composition import compose, cost
from headcount.account.composition.cost import native
from headcount.account.curves import sampling
from headcount.account.events import Laplace, Neighbours, SampleThreshold
from headcount.audit import Laws, delta, worst_delta
from headcount.audit.choices import Fixed
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, SampledItems
from headcount.bound.selection.people import NoisyCount, PeopleCount
from headcount.errors import BadParameter
from headcount.jobs.heavy_hitters import HeavyHitters
from headcount.mechanism import Columns, Hierarchy, Noisy, Sampled, Sampling
from headcount.mechanism.sampled.sample_threshold import calibrated
from headcount.noise import Entropy, SystemEntropy
from headcount.source import contributions, open_events
from tests.strategies import strategy

from .test_mechanisms import BOTH, SECRET, Person, run_of

ONE = Fraction(1)
ADDED: Neighbours = "add-remove"
NEARLY = 1 - Fraction(1, 10**8)
"""What prices are rounded up by: they have 12 digits, and composed ones are a billionth larger for each report."""
LN2 = Fraction(69314718056, 10**11)
KINDS: People = (("a",), ("b",), ("a", "b"))
THREE: People = (*KINDS, ("a", "b", "c"))
CURVES = {"few": ("1/4", 3, LN2), "half": ("1/2", 3, Fraction(3, 10)), "most": ("9/10", 3, Fraction(1, 10))}


def event(rate: str, threshold: int, items: int, neighbours: Neighbours, epsilon: Fraction) -> SampleThreshold:
    return SampleThreshold(Fraction(rate), threshold, items, neighbours, epsilon)


def more_often(happened: SampleThreshold) -> SampleThreshold:
    """With a chance that is a tenth larger."""
    return replace(happened, rate=min(happened.rate * 11 / 10, (1 + happened.rate) / 2))


@lru_cache(maxsize=16)
def kept(bounding: SampledItems, kinds: People, copies: int) -> dict[tuple[Person, int], list[str]]:
    """What the engine keeps of each person of these kinds, so many of each: it is the same in whatever company."""
    everybody = {f"{kind}{copy}": (kind, copy) for kind in kinds for copy in range(copies)}
    rows = [(name, item) for name, (kind, _) in everybody.items() for item in kind]
    table = pa.table({"user": [user for user, _ in rows], "item": [item for _, item in rows]})
    done = contributions(open_events(table, ["user", "item"]).table(), [None], events=False, keys=None)
    left: dict[tuple[Person, int], list[str]] = {person: [] for person in everybody.values()}
    for row in bounding.kept(done, SECRET).to_pyarrow().to_pylist():
        left[everybody[row["user"]]].append(row["item0"])
    return left


def on_totals(mechanism: Sampled) -> Run[tuple[int, ...]]:
    """What the mechanism shows of items that so many people have; if there is a list of them, also of those that none
    has."""

    def run(totals: tuple[int, ...], entropy: Entropy) -> dict[str, int]:
        there = [(chr(ord("a") + index), many) for index, many in enumerate(totals) if many or mechanism.listed]
        items = pa.table({"item0": pa.array([item for item, _ in there], pa.string())})
        counts = np.array([many for _, many in there], dtype=np.int64)
        noisy = mechanism.run(Bounded(items, counts, mechanism.bounding.sensitivity), entropy)
        return dict(zip(noisy.items["item0"].to_pylist(), noisy.values.tolist(), strict=True))

    return with_joint_coins(run)


def worst(mechanism: Sampled, kinds: People, max_items: int, neighbours: Neighbours, epsilon: Fraction) -> Any:
    """The exact delta over all neighbours among up to so many people of these kinds, whom the engine has bounded."""
    assert isinstance(mechanism.bounding, SampledItems)
    left = kept(mechanism.bounding, kinds, max_items)

    def totals(people: People) -> tuple[int, ...]:
        mine = (left[kind, copy] for kind, many in Counter(people).items() for copy in range(many))
        often = Counter(item for items in mine for item in items)
        return tuple(often[item] for item in ("ab" if mechanism.listed else "abc"))

    both = {(totals(one), totals(other)) for one, other in pairs(kinds, max_items, neighbours)}
    return worst_delta(on_totals(mechanism), both, epsilon, FINITE_LEFT_OUT)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("listed", [False, True], ids=["found", "listed"])
@pytest.mark.parametrize(("rate", "threshold", "epsilon"), CURVES.values(), ids=CURVES)
def test_one_report(neighbours: Neighbours, listed: bool, rate: str, threshold: int, epsilon: Fraction) -> None:
    """Up to five people with one item, or with two of which one is kept. If one is added or removed, the exact delta is
    the price; with a chance that is a tenth larger, or a threshold one lower, it is above."""
    happened = event(rate, threshold, 1, neighbours, epsilon)
    made, price = Sampled(SampledItems(1), happened, listed), native(happened).delta
    exact = worst(made, KINDS, 5, neighbours, epsilon)
    assert price / 2 < exact.high <= price
    if neighbours == ADDED:
        assert exact.low >= price * NEARLY
        for wrong in (more_often(happened), replace(happened, threshold=threshold - 1)):
            assert worst(replace(made, event=wrong), KINDS, 5, neighbours, epsilon).low > price


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("rate", "threshold", "epsilon"), CURVES.values(), ids=CURVES)
def test_two_reports(neighbours: Neighbours, rate: str, threshold: int, epsilon: Fraction) -> None:
    """Up to four people, with three items of which two are kept, or with fewer."""
    happened = event(rate, threshold, 2, neighbours, epsilon)
    made, price = Sampled(SampledItems(2), happened), native(happened).delta
    exact = worst(made, THREE, 4, neighbours, epsilon)
    assert price / 3 < exact.high <= price
    if neighbours == ADDED:
        assert exact.low > price * 9 / 10
        for wrong in (more_often(happened), replace(happened, threshold=threshold - 1)):
            assert worst(replace(made, event=wrong), THREE, 4, neighbours, epsilon).low > price


@pytest.mark.parametrize(("rate", "threshold", "epsilon"), CURVES.values(), ids=CURVES)
def test_replaced_reports(rate: str, threshold: int, epsilon: Fraction) -> None:
    """One of n people leaves an item, somebody joins m - 1 of another; the same with two items each at the worst n and
    m. The exact delta is within an eighth of the price, and a chance that is a tenth larger is above it."""
    happened = event(rate, threshold, 1, "replace", epsilon)
    price, distributions = native(happened).delta, Laws(on_totals(Sampled(SampledItems(1), happened)), FINITE_LEFT_OUT)
    swapped = [((n, m - 1), (n - 1, m)) for n in range(3, 7) for m in range(3, 7)]
    exact, pair = max((distributions.worst_delta([each], epsilon).low, each) for each in swapped)
    assert price * 9 / 10 < exact <= price
    wrong = Sampled(SampledItems(1), more_often(happened))
    assert worst_delta(on_totals(wrong), [pair], epsilon, FINITE_LEFT_OUT).low > price
    twice = replace(happened, items=2)
    double = [tuple(np.repeat(totals, 2).tolist()) for totals in pair]
    both = worst_delta(on_totals(Sampled(SampledItems(2), twice)), [(double[0], double[1])], epsilon, FINITE_LEFT_OUT)
    assert native(twice).delta * 7 / 8 < both.low <= native(twice).delta


def test_totals_with_a_looser_bound_are_refused() -> None:
    made = Sampled(SampledItems(1), event("1/4", 3, 1, ADDED, LN2))
    loose = Bounded(pa.table({"item0": ["a"]}), np.array([5]), SampledItems(2).sensitivity)
    with pytest.raises(BadParameter, match="the noise is for"):
        made.run(loose, SystemEntropy())


def test_a_quarter() -> None:
    """Two people with one item, coins of 1/2, of which both must fall. Coin by coin, people by way of the engine."""
    happened = event("1/2", 2, 1, ADDED, LN2)
    coin_by_coin = run_of(Sampled(SampledItems(1), happened))
    exact = worst_delta(coin_by_coin, pairs([("a",)], 3, ADDED), LN2, FINITE_LEFT_OUT)
    assert exact.low == exact.high == native(happened).delta == Fraction(1, 4)


def test_coins_together_are_the_coins_one_by_one() -> None:
    made = Sampled(SampledItems(1), event("1/4", 2, 1, ADDED, LN2))
    people: People = (("a",), ("a",), ("a",), ("b",), ("b",))
    one_by_one, at_once = (
        Laws(run, FINITE_LEFT_OUT).of(people) for run in (run_of(made), with_joint_coins(run_of(made)))
    )
    assert one_by_one == at_once


@pytest.mark.parametrize(
    ("rate", "threshold", "epsilon", "up", "down"),
    [
        ("1/10", 5, "1/2", 1.792494635022897e-4, 0.0),
        ("3/10", 8, "1/2", 2.5774846808012853e-3, 0.0),
        ("1/2", 10, "3/10", 2.968491785007934e-2, 2.213189938894756e-3),
        ("1/2", 10, "1", 3.359676786372782e-3, 0.0),
        ("9/10", 4, "1/10", None, None),
    ],
    ids=["tenth", "third", "half", "half at 1", "most"],
)
def test_the_worst_count(rate: str, threshold: int, epsilon: str, up: float | None, down: float | None) -> None:
    """Of all numbers of people up to 40, both ways: the closed form, and the digest's vectors."""
    at = Fraction(epsilon)
    happened = event(rate, threshold, 1, ADDED, at)
    distributions = Laws(on_totals(Sampled(SampledItems(1), happened)), FINITE_LEFT_OUT)
    both = [(distributions.of((many,)), distributions.of((many - 1,))) for many in range(1, 41)]
    there = max(delta(one, other, at).low for one, other in both)
    gone = max(delta(other, one, at).low for one, other in both)
    assert there == pytest.approx(sampling.up(happened.rate, threshold, at), rel=1e-25, abs=0)
    assert gone == pytest.approx(sampling.down(happened.rate, threshold, at), rel=1e-25, abs=0)
    assert native(happened).delta >= max(there, gone)
    if up is not None:
        assert float(there) == pytest.approx(up, rel=1e-12, abs=0)
        assert float(gone) == pytest.approx(down, rel=1e-12, abs=0)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("bound", [1, 2])
@pytest.mark.parametrize("how", [Sampling(theta=3), Sampling(p=Fraction(1, 4))], ids=["theta", "p"])
def test_what_a_budget_buys(neighbours: Neighbours, bound: int, how: Sampling) -> None:
    """All that is paid is used: but for what a composition is rounded up, or for what the next threshold would cost."""
    budget = Cost(ONE, Fraction(1, 50))
    made = calibrated(budget, SampledItems(bound), neighbours, how)
    exact = worst(made, KINDS, 5, neighbours, ONE)
    assert exact.high <= budget.delta
    if how.p is not None:
        made = replace(made, event=replace(made.event, threshold=made.event.threshold - 1))
        assert native(made.event).delta > budget.delta
    elif neighbours == ADDED:
        assert exact.low > budget.delta * (NEARLY if bound == 1 else Fraction(9, 10))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("cells", [None, 2], ids=["found", "listed"])
def test_a_chosen_bound_and_what_follows_are_paid_for(neighbours: Neighbours, cells: int | None) -> None:
    """Whichever bound is chosen: both together cost what was typed, for as many reports as there can be."""
    budget = Cost(ONE, Fraction(1, 10**6))
    asked = strategy(budget, "users", neighbours, cells, "auto", mechanism="sample-threshold", grid=(1, 5))
    choice = asked.selection
    assert choice is not None
    for bound in (1, 5):
        (happened,) = asked.mechanism(SampledItems(bound)).events
        assert isinstance(happened, SampleThreshold)
        assert (happened.items, happened.neighbours) == (min(bound, cells or bound), neighbours)
        assert compose.covers(budget, [*choice.events, happened])
        assert sum(native(each).epsilon for each in (*choice.events, happened)) == 1


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("bound", [1, 2])
def test_a_rate_and_a_threshold_must_be_within_the_budget(neighbours: Neighbours, bound: int) -> None:
    """To the last digit of the price."""
    price = native(event("1/4", 3, bound, neighbours, ONE)).delta
    how, kept_items = Sampling(p=Fraction(1, 4), theta=3), SampledItems(bound)
    assert native(calibrated(Cost(ONE, price), kept_items, neighbours, how).event).delta == price
    with pytest.raises(BadParameter, match=r"p=0\.25, theta=3: at epsilon=1 that takes a delta"):
        calibrated(Cost(ONE, price * NEARLY), kept_items, neighbours, how)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("bound", [1, 3])
def test_the_rule_of_the_paper(neighbours: Neighbours, bound: int) -> None:
    """It is private, and wastes nearly everything; several reports share what there is."""
    budget = Cost(ONE, Fraction(1, 10))
    made = calibrated(budget, SampledItems(bound), neighbours, Sampling(rule="paper"))
    assert (made.event.items, made.event.neighbours) == (bound, neighbours)
    added = [((many, 0), (many - 1, 0)) for many in range(1, 12)]
    swapped = [((many, 4), (many - 1, 5)) for many in range(1, 12)]
    exact = worst_delta(on_totals(made), added if neighbours == ADDED else swapped, ONE, FINITE_LEFT_OUT)
    assert 0 < exact.high <= native(made.event).delta < budget.delta / 1000


def test_many_runs_show_the_delta() -> None:
    """The digest's audit: 9 people against 8, as the items of one release each, two million of them."""
    happened, runs = event("1/10", 5, 1, ADDED, ONE / 2), 2_000_000
    made, items = Sampled(SampledItems(1), happened, listed=True), pa.table({"item0": np.arange(runs)})
    with_, without = (
        made.run(Bounded(items, np.full(runs, many), made.bounding.sensitivity), SystemEntropy()).values >= 5
        for many in (9, 8)
    )
    factor = np.exp(0.5)
    gain = with_.mean() - factor * without.mean()
    deviation = sqrt((with_.mean() + factor**2 * without.mean()) / runs)
    assert abs(gain - 1.792494635022897e-4) < 5.5 * deviation
    assert gain > 0


def test_one_sample_for_two_levels() -> None:
    """Cell a has many people and b one: a and b together less a tells whether that one is in the sample. Whatever
    epsilon is, delta is the chance of that coin, if both together are seen then."""
    crowd: People = (("a",),) * 12
    people, epsilon = [((*crowd, ("b",)), crowd)], Fraction(20)
    honest, wrong = (with_joint_coins(on_cells(sampled_tree(kind=kind))) for kind in (Hierarchy, OneSample))
    told = worst_delta(wrong, people, epsilon, FINITE_LEFT_OUT).low
    seen = 1 - Fraction(3**12 + 12 * 3**11, 4**12)  # two more of the other twelve
    assert told == seen / 4
    happened = sampled_tree().event
    assert isinstance(happened, SampleThreshold)
    price = sampling.delta(happened, epsilon)
    assert worst_delta(honest, people, epsilon, FINITE_LEFT_OUT).high <= price < told / 5
    assert worst_delta(honest, people, ONE, FINITE_LEFT_OUT).high <= native(happened).delta < told / 5


def test_one_coin_for_all_items() -> None:
    """Two items: the digest's vectors, each at the numbers of people that are worst for it."""
    happened = event("1/5", 15, 2, ADDED, ONE)

    def crowd(many: int) -> tuple[People, People]:
        others: People = (("a",),) * many + (("b",),) * many
        return (*others, ("a", "b")), others

    honest = worst_delta(on_totals(Sampled(SampledItems(2), happened)), [((20, 20), (19, 19))], ONE, FINITE_LEFT_OUT)
    joint = worst_delta(with_joint_coins(one_coin(happened)), [crowd(33)], ONE, FINITE_LEFT_OUT)
    assert float(honest.high) == pytest.approx(5.924918e-8, rel=1e-6, abs=0)
    assert float(joint.low) == pytest.approx(1.862248e-7, rel=1e-6, abs=0)
    assert honest.high <= native(happened).delta < Fraction("7.8e-8")


def test_a_sample_of_a_fixed_size() -> None:
    """Of eight people four: if one of them is another, the sum of what is shown tells it half of the time."""
    happened, epsilon = event("1/4", 3, 1, "replace", ONE), Fraction(20)
    people: list[tuple[People, People]] = [((("a",),) * 7 + (("b",),), (("a",),) * 8)]
    wrong = worst_delta(fixed_size(happened, 4), people, epsilon, FINITE_LEFT_OUT)
    assert float(wrong.low) == pytest.approx(1 / 2)
    honest = worst_delta(on_totals(Sampled(SampledItems(1), happened)), [((7, 1), (8, 0))], epsilon, FINITE_LEFT_OUT)
    assert honest.high <= sampling.delta(happened, epsilon) < wrong.low / 20


def test_what_is_hidden_told_as_a_sum() -> None:
    """Somebody with an item of their own is in it with the chance of a coin."""
    happened = event("1/4", 3, 1, ADDED, LN2)
    people: list[tuple[People, People]] = [((("a",),) * 2 + (("b",),), (("a",),) * 2), ((("b",),), ())]
    wrong = worst_delta(with_joint_coins(release_hidden_sum(happened)), people, Fraction(20), FINITE_LEFT_OUT)
    assert float(wrong.low) == pytest.approx(1 / 4)


@pytest.mark.parametrize("epsilon", [ONE / 2, ONE])
def test_how_many_people_there_are(epsilon: Fraction) -> None:
    """Pure: delta is 0 at the epsilon, and not at nine tenths of it."""
    left_out = Fraction(1, 10**5)
    distributions = Laws(PeopleCount(epsilon).draw, left_out)
    people = [(many, many + 1) for many in range(12)]
    assert distributions.worst_delta(people, epsilon).high <= 4 * left_out
    assert distributions.worst_delta(people, epsilon * 9 / 10).low > Fraction(1, 100)


def test_one_person_is_counted_once() -> None:
    """Whatever rows they have; who replaces somebody, too. Rows of nobody are nobody."""

    def there(*rows: tuple[str | None, str | None]) -> int:
        users, items = zip(("ann", "a"), ("bob", "b"), ("bob", "a"), *rows, strict=True)
        table = pa.table({"user": pa.array(users, pa.string()), "item": pa.array(items, pa.string())})
        read = open_events(table, ["user", "item"]).table()
        return PeopleCount(ONE).look(contributions(read, [None], events=False, keys=None))

    news: Iterable[Any] = ([], [(None, "a")], [("eve", None)], [("eve", item) for item in "abcdef"])
    assert [there(*rows) for rows in news] == [2, 2, 3, 3]


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("mechanism", ["sample-threshold", "thresholded"])
def test_counting_people_is_paid_for(neighbours: Neighbours, mechanism: Any) -> None:
    """With noise of a scale of 20 / epsilon, which is charged beside the items; together what was typed, or less."""
    people = pa.table({"user": ["ann"], "item": ["a"]})
    asked: dict[str, Any] = {"mechanism": mechanism, "neighbours": neighbours, "bound": 2, "delta": 1e-6}
    plan = hc.plan("heavy_hitters", people, user="user", by="item", epsilon=1, **asked)
    counted, *others = plan.charge().events
    assert counted == Laplace(Fraction(20), ONE)
    assert others
    assert compose.covers(Cost(ONE, Fraction(1, 10**6)), [counted, *others])
    assert cost.split([counted, *others])[0].epsilon <= 1
    said = hc.plan("heavy_hitters", people, user="user", by="item", epsilon=1, people=9, **asked)
    assert len(said.charge().events) == 1


def test_the_part_of_all_people_is_that_of_a_noisy_number() -> None:
    """If all noise is -20: 60 of 80 people have it, for all that there are 80 of 100."""
    people = pa.table({"user": range(100), "item": ["a"] * 80 + ["b"] * 20})
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "bound": 1, "mechanism": "thresholded"}
    shown = {
        share: hc.plan("heavy_hitters", people, share=share, **asked)
        .release(entropy=Fixed(-20))
        .table["item"]
        .to_pylist()
        for share in (0.7, 0.76)
    }
    assert shown == {0.7: ["a"], 0.76: []}


def test_certain_is_what_is_above_for_every_number_of_people() -> None:
    """About 1,000 people, at most 9.5 more: a tenth of them are at most 100.95, so that 101 is certain and 100 is
    not."""
    counts = np.array([150, 120, 101, 99])
    noisy = Noisy(pa.table({"item0": list("abcd")}), counts)
    columns = Columns({"count": counts, "low": np.array([130, 101, 100, 99])})
    told = HeavyHitters(user="user", by=("item",), share=Fraction(1, 10)).table(noisy, columns, NoisyCount(1000, 9.5))
    assert told["item"].to_pylist() == ["a", "b", "c"]
    assert told["certain"].to_pylist() == [True, True, False]
