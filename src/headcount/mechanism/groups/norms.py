"""The bound on a vector's norm, from a noisy profile of people's norms; and how noise is shared between vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from headcount.bound.selection.nonempty_bins import gaussian, last_nonempty_bin
from headcount.bound.vectors import NORMS
from headcount.exact import Floats

SPLITS = 4
"""Number of points that people of one bin are spread over."""
CANDIDATES_PER_DOUBLING = 8
QUIET_DEVIATIONS = 2.0
"""A bin below the highest one that is seen counts from this many standard deviations on."""
WINDOW = 8
"""Number of bins that are added up, if none is seen: four doublings."""
CLIPPED_WEIGHT = 2.0
"""Weight of the clipped share beside relative noise, when a bound is chosen."""
MOST_TARGETED = 0.9
"""Vectors with a target get at most this share together."""
LEAST_TARGETED = 0.01
"""A target gets at least the square of this, whatever it takes."""
LEAST_SHARE = 0.5
"""Each vector has at least this part of an equal share."""


@dataclass(frozen=True)
class SeenNorms:
    """People by the norm of their vectors, as far as a noisy profile shows."""

    norms: Floats
    people: Floats
    certain: bool
    """False if noise hides everybody: then the norms are the likeliest, and no more."""

    @property
    def amount(self) -> float:
        """Sum of all norms."""
        return float((self.norms * self.people).sum())

    @property
    def mean_square(self) -> float:
        """Mean of the squared norms."""
        return float((self.norms**2 * self.people).sum() / self.people.sum())

    def clipped(self, bound: float) -> float:
        """Share of all norms that a bound clips."""
        return 1 - float((np.minimum(self.norms, bound) * self.people).sum()) / self.amount

    @property
    def candidates(self) -> Floats:
        """Bounds to choose from."""
        first, last = (np.log2(end) * CANDIDATES_PER_DOUBLING for end in (self.norms.min(), self.norms.max()))
        return np.asarray(2.0 ** (np.arange(np.floor(first), np.ceil(last) + 1) / CANDIDATES_PER_DOUBLING))


def seen_norms(counts: Floats, deviation: float, possible: tuple[float, float] = (0.0, inf)) -> SeenNorms:
    """The people that a noisy profile shows, with norms that can be. If it shows nobody, the likeliest few bins."""
    edges = np.array(NORMS.edges)
    counts = np.where((edges[1:] > possible[0]) & (edges[:-1] <= possible[1]), counts, 0.0)
    last = last_nonempty_bin(counts, gaussian(deviation))
    certain = last >= 0
    bins = np.arange(len(counts))
    if certain:
        people = np.where((bins <= last) & (counts >= QUIET_DEVIATIONS * deviation), counts, 0.0)
    else:
        first = int(np.argmax(np.convolve(counts, np.ones(WINDOW), "valid")))
        people = np.where((bins >= first) & (bins < first + WINDOW) & (counts != 0), np.maximum(counts, 1.0), 0.0)
    if not people.any():
        people[max(last, 0)] = 1.0
    seen = np.flatnonzero(people)
    low, high = np.maximum(np.array(NORMS.edges)[seen], 1.0), np.array(NORMS.edges)[seen + 1]
    parts = (np.arange(SPLITS) + 0.5) / SPLITS
    norms = low[:, None] * (high / low)[:, None] ** parts
    return SeenNorms(norms.ravel(), np.repeat(people[seen] / SPLITS, SPLITS), certain)


def best_bound(seen: SeenNorms, noise: float) -> float:
    """The bound with the least error: `noise` is the relative noise of a total for a bound that is the sum of all
    norms. What is clipped is undone, but differs between groups."""
    found = seen.candidates
    clipped = np.array([seen.clipped(each) for each in found])
    return float(np.ceil(found[np.argmin((noise * found / seen.amount) ** 2 + (CLIPPED_WEIGHT * clipped) ** 2)]))


def shared(errors: Sequence[float], weights: Sequence[float], targets: Sequence[float | None]) -> Floats:
    """Shares of the noise's price. Vectors with a target get what it takes to reach it, together at most MOST_TARGETED;
    the others get shares that make their relative errors equal, each weighted, but none less than a part of an equal
    share. The errors are those with all of the price."""
    wanted = [
        0.0 if target is None else max(min(error / target, 1.0), LEAST_TARGETED) ** 2
        for error, target in zip(errors, targets, strict=True)
    ]
    targeted = np.array(wanted) * min(1.0, MOST_TARGETED / max(sum(wanted), 1e-300))
    free = np.array([target is None for target in targets]) if None in targets else np.ones(len(targets), dtype=bool)
    return np.asarray(targeted + (1 - targeted.sum()) * _equal_errors(np.array(errors), free * np.array(weights)))


def _equal_errors(errors: Floats, weights: Floats) -> Floats:
    importance = weights / weights.sum()
    wanted = importance * np.minimum(errors, 1.0) ** 2
    wanted = wanted / wanted.sum() if wanted.any() else importance
    return np.asarray(LEAST_SHARE * importance + (1 - LEAST_SHARE) * wanted)
