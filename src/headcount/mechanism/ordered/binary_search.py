"""A quantile by halving: is it below or above the middle of what is left? (paper 001, section 4.)

Each round asks about one cut of the scale: how far is what lies below it from its share of all? The answer has noise,
or comes from a sample of its own, and decides which half is left. There are always as many rounds, and the cuts follow
from answers that are released, so rounds cost what as many separate ones cost. Proof for both kinds of neighbours:
docs/proofs/halving.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from headcount.account.events import Gaussian, Laplace, Neighbours, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, SampledEvents, ScaledToSum
from headcount.estimate.constants import Z
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.ordered.hierarchy import INTERVAL, Noise, calibrated, sampled_error
from headcount.mechanism.ordered.readout import Quantiles
from headcount.noise import Entropy, Law


@dataclass(frozen=True)
class SearchPath(Noisy):
    """The cuts that were asked about, a row for each quantile, and the answers: how much more lies below a cut than the
    quantile's share of all, in units; of a sample, what was seen below the cut and above, 0 if it was not enough."""

    cuts: Integers
    below: Integers
    above: Integers


@dataclass(frozen=True)
class BinarySearch(Mechanism[Bounded, SearchPath]):
    """One quantile after the other, each by so many rounds."""

    name: ClassVar[str] = "search"
    proof: ClassVar[str] = "docs/proofs/halving.md"
    bounding: ScaledToSum | SampledEvents
    event: Gaussian | Laplace | SampleThreshold
    cells: int
    q: tuple[Fraction, ...]
    readout: Quantiles | None = None
    """The quantiles on their scale, if they are to be released."""

    @property
    def laws(self) -> tuple[Law, ...]:
        return () if isinstance(self.event, SampleThreshold) else super().laws

    @property
    def error(self) -> float:
        """19 of 20 quantiles are off by at most so many ranks, through noise; in a sample, if there are 10,000."""
        return sampled_error(self.event) if isinstance(self.event, SampleThreshold) else Z * self.deviation

    @property
    def rounds(self) -> int:
        """For each quantile."""
        return rounds(self.cells)

    def run(self, bounded: Bounded, entropy: Entropy) -> SearchPath:
        self.check(bounded)
        upto = np.append(0, np.cumsum(bounded.totals))[np.minimum(np.arange(2**self.rounds + 1), self.cells)].tolist()
        paths = [self._found(upto, q, entropy) for q in self.q]
        cuts, below, above = (np.array(each, dtype=np.int64) for each in zip(*paths, strict=True))
        return SearchPath(bounded.items, cuts[:, -1], cuts, below, above)

    def _found(self, upto: list[int], q: Fraction, entropy: Entropy) -> tuple[list[int], list[int], list[int]]:
        """The cuts and the answers on the way to one quantile; the last cut is where it ends, and is not asked."""
        low, high = 0, 2**self.rounds
        cuts, below, above = [], [], []
        for _ in range(self.rounds):
            cuts.append((low + high) // 2)
            left, right = self._asked(upto[cuts[-1]], upto[-1], q, entropy)
            below.append(left)
            above.append(right)
            more = left * (1 - q) > right * q if isinstance(self.event, SampleThreshold) else left > 0
            low, high = (low, cuts[-1]) if more else (cuts[-1], high)
        return [*cuts, min(low, self.cells - 1)], below, above

    def _asked(self, left: int, everything: int, q: Fraction, entropy: Entropy) -> tuple[int, int]:
        if isinstance(self.event, SampleThreshold):
            kept = entropy.thin(np.array([left, everything - left]), self.event.rate)
            seen = np.where(kept >= self.event.threshold, kept, 0)
            return int(seen[0]), int(seen[1])
        return left - int(q * everything) + int(entropy.draw(self.law, 1)[0]), 0

    def estimate(self, noisy: SearchPath) -> Columns:
        """A place in the cell at which each search ended; and the cuts nearest to it that are clearly below and above,
        all rounds together, in 19 of 20 cases."""
        assert self.readout is not None
        points = self.readout.axis.points
        more, away = self._answers(noisy)
        clearly = away * self._deviations
        cuts = np.minimum(noisy.cuts[:, :-1], self.cells)
        low = np.where(more < -clearly, cuts, 0).max(axis=1)
        high = np.where(more > clearly, cuts, self.cells).min(axis=1)
        ends = points[noisy.values], points[noisy.values + 1]
        values = ends[0] + _fractions(noisy, more) * (ends[1] - ends[0])
        return self.readout.sorted(values, np.minimum(points[low], ends[0]), np.maximum(points[high], ends[1]))

    @property
    def _deviations(self) -> float:
        """Deviations that are exceeded to one side with a chance of 0.025, shared among all rounds."""
        chance = 0.025 / self.rounds
        return log(1 / (2 * chance)) / sqrt(2) if isinstance(self.event, Laplace) else float(-ndtri(chance))

    def _answers(self, noisy: SearchPath) -> tuple[Floats, Floats]:
        """How much more lies below each cut than its share of all, and the deviation of that."""
        if not isinstance(self.event, SampleThreshold):
            return noisy.below / self.bounding.unit, np.full(noisy.below.shape, self.deviation)
        q, least = np.array([float(each) for each in self.q])[:, None], self.event.threshold
        below, above = (np.maximum(each, least) for each in (noisy.below, noisy.above))  # hidden: up to that many
        unsure = np.where(noisy.below, 0, (1 - q) * least) + np.where(noisy.above, 0, q * least)
        return (1 - q) * noisy.below - q * noisy.above, np.sqrt((1 - q) ** 2 * below + q**2 * above) + unsure

    def explain(self, item: str) -> list[str]:
        each = "in a sample of its own" if isinstance(self.event, SampleThreshold) else f"with {self.noise_told()}"
        return [
            f"Each quantile of {item} is looked for by halving, in {self.rounds} rounds: whether it is below or above "
            f"the middle of what is left is seen {each}."
        ]

    @property
    def interval_told(self) -> str:
        return INTERVAL


def _fractions(noisy: SearchPath, more: Floats) -> Floats:
    """How far into its cell each quantile is: by the answers at the cell's two ends, if both are known; else half."""
    first, last = (noisy.cuts[:, :-1] == noisy.values[:, None] + side for side in (0, 1))
    short, over = -np.where(first, more, 0).sum(axis=1), np.where(last, more, 0).sum(axis=1)
    known = first.any(axis=1) & last.any(axis=1) & (short + over > 0)
    return np.where(known, np.clip(short / np.where(known, short + over, 1), 0, 1), 0.5)


def rounds(cells: int) -> int:
    """As many as halving takes until one cell is left."""
    return (cells - 1).bit_length()


def sensitivity(bounding: ScaledToSum, q: tuple[Fraction, ...], neighbours: Neighbours) -> int:
    """The most by which neighbours change one answer, `left - floor(q * all)`: a person who is added changes it by at
    most their part of what they add, rounded; one who is replaced takes it from one side to the other."""
    total = bounding.sensitivity.total
    part = max(max(each, 1 - each) for each in q) if neighbours == "add-remove" else Fraction(1)
    return ceil(part * total) + 1


def noisy(
    kind: Noise,
    budget: Cost,
    bounding: ScaledToSum,
    cells: int,
    q: tuple[Fraction, ...],
    neighbours: Neighbours,
    readout: Quantiles | None = None,
) -> BinarySearch:
    """With as much noise as the budget needs for so many rounds."""
    each, many = sensitivity(bounding, q, neighbours), len(q) * rounds(cells)
    return BinarySearch(bounding, calibrated(kind, budget, each, many, many), cells, q, readout)
