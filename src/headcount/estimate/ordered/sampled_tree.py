"""Consistent counts over a line of leaves from independent samples at each level of a tree
(Bharadwaj and Cormode 2022).

Of a node with n people, t are sampled, each with probability `rate`. If t reaches the threshold the node is seen: its
estimate is t / rate, with a variance of n (1 - rate) / rate. Else it is hidden, and has at most `maximum` people, of
whom a sample this small has probability 1 in 40.

Counts are least squares (tree.py), as if a hidden node had been measured: with a typical value, and a variance for the
range of possible values. The errors of all hidden children of a node may have the same sign, so the variance is that of
all of them together. Under a seen parent, this distributes what its seen children do not account for over the hidden
ones. For the variance, n is taken from a first solution. It must not be t / rate: the lower of two measurements would
weigh more.

Intervals do not use these assumptions. The count between two edges is a sum over a few whole nodes. The average of a
node's own measurement with those of its children lies between two ends, for which all hidden nodes under it have
nobody, or `maximum`; sampling adds noise of a known variance. Hidden children of one node have, together, its count
minus that of its seen children: at least, and at most."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.estimate.counts.sampled import unseen
from headcount.estimate.ordered.tree import Shape, Within
from headcount.estimate.ordered.tree import consistent as least_squares
from headcount.exact import Floats, Integers

HIDDEN_MISS_RATE = 0.025
"""Probability that a node of `maximum` people is hidden."""
HIDDEN_SUM_DEVIATIONS = 2.0
"""Standard deviations by which the range of the sum of hidden children is widened."""
ISOLATED_SHARE, NEIGHBOUR_SHARE = 0.1, 0.15
"""Typical count of a hidden node, as a share of `maximum`, and its increase for each seen neighbour of the two."""
UNIFORM_DIVISOR = 12.0
"""The variance of a uniform variable is its squared range over this."""
MIN_VARIANCE = 1e-9


@dataclass(frozen=True)
class Level:
    """Ranges of the counts of a level's nodes."""

    hidden: NDArray[np.bool_]
    nodes: Floats
    """Count of each node: at least, at most, and the variance of the noise."""
    together: Floats
    """Sum of the counts of the hidden children of each parent: at least, and at most."""


