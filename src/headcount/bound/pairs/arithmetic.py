"""Floating-point arithmetic on engine columns and on NumPy arrays, so that a formula is written once.
Every operation is correctly rounded (IEEE 754), so both give the same result."""

from typing import Any

import numpy as np


def floating(numbers: Any) -> Any:
    """Convert to 64-bit floating point."""
    if isinstance(numbers, int):
        return float(numbers)
    return numbers.astype(np.float64) if isinstance(numbers, np.ndarray) else numbers.cast("float64")


def root(numbers: Any) -> Any:
    """Take the square root."""
    return np.sqrt(numbers) if isinstance(numbers, np.ndarray) else numbers.sqrt()


def floor(numbers: Any) -> Any:
    """Round down to 64-bit integers."""
    return np.floor(numbers).astype(np.int64) if isinstance(numbers, np.ndarray) else numbers.floor().cast("int64")


def truncated(numbers: Any) -> Any:
    """Round towards zero, to 64-bit integers."""
    if isinstance(numbers, np.ndarray):
        return numbers.astype(np.int64)
    return where(numbers < 0.0, -floor(-numbers), floor(numbers))


def quotient(numbers: Any, divisors: Any) -> Any:
    """Divide integers that are not negative, and round down. Engines divide in floating point: a whole number below
    2^53 is exact there."""
    if isinstance(numbers, np.ndarray):
        return numbers // divisors
    return ((numbers - numbers % divisors) / divisors).round().cast("int64")


def where(condition: Any, one: Any, other: Any) -> Any:
    """Select `one` where the condition holds, else `other`."""
    return np.where(condition, one, other) if isinstance(condition, np.ndarray) else condition.ifelse(one, other)


def cut_at(numbers: Any, limit: float) -> Any:
    """Clip the numbers at the limit, from above."""
    return where(numbers < float(limit), numbers, float(limit))
