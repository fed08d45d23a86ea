"""Amounts of public items, each cut to [0, c]: noise of each item's own, and one common number (correlated.py).

A value is x + (Z + E) / 2 for a sum x. Whoever is there adds at least 0 and at most c to each item, so they are at most
c / 2 from the middle of both, which E hides: all noise is that of people, times c. Proof: docs/proofs/correlated.md.
"""

from dataclasses import dataclass

import numpy as np

from headcount.account.guarantee import Cost
from headcount.bound import CutAmounts
from headcount.exact import Floats
from headcount.mechanism.known.correlated import HALVES, Correlated, gaussian_events, laplace_events
from headcount.mechanism.mechanism import Columns, Estimand, Noisy, check_widths
from headcount.wording import format_number


@dataclass(frozen=True)
class CorrelatedSums(Correlated):
    """Noise on the sum of every item of a public list, and one common number on all of them."""

    bounding: CutAmounts

    @property
    def step(self) -> float:
        return self.bounding.amount_of_part / HALVES

    def estimate(self, noisy: Noisy) -> Columns:
        def amounts(shift: int) -> Floats:
            found: Floats = np.maximum((noisy.values + shift) * self.step, 0.0)
            return found

        width = self.width
        return Columns({"sum": amounts(0), "low": amounts(-width), "high": amounts(width)})

    @property
    def estimand(self) -> Estimand:
        return "bounded"

    @property
    def interval_meaning(self) -> str:
        return (
            "The interval from low to high contains, in 95% of cases, the sum after each person's amount was held to "
            f"between 0 and {self.bounding.cut:,}. It does not include what that cut. All sums share the common "
            "number, so their errors are not independent. It cancels in the difference of two sums, whose noise has a "
            f"standard deviation of {format_number(self.difference_deviation)}."
        )


def calibrated(budget: Cost, bounding: CutAmounts) -> CorrelatedSums:
    """The mechanism with less noise, for one person added or removed."""
    public = budget, bounding.cells, bounding.sensitivity.largest // HALVES
    with_laplace = CorrelatedSums(bounding, *laplace_events(*public))
    if not budget.delta:
        return with_laplace
    either = CorrelatedSums(bounding, *gaussian_events(*public)), with_laplace
    for each in either:
        check_widths(each)
    return min(either, key=lambda each: each.deviation)
