"""How far off a release is with every bound of a list: all errors over all true counts (paper 000, (2)).

Experiments, not releases: the noise is NumPy's, from a seed, or its effect is integrated in closed form.
"""

from dataclasses import dataclass
from math import pi

import numpy as np
from scipy import special

from experiments.bounding.cut import scaled, shuffled
from experiments.bounding.people import People, Random
from experiments.bounding.printed import threshold
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
    def few(self) -> Floats:
        """The mean over 3 runs, on different samples if there are as many: what the paper takes the least of."""
        return np.asarray(self.losses.swapaxes(0, 1).reshape(-1, len(self.bounds))[:3].mean(axis=0))

    def at(self, bounds: Integers) -> Floats:
        """The mean losses with these bounds, which are in the list."""
        return self.mean[np.searchsorted(self.bounds, bounds)]


def thresholded(people: People, bounds: Integers, delta: float, runs: tuple[int, int], random: Random) -> Runs:
    """Algorithm 3 at epsilon 1, repaired: only what is left after sampling gets noise, and the paper's threshold.

    `runs`: so many samples, and noise so many times for each."""
    samples, noises = runs
    losses = [_losses(people, bounds, delta, noises, random) for _ in range(samples)]
    return Runs(bounds, np.array(losses))


def _losses(people: People, bounds: Integers, delta: float, noises: int, random: Random) -> list[Floats]:
    left, truth = shuffled(people.histograms, random).kept(bounds), people.truth
    least = threshold(bounds, delta)[:, np.newaxis]

    def loss() -> Floats:
        noisy = left + random.laplace(size=left.shape) * bounds[:, np.newaxis]
        shown = np.where((left > 0) & (noisy > least), noisy, 0)
        return np.asarray(np.abs(shown - truth).sum(axis=1) / truth.sum())

    return [loss() for _ in range(noises)]


def clipped(people: People, cells: int, bounds: Floats, deviation: float) -> Floats:
    """Algorithm 1 with Gaussian noise of `deviation` times the bound on so many known items: the expected loss with
    each bound, over the noise, in closed form (the mean of a folded normal)."""
    missing = people.truth - scaled(people.histograms, bounds)  # (bound, item)
    noise = deviation * bounds[:, np.newaxis]
    quiet = noise * np.sqrt(2 / pi) * np.exp(-((missing / noise) ** 2) / 2)
    errors = (quiet + missing * special.erf(missing / noise / np.sqrt(2))).sum(axis=1)
    empty = (cells - missing.shape[1]) * noise[:, 0] * np.sqrt(2 / pi)  # items that nobody has
    return np.asarray((errors + empty) / people.truth.sum())
