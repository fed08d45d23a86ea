"""All mechanisms from end to end on tiny data: real bounding by the engine, then every draw of the noise.

The exact delta over all neighbours of both kinds is never above what was asked for, and noise / 1.1 would be seen.
People are above the bound, at it and below; what bounding keeps is decided by a fixed secret, for any of which the
promise must hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pytest
from ibis.expr import types as ir

from audits.on_tables import sizes
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.curves.threshold import changed_people, gaussian_delta, laplace_delta
from headcount.account.events import Gaussian, GaussianThreshold, Neighbours, RandomizedThreshold, WeightedThreshold
from headcount.audit import Laws, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import (
    Bounded,
    BoundedWeighted,
    Bounding,
    SampledEvents,
    SampledItems,
    ScaledToSize,
    ScaledToSum,
    WeightedClip,
)
from headcount.bound.boundings.shown import PeopleSizes, PublicItems
from headcount.bound.selection.loss import SamplingLoss
from headcount.bound.selection.profile import Profile
from headcount.exact import Integers
from headcount.mechanism import AnyMechanism, NoisyTwice, NoisyWithScalar, Thresholded, Weighted
from headcount.mechanism.scalar import with_scalar
from headcount.mechanism.stages import clipped
from headcount.mechanism.stages import second as unknown_second
from headcount.mechanism.stages.clipped import Clipped
from headcount.mechanism.stages.second import SecondMeasurement
from headcount.mechanism.unknown import thresholded
from headcount.noise import Entropy, NoiseDistribution
from headcount.source import Contributions, contributions
from headcount.source.contributions.contributions import ReadPlan
from tests.tables import on_shared_engine

Person = tuple[str, ...]
BOTH: list[Neighbours] = ["add-remove", "replace"]
LEFT_OUT = Fraction(1, 10**4)
SECRET = bytes(range(32))
KEYS = pa.table({"item0": ["a", "b"]})


@lru_cache(maxsize=2000)
def bounded(people: Sequence[Person], bounding: Bounding, events: bool, known: bool) -> Bounded:
    """The people's totals, by way of the engine."""
    rows = [(number, item) for number, person in enumerate(sorted(people)) for item in person]
    table = pa.table(
        {
            "user": pa.array([_name(people, user) for user, _ in rows], pa.string()),
            "item": pa.array([item for _, item in rows], pa.string()),
        }
    )
    done, keys = _done(on_shared_engine(table), events, known), KEYS if known else None
    if not isinstance(bounding, WeightedClip):
        return bounding.bound(done, SECRET, keys)
    with done.read(ReadPlan(encoded=True)) as read:  # in numbers, as the table on the engine is soon another one
        return remembering(bounding.bound(read, SECRET, keys))


def remembering(bounded: BoundedWeighted) -> BoundedWeighted:
    """The same, with a second look that is computed once for every list and bound."""

    @lru_cache
    def look_again(shown: tuple[bool, ...]) -> PublicItems:
        return Remembered(bounded.look_again(np.array(shown)))

    return replace(bounded, look_again=lambda shown: look_again(tuple(shown.tolist())))


class Remembered(PublicItems):
    """A second look, each part of it once."""

    def __init__(self, inner: PublicItems) -> None:
        self.norm, self.found, self._sizes = inner.norm, lru_cache(inner.totals), inner.sizes

    @property
    def sizes(self) -> PeopleSizes:
        return self._sizes

    def totals(self, bound_squared: int) -> Integers:
        return self.found(bound_squared)


@lru_cache
def _done(table: ir.Table, events: bool, known: bool) -> Contributions:
    """What each person did, in whatever table is there."""
    return contributions(table, [None], events=events, keys=KEYS if known else None)


def _name(people: Sequence[Person], number: int) -> str:
    """The same name for the same person in neighbouring datasets: their items, and which of those alike they are."""
    ordered = sorted(people)
    return f"{ordered[number]}{ordered[:number].count(ordered[number])}"


