"""Distributions on tiny data, and on people who have a million of something.

What is measured about a centre has noise that is too wide for enumeration. So the numbers themselves are compared, in
Python's integers: between neighbours of both kinds they differ by at most what the noise is for, at every centre and
distance, and nearly by that much. Choices are enumerated: every draw of the profile and of the choices that follow.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from audits.mechanisms.distribution import (
    Measurements,
    after_a_profile,
    bounded_draws,
    delta_of_changes,
    measurements,
    noise_events,
    shown,
    sizes,
    squared_differences,
    with_few_shares,
)
from audits.mechanisms.shape import KEY, NoiseOnDifferences
from audits.specimen import Pair, People
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Laplace, Neighbours, Selections
from headcount.audit import Laws
from headcount.audit.choices import Fixed
from headcount.audit.neighbours import pairs
from headcount.bound.boundings import draws as draws_module
from headcount.bound.boundings.draws import BoundedDraws, Draws, ExactDraws, of_each
from headcount.bound.selection.draws import MostDrawn
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.exact import Integers
from headcount.mechanism import AnyMechanism, Recentred, Selected
from headcount.mechanism.distribution import recentred, selected
from headcount.mechanism.distribution.recentred import CENTRE
from headcount.mechanism.distribution.strategy import DistributionStrategy, Method
from headcount.mechanism.mechanism import noise_distribution
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.by_score import ByScore

from .test_mechanisms import BOTH

Counts = tuple[int, ...]
ONE = Fraction(1)
ADDED: Neighbours = "add-remove"
BUDGET = Cost(ONE, ONE / 20)
MILLION = 10**6
BOUNDS = [1, 2, 50, MILLION]
METHODS: list[Method] = ["auto", "recentred", "laplace", "gaussian", "ks", "hypothesis-selection", "sparse"]
FEW: list[Counts] = [counts for counts in product(range(4), repeat=3) if any(counts)]
MUCH: list[Counts] = [
    *((MILLION, 0, 0), (0, 0, MILLION), (MILLION,) * 3, (MILLION, 1, 0), (0, 999_999, MILLION)),
    *((90, 0, 0), (0, 90, 0), (400, 0, 0), (0, 0, 400), (3000, 1, 2), (12_345, 54_321, 777)),
]


def of_counts(people: list[Counts], held: Draws) -> BoundedDraws:
    """People by how often they drew each of three items."""
    counts = np.array(people, dtype=np.int64).reshape(-1, 3)
    there = counts > 0
    keys = pa.table({"item0": [f"item {index}" for index in range(3)]})
    starts = np.append(0, np.cumsum(there.sum(axis=1)))
    return held.of(keys, starts, np.nonzero(there)[1], counts[there])


def pasts(mechanism: Recentred) -> Iterator[tuple[int, Integers, float, Any]]:
    """Centres and distances that earlier rounds may have led to: corners, the middle, nothing at all, and any other."""
    source, radii = np.random.default_rng(8), mechanism._radii()
    corners = [[CENTRE, 0, 0], [0, 0, CENTRE], [0, CENTRE - 1, 0], [CENTRE // 3] * 3, [0, 0, 0], [1, 0, CENTRE - 1]]
    others = np.floor(source.dirichlet([0.4] * 3, 4) * CENTRE).astype(np.int64)
    for centre in (*map(np.array, corners), *others):
        for radius in (radii[0], source.choice(radii), radii[-1]):
            yield mechanism.bounding.max_total, centre, float(radius), radii


def furthest(parts: list[Measurements]) -> list[int]:
    """For each kind of number, how far the contributions of two people differ at most, squared."""
    found = []
    for kind in zip(*parts, strict=True):
        rows = np.array([each.tolist() for each in kind], dtype=object)
        own = (rows**2).sum(axis=1)
        found.append(int((own[:, None] + own - 2 * rows @ rows.T).max()))
    return found


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("max_total", BOUNDS)
def test_what_one_person_changes_is_what_the_noise_is_for(max_total: int) -> None:
    """Added or removed, and replaced, also by somebody who has none of the items: at every past, and nearly attained at
    some."""
    once, twice = (recentred.calibrated(BUDGET, Draws(max_total, max_total), neighbours, 3) for neighbours in BOTH)
    worst = {neighbours: [0, 0, 0, 0] for neighbours in BOTH}
    nobody = of_counts([], once.bounding)
    alone = [of_counts([person], once.bounding) for person in FEW + MUCH]
    for past in pasts(once):
        parts = [measurements(each, *past) for each in alone]
        empty = measurements(nobody, *past)
        for part in parts:
            worst[ADDED] = [*map(max, worst[ADDED], squared_differences(part, empty))]
        worst["replace"] = [*map(max, worst["replace"], furthest([*parts, empty]))]
    for neighbours, mechanism in zip(BOTH, (once, twice), strict=True):
        for found, events in zip(worst[neighbours], noise_events(mechanism), strict=True):
            assert {event.squared_sensitivity for event in events} == {events[0].squared_sensitivity}
            assert found <= events[0].squared_sensitivity
            assert found > 0.97 * events[0].squared_sensitivity


@pytest.mark.parametrize("max_total", [1, 3])
def test_a_table_measures_what_its_people_add(max_total: int) -> None:
    """So that what one person changes does not depend on others. In whatever order people and their items come."""
    mechanism = recentred.calibrated(BUDGET, Draws(max_total, max_total), ADDED, 3)
    source = np.random.default_rng(max_total)
    for past in pasts(mechanism):
        people = [(FEW + MUCH)[index] for index in source.integers(0, len(FEW + MUCH), 3)]
        whole = measurements(of_counts(people, mechanism.bounding), *past)
        parts = [measurements(of_counts([person], mechanism.bounding), *past) for person in people]
        added = [sum(kind[1:], start=kind[0]) for kind in zip(*parts, strict=True)]
        assert [each.tolist() for each in whole] == [each.tolist() for each in added]
        turned = turned_around(of_counts(people[::-1], mechanism.bounding))
        assert [each.tolist() for each in measurements(turned, *past)] == [each.tolist() for each in whole]


def turned_around(bounded: BoundedDraws) -> BoundedDraws:
    """Everybody's pairs, and everybody, from the last to the first."""
    starts = bounded.starts[-1] - bounded.starts[::-1]
    return replace(bounded, starts=starts, indices=bounded.indices[::-1], counts=bounded.counts[::-1])


