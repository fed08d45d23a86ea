"""Weights that fall from each to the next by a ratio, as whole numbers of 2^-unit that are never too large.

The ratio is constant (geometric weights) or itself falls by a constant factor (Gaussian weights). Arb computes the
first weight, the first ratio and the factor; all others are products of whole numbers. What these cut off is known.
"""

from collections.abc import Iterator

from flint import arb, fmpz

from headcount.exact import whole_below


def falling(first: arb, ratio: arb, factor: arb, unit: int) -> Iterator[int]:
    """first, first * ratio, first * ratio * (ratio * factor), ..., without end; none of the three is above 1.

    Number n = 0, 1, 2, ... is too small by less than 2 (n + 1)^2. Each of the three lacks less than 2. A product of
    numbers up to 1 lacks at most what they lack together, and less than 1 that is cut off: so ratio n lacks less than
    2 + 3n, and weight n less than 2 + 3 (1 + 2 + ... + n)."""
    weight, quotient, shrink = (whole_below(part * fmpz(1 << unit)) for part in (first, ratio, factor))
    while True:
        yield weight
        weight = weight * quotient >> unit
        quotient = quotient * shrink >> unit
