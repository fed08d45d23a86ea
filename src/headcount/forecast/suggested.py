"""The bound that follows from a released profile: for free, as everything in it is released already."""

import numpy as np

from headcount.asked import PROFILE_EDGES
from headcount.bound.scale import GRID
from headcount.bound.selection.profile import Profile
from headcount.mechanism.mechanism import deviation, law
from headcount.release import Release
from headcount.source.views import SIZE, WHAT, size_bins

USUAL = 0.05
"""The bound is what all but this part of the people are within."""


def suggested(release: Release, what: str) -> int:
    """What all but one in twenty people contribute at most: items, or events."""
    return profile_of(release, what).within(USUAL)


def profile_of(release: Release, what: str) -> Profile:
    """The released bins, in their order."""
    rows = zip(*(release.table[name].to_pylist() for name in (WHAT, SIZE, "count")), strict=True)
    counts = {size: count for contributes, size, count in rows if contributes == what}
    labels = size_bins(PROFILE_EDGES).labels
    noise = deviation(law(release.cost.events[0])) / GRID
    return Profile(PROFILE_EDGES[:-1], np.array([counts[label] for label in labels], dtype=np.int64), noise)