def run_of(mechanism: AnyMechanism, *, events: bool = False, known: bool = False):  # type: ignore[no-untyped-def]
    """The mechanism on people."""

    def run(people: tuple[Person, ...], entropy: Entropy) -> dict[str, int]:
        noisy = mechanism.run(bounded(people, mechanism.bounding, events, known), entropy)
        return dict(zip(noisy.items["item0"].to_pylist(), noisy.values.tolist(), strict=True))

    return run


def below(exact: Fraction, delta: Fraction) -> bool:
    """At most delta, but for what two draws on two datasets left undecided."""
    return exact <= delta + 4 * LEFT_OUT


ITEMS: list[Person] = [("a",), ("b",), ("a", "b")]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta"), [("2", "1/20"), ("1", "1/10")])
@pytest.mark.parametrize("bound", [1, 2])
def test_thresholded_people(neighbours: Neighbours, epsilon: str, delta: str, bound: int) -> None:
    """With a bound of 1, who has two items is above it."""
    budget = Cost(Fraction(epsilon), Fraction(delta))
    mechanism = thresholded.calibrated(budget, SampledItems(bound), neighbours)
    exact = worst_delta(run_of(mechanism), pairs(ITEMS, 2, neighbours), budget.epsilon, LEFT_OUT)
    assert below(exact.high, budget.delta)


