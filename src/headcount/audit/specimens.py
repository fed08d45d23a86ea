"""Specimens that test the audit itself: honest mechanisms, and the classic mistakes.

Each is a function of people and of the entropy object; a person is the tuple of their items. Specimens use the parts of
the product's mechanisms: laws from `noise`, their parameters from `account.calibrate`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa

from headcount.account import Cost, calibrate, zcdp
from headcount.account.cost import native
from headcount.account.events import (
    Adaptive,
    Gaussian,
    GaussianThreshold,
    Neighbours,
    RandomizedThreshold,
    SampleThreshold,
    WeightedThreshold,
)
from headcount.account.gaussian import discrete_delta
from headcount.account.threshold import changed_people, gaussian_delta, laplace_delta
from headcount.audit import correlated, distributed, groups, joint, rounds, sampled, shaped, twice
from headcount.audit.enumerate import Delta, worst_delta
from headcount.audit.found_first import People, profiled
from headcount.audit.mistakes import (
    clamped_count,
    float_count,
    ordered_by_appearance,
    refusing_rare,
    support_before_bounding,
)
from headcount.audit.neighbours import pairs
from headcount.audit.sampled import ONE, Run
from headcount.audit.statistical import Finding, audit
from headcount.bound import Bounded, BoundedTop, SampledItems, ScaledToSize, ScaledToSum, TopItems, WeightedClip
from headcount.bound.selection.plume import Discovered
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.mechanism import (
    AnyMechanism,
    Clipped,
    CountRelease,
    NoisyFound,
    Plume,
    Sampled,
    Thresholded,
    Weighted,
)
from headcount.mechanism.baseline import plume
from headcount.mechanism.baseline.strategy import PlumeStrategy
from headcount.mechanism.known import clipped
from headcount.mechanism.topk.levels import Level
from headcount.mechanism.unknown import weighted
from headcount.mechanism.unknown.strategy import Weights
from headcount.noise import Entropy, Law, SystemEntropy
from headcount.noise.laplace import DiscreteLaplace


@dataclass(frozen=True)
class Specimen:
    """A mechanism with what it claims, and two neighbours on which a wrong claim shows."""

    name: str
    run: Run[People]
    epsilon: Fraction
    delta: Fraction
    honest: bool
    """False if the claim is known to be wrong."""
    left: People
    right: People
    slow: int = 1
    """The factor by which it gets fewer runs than others."""

    def audit(self, runs: int, progress: Callable[[int], None] = lambda done: None) -> Finding:
        """Audit the claim as a black box."""
        entropy = SystemEntropy()

        def run(people: People) -> object:
            return self.run(people, entropy)

        own_runs = runs // self.slow
        return audit(
            run, self.left, self.right, epsilon=self.epsilon, delta=self.delta, runs=own_runs, progress=progress
        )


def noisy_count(law: Law) -> Run[People]:
    """The noisy number of people."""
    return lambda people, entropy: len(people) + int(entropy.draw(law, 1)[0])


def noisy_histogram(law: Law, threshold: int) -> Run[People]:
    """People per item, items not known in advance; those at or above the threshold, in order of the items."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        counts = Counter(item for person in people for item in set(person))
        noisy = dict(zip(sorted(counts), entropy.draw(law, len(counts)).tolist(), strict=True))
        shown = {item: counts[item] + draw for item, draw in noisy.items()}
        return {item: value for item, value in shown.items() if value >= threshold}

    return run


PERSON = ("a",)
"""A person with one item."""


@dataclass(frozen=True)
class Enumeration:
    """A mechanism on tiny data: its priced delta, and its exact delta."""

    name: str
    neighbours: Neighbours
    epsilon: Fraction
    price: Fraction
    exact: Delta

    @property
    def sound(self) -> bool:
        """True if the exact delta is at most the price."""
        return self.exact.low <= self.price


