"""Counts over a line of leaves, sampled afresh at each level of a tree, made to agree (paper 001).

Of a node that n people have, t are drawn, each with the chance `rate`. If t reaches the threshold it is seen, and
stands for t / rate people, with a variance of n (1 - rate) / rate. Else the node is hidden, and has hardly more people
than `most`, of whom so few are drawn once in 40 cases.

Counts are least squares (tree.py), as if a hidden node had been measured: what such a node usually has, and a variance
as wide as what it may have. All hidden children of a node may be off to the same side, so that variance is that of all
of them together. Where a parent is seen, this spreads what its seen children do not have over the hidden ones. For the
variance, n is what a first solution has. It must not be t / rate: the lower of two measurements would weigh more.

Intervals believe nothing of that. What lies between two edges is a few whole nodes. The average of a node's own
measurement with those of its children lies between two ends, for which all hidden ones under it have nobody, or `most`;
drawing adds noise of a known variance. Hidden children of one node, together, have what it has and its seen children
have not: at least, and at most.
"""

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

RARE = 0.025
"""So rarely are as few drawn as are hidden, of `most` people."""
SURE = 2.0
"""So many standard deviations are added to what hidden children may have together."""
LONELY, BESIDE = 0.1, 0.15
"""What a hidden node usually has, in parts of `most`: more for each of its two neighbours that is seen."""
EVEN = 12.0
"""What may be anywhere between two ends has the squared distance over this as its variance."""
LEAST = 1e-9
"""A variance is at least this."""


@dataclass(frozen=True)
class Level:
    """What is known of a level's nodes."""

    hidden: NDArray[np.bool_]
    nodes: Floats
    """How many people each has: at least, at most, and the variance of noise about that."""
    together: Floats
    """How many people the hidden children of each parent have: at least, and at most."""


@dataclass(frozen=True)
class SampledTree:
    """Counts that agree, and how far off they may be."""

    shape: Shape
    below: Floats
    """How many there are below each edge: before the first leaf, after it, .., after the last."""
    most: float
    """A hidden node has at most so many."""
    levels: Sequence[Level]

    def excess(self, part: float) -> Within:
        """How many more are below each edge than this part of all."""
        (least, most, noise), (least_above, most_above, noise_above) = self._sides
        return Within(
            (1 - part) * least - part * most_above,
            (1 - part) * most - part * least_above,
            np.sqrt((1 - part) ** 2 * noise + part**2 * noise_above),
        )

    def between(self, firsts: Integers, lasts: Integers) -> Within:
        """How many there are between two edges, first <= last."""
        least, most, noise = self._nodes(firsts, lasts)
        return Within(least, most, np.sqrt(noise))

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        """What is below each edge, and what is above."""
        edges = np.arange(self.shape.leaves + 1)
        return self._nodes(np.zeros_like(edges), edges), self._nodes(edges, np.full_like(edges, self.shape.leaves))

    def _nodes(self, firsts: Integers, lasts: Integers) -> Floats:
        """What is between two edges, by as few nodes as can be: least, most, variance."""
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
        """What some neighbours under one parent have: least, most, variance."""
        seen, hidden, (at_least, at_most) = self._sums[level]
        ends = [np.minimum(parents * self.shape.fan_out + more, len(hidden) - 1) for more in (0, self.shape.fan_out)]
        here = self.most * (hidden[stops] - hidden[starts])
        elsewhere = self.most * (hidden[ends[1]] - hidden[ends[0]]) - here
        most = np.minimum(here, at_most[parents])
        least = np.minimum(np.maximum(at_least[parents] - elsewhere, 0.0), most)
        siblings: Floats = seen[:, stops] - seen[:, starts] + np.stack([least, most, np.zeros(len(most))])
        return siblings

    @cached_property
    def _sums(self) -> list[tuple[Floats, Floats, Floats]]:
        """By level: what seen nodes have before each node, how many hidden ones there are before it, and what hidden
        ones have together by parent; after the last parent comes another of none."""
        return [
            (
                _before(np.where(level.hidden, 0.0, level.nodes)),
                _before(level.hidden),
                np.pad(level.together, ((0, 0), (0, 1))),
            )
            for level in self.levels
        ]


