"""Privacy cost of events. An event says what happened; here it is priced under each definition that applies to it.

    pure/approximate   (epsilon, delta)   adds up                          `native`, `basic`
    zCDP               (rho, delta)       adds up, also adaptively         `concentrated`, `zcdp`
    Gaussian (GDP)     (D/s)^2            adds up, Gaussian noise alone    `gdp`
    PLD                a distribution     composes, fixed pipelines        `pld.epsilon`

Every number is exact or rounded up. Each is a valid bound by itself; `compose.tightest` takes the least.
"""

from collections.abc import Callable, Sequence
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
    ThresholdRound,
    WeightedThreshold,
    neighbours_of,
)
from headcount.account.guarantee import Concentrated, Cost
from headcount.account.sampling import delta as sampled_delta
from headcount.account.shuffling import delta as shuffled_delta
from headcount.account.threshold import BITS as THRESHOLD_BITS
from headcount.account.threshold import (
    changed_people,
    laplace_delta,
    round_shown_probability,
    shared_noise,
    shown_probability,
    weighted_noise,
)
from headcount.errors import BadParameter
from headcount.exact import ends, precision, round_up

ADAPTIVE_CONVERSION_DELTA = Fraction(1, 10**12)
"""Delta of the zCDP conversion for adaptive steps whose own delta is 0."""


@singledispatch
def native(event: Event) -> Cost:
    """The (epsilon, delta) price of an event without its Gaussian noise (see `noises`)."""
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
    return Cost(changed_people(event.neighbours) * event.bound / event.scale, round_up(laplace_delta(event)))


@native.register(GaussianThreshold)
@native.register(WeightedThreshold)
def _(event: GaussianThreshold | WeightedThreshold) -> Cost:
    with precision(THRESHOLD_BITS):
        return Cost(Fraction(0), round_up(ends(shown_probability(event))[1]))


@native.register
def _(event: ThresholdRound) -> Cost:
    with precision(THRESHOLD_BITS):
        return Cost(Fraction(0), round_up(min(Fraction(1), ends(round_shown_probability(event))[1])))


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
    """The conversion from zCDP takes as much delta as the steps themselves."""
    extra = event.delta or ADAPTIVE_CONVERSION_DELTA
    return Cost(conversion.epsilon(event.rho, extra), event.delta + extra)


def noises(event: Event) -> list[Gaussian]:
    """The Gaussian noise of an event, as separate events."""
    if isinstance(event, GaussianThreshold):
        return shared_noise(event, alone=0)
    if isinstance(event, WeightedThreshold | ThresholdRound):
        return weighted_noise(event, alone=Fraction(0))
    return [event] if isinstance(event, Gaussian) else []


def concentrated(event: Event) -> Concentrated:
    """The zCDP price: D^2 / (2 variance) for Gaussian noise, epsilon^2 / 8 for a selection of bounded range, and
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
    """The zCDP price of all events together under fully adaptive composition, in any order."""
    neighbours_of(events)
    prices = [concentrated(event) for event in events]
    return Concentrated(
        sum((price.rho for price in prices), start=Fraction(0)),
        sum((price.delta for price in prices), start=Fraction(0)),
    )


def split(events: Sequence[Event]) -> tuple[Cost, list[Gaussian]]:
    """The sum of the native prices, and the Gaussian noise of all events."""
    neighbours_of(events)
    prices = [native(event) for event in events]
    epsilon = sum((price.epsilon for price in prices), start=Fraction(0))
    delta = sum((price.delta for price in prices), start=Fraction(0))
    return Cost(epsilon, delta), [noise for event in events for noise in noises(event)]


def basic(events: Sequence[Event], delta: Fraction) -> Fraction:
    """The epsilon by basic composition: the native epsilons, plus that of all Gaussian noise at the delta left over."""
    own, noise = split(events)
    if delta < own.delta:
        raise BadParameter(f"delta={float(delta)}: the events alone take {float(own.delta)}.", fix="a larger delta")
    return own.epsilon + (gdp(noise, delta - own.delta) if noise else 0)


def gdp(noise: Sequence[Gaussian], delta: Fraction) -> Fraction:
    """The epsilon of Gaussian noise alone, composed over all events, at this delta."""
    if delta <= 0:
        raise BadParameter("delta=0: Gaussian noise has no epsilon without a delta.", fix='delta="1e-6"')
    if gaussian.discrete_delta(Fraction(0), noise) <= delta:
        return Fraction(0)
    return least_epsilon(lambda epsilon: gaussian.discrete_delta(epsilon, noise), delta)


def least_epsilon(delta_at: Callable[[Fraction], Fraction], delta: Fraction) -> Fraction:
    """Least epsilon, to 12 digits, with delta_at(epsilon) <= delta; `delta_at` is decreasing."""
    low, high = Fraction(0), Fraction(1)
    while delta_at(high) > delta:
        low, high = high, high * 2
    while high - low > high / 10**12:
        middle = round_up((low + high) / 2, digits=14)
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return round_up(high)
