"""Set union: which items anybody has, without their counts. Mechanisms of papers, written anew to compare with.

- `weighted_gaussian`: a person with n items adds 1 / sqrt(n) to each (Gopi et al. 2020, "Differentially Private Set
  Union", and Swanberg et al. 2023).
- `policy_gaussian`: people come one after another, and each moves the weights of their items by at most 1 (l2) towards
  a cutoff, along the gaps that are left (Gopi et al. 2020, l2 descent). So items that are sure to be shown get no more.
- `iterated_gaussian`: the first one in rounds; what a round shows is taken out of the data of the next (Swanberg et al.
  2023, DP-SIPS).

Each person has at most `max_items` items, chosen at random. Adding or removing somebody changes the weights by at most
1 (l2), and t items that nobody else has get at most 1 / sqrt(t) each. Half of delta pays for the noise, by the exact
price of Gaussian noise (Balle & Wang 2018, Theorem 8); the other half for items that only one person has. NumPy's
random numbers are not meant for privacy: nothing here is for use."""

from dataclasses import dataclass
from itertools import pairwise
from math import exp, expm1, log1p, sqrt
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from headcount.exact import Floats, Integers

CUTOFF_DEVIATIONS = 6.0
"""Distance of the policy's cutoff from the threshold, in standard deviations of the noise (alpha): of 1 to 12 about the
best on the five tables of `benchmarks.missing_mass`, a favour."""
ROUND_SHARES = (1 / 91, 9 / 91, 81 / 91)
"""Shares of the budget by round, of 1 / variance and of the delta of thresholds: three times the epsilon of the round
before (tried: three, nine and twenty times 1 / variance; about the best on the same tables)."""


@dataclass(frozen=True)
class Pairs:
    """Distinct (person, item) pairs as numbers; one person's pairs are next to each other."""

    people: Integers
    """The person of each pair."""
    items: Integers
    """The item of each pair, from 0 on."""
    domain: int
    """The number of items."""

    @property
    def starts(self) -> Integers:
        """Position of each person's first pair, and the number of pairs."""
        changes = np.flatnonzero(np.diff(self.people)) + 1
        return np.concatenate([[0], changes, [len(self.people)]]) if len(self.people) else np.zeros(1, dtype=np.int64)

    @property
    def counts(self) -> Integers:
        """People of each item."""
        return np.bincount(self.items, minlength=self.domain)

    @property
    def ranks(self) -> Integers:
        """Position of each pair among the pairs of its person, from 0 on."""
        starts = self.starts
        return np.arange(len(self.people)) - np.repeat(starts[:-1], np.diff(starts))

    def shuffled(self, random: np.random.Generator) -> "Pairs":
        """People in random order, and the items of each in random order."""
        indices = random.permutation(int(self.people.max(initial=-1)) + 1)[self.people]
        order = np.lexsort((random.random(len(self.people)), indices))
        return Pairs(indices[order], self.items[order], self.domain)

    def sampled(self, max_items: int, random: np.random.Generator) -> "Pairs":
        """At most `max_items` random items of each person; people in random order."""
        shuffled = self.shuffled(random)
        return shuffled.where(shuffled.ranks < max_items)

    def without(self, shown: Integers) -> "Pairs":
        """The pairs of items that were not shown."""
        return self.where(~np.isin(self.items, shown))

    def where(self, kept: np.ndarray) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.people[kept], self.items[kept], self.domain)


@dataclass(frozen=True)
class Budget:
    """Noise and threshold for weights that one person changes by at most 1 (l2)."""

    sigma: float
    """Standard deviation of the noise."""
    threshold: float
    """Weight with noise above which an item is shown."""


def read_pairs(path: Path) -> tuple[Pairs, pa.Array]:
    """Pairs of a table of events, and the names of their items."""
    query = f"SELECT DISTINCT user_id, item FROM '{path}' WHERE user_id IS NOT NULL AND item IS NOT NULL"
    found = duckdb.sql(f"{query} ORDER BY user_id").to_arrow_table()
    items = found["item"].combine_chunks().dictionary_encode()
    people = np.unique(found["user_id"].to_numpy(), return_inverse=True)[1]
    return Pairs(people, items.indices.to_numpy().astype(np.int64), len(items.dictionary)), items.dictionary


