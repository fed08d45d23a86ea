"""The bound that a released profile suggests: free post-processing of released values."""

from math import sqrt

import numpy as np
import pyarrow as pa

from headcount.account.events import Laplace, from_json
from headcount.bound.scale import GRID
from headcount.bound.selection.profile import PROFILE_EDGES, Profile
from headcount.release.about import About
from headcount.source.derived import SIZE, WHAT, size_bins

BEYOND_SHARE = 0.05
"""Share of people who may contribute more than the suggested bound."""


def suggested_bound(table: pa.Table, about: About, what: str) -> int:
    """The number of items, or of events, that all but 1 in 20 people do not exceed."""
    return profile_of(table, about, what).within(BEYOND_SHARE)


def profile_of(table: pa.Table, about: About, what: str) -> Profile:
    """The released bins of items, or of events, in their order."""
    rows = zip(*(table[name].to_pylist() for name in (WHAT, SIZE, "count")), strict=True)
    counts = {size: count for contributes, size, count in rows if contributes == what}
    labels = size_bins(PROFILE_EDGES).labels
    values = np.array([counts[label] for label in labels], dtype=np.int64)
    return Profile(PROFILE_EDGES[:-1], values, _noise_deviation(about) / GRID)


def _noise_deviation(about: About) -> float:
    """The standard deviation of the noise on each bin, which the first event has."""
    event = from_json(about.events)[0]
    assert isinstance(event, Laplace)
    return sqrt(2) * float(event.scale)