class Recorded(Fixed):
    """Every draw is 0, and its law is remembered."""

    def __init__(self) -> None:
        super().__init__(0)
        self.distributions: list[NoiseDistribution] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self.distributions.append(distribution)
        return super().draw(distribution, size)


def strategy(method: Method, neighbours: Neighbours, bound: int | str, **more: Any) -> DistributionStrategy:
    return DistributionStrategy(budget=BUDGET, neighbours=neighbours, cells=2, bound=bound, method=method, **more)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("bound", [3, "auto"])
@pytest.mark.parametrize("method", METHODS)
def test_every_draw_is_paid_for(method: Method, neighbours: Neighbours, bound: int | str) -> None:
    """The laws of all draws are those of the events, one by one, and together these cost no more than was typed, and
    hardly less."""
    asked, entropy, people = strategy(method, neighbours, bound), Recorded(), ((("a",) * 3, ("b",) * 3)) * 20
    choice, held = asked.selection, None
    if choice:
        held = bounding_of(choice.draw(sizes(people), entropy))
    made = asked.mechanism(held)
    made.run(drawn_or_counted(people, made), entropy)
    events = [*(choice.events if choice else ()), *made.events]
    noise = Counter(each for each in entropy.distributions if not isinstance(each, ByScore))
    assert noise == Counter(noise_distribution(event) for event in events if isinstance(event, Gaussian | Laplace))
    chosen = [each for each in entropy.distributions if isinstance(each, ByScore)]
    assert len(chosen) == (2 if isinstance(made, Selected) else 0)
    assert {each.rate for each in chosen} <= {e.epsilon / 2 for e in events if isinstance(e, Selections)}
    assert compose.covers(BUDGET, events)
    pure = all(isinstance(event, Laplace) for event in events)
    assert not compose.covers(Cost(BUDGET.epsilon * 9 / 10, 0 * ONE if pure else BUDGET.delta * 9 / 10), events)


def drawn_or_counted(people: People, made: AnyMechanism) -> BoundedDraws:
    held = made.bounding
    if isinstance(held, Draws | ExactDraws):
        return bounded_draws(people, held)
    return replace(bounded_draws(people, Draws(held.limit, held.limit)), sensitivity=held.sensitivity)


