"""Privacy events: what happened, as frozen data. `cost` computes what they cost.

An event never changes its meaning: ledgers keep events for years. A new kind of event is a new class; a class that has
been released keeps its name and its fields. Sensitivities are those for the neighbouring relation that the release
promised (for one person replaced, the l1 sensitivity is twice, the squared l2 sensitivity of non-negative counts
twice that of one person added or removed).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

from headcount.errors import BadParameter
from headcount.exact import rational, whole, written

Neighbours = Literal["add-remove", "replace"]


class _Checked:
    """Base class that rejects invalid field values, which would have a wrong price."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            _check(field.name, field.type, getattr(self, field.name))


def _check(name: str, kind: Any, value: Any) -> None:
    if kind is Fraction:
        rational(name, value, fix=f"{name}=Fraction(1)")
        if (
            not isinstance(value, Fraction)
            or value < 0
            or (value == 0 and name in ("scale", "variance", "mean_variance"))
        ):
            raise BadParameter(f"{name}={value!r}: a fraction above 0 is needed.", fix=f"{name}=Fraction(1)")
        if name == "delta" and value > 1:
            raise BadParameter(f"{name}={value!r}: it is at most 1.", fix="delta=Fraction(1, 10**6)")
        if name == "rate" and not 0 < value < 1:
            raise BadParameter(f"{name}={value!r}: it lies between 0 and 1.", fix="rate=Fraction(1, 10)")
        if name == "coin" and value >= 1:
            raise BadParameter(f"{name}={value!r}: it is below 1.", fix="coin=Fraction(1, 10)")
    elif kind is int:
        whole(name, value, least=1, fix=f"{name}=1")
    elif value not in get_args(Neighbours):
        raise BadParameter(f"{name}={value!r}: unknown.", fix=f'{name}="add-remove" or {name}="replace"')


@dataclass(frozen=True)
class Laplace(_Checked):
    """Discrete Laplace noise was added to integers."""

    name: ClassVar[str] = "laplace"
    scale: Fraction
    """The noise k has weight exp(-|k| / scale)."""
    sensitivity: Fraction
    """The most by which one person changes the integers, in total (l1)."""


@dataclass(frozen=True)
class Gaussian(_Checked):
    """Discrete Gaussian noise was added to integers."""

    name: ClassVar[str] = "gaussian"
    variance: Fraction
    """The noise k has weight exp(-k^2 / (2 variance))."""
    squared_sensitivity: Fraction
    """The most by which one person changes the integers: sum of squares (l2, squared)."""
    cells: int
    """Number of integers that one person can change."""


@dataclass(frozen=True)
class Selection(_Checked):
    """One item was chosen by softmax weights whose log-ratio between neighbours has a range of at most epsilon."""

    name: ClassVar[str] = "selection"
    epsilon: Fraction


@dataclass(frozen=True)
class Selections(_Checked):
    """One item was chosen in each of many sets of weights, as by `Selection`; one person changes at most `count` sets,
    and leaves the others as they are."""

    name: ClassVar[str] = "selections"
    epsilon: Fraction
    """Largest range of the log-ratio of a set's weights between neighbours."""
    count: int
    """Number of sets that one person can change."""


@dataclass(frozen=True)
class LaplaceThreshold(_Checked):
    """Discrete Laplace noise on every item that occurs; shown if the noisy count is at least the threshold."""

    name: ClassVar[str] = "laplace-threshold"
    scale: Fraction
    bound: int
    """The most that one person adds to all items together."""
    largest: int
    """The most that one person adds to one item."""
    threshold: int
    neighbours: Neighbours


@dataclass(frozen=True)
class RandomizedThreshold(LaplaceThreshold):
    """The same, where a coin is added to each noisy count before it is compared with the threshold."""

    name: ClassVar[str] = "randomized-laplace-threshold"
    coin: Fraction
    """Probability that the coin is 1; else it is 0."""


@dataclass(frozen=True)
class GaussianThreshold(_Checked):
    """Discrete Gaussian noise on every item that occurs; shown if the noisy count is at least the threshold."""

    name: ClassVar[str] = "gaussian-threshold"
    variance: Fraction
    items: int
    """The most items that one person adds to."""
    largest: int
    """The most that one person adds to one item."""
    threshold: int
    neighbours: Neighbours


@dataclass(frozen=True)
class WeightedThreshold(_Checked):
    """Discrete Gaussian noise on every item that occurs, each person's counts being scaled to a norm; shown if the
    noisy count is at least the threshold."""

    name: ClassVar[str] = "weighted-threshold"
    variance: Fraction
    squared_sensitivity: Fraction
    """The most that one person adds to all items together: sum of squares (l2, squared)."""
    items: int
    """Each count that a person adds is at least 1/items of their squares, so they add to at most this many items."""
    threshold: int
    neighbours: Neighbours


