"""Private selection of the bound by the rules of Liu et al. 2023, for items known in advance, which all get noise.

The best bound C balances what is clipped against the noise. With u_i the size of what person i has and r_i their sum
over that size, it minimises G(C) = sum r_i (u_i - C)_+ + C M, where M is what the noise on all items costs for each
unit of C (Liu et al. 2023, Lemma 4.2 with sizes that are sums and r_i = 1, Theorem 4.3 with sizes that are roots of
sums of squares). G is convex, and its slope is M - g(C), g(C) being the sum of the r_i of those above C. Every rule
looks for the C at which g falls below M. Where M is small, or people are few, a rank hardly separates candidates above
everybody's size, and may select one: compare.py has the remedy, and is the default.

Invariants: r_i is a whole number of 1/PART, clipped at the root of `sparsity` for *everybody*, however many items
they have. So one person changes g(C) by at most that much, at every C: added or removed by something that is not
negative, replaced by the difference of two such numbers. Hence each `sensitivity` holds for both kinds of neighbours.
Proofs: docs/proofs/choice.md.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, isqrt, log, sqrt
from typing import ClassVar

import numpy as np

from headcount.account.events import Event, Laplace, Selection
from headcount.bound.bounded import Bounding
from headcount.bound.boundings.scale import ScaledToSize, ScaledToSum
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.selection.statistics import PART, Norm, Sizes, sizes
from headcount.errors import BadParameter
from headcount.exact import Integers, whole
from headcount.noise import Entropy, discrete_laplace, softmax
from headcount.source.contributions.contributions import Contributions
from headcount.wording import plural

STEP_DECAY = 0.7
"""Ratio of successive step lengths of the descent: together the steps reach further than the whole grid."""
STEPS = 2**16
"""Output perturbation rounds its bound to multiples of the largest candidate / STEPS."""
VAGUE_LOG_ODDS = 3.0
"""A selection is vague unless candidates above everybody's size have a probability of about exp(-3) at most."""
MAX_NOISE_SCALE = 5.0
"""A selection is vague if the noise on the bound itself has a larger scale."""
MAX_REGULARISATION = 10
"""A selection is vague if its regularisation is more than this many times M."""


def check_grid(grid: tuple[int, ...]) -> None:
    """Check that candidates are integers from 1 on, and increase."""
    if not grid or grid[0] < 1 or any(not low < high for low, high in pairwise(grid)):
        raise BadParameter(f"grid={grid!r:.60}: candidates start at 1 or above, and rise.", fix="grid=(1, 2, 4, 8)")


@dataclass(frozen=True)
class Known(BoundSelection[Sizes]):
    """Selection from the histogram of people by size, for known items."""

    by_number: ClassVar[bool] = True
    norm: ClassVar[Norm] = "squares"
    weight: float
    """M: expected l1 norm of the noise over all cells, per unit of the bound: cells / epsilon for Laplace noise."""
    largest: int
    """Largest count of one item: 1 if people are counted."""
    grid: tuple[int, ...]
    """Public candidates for the bound, increasing: squared, if the norm is that of squares."""
    sparsity: int = 100
    """Each person's r is clipped at that of a person with this many items, each once. For the error, not privacy."""

    def __post_init__(self) -> None:
        check_grid(self.grid)
        whole("sparsity", self.sparsity, minimum=1, fix="sparsity=100")

    @property
    @abstractmethod
    def sensitivity(self) -> int:
        """Sensitivity of the score or of the noisy statistic, in its units, for both kinds of neighbours."""

    @property
    @abstractmethod
    def vague(self) -> bool:
        """True if, by public numbers alone, randomness outweighs any data."""

    @property
    def target(self) -> int:
        """M in units of 1/PART."""
        return round(self.weight * PART)

    @property
    def steepest(self) -> int:
        """The most that one person adds to g, in units of 1/PART."""
        return isqrt(self.sparsity * PART**2)

    def look(self, contributions: Contributions) -> Sizes:
        return sizes(contributions, self.norm, max_ratio=self.steepest / PART)

    def lowered(self, statistics: Sizes) -> Sizes:
        """Round everybody's size down to a candidate."""
        return statistics.on(np.array(self.grid, dtype=np.int64))

    def draw(self, statistics: Sizes, entropy: Entropy) -> Bounding:
        return self.bounding(self.grid[self.index(statistics, entropy)])

    @abstractmethod
    def index(self, statistics: Sizes, entropy: Entropy) -> int:
        """Draw the index of a candidate privately."""

    def bounding(self, candidate: int) -> Bounding:
        """The bounding of a candidate."""
        return ScaledToSize(candidate, self.largest)


