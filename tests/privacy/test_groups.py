"""Statistics of groups on tiny data: real bounding, then every draw of the noise, for both kinds of neighbours.

Bins are few and units are small, so that all draws can be enumerated; everything else is the real code.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pytest

from audits.mechanisms.groups import remembering
from audits.mechanisms.joint import two_rounds
from headcount.account.composition import cost
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Event, Gaussian, Laplace, Neighbours
from headcount.audit import worst_delta
from headcount.audit.enumerate import Laws
from headcount.audit.neighbours import pairs
from headcount.bound.boundings.groups import BoundedGroups, FoundGroups, ListedGroups
from headcount.bound.pairs import vectors as bound_vectors
from headcount.bound.pairs.vectors import Vector
from headcount.estimate.tail.excess import NOTHING, Clipped, Excess
from headcount.estimate.tail.noise import Noise
from headcount.exact import Floats, Integers
from headcount.mechanism.groups import measurement as measurement_module
from headcount.mechanism.groups.measured import MeasuredGroups
from headcount.mechanism.groups.measurement import GroupMeasurement
from headcount.mechanism.groups.metric import PEOPLE, Metric
from headcount.mechanism.groups.norms import SeenNorms
from headcount.mechanism.groups.units import Squares, Sums, Units
from headcount.noise import Entropy, NoiseDistribution
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.scales.amounts import GRID
from headcount.source.scales.axis import Axis
from tests.groups import SECRET, contributed

Person = tuple[tuple[str, float | None], ...]
BOTH: list[Neighbours] = ["add-remove", "replace"]
KEYS = pa.table({"item0": ["a", "b"]})
AMOUNT = Vector("amount")
CENTRED = Vector("amount", centred=True)
WITH_AMOUNT = Vector("people", with_number=True)
ONE_BIN = Axis((0.0, 2.0**76), 1)
TWO_VALUES = Axis((-(2.0**50), 0.0, 2.0**50), 2)
BOUND = float(4 * GRID)


@dataclass(frozen=True)
class Open(GroupMeasurement):
    """The measurement that shows everything: what is clipped twice, beside what `seen` has."""

    seen: list[list[float]] = field(default_factory=list, compare=False)

    def _clipped(self, *arguments: object) -> Clipped:
        found = super()._clipped(*arguments)  # type: ignore[arg-type]
        self.seen.append([found.value])
        return found


@dataclass(frozen=True)
class Known:
    """In place of what follows from a profile: one bound for everything, and nothing is added back."""

    bound: float = BOUND
    seen: SeenNorms = field(default_factory=lambda: SeenNorms(np.array([BOUND]), np.array([1.0])))

    @property
    def clipping(self) -> "Known":
        return self

    def first_bound(self, people: float) -> float:
        """Above some of the people that are clipped: they have no excess."""
        return 500 * self.bound

    def given(self, bound: float, measured: Clipped) -> "Known":
        return self

    def best_bound(self, noise: float, groups: int) -> float:
        return self.bound

    def best_limit(self, bound: float, ratio: float, noise: float) -> float:
        return bound

    def ratios(self, *arguments: object) -> None: ...

    def excess(self, *arguments: object) -> Excess:
        return NOTHING


@pytest.fixture(autouse=True)
def few_bins(monkeypatch: pytest.MonkeyPatch) -> list[list[float]]:
    """One bin of norms and two of amounts; what is seen in them, with noise. The bound that is chosen is BOUND."""
    seen: list[list[float]] = []
    for module in (bound_vectors, measurement_module):
        monkeypatch.setattr(module, "NORMS", ONE_BIN)
        monkeypatch.setattr(module, "VALUES", TWO_VALUES)
    plain = measurement_module._centre

    def norms(counts: Floats, noise: Noise, possible: tuple[float, float]) -> Known:
        seen.append(counts.tolist())
        return Known()

    def centre(people: Floats, noise: Noise) -> float:
        seen.append(people.tolist())
        return plain(people, noise)

    monkeypatch.setattr(measurement_module, "NoisyNorms", norms)
    monkeypatch.setattr(measurement_module, "_centre", centre)
    return seen


class Only(Entropy):
    """Some of the draws are left to another entropy; all others are 0."""

    def __init__(self, inner: Entropy, indices: Collection[int]) -> None:
        self._inner, self._places, self._place = inner, indices, -1

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self._place += 1
        return self._inner.draw(distribution, size) if self._place in self._places else np.zeros(size, dtype=np.int64)

    def secret(self) -> bytes:
        return self._inner.secret()


@lru_cache(maxsize=1000)
def bounded(people: tuple[Person, ...], bounding: FoundGroups | ListedGroups) -> BoundedGroups:
    """The people's groups, by way of the engine."""
    keys = KEYS if isinstance(bounding, ListedGroups) else None
    rows = [(number, *row) for number, person in enumerate(people) for row in person]
    with contributed(rows, keys, None).read(ReadPlan(encoded=True)) as read:
        return remembering(bounding.bound(read, SECRET, keys))


