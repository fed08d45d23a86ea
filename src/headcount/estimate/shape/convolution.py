"""Convolution along the last axis: directly if that is little work, else by Fourier transform.

SciPy has the same in `scipy.signal`, whose import takes as long as all of the rest that a release needs of SciPy."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from headcount.exact import Floats

LITTLE = 2**22
"""Products."""
SHORT = 16
"""Numbers that are gone through one by one."""


def convolve(numbers: NDArray[Any], weights: NDArray[Any], mode: Literal["full", "same", "valid"] = "full") -> Floats:
    """All of it; as much as there are numbers, from the middle; or only where all weights meet a number."""
    size, wide = numbers.shape[-1], len(weights)
    first, last = {"full": (0, size + wide - 1), "same": ((wide - 1) // 2, (wide - 1) // 2 + size)}.get(
        mode, (wide - 1, size)
    )
    return _full(np.asarray(numbers, np.float64), np.asarray(weights, np.float64))[..., first:last]


def _full(numbers: Floats, weights: Floats) -> Floats:
    if numbers.ndim == 1 and numbers.size * len(weights) <= LITTLE:
        return np.convolve(numbers, weights)
    size = numbers.shape[-1] + len(weights) - 1
    if len(weights) <= SHORT:
        full = np.zeros((*numbers.shape[:-1], size))
        for place, weight in enumerate(weights):
            full[..., place : place + numbers.shape[-1]] += weight * numbers
        return full
    circle = fft.next_fast_len(size, real=True)
    product = fft.rfft(numbers, circle) * fft.rfft(weights, circle)
    return np.asarray(fft.irfft(product, circle)[..., :size])
