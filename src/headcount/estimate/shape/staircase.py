"""The shape of a histogram from a noisy staircase: the numbers of items with at least 1, 2, 3, .. people (columns), and
the numbers of people of the largest items beyond the last column (rows).

Noise is discrete Laplace, so the nearest integers in l1 are the most likely ones. Rows and columns are nonincreasing,
and every row that is not 0 is an item that is in all columns: if row m is the last that is not 0, no column is below m.
Columns that must be at least m are the nearest columns or m, whichever is larger, so the cost of each m is known, and
the cheapest is taken. (With the last column alone for m, one draw of noise at the end of the columns could remove all
large items: 100 times the error, at worst.)

Of several nearest solutions for the columns the middle one is taken: 2% less error in l1 and 3% less in l2 than the
smallest, on average of 24 kinds of tables. Least squares were 8% worse in l1 and 11% in l2.
"""

from typing import Literal

import numpy as np

from headcount.estimate.shape.first_column import level
from headcount.estimate.shape.isotonic import BEYOND, middle, nonincreasing
from headcount.estimate.shape.prevalence import Prevalence, joined, of_counts, of_steps
from headcount.exact import Integers


@np.errstate(all="ignore")
def estimate_shape(
    rows: Integers,
    columns: Integers,
    *,
    scale: float,
    listed: int | None = None,
    max_count: int = BEYOND,
    loss: Literal["l1", "l2"] = "l1",
) -> Prevalence:
    """Estimate the shape from rows and columns with noise of this scale: at most `listed` items, if that is public,
    each with at most `max_count` people."""
    first, rows = round(level(columns, scale)), rows[:listed]
    items = np.minimum(middle(columns), first if listed is None else min(first, listed))
    beyond = (nonincreasing if loss == "l1" else middle)(rows)
    beyond = np.minimum(beyond[: _last(columns, items, rows, beyond)], max(max_count - len(columns), 0))
    large = np.count_nonzero(beyond)
    others = np.maximum(items, large) - large
    return joined(of_counts(beyond[:large] + len(columns)), of_steps(np.arange(1, len(columns) + 1), others))


def _last(columns: Integers, items: Integers, rows: Integers, beyond: Integers) -> int:
    """Number m of the last row that may be above 0.

    From m - 1 to m, a column that is raised costs 1 more if its noisy value is below m, and 1 less otherwise."""
    m = np.arange(1, len(rows) + 1)
    raised, worse = np.searchsorted(items[::-1], m), np.searchsorted(np.sort(np.maximum(items, columns)), m)
    costs = 2.0 * worse - raised + np.abs(beyond - rows) - np.abs(rows)
    return int(np.argmin(np.append(0, costs.cumsum())))
