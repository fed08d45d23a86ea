"""Convolution, beside SciPy's."""

from typing import Any

import numpy as np
import pytest
from scipy import signal

from headcount.estimate.shape.convolution import convolve

RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("size", [(5,), (50,), (3000,), (20_000,), (40, 3000)])
@pytest.mark.parametrize("wide", [1, 3, 4, 2000])
def test_it_is_that_of_scipy(mode: Any, size: tuple[int, ...], wide: int) -> None:
    numbers, weights = RANDOM.normal(size=size), RANDOM.normal(size=min(wide, size[-1]))
    other = weights if len(size) == 1 else np.array([weights])
    beside = signal.convolve(numbers, other, mode)
    if mode == "same" and len(size) == 2:
        beside = np.array([signal.convolve(row, weights, mode) for row in numbers])
    assert np.allclose(convolve(numbers, weights, mode), beside)