@dataclass(frozen=True)
class Selected(Known):
    """Selection by the exponential mechanism on a score that one person may raise at low candidates and lower at high
    ones: so changes differ by up to twice the sensitivity."""

    @property
    def events(self) -> tuple[Event, ...]:
        return (Selection(self.epsilon),)

    @property
    def vague(self) -> bool:
        """A candidate above everybody's size is M away from the best: all such candidates together must be unlikely."""
        return float(self.epsilon) * self.target / (2 * self.sensitivity) < log(len(self.grid)) + VAGUE_LOG_ODDS

    @abstractmethod
    def shares(self, statistics: Sizes) -> Integers:
        """What the people of each size add to g, in units of 1/PART."""

    @abstractmethod
    def scores(self, statistics: Sizes) -> Integers | list[Fraction]:
        """Distance of each candidate from the best."""

    def index(self, statistics: Sizes, entropy: Entropy) -> int:
        return softmax(self.scores(statistics), -self.epsilon / (2 * self.sensitivity), entropy)


@dataclass(frozen=True)
class Ranked(Selected):
    """Selection by rank: the distance of a candidate from M, in g.

    The score is max(0, g(C) - M, M - g'(C)), g' counting those at C as well. Either term moves by at most as much as g,
    so the score does.
    """

    def scores(self, statistics: Sizes) -> Integers:
        """Distance of each candidate from the best, in units of 1/PART."""
        shares = self.shares(self.lowered(statistics))
        above = _above(shares)
        distance: Integers = np.maximum(above - self.target, self.target - above - shares)
        return np.maximum(distance, 0)


@dataclass(frozen=True)
class Counted(Ranked):
    """Selection by a rank that is a number of people."""

    @property
    def sensitivity(self) -> int:
        return PART

    def shares(self, statistics: Sizes) -> Integers:
        return PART * statistics.people


@dataclass(frozen=True)
class Quantile(Counted):
    """The l1 bound that about M people exceed (Liu et al. 2023, Lemma 4.2): for Laplace noise."""

    name: ClassVar[str] = "quantile"
    norm: ClassVar[Norm] = "sum"

    def bounding(self, candidate: int) -> Bounding:
        return ScaledToSum(candidate, self.largest)

    def explain(self, item: str) -> str:
        return (
            "headcount chooses from the data, privately, how often one person counts in all, so that about "
            f"{ceil(self.weight):,} people have more."
        )


@dataclass(frozen=True)
class MQuantile(Counted):
    """The l2 bound that about M people exceed: a baseline, which ignores that people with many items lose more."""

    name: ClassVar[str] = "m-quantile"

    def explain(self, item: str) -> str:
        return (
            f"headcount chooses from the data, privately, how much one person counts over all {plural(item)}, so that "
            f"about {ceil(self.weight):,} people have more."
        )


@dataclass(frozen=True)
class InverseSensitivity(Ranked):
    """Inverse sensitivity mechanism for the l2 bound: the number of people to change until a candidate is optimal."""

    name: ClassVar[str] = "inverse-sensitivity"

    @property
    def sensitivity(self) -> int:
        return self.steepest

    def shares(self, statistics: Sizes) -> Integers:
        return statistics.ratios

    def explain(self, item: str) -> str:
        return (
            f"headcount chooses from the data, privately, how much one person counts over all {plural(item)}. It draws "
            "a candidate at random: the fewer people would have to change until a candidate is the best, the likelier "
            "it is."
        )


