"""Statistics of groups: what one person adds in a run, side by side; prices of all that is measured; noise everywhere;
bounds and shares."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples, seeds
from tests.groups import LISTED, SCALE, SECRET, Rows, contributed, groups_of
from tests.mechanism.test_rounds import Nobody

from headcount.account import Cost
from headcount.account.calibration.calibrate import SQUARED
from headcount.account.composition import compose
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, JointRound, Neighbours
from headcount.audit.choices import Fixed
from headcount.bound import Split, SplitL2Budget
from headcount.bound.boundings.groups import BoundedFoundGroups, FoundGroups, ListedGroups
from headcount.bound.boundings.shown import PublicItems
from headcount.bound.pairs.vectors import NORMS, VALUES, Groups, Vector
from headcount.estimate.tail.excess import Clipping
from headcount.estimate.tail.noise import Noise, Normal
from headcount.exact import Booleans, Floats, Integers
from headcount.mechanism.groups import measurement as measurement_module
from headcount.mechanism.groups.measured import MeasuredGroups, of_found, of_listed
from headcount.mechanism.groups.metric import EVENTS, PEOPLE, Metric, vectors
from headcount.mechanism.groups.norms import LEAST_SHARE, NoisyNorms, seen_norms, shared
from headcount.mechanism.groups.strategy import DIVISOR_WEIGHT, GroupsStrategy
from headcount.mechanism.groups.units import Squares, Sums
from headcount.mechanism.mechanism import noise_deviation, noise_distribution
from headcount.mechanism.stages import joint
from headcount.noise import NoiseDistribution
from headcount.run import quiet
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.scales.amounts import GRID

BOTH: list[Neighbours] = ["add-remove", "replace"]
BUDGET = Cost(Fraction(1), Fraction(1, 10**6))
METRICS = (
    Metric("people", "people"),
    Metric("events", "events"),
    Metric("sum(x)", "sum"),
    Metric("mean(x)", "mean"),
    Metric("mean(x) per person", "mean per person"),
    Metric("median(x)", "quantile"),
    Metric("people(x)", "people(x)"),
    Metric("events(x)", "events(x)"),
)
SOME = {"all": METRICS, "counts": METRICS[:2], "sum": METRICS[2:3], "median": METRICS[5:6]}
neighbourly = pytest.mark.parametrize("neighbours", BOTH)


def strategy(
    neighbours: Neighbours, metrics: tuple[Metric, ...] = METRICS, *, known: bool = True, bound: float | None = None
) -> GroupsStrategy:
    return GroupsStrategy(
        budget=BUDGET,
        neighbours=neighbours,
        metrics=tuple(replace(metric, bound=metric.bound or bound) for metric in metrics),
        scales=(SCALE,),
        cells=len(LISTED) if known else None,
    )


def mechanism_of(of: GroupsStrategy) -> MeasuredGroups:
    found = of.mechanism(None if of.cells else SplitL2Budget(80, full=3, expected=1000))
    assert isinstance(found, MeasuredGroups)
    return found


class Watched(Groups):
    """Remembers what one person adds."""

    def __init__(self, inner: Groups) -> None:
        self.inner = inner
        self.squares = {"values": 0, "excess": 0, "clipped": 0, "totals": 0}

    def norms(self, vector: Vector) -> Integers:
        return self.inner.norms(vector)

    def clipped(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        found = self.inner.clipped(vector, bound, limit, units)
        self.squares["clipped"] += found**2
        return found

    def excess(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        found = self.inner.excess(vector, bound, limit, units)
        self.squares["excess"] += found**2
        return found

    def totals(self, vector: Vector, bound: float, units: int) -> Integers:
        found = self.inner.totals(vector, bound, units)
        kind = "values" if vector.together else "totals"
        self.squares[kind] += sum(int(total) ** 2 for total in found)
        return found


def clipped_square(watched: Watched, neighbours: Neighbours) -> int:
    """By how much one person may change what is measured of what is clipped: squared. A replaced one may take back
    twice what is clipped from them, and once the excess."""
    sides = 2 if neighbours == "replace" else 1
    return watched.squares["excess"] + sides**2 * watched.squares["clipped"]


@pytest.fixture
def profiled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float]]:
    """The profiles that are looked at: number of people, and deviation of their noise."""
    found: list[tuple[float, float]] = []

    def looked(counts: Floats, noise: Noise, possible: tuple[float, float]) -> NoisyNorms:
        found.append((float(counts.sum()), noise.deviation))
        return NoisyNorms(counts, noise, possible)

    monkeypatch.setattr(measurement_module, "NoisyNorms", looked)
    return found


PERSONS: list[Rows] = [
    [(1, "a", 5.0)],
    [(1, group, 1e300) for group in "abc"],
    [(1, "a", -1e300), (1, "b", 3.0)],
    [(1, group, 40.0) for group in "abc" for _ in range(300)],
    [(1, "a", 0.0)],
]


@neighbourly
@pytest.mark.parametrize(
    "metrics", [METRICS, METRICS[:2], METRICS[2:3], METRICS[5:6]], ids=["all", "counts", "sum", "q"]
)
@pytest.mark.parametrize("bound", [None, 1.0, float(2**50)], ids=["auto", "small", "large"])
def test_one_person_side_by_side(
    neighbours: Neighbours, metrics: tuple[Metric, ...], bound: float | None, profiled: list[tuple[float, float]]
) -> None:
    """All vectors of a person together have at most the norm that the noise is for, in each of the four measurements;
    those that may be negative its root of half, if a person is replaced."""
    measurement = mechanism_of(strategy(neighbours, metrics, bound=bound)).measurement
    half = SQUARED // 2 if neighbours == "replace" else SQUARED
    signed = any(vector.kind == "amount" for vector in measurement.vectors)
    for rows in PERSONS:
        profiled.clear()
        with groups_of(rows, encoded=True) as groups:
            watched = Watched(groups)
            measurement.run(watched, len(LISTED), Fixed(0))
        assert watched.squares["values"] <= SQUARED
        assert clipped_square(watched, neighbours) <= SQUARED * changed_people(neighbours)
        assert watched.squares["totals"] <= (half if signed else SQUARED)
        units = [noise_deviation(noise_distribution(measurement.events[-3])) / deviation for _, deviation in profiled]
        assert sum((people * unit) ** 2 for unit, (people, _) in zip(units, profiled, strict=True)) <= SQUARED


@neighbourly
def test_the_norm_is_attained_side_by_side(neighbours: Neighbours) -> None:
    """By somebody with much of everything, with small bounds."""
    measurement = mechanism_of(strategy(neighbours, bound=1.0)).measurement
    with groups_of(PERSONS[3], encoded=True) as groups:
        watched = Watched(groups)
        measurement.run(watched, len(LISTED), Fixed(0))
    half = 0.5 if neighbours == "replace" else 1.0
    assert watched.squares["totals"] > 0.99 * half * SQUARED
    assert watched.squares["values"] > 0.99 * SQUARED


@neighbourly
@pytest.mark.parametrize("metrics", [METRICS, METRICS[2:3]], ids=["all", "sum"])
def test_what_is_clipped_side_by_side(
    neighbours: Neighbours, metrics: tuple[Metric, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of somebody with much of everything, by small bounds that were chosen: the norm, and no more."""
    monkeypatch.setattr(Clipping, "first_bound", lambda self, people: 1.0)
    monkeypatch.setattr(Clipping, "best_bound", lambda self, noise, groups: 1.0)
    measurement = mechanism_of(strategy(neighbours, metrics)).measurement
    with groups_of(PERSONS[3], encoded=True) as groups:
        watched = Watched(groups)
        measurement.run(watched, len(LISTED), Fixed(0))
    max_items = SQUARED * changed_people(neighbours)
    assert 0.99 * max_items < clipped_square(watched, neighbours) <= max_items


