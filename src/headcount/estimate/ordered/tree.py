"""Counts over a line of leaves, measured at several levels of a tree with noise, made to agree: least squares.

Level 1 is the coarsest; the last level is the leaves, and a node of a level stands for `fan_out` neighbours of the next
one. The root is not measured: it is what level 1 adds up to. All errors are independent, of known variances.

Least squares in two passes (Hay et al. 2010; here variances may differ). Up: a node's value z, of variance u, is the
average of its own measurement and of the sum of its children's z, weighted by 1 / variance. Down: the final x of child
c of v is z_c + w_c (x_v - sum of z), where w_c = u_c / (sum of u).

So the error of x_c is w_c times that of x_v, plus r_c, the error of z_c - w_c (sum of z). The r of the children of v
have covariances u_c [c = d] - u_c u_d / (sum of u). They are independent of the error of x_v, of the r elsewhere, and
so of all errors outside of v. If an edge has the children of v before i below it, and the part s of x_i, then it has
the part s' = (u_1 + .. + u_(i-1) + s u_i) / (sum of u) of x_v below it, and r_1 + .. + r_(i-1) + s r_i besides. The
covariance of what is below two edges is a sum over the levels at which both cut the same v.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats, Integers

FAN_OUTS = range(2, 65)
"""Those among which the best is sought: it is from 2 to 5, or, if scales add up, about 15, or all of few leaves."""


@dataclass(frozen=True)
class Shape:
    """A tree over a line of leaves."""

    leaves: int
    fan_out: int
    """How many neighbours a node of the level above stands for; the last node of a level may have fewer."""

    def __post_init__(self) -> None:
        if self.leaves < 1 or self.fan_out < 2:
            raise ValueError(f"{self}: a tree needs at least 1 leaf, and nodes at least 2 children.")

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes each level has, from level 1 to the leaves."""
        sizes = [self.leaves]
        while sizes[0] > self.fan_out:
            sizes.insert(0, -(-sizes[0] // self.fan_out))
        return tuple(sizes)

    @property
    def levels(self) -> int:
        return len(self.sizes)

    @property
    def shares(self) -> tuple[float, ...]:
        """What each level gets of all that 1 / variance may add up to: the same. The best parts would make errors of
        the best tree 2 to 4% less."""
        return (1 / self.levels,) * self.levels

    def totals(self, leaf_totals: Integers) -> list[Integers]:
        """What the nodes of each level have, from level 1 to the leaves."""
        totals = [np.asarray(leaf_totals, dtype=np.int64)]
        while len(totals) < self.levels:
            totals.insert(0, self.summed(totals[0]))
        return totals

    def summed(self, values: NDArray[Any]) -> NDArray[Any]:
        """What the children of each node add up to, for the level above these values (along the last axis)."""
        return np.add.reduceat(values, np.arange(0, values.shape[-1], self.fan_out), axis=-1)

    def handed_down(self, values: NDArray[Any], level: int) -> NDArray[Any]:
        """The value of its parent, for each node of a level; level 1 is number 0."""
        return np.repeat(values, self.fan_out)[: self.sizes[level]]


@dataclass(frozen=True)
class Within:
    """Where true counts are, but for noise."""

    least: Floats
    most: Floats
    """The same, unless something is hidden."""
    deviations: Floats
    """Of the noise."""


@dataclass(frozen=True)
class Tree:
    """Counts that agree, and how far off they are."""

    shape: Shape
    below: Floats
    """How many there are below each edge: before the first leaf, after it, .., after the last."""
    variances: Sequence[Floats]
    """Of each level's nodes, by what is measured at the node and under it: u."""

    def excess(self, part: float) -> Within:
        """How many more are below each edge than this part of all."""
        variance = self._variance - 2 * part * self._with_all + part**2 * self._with_all[-1]
        return _within(self.below - part * self.below[-1], variance)

    def between(self, firsts: Integers, lasts: Integers) -> Within:
        """How many there are between two edges, first <= last."""
        variance = self._variance[firsts] + self._variance[lasts] - 2 * self.covariance(firsts, lasts)
        return _within(self.below[lasts] - self.below[firsts], variance)

    def covariance(self, firsts: Integers, lasts: Integers) -> Floats:
        """Of the errors below two edges, first <= last."""
        cuts, later = self._cuts(firsts), self._cuts(lasts)
        total = np.zeros(len(firsts))
        for level, ((nodes, parts), (last_nodes, last_parts)) in enumerate(zip(cuts, later, strict=True)):
            before, own, sums = self._lines[level]
            up, last_up = (each // self.shape.fan_out if level else 0 * each for each in (nodes, last_nodes))
            both = before[nodes] - before[up * self.shape.fan_out]
            both += parts * np.where(nodes == last_nodes, last_parts, 1.0) * own[nodes]
            if level:
                both -= cuts[level - 1][1] * later[level - 1][1] * sums[up]
            total += np.where(up == last_up, both, 0.0)
        return total

    def _cuts(self, edges: Integers) -> list[tuple[Integers, Floats]]:
        """The node of each level that an edge cuts, and the part of it below the edge: s."""
        cuts = [(edges, np.zeros(len(edges)))]
        for before, own, sums in self._lines[:0:-1]:
            nodes, parts = cuts[0]
            up = nodes // self.shape.fan_out
            below = before[nodes] - before[up * self.shape.fan_out] + parts * own[nodes]
            cuts.insert(0, (up, below / sums[up]))
        return cuts

    @cached_property
    def _lines(self) -> list[tuple[Floats, Floats, Floats]]:
        """By level: what u adds up to before each node, u, and what it adds up to under each parent; after the last
        node comes another of none."""
        return [
            (np.append(0.0, level.cumsum()), np.append(level, 0.0), np.append(self.shape.summed(level), 1.0))
            for level in self.variances
        ]

    @cached_property
    def _variance(self) -> Floats:
        edges = np.arange(self.shape.leaves + 1)
        return self.covariance(edges, edges)

    @cached_property
    def _with_all(self) -> Floats:
        """The covariance of what is below each edge with all there is."""
        edges = np.arange(self.shape.leaves + 1)
        return self.covariance(edges, np.full_like(edges, self.shape.leaves))


def _within(values: Floats, variances: Floats) -> Within:
    return Within(values, values, np.sqrt(np.maximum(variances, 0.0)))


def consistent(shape: Shape, noisy: Sequence[NDArray[Any]], variances: Sequence[Any]) -> Tree:
    """The least-squares counts of noisy levels, from level 1 to the leaves; variances (above 0) are of a level's nodes
    each, or one for all of a level."""
    values = [np.asarray(level, dtype=np.float64) for level in noisy]
    spreads = [
        np.broadcast_to(np.asarray(each, np.float64), size) for each, size in zip(variances, shape.sizes, strict=True)
    ]
    for level in reversed(range(shape.levels - 1)):  # up
        below, spread = shape.summed(values[level + 1]), shape.summed(spreads[level + 1])
        own = spread / (spread + spreads[level])
        values[level] = below + own * (values[level] - below)
        spreads[level] = own * spreads[level]
    for level in range(1, shape.levels):  # down
        gap = (values[level - 1] - shape.summed(values[level])) / shape.summed(spreads[level])
        values[level] = values[level] + spreads[level] * shape.handed_down(gap, level)
    return Tree(shape, np.append(0.0, values[-1].cumsum()), spreads)


@lru_cache(maxsize=256)
def best_shape(leaves: int, added: Literal["squares", "scales"] = "squares") -> Shape:
    """The tree whose counts below edges have the least mean variance, if 1 / variance is shared among the levels; or,
    of noise whose scales add up, if 1 / deviation is."""
    shapes = [Shape(leaves, fan_out) for fan_out in FAN_OUTS if fan_out <= max(leaves, 2)]
    power = 1 if added == "squares" else 2
    return min(shapes, key=lambda shape: shape.levels**power * mean_variance(shape))


def mean_variance(shape: Shape) -> float:
    """Of the counts below all edges but the first, if every measurement has the variance 1.

    All nodes of a level are alike but the last. So it is enough to take down, from the root, sums over nodes of the
    variances of P and e and of their covariance, where P is the error below a node and e that of the node: those of
    the last node, and those of all others."""
    usual, last = _spreads(shape)
    all_of_it = (shape.sizes[0] - 1) * usual[0] + last[0]
    others, final, many = np.zeros(3), np.array([0.0, 0.0, all_of_it]), 0
    for level, size in enumerate(shape.sizes):
        alike = np.full(shape.fan_out, usual[level])
        final_ones = _children(final, np.append(alike[: size - many * shape.fan_out - 1], last[level]), 1)
        others = _children(others, alike, many).sum(axis=1) + final_ones[:, :-1].sum(axis=1)
        final, many = final_ones[:, -1], size - 1
    return float((others[0] + final[0] + all_of_it) / shape.leaves)


def _children(moments: Floats, spreads: Floats, nodes: int) -> Floats:
    """Sums over so many alike nodes of var P, cov(P, e), var e become those of their first children, second, and so on:
    P of a child is P + W e + (r before it), e is w e + r."""
    (var_below, both, var_own), total = moments, spreads.sum()
    before, own = (spreads.cumsum() - spreads) / total, spreads / total  # W, w
    return np.stack(
        [
            var_below + 2 * before * both + before**2 * var_own + nodes * total * before * (1 - before),
            own * (both + before * var_own) - nodes * total * before * own,
            own**2 * var_own + nodes * total * own * (1 - own),
        ]
    )


def _spreads(shape: Shape) -> tuple[list[float], list[float]]:
    """By level, u of a node that has all its children, and of the last node."""
    usual, last = [1.0], [1.0]
    for size, size_below in zip(shape.sizes[-2::-1], shape.sizes[:0:-1], strict=True):
        children = size_below - (size - 1) * shape.fan_out
        last.insert(0, 1 / (1 + 1 / ((children - 1) * usual[0] + last[0])))
        usual.insert(0, 1 / (1 + 1 / (shape.fan_out * usual[0])))
    return usual, last
