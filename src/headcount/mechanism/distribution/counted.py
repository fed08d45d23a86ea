"""Shares of a distribution from noisy counts of a public list: the counts of `stages/clipped.py`, whose proof holds."""

from dataclasses import dataclass, fields
from math import inf, log, sqrt

import numpy as np

from headcount.account.events import Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounding, SampledEvents
from headcount.estimate.constants import LAPLACE_TO_NORMAL, Z
from headcount.estimate.distribution.shares import (
    EQUAL_PEOPLE,
    EQUAL_PEOPLE_NOTE,
    INTERVAL_DEVIATIONS,
    INTERVAL_NOTE,
    MIN_SIGNAL_DEVIATIONS,
    ONE_SAMPLE_NOTE,
    PEOPLE_NOTE,
    ROWS_NOTE,
    TABLE_NOTE,
    Target,
    with_intervals,
)
from headcount.exact import Floats
from headcount.mechanism.mechanism import Columns, Estimand, Noisy
from headcount.mechanism.options import Noise
from headcount.mechanism.stages import clipped
from headcount.mechanism.stages.clipped import Clipped


@dataclass(frozen=True)
class CountedShares(Clipped):
    """Noise on every count; shares are counts divided by their sum."""

    target: Target = "source"
    """What the intervals are meant to hold."""

    def estimate(self, noisy: Noisy) -> Columns:
        values = noisy.values / self.bounding.unit
        deviation = self.deviation * (LAPLACE_TO_NORMAL if isinstance(self.event, Laplace) else 1.0)
        cells, mass, largest = len(values), float(values.sum()), float(values.max(initial=0.0))
        seen = mass >= MIN_SIGNAL_DEVIATIONS * deviation * sqrt(cells) or largest >= deviation * (
            MIN_SIGNAL_DEVIATIONS + log(cells)
        )
        mass = max(mass, largest, float(self.bounding.limit))
        noise = _ratio_noise(values / mass, deviation / mass) if seen else np.full(cells, inf)
        if self._samples:
            return Columns(with_intervals(values / mass, noise, 1 / mass, INTERVAL_DEVIATIONS))
        return Columns(with_intervals(values / mass, noise, 0.0, Z))

    @property
    def _samples(self) -> bool:
        """True if there is sampling error between what is counted and the target."""
        return self.target == "source" or isinstance(self.bounding, SampledEvents)

    @property
    def estimand(self) -> Estimand:
        targets: dict[Target, Estimand] = {"source": "modelled", "rows": "bounded", "people": "true"}
        return targets[self.target]

    @property
    def assumption(self) -> str:
        return EQUAL_PEOPLE

    @property
    def interval_meaning(self) -> str:
        if self.target == "source":
            return INTERVAL_NOTE + EQUAL_PEOPLE_NOTE
        if self._samples:
            return PEOPLE_NOTE + ONE_SAMPLE_NOTE
        return (PEOPLE_NOTE if self.target == "people" else ROWS_NOTE) + TABLE_NOTE


def _ratio_noise(shares: Floats, deviation: float) -> Floats:
    """Standard deviation of each share (to first order): the noise of its own count, and that of all counts in the sum
    that it is divided by."""
    shares = np.clip(shares, 0.0, 1.0)
    return deviation * np.sqrt((1 - shares) ** 2 + shares**2 * (len(shares) - 1))


def calibrated(
    kind: Noise, budget: Cost, bounding: Bounding, cells: int, neighbours: Neighbours, target: Target = "source"
) -> CountedShares:
    """The mechanism with noise calibrated to the budget."""
    counted = (clipped.laplace if kind == "laplace" else clipped.gaussian)(budget, bounding, cells, neighbours)
    return CountedShares(**{each.name: getattr(counted, each.name) for each in fields(counted)}, target=target)