def gaussian(variance: int, squared: int, cells: int, neighbours: Neighbours) -> Gaussian:
    """Noise for one person's squared norm in units."""
    changed = changed_people(neighbours)
    return Gaussian(Fraction(variance), Fraction(squared * changed), changed * cells)


PARTS = {
    "values": ((CENTRED,), KEYS, 12, [0], 0),
    "profile": ((PEOPLE, AMOUNT), KEYS, 12, [0, 1], 0),
    "profile of those with an amount": ((WITH_AMOUNT,), KEYS, 12, [0, 1], 0),
    "clipped": ((AMOUNT,), KEYS, 12, [2, 3], 1),
    "totals of two groups": ((AMOUNT,), KEYS, 12, [4], 2),
    "totals of two vectors": ((PEOPLE, AMOUNT), KEYS.slice(0, 1), 16, [6, 7], 2),
}
"""Vectors, groups, norm of one person in units, places of the draws, and the event of these."""
KINDS: list[Person] = [
    *((("a", 900.0),), (("a", -900.0),), (("a", 2.0), ("b", -1e300), ("c", 5.0)), (("c", 7.0),)),
    (("a", None), ("b", 8.0)),
]
CROWD: tuple[Person, ...] = ((("a", 1.0),), (("b", 1.0),))


def shown(
    part: str, event: Gaussian | Laplace, units: Units, neighbours: Neighbours, few_bins: list[list[float]]
) -> Callable[[tuple[Person, ...], Entropy], object]:
    """All that a part of the measurement lets see, if everything else has no noise."""
    vectors, keys, _, indices, _ = PARTS[part]
    events = (event,) * (4 if vectors[0].centred else 3)
    chosen = (None,) * len(vectors)
    measurement = Open(events, vectors, (1.0,) * len(vectors), neighbours, chosen, units=units)  # type: ignore[arg-type]

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        few_bins.clear()
        measurement.seen.clear()
        listed = np.arange(len(KEYS)) < len(keys)
        unprofiled = units.order == 1 and len(keys) > 1 and PEOPLE not in vectors and part != "values"
        drawn = [index - 1 for index in indices] if unprofiled else indices
        found = measurement.run(bounded(people, ListedGroups()).look(listed), len(keys), Only(entropy, drawn))
        if part.startswith(("values", "profile")):
            return few_bins[: len(indices)]
        return list(measurement.seen) if part == "clipped" else [each.totals.values.tolist() for each in found.vectors]

    return run


def neighbouring(neighbours: Neighbours) -> list[tuple[tuple[Person, ...], tuple[Person, ...]]]:
    return [(CROWD + one, CROWD + other) for one, other in pairs(KINDS, 1, neighbours)]


