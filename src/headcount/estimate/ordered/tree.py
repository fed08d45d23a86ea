"""Consistent counts over a line of leaves from noisy measurements at several levels of a tree, by least squares.

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
"""Candidates for the best fan-out: it is from 2 to 5, or, if scales add up, about 15, or all of few leaves."""


@dataclass(frozen=True)
class Shape:
    """A tree over a line of leaves."""

    leaves: int
    fan_out: int
    """Number of children of a node; the last node of a level may have fewer."""

    def __post_init__(self) -> None:
        if self.leaves < 1 or self.fan_out < 2:
            raise ValueError(f"{self}: a tree needs at least 1 leaf, and nodes at least 2 children.")

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of nodes of each level, from level 1 to the leaves."""
        sizes = [self.leaves]
        while sizes[0] > self.fan_out:
            sizes.insert(0, -(-sizes[0] // self.fan_out))
        return tuple(sizes)

    @property
    def levels(self) -> int:
        return len(self.sizes)

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each level in the sum of 1 / variance: equal. Optimal shares would lower the errors of the best tree
        by 2 to 4%."""
        return (1 / self.levels,) * self.levels

    def totals(self, leaf_totals: Integers) -> list[Integers]:
        """Totals of the nodes of each level, from level 1 to the leaves."""
        totals = [np.asarray(leaf_totals, dtype=np.int64)]
        while len(totals) < self.levels:
            totals.insert(0, self.summed(totals[0]))
        return totals

    def summed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sum the children of each node of the level above these values (along the last axis)."""
        return np.add.reduceat(values, np.arange(0, values.shape[-1], self.fan_out), axis=-1)

    def handed_down(self, values: NDArray[Any], level: int) -> NDArray[Any]:
        """Repeat the parent's value for each node of a level; level 1 has index 0."""
        return np.repeat(values, self.fan_out)[: self.sizes[level]]


@dataclass(frozen=True)
class Within:
    """Range of the true counts, apart from noise."""

    minimum: Floats
    maximum: Floats
    """Equal to `minimum`, unless something is hidden."""
    deviations: Floats
    """Standard deviations of the noise."""


@dataclass(frozen=True)
class Tree:
    """Consistent counts, with the covariances of their errors."""

    shape: Shape
    below: Floats
    """Count below each edge: before the first leaf, after it, .., after the last."""
    variances: Sequence[Floats]
    """Variances u of each level's nodes, given the measurements at the node and under it."""

    def excess(self, part: float) -> Within:
        """Count below each edge minus this fraction of the total."""
        variance = self._variance - 2 * part * self._with_all + part**2 * self._with_all[-1]
        return _within(self.below - part * self.below[-1], variance)

    def between(self, firsts: Integers, lasts: Integers) -> Within:
        """Count between two edges, first <= last."""
        variance = self._variance[firsts] + self._variance[lasts] - 2 * self.covariance(firsts, lasts)
        return _within(self.below[lasts] - self.below[firsts], variance)

    def covariance(self, firsts: Integers, lasts: Integers) -> Floats:
        """Covariance of the errors of the counts below two edges, first <= last."""
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
        """The node of each level that an edge cuts, and its fraction s below the edge."""
        cuts = [(edges, np.zeros(len(edges)))]
        for before, own, sums in self._lines[:0:-1]:
            nodes, parts = cuts[0]
            up = nodes // self.shape.fan_out
            below = before[nodes] - before[up * self.shape.fan_out] + parts * own[nodes]
            cuts.insert(0, (up, below / sums[up]))
        return cuts

    @cached_property
    def _lines(self) -> list[tuple[Floats, Floats, Floats]]:
        """By level: prefix sums of u before each node, u, and sums of u by parent; padded by an empty node after the
        last."""
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
        """Covariance of the count below each edge with the total."""
        edges = np.arange(self.shape.leaves + 1)
        return self.covariance(edges, np.full_like(edges, self.shape.leaves))


def _within(values: Floats, variances: Floats) -> Within:
    return Within(values, values, np.sqrt(np.maximum(variances, 0.0)))


def consistent(shape: Shape, noisy: Sequence[NDArray[Any]], variances: Sequence[Any]) -> Tree:
    """Compute the least-squares counts of noisy levels, from level 1 to the leaves; variances (above 0) are one for
    each node, or one for a whole level."""
    values = [np.asarray(level, dtype=np.float64) for level in noisy]
    variances_ = [
        np.broadcast_to(np.asarray(each, np.float64), size) for each, size in zip(variances, shape.sizes, strict=True)
    ]
    for level in reversed(range(shape.levels - 1)):  # up
        below, variance = shape.summed(values[level + 1]), shape.summed(variances_[level + 1])
        own = variance / (variance + variances_[level])
        values[level] = below + own * (values[level] - below)
        variances_[level] = own * variances_[level]
    for level in range(1, shape.levels):  # down
        gap = (values[level - 1] - shape.summed(values[level])) / shape.summed(variances_[level])
        values[level] = values[level] + variances_[level] * shape.handed_down(gap, level)
    return Tree(shape, np.append(0.0, values[-1].cumsum()), variances_)


@lru_cache(maxsize=256)
def best_shape(leaves: int, added: Literal["squares", "scales"] = "squares") -> Shape:
    """The tree whose counts below edges have the least mean variance, if 1 / variance is divided among the levels; or,
    for noise whose scales add up, if 1 / deviation is."""
    shapes = [Shape(leaves, fan_out) for fan_out in FAN_OUTS if fan_out <= max(leaves, 2)]
    power = 1 if added == "squares" else 2
    return min(shapes, key=lambda shape: shape.levels**power * mean_variance(shape))


def mean_variance(shape: Shape) -> float:
    """Mean variance of the counts below all edges but the first, if every measurement has the variance 1.

    All nodes of a level are equivalent but the last. So it is enough to propagate, from the root, sums over nodes of
    the variances of P and e and of their covariance, where P is the error below a node and e that of the node: those
    of the last node, and those of all others."""
    usual, last = _node_variances(shape)
    total = (shape.sizes[0] - 1) * usual[0] + last[0]
    others, final, many = np.zeros(3), np.array([0.0, 0.0, total]), 0
    for level, size in enumerate(shape.sizes):
        alike = np.full(shape.fan_out, usual[level])
        final_ones = _children(final, np.append(alike[: size - many * shape.fan_out - 1], last[level]), 1)
        others = _children(others, alike, many).sum(axis=1) + final_ones[:, :-1].sum(axis=1)
        final, many = final_ones[:, -1], size - 1
    return float((others[0] + final[0] + total) / shape.leaves)


def _children(moments: Floats, variances: Floats, nodes: int) -> Floats:
    """Propagate sums of var P, cov(P, e), var e over `nodes` equivalent nodes to those over their first children,
    second, and so on: P of a child is P + W e + (r before it), e is w e + r."""
    (var_below, both, var_own), total = moments, variances.sum()
    before, own = (variances.cumsum() - variances) / total, variances / total  # W, w
    return np.stack(
        [
            var_below + 2 * before * both + before**2 * var_own + nodes * total * before * (1 - before),
            own * (both + before * var_own) - nodes * total * before * own,
            own**2 * var_own + nodes * total * own * (1 - own),
        ]
    )


def _node_variances(shape: Shape) -> tuple[list[float], list[float]]:
    """Variance u, by level, of a node that has all its children, and of the last node."""
    usual, last = [1.0], [1.0]
    for size, size_below in zip(shape.sizes[-2::-1], shape.sizes[:0:-1], strict=True):
        children = size_below - (size - 1) * shape.fan_out
        last.insert(0, 1 / (1 + 1 / ((children - 1) * usual[0] + last[0])))
        usual.insert(0, 1 / (1 + 1 / (shape.fan_out * usual[0])))
    return usual, last
