"""Sample and threshold: the counts of a sample at or above a threshold, without noise (Bharadwaj and Cormode 2022, with
the exact price instead of its Theorem 1).

Each person's report of each item enters the sample by a coin of its own, with a public probability p. A sampled count
of at least theta is shown, everything else is not: neither what is suppressed nor the size of the sample. The number
kept of an item is binomial: so its coins are tossed together, once its total is known. Every run tosses new coins, and
none of them is stored: two releases never share a sample. Proof for both
kinds of neighbours: docs/proofs/sample-threshold.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from headcount.account.events import Neighbours
from headcount.account.events import SampleThreshold as Event
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, SampledItems
from headcount.estimate.constants import MISS_RATE, Z
from headcount.estimate.counts.sampled import sampled, unseen
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.stages.sampling import Sampling, sampling
from headcount.noise import Entropy, NoiseDistribution
from headcount.source.frames.arrow_columns import arrow
from headcount.wording import format_number

MAX_REPORTS = 100
"""The largest number of reports of one person: the price of more takes too long to compute."""


@dataclass(frozen=True)
class Sampled(Mechanism[Bounded, Noisy]):
    """Bernoulli sampling of every report; counts at or above a threshold are shown."""

    name: ClassVar[str] = "sample-threshold"
    proof: ClassVar[str] = "docs/proofs/sample-threshold.md"
    event: Event
    listed: bool = False
    """Whether the items are known in advance: those below the threshold are then released as 0."""

    @property
    def distributions(self) -> tuple[NoiseDistribution, ...]:
        return ()

    @property
    def visible_from(self) -> int | None:
        return None if self.listed else round(self.event.threshold / self.event.rate)

    def error_at(self, count: int) -> float:
        """The 95% quantile of the absolute error of a count of this size."""
        rate = float(self.event.rate)
        return Z * sqrt(count * (1 - rate) / rate)

    def run(self, bounded: Bounded, entropy: Entropy) -> Noisy:
        self.check(bounded)
        kept = entropy.thin(bounded.totals, self.event.rate)
        shown = kept >= self.event.threshold
        if self.listed:
            return Noisy(bounded.items, np.where(shown, kept, 0))
        return Noisy(bounded.items.filter(arrow(shown)), kept[shown])

    def estimate(self, noisy: Noisy) -> Columns:
        """Sampled counts, scaled up; counts below the threshold are 0, with an upper end. Of a list each item has a
        row, seen or not: so there both kinds of misses share the miss rate, and intervals are not conditional."""
        rate, threshold = float(self.event.rate), self.event.threshold
        seen = noisy.values > 0
        found = sampled(np.maximum(noisy.values, threshold), rate, 1 if self.listed else threshold)
        ends = np.where(seen, found.low, 0), np.where(seen, found.high, unseen(rate, threshold, MISS_RATE / 2))
        return Columns({"count": np.where(seen, found.counts, 0), "low": ends[0], "high": ends[1]})

    def explain(self, item: str) -> list[str]:
        return [
            f"headcount draws a sample: each {item} of each person is in it with a probability of "
            f"{float(self.event.rate):.4g}, by a coin of its own. It adds no noise.",
            self.threshold_sentence("It"),
        ]

    def threshold_sentence(self, subject: str) -> str:
        """Which counts the subject shows, and how large a hidden one can be."""
        rate, minimum = float(self.event.rate), self.event.threshold
        others, miss = ("appear as 0", MISS_RATE / 2) if self.listed else ("stay hidden", MISS_RATE)
        return (
            f"{subject} shows the counts with at least {minimum:,} people in the sample. All others {others}; in "
            f"{'97.5%' if self.listed else '95%'} of cases such a count is at most {unseen(rate, minimum, miss):,}."
        )

    @property
    def interval_meaning(self) -> str:
        return (
            f"Counts are those of the sample, times {format_number(1 / float(self.event.rate))}. The interval from low "
            f"to high contains the count after bounding in 95% of cases{'' if self.listed else ' where it is shown'}. "
            "It does not include what bounding removed."
        )


def calibrated(
    budget: Cost, bounding: SampledItems, neighbours: Neighbours, how: Sampling, *, cells: int | None = None
) -> Sampled:
    """The mechanism with the lowest threshold in people that the budget pays for."""
    items = bounding.max_items if cells is None else min(bounding.max_items, cells)
    return Sampled(bounding, sampling(budget, items, neighbours, how), cells is not None, max_totals=cells)


def levels(
    budget: Cost, neighbours: Neighbours, how: Sampling, grid: Sequence[int], cells: int | None
) -> list[tuple[float, float]]:
    """For each bound, the approximate count from which on an item is shown, and the error of such a count: exact at the
    bounds 1, 10, 100, ..., and interpolated log-linearly between them."""
    decades = [10**power for power in range(len(str(max(grid) - 1)) + 1)]
    mechanisms = [calibrated(budget, SampledItems(bound), neighbours, how, cells=cells) for bound in decades]
    shown = [each.event.threshold / float(each.event.rate) for each in mechanisms]
    errors = [each.error_at(round(count)) / 2 for each, count in zip(mechanisms, shown, strict=True)]
    lines = (np.exp(np.interp(np.log(grid), np.log(decades), np.log(points))).tolist() for points in (shown, errors))
    return list(zip(*lines, strict=True))
