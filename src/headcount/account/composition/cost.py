"""Privacy cost of events. An event says what happened, a file of `prices` what one costs under each definition that
applies to it; here the costs of several are put together.

    pure/approximate   (epsilon, delta)   adds up                          `native`, `basic`
    zCDP               (rho, delta)       adds up, also adaptively         `concentrated`, `zcdp`
    Gaussian (GDP)     (D/s)^2            adds up, Gaussian noise alone    `gdp`
    PLD                a distribution     composes, fixed pipelines        `pld.epsilon`

Every number is exact or rounded up. Each is a valid bound by itself; `compose.tightest` takes the least.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules

from headcount.account import prices
from headcount.account.curves import gaussian
from headcount.account.events import Event, Gaussian, neighbours_of
from headcount.account.guarantee import Concentrated, Cost
from headcount.account.prices.price import concentrated as concentrated
from headcount.account.prices.price import native as native
from headcount.account.prices.price import noises as noises
from headcount.errors import BadParameter
from headcount.exact import round_up

for _module in iter_modules(prices.__path__):  # each registers the prices of its events
    import_module(f"headcount.account.prices.{_module.name}")


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
    return min_epsilon(lambda epsilon: gaussian.discrete_delta(epsilon, noise), delta)


def min_epsilon(delta_at: Callable[[Fraction], Fraction], delta: Fraction) -> Fraction:
    """Least epsilon, to 12 digits, with delta_at(epsilon) <= delta; `delta_at` is decreasing."""
    low, high = Fraction(0), Fraction(1)
    while delta_at(high) > delta:
        low, high = high, high * 2
    while high - low > high / 10**12:
        middle = round_up((low + high) / 2, digits=14)
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return round_up(high)