def enumerations() -> Iterator[Enumeration]:
    """Enumerate all mechanisms, all kinds of noise, both kinds of neighbours; up to two people with one or two of two
    items, alone or in a crowd. Trees and searches: up to three people with one of three cells each. Shapes: one person
    more, or another. Distributions: the same. Rounds, and joint
    ones: two of them, one person more, or another. Short lists: two items, one person more, or another."""
    both: tuple[Neighbours, ...] = ("add-remove", "replace")
    crowd = (("a", "b"),) * 14
    for neighbours in both:
        few = list(pairs([("a",), ("b",), ("a", "b")], 2, neighbours))
        people = few + [(crowd + one, crowd + other) for one, other in few]
        for name, mechanism, epsilon, price in _priced(neighbours):
            run = sampled.with_joint_coins(on_people(mechanism))
            yield Enumeration(name, neighbours, epsilon, price, worst_delta(run, people, epsilon))
        for name, epsilon, price, exact in (
            *sampled.priced(neighbours),
            *shaped.priced(neighbours),
            *distributed.priced(neighbours),
            *rounds.priced(neighbours),
            *joint.priced(neighbours),
            *groups.priced(neighbours),
            *correlated.priced(neighbours),
        ):
            yield Enumeration(name, neighbours, epsilon, price, exact)


def _priced(neighbours: Neighbours) -> Iterator[tuple[str, AnyMechanism, Fraction, Fraction]]:
    """Each mechanism with an epsilon, and its priced delta."""
    changed = changed_people(neighbours)
    laplace = RandomizedThreshold(ONE, bound=2, largest=1, threshold=5, neighbours=neighbours, coin=ONE / 3)
    yield "thresholded, Laplace", Thresholded(SampledItems(2), laplace), 2 * changed * ONE, laplace_delta(laplace)
    gaussian = GaussianThreshold(2 * ONE, items=2, largest=1, threshold=5, neighbours=neighbours)
    yield "thresholded, Gaussian", Thresholded(SampledItems(2), gaussian), ONE, gaussian_delta(ONE, gaussian)
    pure = clipped.laplace(Cost(2 * ONE, 0 * ONE), ScaledToSum(2, largest=1, grid=1), 2, neighbours)
    yield "clipped, Laplace", pure, 2 * ONE, 0 * ONE
    both = clipped.gaussian(Cost(ONE, ONE / 20), ScaledToSize(2, largest=1, grid=1), 2, neighbours)
    assert isinstance(both.event, Gaussian)
    yield "clipped, Gaussian", both, ONE, discrete_delta(ONE, [both.event])
    scaled = WeightedThreshold(2 * ONE, 2 * ONE, items=2, threshold=5, neighbours=neighbours)
    yield "weighted", Weighted(WeightedClip(2, 2, 1, squared=2), scaled), ONE, gaussian_delta(ONE, scaled)
    items = found_in((ONE / 2, ONE), most=1, chance=ONE / 20, variance=0 * ONE, rho=ONE * 3 / 10, neighbours=neighbours)
    yield "count-release", items, 2 * ONE, items.event.delta + zcdp.delta(items.event.rho, 2 * ONE)
    counted = found_in((ONE,), most=1, chance=ONE / 20, variance=4 * ONE, rho=ONE * 4 / 10, neighbours=neighbours)
    yield "count-release, with counts", counted, 2 * ONE, counted.event.delta + zcdp.delta(counted.event.rho, 2 * ONE)
    discovered = Discovered(SampledItems(2), _items(["a", "b"]), gaussian)
    counts = [plume.within(ONE / 2, discovered, neighbours, target=target) for target in (None, ONE)]
    yield "plume", counts[0], ONE, discrete_delta(ONE, [counts[0].event])
    yield "plume, threshold", counts[1], ONE, discrete_delta(ONE, [counts[1].event])
    reported = SampleThreshold(ONE / 4, threshold=2, items=2, neighbours=neighbours, epsilon=ONE)
    yield "sample-threshold", Sampled(SampledItems(2), reported), ONE, native(reported).delta


