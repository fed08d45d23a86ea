"""Noisy cells, tallied, and the integers near which there are any.

Noise of a limited reach takes nothing further than that. So values more than twice the reach apart know nothing of each
other, and the integers between them are left out: counts may be huge, and the line stays short.
"""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Integers

LONGEST = 2**21
"""A line has no more places, if nothing else is said."""


@dataclass(frozen=True)
class Seen:
    """How many cells show which value."""

    values: Integers
    """The different values, rising."""
    cells: Integers
    """How many cells show each."""


@dataclass(frozen=True)
class Line:
    """All integers within reach of an occupied value, in order."""

    values: Integers
    """The integer of each place, rising."""
    occupied: Integers
    """The places of the occupied values."""


def tallied(noisy: Integers) -> Seen:
    """The values of noisy cells."""
    values, cells = np.unique(np.asarray(noisy, dtype=np.int64), return_counts=True)
    return Seen(values, cells.astype(np.int64))


def line(occupied: Integers, reach: int, longest: int = LONGEST) -> Line:
    """The line around different rising values; if it were too long, around the smallest of them."""
    firsts = occupied - reach
    firsts[1:] = np.maximum(firsts[1:], occupied[:-1] + reach + 1)
    lengths = occupied + reach + 1 - firsts
    ends = lengths.cumsum()
    fit = max(1, int(np.searchsorted(ends, longest, side="right")))
    firsts, lengths, ends = firsts[:fit], lengths[:fit], ends[:fit]
    values = np.repeat(firsts - (ends - lengths), lengths) + np.arange(int(ends[-1]))
    return Line(values, occupied[:fit] - firsts + ends - lengths)