@dataclass(frozen=True)
class SampledTree:
    """Consistent counts, with error bounds."""

    shape: Shape
    below: Floats
    """Count below each edge: before the first leaf, after it, .., after the last."""
    maximum: float
    """Upper limit of the count of a hidden node."""
    levels: Sequence[Level]

    def excess(self, part: float) -> Within:
        """Count below each edge minus this fraction of the total."""
        (minimum, maximum, noise), (min_above, max_above, noise_above) = self._sides
        return Within(
            (1 - part) * minimum - part * max_above,
            (1 - part) * maximum - part * min_above,
            np.sqrt((1 - part) ** 2 * noise + part**2 * noise_above),
        )

    def between(self, firsts: Integers, lasts: Integers) -> Within:
        """Count between two edges, first <= last."""
        minimum, maximum, noise = self._nodes(firsts, lasts)
        return Within(minimum, maximum, np.sqrt(noise))

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        """Counts below each edge, and above."""
        edges = np.arange(self.shape.leaves + 1)
        return self._nodes(np.zeros_like(edges), edges), self._nodes(edges, np.full_like(edges, self.shape.leaves))

    def _nodes(self, firsts: Integers, lasts: Integers) -> Floats:
        """Count between two edges, from as few nodes as possible: least, most, variance."""
        total, fan_out = np.zeros((3, len(firsts))), self.shape.fan_out
        for level in range(self.shape.levels - 1, 0, -1):
            size, size_above = self.shape.sizes[level], self.shape.sizes[level - 1]
            up, last_up = -(-firsts // fan_out), np.where(lasts == size, size_above, lasts // fan_out)
            apart = up <= last_up  # else both edges cut the same parent
            stops = np.where(apart, np.minimum(up * fan_out, size), lasts)
            starts = np.where(apart, np.minimum(last_up * fan_out, size), lasts)
            total += self._siblings(level, firsts, stops, firsts // fan_out)
            total += self._siblings(level, starts, lasts, last_up)
            firsts, lasts = np.where(apart, up, 0), np.where(apart, last_up, 0)
        return total + self._siblings(0, firsts, lasts, np.zeros_like(firsts))

    def _siblings(self, level: int, starts: Integers, stops: Integers, parents: Integers) -> Floats:
        """Count of adjacent nodes under one parent: least, most, variance."""
        seen, hidden, (at_least, at_most) = self._sums[level]
        ends = [np.minimum(parents * self.shape.fan_out + more, len(hidden) - 1) for more in (0, self.shape.fan_out)]
        here = self.maximum * (hidden[stops] - hidden[starts])
        elsewhere = self.maximum * (hidden[ends[1]] - hidden[ends[0]]) - here
        maximum = np.minimum(here, at_most[parents])
        minimum = np.minimum(np.maximum(at_least[parents] - elsewhere, 0.0), maximum)
        siblings: Floats = seen[:, stops] - seen[:, starts] + np.stack([minimum, maximum, np.zeros(len(maximum))])
        return siblings

    @cached_property
    def _sums(self) -> list[tuple[Floats, Floats, Floats]]:
        """By level: prefix sums of the counts of seen nodes, prefix sums of the number of hidden ones, and sums of the
        counts of hidden ones by parent; padded by an empty parent after the last."""
        return [
            (
                _before(np.where(level.hidden, 0.0, level.nodes)),
                _before(level.hidden),
                np.pad(level.together, ((0, 0), (0, 1))),
            )
            for level in self.levels
        ]


def _before(values: NDArray[Any]) -> Floats:
    """Prefix sums: before each place, and after the last."""
    sums: Floats = np.cumsum(values, axis=-1, dtype=np.float64)
    return np.concatenate([np.zeros((*sums.shape[:-1], 1)), sums], axis=-1)


def consistent(shape: Shape, sampled: Sequence[NDArray[Any]], rate: float, threshold: int) -> SampledTree:
    """Compute consistent counts of sampled levels, from level 1 to the leaves; 0 marks a hidden node."""
    values = [np.asarray(level, dtype=np.float64) / rate for level in sampled]
    maximum, usual = float(unseen(rate, threshold, HIDDEN_MISS_RATE)), threshold / rate
    below = _below(shape, values, _variances(values, usual, rate), maximum)
    variances = _variances(_nodes(shape, below), usual, rate)
    return SampledTree(
        shape, _below(shape, values, variances, maximum), maximum, _levels(shape, values, variances, maximum)
    )


def _variances(counts: list[Floats], usual: float, rate: float) -> list[Floats]:
    """Variances of t / rate, given the counts, which are raised to half of the threshold's count at least."""
    return [np.maximum(np.maximum(level, usual / 2) * (1 - rate) / rate, MIN_VARIANCE) for level in counts]


def _nodes(shape: Shape, below: Floats) -> list[Floats]:
    """Counts of each level's nodes."""
    blocks = [shape.fan_out ** (shape.levels - 1 - level) for level in range(shape.levels)]
    return [np.diff(below[np.append(np.arange(0, shape.leaves, block), shape.leaves)]) for block in blocks]


def _below(shape: Shape, values: list[Floats], variances: list[Floats], maximum: float) -> Floats:
    """Least-squares counts below the edges."""
    filled, filled_variances = [], []
    typical, parents = np.zeros(1), np.ones(1, dtype=np.bool_)  # of the root, which counts as seen
    for level, (own, variance) in enumerate(zip(values, variances, strict=True)):
        hidden = own == 0
        shared = shape.handed_down(typical / shape.fan_out, level)
        typical = np.where(shape.handed_down(parents, level), _typical(hidden, maximum), shared)
        siblings = shape.handed_down(shape.summed(hidden.astype(np.float64)), level)
        filled.append(np.where(hidden, typical, own))
        filled_variances.append(np.where(hidden, siblings * maximum**2 / UNIFORM_DIVISOR, variance))
        parents = ~hidden
    return least_squares(shape, filled, filled_variances).below


def _typical(hidden: NDArray[np.bool_], maximum: float) -> Floats:
    """Typical count of a hidden node under a seen one."""
    seen = np.pad(~hidden, 1).astype(np.float64)
    typical: Floats = maximum * (ISOLATED_SHARE + NEIGHBOUR_SHARE * (seen[:-2] + seen[2:]))
    return typical


def _levels(shape: Shape, values: list[Floats], variances: list[Floats], maximum: float) -> list[Level]:
    """Ranges of the nodes, from the leaves up, by their own measurements and their children's."""
    levels: list[Level] = []
    nodes, hidden = np.zeros((3, 0)), np.zeros(0, dtype=np.bool_)  # of the level below
    for own_value, variance in zip(values[::-1], variances[::-1], strict=True):
        own_hidden = own_value == 0
        own = np.stack([own_value, np.where(own_hidden, maximum, own_value), np.where(own_hidden, 0.0, variance)])
        if hidden.size:
            levels.insert(0, Level(hidden, nodes, _together(own, shape.summed(np.where(hidden, 0.0, nodes)))))
            own = _averaged(own, shape.summed(nodes), own_hidden)
        nodes, hidden = own, own_hidden
    return [Level(hidden, nodes, np.array([[0.0], [np.inf]])), *levels]


def _together(parents: Floats, seen: Floats) -> Floats:
    """Sum of the hidden children of each parent, as its count minus that of its seen children: at least, at most."""
    half_width = HIDDEN_SUM_DEVIATIONS * np.sqrt(parents[2] + seen[2])
    return np.maximum([parents[0] - seen[1] - half_width, parents[1] - seen[0] + half_width], 0.0)


def _averaged(own: Floats, children: Floats, hidden: NDArray[np.bool_]) -> Floats:
    """Average a node's own measurement with the sum of its children, by inverse variance; a hidden one stays."""
    variance = children[2] + (children[1] - children[0]) ** 2 / UNIFORM_DIVISOR
    weight = np.where(hidden, 1.0, variance / (variance + own[2] + MIN_VARIANCE))
    weights = np.stack([weight, weight, weight**2])
    return weights * own + np.stack([1 - weight, 1 - weight, (1 - weight) ** 2]) * children
