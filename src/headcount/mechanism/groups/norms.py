"""The bound on a vector's norm, from a noisy profile of people's norms; and how noise is shared between vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from headcount.bound.pairs.vectors import NORMS, Order
from headcount.bound.selection.nonempty_bins import Critical, gaussian, laplace, last_nonempty_bin
from headcount.estimate.tail.excess import Clipping
from headcount.estimate.tail.noise import Noise, TwoSided
from headcount.estimate.tail.tail import posterior
from headcount.exact import Floats

SPLITS = 4
"""Number of points that people of one bin are spread over."""
QUIET_DEVIATIONS = 2.0
"""A bin below the highest one that is seen counts from this many standard deviations on."""
WINDOW = 8
"""Number of bins that are added up, if none is seen: four doublings."""
MOST_TARGETED = 0.9
"""Vectors with a target get at most this share together."""
LEAST_TARGETED = 0.01
"""A target gets at least this to the power of the order, whatever it takes."""
LEAST_SHARE = 0.5
"""Each vector has at least this part of an equal share."""


@dataclass(frozen=True)
class SeenNorms:
    """People by the norm of their vectors, as far as a noisy profile shows."""

    norms: Floats
    people: Floats

    @property
    def amount(self) -> float:
        """Sum of all norms."""
        return float((self.norms * self.people).sum())

    @property
    def mean_square(self) -> float:
        """Mean of the squared norms."""
        return float((self.norms**2 * self.people).sum() / self.people.sum())


@dataclass(frozen=True)
class NoisyNorms:
    """Noisy numbers of people by norm, and what follows from them."""

    counts: Floats
    """Of each bin of NORMS."""
    noise: Noise
    possible: tuple[float, float]
    """The least and the largest norm that can be."""

    @cached_property
    def seen(self) -> SeenNorms:
        """The people that are seen."""
        return seen_norms(self.counts, self.noise, self.possible)

    @cached_property
    def clipping(self) -> Clipping:
        """What bounds clip, by a posterior of all people."""
        return Clipping(posterior(self.counts, NORMS.edges, self.noise, self.possible))


def critical(noise: Noise) -> Critical:
    """Numbers of people from which on bins of a profile are nonempty."""
    return laplace(noise.scale) if isinstance(noise, TwoSided) else gaussian(noise.deviation)


def seen_norms(counts: Floats, noise: Noise, possible: tuple[float, float] = (0.0, inf)) -> SeenNorms:
    """The people that a noisy profile shows, with norms that can be. If noise hides everybody, the likeliest few
    bins."""
    edges = np.array(NORMS.edges)
    counts = np.where((edges[1:] > possible[0]) & (edges[:-1] <= possible[1]), counts, 0.0)
    last = last_nonempty_bin(counts, critical(noise))
    bins = np.arange(len(counts))
    if last >= 0:
        people = np.where((bins <= last) & (counts >= QUIET_DEVIATIONS * noise.deviation), counts, 0.0)
    else:
        first = int(np.argmax(np.convolve(counts, np.ones(WINDOW), "valid")))
        people = np.where((bins >= first) & (bins < first + WINDOW) & (counts != 0), np.maximum(counts, 1.0), 0.0)
    if not people.any():
        people[max(last, 0)] = 1.0
    seen = np.flatnonzero(people)
    low, high = np.maximum(np.array(NORMS.edges)[seen], 1.0), np.array(NORMS.edges)[seen + 1]
    parts = (np.arange(SPLITS) + 0.5) / SPLITS
    norms = low[:, None] * (high / low)[:, None] ** parts
    return SeenNorms(norms.ravel(), np.repeat(people[seen] / SPLITS, SPLITS))


def shared(
    errors: Sequence[float], weights: Sequence[float], targets: Sequence[float | None], order: Order = 2
) -> Floats:
    """Shares of the noise's price, which is one of norms to the power of their order. Vectors with a target get what it
    takes to reach it, together at most MOST_TARGETED; the others get shares that make their relative errors equal, each
    weighted, but none less than a part of an equal share. The errors are those with all of the price."""
    wanted = [
        0.0 if target is None else max(min(error / target, 1.0), LEAST_TARGETED) ** order
        for error, target in zip(errors, targets, strict=True)
    ]
    targeted = np.array(wanted) * min(1.0, MOST_TARGETED / max(sum(wanted), 1e-300))
    free = np.array([target is None for target in targets]) if None in targets else np.ones(len(targets), dtype=bool)
    equal = _equal_errors(np.array(errors), free * np.array(weights), order)
    return np.asarray(targeted + (1 - targeted.sum()) * equal)


def _equal_errors(errors: Floats, weights: Floats, order: Order) -> Floats:
    roots = weights ** (order / 2)
    importance = roots / roots.sum()
    wanted = importance * np.minimum(errors, 1.0) ** order
    wanted = wanted / wanted.sum() if wanted.any() else importance
    return np.asarray(LEAST_SHARE * importance + (1 - LEAST_SHARE) * wanted)
