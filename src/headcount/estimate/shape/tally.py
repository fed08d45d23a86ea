"""Histogram of noisy cells by value, and the line of integers within reach of an occupied value.

Noise of a limited reach moves nothing further than that. So values more than twice the reach apart do not interact, and
the integers between them are left out: counts may be huge, and the line stays short.
"""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Integers

LONGEST = 2**21
"""Default limit of the number of places of a line."""


@dataclass(frozen=True)
class Tally:
    """Number of cells by noisy value."""

    values: Integers
    """Distinct values, increasing."""
    cells: Integers
    """Number of cells of each."""


@dataclass(frozen=True)
class Line:
    """All integers within reach of an occupied value, in order."""

    values: Integers
    """The integer of each place, increasing."""
    occupied: Integers
    """The places of the occupied values."""


def tally(noisy: Integers) -> Tally:
    """Count noisy cells by value."""
    values, cells = np.unique(np.asarray(noisy, dtype=np.int64), return_counts=True)
    return Tally(values, cells.astype(np.int64))


def line(occupied: Integers, reach: int, longest: int = LONGEST) -> Line:
    """Build the line around distinct increasing values; around the smallest of them, if it would be too long."""
    firsts = occupied - reach
    firsts[1:] = np.maximum(firsts[1:], occupied[:-1] + reach + 1)
    lengths = occupied + reach + 1 - firsts
    ends = lengths.cumsum()
    fit = max(1, int(np.searchsorted(ends, longest, side="right")))
    firsts, lengths, ends = firsts[:fit], lengths[:fit], ends[:fit]
    values = np.repeat(firsts - (ends - lengths), lengths) + np.arange(int(ends[-1]))
    return Line(values, occupied[:fit] - firsts + ends - lengths)
