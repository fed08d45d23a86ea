"""Numbers on a public scale: a tree of counts over its cells, from which ranges and quantiles follow (Bharadwaj and
Cormode 2022, section 4).

Every level of the tree covers all cells, with ever wider nodes, and each is measured by itself: with noise, or in a
sample of its own, which is thresholded. A person whose rows are bounded in all has the same bound on every level, so
a tree costs the composition of its levels. A sample is never used for two levels: a parent minus its children would
reveal one person. Proof for both kinds of neighbours: docs/proofs/hierarchy.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import ClassVar

import numpy as np

from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Laplace, Neighbours, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, SampledEvents, ScaledToSum
from headcount.bound.stability import Stability, of_contributions
from headcount.estimate.constants import LAPLACE_TO_NORMAL, Z
from headcount.estimate.ordered import sampled_tree, tree
from headcount.estimate.ordered.quantile import Counts
from headcount.estimate.ordered.tree import Shape, best_shape, mean_variance
from headcount.exact import Integers
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.options import Noise
from headcount.mechanism.ordered.readout import Quantiles, Readout
from headcount.noise import Entropy, NoiseDistribution


@dataclass(frozen=True)
class NoisyTree(Noisy):
    """The measured levels, the widest nodes first; counts hidden by a threshold are 0."""

    levels: tuple[Integers, ...]


@dataclass(frozen=True)
class Hierarchy(Mechanism[Bounded, NoisyTree]):
    """A tree of counts: every node of every level is measured."""

    name: ClassVar[str] = "tree"
    proof: ClassVar[str] = "docs/proofs/hierarchy.md"
    bounding: ScaledToSum | SampledEvents
    event: Gaussian | Laplace | SampleThreshold
    shape: Shape
    readout: Readout | None = None
    """What is read off the tree, if anything is."""

    @property
    def stability(self) -> Stability:
        """A person is in the counts of every level."""
        return of_contributions(self.bounding.sensitivity.times(self.shape.levels), sum(self.shape.sizes))

    @property
    def distributions(self) -> tuple[NoiseDistribution, ...]:
        return () if isinstance(self.event, SampleThreshold) else super().distributions

    @property
    def error(self) -> float:
        """The 95% quantile of the rank error through noise; of a sample, that of a value if there are 10,000 rows."""
        if isinstance(self.event, SampleThreshold):
            return sampled_error(self.event, self.readout)
        return Z * self.deviation * sqrt(mean_variance(self.shape))

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyTree:
        self.check(bounded)
        levels = tuple(self._measured(totals, entropy) for totals in self.shape.totals(bounded.totals))
        return NoisyTree(bounded.items, levels[-1], levels)

    def _measured(self, totals: Integers, entropy: Entropy) -> Integers:
        if not isinstance(self.event, SampleThreshold):
            return totals + entropy.draw(self.distribution, len(totals))
        kept = entropy.thin(totals, self.event.rate)
        return np.where(kept >= self.event.threshold, kept, 0)

    def estimate(self, noisy: NoisyTree) -> Columns:
        assert self.readout is not None
        return self.readout.columns(self.consistent(noisy), hides=isinstance(self.event, SampleThreshold))

    def consistent(self, noisy: NoisyTree) -> Counts:
        """The least-squares tree whose levels agree, in rows."""
        if isinstance(self.event, SampleThreshold):
            rate, minimum = float(self.event.rate), self.event.threshold
            return sampled_tree.consistent(self.shape, list(noisy.levels), rate, minimum)
        wider = LAPLACE_TO_NORMAL if isinstance(self.event, Laplace) else 1.0
        levels = [values / self.bounding.unit for values in noisy.levels]
        return tree.consistent(self.shape, levels, [(wider * self.deviation) ** 2] * len(levels))

    def explain(self, item: str) -> list[str]:
        levels, nodes = self.shape.levels, sum(self.shape.sizes)
        tree = f"A tree over these cells has {nodes:,} counts on {levels} level{'s' * (levels > 1)}."
        agree = "It combines all counts by least squares, and reads ranges or quantiles from the result."
        if not isinstance(self.event, SampleThreshold):
            return [tree, f"headcount adds {self.describe_noise()} to each count.", agree]
        rate, minimum = float(self.event.rate), self.event.threshold
        sample = (
            f"For each level, headcount draws a new sample: each person is in it with a probability of {rate:.4g}. It "
            f"adds no noise, and hides counts of less than {minimum:,}."
        )
        return [tree, sample, agree]

    @property
    def interval_meaning(self) -> str:
        return INTERVAL


INTERVAL = (
    "The interval from low to high contains the value of the rows that are left after bounding in 95% of cases. It "
    "does not include what bounding removed."
)


def sampled_error(event: SampleThreshold, readout: Readout | None) -> float:
    """The 95% quantile of the error of a value of a sample of 10,000 rows: by default, of the rank of a median."""
    rate, share = float(event.rate), (readout or Quantiles).sampled_share
    return Z * sqrt(10_000 * share * (1 - rate) / rate)


def noisy(
    kind: Noise,
    budget: Cost,
    bounding: ScaledToSum,
    cells: int,
    neighbours: Neighbours,
    readout: Readout | None = None,
) -> Hierarchy:
    """The best tree for a kind of noise, calibrated to the budget."""
    shape = best_shape(cells, added="scales" if kind == "laplace" else "squares")
    maximum, times = bounding.sensitivity.total, changed_people(neighbours) * shape.levels
    return Hierarchy(bounding, calibrated(kind, budget, maximum, times, sum(shape.sizes)), shape, readout)


def calibrated(kind: Noise, budget: Cost, maximum: int, times: int, cells: int) -> Laplace | Gaussian:
    """Noise for `times` vectors, each of l1 sensitivity `maximum`, with `cells` integers in all."""
    if kind == "laplace":
        return Laplace(calibrate.laplace_scale(budget.epsilon, times * maximum), Fraction(times * maximum))
    squared, changed = Fraction(times * maximum**2), min(times * maximum, cells)
    return Gaussian(calibrate.gaussian_variance(budget.epsilon, budget.delta, squared, changed), squared, changed)
