"""Liu et al. 2023 as printed: numbers, formulas, and the algorithms that the product replaces.

The algorithms here are for comparison only. Both are private once totals, or ratios, are cut as the product cuts them;
the paper does not say so, and its constants are larger than they need to be.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import ClassVar

import numpy as np

from headcount.bound.selection.by_load import Exponential
from headcount.bound.selection.loads import UNIT
from headcount.bound.selection.paper import STEPS, OutputPerturbation
from headcount.bound.selection.statistics import PART
from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class Losses:
    """A row of Table 1."""

    best: float
    private: float
    median: float
    max_items: float
    """With the 90% quantile of what people have as bound."""


TABLE1 = {
    "i.i.d. 50": Losses(0.001, 0.0015, 0.0397, 0.0049),
    "i.i.d. 100": Losses(0.0026, 0.0026, 0.0394, 0.0053),
    "i.i.d. 200": Losses(0.0048, 0.0048, 0.0397, 0.0068),
    "non-i.i.d. 50": Losses(0.0094, 0.0124, 0.6957, 0.1645),
    "non-i.i.d. 100": Losses(0.0175, 0.0224, 0.6957, 0.1685),
    "non-i.i.d. 200": Losses(0.0461, 0.0462, 0.7016, 0.1713),
    "Sent. 140 100": Losses(0.0076, 0.0285, 0.6027, 0.2742),
    "Sent. 140 1000": Losses(0.1250, 0.1483, 0.5912, 0.2699),
}
TABLE2 = {"the": (0.0289, 0.0257), "today": (0.0381, 0.0155), "you": (0.0745, 0.0671)}
"""Clipped, and clipped and undone."""
BOUNDS = tuple(range(10, 1501, 10))
"""Candidates for the bound, for items not known in advance."""
LARGEST = 150
"""C_m for known items (Appendix D.1)."""


def threshold(bounds: Integers, delta: float) -> Floats:
    """t = C + (C / epsilon) log(C / (2 delta)) at epsilon 1 (Algorithm 3)."""
    return np.asarray(bounds + bounds * np.log(bounds / (2 * delta)))


@dataclass(frozen=True)
class PrintedExponential(Exponential):
    """Algorithm 4 with the exponent as printed: the sensitivity is said to be 5 C_m / 2, so it is exp(-epsilon V / (5
    C_m)). The product's needs 2 C_m."""

    name: ClassVar[str] = "Algorithm 4 as printed"

    @property
    def span(self) -> int:
        return 5 * self.grid[-1] * UNIT


@dataclass(frozen=True)
class PrintedPerturbation(OutputPerturbation):
    """Algorithm 2 as printed: lambda = 2 root(2 s) / (C_m root(n epsilon)), and noise for four times what one person
    can change."""

    name: ClassVar[str] = "output-perturbation as printed"

    @property
    def pull(self) -> int:
        return ceil(2 * sqrt(2 * self.people * self.sparsity / self.epsilon) * PART / STEPS)

    @property
    def sensitivity(self) -> int:
        return ceil(4 * self.steepest / self.pull)
