"""Vectorised exp(-rate * d) for integers d, in integer units of 2^-unit that are never too large.

d is written in digits of 6 bits, and the power is the product of one factor for every digit, from tables that Arb
computed. No floats: the truncation error is bounded, and always makes the power smaller.
"""

from fractions import Fraction
from itertools import accumulate, repeat
from math import floor

import numpy as np
from flint import fmpz

from headcount.exact import Integers, ball, ends, precision

UNIT_BITS = 62
"""Powers are in integer units of 2^-62 by default: their products fit into 64 bits."""
REACH = 43
"""Largest exponent that matters: exp(-43) is just below 2^-62, and anything smaller is less than one unit."""
MAX_POWER_ERROR = 44
"""A power is too small by less than this many units: the factor of a digit and the product with it by less than 2 each,
and what fits into 64 bits has at most 11 digits."""
DIGIT_BITS = 6
"""Bits per digit."""
PRECISION = 192
"""Arb's working precision for the tables, in bits."""


def tables(rate: Fraction, reach: int, unit: int) -> list[Integers]:
    """Tables of exp(-rate * d) for d = a, a * 64, a * 64^2, ... and a = 0 .. 63, as far as d = reach needs: too small
    by less than 2."""
    digit_tables, finer = [], 2 * unit
    for index in range(-(-reach.bit_length() // DIGIT_BITS)):
        with precision(PRECISION):
            factor = floor(ends(ball(-rate * (1 << DIGIT_BITS * index)).exp() * fmpz(1 << finer))[0])
        factors = repeat(factor, min((1 << DIGIT_BITS) - 1, reach >> DIGIT_BITS * index))
        powers = accumulate(factors, lambda power, factor: power * factor >> finer, initial=1 << finer)
        digit_tables.append(np.array([power >> unit for power in powers]))  # before: by less than 3 * 63 of 2^-124
    return digit_tables


def powers(digit_tables: list[Integers], depths: Integers, unit: int) -> Integers:
    """exp(-rate * d) for these d, none beyond the reach of the tables: too small by less than 44 units."""
    product = np.full(len(depths), 1 << unit)
    for index, factors in enumerate(digit_tables):
        product = multiply(product, factors[(depths >> DIGIT_BITS * index) & ((1 << DIGIT_BITS) - 1)], unit)
    return product


def multiply(left: Integers, right: Integers, unit: int) -> Integers:
    """left * right / 2^unit for numbers up to 2^unit, too small by less than 2: the product of the lower halves and the
    fractional part are dropped."""
    half = unit // 2
    lower = (1 << half) - 1
    crossed: Integers = (left >> half) * (right & lower) + (left & lower) * (right >> half)
    product: Integers = (left >> half) * (right >> half) + (crossed >> half)
    return product
