"""How many people may have far more than all whom a profile shows: a posterior, from two things that tell of them.

One is the noisy number of people beyond a size, the other the profile's bins above the highest nonempty one, which have
people in a run of adjacent bins, or noise alone. Either nobody is hidden, or a number of people whose logarithm is
uniform, in any run of 1, 2, 4 or 8 bins; or in none of them, if they got that many items after the profile was taken.
Functions of released values.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Floats, Integers

WIDTHS = (1, 2, 4, 8)
"""Lengths of the runs of adjacent bins that people may be in."""
NOBODY = 2 / 3
"""Probability beforehand that nobody is hidden (set on half of a panel of tables: docs/evidence.md)."""
NUMBERS = 2.0 ** np.arange(0, 24, 0.25)
"""Numbers of hidden people that are looked at."""
BEYOND = 1 / 40
"""Probability that more people are hidden than `most` says."""


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
    can_be: bool = True
    """Whether anybody can be beyond that size: nobody has more than all items."""

    def most(self) -> float:
        """The number of hidden people that is exceeded with a probability of `BEYOND`."""
        runs = [*self._runs(), *([None] if self.can_be else [])]
        if not runs:
            return 0.0
        logarithms = np.array([self._by_number(1.0) if run is None else self._by_both(*run) for run in runs])
        scaled = np.exp(logarithms - logarithms.max()).mean(axis=0)
        nobody, *chances = scaled * np.array([NOBODY, *np.full(len(NUMBERS), (1 - NOBODY) / len(NUMBERS))])
        above = np.cumsum(chances[::-1])[::-1] / (nobody + sum(chances))
        return float(max(NUMBERS[above > BEYOND], default=0.0))

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Where people may be: the first bin of a run, and its length."""
        bins = len(self.counts)
        return ((start, width) for width in WIDTHS if width <= bins for start in range(bins - width + 1))

    def _by_both(self, start: int, width: int) -> Floats:
        """Logarithm of the likelihood, but for a constant: of nobody, and of each number of people in a run."""
        run, people = slice(start, start + width), np.append(0.0, NUMBERS)
        in_bins = self.counts[run].sum() / width
        by_bins: Floats = people * (in_bins - people / width / 2) / self.deviation**2
        return by_bins + self._by_number(float(self.far[run].mean()))

    def _by_number(self, part: float) -> Floats:
        """The same by the number of people beyond a size, if this part of them is."""
        far = part * np.append(0.0, NUMBERS)
        found: Floats = far * (self.people - far / 2) / self.people_deviation**2
        return found
