"""Nonparametric maximum likelihood estimate of the number of cells by number of people, given the noise law.

Of all phi >= 0 on 0, 1, 2, .. that add up to the number of cells, the one that maximises sum_v c_v ln (phi * g)(v),
where c_v cells have the noisy value v and g is the noise law. One step of EM, phi <- phi (g * (c / (g * phi))), never
lowers the likelihood and keeps the sum. One round is two steps and an extrapolation (SQUAREM, Varadhan and Roland
2008), which is accepted only if it raises the likelihood.

It starts from the noisy cells, and stops early: the last thousandths of a nat fit the noise, not the people. To stop at
0.01 or at 0.001 changes the l1 error by a tenth, for most of 108 kinds of tables; but where nearly all cells are empty,
0.01 may double the error, and a limit of 100 rounds triple it. Starting from the nearest staircase (buckets.py) instead
raised it by 8%.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.estimate.shape.kernel import Kernel
from headcount.estimate.shape.tally import Tally, line
from headcount.exact import Floats, Integers
from headcount.system.late import scipy

MAX_ROUNDS = 2000
LONGEST, MAX_WORK, MIN_ROUNDS = 2**18, 2**20, 16
"""Limits of the places of a line, and of the product of rounds and places; the latter allows `MIN_ROUNDS` anyway."""
MIN_GAIN = 5e-3
"""A round that gains less log-likelihood is the last."""
SMOOTHED_SHARE = 0.05
"""Share of the start that is convolved with the noise, so that nothing possible is ruled out."""
TRUNCATION_RATE = 1e-12
"""Probability of the tails at which the noise law is truncated."""
MAX_EXTRAPOLATION = 1e6
"""Largest step length of an extrapolation."""
MIN_EXPECTED_SHARE = 1e-14
"""Smallest expected share of all cells at a place: less is lost in rounding."""


@dataclass(frozen=True)
class LikelyCells:
    """Maximum-likelihood number of cells by number of people."""

    values: Integers
    """Counts from 0 on, increasing."""
    cells: Floats
    """Number of cells of each; not integers."""
    logarithms: Floats
    """Log-likelihood at the start and after each round."""


@dataclass(frozen=True)
class _Guess:
    """A candidate phi, its expected number of cells at each place, and its log-likelihood."""

    cells: Floats
    expected: Floats
    logarithm: float


@dataclass(frozen=True)
class _Task:
    """Noisy cells at the places of a line, and the noise law."""

    cells: Floats
    weights: Floats

    def guess(self, cells: Floats) -> _Guess:
        """Normalise phi to the number of cells, and evaluate it."""
        total = self.cells.sum()
        cells = cells * (total / cells.sum())
        expected = np.maximum(self.smoothed(cells), MIN_EXPECTED_SHARE * total)
        return _Guess(cells, expected, float(self.cells @ np.log(expected)))

    def step(self, guess: _Guess) -> _Guess:
        """Make one step of EM."""
        return self.guess(guess.cells * np.maximum(self.smoothed(self.cells / guess.expected), 0.0))

    def round(self, guess: _Guess) -> _Guess:
        """Make two steps and an extrapolation."""
        one = self.step(guess)
        two = self.step(one)
        first = one.cells - guess.cells
        second = two.cells - one.cells - first
        ratio = float(np.linalg.norm(first)) / max(float(np.linalg.norm(second)), 1e-300)
        length = min(max(1.0, ratio), MAX_EXTRAPOLATION)
        cells = guess.cells + 2 * length * first + length**2 * second
        extrapolated = self.guess(np.where(cells > 0, cells, two.cells))
        return extrapolated if extrapolated.logarithm >= two.logarithm else two

    def smoothed(self, numbers: Floats) -> Floats:
        """Convolve numbers on the line with the noise law."""
        product = scipy.fft.rfft(numbers, self._circle) * self._transform
        smoothed: Floats = scipy.fft.irfft(product, self._circle)[: len(numbers)]
        return smoothed

    @cached_property
    def _circle(self) -> int:
        """Length of the Fourier transform, without wrap-around."""
        return int(scipy.fft.next_fast_len(len(self.cells) + len(self.weights), real=True))

    @cached_property
    def _transform(self) -> Floats:
        """Fourier transform of the weights, real as they are symmetric."""
        weights = np.append(self.weights, np.zeros(self._circle - len(self.weights)))
        transform: Floats = scipy.fft.rfft(np.roll(weights, -(len(self.weights) // 2))).real
        return transform


@np.errstate(all="ignore")
def maximum_likelihood(tally: Tally, kernel: Kernel) -> LikelyCells:
    """Compute the maximum-likelihood phi of at least one cell, in the unit of the noise law. Values beyond the longest
    line stay as they are."""
    reach = kernel.noise_quantile(TRUNCATION_RATE)
    positions = line(np.union1d(tally.values, [0]), reach, LONGEST).values
    near = tally.values <= positions[-1]
    cells = np.zeros(len(positions))
    cells[np.searchsorted(positions, tally.values[near])] = tally.cells[near]
    task = _Task(cells, kernel.weights[kernel.reach - reach : kernel.reach + reach + 1])
    found, logarithms = _maximised(task, int(np.searchsorted(positions, 0)))
    possible = positions >= 0
    values, found = np.append(positions[possible], tally.values[~near]), np.append(found[possible], tally.cells[~near])
    return LikelyCells(values[found > 0], found[found > 0], logarithms)


def _maximised(task: _Task, zero: int) -> tuple[Floats, Floats]:
    """Maximise the likelihood over phi that are 0 before the place `zero`; phi, and the log-likelihoods by round."""
    guess = task.guess(_start(task, zero))
    logarithms = [guess.logarithm]
    for _ in range(min(MAX_ROUNDS, max(MAX_WORK // len(task.cells), MIN_ROUNDS))):
        guess = task.round(guess)
        logarithms.append(guess.logarithm)
        if logarithms[-1] - logarithms[-2] < MIN_GAIN:
            break
    return guess.cells, np.array(logarithms)


def _start(task: _Task, zero: int) -> Floats:
    """Start from the noisy cells, those below 0 moved to 0, with a share of them smoothed."""
    clipped = task.cells.copy()
    clipped[zero] += clipped[:zero].sum()
    possible = np.arange(len(clipped)) >= zero
    smoothed = np.maximum(task.smoothed(clipped), 0.0)
    start: Floats = ((1 - SMOOTHED_SHARE) * clipped + SMOOTHED_SHARE * smoothed) * possible
    return start
