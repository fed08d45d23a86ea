"""Several statistics of each group, on the worst neighbours: groups that are found or known, the profile of what people
have of them, what bounds clip, and the totals. Nothing is imitated: a table is read and bounded as in a release, and
every run draws all of the noise.

A person is the tuple of their rows, each a group and an amount: "a=10"; "a=" has none. What differs between the
neighbours is one person, who adds as much as one can in some way.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa

from audits.on_tables import released as released_people
from audits.on_tables import remembering as remembering_rounds
from audits.specimen import ONE, Cases, Deltas, People, Plans, Run
from headcount.account import Cost
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.audit.enumerate import worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounding
from headcount.bound.boundings.groups import BoundedFoundGroups, BoundedGroups, FoundGroups, ListedGroups
from headcount.bound.pairs.vectors import Groups, Vector
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.selection import bounding_of
from headcount.bound.selection.statistics import Sizes
from headcount.exact import Floats, Integers
from headcount.mechanism.groups.measured import MeasuredGroups, NoisyGroups
from headcount.mechanism.groups.measurement import Events, GroupMeasurement
from headcount.mechanism.groups.metric import Metric
from headcount.mechanism.groups.strategy import FEW_TOTALS, GroupsStrategy
from headcount.mechanism.groups.units import Squares, Sums, Units
from headcount.noise import Entropy, NoiseDistribution
from headcount.source import Contributions, contributions, open_events
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.scales.axis import between

DELTA, LARGE_DELTA = Fraction(1, 100), Fraction(3, 10)
"""With the larger one, mistakes show in fewer runs."""
LETTERS = "abcdefghijklmnop"
SCALE = between([0, 5, 10, 20, 40])
CROWD: People = tuple(tuple(f"{group}=10" for group in (LETTERS * 2)[first : first + 4]) for first in range(16)) * 15
"""Each of sixteen groups has sixty people, with an amount of 10 each."""
MANY = FEW_TOTALS + 1
"""Number of known groups with Gaussian noise."""
QUARTERS = 4
SLOW = 20
"""The factor by which there are fewer runs than of other specimens."""
EVERYTHING = (
    Metric("people", "people"),
    Metric("events", "events"),
    Metric("mean(x)", "mean"),
    Metric("median(x)", "quantile"),
)
SUMS = (Metric("people", "people"), Metric("sum(x)", "sum"))
WITH_NUMBER = (*SUMS, Metric("people(x)", "people(x)"), Metric("events(x)", "events(x)"))
RICH, POOR = ("a=1000000000000",), ("a=-1000000000000",)
FOUND: dict[str, tuple[Neighbours, tuple[Metric, ...], tuple[tuple[str, ...], ...]]] = {
    "a huge amount": ("add-remove", SUMS, (RICH,)),
    "every group": ("add-remove", EVERYTHING, (tuple(f"{group}=40" for group in LETTERS),)),
    "an own group": ("add-remove", SUMS, (("a=10", "own=10"),)),
    "very many events": ("add-remove", EVERYTHING, (("a=-5",) * 1000,)),
    "missing amounts": ("replace", WITH_NUMBER, (("a=",) * 100, ("a=40",) * 100)),
    "another": ("replace", EVERYTHING, (tuple(f"{group}=40" for group in LETTERS), ("a=-1000",) * 50)),
}
"""Kind of neighbours, metrics, and the person who is there or not; or the two of whom one is."""

PLANS: Plans = [
    ("groups", "aggregate", {"by": "item", "metrics": ["people", "mean(price)"]}),
    (
        "groups",
        "aggregate",
        {
            "by": "item",
            "keys": [f"item {number}" for number in range(10)],
            "metrics": ["people", "sum(price)", "mean(price)"],
        },
    ),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def honest() -> Cases:
    """Specimens that keep their claim."""
    for name, (neighbours, metrics, people) in FOUND.items():
        left, right = ((person,) for person in people) if len(people) > 1 else (people, ())
        yield f"groups, {name}", found(neighbours, metrics), DELTA, (CROWD + left, CROWD + right), SLOW
    yield "groups, the opposite sign", known("replace"), LARGE_DELTA, OPPOSITE, SLOW
    yield "groups, few totals", known("replace", groups=FEW_TOTALS), Fraction(0), OPPOSITE_OF_ALL, SLOW


def wrong() -> Cases:
    """Mistakes: amounts of either sign have the units of those that are not negative, if a person is replaced; and
    noise for a hundredth of what one person adds."""
    yield "signs that are not paid for", known("replace", _unsigned), LARGE_DELTA, OPPOSITE, SLOW // 4
    yield "statistics of groups that are not paid for", known("replace", _quieter), LARGE_DELTA, OPPOSITE, SLOW


def enumerations(neighbours: Neighbours) -> Deltas:
    """The totals of one sum whose bound is given, in small units: epsilon, priced delta, and exact delta on tiny data.
    What is drawn before them changes nothing about them, and is left out."""
    changed, squared, max_items = changed_people(neighbours), 65, 9
    event = Gaussian(Fraction(40), Fraction(squared * changed), changed)
    pure = Laplace(Fraction(max_items * changed), Fraction(max_items * changed))
    people = [(CROWD[:3] + one, CROWD[:3] + other) for one, other in pairs([RICH, POOR, ("a=3", "b=4")], 1, neighbours)]
    exact = worst_delta(_totals((event,) * 3, Squares(squared), neighbours), people, ONE)
    yield "groups, totals", ONE, discrete_delta(ONE, [event]), exact
    exact = worst_delta(_totals((pure,) * 3, Sums(max_items), neighbours), people, ONE)
    yield "groups, few totals", ONE, Fraction(0), exact


def _totals(events: Events, units: Units, neighbours: Neighbours) -> Run[People]:
    """The totals of one group, whose bound is given."""
    measurement = GroupMeasurement(events, (Vector("amount"),), (1.0,), neighbours, (10_240.0,), units=units)

    def run(people: People, entropy: Entropy) -> list[float]:
        look = _bounded(people, ListedGroups(), 1).look(np.ones(1, dtype=bool))
        return [float(each) for each in measurement.run(look, 1, _Last(entropy)).vectors[0].totals.values]

    return run


class _Last(Entropy):
    """Noise for the totals of one vector whose bound is given, of one group; before them comes a profile."""

    def __init__(self, inner: Entropy) -> None:
        self._inner, self._draws = inner, 0

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self._draws += 1
        return self._inner.draw(distribution, size) if self._draws == 2 else np.zeros(size, dtype=np.int64)

    def secret(self) -> bytes:
        return self._inner.secret()


OPPOSITE = ((RICH, *CROWD[:8]), (POOR, *CROWD[:8]))
"""Two people with amounts of opposite sign."""
IN_ALL = tuple(tuple(row.replace("a", group) for row in one for group in "abc") for one in (RICH, POOR))
OPPOSITE_OF_ALL = ((IN_ALL[0], *CROWD[:8]), (IN_ALL[1], *CROWD[:8]))
"""The same in three groups."""
Changed = Callable[[MeasuredGroups], MeasuredGroups]


def _unsigned(mechanism: MeasuredGroups) -> MeasuredGroups:
    return replace(mechanism, measurement=replace(mechanism.measurement, neighbours="add-remove"))


def _quieter(mechanism: MeasuredGroups) -> MeasuredGroups:
    events = tuple(
        replace(event, variance=event.variance / 10_000)
        for event in mechanism.measurement.events
        if isinstance(event, Gaussian)
    )
    return replace(mechanism, measurement=replace(mechanism.measurement, events=events))


def found(neighbours: Neighbours, metrics: tuple[Metric, ...]) -> Run[People]:
    """Find groups, count their people and measure them; the number of groups up to which people count in full at first
    is an output as well."""
    strategy = _strategy(DELTA, neighbours, metrics)

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        assert strategy.selection is not None
        chosen = bounding_of(strategy.selection.draw(_sizes(people), entropy))
        selected = strategy.mechanism(chosen)
        assert isinstance(selected, MeasuredGroups)
        noisy = selected.run(_bounded(people, _comparable(selected.bounding)), entropy)
        counted = released_people(noisy.rounds or noisy, selected.bounding.unit)
        return {"bound": chosen.limit, **counted, **released(noisy)}

    return run


def _comparable(bounding: Bounding) -> Bounding:
    """The same, without what it does not bound by."""
    return replace(bounding, expected=0) if isinstance(bounding, FoundGroups) else bounding


def known(neighbours: Neighbours, changed: Changed = lambda mechanism: mechanism, groups: int = MANY) -> Run[People]:
    """Measure the sums of known groups, whose bound is given."""
    strategy = replace(_strategy(LARGE_DELTA, neighbours, (replace(SUMS[1], bound=10_240.0),)), cells=groups)
    mechanism = strategy.mechanism()
    assert isinstance(mechanism, MeasuredGroups)
    wanted = changed(mechanism)

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        return released(wanted.run(_bounded(people, wanted.bounding, groups), entropy))

    return run


def _strategy(delta: Fraction, neighbours: Neighbours, metrics: tuple[Metric, ...]) -> GroupsStrategy:
    return GroupsStrategy(
        budget=Cost(ONE, delta),
        neighbours=neighbours,
        share=Fraction(1, 5),
        metrics=metrics,
        scales=(SCALE,),
        cells=None,
    )


def released(noisy: NoisyGroups) -> dict[str, object]:
    """What one person may show in: the list; bound, clipped amount, one total and the sum of all totals of each
    vector."""
    seen: dict[str, object] = {"items": noisy.items["item0"].to_pylist()}
    for index, each in enumerate(noisy.measured.vectors):
        totals, lost = each.totals, each.totals.clipped
        clipped = lost.value / max(lost.deviation, 1e-300)
        seen |= {f"bound {index}": each.bound, f"clipped {index}": round(QUARTERS * clipped)}
        seen |= _one_and_all(str(index), totals.values / totals.deviation)
    return seen


def _one_and_all(name: str, values: Floats) -> dict[str, object]:
    """In quarters of a deviation: an audit learns more from values that occur again."""
    quarters = QUARTERS * values
    return {f"one {name}": np.rint(quarters[:1]).tolist(), f"all {name}": round(float(quarters.sum()))}


class _Remembered(Groups):
    """What people have of public groups, each part computed once."""

    def __init__(self, inner: Groups) -> None:
        self._norms, self._clipped = lru_cache(inner.norms), lru_cache(1024)(inner.clipped)
        self._excess, self._totals = lru_cache(1024)(inner.excess), lru_cache(1024)(inner.totals)

    def norms(self, vector: Vector) -> Integers:
        return self._norms(vector)

    def clipped(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        return self._clipped(vector, bound, limit, units)

    def excess(self, vector: Vector, bound: float, limit: float, units: int) -> int:
        return self._excess(vector, bound, limit, units)

    def totals(self, vector: Vector, bound: float, units: int) -> Integers:
        return self._totals(vector, bound, units)


def _read(people: People, keys: pa.Table | None = None) -> Contributions:
    rows = [(number, *row.split("=")) for number, person in enumerate(people) for row in person]
    users, groups, amounts = zip(*rows, strict=True)
    table = pa.table({"user": users, "group": groups, "x": [float(amount or "nan") for amount in amounts]})
    events = open_events(table, table.column_names).table()
    return contributions(events, [None], events=False, keys=keys, scales=(SCALE,))


@lru_cache(maxsize=64)
def _sizes(people: People) -> Sizes:
    with _read(people).read(ReadPlan(encoded=True)) as pairs:
        return FromProfile(ONE, "add-remove", 1).look(pairs)


@lru_cache(maxsize=256)
def _bounded(people: People, bounding: Bounding, known: int = 0) -> BoundedGroups:
    """The bounded people by one secret, for any of which the promise must hold; the first groups may be known."""
    keys = pa.table({"item0": list(LETTERS[:known])}) if known else None
    with _read(people, keys).read(ReadPlan(encoded=True)) as pairs:
        bounded = bounding.bound(pairs, bytes(32), keys)
    assert isinstance(bounded, BoundedGroups)
    return remembering(bounded)


def remembering(bounded: BoundedGroups) -> BoundedGroups:
    """The same, with looks that are computed once for every list of groups and every bound."""

    @lru_cache
    def look(shown: tuple[bool, ...]) -> Groups:
        return _Remembered(bounded.look(np.array(shown)))

    kept = remembering_rounds(bounded) if isinstance(bounded, BoundedFoundGroups) else bounded
    return replace(kept, look=lambda shown: look(tuple(shown.tolist())))
