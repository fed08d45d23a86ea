"""Shares on the simplex, with intervals: a function of released values alone."""

from typing import Literal

import numpy as np

from headcount.estimate.distribution.simplex import simplex
from headcount.exact import Floats

Target = Literal["people", "rows", "source"]
"""What a share is a share of: the mean of each person's own shares; all rows after bounding; or the one distribution
that everybody is assumed to draw from."""
MIN_SIGNAL_DEVIATIONS = 4.0
"""Standard deviations of the noise from which on the total of draws is significant."""
INTERVAL_DEVIATIONS = 2.1
"""Standard deviations to either side: more than 1.96, as they are themselves estimated (measured: docs/evidence.md)."""
INTERVAL_NOTE = (
    "The interval from low to high contains the share in the distribution that people draw from in 95% of cases. It "
    "covers noise and the chance of the draws"
)
MEASURED_CHANCE_NOTE = (
    ", estimated from how much people differ. It does not cover the bias from pulling people in: if some people are "
    "unlike the others, it may miss."
)
EQUAL_PEOPLE, UNMOVED = "if all people draw from the same distribution", "if pulling people in moved no share"
"""Conditions under which intervals are for the distribution that people draw from."""
EQUAL_PEOPLE_NOTE = ", as if all people drew from the same distribution. If they do not, chance is larger."
PEOPLE_NOTE = (
    "The interval from low to high contains the mean of the own shares of all people in the table in 95% of cases"
)
ROWS_NOTE = (
    "The interval from low to high contains the share of all rows that are left after bounding in 95% of cases. It "
    "does not include what bounding removed"
)
TABLE_NOTE = ". It is about the people in the table, not about others whom they may represent."
ONE_SAMPLE_NOTE = ". It covers noise, and the chance of which sample of a person is taken."


def with_intervals(
    measured: Floats, noise: Floats, chance: float, deviations: float = INTERVAL_DEVIATIONS
) -> dict[str, Floats]:
    """Project shares to the simplex and compute their intervals; all shares are equal if there is no signal.

    `measured` are the shares before projection, `noise` their standard deviations through noise (infinite if there is
    no signal), `chance` the sum of their sampling variances, `deviations` the half-width of an interval."""
    cells = len(measured)
    if cells == 1:
        return _columns(np.ones(1), np.ones(1), np.ones(1))
    if not np.isfinite(noise).all():
        return _columns(np.full(cells, 1 / cells), np.zeros(cells), np.ones(cells))
    shares = simplex(measured)
    own = shares * (1 - shares) / max(1 - float(shares @ shares), 1e-9)
    half_width = deviations * np.sqrt(noise**2 + chance * np.maximum(own, 0))
    low, high = np.minimum(measured - half_width, shares), np.maximum(measured + half_width, shares)
    return _columns(shares, np.clip(low, 0, 1), np.clip(high, 0, 1))


def _columns(shares: Floats, low: Floats, high: Floats) -> dict[str, Floats]:
    return {"share": shares, "low": low, "high": high}
