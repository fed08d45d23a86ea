"""The shape of a histogram from noisy cells: one for each item of a known list, or buckets into which items fell.

"paper" is Algorithm 1 of paper 002, and Algorithm 2 if items were hashed: an unbiased estimate of how many cells have
at least r people, for every r, and the nearest staircase. "em" takes the most likely numbers instead (npmle.py).

With "l2" no cell may be further from what was seen than noise goes, up to a chance of 5% for all cells together (its
Appendix B). Sorting brings no two lists further apart, so that is a bound on how many cells have at least r.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from headcount.estimate.constants import MISS_RATE
from headcount.estimate.shape.isotonic import BEYOND, nonincreasing
from headcount.estimate.shape.kernel import Kernel, cumulated
from headcount.estimate.shape.npmle import likely
from headcount.estimate.shape.prevalence import Prevalence, Steps, at_least, of_counts, of_steps
from headcount.estimate.shape.tally import Seen, tallied
from headcount.estimate.shape.unhash import undone
from headcount.exact import Integers


@dataclass(frozen=True)
class Found:
    """What noisy cells tell."""

    prevalence: Prevalence
    """How many items have how many people."""
    empty: float
    """The part of cells that have nobody, before collisions are undone."""


@np.errstate(all="ignore")
def found(
    noisy: Integers,
    kernel: Kernel,
    *,
    hashed: bool,
    estimator: Literal["em", "paper"] = "em",
    loss: Literal["l1", "l2"] = "l1",
) -> Found:
    """The shape that noisy cells tell, if this is the law of their noise."""
    if not len(noisy):
        return Found(of_counts(np.zeros(0, dtype=np.int64)), 1.0)
    values = np.maximum(np.asarray(noisy, dtype=np.int64), -kernel.reach * kernel.unit)  # noise goes no further
    seen = tallied((values + kernel.unit // 2) // kernel.unit)
    cells = int(seen.cells.sum())
    steps = _most_likely(seen, kernel) if estimator == "em" else cumulated(seen, kernel)
    loads = _bounded(steps, seen, kernel) if loss == "l2" else _nearest(steps, 0, cells)
    items = _nearest(undone(loads.counts, loads.items.astype(np.float64), cells)) if hashed else loads
    return Found(Prevalence(items.counts * kernel.unit, items.items), 1 - loads.distinct / cells)


def _most_likely(seen: Seen, kernel: Kernel) -> Steps:
    """How many cells have at least r, most likely."""
    cells = likely(seen, kernel)
    some = cells.values >= 1
    return at_least(cells.values[some], cells.cells[some])


def _nearest(steps: Steps, least: Integers | int = 0, most: Integers | int = BEYOND) -> Prevalence:
    """The nearest staircase."""
    return of_steps(steps.starts, nonincreasing(steps.numbers, weights=steps.lengths, least=least, most=most))


def _bounded(steps: Steps, seen: Seen, kernel: Kernel) -> Prevalence:
    """The nearest staircase none of whose sorted counts is further from the sorted cells than noise goes."""
    reach = kernel.within(MISS_RATE / int(seen.cells.sum()))
    lower, upper = _moved(seen, -reach), _moved(seen, reach)
    starts = np.unique(np.concatenate([steps.starts, lower.starts, upper.starts]))
    return _nearest(
        Steps(starts, steps.at(starts)), lower.at(starts).astype(np.int64), upper.at(starts).astype(np.int64)
    )


def _moved(seen: Seen, by: int) -> Steps:
    """How many cells would show at least r, if all showed so much more."""
    values = seen.values + by
    return at_least(values[values >= 1], seen.cells[values >= 1].astype(np.float64))