@neighbourly
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=60), st.booleans())
@settings(max_examples=examples(200), deadline=None)
def test_units_of_any_shares(neighbours: Neighbours, weights: list[float], signed: bool) -> None:
    opposite = signed and neighbours == "replace"
    units = Squares().shared(weights, opposite=opposite)
    max_items = SQUARED // 2 if opposite else SQUARED
    assert 0.99 * max_items < sum(unit**2 for unit in units) <= max_items
    assert 0.99 * isqrt(SQUARED) < sum(Sums().shared(weights, opposite=opposite)) <= isqrt(SQUARED)


# what it costs


@neighbourly
def test_known_groups_are_priced_for_everything(neighbours: Neighbours) -> None:
    """At most delta, and all of it; each event for what one person changes."""
    events = of_listed(BUDGET, neighbours, vectors(METRICS))
    assert len(events) == 4
    assert BUDGET.delta * Fraction(999, 1000) < discrete_delta(BUDGET.epsilon, events) <= BUDGET.delta
    assert {event.squared_sensitivity for event in events} == {Fraction(SQUARED * changed_people(neighbours))}
    assert len(of_listed(BUDGET, neighbours, (PEOPLE,))) == 3


@neighbourly
def test_found_groups_are_priced_for_everything(neighbours: Neighbours) -> None:
    """Rounds, their own measurements, and those of the vectors: at most what there is, nearly all of it."""
    finding, events = of_found(BUDGET, FoundGroups(80, full=3), neighbours, vectors(METRICS))
    everything = (*finding.events, *events)
    assert compose.covers(BUDGET, everything)
    assert not compose.covers(Cost(BUDGET.epsilon * Fraction(99, 100), BUDGET.delta), everything)
    assert not compose.covers(Cost(BUDGET.epsilon, BUDGET.delta * Fraction(9, 10)), everything)
    assert {each.squared_sensitivity for each in events} == {Fraction(SQUARED * changed_people(neighbours))}
    assert {each.neighbours for each in finding.rounds} == {neighbours}


