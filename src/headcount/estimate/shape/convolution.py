"""Convolution along the last axis: direct if that is cheap, else by Fourier transform.

`scipy.signal` has the same, but its import takes as long as all the rest of SciPy that a release needs."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats
from headcount.system.late import scipy

MAX_DIRECT_PRODUCTS = 2**22
"""Products up to which a direct convolution is cheaper."""
MAX_DIRECT_WEIGHTS = 16
"""Weights up to which a loop over them is cheaper."""


def convolve(numbers: NDArray[Any], weights: NDArray[Any], mode: Literal["full", "same", "valid"] = "full") -> Floats:
    """Convolve as `np.convolve` does, but "same" has always the length of `numbers`."""
    size, width = numbers.shape[-1], len(weights)
    first, last = {"full": (0, size + width - 1), "same": ((width - 1) // 2, (width - 1) // 2 + size)}.get(
        mode, (width - 1, size)
    )
    return _full(np.asarray(numbers, np.float64), np.asarray(weights, np.float64))[..., first:last]


def _full(numbers: Floats, weights: Floats) -> Floats:
    if numbers.ndim == 1 and numbers.size * len(weights) <= MAX_DIRECT_PRODUCTS:
        return np.convolve(numbers, weights)
    size = numbers.shape[-1] + len(weights) - 1
    if len(weights) <= MAX_DIRECT_WEIGHTS:
        full = np.zeros((*numbers.shape[:-1], size))
        for index, weight in enumerate(weights):
            full[..., index : index + numbers.shape[-1]] += weight * numbers
        return full
    circle = scipy.fft.next_fast_len(size, real=True)
    product = scipy.fft.rfft(numbers, circle) * scipy.fft.rfft(weights, circle)
    return np.asarray(scipy.fft.irfft(product, circle)[..., :size])
