"""Exact parsing of typed numbers, and interval arithmetic with Arb.

A number that a user typed means the decimal they typed: 0.1 is one tenth, not the nearest binary fraction. Inside,
every parameter is a `Fraction`. What is not rational (exp, the normal law) is computed as an Arb ball, an interval that
provably contains the true value, and is converted back only by `round_up` or `round_down`, towards more privacy.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation, localcontext
from difflib import get_close_matches
from fractions import Fraction
from math import ceil, isqrt
from numbers import Integral, Rational, Real
from threading import RLock
from typing import Any

import numpy as np
from flint import acb, arb, ctx, fmpq
from numpy.typing import NDArray

from headcount.errors import BadParameter, shown
from headcount.system import after_fork

Number = int | float | str | Decimal | Fraction
"""Types accepted where a number is needed."""
Floats = NDArray[np.float64]
"""An array of floating-point numbers."""
Integers = NDArray[np.int64]
"""An array of 64-bit integers."""
Numbers32 = NDArray[np.uint32]
"""An array of numbers that are not negative, of 32 bits each."""
Booleans = NDArray[np.bool_]
"""An array of truth values."""

SPELLED_OUT = 4
"""Up to here all names that can be meant are spelt out as they are typed."""
MAX_BITS = 1500
"""Most bits of a typed number's numerator and denominator: about 450 digits, which a release can hold."""
DECIMAL_COMMA = re.compile(r"([-+]?[0-9]+),([0-9]+)")
_MAX_RADIUS = arb(1) / 2  # of a ball whose floor is taken

_PRECISION_LOCK = RLock()  # Arb's working precision belongs to the process, not to the thread


def _new_lock() -> None:
    """Replace the lock in a forked child: one that another thread holds would never be released."""
    global _PRECISION_LOCK
    _PRECISION_LOCK = RLock()


after_fork(_new_lock)


def rational(name: str, value: Number, *, fix: str) -> Fraction:
    """Parse a typed number exactly; `fix` is the line to write instead if it is not a finite number."""
    try:
        return _rational(value)
    except (InvalidOperation, ValueError, TypeError, OverflowError, ZeroDivisionError):
        raise BadParameter(
            f"{name}={shown(value)}: a finite number is needed.", fix=_with_point(name, value) or fix
        ) from None


def _with_point(name: str, value: object) -> str:
    """Suggest a decimal point for a number with a decimal comma."""
    comma = isinstance(value, str) and DECIMAL_COMMA.fullmatch(value.strip())
    return f"{name}={comma[1]}.{comma[2]}, with a decimal point" if comma else ""


def _rational(value: object) -> Fraction:
    if isinstance(value, bool):
        raise TypeError("a truth value is not a number")
    if isinstance(value, Integral):
        return _short(Fraction(int(value)))
    if isinstance(value, Rational):
        return _short(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, str):
        return _short(Fraction(value.strip())) if "/" in value else _decimal(Decimal(value))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, Real):
        return _decimal(Decimal(repr(float(value))))
    raise TypeError(f"{type(value).__name__} is not a number")


def _decimal(value: Decimal) -> Fraction:
    if value.is_finite() and abs(value.adjusted()) > 400:
        raise OverflowError("a number that large or small cannot be meant")
    return _short(Fraction(value))


def _short(value: Fraction) -> Fraction:
    """Refuse a number with more digits than a release keeps, or beyond what a float can be."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise OverflowError("a number of that many digits cannot be meant")
    float(value)
    return value


def positive(name: str, value: Number, *, fix: str) -> Fraction:
    """Parse a rational above zero."""
    number = rational(name, value, fix=fix)
    if number <= 0:
        raise BadParameter(f"{name}={value!r}: it must be above 0.", fix=fix)
    return number


def whole(name: str, value: int, *, minimum: int, fix: str) -> int:
    """Validate an integer that is at least `minimum`, and that 64 bits hold."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < minimum:
        raise BadParameter(f"{name}={shown(value)}: a whole number of at least {minimum} is needed.", fix=fix)
    if value >= 2**63:
        raise BadParameter(f"{name}: a whole number below 2^63 is needed.", fix=fix)
    return int(value)


def one_of(name: str, value: Any, known: Sequence[str], more: str = "") -> Any:
    """Return the value if it is one of the known names, else raise; `more` is what else may be written."""
    if not isinstance(value, str) or value not in known:
        raise BadParameter(f"{name}={shown(value)}: unknown.", fix=_one_of(name, value, known, more))
    return str(value)


