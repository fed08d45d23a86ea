"""Independent formulas at 50 digits (mpmath), to check the certified ones against."""

from fractions import Fraction

from mpmath import erfc, exp, log, mp, mpf, sqrt

mp.dps = 50


def number(value: Fraction) -> mpf:
    return mpf(value.numerator) / mpf(value.denominator)


def normal(x: mpf) -> mpf:
    return erfc(-x / sqrt(2)) / 2


def gaussian_delta(epsilon: Fraction, sigma: Fraction, sensitivity: mpf) -> mpf:
    """Balle & Wang 2018, Theorem 8."""
    e, s = number(epsilon), number(sigma)
    return normal(sensitivity / (2 * s) - e * s / sensitivity) - exp(e) * normal(
        -sensitivity / (2 * s) - e * s / sensitivity
    )


def discrete_gaussian_delta(epsilon: Fraction, variance: Fraction, shift: int) -> mpf:
    """The exact delta of the discrete Gaussian on one cell: Canonne, Kamath & Steinke 2020, Theorem 7."""
    e, v = number(epsilon), number(variance)
    reach = int(e * v + 30 * sqrt(v)) + shift + 10  # far beyond where the two terms are compared
    weights = {k: exp(-(mpf(k) ** 2) / (2 * v)) for k in range(-reach, reach + 1)}
    total = sum(weights.values())
    first = epsilon * variance / shift  # exact: at a tie both sums must agree
    upper = sum(w for k, w in weights.items() if k > first - Fraction(shift, 2))
    lower = sum(w for k, w in weights.items() if k > first + Fraction(shift, 2))
    return (upper - exp(e) * lower) / total


def zcdp_delta(rho: Fraction, epsilon: Fraction) -> mpf:
    """Canonne, Kamath & Steinke 2020, Corollary 13, at its best order: the root of the exponent's derivative."""
    r, e = number(rho), number(epsilon)

    def exponent(a: mpf) -> mpf:
        return (a - 1) * (a * r - e) + a * log(1 - 1 / a) - log(a - 1)

    def slope(a: mpf) -> mpf:
        return (2 * a - 1) * r - e + log(1 - 1 / a)

    low, high = 1 + mpf(10) ** -30, (e + r) / (2 * r) + 1 / r + 2  # the slope rises from below 0 to above it
    for _ in range(300):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return exp(exponent(low))