@neighbourly
def test_people_alone_are_found_and_counted_as_in_a_histogram(neighbours: Neighbours) -> None:
    """Nothing else is measured, so nothing else is paid for."""
    mechanism = mechanism_of(strategy(neighbours, METRICS[:1], known=False))
    alone = joint.calibrated(strategy(neighbours, known=False).rest, SplitL2Budget(80), neighbours)
    assert mechanism.events == alone.events
    assert (mechanism.measurement.vectors, mechanism.measurement.events) == ((), ())


def test_people_who_are_not_seen_are_those_of_what_is_requested() -> None:
    """Of people by how they are counted while groups are found, of a sum by its own profile."""
    requested = (METRICS[:1], METRICS[:3:2], METRICS[2:3])
    people, both, total = (mechanism_of(strategy("add-remove", some, known=False)) for some in requested)
    assert people.finding is not None
    assert people.undetected_people == people.finding.undetected_people
    assert total.undetected_people == total.measurement.undetected_people
    assert both.finding is not None
    assert both.undetected_people == max(both.finding.undetected_people, both.measurement.undetected_people)


@pytest.mark.parametrize("more", [{"weight": 2.0}, {"bound": 1024.0}, {"target": 0.1}])
def test_people_are_measured_if_more_is_requested_of_them(more: dict[str, float]) -> None:
    """Their bound, weight or target is that of a vector."""
    people = replace(METRICS[0], **more)  # type: ignore[arg-type]
    assert strategy("add-remove", (people,), known=False).vectors == (PEOPLE,)
    assert strategy("add-remove", METRICS[:2], known=False).vectors == (EVENTS,)
    assert strategy("add-remove", METRICS[:2]).vectors == (PEOPLE, EVENTS)


