"""How many people may have far more than all whom a profile shows: a posterior, from two things that tell of them.

One is the noisy number of people beyond a size, the other the profile's bins above the highest nonempty one, which have
people in a run of adjacent bins, or noise alone. Either nobody is hidden, or a number of people whose logarithm is
uniform, in any run of 1, 2, 4 or 8 bins. Functions of released values.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats, Integers

WIDTHS = (1, 2, 4, 8)
"""Lengths of the runs of adjacent bins that people may be in."""
NOBODY, NOBODY_BESIDE_FEW = 2 / 3, 9 / 10
"""Probability beforehand that nobody is hidden; and if nearly everybody has one or two items (set on half of a panel of
tables: docs/evidence.md)."""
NUMBERS = 2.0 ** np.arange(0, 24, 1 / 16)
"""Numbers of hidden people that are looked at."""
OR_NOBODY = np.append(0.0, NUMBERS)
BEYOND = 1 / 60
"""Probability that more people are hidden than `maximum` says."""


@dataclass(frozen=True)
class Above:
    """What is measured above the highest nonempty bin."""

    counts: Integers | Floats
    """Noisy people of each bin."""
    deviation: float
    """Standard deviation of their noise."""
    far: NDArray[np.bool_]
    """True for bins whose people are counted once more."""
    people: float
    """Noisy number of these people."""
    people_deviation: float

    def maximum(self) -> float:
        """The number of hidden people that is exceeded with a probability of `BEYOND`."""
        if not len(self.counts):
            return 0.0
        logarithms = np.array([self._likelihood(start, width) for start, width in self._runs()])
        return _end(np.exp(logarithms - logarithms.max()).mean(axis=0), NOBODY)

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Where people may be: the first bin of a run, and its length."""
        bins = len(self.counts)
        return ((start, width) for width in WIDTHS if width <= bins for start in range(bins - width + 1))

    def _likelihood(self, start: int, width: int) -> Floats:
        """Logarithm of the likelihood, but for a constant: of nobody, and of each number of people in a run."""
        run, people = slice(start, start + width), OR_NOBODY
        in_bins, far = self.counts[run].sum() / width, people * self.far[run].mean()
        by_bins = people * (in_bins - people / width / 2) / self.deviation**2
        by_number = far * (self.people - far / 2) / self.people_deviation**2
        found: Floats = by_bins + by_number
        return found


def max_beside_few(noisy: float, scale: float) -> float:
    """The same from a noisy number of people with Laplace noise alone, if nearly everybody has one or two items."""
    distances = np.abs(noisy - OR_NOBODY) / scale
    return _end(np.exp(distances.min() - distances), NOBODY_BESIDE_FEW)


def _end(likelihoods: Floats, nobody: float) -> float:
    """The number that is exceeded with a probability of `BEYOND`, by the likelihoods of nobody and of each number."""
    prior = np.array([nobody, *np.full(len(NUMBERS), (1 - nobody) / len(NUMBERS))])
    chances = prior * likelihoods
    above = np.cumsum(chances[:0:-1])[::-1] / chances.sum()
    return float(max(NUMBERS[above > BEYOND], default=0.0))