@dataclass(frozen=True)
class ThresholdRound(_Checked):
    """One of several rounds. Discrete Gaussian noise on every item that occurs and is not shown yet, each person's
    counts of these being scaled to a norm; shown if a weighted mean of the item's noisy counts, of this round and of
    those before, is at least the threshold."""

    name: ClassVar[str] = "threshold-round"
    variance: Fraction
    """Variance of this round's noise."""
    mean_variance: Fraction
    """Variance of the weighted mean of the noise of this round and of those before."""
    squared_sensitivity: Fraction
    """The most that one person adds to all items together in this round: sum of squares (l2, squared)."""
    items: int
    """Each count that a person adds is at least 1/items of their squares, so they add to at most this many items."""
    threshold: int
    neighbours: Neighbours


@dataclass(frozen=True)
class JointRound(ThresholdRound):
    """The same, where each person's counts of the items that are shown already are in the same vector."""

    name: ClassVar[str] = "joint-threshold-round"
    cells: int
    """Number of items, shown or not, that one person adds to."""


@dataclass(frozen=True)
class SampleThreshold(_Checked):
    """Each of a person's reports entered a sample by its own coin; the sample's counts were shown if at least the
    threshold."""

    name: ClassVar[str] = "sample-threshold"
    rate: Fraction
    """Probability of a coin."""
    threshold: int
    items: int
    """The most reports of one person, each about another item, or at another level, or in another round."""
    neighbours: Neighbours
    epsilon: Fraction
    """The epsilon at which `delta` is stated; the full price is a curve."""

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("threshold", self.threshold, least=2, fix="threshold=20")


@dataclass(frozen=True)
class ShuffledLaplace(_Checked):
    """People's messages of +1 and -1 were counted in buckets, after a shuffler: each person's item, their shares of the
    noise, and pairs of +1 and -1, which add nothing. One person has one item."""

    name: ClassVar[str] = "shuffled-laplace"
    scale: Fraction
    """A bucket's messages add up to its count and noise k, which has weight exp(-|k| / scale)."""
    shape: Fraction
    spread: Fraction
    """Scale of the negative binomial number of pairs in a bucket; `shape`, at least 1, is its shape."""
    neighbours: Neighbours
    epsilon: Fraction
    """The epsilon at which `delta` is stated."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shape < 1 or not self.spread:
            raise BadParameter("shape, spread: at least 1, and above 0.", fix="shape=Fraction(20), spread=Fraction(9)")


@dataclass(frozen=True)
class Guarantee(_Checked):
    """Something with an (epsilon, delta) guarantee of its own, proved elsewhere."""

    name: ClassVar[str] = "guarantee"
    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Adaptive(_Checked):
    """Adaptive steps, each depending on the results before it, all admitted by one filter: together they are
    delta-approximate rho-zCDP."""

    name: ClassVar[str] = "adaptive"
    rho: Fraction
    delta: Fraction


Event = (
    Laplace
    | Gaussian
    | Selection
    | Selections
    | LaplaceThreshold
    | RandomizedThreshold
    | GaussianThreshold
    | WeightedThreshold
    | ThresholdRound
    | JointRound
    | SampleThreshold
    | ShuffledLaplace
    | Guarantee
    | Adaptive
)


def neighbours_of(events: Iterable[Event]) -> Neighbours | None:
    """Neighbouring relation that the events state; None if none does. Prices for different relations do not add up."""
    relations = [each for event in events if (each := getattr(event, "neighbours", None))]
    check_one_kind(*relations)
    return relations[0] if relations else None


def check_one_kind(*neighbours: Neighbours | None) -> None:
    """Raise if the relations differ; None is compatible with all."""
    if len({*neighbours} - {None}) > 1:
        raise BadParameter("events for add-remove and for replace: their prices do not add up.", fix="one kind of them")


_KINDS: dict[str, type[Event]] = {kind.name: kind for kind in get_args(Event)}


def to_json(events: Iterable[Event]) -> str:
    """Serialise events as canonical text: equal events give equal bytes."""
    return json.dumps([_plain(event) for event in events], sort_keys=True, separators=(",", ":"))


def _plain(event: Event) -> dict[str, Any]:
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    written_values = {key: written(value) if isinstance(value, Fraction) else value for key, value in values.items()}
    return {"event": event.name, **written_values}


def from_json(text: str) -> tuple[Event, ...]:
    """Parse the events that `to_json` wrote."""
    return tuple(_event(plain) for plain in json.loads(text))


def _event(plain: dict[str, Any]) -> Event:
    kind = _KINDS.get(plain.get("event", ""))
    if kind is None or set(plain) != {"event", *(field.name for field in fields(kind))}:
        raise BadParameter(f"event={plain.get('event')!r}: unknown.", fix=f"one of {', '.join(sorted(_KINDS))}")
    return kind(**{field.name: _value(field.type, plain[field.name]) for field in fields(kind)})


def _value(kind: Any, value: Any) -> Any:
    return rational("event", value, fix="a number") if kind is Fraction else value