@neighbourly
@pytest.mark.parametrize("known", [True, False], ids=["known", "found"])
def test_every_event_is_charged(neighbours: Neighbours, known: bool) -> None:
    """Everything that draws noise is an event of the mechanism."""
    mechanism = mechanism_of(strategy(neighbours, known=known))
    kinds = [Gaussian] * 4 if known else [*[JointRound] * 4, *[Gaussian] * 8]
    assert [type(event) for event in mechanism.events] == kinds
    assert mechanism.events[-4:] == mechanism.measurement.events


def test_events_are_for_all_cells_that_one_person_changes() -> None:
    found = of_listed(BUDGET, "add-remove", (PEOPLE, EVENTS, Vector("cells", cells=100)))
    assert found[-1].cells == 2**31 * 102
    assert found[-2].cells >= 2 * 3
    assert found[-3].cells >= 3


# noise


class Counted(Fixed):
    """Remembers what was drawn."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.drawn: list[tuple[NoiseDistribution, int]] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self.drawn.append((distribution, size))
        return super().draw(distribution, size)


def ran(rows: Rows, entropy: Fixed, **more: Any) -> Sequence[Any]:
    """A run on known groups, with bounds that do not depend on noise."""
    measurement = mechanism_of(strategy("add-remove", **more)).measurement
    with groups_of(rows, encoded=True) as groups:
        return measurement.run(groups, len(LISTED), entropy).vectors


def test_the_same_is_drawn_whatever_people_have() -> None:
    """The number of draws and their laws follow from the groups and the metrics alone: every bin and group. (The number
    of ranges of a quantile follows from released values.)"""
    nothing, much = Counted(0), Counted(0)
    ran([(1, "d", 1.0)], nothing, metrics=METRICS[:5])
    ran([row for rows in PERSONS for row in rows], much, metrics=METRICS[:5])
    assert nothing.drawn == much.drawn
    sizes = [size for _, size in much.drawn]
    vectors_ = mechanism_of(strategy("add-remove", METRICS[:5])).measurement.vectors
    centres = sum(vector.centred for vector in vectors_)
    totals = [vector.totals(len(LISTED)) for vector in vectors_]
    assert sizes == [*[VALUES.cells] * centres, *[NORMS.cells] * len(vectors_), *[1, 1] * len(vectors_), *totals]


def test_every_total_has_its_noise() -> None:
    """Noise of one norm moves every total alike."""
    given_: dict[str, Any] = {"metrics": METRICS[:3], "bound": 4096.0}
    quiet, loud = (ran(PERSONS[0], Fixed(noise), **given_) for noise in (0, isqrt(SQUARED)))
    for one, other in zip(quiet, loud, strict=True):
        moved = other.totals.values - one.totals.values
        assert moved[0] > 0
        assert moved == pytest.approx(moved[0])


def test_what_is_clipped_has_its_noise() -> None:
    measurement = mechanism_of(strategy("add-remove", METRICS[:3])).measurement
    with groups_of(PERSONS[0], encoded=True) as groups:
        for look in (groups.excess, groups.clipped):
            quiet, loud = (
                measurement._clipped(look, 2**20, PEOPLE, 4096.0, 8192.0, Fixed(noise)).value
                for noise in (0, isqrt(SQUARED))
            )
            assert loud > quiet


def test_every_bin_has_its_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the profile and of the values: also where nobody is."""
    bins: list[Floats] = []

    def norms(counts: Floats, noise: Noise, possible: tuple[float, float]) -> NoisyNorms:
        bins.append(counts)
        return NoisyNorms(counts, noise, possible)

    def centre(people: Floats, noise: Noise) -> float:
        bins.append(people)
        return 0.0

    monkeypatch.setattr(measurement_module, "NoisyNorms", norms)
    monkeypatch.setattr(measurement_module, "_centre", centre)
    ran(PERSONS[0], Fixed(isqrt(SQUARED)))
    assert {len(each) for each in bins} == {NORMS.cells, VALUES.cells}
    assert all((each > 0).all() for each in bins)


