"""What events cost. An event says what happened; here it gets its price, in each currency that it has.

    pure/approximate   (epsilon, delta)   adds up                          `native`, `basic`
    zCDP               (rho, delta)       adds up, also adaptively         `concentrated`, `zcdp`
    Gaussian (GDP)     (D/s)^2            adds up, Gaussian noise alone    `gdp`
    PLD                a distribution     composes, fixed pipelines        `pld.epsilon`

Every number is exact or rounded up. `tightest` takes the cheapest of them: each is a valid bound on its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

from headcount.account import gaussian
from headcount.account import zcdp as conversion
from headcount.account.events import (
    Adaptive,
    Event,
    Gaussian,
    GaussianThreshold,
    Guarantee,
    Laplace,
    LaplaceThreshold,
    SampleThreshold,
    Selection,
    Selections,
    ShuffledLaplace,
    WeightedThreshold,
    neighbours_of,
)
from headcount.account.sampling import delta as sampled_delta
from headcount.account.shuffling import delta as shuffled_delta
from headcount.account.threshold import BITS as THRESHOLD_BITS
from headcount.account.threshold import gaussian_delta, laplace_delta, people, shared_noise, shown, weighted_noise
from headcount.errors import BadParameter
from headcount.exact import ends, precision, round_up

SPARE = Fraction(1, 10**12)
"""The delta at which steps that need none are given an epsilon."""


@dataclass(frozen=True)
class Cost:
    """An (epsilon, delta) guarantee."""

    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Concentrated:
    """A delta-approximate rho-zCDP guarantee."""

    rho: Fraction
    delta: Fraction

    def epsilon(self, delta: Fraction) -> Fraction:
        """The epsilon at a total delta, of which the approximation takes its part first."""
        if delta <= self.delta:
            raise BadParameter(
                f"delta={float(delta)}: the events take {float(self.delta)} of it.", fix="a larger delta"
            )
        return conversion.epsilon(self.rho, delta - self.delta)


@singledispatch
def native(event: Event) -> Cost:
    """The (epsilon, delta) that an event has by itself, without its Gaussian noise (see `noises`)."""
    raise TypeError(f"{type(event).__name__} is not an event")


@native.register
def _(event: Laplace) -> Cost:
    return Cost(event.sensitivity / event.scale, Fraction(0))


@native.register
def _(event: Gaussian) -> Cost:
    return Cost(Fraction(0), Fraction(0))


@native.register
def _(event: Selection) -> Cost:
    return Cost(event.epsilon, Fraction(0))


@native.register
def _(event: Selections) -> Cost:
    return Cost(event.count * event.epsilon, Fraction(0))


@native.register
def _(event: LaplaceThreshold) -> Cost:
    return Cost(people(event.neighbours) * event.bound / event.scale, round_up(laplace_delta(event)))


@native.register(GaussianThreshold)
@native.register(WeightedThreshold)
def _(event: GaussianThreshold | WeightedThreshold) -> Cost:
    with precision(THRESHOLD_BITS):
        return Cost(Fraction(0), round_up(ends(shown(event))[1]))


@native.register
def _(event: SampleThreshold) -> Cost:
    return Cost(event.epsilon, round_up(sampled_delta(event)))


@native.register
def _(event: ShuffledLaplace) -> Cost:
    return Cost(event.epsilon, round_up(shuffled_delta(event)))


@native.register
def _(event: Guarantee) -> Cost:
    return Cost(event.epsilon, event.delta)


@native.register
def _(event: Adaptive) -> Cost:
    """With as much delta for the conversion as the steps take themselves."""
    spare = event.delta or SPARE
    return Cost(conversion.epsilon(event.rho, spare), event.delta + spare)


def noises(event: Event) -> list[Gaussian]:
    """The Gaussian noise of an event, as events of their own."""
    if isinstance(event, GaussianThreshold):
        return shared_noise(event, alone=0)
    if isinstance(event, WeightedThreshold):
        return weighted_noise(event, alone=Fraction(0))
    return [event] if isinstance(event, Gaussian) else []


def concentrated(event: Event) -> Concentrated:
    """The zCDP price: D^2 / (2 variance) for Gaussian noise, epsilon^2 / 8 for a choice of bounded range, and
    epsilon^2 / 2 for anything else that is (epsilon, delta)-private (Bun & Steinke 2016, Proposition 3.3)."""
    if isinstance(event, Adaptive):
        return Concentrated(event.rho, event.delta)
    if isinstance(event, Selections):
        return Concentrated(event.count * event.epsilon**2 / 8, Fraction(0))
    own = native(event)
    rho = own.epsilon**2 / (8 if isinstance(event, Selection) else 2)
    for noise in noises(event):
        rho += noise.squared_sensitivity / (2 * noise.variance)
    return Concentrated(rho, own.delta)


def zcdp(events: Sequence[Event]) -> Concentrated:
    """The zCDP price of all the events together, in whatever order and however they depend on each other's results."""
    neighbours_of(events)
    prices = [concentrated(event) for event in events]
    return Concentrated(
        sum((price.rho for price in prices), start=Fraction(0)),
        sum((price.delta for price in prices), start=Fraction(0)),
    )