def budget(epsilon: float, delta: float, max_items: int) -> Budget:
    """Half of delta for the noise, half for the threshold."""
    sigma = gaussian_sigma(epsilon, delta / 2)
    return Budget(sigma, threshold(sigma, delta / 2, max_items))


def gaussian_delta(epsilon: float, sigma: float) -> float:
    """Exact delta of Gaussian noise on a sum that changes by at most 1 (Balle & Wang 2018, Theorem 8)."""
    half, shift = 1 / (2 * sigma), epsilon * sigma
    return float(ndtr(half - shift) - exp(epsilon) * ndtr(-half - shift))


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """Smallest standard deviation with which Gaussian noise is (epsilon, delta)-private."""
    return float(brentq(lambda sigma: gaussian_delta(epsilon, sigma) - delta, 1e-3, 1e4, xtol=1e-12))


def threshold(sigma: float, delta: float, max_items: int) -> float:
    """max over t <= most of 1 / sqrt(t) + sigma * Phi^-1((1 - delta)^(1/t)): none of t new items exceeds it, but with
    probability delta."""
    return max(1 / sqrt(t) - sigma * float(ndtri(-expm1(log1p(-delta) / t))) for t in range(1, max_items + 1))


def weighted_gaussian(pairs: Pairs, limits: Budget, max_items: int, random: np.random.Generator) -> Integers:
    """Items above the threshold, if a person with n items adds 1 / sqrt(n) to each."""
    return above(even_weights(pairs.sampled(max_items, random)), limits, random)


def policy_gaussian(
    pairs: Pairs, limits: Budget, max_items: int, random: np.random.Generator, deviations: float = CUTOFF_DEVIATIONS
) -> Integers:
    """Items above the threshold, if people move weights towards a cutoff one after another."""
    cutoff = limits.threshold + deviations * limits.sigma
    return above(policy_weights(pairs.sampled(max_items, random), cutoff), limits, random)


def iterated_gaussian(
    pairs: Pairs, epsilon: float, delta: float, max_items: int, random: np.random.Generator
) -> Integers:
    """Items of three rounds of the weighted Gaussian, each without the items of those before."""
    sigma, shown = gaussian_sigma(epsilon, delta / 2), np.zeros(0, dtype=np.int64)
    for share in ROUND_SHARES:
        noise = sigma / sqrt(share)
        limits = Budget(noise, threshold(noise, share * delta / 2, max_items))
        found = weighted_gaussian(pairs.without(shown), limits, max_items, random)
        shown = np.concatenate([shown, found])
    return shown


def even_weights(pairs: Pairs) -> Floats:
    """Weights of items, if a person with n items adds 1 / sqrt(n) to each."""
    sizes = np.diff(pairs.starts)
    each = np.repeat(1 / np.sqrt(sizes), sizes)
    return np.bincount(pairs.items, weights=each, minlength=pairs.domain).astype(np.float64)


def policy_weights(pairs: Pairs, cutoff: float) -> Floats:
    """Weights of items, if each person in turn moves those of their items by at most 1 (l2) towards the cutoff."""
    weights = np.zeros(pairs.domain)
    for start, end in pairwise(pairs.starts.tolist()):
        items = pairs.items[start:end]
        gaps = cutoff - weights[items]
        distance = sqrt(gaps @ gaps)
        if distance > 1:
            weights[items] += gaps / distance
        else:
            weights[items] = cutoff
    return weights


def above(weights: Floats, limits: Budget, random: np.random.Generator) -> Integers:
    """Items that anybody has, whose weight with noise is above the threshold."""
    present = np.flatnonzero(weights > 0)
    return present[weights[present] + random.normal(0, limits.sigma, len(present)) > limits.threshold]