@pytest.mark.slow(but=["profile-add-remove", "clipped-replace", "totals of two groups-replace"])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_the_measurement(part: str, neighbours: Neighbours, few_bins: list[list[float]]) -> None:
    """Every draw of it: at most its price, and not far below. With groups that are not listed, and amounts of either
    sign. If a person is replaced, one bin changes only for somebody who has nothing of the groups."""
    norm = PARTS[part][2]
    squared = norm**2 + 1  # a little is lost by rounding
    event = gaussian(norm**2 // 2, squared, 8, neighbours)
    run = shown(part, event, Squares(squared), neighbours, few_bins)
    exact = worst_delta(run, neighbouring(neighbours), 1, Fraction(1, 300))
    price = discrete_delta(Fraction(1), [event])
    assert exact.low <= price
    assert exact.high > price * Fraction(1, 4)


def found_in(rounds: int, threshold: int, neighbours: Neighbours, vector: Vector) -> MeasuredGroups:
    """Groups that are found in one round or two, in units of which a person has two, and a vector of them."""
    both = two_rounds(neighbours)
    first, last = (replace(each, threshold=threshold) for each in (both.earlier[0], both.event))
    last = replace(last, mean_variance=last.variance) if rounds == 1 else last
    bounding = FoundGroups(2, squared=4, expected=2)
    earlier, weights = (first,)[: rounds - 1], both.weights[-rounds:]
    finding = replace(both, bounding=bounding, earlier=earlier, event=last, weights=weights)
    events = (gaussian(4, 17, 2, neighbours),) * 3
    measurement = GroupMeasurement(events, (vector,), (1.0,), neighbours, (None,), units=Squares(17), most_groups=2)
    return MeasuredGroups(bounding, last, measurement, (Metric("sum(x)", "sum"),), (None,), finding)


@pytest.mark.slow(but=["clipped-replace"])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("part", PARTS)
def test_each_part_with_laplace_noise(part: str, neighbours: Neighbours, few_bins: list[list[float]]) -> None:
    """Every draw of it: no delta at its price, and one at less than half of it."""
    max_items, scale = 13, Fraction(6)
    sensitivity = Fraction(max_items * changed_people(neighbours))
    run = shown(part, Laplace(scale, sensitivity), Sums(max_items), neighbours, few_bins)
    distributions = Laws(run, Fraction(1, 1000))
    exact = distributions.worst_delta(neighbouring(neighbours), sensitivity / scale)
    assert exact.low == 0
    assert exact.high < Fraction(1, 40)
    assert distributions.worst_delta(neighbouring(neighbours), sensitivity / scale * LESS[neighbours]).low > Fraction(
        1, 100
    )


LESS: dict[Neighbours, Fraction] = {"add-remove": Fraction(2, 5), "replace": Fraction(1, 4)}
"""The part of the price at which a delta is left: of a replaced person, one bin or one number is half of it; and of two
vectors, one may be far below its bound."""


def everything(mechanism: MeasuredGroups, few_bins: list[list[float]]):  # type: ignore[no-untyped-def]
    """All that a run lets see."""

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        few_bins.clear()
        noisy = mechanism.run(bounded(people, mechanism.bounding), entropy)
        totals = [each.totals.values.tolist() for each in noisy.measured.vectors]
        clipped = [each.totals.clipped for each in noisy.measured.vectors]
        counts = noisy.rounds.second.totals.values.tolist() if noisy.rounds else []
        return noisy.items["item0"].to_pylist(), noisy.values.tolist(), counts, list(few_bins), clipped, totals

    return run


def delta_of(events: Sequence[Event], epsilon: Fraction) -> Fraction:
    """The delta of events at this epsilon."""
    own, noise = cost.split(events)
    return own.delta + discrete_delta(epsilon - own.epsilon, noise)


CROWDED: tuple[Person, ...] = ((("a", 1.0),),) * 6


@pytest.mark.slow(sibling="test_each_part_of_the_measurement")
def test_found_and_measured_in_a_crowd(few_bins: list[list[float]], monkeypatch: pytest.MonkeyPatch) -> None:
    """All draws of a group that is found in one round and measured: at most the price of all, and more than that of
    finding it. Nothing is clipped, so that the noise of what is clipped says nothing: it is left out, and its price as
    well."""
    monkeypatch.setattr(Known, "best_bound", lambda self, noise, groups: float(GRID))
    mechanism, half = found_in(1, 8, "add-remove", PEOPLE), Fraction(1, 2)
    run, (profile, _, totals) = everything(mechanism, few_bins), mechanism.measurement.events
    people = [((*CROWDED, (("a", 1.0), ("a", 2.0))), CROWDED)]

    def measured(people: tuple[Person, ...], entropy: Entropy) -> object:
        return run(people, Only(entropy, [0, 1, 4]))

    exact = worst_delta(measured, people, half, Fraction(1, 500))
    assert delta_of([mechanism.event], half) < exact.low <= delta_of([mechanism.event, profile, totals], half)


@pytest.mark.slow(sibling="test_what_is_shown_and_measured_is_shown_by_chance_alone")
def test_found_counted_and_measured_in_a_crowd(few_bins: list[list[float]], monkeypatch: pytest.MonkeyPatch) -> None:
    """A group that is surely found in the first round, whose people are counted in the second, and that is measured
    then: at most the price of all three, and more than that of any alone. What else is drawn is not shown."""
    monkeypatch.setattr(Known, "best_bound", lambda self, noise, groups: float(GRID))
    mechanism, half = found_in(2, 1, "add-remove", PEOPLE), Fraction(1, 2)
    assert mechanism.finding is not None
    run = everything(mechanism, few_bins)
    events: list[Event] = [*mechanism.finding.rounds, mechanism.measurement.events[-1]]
    crowd = CROWDED * 3
    people = [((*crowd, (("a", 1.0),)), crowd)]

    def measured(people: tuple[Person, ...], entropy: Entropy) -> object:
        items, values, counts, _, _, totals = run(people, Only(entropy, [0, 1, 5]))
        return items, values, counts, totals

    exact = worst_delta(measured, people, half, Fraction(1, 300))
    noise = [noise for event in events for noise in cost.noises(event)]
    assert max(discrete_delta(half, [each]) for each in noise) < exact.low
    assert exact.high <= discrete_delta(half, noise)


@pytest.mark.parametrize("neighbours", BOTH)
def test_what_is_shown_and_measured_is_shown_by_chance_alone(
    neighbours: Neighbours, few_bins: list[list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that one person has alone: every draw that finds it. Once it is found, everything is given away, and
    that is in the price."""
    monkeypatch.setattr(Known, "best_bound", lambda self, noise, groups: float(GRID))
    mechanism = found_in(1, 5, neighbours, AMOUNT)
    run = everything(mechanism, few_bins)
    kinds: list[Person] = [(("a", 5.0),), (("b", -1e300),), (("a", 1.0), ("b", 1.0))]
    crowd: tuple[Person, ...] = ((("a", 1.0),),)

    def found(people: tuple[Person, ...], entropy: Entropy) -> object:
        return run(people, Only(entropy, [0]))

    people = [(crowd + one, crowd + other) for one, other in pairs(kinds, 1, neighbours)]
    exact = worst_delta(found, people, 1, Fraction(1, 1000))
    assert 0 < exact.low <= delta_of(mechanism.events, Fraction(1))