def split(events: Sequence[Event]) -> tuple[Cost, list[Gaussian]]:
    """The sum of the native prices, and all Gaussian noise."""
    neighbours_of(events)
    prices = [native(event) for event in events]
    epsilon = sum((price.epsilon for price in prices), start=Fraction(0))
    delta = sum((price.delta for price in prices), start=Fraction(0))
    return Cost(epsilon, delta), [noise for event in events for noise in noises(event)]


def basic(events: Sequence[Event], delta: Fraction) -> Fraction:
    """The epsilon by adding up: native epsilons, plus that of all Gaussian noise together at what is left of delta."""
    own, noise = split(events)
    if delta < own.delta:
        raise BadParameter(f"delta={float(delta)}: the events take {float(own.delta)} of it.", fix="a larger delta")
    return own.epsilon + (gdp(noise, delta - own.delta) if noise else 0)


def gdp(noise: Sequence[Gaussian], delta: Fraction) -> Fraction:
    """The epsilon of Gaussian noise alone, all events together, at this delta."""
    if delta <= 0:
        raise BadParameter("delta=0: Gaussian noise has no epsilon without a delta.", fix='delta="1e-6"')
    if gaussian.discrete_delta(Fraction(0), noise) <= delta:
        return Fraction(0)
    return _least_epsilon(lambda epsilon: gaussian.discrete_delta(epsilon, noise), delta)


def _least_epsilon(delta_at: Callable[[Fraction], Fraction], delta: Fraction) -> Fraction:
    """The least epsilon, to 12 digits, at which the price is within delta."""
    low, high = Fraction(0), Fraction(1)
    while delta_at(high) > delta:
        low, high = high, high * 2
    while high - low > high / 10**12:
        middle = round_up((low + high) / 2, digits=14)
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return round_up(high)


def covers(paid: Cost, events: Sequence[Event]) -> bool:
    """Whether this epsilon and delta are enough for the events, by any of the currencies; the quick ones first."""
    try:
        return any(enough(paid, events) for enough in (_by_sum, _by_shared_delta, _by_zcdp, _by_pld))
    except OverflowError:  # numbers beyond all reason
        return False


def _by_sum(paid: Cost, events: Sequence[Event]) -> bool:
    own, noise = split(events)
    epsilon, delta = paid.epsilon - own.epsilon, paid.delta - own.delta
    return epsilon >= 0 and delta >= 0 and (not noise or gaussian.discrete_delta(epsilon, noise) <= delta)


def _by_shared_delta(paid: Cost, events: Sequence[Event]) -> bool:
    """A single threshold, whose noise and whose own items share delta; other noise beside it, pure events before."""
    found = _single_threshold(events)
    if found is None:
        return False
    threshold, noise, pure = found
    return pure < paid.epsilon and gaussian_delta(paid.epsilon - pure, threshold, noise) <= paid.delta


def _single_threshold(
    events: Sequence[Event],
) -> tuple[GaussianThreshold | WeightedThreshold, list[Gaussian], Fraction] | None:
    """The only event with a threshold and Gaussian noise, the Gaussian events beside it, and the epsilons of the rest;
    None if the events are not such."""
    thresholds = [event for event in events if isinstance(event, GaussianThreshold | WeightedThreshold)]
    own, noise = split([event for event in events if event not in thresholds])
    return (thresholds[0], noise, own.epsilon) if len(thresholds) == 1 and not own.delta else None


def _by_zcdp(paid: Cost, events: Sequence[Event]) -> bool:
    total = zcdp(events)
    return conversion.delta(total.rho, paid.epsilon) + total.delta <= paid.delta


def _by_pld(paid: Cost, events: Sequence[Event]) -> bool:
    from headcount.account import pld

    return pld.applies(events, paid.delta) and pld.epsilon(events, paid.delta) <= paid.epsilon


def tightest(events: Sequence[Event], delta: Fraction) -> Cost:
    """The least epsilon at this delta that any of the currencies gives."""
    from headcount.account import pld

    candidates = [basic(events, delta)]
    if delta > zcdp(events).delta:
        candidates.append(zcdp(events).epsilon(delta))
    if pld.applies(events, delta):
        candidates.append(pld.epsilon(events, delta))
    if found := _single_threshold(events):
        threshold, noise, pure = found
        candidates.append(pure + _least_epsilon(lambda epsilon: gaussian_delta(epsilon, threshold, noise), delta))
    return Cost(min(candidates), delta)
