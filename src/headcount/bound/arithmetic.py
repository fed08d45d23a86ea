"""Arithmetic in floating point, alike for a column on an engine and for NumPy's numbers: a formula is written once.
Each of these steps is rounded correctly everywhere (IEEE 754), so both give the same."""

from typing import Any

import numpy as np


def floating(numbers: Any) -> Any:
    """In floating point."""
    return numbers.astype(np.float64) if isinstance(numbers, np.ndarray) else numbers.cast("float64")


def root(numbers: Any) -> Any:
    """The square root."""
    return np.sqrt(numbers) if isinstance(numbers, np.ndarray) else numbers.sqrt()


def whole(numbers: Any) -> Any:
    """Rounded down, with 64 bits."""
    return np.floor(numbers).astype(np.int64) if isinstance(numbers, np.ndarray) else numbers.floor().cast("int64")


def where(condition: Any, one: Any, other: Any) -> Any:
    """One if the condition holds, else the other."""
    return np.where(condition, one, other) if isinstance(condition, np.ndarray) else condition.ifelse(one, other)


def cut_at(numbers: Any, limit: float) -> Any:
    """The numbers, nothing above the limit."""
    return where(numbers < float(limit), numbers, float(limit))
