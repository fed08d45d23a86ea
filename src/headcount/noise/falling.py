"""Decreasing weights, each the previous one times a ratio, in integer units of 2^-unit that are never too large.

The ratio is constant (geometric weights) or itself falls by a constant factor (Gaussian weights). Arb computes the
first weight, the first ratio and the factor; all others are products of integers, whose truncation error is bounded.
"""

from collections.abc import Iterator

from flint import arb, fmpz

from headcount.exact import floor_of_ball


def falling(first: arb, ratio: arb, factor: arb, unit: int) -> Iterator[int]:
    """Yield first, first * ratio, first * ratio * (ratio * factor), ..., without end; none of the three is above 1.

    Weight n = 0, 1, 2, ... is too small by less than 2 (n + 1)^2. Each of the three is too small by less than 2. The
    error of a product of numbers up to 1 is at most the sum of their errors, plus less than 1 for truncation: so the
    error of ratio n is less than 2 + 3n, and that of weight n less than 2 + 3 (1 + 2 + ... + n)."""
    weight, quotient, shrink = (floor_of_ball(part * fmpz(1 << unit)) for part in (first, ratio, factor))
    while True:
        yield weight
        weight = weight * quotient >> unit
        quotient = quotient * shrink >> unit