@pytest.mark.parametrize("neighbours", BOTH)
def test_public_sizes_cost_nothing_and_private_ones_do(neighbours: Neighbours) -> None:
    for method in ("recentred", "ks"):
        private, public = (strategy(method, neighbours, "auto", public=public).selection for public in (False, True))
        assert private is not None
        assert public is not None
        assert compose.covers(Cost(private.epsilon, 0 * ONE), private.events)
        assert not compose.covers(Cost(private.epsilon * 99 / 100, 0 * ONE), private.events)
        assert public.events == ()
        assert strategy(method, neighbours, "auto").rest.epsilon == 1 - private.epsilon < 1


@pytest.mark.parametrize("neighbours", BOTH)
def test_the_price_of_rounds_by_what_changes(neighbours: Neighbours) -> None:
    """All of it is used up by somebody who is added; with nine tenths of epsilon it is not enough."""
    made = recentred.calibrated(BUDGET, Draws(2, 2), neighbours, 2)
    people: list[Pair] = list(pairs([("a", "a"), ("b", "b"), ("a",), ("a",) * 9], 1, neighbours))
    assert delta_of_changes(made, people, ONE).high <= BUDGET.delta
    assert delta_of_changes(made, people, ONE * 9 / 10).low > BUDGET.delta


def scores(mechanism: Selected, people: People, many: int) -> Integers:
    """Of every item and share."""
    listed = ("a", "b", "c", "d")
    return np.concatenate(
        [each for _, each in mechanism._scores(bounded_draws(people, mechanism.bounding, listed), many)]
    )


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("max_total", [1, 2])
@pytest.mark.parametrize("method", ["ks", "hypothesis-selection"])
def test_scores_change_by_one_and_of_few_items(method: Any, max_total: int, neighbours: Neighbours) -> None:
    """Of as many items as are paid for, exactly; whatever the number of people is said to be."""
    made = selected.calibrated(BUDGET, ExactDraws(max_total), neighbours, 4, method, 7)
    everybody = [tuple(person) for person in product("abcd", repeat=max_total)] + [("a",) * (max_total - 1)]
    crowd: People = (("a",) * max_total, ("b",) * max_total, ("c",) * max_total) * 3
    changed, furthest = set(), 0
    for one, other in pairs(everybody, 1, neighbours):
        for many in (0, 7, 10, 40):
            change = np.abs(scores(made, crowd + one, many) - scores(made, crowd + other, many))
            changed.add(int((change > 0).any(axis=1).sum()))
            furthest = max(furthest, int(change.max()))
    assert furthest == 1
    assert max(changed) == made.event.count == min(4, changed_people(neighbours) * max_total)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("max_total", [1, 2])
def test_presence_changes_by_what_is_paid_for(max_total: int, neighbours: Neighbours) -> None:
    """How many people have each item, and how many people there are."""
    made = selected.calibrated(BUDGET, ExactDraws(max_total), neighbours, 4, "sparse", None)
    everybody = [tuple(person) for person in product("abcd", repeat=max_total)] + [("a",) * (max_total - 1)]
    counted = [
        [shown(made.run(bounded_draws(people, made.bounding, ("a", "b", "c", "d")), Fixed(0))) for people in pair]
        for pair in pairs(everybody, 1, neighbours)
    ]
    changes = [np.array(one, dtype=np.int64) - np.array(other, dtype=np.int64) for one, other in counted]
    assert isinstance(made.people, Gaussian)
    assert made.presence is not None
    assert max(change[0] ** 2 for change in changes) == made.people.squared_sensitivity == 1
    assert max((change[-4:] ** 2).sum() for change in changes) == made.presence.squared_sensitivity
    assert max((change[-4:] != 0).sum() for change in changes) == made.presence.cells