def found_in(
    epsilons: tuple[Fraction, ...],
    *,
    most: int,
    chance: Fraction,
    variance: Fraction,
    rho: Fraction,
    neighbours: Neighbours = "add-remove",
    kind: type[Level] = Level,
) -> CountRelease:
    """Count release with levels of these epsilons; with counts, if there is a variance."""
    rates = [epsilon / changed_people(neighbours) for epsilon in epsilons]
    levels = tuple(kind(rate, chance, variance, most, neighbours, each_pays=False) for rate in rates)
    target = ONE / 10 if variance else None
    return CountRelease(TopItems(most), Adaptive(rho, len(levels) * chance), levels, target=target)


class LightBottom(Level):
    """A mistake: a level whose bottom weighs no more than an item, so that items of one person are selected."""

    @cached_property
    def factor(self) -> Fraction:
        return ONE


def on_people(mechanism: AnyMechanism) -> Run[People]:
    """A mechanism as a function of people who are within its bound; known items are a and b."""

    @lru_cache(maxsize=64)
    def bounded(people: People) -> Bounded:
        counts = Counter(item for person in people for item in person)
        if isinstance(mechanism.bounding, TopItems):
            return ranked(counts, mechanism.bounding)
        present = ["a", "b"] if isinstance(mechanism, Clipped | Plume) else sorted(counts)
        totals = np.array([counts[item] * mechanism.bounding.unit for item in present], dtype=np.int64)
        return Bounded(_items(present), totals, mechanism.bounding.sensitivity)

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        noisy = mechanism.run(bounded(people), entropy)
        values: list[object] = noisy.values.tolist()
        if isinstance(noisy, NoisyFound):
            values = list(zip(noisy.levels.tolist(), values, strict=True))
        return dict(zip(noisy.items["item0"].to_pylist(), values, strict=True))

    return run


def ranked(counts: Mapping[str, int], bounding: TopItems) -> BoundedTop:
    """The candidates, as an engine would list them from these counts of people."""
    order = sorted(counts, key=lambda item: (-counts[item], item))
    totals = np.array([counts[item] for item in order], dtype=np.int64)
    following = int(totals[bounding.most]) if len(totals) > bounding.most else 0
    listed = totals[: bounding.most]
    return BoundedTop(_items(order[: bounding.most]), listed, bounding.sensitivity, following, listed)


def _items(names: list[str]) -> pa.Table:
    return pa.table({"item0": pa.array(names, pa.string())})


def after_a_profile(budget: Cost) -> Run[People]:
    """Bounds from a private profile, then the counts of people within them; both are outputs."""
    strategy = Weights(
        budget=budget, neighbours="add-remove", count="users", share=Fraction(1, 5), by_name=True, again=False
    )
    choice, mechanism_for = strategy.selection, lru_cache(maxsize=None)(strategy.mechanism)

    def run(people: People, entropy: Entropy) -> tuple[int, object]:
        many = np.bincount([len(person) for person in people], minlength=2)
        there = np.flatnonzero(many)
        chosen = bounding_of(choice.draw(Sizes(there, many[there], many[there]), entropy))
        return chosen.limit, on_people(mechanism_for(chosen))(people, entropy)

    return run


def found_first(budget: Cost) -> Run[People]:
    """Items found first and counted afterwards, with two private profiles; both bounds are outputs."""
    choice = PlumeStrategy(budget=budget, neighbours="add-remove", count="users", share=Fraction(1, 5)).selection
    return profiled(choice, choice.rho)


DELTA = Fraction(1, 100)
COUNTED = ((PERSON,) * 3, (PERSON,) * 2)
ALONE = ((("a",),) * 9 + (("b",),), (("a",),) * 9)
CROWDED = ((PERSON,) * 30 + (("b",),), (PERSON,) * 30)
FIVE = ((PERSON,) * 5, (PERSON,) * 4)
PARTS = (sampled, shaped, distributed, twice, rounds, joint, groups, correlated)
"""Modules with further specimens."""
Case = tuple[str, Run[People], Fraction, tuple[People, People], int]
"""Name, function, delta, both neighbours, and the factor by which it gets fewer runs."""


