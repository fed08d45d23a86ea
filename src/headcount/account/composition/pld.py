"""Tight composition of a fixed list of events by privacy loss distributions, through Google's dp-accounting.

Each event is replaced by a pair of laws that dominates it: Gaussian noise by the continuous Gaussian of `gaussian`'s
proof, everything else by the worst pair that its (epsilon, delta) allows. dp-accounting rounds every discretisation
towards privacy; what its floating point may lose is added at the end.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import sqrt
from types import ModuleType
from typing import Any

from headcount.account.composition.cost import native, split
from headcount.account.curves.gaussian import rounding, rounding_cost, squared_mu
from headcount.account.events import Event, Gaussian
from headcount.account.guarantee import Cost
from headcount.errors import optional_package
from headcount.exact import round_up

STEP = 1e-4
"""Step of the grid of privacy losses."""
ROUNDING = Fraction(1, 10**13)
"""Added to delta, for each event, for the floating-point rounding of the convolutions, whose terms sum to 1."""


def applies(events: Sequence[Event], delta: Fraction) -> bool:
    """True if the events have a loss distribution, and delta leaves room for its rounding."""
    own, noise = split(events)
    return (
        (own != Cost(Fraction(0), Fraction(0)) or bool(noise))
        and delta > own.delta + 10 * ROUNDING * len(events)
        and all(rounding(part) < part.variance for part in noise)
    )


def epsilon(events: Sequence[Event], delta: Fraction) -> Fraction:
    """Upper bound on the epsilon of all the events together, at this delta."""
    noise = split(events)[1]
    composed = _compose(events, noise)
    factor, shift = rounding_cost(noise)
    value = composed.get_epsilon_for_delta(float((delta - ROUNDING * len(events)) / factor))
    return round_up(Fraction(value) + shift)


def delta(events: Sequence[Event], epsilon: Fraction) -> Fraction:
    """Upper bound on the delta of all the events together, at this epsilon."""
    noise = split(events)[1]
    composed = _compose(events, noise)
    factor, shift = rounding_cost(noise)
    value = composed.get_delta_for_epsilon(float(epsilon - shift))
    return min(Fraction(1), round_up(factor * Fraction(value) + ROUNDING * len(events)))


def _compose(events: Sequence[Event], noise: Sequence[Gaussian]) -> Any:
    parts = [_gaussian(part) for part in noise]
    parts += [_worst(price) for price in map(native, events) if price != Cost(Fraction(0), Fraction(0))]
    return reduce(lambda one, other: one.compose(other), parts)


def _gaussian(event: Gaussian) -> Any:
    deviation = 1 / sqrt(squared_mu(event))
    losses = _google("privacy_loss_distribution")
    return losses.from_gaussian_mechanism(deviation * (1 - 1e-12), value_discretization_interval=STEP)


def _worst(price: Cost) -> Any:
    margin = 1 + 1e-12  # above what the conversion to a float may lose
    worst = _google("common").DifferentialPrivacyParameters(float(price.epsilon) * margin, float(price.delta) * margin)
    losses = _google("privacy_loss_distribution")
    return losses.from_privacy_parameters(worst, value_discretization_interval=STEP)


def _google(module: str) -> ModuleType:
    found: ModuleType = optional_package(
        f"dp_accounting.pld.{module}", user="tight composition of several events", install="'headcount[pld]'"
    )
    return found
