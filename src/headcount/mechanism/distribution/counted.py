"""Shares of a distribution from noisy counts of a public list: the counts of `known/clipped.py`, whose proof holds."""

from dataclasses import dataclass, fields
from math import inf, log, sqrt

import numpy as np

from headcount.account.events import Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounding
from headcount.estimate.constants import LAPLACE_TO_NORMAL
from headcount.estimate.distribution.shares import (
    EQUAL_PEOPLE,
    EQUAL_PEOPLE_NOTE,
    INTERVAL_NOTE,
    MIN_SIGNAL_DEVIATIONS,
    with_intervals,
)
from headcount.mechanism.known import clipped
from headcount.mechanism.known.clipped import Clipped
from headcount.mechanism.mechanism import Columns, Estimand, Noisy
from headcount.mechanism.ordered.hierarchy import Noise


@dataclass(frozen=True)
class CountedShares(Clipped):
    """Noise on every count; shares are counts divided by their sum."""

    def estimate(self, noisy: Noisy) -> Columns:
        values = noisy.values / self.bounding.unit
        deviation = self.deviation * (LAPLACE_TO_NORMAL if isinstance(self.event, Laplace) else 1.0)
        cells, mass, largest = len(values), float(values.sum()), float(values.max(initial=0.0))
        seen = mass >= MIN_SIGNAL_DEVIATIONS * deviation * sqrt(cells) or largest >= deviation * (
            MIN_SIGNAL_DEVIATIONS + log(cells)
        )
        mass = max(mass, largest, float(self.bounding.limit))
        return Columns(with_intervals(values / mass, np.full(cells, deviation / mass if seen else inf), 1 / mass))

    @property
    def estimand(self) -> Estimand:
        return "modelled"

    @property
    def assumption(self) -> str:
        return EQUAL_PEOPLE

    @property
    def interval_meaning(self) -> str:
        return INTERVAL_NOTE + EQUAL_PEOPLE_NOTE


def calibrated(kind: Noise, budget: Cost, bounding: Bounding, cells: int, neighbours: Neighbours) -> CountedShares:
    """The mechanism with noise calibrated to the budget."""
    counted = (clipped.laplace if kind == "laplace" else clipped.gaussian)(budget, bounding, cells, neighbours)
    return CountedShares(**{each.name: getattr(counted, each.name) for each in fields(counted)})