def _one_of(name: str, value: Any, known: Sequence[str], more: str) -> str:
    """Suggest names: the one that was probably meant, then all of them."""
    near = get_close_matches(value, known, n=1) if isinstance(value, str) else []
    meant = f'did you mean {name}="{near[0]}"? ' if near else ""
    if len(known) > SPELLED_OUT:
        return f'{meant}{name}="{known[0]}", or one of {", ".join([*known[1:], *([more] if more else [])])}'
    choices = " or ".join([*(f'{name}="{each}"' for each in known), *([more] if more else [])])
    return f"{meant}Or {choices}" if meant else choices


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set Arb's working precision to this many bits inside the block."""
    with _PRECISION_LOCK, ctx.workprec(bits):
        yield


def ball(value: Fraction | int) -> arb:
    """The Arb ball around a rational."""
    return arb(fmpq(value.numerator, value.denominator))


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """Rational lower and upper end of a ball."""
    if not value.is_finite():
        raise ArithmeticError(f"the working precision was too low to enclose a value: {value}")
    return _dyadic(value.lower(), up=False), _dyadic(value.upper(), up=True)


def _dyadic(point: arb, *, up: bool) -> Fraction:
    """Convert a point exactly; one closer to 0 than 2^-4000 becomes 0 or +-2^-4000, rounded up or down."""
    mantissa, exponent = (int(part) for part in point.man_exp())
    if exponent + mantissa.bit_length() < -4000:
        return Fraction((mantissa > 0) == up and (mantissa > 0) - (mantissa < 0), 1 << 4000)
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def floor_of_ball(value: arb) -> int:
    """An integer at most a non-negative value, and less than 2 below it."""
    if not value.rad() < _MAX_RADIUS:
        raise ArithmeticError("the working precision was too low to find a whole number")
    return max(int(value.lower().floor().fmpz()), 0)


def gaussian_weight(k: int, variance: Fraction) -> arb:
    """exp(-k^2 / (2 variance))."""
    return ball(-Fraction(k * k) / (2 * variance)).exp()


def gaussian_steps(first: int, step: int, variance: Fraction) -> tuple[arb, arb, arb]:
    """First weight, first ratio and factor of the recurrence for the weights of first, first + step, first + 2 step,
    ...: each weight is the one before times a ratio, which itself shrinks by a constant factor."""
    ratio = ball(-Fraction(step * (2 * first + step)) / (2 * variance)).exp()
    return gaussian_weight(first, variance), ratio, ball(-Fraction(step * step) / variance).exp()


def gaussian_total(variance: Fraction) -> arb:
    """Sum of the weights of all integers: Jacobi's theta function."""
    *_, theta, _ = acb.modular_theta(acb(0), acb(0, 1 / (2 * arb.pi() * ball(variance))))
    return theta.real


def gaussian_sum(first: int, step: int, variance: Fraction) -> arb:
    """Sum of the weights of first, first + step, first + 2 step, ..., to the current precision.

    The ratio of terms shrinks, so the rest lies between 0 and term / (1 - ratio)."""
    total = arb(0)
    term, ratio, shrink = gaussian_steps(first, step, variance)
    reach = isqrt(ceil(variance * ctx.prec * Fraction(7, 5)))  # beyond it a weight is below 2^-prec
    for _ in range(first, reach + 1, step):
        total += term
        term *= ratio
        ratio *= shrink
    return total + arb(0).union(term / (1 - ratio))


def round_up(value: Fraction, digits: int = 12) -> Fraction:
    """Round up to at least `digits` significant decimal digits."""
    step = _decimal_step(value, digits)
    return -(-value // step) * step


def round_down(value: Fraction, digits: int = 12) -> Fraction:
    """Round down to at least `digits` significant decimal digits."""
    step = _decimal_step(value, digits)
    return value // step * step


def _decimal_step(value: Fraction, digits: int) -> Fraction:
    if value == 0:
        return Fraction(1)
    # the number of decimal digits before the point, right to within one: enough for a grid that is fine enough
    magnitude = (value.numerator.bit_length() - value.denominator.bit_length()) * 30103 // 100000
    return Fraction(10) ** (magnitude - digits)


def written(value: Fraction) -> str:
    """Format a number exactly: as a plain decimal where there is one, else as numerator/denominator."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    with localcontext() as context:
        context.prec = len(str(abs(value.numerator))) + value.denominator.bit_length()
        return format((Decimal(value.numerator) / Decimal(value.denominator)).normalize(), "f")
