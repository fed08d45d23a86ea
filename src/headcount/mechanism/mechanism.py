"""The types of mechanisms. A mechanism knows its bounding, draws its noise, and states what happened as an event; its
privacy cost is computed by `account`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, singledispatch
from math import sqrt
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
import pyarrow as pa

from headcount.account.events import Event, Gaussian, Laplace, Neighbours, neighbours_of
from headcount.bound import Bounded, Bounding
from headcount.bound.stability import Payment, Stability, allows, of_contributions
from headcount.errors import BadParameter
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Integers
from headcount.mechanism.intervals import (
    Ends,
    Rule,
    intervals_above_threshold,
    noise_quantile,
    plain_intervals,
    round_to_counts,
)
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace
from headcount.wording import format_number

B = TypeVar("B", bound=Bounded)
N = TypeVar("N", bound="Noisy")
Estimand = Literal["true", "bounded", "modelled", "none"]
"""What low and high are an interval for. "true": the table as it is. "bounded": the table after bounding. "modelled":
the table as it is, if an assumption about people holds. "none": there is no interval."""


@dataclass(frozen=True)
class Noisy:
    """Items and noisy values: differentially private, so everything computed from them may be published."""

    items: pa.Table
    """item0, item1, ...: the released items."""
    values: Integers
    """Their noisy totals, in units."""


FEW_WITH_MORE = "unless a few people have far more than everyone else"
"""The condition of intervals for events: one person can have any number of them."""
LARGE_TAIL, LARGE_HIDDEN = 0.05, 0.1
"""If a typical value may be off by more than this part of itself, the release says so: of amounts and events, and of
people, of whom one is at most one more."""


@dataclass(frozen=True)
class Columns:
    """The released columns."""

    by_name: dict[str, Any]
    """Arrays: the value, low, high, and whatever else a mechanism releases per item."""
    measured: str = ""
    """The measurements from which a shape computes its intervals, as text; empty for others."""
    tail: dict[str, float] = field(default_factory=dict)
    """By column of values: the part of itself by which a typical value may be too small, as a few people may have far
    more than all others; of columns in which that part is large."""


@dataclass(frozen=True)
class Mechanism(ABC, Generic[B, N]):
    """Turns bounded totals into noisy values, and these into columns."""

    name: ClassVar[str]
    proof: ClassVar[str]
    """The page that proves it."""
    smallest_count: ClassVar[int] = 1
    """The smallest true count that an item released above a threshold can have."""
    bounding: Bounding
    """The bounding that the totals must have passed through."""
    event: Event
    """The privacy event of a run."""
    max_totals: int | None = field(default=None, kw_only=True)
    """The largest possible number of totals, if it is public: the noise is for no more of them."""

    def __post_init__(self) -> None:
        """Refuse noise for less than the bounding leaves of a person."""
        if not self.allows(self.neighbours or "add-remove"):
            raise BadParameter(
                f"{self.name}: its events do not pay for what {self.bounding} leaves of a person.",
                fix="a mechanism that was calibrated for this bounding",
            )

    @property
    def stability(self) -> Stability:
        """Distance between neighbours' totals."""
        return of_contributions(self.bounding.sensitivity, self.max_totals, self.bounding.hidden_items)

    @property
    def payments(self) -> tuple[Payment, ...]:
        """Every privacy event of a run, and how far neighbours' numbers are apart that its noise is for."""
        return ((self.event, self.stability),)

    @property
    def neighbours(self) -> Neighbours | None:
        """The neighbours that the events are for, if they state any."""
        return neighbours_of(self.events)

    def allows(self, neighbours: Neighbours) -> bool:
        """True if every event pays for what neighbours of this kind differ by."""
        paid = all(allows(event, change, neighbours) for event, change in self.payments)
        return paid and self.neighbours in (None, neighbours)

    @abstractmethod
    def run(self, bounded: B, entropy: Entropy) -> N:
        """Add noise to bounded totals."""

    def estimate(self, noisy: N) -> Columns:
        """Estimate counts and their intervals: post-processing of released values, at no privacy cost."""
        counts = np.maximum(round_to_counts(noisy.values, self.bounding.unit), 0)
        low, high = self.interval(noisy.values)
        return Columns({"count": counts, "low": low, "high": high})

    def interval(self, values: Integers) -> Ends:
        """Lower and upper ends of the counts' 95% intervals."""
        if self.threshold is None:
            return plain_intervals(values, self.bounding.unit, self.distribution)
        rule = Rule(self.distribution, self.threshold, self.coin)
        return intervals_above_threshold(values, self.bounding.unit, rule, self.smallest_count)

    @abstractmethod
    def explain(self, item: str) -> list[str]:
        """Describe the steps, one sentence for each; `item` is the name of an item."""

    @property
    def events(self) -> tuple[Event, ...]:
        """All privacy events of a run."""
        return tuple(event for event, _ in self.payments)

    @property
    def distributions(self) -> tuple[NoiseDistribution, ...]:
        """The laws of all noise that a run draws."""
        return tuple(noise_distribution(event) for event in self.events)

    @property
    def distribution(self) -> NoiseDistribution:
        """The law of the noise on counts."""
        return self.distributions[0]

    @property
    def threshold(self) -> int | None:
        """The smallest noisy total, in units, at which an item is released; None if all are."""
        return getattr(self.event, "threshold", None)

    @property
    def coin(self) -> Fraction:
        """The probability that an item is released whose noisy total is one below the threshold."""
        return getattr(self.event, "coin", Fraction(0))

    @property
    def visible_from(self) -> int | None:
        """The approximate total, in units, that an item needs to be released; None if all are."""
        return self.threshold

    @property
    def error(self) -> float:
        """The 95% quantile of the absolute error of a count, through noise."""
        return noise_quantile(self.distribution, EXACT_MISS_RATE) / self.bounding.unit

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on counts."""
        return noise_deviation(self.distribution) / self.bounding.unit

    def check(self, bounded: Bounded) -> None:
        """Refuse totals whose sensitivity exceeds the one that the noise is calibrated to."""
        if not self.bounding.sensitivity.covers(bounded.sensitivity):
            raise BadParameter(
                f"these totals are bounded by {bounded.sensitivity}, the noise is for {self.bounding.sensitivity}.",
                fix="totals from mechanism.bounding",
            )
        if self.max_totals is not None and len(bounded.totals) > self.max_totals:
            raise BadParameter(
                f"{len(bounded.totals):,} totals: the noise is for {self.max_totals:,}.", fix="the items of the plan"
            )

    @property
    def estimand(self) -> Estimand:
        """What low and high are an interval for. Declared as "true" only by a mechanism whose intervals also allow for
        what bounding removed."""
        return "bounded"

    @property
    def assumption(self) -> str:
        """The condition under which intervals are for the table as it is, if the estimand is "modelled": a clause with
        "if" or "unless"."""
        return ""

    @property
    def undetected_people(self) -> int:
        """The number of people who may have far more than all others without being seen, so that intervals miss what
        was taken from them; 0 if there is no such number."""
        return 0

    @property
    def measured_coverage(self) -> bool:
        """True if it was measured, and is not proved, how often intervals contain the value."""
        return False

    @property
    def interval_meaning(self) -> str:
        """The meaning of low and high, in words."""
        return (
            "The interval from low to high contains the count after bounding in 95% of cases. It does not include what "
            "bounding removed."
        )

    def describe_noise(self) -> str:
        """Describe the noise in words."""
        kind = "Laplace" if isinstance(self.distribution, DiscreteLaplace) else "Gaussian"
        return f"discrete {kind} noise with a standard deviation of {format_number(self.deviation)}"


AnyMechanism = Mechanism[Any, Any]


def check_widths(mechanism: AnyMechanism) -> None:
    """Refuse noise that does not fit into 64 bits."""
    try:
        for each in mechanism.distributions:
            SystemEntropy().draw(each, 0)
    except OverflowError:
        raise BadParameter(
            "epsilon: too small for this bound, the noise would not fit into 64 bits.", fix="epsilon=1"
        ) from None


@lru_cache(maxsize=1024)
def noise_distribution(event: Event) -> NoiseDistribution:
    """The law of an event's noise. Cached, because a law keeps the tables that it has computed."""
    return noise_law(event)


@singledispatch
def noise_law(event: Event) -> NoiseDistribution:
    """The law of an event's noise, registered in the file of the mechanism whose event it is."""
    raise TypeError(f"{type(event).__name__} has no noise on counts")


@noise_law.register
def _(event: Laplace) -> NoiseDistribution:
    return DiscreteLaplace(event.scale)


@noise_law.register
def _(event: Gaussian) -> NoiseDistribution:
    return DiscreteGaussian(event.variance)


@singledispatch
def noise_deviation(noise: NoiseDistribution) -> float:
    """The standard deviation of a law of noise, for display."""
    raise TypeError(f"{type(noise).__name__} has no standard deviation to show")


@noise_deviation.register
def _(noise: DiscreteGaussian) -> float:
    return sqrt(noise.variance)


@noise_deviation.register
def _(noise: DiscreteLaplace) -> float:
    return sqrt(2) * float(noise.scale)
