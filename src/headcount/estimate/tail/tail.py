"""Possible tables of people by norm, and what a bound on norms would clip from each of them."""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import inf

import numpy as np

from headcount.estimate.tail.family import DRAWS, MISFIT, ends, tables
from headcount.estimate.tail.noise import Noise
from headcount.estimate.tail.uniform import uniform
from headcount.exact import Floats, Integers

POINTS = 8
"""Number of points that the people of one octave are spread over."""
LOWER_HALVES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Shares of an octave's people in its lower half: how people may lie in an octave."""
EDGES = np.array([0.0, *2.0 ** np.arange(0, 61)])
"""Edges of octaves: above them is no norm."""


def _points() -> Floats:
    """Norms of people: by octave, by how they lie in it, by point."""
    low, high = np.maximum(EDGES[:-1], 0.5), EDGES[1:]
    powers = np.log(0.5) / np.log(LOWER_HALVES)
    indices = ((np.arange(POINTS) + 0.5) / POINTS) ** powers[:, None]
    found: Floats = low[:, None, None] * (high / low)[:, None, None] ** indices
    return found


NORM_POINTS = _points()


@dataclass(frozen=True)
class Tail:
    """Draws from the posterior of people by norm."""

    people: Floats
    """Number of people: by draw, by octave, by how they lie in it; of the octaves that have people in any draw."""
    first: int
    """The first of these octaves."""
    last_seen: int
    """The last octave in which noise does not hide people."""

    def excess(self, bound: float | Floats) -> Floats:
        """Sum over people of what their norm exceeds each bound by: by draw (and bound)."""
        bounds = np.atleast_1d(np.asarray(bound, dtype=np.float64))
        points = NORM_POINTS[self.first : self.first + self.people.shape[1]]
        over = np.maximum(points[..., None] - bounds, 0.0).mean(axis=2)  # octave, way to lie, bound
        found: Floats = _added(self.people, over)
        return found if np.ndim(bound) else found[:, 0]

    def concentration(self, bound: float) -> Floats:
        """The inverse of the number of people who have most of what exceeds the bound, by draw: sum of squares over
        squared sum."""
        over = np.maximum(NORM_POINTS[self.first : self.first + self.people.shape[1]] - bound, 0.0)
        squares: Floats = _added(self.people, (over**2).mean(axis=2))
        return squares / np.maximum(self.excess(bound) ** 2, 1e-300)

    def above(self, bounds: Floats) -> Floats:
        """Number of people with norms above each bound: by draw and bound."""
        points = NORM_POINTS[self.first : self.first + self.people.shape[1]]
        found: Floats = _added(self.people, (points[..., None] > bounds).mean(axis=2))
        return found

    def at(self, draws: Integers) -> "Tail":
        """Some of the draws, in an order of their own."""
        return replace(self, people=self.people[draws])

    @cached_property
    def amount(self) -> Floats:
        """Sum of all norms, by draw."""
        return self.excess(0.0)

    @cached_property
    def bounds(self) -> Floats:
        """Bounds to choose from: where people are, and up to some octaves above what most draws have."""
        usual = np.flatnonzero(np.median(self.people.sum(axis=2), axis=0) > 0)
        first, last = (int(usual[0]), int(usual[-1])) if len(usual) else (0, 0)
        steps = np.arange((last - first + 3) * STEPS) / STEPS
        return np.asarray(EDGES[max(self.first + first, 1)] * 2.0**steps)


def _added(people: Floats, values: Floats) -> Floats:
    """Sum over people of a value that depends on their octave and on how they lie in it: by draw. Not by a matrix
    product, whose rounding may depend on the number of threads: equal measurements give equal values."""
    found: Floats = np.einsum("dow,ow...->d...", people, values, optimize=False)
    return found


STEPS = 4
"""Number of bounds in every doubling."""


@cache
def starts(edges: tuple[float, ...]) -> tuple[Integers, int]:
    """The first bin of each octave, of bins of norms of which two are one octave; and the number of bins of all."""
    found: Integers = np.searchsorted(np.array(edges), EDGES[:-1])
    return found, int(np.searchsorted(np.array(edges), EDGES[-1]))


def posterior(
    counts: Floats, edges: tuple[float, ...], noise: Noise, possible: tuple[float, float] = (0.0, inf)
) -> Tail:
    """The posterior of people by norm, from noisy numbers of people in bins with these edges, two in each octave;
    `possible` are the least and the largest norm that can be."""
    first_bins, bins = starts(edges)
    octaves = np.add.reduceat(counts[:bins], first_bins)
    room = ((EDGES[1:] > possible[0]) & (EDGES[:-1] <= possible[1])).astype(np.float64)
    own = noise.times(2**0.5)
    people = tables(octaves, own, room)  # draw, octave
    some = np.flatnonzero(people.any(axis=0))
    first, end = (int(some[0]), int(some[-1]) + 1) if len(some) else (0, 1)
    chances = np.cumsum(_ways(counts[first_bins], octaves, noise.deviation)[first:end], axis=1)  # octave, way to lie
    at = uniform(DRAWS, len(octaves), 6)[:, first:end]
    way = np.minimum((at[..., None] > chances).sum(axis=2), len(LOWER_HALVES) - 1)
    last_seen = ends(octaves * room, own)[1]
    return Tail(people[:, first:end, None] * (way[..., None] == np.arange(len(LOWER_HALVES))), first, last_seen)


def _ways(lower: Floats, both: Floats, deviation: float) -> Floats:
    """The probability of each way to lie in an octave, from the noisy numbers in its lower half and in the whole."""
    both = np.maximum(both, 0.0)
    off = lower[:, None] - both[:, None] * np.array(LOWER_HALVES)
    variance = deviation**2 + (MISFIT * both) ** 2
    chances = np.exp(-0.5 * np.minimum(off**2 / variance[:, None], 50.0))
    found: Floats = chances / chances.sum(axis=1, keepdims=True)
    return found
