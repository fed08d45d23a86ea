"""What all parts of the experiment use."""

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
"""Where nothing else is said."""
PEOPLE = 1_000_000
"""Of the paper's example."""
THETA = 20
"""Of the paper's example."""
SYSTEM = SystemEntropy()


def chance(value: float) -> str:
    """As it is to be read: three digits."""
    return "0" if not value else f"{value:.2e}" if value < 1e-3 else number(value)


def listed(totals: Integers, bounding: Bounding) -> Bounded:
    """How many people each item has, as the product's mechanisms take it; an item is called by its place."""
    items = pa.table({"item0": pa.array(np.arange(len(totals)))})
    return Bounded(items, totals * bounding.unit, bounding.sensitivity)
