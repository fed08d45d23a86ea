"""Quantiles and ranges, with intervals, from counts that agree (tree.py, sampled_tree.py).

Inside of a leaf, values are told as if people were spread evenly over it. Intervals assume nothing of the kind, since
all people of a leaf may have one value: their ends are edges.

The interval of a quantile is sought from the coarsest level down. It starts at the last edge before the first that may
have enough people below it (within noise and what is hidden), and ends at the first edge after the last that may have
few enough; the next level looks only between these. The leaf of the true quantile is missed only if an edge is refused
that is an end of the node around it, of the level in question: twice per level. What may be missed in all is shared
among these tests, most of it for the leaves. So the interval is right as often as is said whatever people's values are,
and noise far away, where edges are many, does not widen it.
"""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from headcount.estimate.constants import MISS_RATE
from headcount.estimate.ordered.tree import Shape, Within
from headcount.exact import Floats, Integers

AT_LEAVES = 0.8
"""The part of all misses that is left to the leaves."""

Intervals = tuple[Floats, Floats, Floats]
"""Values, and the lower and the upper ends of their intervals."""


class Counts(Protocol):
    """Counts over a line of leaves, and how far off they may be."""

    @property
    def shape(self) -> Shape: ...

    @property
    def below(self) -> Floats:
        """How many there are below each edge: before the first leaf, after it, .., after the last."""
        ...

    def excess(self, part: float) -> Within:
        """How many more are below each edge than this part of all."""
        ...

    def between(self, firsts: Integers, lasts: Integers) -> Within:
        """How many there are between two edges, first <= last."""
        ...


def quantiles(found: Counts, qs: NDArray[np.float64], edges: NDArray[np.float64]) -> Intervals:
    """The values below which the parts `qs` of all lie, between the rising edges of the leaves. If nobody seems to be
    there: the middle, and all of it as the interval."""
    qs, edges = np.asarray(qs, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    everybody = max(float(found.below[-1]), 0.0)
    from scipy.optimize import isotonic_regression  # as long to import as half of all else

    below = np.clip(isotonic_regression(found.below).x, 0.0, everybody)
    values = _where(below, qs * everybody, edges)
    if everybody == 0:
        return values, np.full_like(values, edges[0]), np.full_like(values, edges[-1])
    ends = np.array([_ends(found, q) for q in qs.tolist()], dtype=np.int64).reshape(-1, 2)
    return values, np.minimum(edges[ends[:, 0]], values), np.maximum(edges[ends[:, 1]], values)


def ranges(found: Counts, firsts: NDArray[np.int64], lasts: NDArray[np.int64]) -> Intervals:
    """How many there are from leaf `first` up to, but without, leaf `last`."""
    firsts, lasts = np.asarray(firsts, dtype=np.int64), np.asarray(lasts, dtype=np.int64)
    counts, within = found.below[lasts] - found.below[firsts], found.between(firsts, lasts)
    away = ndtri(1 - MISS_RATE / 2) * within.deviations
    low, high = np.minimum(within.least - away, counts), np.maximum(within.most + away, counts)
    return np.maximum(counts, 0.0), np.maximum(low, 0.0), np.maximum(high, 0.0)


def _where(below: Floats, targets: Floats, edges: Floats) -> Floats:
    """Where so many are below; if that is so from one place to another, their middle."""
    below = np.concatenate([[-1.0], below, [below[-1] + 1.0]])
    edges = np.pad(edges, 1, mode="edge")
    return (_crossed(below, targets, edges, "left") + _crossed(below, targets, edges, "right")) / 2


def _crossed(below: Floats, targets: Floats, edges: Floats, side: Literal["left", "right"]) -> Floats:
    """The first place, or the last, where so many are below."""
    after = np.searchsorted(below, targets, side=side)
    part = (targets - below[after - 1]) / (below[after] - below[after - 1])
    place: Floats = edges[after - 1] + part * (edges[after] - edges[after - 1])
    return place


def _ends(found: Counts, q: float) -> tuple[int, int]:
    """The edges between which the quantile is."""
    within, shape = found.excess(q), found.shape
    low, high = 0, shape.leaves
    for level in range(shape.levels):
        edges = np.append(np.arange(low, high, shape.fan_out ** (shape.levels - 1 - level)), high)
        inner = edges[1:-1]
        away = _deviations(level, shape.levels) * within.deviations[inner]
        enough, few = within.most[inner] + away >= 0, within.least[inner] - away <= 0
        low, high = int(edges[_first(enough)]), int(edges[-1 - _first(few[::-1])])
    return low, high


def _first(true: NDArray[np.bool_]) -> int:
    """The place of the first that is true, or the place after the last."""
    return int(np.argmax(np.append(true, True)))


def _deviations(level: int, levels: int) -> float:
    """How far off an edge of a level may be before it is refused, in standard deviations."""
    if levels == 1:
        return float(ndtri(1 - MISS_RATE / 2))
    part = AT_LEAVES if level == levels - 1 else (1 - AT_LEAVES) / (levels - 1)
    return float(ndtri(1 - MISS_RATE / 2 * part))