@pytest.mark.slow(but=["add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_both_kinds_of_noise_with_a_threshold(neighbours: Neighbours) -> None:
    """Whichever the choice would be, both must be private; in a crowd, where only noise protects, as well."""
    crowd = (("a", "b"),) * 12
    few = list(pairs(ITEMS, 1, neighbours))
    people = few + [(crowd + one, crowd + other) for one, other in few]
    epsilon, two = Fraction(2), 2 if neighbours == "replace" else 1
    laplace = RandomizedThreshold(Fraction(two), 2, 1, 7, neighbours, Fraction(2, 5))
    gaussian = GaussianThreshold(Fraction(4), 2, 1, 7, neighbours)
    for event, price in ((laplace, laplace_delta(laplace)), (gaussian, gaussian_delta(epsilon, gaussian))):
        exact = worst_delta(run_of(Thresholded(SampledItems(2), event)), people, epsilon, LEFT_OUT)
        assert below(exact.high, price)


@pytest.mark.parametrize("neighbours", BOTH)
def test_thresholded_events(neighbours: Neighbours) -> None:
    """Up to three events of a person, of whom two count."""
    kinds: list[Person] = [("a",), ("a", "a"), ("a", "b"), ("a", "a", "b"), ("b", "b", "b")]
    budget = Cost(Fraction(3), Fraction(1, 10))
    mechanism = thresholded.calibrated(budget, SampledEvents(2), neighbours)
    run = run_of(mechanism, events=True)
    assert below(worst_delta(run, pairs(kinds, 1, neighbours), budget.epsilon, LEFT_OUT).high, budget.delta)


@pytest.mark.slow(but=["people-replace"])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_clipped_laplace(neighbours: Neighbours, events: bool) -> None:
    """Pure: delta is 0; and at nine tenths of the epsilon it is not, so the noise is not more than needed."""
    bounding = ScaledToSum(2, largest=2, grid=1) if events else ScaledToSum(1, largest=1, grid=2)
    kinds: list[Person] = [("a",), ("b",), ("a", "b"), ("a", "a", "b"), ("a", "a"), ("b", "b")]
    mechanism = clipped.laplace(Cost(Fraction(2), Fraction(0)), bounding, 2, neighbours)
    run = run_of(mechanism, events=events, known=True)
    people = list(pairs(kinds, 2 if neighbours == "add-remove" else 1, neighbours))
    distributions = Laws(run, LEFT_OUT)
    assert below(distributions.worst_delta(people, 2).high, Fraction(0))
    assert distributions.worst_delta(people, Fraction(9, 5)).low > Fraction(1, 200)


@pytest.mark.slow(but=["add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_a_sample_of_public_items(neighbours: Neighbours) -> None:
    """Every draw of what sampling loses, and of one count: of people who lose nothing, one item, or as much as
    counts. Both are paid for out of one epsilon, and no delta is needed."""
    half = Cost(Fraction(1), Fraction(0))
    loss = SamplingLoss(half.epsilon, neighbours, SampledItems(1))
    mechanism = clipped.laplace(half, SampledItems(1), 2, neighbours)

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        drawn = loss.draw(sizes(people), entropy)
        return drawn.lost, mechanism.run(bounded(people, mechanism.bounding, False, True), entropy).values[:1].tolist()

    distributions, few = Laws(run, Fraction(1, 500)), list(pairs([("a",), ("b",), tuple("abcdefgh")], 1, neighbours))
    assert distributions.worst_delta(few, 2).low == 0
    assert distributions.worst_delta(few, Fraction(9, 10)).low > 0
    both = Laws(run_of(mechanism, known=True), LEFT_OUT)
    assert both.worst_delta(few, 1).low == 0
    assert both.worst_delta(few, Fraction(9, 10)).low > Fraction(1, 200)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
def test_clipped_gaussian(neighbours: Neighbours, events: bool) -> None:
    """At most delta, and not far below: half of the noise's variance would be seen."""
    bounding = ScaledToSize(4, largest=2, grid=1) if events else ScaledToSize(2, largest=1, grid=1)
    kinds: list[Person] = [("a",), ("b",), ("a", "b"), ("a", "a", "b"), ("a", "a"), ("b", "b")]
    budget = Cost(Fraction(2), Fraction(1, 10))
    mechanism = clipped.gaussian(budget, bounding, 2, neighbours)
    people = list(pairs(kinds, 1, neighbours))
    exact = worst_delta(run_of(mechanism, events=events, known=True), people, budget.epsilon, LEFT_OUT)
    assert below(exact.high, budget.delta)
    assert exact.low > budget.delta / 4


@dataclass(frozen=True)
class Open(SecondMeasurement):
    """The second measurement that shows its profile, too."""

    profiles: list[list[float]] = field(default_factory=list, compare=False)

    def look(self, shown: PublicItems, items: int, entropy: Entropy) -> Profile:
        profile = super().look(shown, items, entropy)
        self.profiles.append(profile.counts.tolist())
        return profile


def seen_of(mechanism: AnyMechanism, *, events: bool = False, known: bool = False):  # type: ignore[no-untyped-def]
    """Everything that the mechanism lets see: the first values; the profile, the bound, the clipped amount, the totals
    and the number of people who have far more of the second measurement."""

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        noisy = mechanism.run(bounded(people, mechanism.bounding, events, known), entropy)
        more: tuple[object, ...] = ()
        if isinstance(noisy, NoisyTwice):
            assert isinstance(mechanism, Weighted)
            assert isinstance(mechanism.second, Open)
            again, profile = noisy.second, mechanism.second.profiles[-1]
            far = again.above.people if again.above else None
            more = (profile, again.bound_squared, again.totals.values.tolist(), again.clipped.values.tolist(), far)
        return dict(zip(noisy.items["item0"].to_pylist(), noisy.values.tolist(), strict=True)), more

    return run


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("events", [False, True], ids=["people", "events"])
@pytest.mark.parametrize(("variance", "threshold", "epsilon"), [(2, 5, 1), (4, 7, 2), (3, 4, 2)])
def test_weighted(neighbours: Neighbours, events: bool, variance: int, threshold: int, epsilon: int) -> None:
    """People within and above the bound, with own and with common items; every draw of the first measurement."""
    kinds: list[Person] = [("a",), ("b",), ("a", "b"), ("a", "a"), ("a", "a", "b")] if events else ITEMS
    bounding = WeightedClip(1, 4, 10**6 if events else 1, squared=4)
    event = WeightedThreshold(Fraction(variance), Fraction(4), 4, threshold, neighbours)
    exact = worst_delta(
        seen_of(Weighted(bounding, event), events=events), pairs(kinds, 1, neighbours), epsilon, Fraction(1, 10**3)
    )
    assert exact.low <= gaussian_delta(Fraction(epsilon), event)
    assert exact.high > 0


def noise(variances: Sequence[int], squared: int, neighbours: Neighbours) -> list[Gaussian]:
    """Noise on the profile, the clipped amount, the totals and the number of people who have far more, in units of
    which one person adds the root of `squared`."""
    changed = changed_people(neighbours)
    parts = zip(variances, (2, 1, 2, 1), strict=True)
    return [Gaussian(Fraction(each), Fraction(squared * min(changed, k)), changed * k) for each, k in parts]


@pytest.fixture
def one_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second profile has one bin, so that all draws can be enumerated; and everybody has far more than nothing."""
    monkeypatch.setattr(unknown_second, "size_edges", lambda largest: (1,))
    monkeypatch.setattr(unknown_second, "FAR", 0)


class Only(Entropy):
    """One of the draws is left to another entropy; all others are 0."""

    def __init__(self, inner: Entropy, index: int) -> None:
        self._inner, self._place, self._before = inner, index, 0

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self._before += 1
        return (
            self._inner.draw(distribution, size) if self._before == self._place + 1 else np.zeros(size, dtype=np.int64)
        )

    def secret(self) -> bytes:
        return self._inner.secret()


PARTS = {"profile": (1, 4, 16), "clipped": (2, 64, 4096), "totals": (3, 4, 16), "far": (4, 4, 16)}
"""Place among the draws, norm of one person in units, and variance."""
NEAR = {"profile": Fraction(1, 4), "clipped": Fraction(1, 20), "totals": Fraction(1, 2), "far": Fraction(1, 4)}
"""The least part of its price that each attains."""


@pytest.mark.usefixtures("one_bin")
@pytest.mark.slow(
    but=["profile-add-remove-unknown", "clipped-replace-known", "totals-replace-unknown", "far-replace-known"]
)
@pytest.mark.parametrize("known", [False, True], ids=["unknown", "known"])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_the_second_measurement(neighbours: Neighbours, part: str, known: bool) -> None:
    """Every draw of it, given which items are shown: a and b, and c is not. At most its price, and near it; unless a
    person is replaced, which changes one of two bins if there is only one."""
    index, norm, variance = PARTS[part]
    again = noise([variance] * 4, norm**2, neighbours)
    plain = Gaussian(Fraction(variance), Fraction(norm**2 * changed_people(neighbours)), 4)
    threshold = WeightedThreshold(Fraction(variance), Fraction(norm**2), 4, 3 * norm, neighbours)
    bounding = WeightedClip(1, 4, 1, squared=norm**2)
    mechanism = Weighted(bounding, plain if known else threshold, Open(tuple(again), 1, norm**2, max_shown=2))
    everything = seen_of(mechanism, known=known)

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        shown, (profile, bound, totals, clipped, far) = everything(people, Only(entropy, index))
        assert set(shown) == {"a", "b"}
        return {"profile": profile, "totals": (bound, totals), "clipped": clipped, "far": far}[part]

    crowd: tuple[Person, ...] = (("a",), ("b",)) * 4
    kinds: list[Person] = [("a",), ("b",), ("c",), ("a", "b", "c")]
    people = [(crowd + one, crowd + other) for one, other in pairs(kinds, 1, neighbours)]
    exact, price = worst_delta(run, people, 1, Fraction(1, 2000)), discrete_delta(Fraction(1), [again[index - 1]])
    assert exact.low <= price
    assert exact.high > price * NEAR[part]


@pytest.mark.usefixtures("one_bin")
@pytest.mark.slow(sibling="test_each_part_of_the_second_measurement")
def test_weighted_twice_in_a_crowd() -> None:
    """All draws of both measurements together, of a person whose item is shown anyway: at most the price of all, and
    more than that of the first alone would be."""
    again, half = noise([2, 2, 2, 2], 4, "add-remove"), Fraction(1, 2)
    event = WeightedThreshold(Fraction(2), Fraction(4), 2, 8, "add-remove")
    mechanism = Weighted(WeightedClip(1, 2, 1, squared=4), event, Open(tuple(again), 1, 4, max_shown=2))
    crowd: tuple[Person, ...] = (("a",),) * 6
    exact = worst_delta(seen_of(mechanism), [((*crowd, ("a",)), crowd)], half, Fraction(1, 50))
    assert gaussian_delta(half, event) < exact.low <= gaussian_delta(half, event, again)


@pytest.mark.parametrize("neighbours", BOTH)
def test_thresholded_people_and_what_sampling_took_away(neighbours: Neighbours) -> None:
    """Every draw of both; of people who lose nothing, one item, or as much as counts. At a smaller epsilon there is
    more than delta: what is lost is not measured for nothing."""
    budget = Cost(Fraction(2), Fraction(1, 20))

    half = Cost(budget.epsilon / 2, budget.delta)
    loss = SamplingLoss(half.epsilon, neighbours, SampledItems(1))
    mechanism = thresholded.calibrated(half, SampledItems(1), neighbours)

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        drawn = loss.draw(sizes(people), entropy)
        noisy = mechanism.run(bounded(people, mechanism.bounding, False, False), entropy)
        return drawn.lost, noisy.items["item0"].to_pylist(), noisy.values.tolist()

    kinds: list[Person] = [("a",), ("a", "b"), tuple("abcdefgh")]
    distributions, few = Laws(run, LEFT_OUT), list(pairs(kinds, 1, neighbours))
    assert below(distributions.worst_delta(few, budget.epsilon).high, budget.delta)
    assert distributions.worst_delta(few, Fraction(9, 10)).low > budget.delta


@pytest.mark.slow(but=["add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_a_number_beside_clipped_counts(neighbours: Neighbours) -> None:
    """Every draw of both, of one of two public items: what is clipped is paid for out of the same epsilon."""
    budget = Cost(Fraction(2), Fraction(0))

    def counted(rest: Cost) -> Clipped:
        return clipped.laplace(rest, ScaledToSum(1, largest=2, grid=1), len(KEYS), neighbours)

    mechanism = with_scalar(budget, "taken", counted, Fraction(1, 2))
    assert compose.covers(budget, mechanism.events)
    assert not compose.covers(Cost(Fraction(19, 10), Fraction(0)), mechanism.events)

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        noisy = mechanism.run(bounded(people, mechanism.bounding, True, True), entropy)
        assert isinstance(noisy, NoisyWithScalar)
        return noisy.values[:1].tolist(), noisy.number

    kinds: list[Person] = [("a",), ("a",) * 9]
    distributions, few = Laws(run, Fraction(1, 500)), list(pairs(kinds, 1, neighbours))
    assert distributions.worst_delta(few, budget.epsilon).low == 0
    assert distributions.worst_delta(few, Fraction(9, 10)).low > 0


@pytest.mark.parametrize("neighbours", BOTH)
def test_weighted_in_a_crowd(neighbours: Neighbours) -> None:
    """Where only noise protects: the exact delta is near the price, so less noise would be seen."""
    bounding = WeightedClip(1, 2, 1, squared=4)
    event = WeightedThreshold(Fraction(6), Fraction(4), 2, 9, neighbours)
    crowd: tuple[Person, ...] = (("a",), ("b",)) * 9
    people = [(crowd + one, crowd + other) for one, other in pairs([("a",), ("b",)], 1, neighbours)]
    exact = worst_delta(seen_of(Weighted(bounding, event)), people, 1, Fraction(1, 10**3))
    price = gaussian_delta(Fraction(1), event)
    assert exact.low <= price
    assert exact.high > price / 2
