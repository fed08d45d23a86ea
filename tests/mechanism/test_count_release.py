"""Count release: known numbers, a budget that holds whatever is found, decisions by what was released alone, and what
people's amounts may add."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import inf, log1p, nan
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.strategies import strategy

from audits.mechanisms.count_release import found_in, ranked
from headcount.account import Cost, ZcdpFilter
from headcount.account.composition import compose, cost
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Adaptive, Event, Neighbours
from headcount.audit.enumerate import outcomes
from headcount.bound import BoundedTop, Bounding, BoundSelection, SampledItems, TopItems, TopSums, WeightedClip
from headcount.bound.boundings.sample import Loss
from headcount.bound.selection.amounts import UsualAmounts
from headcount.bound.selection.heavy import HeavyPeople
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.selection import HardlyMore, LookAgain, NobodySeen, Selected, bounding_of
from headcount.exact import Integers
from headcount.mechanism import CountRelease, NoisyFound, Strategy
from headcount.mechanism.known.strategy import KnownItemsStrategy
from headcount.mechanism.topk import count_release
from headcount.mechanism.topk.levels import VARIANTS, Level, VariantName
from headcount.mechanism.topk.search import Search
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.race import Race
from headcount.run import quiet
from headcount.source import contributions, open_events
from headcount.source.contributions.contributions import Contributions
from headcount.source.scales.amounts import GRID, LARGEST_AMOUNT

BOTH: list[Neighbours] = ["add-remove", "replace"]
EVERY: list[VariantName] = list(VARIANTS)
MILLIONTH = Fraction(1, 10**6)
TENTH = Fraction(1, 10)
NEARLY = 1 - Fraction(1, 10**9)


def within(
    rho: Fraction, delta: Fraction, neighbours: Neighbours = "add-remove", *, max_items: int = 10_000, **more: Any
) -> CountRelease:
    return count_release.within(Adaptive(rho, delta), TopItems(max_items), neighbours, **more)


# Known numbers


def test_one_draw_among_the_most_common() -> None:
    level = Level(Fraction(1), TENTH, Fraction(0), 2, "add-remove", each_pays=False)
    bounded = ranked({"a": 5, "b": 3, "c": 1}, TopItems(2))

    def first(entropy: Entropy) -> list[int]:
        order: list[int] = Search(bounded, ZcdpFilter(1, 1), None).select(level, 1, entropy).tolist()
        return order

    distribution = outcomes(first, Fraction(1, 10**15)).chances
    assert [float(chance) for _, chance in sorted(distribution.items(), key=lambda pair: -pair[1])] == pytest.approx(
        [0.46924638, 0.46724803, 0.06350559], abs=1e-8
    )
    assert level.threshold == pytest.approx(3.995732274)


def test_the_paper_s_first_level() -> None:
    level = within(Fraction(1), MILLIONTH, variant="rogers").levels[0]
    assert level.rate == Fraction(1, 2000)
    assert level.threshold == pytest.approx(69078.552790)
    assert float(level.variance) ** 0.5 == pytest.approx(4605.236853)
    selection, chance = level.selected
    assert float(cost.concentrated(selection).rho) == pytest.approx(3.125e-8, rel=1e-6)
    assert cost.concentrated(chance).delta == Fraction(1, 10**11)
    assert float(cost.zcdp(level.counted).rho) == pytest.approx(2.357578e-8, rel=1e-6)


@pytest.mark.parametrize("variant", ["rogers", "coarse", "refined", "level"])
@pytest.mark.parametrize(("rho", "delta"), [("0.1", "1e-12"), ("0.1", "1e-30"), ("1e-9", "1e-6"), ("1e-12", "1e-20")])
def test_the_paper_s_constants_give_way_to_a_small_budget(variant: VariantName, rho: str, delta: str) -> None:
    """The printed first epsilon and the printed delta of a selection are used where they can be paid for; else they are
    smaller, and common items are found all the same."""
    made = within(Fraction(rho), Fraction(delta), variant=variant)
    assert made.needed(1) < 10**9
    first = made.levels[0]
    assert 0 < first.rate <= Fraction(1, 2000) or variant == "level"
    assert cost.zcdp(first.selected).rho <= Fraction(rho)
    assert 10_000 * first.chance <= Fraction(delta) or variant != "rogers"


def test_the_paper_s_constants_are_parameters() -> None:
    given = within(
        Fraction(1),
        MILLIONTH,
        variant="rogers",
        first_epsilon=Fraction(1, 500),
        selection_delta=Fraction(1, 10**12),
    )
    usual = within(Fraction(1), MILLIONTH, variant="rogers")
    assert (given.levels[0].rate, given.levels[0].chance) == (Fraction(1, 500), Fraction(1, 10**12))
    assert (usual.levels[0].rate, usual.levels[0].chance) == (Fraction(1, 2000), Fraction(1, 10**11))
    assert len(given.levels) < len(usual.levels)


def test_the_paper_s_loop_on_nothing() -> None:
    mechanism = within(Fraction(1), MILLIONTH, variant="rogers")
    with watched() as filters:
        nothing = mechanism.run(ranked({}, mechanism.bounding), Chosen(lambda race, max_items: []))
    assert len(nothing.items) == 0
    (budget,) = filters
    assert float(1 - budget.rho_left) == pytest.approx(0.524287969, abs=2e-9)
    assert 1 - budget.rho_left > Fraction("0.52428796875")
    assert MILLIONTH - budget.delta_left == Fraction(24, 10**11)


# The budget


class Watched(ZcdpFilter):
    """A filter that remembers what it was charged."""

    def __init__(self, rho: Any, delta: Any) -> None:
        super().__init__(rho, delta)
        self.path: list[tuple[tuple[Event, ...], int]] = []

    def charge(self, *events: Event, times: int = 1) -> None:
        super().charge(*events, times=times)
        self.path.append((events, times))


@contextmanager
def watched() -> Iterator[list[Watched]]:
    """The filters that mechanisms make meanwhile."""
    made: list[Watched] = []

    def make(rho: Fraction, delta: Fraction) -> Watched:
        made.append(Watched(rho, delta))
        return made[-1]

    with patch.object(count_release, "ZcdpFilter", make):
        yield made


class Chosen(Entropy):
    """Races as they are told to end, and noise as it is told to be."""

    def __init__(
        self,
        order: Callable[[Race, int], list[int]],
        noise: Callable[[NoiseDistribution, int], list[int]] = lambda distribution, size: [0] * size,
    ) -> None:
        self._order, self._noise = order, noise

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.array(self._noise(distribution, size), dtype=np.int64)

    def secret(self) -> bytes:
        return bytes(32)

    def race(self, race: Race, max_items: int) -> Integers:
        return np.array(self._order(race, max_items), dtype=np.int64)


class Recount:
    """What a run costs, counted anew from what is drawn: any order of any length, and any noise."""

    def __init__(self, mechanism: CountRelease, neighbours: Neighbours, filters: list[Watched], seed: int) -> None:
        self._mechanism, self._neighbours, self._filters = mechanism, neighbours, filters
        self._random = random.Random(seed)
        self._patient = seed % 2 == 0
        self._each_pays = VARIANTS[mechanism.variant].chance is not None
        self._rates: set[Fraction] = set()
        self.rho = self.delta = Fraction(0)
        self.entropy = Chosen(self._order, self._noise)

    def _order(self, race: Race, max_items: int) -> list[int]:
        items, chance = int(race.members.sum()), self._mechanism.bounding.max_items / race.factor
        width = changed_people(self._neighbours) * race.rate + Fraction(log1p(chance)) * NEARLY
        self.check_charged()
        assert self.rho + max_items * width**2 / 8 <= self._mechanism.event.rho
        assert self.delta + (max_items if self._each_pays else race.rate not in self._rates) * chance <= self._delta
        order = self._random.sample(range(items), self._length(items, max_items))
        selections = min(len(order) + 1, max_items)  # with the bottom, if it came
        self.rho += selections * width**2 / 8
        self.delta += (selections if self._each_pays else race.rate not in self._rates) * chance
        self._rates.add(race.rate)
        return order

    def _length(self, items: int, max_items: int) -> int:
        """How many items come before the bottom; whoever is patient waits until the budget is nearly used up."""
        if self._patient:
            return 0 if items < max_items else max_items
        return self._random.randint(0, min(items, max_items))

    @property
    def _delta(self) -> Fraction:
        return self._mechanism.event.delta

    def _noise(self, distribution: NoiseDistribution, size: int) -> list[int]:
        assert isinstance(distribution, DiscreteGaussian)
        self.rho += size * self._mechanism.bounding.parts**2 / (2 * distribution.variance)
        self.check_charged()
        return [self._random.choice([-3, 0, 3]) * int(float(distribution.variance) ** 0.5) for _ in range(size)]

    def check_charged(self) -> None:
        """Everything so far is paid."""
        (budget,) = self._filters
        spent = self._mechanism.event.rho - budget.rho_left, self._mechanism.event.delta - budget.delta_left
        for charged, counted in zip(spent, (self.rho, self.delta), strict=True):
            assert counted * NEARLY <= charged

    def check_nothing_more(self) -> None:
        """At the end, what was paid is what happened, and within the budget."""
        (budget,) = self._filters
        assert self._mechanism.event.rho - budget.rho_left <= self.rho * (1 + Fraction(1, 10**6))
        assert self._mechanism.event.delta - budget.delta_left <= self.delta
        assert self.rho <= self._mechanism.event.rho
        assert self.delta <= self._mechanism.event.delta


counts = st.lists(st.integers(1, 9) | st.integers(1, 10**12), max_size=9)


@settings(
    max_examples=examples(60), deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate]
)  # shrinking is slow
@example("refined", "add-remove", Fraction(1, 100), 1.0, 3, 1, None, [1], 0)
@given(
    st.sampled_from(EVERY),
    st.sampled_from(BOTH),
    st.none() | st.fractions("1/100", 1, max_denominator=100),
    st.floats(1e-4, 5),
    st.integers(3, 9),
    st.integers(1, 6),
    st.none() | st.integers(1, 5),
    counts,
    st.integers(0, 10**9),
)
def test_whatever_is_found_is_paid_for_before(
    variant: VariantName,
    neighbours: Neighbours,
    target: Fraction | None,
    rho: float,
    digits: int,
    max_items: int,
    k: int | None,
    people: list[int],
    seed: int,
) -> None:
    delta = Fraction(1, 10**digits)
    mechanism = within(Fraction(rho), delta, neighbours, max_items=max_items, variant=variant, target=target, k=k)
    assert VARIANTS[variant].chance or sum(level.chance for level in mechanism.levels) <= delta
    bounded = ranked({f"item {index}": count for index, count in enumerate(people)}, mechanism.bounding)
    with watched() as filters:
        recount = Recount(mechanism, neighbours, filters, seed)
        noisy = mechanism.run(bounded, recount.entropy)
    recount.check_charged()
    recount.check_nothing_more()
    assert isinstance(noisy, NoisyFound)
    items = noisy.items["item0"].to_pylist()
    assert len(items) == len(set(items)) <= min(max_items, len(people), k or max_items)
    assert (np.diff(noisy.levels) >= 0).all()


@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize("target", [None, Fraction(1, 100)])
def test_sums_are_paid_for_before(variant: VariantName, target: Fraction | None) -> None:
    bounding = TopSums(3, 50)
    mechanism = count_release.within(
        Adaptive(Fraction(1), MILLIONTH), bounding, "replace", variant=variant, target=target
    )
    for seed in range(5):
        listed = ranked({"a": 10**6, "b": 10**5, "c": 900}, bounding)
        with watched() as filters:
            recount = Recount(mechanism, "replace", filters, seed)
            mechanism.run(replace(listed, values=listed.totals * 17), recount.entropy)
        recount.check_charged()
        recount.check_nothing_more()


@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize(("k", "many"), [(None, 3), (2, 2)])
def test_a_race_ends_where_the_budget_does(variant: VariantName, k: int | None, many: int) -> None:
    """A budget for three items and their counts, and ten that all come before the bottom; refined counts of common
    items cost less, so that the race goes on."""
    one = found_in((Fraction(1),), max_items=20, chance=TENTH, variance=Fraction(4), rho=Fraction(1))
    level = replace(one.levels[0], each_pays=VARIANTS[variant].chance is not None)
    price = cost.zcdp([*level.selected, *level.counted]).rho
    event = Adaptive(3 * price, 3 * level.chance)
    mechanism = replace(one, levels=(level,), event=event, variant=variant, k=k)
    bounded = ranked({f"item {index}": 1000 for index in range(10)}, mechanism.bounding)
    with watched() as filters:
        noisy = mechanism.run(
            bounded, Chosen(lambda race, max_items: list(range(min(max_items, int(race.members.sum())))))
        )
    refined = VARIANTS[variant].refined and k is None
    assert len(noisy.items) > many if refined else len(noisy.items) == many
    assert filters[0].rho_left < price if k is None else filters[0].rho_left >= price


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("0.1", "1e-9"), ("3", "1e-3")])
def test_half_of_delta_is_for_what_the_steps_have_together(
    neighbours: Neighbours, variant: VariantName, epsilon: str, delta: str
) -> None:
    budget = Cost(Fraction(epsilon), Fraction(delta))
    mechanism = count_release.calibrated(budget, TopItems(100), neighbours, variant=variant)
    assert mechanism.events == (mechanism.event,)
    assert compose.covers(budget, mechanism.events)
    assert not compose.covers(Cost(budget.epsilon * Fraction(99, 100), budget.delta), mechanism.events)


def test_a_replaced_person_costs_as_much_with_half_the_rate() -> None:
    once, twice = (within(Fraction(1), MILLIONTH, neighbours).levels[0] for neighbours in BOTH)
    assert once.rate == 2 * twice.rate
    assert once.selected == twice.selected
    assert (once.margin, twice.margin) == (1, 2)


@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize("people", [[], [10**6], [10**6, 10**6, 1]])
def test_nothing_left_to_find_is_no_error(variant: VariantName, people: list[int]) -> None:
    """With the real sampler: no item at all, or all of them found long before the last level."""
    mechanism = within(Fraction(1), MILLIONTH, variant=variant, max_items=2)
    bounded = ranked({f"item {index}": count for index, count in enumerate(people)}, mechanism.bounding)
    noisy = mechanism.run(replace(bounded, next=0), SystemEntropy())
    assert sorted(noisy.items["item0"].to_pylist()) == [f"item {index}" for index in range(min(len(people), 2))]


@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize("target", ["0.001", "0.1", "1"])
@pytest.mark.parametrize("k", [None, 3])
def test_whatever_is_drawn_can_be_told(variant: VariantName, target: str, k: int | None) -> None:
    """Work that fails after its noise would be drawn again, and told twice."""
    mechanism = count_release.calibrated(
        Cost(Fraction(1), MILLIONTH), TopItems(5), "replace", variant=variant, target=Fraction(target), k=k
    )
    last = len(mechanism.levels) - 1
    for values in ([0], [-(10**9), 1], [2**62, -(2**62)], [5, 5, 5]):
        for at in (0, last // 2, last):
            levels = np.full(len(values), at)
            items = pa.table({"item0": [str(value) for value in range(len(values))]})
            variances = np.full(len(values), float(mechanism.levels[at].variance))
            with quiet():
                told = mechanism.estimate(NoisyFound(items, np.array(values), levels, variances)).by_name
            assert {len(column) for column in told.values()} == {len(values)}


# Decisions


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("variant", EVERY)
def test_decisions_depend_on_what_was_released_alone(variant: VariantName, neighbours: Neighbours) -> None:
    """The same items found and the same noisy counts, of other people: every charge is the same, in the same order."""
    mechanism = within(Fraction(1, 10), MILLIONTH, neighbours, max_items=6, variant=variant)
    few = {item: 40 * index for index, item in enumerate("fedcba", 1)}
    many = {**{item: count + 77_777 for item, count in few.items()}, "more": 70_000, "still more": 9}
    for seed in range(5):
        seen = []
        for often, shift in ((few, 0), (many, 77_777)):
            with watched() as filters:
                noisy = mechanism.run(ranked(often, mechanism.bounding), scripted(seed, shift))
            assert isinstance(noisy, NoisyFound)
            columns = (noisy.values, noisy.levels, noisy.variances)
            seen.append((filters[0].path, noisy.items.to_pylist(), *(column.tolist() for column in columns)))
        assert seen[0] == seen[1]
        assert len(seen[0][1]) > 2


def scripted(seed: int, shift: int) -> Entropy:
    """The same order of places and the same noise for the same seed, but for a shift of all counts."""
    chance = random.Random(seed)

    def order(race: Race, max_items: int) -> list[int]:
        items = int(race.members.sum())
        some = min(items, max_items, chance.randint(1, 2)) if chance.random() < 0.3 else 0
        return chance.sample(range(items), some)

    def noise(distribution: NoiseDistribution, size: int) -> list[int]:
        assert isinstance(distribution, DiscreteGaussian)
        return [round(chance.gauss(0, float(distribution.variance) ** 0.5)) - shift for _ in range(size)]

    return Chosen(order, noise)


def scaled(bound: int) -> WeightedClip:
    """What a profile may lead to, of people with so many items."""
    return WeightedClip(bound, 10_000, 1)


def branches(
    asked: Strategy, chosen: Selected, made: tuple[BoundSelection[Any], ...]
) -> Iterator[tuple[Strategy, Bounding, int]]:
    """All that may be decided, and by how many choices."""
    second = asked.next_selection(chosen, made)
    assert asked.later <= asked.budget.epsilon * asked.later_share
    if second is None:
        assert sum(choice.epsilon for choice in made) + asked.rest.epsilon == asked.budget.epsilon
        yield asked, bounding_of(chosen), len(made)
        return
    after = asked.after(second)
    for bounding in may_follow(second):
        yield from branches(after, bounding, (*made, second))


def may_follow(selection: BoundSelection[Any]) -> list[Selected]:
    """What a second profile may lead to, the count of people with far more, or the measured loss of a sample."""
    if isinstance(selection, HeavyPeople):
        return [SampledItems(2), selection.otherwise]
    if isinstance(selection, SamplingLoss):
        return [replace(selection.sampled, lost=Loss(5.0, 9.0))]
    return [few(), scaled(1), scaled(1000)]


def few() -> LookAgain:
    """What a profile leads to, of people with one item."""
    return LookAgain(HardlyMore(SampledItems(1), 0.0), scaled(1))


def nobody() -> LookAgain:
    """What a profile of too few people leads to."""
    return LookAgain(NobodySeen(), SampledItems(1))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(
    ("first", "max_items"),
    [
        (scaled(1), 1),
        (scaled(1000), 1),
        (nobody(), 4),
        (few(), 3),
    ],
)
def test_choices_and_counts_never_add_up_to_more(neighbours: Neighbours, first: Selected, max_items: int) -> None:
    """In every branch, counts scaled or sampled: the choices and what is left are epsilon, and the counts
    cost what is left."""
    asked = strategy(Cost(Fraction(1), MILLIONTH), "users", neighbours, None, "auto")
    choice = asked.selection
    assert choice is not None
    decided = list(branches(asked, first, (choice,)))
    for after, bounding, _ in decided:
        counted = after.mechanism(bounding).events
        assert compose.covers(after.rest, counted)
        assert not compose.covers(replace(after.rest, epsilon=after.rest.epsilon * Fraction(8, 10)), counted)
    assert max(choices for _, _, choices in decided) == max_items


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("first", "max_items"), [(scaled(1000), 1), (nobody(), 4), (few(), 3)])
def test_choices_and_counts_of_a_public_list_never_add_up_to_more(
    neighbours: Neighbours, first: Selected, max_items: int
) -> None:
    """The same of 1,000 known items."""
    budget = Cost(Fraction(1), MILLIONTH)
    asked = KnownItemsStrategy(budget=budget, neighbours=neighbours, cells=1000, count="users")
    choice = asked.selection
    assert choice is not None
    decided = list(branches(asked, first, (choice,)))
    for after, bounding, _ in decided:
        assert compose.covers(after.rest, after.mechanism(bounding).events)
    assert max(choices for _, _, choices in decided) == max_items


# What people add


def done(rows: list[tuple[Any, Any, Any]], *, amounts: bool = True) -> Contributions:
    """(user, item, amount), on the engine."""
    kinds = [pa.int64(), pa.string(), pa.float64()]
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    names = ["user", "item", "amount"]
    arrays = [pa.array(column, kind, from_pandas=False) for column, kind in zip(columns, kinds, strict=True)]
    read = names if amounts else names[:2]
    table = open_events(pa.table(dict(zip(names, arrays, strict=True))), read).table()
    return contributions(table, [None], events=False, keys=None, amounts=amounts)


def listed(bounding: TopItems, rows: list[tuple[Any, Any, Any]]) -> tuple[BoundedTop, dict[str, tuple[int, int]]]:
    """What is listed; people and values by item."""
    bounded = bounding.bound(done(rows, amounts=isinstance(bounding, TopSums)), bytes(32), None)
    names = bounded.items["item0"].to_pylist()
    return bounded, dict(zip(names, zip(bounded.totals.tolist(), bounded.values.tolist(), strict=True), strict=True))


def without(rows: list[tuple[Any, Any, Any]], person: int) -> list[tuple[Any, Any, Any]]:
    return [row for row in rows if row[0] != person]


ODD = [None, nan, inf, -inf, -5.0, 0.0, -0.0, 1e300, -1e300, 0.7, 1e12, 3.0, 49.99, 50.0, 51.0]


@pytest.mark.parametrize("each", [1, 50, LARGEST_AMOUNT + 1])
def test_nobody_adds_more_than_the_limit(each: int) -> None:
    """Of people with all kinds of odd amounts each is left out once: no value moves by more than is stated, no count
    by more than 1; so does whoever replaces another. And somebody attains it."""
    chance, bounding = random.Random(each), TopSums(50, each)
    rows = [(chance.randrange(6), chance.choice("abcd"), chance.choice(ODD)) for _ in range(60)]
    rows += [(6, "a", 1e300), (6, "a", 1e300), (6, "b", inf)]
    everybody = listed(bounding, rows)[1]
    left = [listed(bounding, without(rows, person))[1] for person in range(7)]
    moved = [differences(everybody, others) for others in left]
    moved += [differences(one, other) for one, other in combinations(left, 2)]
    assert max(people for people, _ in moved) == 1
    assert max(value for _, value in moved) == bounding.parts
    assert bounding.parts * bounding.part <= each


def differences(one: Mapping[str, tuple[int, int]], other: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The largest change of a count of people, and of a value."""
    both = [(one.get(item, (0, 0)), other.get(item, (0, 0))) for item in one.keys() | other.keys()]
    return max(abs(a[0] - b[0]) for a, b in both), max(abs(a[1] - b[1]) for a, b in both)