def found_groups(
    mechanism: MeasuredGroups, rows: Rows, totals: Integers
) -> tuple[BoundedFoundGroups, list[list[bool]]]:
    """Groups with these totals in the first round, and what people have of them; and the masks of all looks."""
    looked: list[list[bool]] = []
    with contributed(rows, LISTED).read(ReadPlan(encoded=True)) as read:
        listed = ListedGroups().bound(read, SECRET, LISTED)

    def look(shown: Booleans) -> Groups:
        looked.append(shown.tolist())
        return listed.look(shown)

    def look_again(shown: Booleans) -> PublicItems:
        looked.append(shown.tolist())
        return Nobody(int(shown.sum()))

    def spread(shown: Booleans, split: Split) -> Integers:
        return np.zeros(len(shown), dtype=np.int64)

    return BoundedFoundGroups(LISTED, totals, mechanism.bounding.sensitivity, look_again, spread, look), looked


def test_only_shown_groups_are_looked_at() -> None:
    """A group at the threshold of the first round is shown, and one below is not; what people have of that is not asked
    for, neither to count people nor to measure anything else."""
    mechanism = mechanism_of(strategy("add-remove", METRICS[1:2], known=False))
    assert mechanism.finding is not None
    minimum = mechanism.finding.rounds[0].threshold
    bounded, looked = found_groups(mechanism, [(1, "a", 1.0)], np.array([minimum, minimum - 1, minimum + 1, 1]))
    noisy = mechanism.run(bounded, Fixed(0))
    empty = mechanism.run(replace(bounded, totals=bounded.totals * 0), Fixed(0))
    assert looked == [[True, False, True, False]] * 3
    assert noisy.items["item0"].to_pylist() == ["a", "c"]
    assert len(noisy.measured.vectors) == 1
    assert (len(empty.items), empty.measured.vectors) == (0, ())


class Wild(Fixed):
    """Noise with heavy tails, of any size."""

    def __init__(self, seed: int, size: int) -> None:
        super().__init__()
        self.source, self.size = np.random.default_rng(seed), size

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        drawn = np.clip(self.source.standard_cauchy(size), -1e3, 1e3) * self.size
        return np.asarray(drawn.astype(np.int64))


@neighbourly
@pytest.mark.parametrize("known", [True, False], ids=["known", "found"])
def test_no_noise_breaks_a_run(neighbours: Neighbours, known: bool) -> None:
    """Once it is paid for: every statistic is a number, whatever was drawn and whatever people have."""
    mechanism = mechanism_of(strategy(neighbours, known=known))
    first, shown = np.arange(1, len(LISTED) + 1) * 2**26 + 2**30, 0
    for rows in ([row for person in PERSONS for row in person], [(1, "d", 1.0)]):
        bounded, _ = found_groups(mechanism, rows, first)
        for seed, size in product(seeds(5), (1, 2**24, 2**30, 2**45)):
            with quiet():
                noisy = mechanism.run(bounded, Wild(seed, size))
                columns = mechanism.estimate(noisy).by_name
            assert all(np.isfinite(np.array(column, dtype=np.float64)).all() for column in columns.values())
            shown += len(noisy.items)
    assert shown


# bounds and shares


def profile(people: dict[int, float]) -> Floats:
    """People in some bins."""
    counts = np.zeros(NORMS.cells)
    for index, many in people.items():
        counts[index] = many
    return counts


def test_norms_that_are_seen_are_those_of_their_bins() -> None:
    seen = seen_norms(profile({20: 5000.0, 24: 900.0, 60: 3.0}), Normal(2.0))
    assert (seen.norms.min() >= NORMS.edges[20], seen.norms.max() <= NORMS.edges[25]) == (True, True)
    assert seen.people.sum() == pytest.approx(5900)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1e300), st.floats(1e-3, 1e3)), min_size=1, max_size=60))
