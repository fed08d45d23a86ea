"""Quantiles by a noisy binary search (Bharadwaj and Cormode 2022, section 4).

Each round queries one cut of the scale: how far is what lies below it from its share of all? The answer has noise, or
comes from a sample of its own, and decides which half is left. The number of rounds is fixed, and the cuts follow from
released answers, so the cost is the composition of the rounds. Proof for both kinds of neighbours:
docs/proofs/halving.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import ClassVar, get_args

import numpy as np

from headcount.account.events import Gaussian, Laplace, Neighbours, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, SampledEvents, ScaledToSum, Sensitivity
from headcount.bound.stability import Stability, of_contributions
from headcount.estimate.constants import Z
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.options import Noise
from headcount.mechanism.ordered.hierarchy import INTERVAL, calibrated, sampled_error
from headcount.mechanism.ordered.readout import Quantiles
from headcount.noise import Entropy, NoiseDistribution
from headcount.system.late import scipy


@dataclass(frozen=True)
class SearchPath(Noisy):
    """The queried cuts, a row for each quantile, and the answers: how much more lies below a cut than the quantile's
    share of all, in units; of a sample, the counts below the cut and above, 0 if under the threshold."""

    cuts: Integers
    below: Integers
    above: Integers


@dataclass(frozen=True)
class BinarySearch(Mechanism[Bounded, SearchPath]):
    """One quantile after another, each in the same number of rounds."""

    name: ClassVar[str] = "search"
    proof: ClassVar[str] = "docs/proofs/halving.md"
    bounding: ScaledToSum | SampledEvents
    event: Gaussian | Laplace | SampleThreshold
    cells: int
    q: tuple[Fraction, ...]
    readout: Quantiles | None = None
    """The quantiles on their scale, if they are to be released."""

    @property
    def stability(self) -> Stability:
        """A person is in the answer of every round."""
        answers = len(self.q) * self.rounds
        if isinstance(self.bounding, SampledEvents):
            return of_contributions(self.bounding.sensitivity.times(answers))
        each = [sensitivity(self.bounding, self.q, neighbours) for neighbours in get_args(Neighbours)]
        added, replaced = (Sensitivity(1, maximum, maximum, maximum**2).times(answers) for maximum in each)
        return Stability(added, replaced, added.items)

    @property
    def distributions(self) -> tuple[NoiseDistribution, ...]:
        return () if isinstance(self.event, SampleThreshold) else super().distributions

    @property
    def error(self) -> float:
        """The 95% quantile of the rank error through noise; of a sample, if there are 10,000 rows."""
        return (
            sampled_error(self.event, self.readout) if isinstance(self.event, SampleThreshold) else Z * self.deviation
        )

    @property
    def rounds(self) -> int:
        """Number of rounds for each quantile."""
        return rounds(self.cells)

    def run(self, bounded: Bounded, entropy: Entropy) -> SearchPath:
        self.check(bounded)
        upto = np.append(0, np.cumsum(bounded.totals))[np.minimum(np.arange(2**self.rounds + 1), self.cells)].tolist()
        paths = [self._search(upto, q, entropy) for q in self.q]
        cuts, below, above = (np.array(each, dtype=np.int64) for each in zip(*paths, strict=True))
        return SearchPath(bounded.items, cuts[:, -1], cuts, below, above)

    def _search(self, upto: list[int], q: Fraction, entropy: Entropy) -> tuple[list[int], list[int], list[int]]:
        """Search for one quantile: its cuts and answers; the last cut is where the search ends, and has no answer."""
        low, high = 0, 2**self.rounds
        cuts, below, above = [], [], []
        for _ in range(self.rounds):
            cuts.append((low + high) // 2)
            left, right = self._answer(upto[cuts[-1]], upto[-1], q, entropy)
            below.append(left)
            above.append(right)
            more = left * (1 - q) > right * q if isinstance(self.event, SampleThreshold) else left > 0
            low, high = (low, cuts[-1]) if more else (cuts[-1], high)
        return [*cuts, min(low, self.cells - 1)], below, above

    def _answer(self, left: int, everything: int, q: Fraction, entropy: Entropy) -> tuple[int, int]:
        if isinstance(self.event, SampleThreshold):
            kept = entropy.thin(np.array([left, everything - left]), self.event.rate)
            seen = np.where(kept >= self.event.threshold, kept, 0)
            return int(seen[0]), int(seen[1])
        return left - int(q * everything) + int(entropy.draw(self.distribution, 1)[0]), 0

    def estimate(self, noisy: SearchPath) -> Columns:
        """A point in the cell at which each search ended; and the nearest cuts that are significantly below and above,
        jointly over all rounds at 95%."""
        assert self.readout is not None
        points = self.readout.axis.points
        more, deviations = self._answers(noisy)
        margin = deviations * self._critical_value
        cuts = np.minimum(noisy.cuts[:, :-1], self.cells)
        low = np.where(more < -margin, cuts, 0).max(axis=1)
        high = np.where(more > margin, cuts, self.cells).min(axis=1)
        ends = points[noisy.values], points[noisy.values + 1]
        values = ends[0] + _fractions(noisy, more) * (ends[1] - ends[0])
        return self.readout.sorted(values, np.minimum(points[low], ends[0]), np.maximum(points[high], ends[1]))

    @property
    def _critical_value(self) -> float:
        """Deviations exceeded to one side with probability 0.025, divided among all rounds (Bonferroni)."""
        chance = 0.025 / self.rounds
        return (
            log(1 / (2 * chance)) / sqrt(2) if isinstance(self.event, Laplace) else float(-scipy.special.ndtri(chance))
        )

    def _answers(self, noisy: SearchPath) -> tuple[Floats, Floats]:
        """How much more lies below each cut than its share of all, and its standard deviation."""
        if not isinstance(self.event, SampleThreshold):
            return noisy.below / self.bounding.unit, np.full(noisy.below.shape, self.deviation)
        q, minimum = np.array([float(each) for each in self.q])[:, None], self.event.threshold
        below, above = (
            np.maximum(each, minimum) for each in (noisy.below, noisy.above)
        )  # a hidden count is at most the threshold
        hidden = np.where(noisy.below, 0, (1 - q) * minimum) + np.where(noisy.above, 0, q * minimum)
        return (1 - q) * noisy.below - q * noisy.above, np.sqrt((1 - q) ** 2 * below + q**2 * above) + hidden

    def explain(self, item: str) -> list[str]:
        each = "in a sample of its own" if isinstance(self.event, SampleThreshold) else f"with {self.describe_noise()}"
        return [
            f"headcount searches for each quantile of {item} by halving, in {self.rounds} rounds. In each round it "
            f"measures, {each}, whether the quantile is below or above the middle of the cells that are left."
        ]

    @property
    def interval_meaning(self) -> str:
        return INTERVAL


def _fractions(noisy: SearchPath, more: Floats) -> Floats:
    """The relative position of each quantile in its cell: from the answers at the cell's two ends, if both are known;
    else 1/2."""
    first, last = (noisy.cuts[:, :-1] == noisy.values[:, None] + side for side in (0, 1))
    short, over = -np.where(first, more, 0).sum(axis=1), np.where(last, more, 0).sum(axis=1)
    known = first.any(axis=1) & last.any(axis=1) & (short + over > 0)
    return np.where(known, np.clip(short / np.where(known, short + over, 1), 0, 1), 0.5)


def rounds(cells: int) -> int:
    """The number of halvings until one cell is left."""
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
    """The search with noise calibrated to the budget of all rounds."""
    each, many = sensitivity(bounding, q, neighbours), len(q) * rounds(cells)
    return BinarySearch(bounding, calibrated(kind, budget, each, many, many), cells, q, readout)
