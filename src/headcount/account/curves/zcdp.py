"""Zero-concentrated differential privacy (zCDP): rho, which adds up under adaptive composition, and its tight
conversion to epsilon and delta.

A rho-zCDP mechanism is (epsilon, delta)-private for every order a > 1 with

    log delta = (a - 1)(a rho - epsilon) + a log(1 - 1/a) - log(a - 1)      (Canonne, Kamath & Steinke 2020, Corollary
    13).

Any order gives a valid bound, so the best one is sought in floating point and the bound is then computed in balls.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from headcount.errors import BadParameter
from headcount.exact import ball, ends, precision, round_down, round_up

BITS = 192


def delta(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Upper bound on the delta of rho-zCDP at this epsilon."""
    if rho <= 0:
        return Fraction(epsilon < 0)
    near_rho, near_epsilon = float(rho), float(epsilon)
    order = _best(lambda a: _log_delta(a, near_rho, near_epsilon))
    with precision(BITS):
        a = ball(order)
        exponent = (a - 1) * (a * ball(rho) - ball(epsilon)) + a * (1 - 1 / a).log() - (a - 1).log()
        return min(Fraction(1), ends(exponent.exp())[1])


def epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """Upper bound on the epsilon of rho-zCDP at this delta, to 12 digits."""
    _check_delta(delta)
    if rho <= 0:
        return Fraction(0)
    near_rho, exponent = float(rho), -_log(delta)
    order = _best(lambda a: _epsilon(a, near_rho, exponent))
    with precision(BITS):
        a = ball(order)
        surplus = -ball(delta).log() + (a - 1) * (1 - 1 / a).log() - a.log()
        return max(Fraction(0), round_up(ends(a * ball(rho) + surplus / (a - 1))[1]))


def rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Largest rho, to 12 digits, that is (epsilon, delta)-private."""
    _check_delta(delta)
    low, high = Fraction(0), Fraction(epsilon) + 1  # more than any useful delta allows
    while high - low > high / 10**14:
        middle = (low + high) / 2
        low, high = (middle, high) if _delta_fits(middle, epsilon, delta) else (low, middle)
    return round_down(low)


def _check_delta(delta: Fraction) -> None:
    if not 0 < delta < 1:
        raise BadParameter(f"delta={float(delta)}: it lies between 0 and 1.", fix='delta=Fraction("1e-6")')


def _delta_fits(rho: Fraction, epsilon: Fraction, allowed: Fraction) -> bool:
    return delta(rho, epsilon) <= allowed


def _log_delta(a: float, rho: float, epsilon: float) -> float:
    return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1)


def _epsilon(a: float, rho: float, log_one_over_delta: float) -> float:
    return rho * a + (log_one_over_delta + (a - 1) * math.log1p(-1 / a) - math.log(a)) / (a - 1)


def _log(value: Fraction) -> float:
    """Natural logarithm of a rational that may be too small for a float."""
    return math.log(value.numerator) - math.log(value.denominator)


def _best(loss: Callable[[float], float]) -> Fraction:
    """Order a > 1 with about the least loss, by golden-section search over log(a - 1)."""
    golden = (math.sqrt(5) - 1) / 2
    low, high = math.log(1e-6), math.log(1e9)
    while high - low > 1e-9:
        left, right = high - golden * (high - low), low + golden * (high - low)
        if loss(1 + math.exp(left)) < loss(1 + math.exp(right)):
            high = right
        else:
            low = left
    return 1 + Fraction(math.exp((low + high) / 2))
