"""The shares of a distribution, on the simplex, and how far off each may be: a function of released values alone."""

from math import inf, log, sqrt
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.account.events import Laplace
from headcount.estimate.distribution.simplex import simplex
from headcount.mechanism import Clipped, Mechanism, Noisy, NoisyCentre, NoisySelected, Recentred, Selected
from headcount.mechanism.distribution import selected
from headcount.mechanism.mechanism import deviation, law

Floats = NDArray[np.float64]
SEEN = 4.0
"""From so many deviations of its noise on, what people drew in all is believed to be anything."""
WIDTH = 2.1
"""Deviations to either side: more than 1.96, as deviations are themselves estimated (measured: docs/evidence.md)."""
TAIL = log(20) / sqrt(2) / 1.96
"""So many times wider is Laplace noise."""
SHARES = (
    "From low to high: this interval holds the share in the distribution that people draw from, in 19 of 20 cases: for "
    "noise, and for the chance of the draws"
)
MEASURED = ", by how much people were seen to differ. What pulling people in takes away is not in it."
ALIKE = " as if all people drew alike. If they do not, chance is larger."


def interval(mechanism: Mechanism) -> str:
    """What low and high mean."""
    return SHARES + (MEASURED if isinstance(mechanism, Recentred) else ALIKE)


def columns(noisy: Noisy, mechanism: Mechanism) -> dict[str, Any]:
    """share, low, high of each item."""
    shares, low, high = told(noisy, mechanism)
    return {name: pa.array(each) for name, each in (("share", shares), ("low", low), ("high", high))}


def told(noisy: Noisy, mechanism: Mechanism) -> tuple[Floats, Floats, Floats]:
    """The shares, on the simplex, and the ends of their intervals; all alike if nothing was seen."""
    measured, noise, chance = _measured(noisy, mechanism)
    cells = len(measured)
    if cells == 1:
        return np.ones(1), np.ones(1), np.ones(1)
    if not np.isfinite(noise).all():
        return np.full(cells, 1 / cells), np.zeros(cells), np.ones(cells)
    shares = simplex(measured)
    own = shares * (1 - shares) / max(1 - float(shares @ shares), 1e-9)
    away = WIDTH * np.sqrt(noise**2 + chance * np.maximum(own, 0))
    return (
        shares,
        np.clip(np.minimum(measured - away, shares), 0, 1),
        np.clip(np.maximum(measured + away, shares), 0, 1),
    )


def _measured(noisy: Noisy, mechanism: Mechanism) -> tuple[Floats, Floats, float]:
    """The shares before they are moved to the simplex, their deviations through noise, and the variance of all of them
    together through chance; deviations without end if nothing was seen."""
    if isinstance(noisy, NoisyCentre) and isinstance(mechanism, Recentred):
        seen = noisy.mass >= SEEN * deviation(law(mechanism.mass)) / mechanism.bounding.unit
        return noisy.shares, np.full(len(noisy.shares), noisy.noise if seen else inf), noisy.spread
    if isinstance(noisy, NoisySelected) and isinstance(mechanism, Selected):
        return _selected(noisy, mechanism)
    assert isinstance(mechanism, Clipped)
    return _counted(noisy.values / mechanism.bounding.unit, mechanism)


def _selected(noisy: NoisySelected, mechanism: Selected) -> tuple[Floats, Floats, float]:
    shares, noise = selected.shares(noisy, mechanism)
    doubt = 0.0 if isinstance(mechanism.people, int) else SEEN * deviation(law(mechanism.people))
    seen = noisy.people >= max(doubt, 1.0)
    return shares, noise if seen else np.full(len(shares), inf), 1 / max(noisy.people * mechanism.bounding.most, 1.0)


def _counted(values: Floats, mechanism: Clipped) -> tuple[Floats, Floats, float]:
    """From noise on every count: what people drew in all is their sum."""
    wide, cells = mechanism.deviation * (TAIL if isinstance(mechanism.event, Laplace) else 1.0), len(values)
    mass, largest = float(values.sum()), float(values.max(initial=0.0))
    seen = mass >= SEEN * wide * sqrt(cells) or largest >= wide * (SEEN + log(cells))
    mass = max(mass, largest, float(mechanism.bounding.limit))
    return values / mass, np.full(cells, wide / mass if seen else inf), 1 / mass