def specimens() -> list[Specimen]:
    """The list that `headcount audit` runs through. Epsilon is 1 everywhere, delta at most 1/30."""
    return [
        Specimen(name, run, ONE, delta, honest, *pair, slow)
        for honest, cases in ((True, _honest()), (False, _wrong()))
        for name, run, delta, pair, slow in cases
    ]


def _threshold() -> RandomizedThreshold:
    """Laplace noise and a threshold, for one item of each person."""
    return calibrate.randomized_threshold(ONE, DELTA, bound=1, largest=1)


def _found(kind: type[Level]) -> Run[People]:
    """Items found one by one."""
    rho = zcdp.rho(ONE, DELTA / 2)
    return on_people(found_in((ONE / 4,), most=2, chance=DELTA / 2, variance=100 * ONE, rho=rho, kind=kind))


def _honest() -> list[Case]:
    joint = calibrate.joint_gaussian(ONE, DELTA, items=1, largest=1)
    pure = clipped.laplace(Cost(ONE, 0 * ONE), ScaledToSum(1, largest=1), 2, "add-remove")
    quiet = clipped.gaussian(Cost(ONE, DELTA), ScaledToSize(1, largest=1), 2, "add-remove")
    scaled = weighted.calibrated(Cost(ONE, DELTA), WeightedClip(1, 1, 1), "add-remove", again=False)
    coins = SampleThreshold(ONE / 4, threshold=4, items=1, neighbours="add-remove", epsilon=ONE)
    event = _threshold()
    return [
        ("clipped, Laplace", on_people(pure), Fraction(0), COUNTED, 1),
        ("clipped, Gaussian", on_people(quiet), DELTA, COUNTED, 1),
        ("thresholded, Laplace", on_people(Thresholded(SampledItems(1), event)), laplace_delta(event), ALONE, 1),
        ("thresholded, Gaussian", on_people(Thresholded(SampledItems(1), joint)), DELTA, ALONE, 1),
        ("weighted", on_people(scaled), DELTA, ALONE, 1),
        ("weighted, after a profile", after_a_profile(Cost(ONE, DELTA)), DELTA, ALONE, 1),
        ("plume", found_first(Cost(ONE, DELTA)), DELTA, ((PERSON,) * 20, (PERSON,) * 19), 1),
        ("count-release", _found(Level), DELTA, CROWDED, 10),
        ("sample-threshold", on_people(Sampled(SampledItems(1), coins)), native(coins).delta, FIVE, 4),
        *(case for part in PARTS for case in part.honest()),
    ]


def _wrong() -> list[Case]:
    laplace, narrow = DiscreteLaplace(ONE), DiscreteLaplace(ONE / Fraction("1.1"))
    event = _threshold()
    lower = replace(event, threshold=event.threshold - 1)
    shown, paid = on_people(Thresholded(SampledItems(1), event)), laplace_delta(event)
    swapped = ((("b",),) + (("a",), ("b",)) * 9, (("a",), ("b",)) * 9)
    many = ((tuple("abcdefghijklmnop"),), ())
    return [
        ("noise / 1.1", noisy_count(narrow), Fraction(0), COUNTED, 1),
        ("threshold off by one", on_people(Thresholded(SampledItems(1), lower)), paid, ALONE, 1),
        ("noise in floating point", float_count(ONE), Fraction(0), ((PERSON,), ()), 1),
        ("noise clamped at 4", clamped_count(laplace, 4), Fraction(0), COUNTED, 1),
        ("keys in order of rows", ordered_by_appearance(shown), paid, swapped, 1),
        ("an error for rare items", refusing_rare(shown), paid, ALONE, 1),
        ("support before bounding", support_before_bounding(shown, event.threshold), paid, many, 1),
        ("a bottom as light as an item", _found(LightBottom), DELTA, CROWDED, 20),
        *(case for part in PARTS for case in part.wrong()),
    ]
