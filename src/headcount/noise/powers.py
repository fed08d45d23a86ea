"""exp(-rate * d) for many whole numbers d at once, as whole numbers of 2^-unit that are never too large.

d is written in digits of 6 bits, and the power is the product of one factor for every digit, from tables that Arb
computed. No floats: what is cut off is known, and always makes the power smaller.
"""

from fractions import Fraction
from itertools import accumulate, repeat
from math import floor

import numpy as np
from flint import fmpz

from headcount.exact import Integers, ball, ends, precision

UNIT = 62
"""Powers are whole numbers of 2^-62, if nothing else is said: their products fit into 64 bits."""
REACH = 43
"""exp(-43) is just below 2^-62: what lies beyond is less than one unit."""
LACK = 44
"""A power is too small by less than so many units: the factor of a digit and the product with it by less than 2 each,
and what fits into 64 bits has at most 11 digits."""
DIGIT = 6
"""Bits of a digit."""
PRECISION = 192
"""Bits of Arb for what is computed once."""


def tables(rate: Fraction, reach: int, unit: int) -> list[Integers]:
    """exp(-rate * d) for d = a, a * 64, a * 64^2, ... and a = 0 .. 63, as far as d = reach needs: too small by less
    than 2."""
    found, finer = [], 2 * unit
    for place in range(-(-reach.bit_length() // DIGIT)):
        with precision(PRECISION):
            factor = floor(ends(ball(-rate * (1 << DIGIT * place)).exp() * fmpz(1 << finer))[0])
        factors = repeat(factor, min((1 << DIGIT) - 1, reach >> DIGIT * place))
        powers = accumulate(factors, lambda power, factor: power * factor >> finer, initial=1 << finer)
        found.append(np.array([power >> unit for power in powers]))  # before: by less than 3 * 63 of 2^-124
    return found


def powers(made: list[Integers], depths: Integers, unit: int) -> Integers:
    """exp(-rate * d) for these d, none beyond what the tables were made for: too small by less than 44."""
    product = np.full(len(depths), 1 << unit)
    for place, factors in enumerate(made):
        product = times(product, factors[(depths >> DIGIT * place) & ((1 << DIGIT) - 1)], unit)
    return product


def times(left: Integers, right: Integers, unit: int) -> Integers:
    """left * right / 2^unit for numbers up to 2^unit, too small by less than 2: the product of the lower halves is left
    out, and what is behind the point."""
    half = unit // 2
    lower = (1 << half) - 1
    crossed: Integers = (left >> half) * (right & lower) + (left & lower) * (right >> half)
    product: Integers = (left >> half) * (right >> half) + (crossed >> half)
    return product
