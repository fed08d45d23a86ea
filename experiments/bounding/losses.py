"""Relative l1 loss of a release for every bound of a list (Liu et al. 2023, equation (2)).

Experiments, not releases: the noise is NumPy's, from a seed, or its effect is integrated in closed form.
"""

from dataclasses import dataclass
from math import pi

import numpy as np
from scipy import special

from experiments.bounding.clipping import scaled_counts, shuffle_events
from experiments.bounding.paper import threshold
from experiments.bounding.people import People, Random
from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class Runs:
    """Releases of items that are not known in advance, with every bound."""

    bounds: Integers
    losses: Floats
    """(sample, noise, bound)"""

    @property
    def mean(self) -> Floats:
        """The mean loss with each bound."""
        return np.asarray(self.losses.mean(axis=(0, 1)))

    @property
    def mean_of_three(self) -> Floats:
        """The mean over 3 runs, on different samples where possible: the paper minimises it."""
        return np.asarray(self.losses.swapaxes(0, 1).reshape(-1, len(self.bounds))[:3].mean(axis=0))

    def at(self, bounds: Integers) -> Floats:
        """The mean losses with these bounds, which are in the list."""
        return self.mean[np.searchsorted(self.bounds, bounds)]


def threshold_losses(people: People, bounds: Integers, delta: float, runs: tuple[int, int], random: Random) -> Runs:
    """Algorithm 3 at epsilon 1, repaired: only what is left after sampling gets noise, and the paper's threshold.

    `runs`: the number of samples, and of noise draws for each."""
    samples, noises = runs
    losses = [_losses(people, bounds, delta, noises, random) for _ in range(samples)]
    return Runs(bounds, np.array(losses))


def _losses(people: People, bounds: Integers, delta: float, noises: int, random: Random) -> list[Floats]:
    left, truth = shuffle_events(people.histograms, random).clipped_counts(bounds), people.truth
    minimum = threshold(bounds, delta)[:, np.newaxis]

    def loss() -> Floats:
        noisy = left + random.laplace(size=left.shape) * bounds[:, np.newaxis]
        shown = np.where((left > 0) & (noisy > minimum), noisy, 0)
        return np.asarray(np.abs(shown - truth).sum(axis=1) / truth.sum())

    return [loss() for _ in range(noises)]


def clipping_loss(people: People, cells: int, bounds: Floats, deviation: float) -> Floats:
    """The expected loss of Algorithm 1 for each bound, with Gaussian noise of `deviation` times the bound on `cells`
    known items, in closed form (the mean of a folded normal)."""
    missing = people.truth - scaled_counts(people.histograms, bounds)  # (bound, item)
    noise = deviation * bounds[:, np.newaxis]
    quiet = noise * np.sqrt(2 / pi) * np.exp(-((missing / noise) ** 2) / 2)
    errors = (quiet + missing * special.erf(missing / noise / np.sqrt(2))).sum(axis=1)
    empty = (cells - missing.shape[1]) * noise[:, 0] * np.sqrt(2 / pi)  # items that nobody has
    return np.asarray((errors + empty) / people.truth.sum())