@dataclass(frozen=True)
class DpSgd(Known):
    """Noisy gradient descent on G along the candidates, all people in every step.

    The slope M - g(C) is a whole number of 1/PART; Laplace noise on it, with epsilon / steps each, keeps the whole a
    pure epsilon. M is public and adds nothing to the sensitivity.
    """

    name: ClassVar[str] = "dp-sgd"
    steps: int = 8
    """Number of noisy gradients."""

    @property
    def sensitivity(self) -> int:
        return self.steepest

    @property
    def scale(self) -> Fraction:
        """Scale of the noise on each gradient."""
        return self.steps * self.sensitivity / self.epsilon

    @property
    def events(self) -> tuple[Event, ...]:
        return (Laplace(self.scale, Fraction(self.sensitivity)),) * self.steps

    @property
    def vague(self) -> bool:
        return self.scale > self.target

    def slopes(self, statistics: Sizes) -> Integers:
        """M - g(C) for each candidate, in units of 1/PART."""
        return self.target - _above(self.lowered(statistics).ratios)

    def index(self, statistics: Sizes, entropy: Entropy) -> int:
        slopes, last = self.slopes(statistics), len(self.grid) - 1
        index = step = last / 2
        for _ in range(self.steps):
            noisy = int(slopes[round(index)]) + int(discrete_laplace(self.scale, 1, entropy)[0])
            index -= step * min(max(noisy / max(self.target, 1), -1), 1)
            index = min(max(index, 0), last)
            step *= STEP_DECAY
        return round(index)

    def explain(self, item: str) -> str:
        return (
            f"headcount chooses from the data, privately, how much one person counts over all {plural(item)}, by "
            f"{self.steps} steps of noisy gradient descent."
        )


@dataclass(frozen=True)
class OutputPerturbation(Known):
    """The minimiser of G(C) + mu C^2 / 2, with Laplace noise (Liu et al. 2023, Algorithm 2).

    mu makes the slope rise by at least `pull` from one step of C to the next. So if g changes by at most `steepest`,
    the minimiser moves by at most steepest / pull steps, rounded up: the paper's bound is four times that.
    """

    name: ClassVar[str] = "output-perturbation"
    people: int = 100_000
    """Public guess of the number of people, from which mu is computed."""

    @property
    def pull(self) -> int:
        """mu for each step, in units of 1/PART: mu = root(2 people sparsity / epsilon) over the largest candidate."""
        return ceil(sqrt(2 * self.people * self.sparsity / self.epsilon) * PART / STEPS)

    @property
    def sensitivity(self) -> int:
        return -(-self.steepest // self.pull)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise, in steps."""
        return self.sensitivity / self.epsilon

    @property
    def events(self) -> tuple[Event, ...]:
        return (Laplace(self.scale, Fraction(self.sensitivity)),)

    @property
    def vague(self) -> bool:
        """True if noise on the bound is large, or mu outweighs M by far, so that the bound is far too small."""
        noise = float(self.scale) / STEPS * sqrt(self.grid[-1])
        return noise > MAX_NOISE_SCALE or self.pull * STEPS > MAX_REGULARISATION * self.target

    @property
    def squares(self) -> Integers:
        """C^2 at each step, rounded down."""
        return np.floor(self.grid[-1] * (np.arange(STEPS + 1) / STEPS) ** 2).astype(np.int64)

    def minimiser(self, statistics: Sizes) -> int:
        """The first step at which the slope M + mu C - g(C) is not negative, or the last."""
        sums = upto(statistics.ratios)
        above = sums[-1] - sums[np.searchsorted(statistics.sizes, self.squares, side="right")]
        rising = above <= self.target + self.pull * np.arange(STEPS + 1)
        return int(rising.argmax()) if rising.any() else STEPS

    def index(self, statistics: Sizes, entropy: Entropy) -> int:
        noisy = self.minimiser(statistics) + int(discrete_laplace(self.scale, 1, entropy)[0])
        squared = self.squares[min(max(noisy, 0), STEPS)]
        return max(int(np.searchsorted(self.grid, squared, side="right")) - 1, 0)

    def explain(self, item: str) -> str:
        return (
            f"headcount computes from the data how much one person counts over all {plural(item)}, with a "
            f"regularisation for about {self.people:,} people, and adds Laplace noise to it."
        )


def _above(shares: Integers) -> Integers:
    """Sum of all later values, for each place."""
    later: Integers = shares.sum() - shares.cumsum()
    return later


def upto(values: Integers) -> Integers:
    """Prefix sums: of the first 0, 1, 2, ... values."""
    return np.concatenate([[0], values.cumsum()])
