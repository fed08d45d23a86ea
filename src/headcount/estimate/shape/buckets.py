"""The shape of a histogram from noisy cells: one for each item of a known list, or hash buckets.

"paper" is Algorithm 1 of Ghazi et al. 2022, and Algorithm 2 if items were hashed: an unbiased estimate of the number of
cells with at least r people, for every r, projected to a staircase. "em" uses the maximum-likelihood estimate instead
(npmle.py).

With "l2" no cell may be further from its noisy value than the noise quantile for a probability of 5% over all cells
together (its Appendix B). Sorting brings no two lists further apart, so this bounds the number of cells with at least
r.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from headcount.estimate.constants import MISS_RATE
from headcount.estimate.shape.isotonic import BEYOND, nonincreasing
from headcount.estimate.shape.kernel import Kernel, unbiased_at_least
from headcount.estimate.shape.npmle import maximum_likelihood
from headcount.estimate.shape.prevalence import Prevalence, Steps, at_least, of_counts, of_steps
from headcount.estimate.shape.tally import Tally, tally
from headcount.estimate.shape.unhash import undo_collisions
from headcount.exact import Integers


@dataclass(frozen=True)
class BucketShape:
    """Shape estimated from noisy cells."""

    prevalence: Prevalence
    """Number of items by number of people."""
    empty: float
    """Share of empty cells, before collisions are undone."""


@np.errstate(all="ignore")
def estimate_shape(
    noisy: Integers,
    kernel: Kernel,
    *,
    hashed: bool,
    estimator: Literal["em", "paper"] = "em",
    loss: Literal["l1", "l2"] = "l1",
) -> BucketShape:
    """Estimate the shape from noisy cells, given the law of their noise."""
    if not len(noisy):
        return BucketShape(of_counts(np.zeros(0, dtype=np.int64)), 1.0)
    values = np.clip(np.asarray(noisy, dtype=np.int64), -kernel.reach * kernel.unit, BEYOND)  # noise reaches no further
    counted = tally((values + kernel.unit // 2) // kernel.unit)
    cells = int(counted.cells.sum())
    steps = _most_likely(counted, kernel) if estimator == "em" else unbiased_at_least(counted, kernel)
    loads = _bounded(steps, counted, kernel) if loss == "l2" else _nearest(steps, 0, cells)
    items = _nearest(undo_collisions(loads.counts, loads.items.astype(np.float64), cells)) if hashed else loads
    return BucketShape(Prevalence(items.counts * kernel.unit, items.items), 1 - loads.distinct / cells)


def _most_likely(counted: Tally, kernel: Kernel) -> Steps:
    """Maximum-likelihood number of cells with at least r."""
    cells = maximum_likelihood(counted, kernel)
    nonempty = cells.values >= 1
    return at_least(cells.values[nonempty], cells.cells[nonempty])


def _nearest(steps: Steps, minimum: Integers | int = 0, maximum: Integers | int = BEYOND) -> Prevalence:
    """Project to the nearest staircase."""
    return of_steps(steps.starts, nonincreasing(steps.numbers, weights=steps.lengths, minimum=minimum, maximum=maximum))


def _bounded(steps: Steps, counted: Tally, kernel: Kernel) -> Prevalence:
    """Project to the nearest staircase whose sorted counts are all within the noise quantile of the sorted cells."""
    reach = kernel.noise_quantile(MISS_RATE / int(counted.cells.sum()))
    lower, upper = _moved(counted, -reach), _moved(counted, reach)
    starts = np.unique(np.concatenate([steps.starts, lower.starts, upper.starts]))
    return _nearest(
        Steps(starts, steps.at(starts)), lower.at(starts).astype(np.int64), upper.at(starts).astype(np.int64)
    )


def _moved(counted: Tally, by: int) -> Steps:
    """Number of cells with at least r, if all noisy values are raised by `by`."""
    values = counted.values + by
    return at_least(values[values >= 1], counted.cells[values >= 1].astype(np.float64))
