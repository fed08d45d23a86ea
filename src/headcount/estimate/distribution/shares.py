"""Shares on the simplex, and how far off each may be: a function of released values alone."""

import numpy as np

from headcount.estimate.distribution.simplex import simplex
from headcount.exact import Floats

SEEN = 4.0
"""From this many deviations of its noise on, what people drew in all is believed to be anything."""
WIDTH = 2.1
"""Deviations to either side: more than 1.96, as deviations are themselves estimated (measured: docs/evidence.md)."""
SHARES = (
    "From low to high: this interval holds the share in the distribution that people draw from, in 19 of 20 cases: for "
    "noise, and for the chance of the draws"
)
MEASURED = ", by how much people were seen to differ. What pulling people in takes away is not in it."
ALIKE = " as if all people drew alike. If they do not, chance is larger."


def with_intervals(measured: Floats, noise: Floats, chance: float) -> dict[str, Floats]:
    """The nearest shares on the simplex and the ends of their intervals; all alike if nothing was seen.

    `measured` are shares before they are moved to the simplex, `noise` their deviations through noise (infinite if
    nothing was seen), `chance` the variance of all of them together through the chance of draws."""
    cells = len(measured)
    if cells == 1:
        return _columns(np.ones(1), np.ones(1), np.ones(1))
    if not np.isfinite(noise).all():
        return _columns(np.full(cells, 1 / cells), np.zeros(cells), np.ones(cells))
    shares = simplex(measured)
    own = shares * (1 - shares) / max(1 - float(shares @ shares), 1e-9)
    away = WIDTH * np.sqrt(noise**2 + chance * np.maximum(own, 0))
    low, high = np.minimum(measured - away, shares), np.maximum(measured + away, shares)
    return _columns(shares, np.clip(low, 0, 1), np.clip(high, 0, 1))


def _columns(shares: Floats, low: Floats, high: Floats) -> dict[str, Floats]:
    return {"share": shares, "low": low, "high": high}