def _before(values: NDArray[Any]) -> Floats:
    """What values add up to before each place, and after the last."""
    sums: Floats = np.cumsum(values, axis=-1, dtype=np.float64)
    return np.concatenate([np.zeros((*sums.shape[:-1], 1)), sums], axis=-1)


def consistent(shape: Shape, sampled: Sequence[NDArray[Any]], rate: float, threshold: int) -> SampledTree:
    """What sampled levels tell, from level 1 to the leaves; 0 is what is hidden."""
    values = [np.asarray(level, dtype=np.float64) / rate for level in sampled]
    most, usual = float(unseen(rate, threshold, RARE)), threshold / rate
    below = _below(shape, values, _variances(values, usual, rate), most)
    variances = _variances(_nodes(shape, below), usual, rate)
    return SampledTree(shape, _below(shape, values, variances, most), most, _levels(shape, values, variances, most))


def _variances(counts: list[Floats], usual: float, rate: float) -> list[Floats]:
    """Of t / rate, if a node has so many, but no less than half of the least that are usually seen."""
    return [np.maximum(np.maximum(level, usual / 2) * (1 - rate) / rate, LEAST) for level in counts]


def _nodes(shape: Shape, below: Floats) -> list[Floats]:
    """How many each level's nodes have."""
    blocks = [shape.fan_out ** (shape.levels - 1 - level) for level in range(shape.levels)]
    return [np.diff(below[np.append(np.arange(0, shape.leaves, block), shape.leaves)]) for block in blocks]


def _below(shape: Shape, values: list[Floats], variances: list[Floats], most: float) -> Floats:
    """The least-squares counts below the edges."""
    filled, spreads = [], []
    usual, parents = np.zeros(1), np.ones(1, dtype=np.bool_)  # of the root, which counts as seen
    for level, (own, variance) in enumerate(zip(values, variances, strict=True)):
        hidden = own == 0
        shared = shape.handed_down(usual / shape.fan_out, level)
        usual = np.where(shape.handed_down(parents, level), _usual(hidden, most), shared)
        alike = shape.handed_down(shape.summed(hidden.astype(np.float64)), level)
        filled.append(np.where(hidden, usual, own))
        spreads.append(np.where(hidden, alike * most**2 / EVEN, variance))
        parents = ~hidden
    return least_squares(shape, filled, spreads).below


def _usual(hidden: NDArray[np.bool_], most: float) -> Floats:
    """What a hidden node under a seen one usually has."""
    seen = np.pad(~hidden, 1).astype(np.float64)
    usual: Floats = most * (LONELY + BESIDE * (seen[:-2] + seen[2:]))
    return usual


def _levels(shape: Shape, values: list[Floats], variances: list[Floats], most: float) -> list[Level]:
    """From the leaves up: what each node has by itself and by its children, and what hidden children have together."""
    levels: list[Level] = []
    nodes, hidden = np.zeros((3, 0)), np.zeros(0, dtype=np.bool_)  # of the level below
    for own_value, variance in zip(values[::-1], variances[::-1], strict=True):
        own_hidden = own_value == 0
        own = np.stack([own_value, np.where(own_hidden, most, own_value), np.where(own_hidden, 0.0, variance)])
        if hidden.size:
            levels.insert(0, Level(hidden, nodes, _together(own, shape.summed(np.where(hidden, 0.0, nodes)))))
            own = _averaged(own, shape.summed(nodes), own_hidden)
        nodes, hidden = own, own_hidden
    return [Level(hidden, nodes, np.array([[0.0], [np.inf]])), *levels]


def _together(parents: Floats, seen: Floats) -> Floats:
    """What is left of parents by what their seen children have: at least, at most."""
    away = SURE * np.sqrt(parents[2] + seen[2])
    return np.maximum([parents[0] - seen[1] - away, parents[1] - seen[0] + away], 0.0)


def _averaged(own: Floats, children: Floats, hidden: NDArray[np.bool_]) -> Floats:
    """A node's own measurement with the sum of its children, by how far each may be off; of hidden ones their own."""
    spread = children[2] + (children[1] - children[0]) ** 2 / EVEN
    weight = np.where(hidden, 1.0, spread / (spread + own[2] + LEAST))
    weights = np.stack([weight, weight, weight**2])
    return weights * own + np.stack([1 - weight, 1 - weight, (1 - weight) ** 2]) * children