def test_amounts_that_are_none_are_no_rows_and_debts_are_nothing() -> None:
    rows = [(1, "a", None), (1, "b", nan), (1, "c", -3.0), (1, "d", 2.5), (1, "d", -1.0), (2, "d", 1e300)]
    bounding = TopSums(9, 10)
    assert listed(bounding, rows)[1] == {"d": (2, int(1.5 * GRID) + 10 * GRID), "c": (1, 0)}


def test_sums_stay_within_64_bits() -> None:
    rows = [(person, "a", 1e300) for person in range(50)]
    bounded, values = listed(TopSums(1, LARGEST_AMOUNT), rows)
    assert values["a"] == (50, 50 * TopSums(1, LARGEST_AMOUNT).parts)
    assert bounded.values.dtype == np.int64


def test_events_are_added_up_to_the_limit() -> None:
    rows = pa.table({"user": [1] * 9 + [2], "item": ["a"] * 10})
    table = contributions(open_events(rows, ["user", "item"]).table(), [None], events=True, keys=None)
    bounded = TopSums(5, 4, "count").bound(table, bytes(32), None)
    assert (bounded.totals.tolist(), bounded.values.tolist()) == ([2], [5])


def test_what_is_listed() -> None:
    """The engine lists what is most common, ties by the item, and how common the next one is."""
    chance = random.Random(5)
    rows = sorted({(chance.randrange(12), chance.choice("abcdefgh"), 1.0) for _ in range(60)})
    often = Counter(item for _, item, _ in rows)
    for max_items in (1, 3, 7, 8, 20):
        bounded, expected = listed(TopItems(max_items), rows + rows)[0], ranked(often, TopItems(max_items))
        assert bounded.items["item0"].to_pylist() == expected.items["item0"].to_pylist()
        assert bounded.totals.tolist() == bounded.values.tolist() == expected.totals.tolist()
        assert bounded.next == expected.next
    assert listed(TopItems(3), [])[0].next == 0


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_person_s_largest_amount_is_in_one_bin(neighbours: Neighbours) -> None:
    choice = UsualAmounts(Fraction(1, 10), neighbours, 10, "amount")
    rows = [(person, item, amount) for person in range(5) for item, amount in zip("abc", ODD[person:], strict=False)]

    def bins(of: list[tuple[Any, Any, Any]]) -> Integers:
        return choice.look(done(of)).on(choice.starts).people

    everybody = bins(rows)
    for person in range(5):
        change = everybody - bins(without(rows, person))
        assert sorted(change.tolist())[-1] == change.sum() == 1
    assert choice.scale == changed_people(neighbours) * 10