@pytest.mark.slow(but=["add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_a_profile_and_the_choices_that_follow(neighbours: Neighbours) -> None:
    """Every draw of the bins that differ, then every draw of what is chosen with that bound."""
    budget = Cost(6 * ONE, 0 * ONE)
    more: dict[str, Any] = {"share": Fraction(2, 3), "method": "ks", "people": 4}
    asked = DistributionStrategy(budget=budget, neighbours=neighbours, cells=1, **more)
    assert isinstance(asked.selection, MostDrawn)
    run, edges = after_a_profile(asked, with_few_shares), asked.selection.starts
    crowd: People = (("a",) * 8,) * 4
    bounds, less = set(), 0 * ONE
    for one, other in pairs([("a",), ("a", "a"), ("a",) * 9], 1, neighbours):
        both = crowd + one, crowd + other
        bins = [sizes(people).on(edges).people for people in both]
        indices = np.flatnonzero(bins[0] != bins[1]).tolist()

        def watched(people: People, entropy: Entropy, indices: list[int] = indices) -> list[object]:
            seen: list[object] = run(people, NoiseOnDifferences(entropy, lambda many: indices, KEY))
            bounds.add(seen[1])
            return seen

        distributions = Laws(watched, Fraction(1, 10**4))
        assert distributions.worst_delta([both], budget.epsilon).low == 0
        less = max(less, distributions.worst_delta([both], budget.epsilon / 4).low)
    assert less > 0
    assert len(bounds) > 1


@pytest.mark.parametrize("max_total", [1, 2, 3])
def test_every_part_of_a_persons_draws_is_equally_likely(max_total: int) -> None:
    """Four draws of different items; and three, two of them alike: 60,000 people, each with a hash of their own. The
    deviation of a part is at most 0.0021."""
    many = 60_000
    hashes = np.random.default_rng(max_total).integers(0, 2**60, many)
    starts, indices = np.arange(many + 1) * 4, np.tile(np.arange(4), many)
    left, kept, counts = ExactDraws(max_total).kept_of(starts, indices, np.ones(4 * many, np.int64), hashes)
    assert (of_each(counts, left) == max_total).all()
    parts = Counter(map(tuple, kept.reshape(many, max_total).tolist()))
    sets = {tuple(sorted(part[:max_total])) for part in permutations(range(4))}
    assert parts.keys() == sets
    assert all(abs(parts[part] / many - 1 / len(sets)) < 0.0125 for part in sets)
    starts, indices, twice = np.arange(many + 1) * 2, np.tile([0, 1], many), np.tile([2, 1], many)
    _, kept, counts = ExactDraws(1).kept_of(starts, indices, twice, hashes)
    assert abs((kept == 0).mean() - 2 / 3) < 0.0125


EXTREMES = [0, -1, 2**30, -(2**45), 2**61, -(2**61)]


class Jumping(Fixed):
    """Noise of one size, in turn up and down."""

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return self._value * (1 - 2 * (np.arange(size, dtype=np.int64) % 2))


@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("method", ["recentred", "laplace", "gaussian"])
@pytest.mark.parametrize("bound", [1, MILLION])
def test_whatever_is_drawn_nothing_fails(method: Method, bound: int, value: int) -> None:
    """Also if the noise is as wide as numbers are; on nobody, on one person, and on some."""
    made = strategy(method, ADDED, bound).mechanism()
    for people in ((), (("a",),), (("a",) * 20, ("b",)) * 3):
        with np.errstate(all="ignore"):
            noisy = made.run(drawn_or_counted(people, made), Jumping(value))
            columns = made.estimate(noisy).by_name
        shares, low, high = (columns[name] for name in ("share", "low", "high"))
        assert shares.dtype == low.dtype == high.dtype == np.float64
        assert abs(shares.sum() - 1) < 1e-9
        assert ((low >= 0) & (low <= shares) & (shares <= high) & (high <= 1)).all()


class Remembered:
    """What is measured of people, in the order in which it is: each just before its noise is drawn."""

    def __init__(self, bounded: BoundedDraws, patched: pytest.MonkeyPatch) -> None:
        self.values: list[Any] = [np.array([int(bounded.totals.sum())])]  # the mass comes first
        for name in ("within", "mean", "energy"):
            patched.setattr(recentred.CentredPeople, name, self._remembering(getattr(recentred.CentredPeople, name)))

    def _remembering(self, measure: Any) -> Any:
        def measured(*arguments: Any) -> Any:
            found = measure(*arguments)
            self.values.append(np.atleast_1d(found))
            return found

        return measured


class Making(Fixed):
    """Noise that makes of what is measured the same noisy numbers as another run had."""

    def __init__(self, wanted: list[Any], remembered: Remembered) -> None:
        super().__init__(0)
        self.wanted, self.remembered, self.drawn = wanted, remembered, 0

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        noise = self.wanted[self.drawn] - self.remembered.values[self.drawn]
        assert len(noise) == size
        self.drawn += 1
        return np.array(noise, dtype=np.int64)


@pytest.mark.parametrize("neighbours", BOTH)
def test_nothing_but_noisy_numbers_decides_what_is_told(neighbours: Neighbours) -> None:
    """Two neighbours, with noise that leads to the same noisy numbers, have the same result, bit for bit: so whatever
    is measured has its noise, of its own for every number, and nothing else of the data is used."""
    mechanism = recentred.calibrated(BUDGET, Draws(5, 5), neighbours, 3)
    everybody: list[Counts] = [(3, 1, 1), (2, 2, 0), (5, 0, 0), (0, 0, 4), (1, 1, 1)] * 6
    other = everybody[1:] if neighbours == ADDED else [(0, 0, 500), *everybody[1:]]
    results: list[Any] = []
    wanted: list[Any] = []
    for people in (everybody, other):
        bounded = of_counts(people, mechanism.bounding)
        with pytest.MonkeyPatch.context() as patched:
            remembered = Remembered(bounded, patched)
            entropy = Making(wanted, remembered) if wanted else Fixed(0)
            noisy = mechanism.run(bounded, entropy)
        wanted = wanted or remembered.values
        results.append((noisy.values.tolist(), noisy.shares.tolist(), noisy.noise, noisy.mass, noisy.sampling_variance))
    assert results[0] == results[1]
    assert len(wanted) == 8
    assert any((one != two).any() for one, two in zip(wanted, remembered.values, strict=True))


class Leading(Fixed):
    """Laplace noise that makes of one profile the other."""

    def __init__(self, noise: Integers) -> None:
        super().__init__(0)
        self.noise = noise

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        assert len(self.noise) == size
        return self.noise


def test_nothing_but_a_noisy_profile_decides_the_bound() -> None:
    choice = strategy("auto", ADDED, "auto").selection
    assert isinstance(choice, MostDrawn)
    few_, many = (sizes(tuple(("a",) * each for each in people)) for people in ([4] * 900, [4] * 900 + [4000]))
    edges = choice.starts
    noise = few_.on(edges).people - many.on(edges).people
    assert choice.draw(few_, Fixed(0)) == choice.draw(many, Leading(noise))


def test_public_sizes_do_not_tell_how_samples_are_spread() -> None:
    """Counts stop at a million for each item, so two million samples of one item, and of two, are looked at alike."""
    choice = strategy("recentred", "replace", "auto", public=True).selection
    assert choice
    others, nothing = MILLION - 10**4, np.zeros(2, dtype=np.int64)
    one, two = (
        Sizes(np.array([others, max_total]), np.array([40, 1]), nothing) for max_total in (MILLION, 2 * MILLION)
    )
    assert choice.draw(one, Fixed(0)) == choice.draw(two, Fixed(0))


def test_draws_of_equal_numbers_are_told_apart_by_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """If all are equal, the same is kept of somebody, in whatever order pairs come and whoever else is there."""
    monkeypatch.setattr(
        draws_module, "_sort_keys", lambda hashes, indices, copies: np.zeros(len(indices), dtype=np.uint64)
    )
    held = ExactDraws(40)
    indices, counts = np.array([2, 0, 1]), np.array([30, 30, 30])
    for turned in permutations(range(3)):
        order = list(turned)
        for others in (0, 1, 50):
            _, kept_places, kept = held.kept_of(
                np.array([0, 3, 4]),
                np.append(indices[order], 0),
                np.append(counts[order], 41 + others),
                np.zeros(2, int),
            )
            assert dict(zip(kept_places[:2].tolist(), kept[:2].tolist(), strict=True)) == {0: 30, 1: 10}


@pytest.mark.slow(but=["4-1e-6-add-remove-bounds1", "4-1e-6-replace-bounds2"])
@pytest.mark.parametrize(
    ("epsilon", "delta", "neighbours", "bounds"),
    [
        (3, "1e-5", ADDED, range(1, 24)),
        (4, "1e-6", ADDED, (2, 4)),
        (4, "1e-6", "replace", (1,)),
        (1, "0.01", "replace", (1,)),
    ],
)
def test_every_bound_that_may_be_chosen_has_noise(
    epsilon: int, delta: str, neighbours: Neighbours, bounds: Iterable[int]
) -> None:
    """What fails after the profile was drawn could be drawn again."""
    budget = Cost(Fraction(epsilon), Fraction(delta))
    for bound in bounds:
        for cells in (2, 3, 30):
            made = recentred.calibrated(budget, Draws(bound, bound), neighbours, cells)
            assert compose.covers(budget, made.events)