def test_shares_sum_to_one(both: list[tuple[float, float]]) -> None:
    errors, weights = zip(*both, strict=True)
    found = shared(errors, weights, [None] * len(errors))
    assert found.sum() == pytest.approx(1)
    assert (found >= LEAST_SHARE * np.array(weights) / np.sum(weights) * (1 - 1e-9)).all()


NONE = (None, None)


def test_a_target_gets_what_it_takes() -> None:
    """A quarter of the error takes sixteen times the share; but nine tenths at most."""
    assert shared([0.1, 0.1], [1, 1], (0.2, None)).tolist() == pytest.approx([0.25, 0.75])
    assert shared([0.1, 0.1], [1, 1], (0.01, None)).tolist() == pytest.approx([0.9, 0.1])


def test_a_larger_error_and_a_larger_weight_get_more() -> None:
    assert shared([0.1, 0.01], [1, 1], NONE)[0] > 0.7
    assert shared([0.1, 0.1], [3, 1], NONE)[0] == pytest.approx(0.75)
    assert shared([0.0, 0.0], [1, 1], NONE).tolist() == [0.5, 0.5]


def test_a_sum_follows_from_its_mean() -> None:
    """No vector of its own, if the mean is measured."""
    assert vectors(METRICS[2:4]) == (Vector("events", with_number=True), Vector("amount", centred=True))
    assert vectors(METRICS[2:3]) == (Vector("amount"),)
    assert vectors((METRICS[0], replace(METRICS[0], kind="share"))) == (PEOPLE,)


def test_a_given_bound_and_a_weight_reach_their_vectors() -> None:
    people, events, amount = METRICS[:3]
    weighted = (people, replace(events, weight=2.0), replace(amount, bound=5.0, weight=3.0))
    found = mechanism_of(strategy("add-remove", weighted))
    assert found.measurement.vectors == (PEOPLE, EVENTS, Vector("amount"))
    assert (found.measurement.given, found.measurement.weights) == ((None, None, 5.0), (1.0, 2.0, 3.0))


def test_what_a_mean_is_divided_by_has_no_bound_of_it_and_a_smaller_weight() -> None:
    """But for a sum that is computed from both: its error is that of the count."""
    mean = replace(METRICS[3], bound=5.0, weight=2.0)
    alone = mechanism_of(strategy("add-remove", (METRICS[0], mean))).measurement
    assert alone.vectors == (PEOPLE, Vector("events", with_number=True), Vector("amount", centred=True))
    assert (alone.given, alone.weights) == ((None, None, 5.0), (1.0, 2 * DIVISOR_WEIGHT, 2.0))
    both = mechanism_of(strategy("add-remove", (replace(METRICS[2], weight=3.0), mean))).measurement
    assert (both.given, both.weights) == ((None, 5.0), (3.0, 3.0))


def test_a_centre_is_the_median_of_what_is_seen() -> None:
    counts = np.zeros(VALUES.cells)
    assert measurement_module._centre(counts, Normal(1.0)) == 0
    index = VALUES.cells // 2 + 40
    counts[index] = 500.0
    low, high = VALUES.edges[index : index + 2]
    assert low < measurement_module._centre(counts, Normal(1.0)) < high
    assert measurement_module._centre(-counts, Normal(1.0)) == 0
    assert measurement_module._centre(counts, Normal(200.0)) == 0
    assert GRID == 1024


def test_one_group_has_no_profile_of_its_people() -> None:
    """Everybody is in it once: the noise is for the vectors that are wanted."""
    measurement, entropy = mechanism_of(strategy("add-remove", METRICS[2:3])).measurement, Counted(0)
    with groups_of(PERSONS[0], encoded=True, keys=LISTED.slice(0, 1)) as groups:
        measurement.run(groups, 1, entropy)
    assert [size for _, size in entropy.drawn] == [NORMS.cells, 1, 1, 1]
