"""Constants and helpers of all parts."""

from fractions import Fraction

import numpy as np
import pyarrow as pa

from experiments.report import number
from headcount.account.guarantee import Cost
from headcount.bound import Bounded, Bounding
from headcount.exact import Integers
from headcount.noise import SystemEntropy

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)
BUDGET = Cost(EPSILON, DELTA)
"""The default budget of the experiments."""
PEOPLE = 1_000_000
"""Of the paper's example."""
THETA = 20
"""Of the paper's example."""
SYSTEM = SystemEntropy()


def probability_text(value: float) -> str:
    """Format a probability with three digits."""
    return "0" if not value else f"{value:.2e}" if value < 1e-3 else number(value)


def as_bounded(totals: Integers, bounding: Bounding) -> Bounded:
    """Wrap totals as the input of the product's mechanisms; items are named by their index."""
    items = pa.table({"item0": pa.array(np.arange(len(totals)))})
    return Bounded(items, totals * bounding.unit, bounding.sensitivity)
