"""Quantiles and range counts, with intervals, from consistent counts (tree.py, sampled_tree.py).

Within a leaf, values are interpolated as if people were uniform over it. Intervals do not assume this, since all people
of a leaf may have one value: their ends are edges.

The interval of a quantile is searched from the coarsest level down. It starts at the last edge before the first that
may have enough people below it (within noise and what is hidden), and ends at the first edge after the last that may
have few enough; the next level searches only between these. The leaf of the true quantile is missed only if an end of
the node around it, of the level in question, is rejected: two tests per level. The miss rate is divided among these
tests, mostly for the leaves. So the interval has its stated coverage for any distribution of values, and noise far
away, where edges are many, does not widen it.
"""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from headcount.estimate.constants import MISS_RATE
from headcount.estimate.ordered.tree import Shape, Within
from headcount.exact import Floats, Integers
from headcount.system.late import scipy

LEAF_MISS_SHARE = 0.8
"""Share of the miss rate that is given to the leaves."""

Intervals = tuple[Floats, Floats, Floats]
"""Values, and the lower and the upper ends of their intervals."""


class Counts(Protocol):
    """Counts over a line of leaves, with error bounds."""

    @property
    def shape(self) -> Shape: ...

    @property
    def below(self) -> Floats:
        """Count below each edge: before the first leaf, after it, .., after the last."""
        ...

    def excess(self, part: float) -> Within:
        """Count below each edge minus this fraction of the total."""
        ...

    def between(self, firsts: Integers, lasts: Integers) -> Within:
        """Count between two edges, first <= last."""
        ...


def quantiles(leaf_counts: Counts, qs: NDArray[np.float64], edges: NDArray[np.float64]) -> Intervals:
    """Compute the quantiles `qs`, given the increasing edges of the leaves. If the total is estimated as 0: the middle,
    with the whole range as the interval."""
    qs, edges = np.asarray(qs, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    everybody = max(float(leaf_counts.below[-1]), 0.0)
    from scipy.optimize import isotonic_regression  # slow to import: half as long as all the rest

    below = np.clip(isotonic_regression(leaf_counts.below).x, 0.0, everybody)
    values = _where(below, qs * everybody, edges)
    if everybody == 0:
        return values, np.full_like(values, edges[0]), np.full_like(values, edges[-1])
    ends = np.array([_ends(leaf_counts, q) for q in qs.tolist()], dtype=np.int64).reshape(-1, 2)
    return values, np.minimum(edges[ends[:, 0]], values), np.maximum(edges[ends[:, 1]], values)


def ranges(leaf_counts: Counts, firsts: NDArray[np.int64], lasts: NDArray[np.int64]) -> Intervals:
    """Compute the counts from leaf `first` up to, but excluding, leaf `last`."""
    firsts, lasts = np.asarray(firsts, dtype=np.int64), np.asarray(lasts, dtype=np.int64)
    counts, within = leaf_counts.below[lasts] - leaf_counts.below[firsts], leaf_counts.between(firsts, lasts)
    half_width = scipy.special.ndtri(1 - MISS_RATE / 2) * within.deviations
    low, high = np.minimum(within.minimum - half_width, counts), np.maximum(within.maximum + half_width, counts)
    return np.maximum(counts, 0.0), np.maximum(low, 0.0), np.maximum(high, 0.0)


def _where(below: Floats, targets: Floats, edges: Floats) -> Floats:
    """Positions at which `below` reaches the targets; the middle, where it is flat at a target."""
    below = np.concatenate([[-1.0], below, [below[-1] + 1.0]])
    edges = np.pad(edges, 1, mode="edge")
    return (_crossed(below, targets, edges, "left") + _crossed(below, targets, edges, "right")) / 2


def _crossed(below: Floats, targets: Floats, edges: Floats, side: Literal["left", "right"]) -> Floats:
    """First or last position at which `below` reaches the targets."""
    after = np.searchsorted(below, targets, side=side)
    part = (targets - below[after - 1]) / (below[after] - below[after - 1])
    position: Floats = edges[after - 1] + part * (edges[after] - edges[after - 1])
    return position


def _ends(leaf_counts: Counts, q: float) -> tuple[int, int]:
    """Indices of the edges that enclose the quantile."""
    within, shape = leaf_counts.excess(q), leaf_counts.shape
    low, high = 0, shape.leaves
    for level in range(shape.levels):
        edges = np.append(np.arange(low, high, shape.fan_out ** (shape.levels - 1 - level)), high)
        inner = edges[1:-1]
        half_width = _deviations(level, shape.levels) * within.deviations[inner]
        enough, few = within.maximum[inner] + half_width >= 0, within.minimum[inner] - half_width <= 0
        low, high = int(edges[_first(enough)]), int(edges[-1 - _first(few[::-1])])
    return low, high


def _first(true: NDArray[np.bool_]) -> int:
    """Index of the first true value, or the length if there is none."""
    return int(np.argmax(np.append(true, True)))


def _deviations(level: int, levels: int) -> float:
    """Critical value of the tests of a level, in standard deviations."""
    if levels == 1:
        return float(scipy.special.ndtri(1 - MISS_RATE / 2))
    part = LEAF_MISS_SHARE if level == levels - 1 else (1 - LEAF_MISS_SHARE) / (levels - 1)
    return float(scipy.special.ndtri(1 - MISS_RATE / 2 * part))
