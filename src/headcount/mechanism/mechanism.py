"""The types of mechanisms. A mechanism knows its bounding, draws its noise, and says what happened as an event; what
that costs is told by `account`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache, singledispatch
from math import sqrt
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pyarrow as pa

from headcount.account.events import Event, Gaussian, GaussianThreshold, Laplace, LaplaceThreshold, WeightedThreshold
from headcount.bound import Bounded, Bounding
from headcount.errors import BadParameter
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Integers
from headcount.mechanism.intervals import Ends, above_threshold, around, nearest, spread
from headcount.noise import Entropy, Law, SystemEntropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace

B = TypeVar("B", bound=Bounded)
N = TypeVar("N", bound="Noisy")


@dataclass(frozen=True)
class Noisy:
    """Items and noisy values: from here on everything may be shown."""

    items: pa.Table
    """item0, item1, ...: the items that are shown."""
    values: Integers
    """Their noisy totals, in units."""


@dataclass(frozen=True)
class Columns:
    """What is released of each item."""

    by_name: dict[str, Any]
    """Arrays: the value, low, high, and whatever else a mechanism tells of items."""
    measured: str = ""
    """Of a shape: what its intervals are computed from, as text."""


@dataclass(frozen=True)
class Mechanism(ABC, Generic[B, N]):
    """Turns bounded totals into noisy values, and these into columns."""

    name: ClassVar[str]
    proof: ClassVar[str]
    """The page that proves it."""
    smallest_count: ClassVar[int] = 1
    """The least true count of an item that is shown from a threshold on."""
    bounding: Bounding
    """What the totals must have been bounded by."""
    event: Event
    """What happens when it runs."""

    @abstractmethod
    def run(self, bounded: B, entropy: Entropy) -> N:
        """Draw the noise."""

    def estimate(self, noisy: N) -> Columns:
        """Counts and their intervals: free post-processing of released values."""
        counts = np.maximum(nearest(noisy.values, self.bounding.unit), 0)
        low, high = self.interval(noisy.values)
        return Columns({"count": counts, "low": low, "high": high})

    def interval(self, values: Integers) -> Ends:
        """The lower and the upper ends of the counts' intervals."""
        if self.threshold is None:
            return around(values, self.bounding.unit, self.law)
        return above_threshold(values, self.bounding.unit, self.law, self.threshold, self.smallest_count)

    @abstractmethod
    def explain(self, item: str) -> list[str]:
        """What it does to `item`s, a sentence for each step."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happens when it runs."""
        return (self.event,)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The laws of all its noise."""
        return tuple(law(event) for event in self.events)

    @property
    def law(self) -> Law:
        """The law of the noise on counts."""
        return self.laws[0]

    @property
    def threshold(self) -> int | None:
        """The noisy total, in units, from which on an item is shown; None if all are."""
        return getattr(self.event, "threshold", None)

    @property
    def appears(self) -> int | None:
        """What an item needs to appear, about, in units; None if all do."""
        return self.threshold

    @property
    def error(self) -> float:
        """19 of 20 counts are off by at most this much, through noise."""
        return spread(self.law, EXACT_MISS_RATE) / self.bounding.unit

    @property
    def deviation(self) -> float:
        """The noise's standard deviation."""
        return deviation(self.law) / self.bounding.unit

    def check(self, bounded: Bounded) -> None:
        """Refuse totals that were bounded less than the noise is made for."""
        if not self.bounding.sensitivity.covers(bounded.sensitivity):
            raise BadParameter(
                f"these totals are bounded by {bounded.sensitivity}, the noise is for {self.bounding.sensitivity}.",
                fix="totals from mechanism.bounding",
            )

    @property
    def interval_told(self) -> str:
        """What low and high mean, in words."""
        return (
            "From low to high: this interval holds the count after bounding in 19 of 20 cases. "
            "What bounding took away is not in it."
        )

    def noise_told(self) -> str:
        """Its noise, in words."""
        kind = "Laplace" if isinstance(self.law, DiscreteLaplace) else "Gaussian"
        return f"discrete {kind} noise with a standard deviation of {digits(self.deviation)}"


AnyMechanism = Mechanism[Any, Any]


def check_widths(mechanism: AnyMechanism) -> None:
    """Refuse noise that does not fit into 64 bits."""
    try:
        for each in mechanism.laws:
            SystemEntropy().draw(each, 0)
    except OverflowError:
        raise BadParameter(
            "epsilon: too small for this bound, the noise would not fit into 64 bits.", fix="epsilon=1"
        ) from None


def digits(value: float) -> str:
    """A number as people read it: three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@lru_cache(maxsize=1024)
def law(event: Event) -> Law:
    """The law of the noise that an event tells of. The same one each time: a law remembers what it has computed."""
    return _law(event)


@singledispatch
def _law(event: Event) -> Law:
    raise TypeError(f"{type(event).__name__} has no noise on counts")


@_law.register(Laplace)
@_law.register(LaplaceThreshold)
def _(event: Laplace | LaplaceThreshold) -> Law:
    return DiscreteLaplace(event.scale)


@_law.register(Gaussian)
@_law.register(GaussianThreshold)
@_law.register(WeightedThreshold)
def _(event: Gaussian | GaussianThreshold | WeightedThreshold) -> Law:
    return DiscreteGaussian(event.variance)


def deviation(noise: Law) -> float:
    """The standard deviation of a law of noise, for telling people."""
    if isinstance(noise, DiscreteGaussian):
        return sqrt(noise.variance)
    assert isinstance(noise, DiscreteLaplace)
    return sqrt(2) * float(noise.scale)
