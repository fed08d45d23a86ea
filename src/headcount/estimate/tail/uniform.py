"""Uniform numbers for the draws of a posterior. They are computed from released values only, so they need not be
secret; and they are the same each time, so that equal measurements give equal values."""

from functools import cache

import numpy as np

from headcount.exact import Floats

STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Constants of SplitMix64 (Steele, Lea & Flood 2014)."""


@cache
def uniform(rows: int, columns: int, stream: int = 0) -> Floats:
    """A table of numbers strictly between 0 and 1, by hashing their places (SplitMix64)."""
    index = np.arange(rows * columns, dtype=np.uint64) + np.uint64(stream << 32)
    with np.errstate(over="ignore"):
        mixed = (index + np.uint64(1)) * np.uint64(STEP)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(FIRST)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(SECOND)
    top = (mixed ^ (mixed >> np.uint64(31))) >> np.uint64(12)
    found: Floats = (top.astype(np.float64) + 0.5) / 2.0**52
    return found.reshape(rows, columns)
