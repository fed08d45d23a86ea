"""The shape of a histogram from a noisy staircase: its largest counts (rows), and of all other items how many have at
least 1, 2, 3, .. people (columns).

Noise is discrete Laplace, so the nearest integers in l1 are the most likely ones. Neither rows nor columns rise, and
nothing in the columns has more people than the last row: if the last column that is not 0 is number m, no row is below
m. Rows that may not be below m are the nearest rows or m, whichever is larger, so what each m costs is known, and the
cheapest is taken. (With the last row alone for m, one draw of noise at the end of the rows could cut away all other
items: 100 times the error, at worst.)

Of several nearest rows those in the middle are taken: 2% less error in l1 and 3% less in l2 than the smallest, on
average of 24 kinds of tables. Least squares were 8% worse in l1 and 11% in l2.
"""

from typing import Literal

import numpy as np

from headcount.estimate.isotonic import middle, nonincreasing
from headcount.estimate.prevalence import Prevalence, joined, of_counts, of_steps
from headcount.noise.law import Integers


@np.errstate(all="ignore")
def found(rows: Integers, columns: Integers, *, loss: Literal["l1", "l2"] = "l1") -> Prevalence:
    """The shape that noisy rows and columns tell."""
    largest, others = middle(rows), (nonincreasing if loss == "l1" else middle)(columns)
    last = _last(rows, largest, columns, others)
    others = others[:last]
    largest = np.maximum(largest, np.count_nonzero(others))
    return joined(of_counts(largest), of_steps(np.arange(1, len(others) + 1), others))


def _last(rows: Integers, largest: Integers, columns: Integers, others: Integers) -> int:
    """The number of the last column that may be above 0: m.

    From m - 1 to m, a row that is raised costs 1 more if it was seen below m, and 1 less otherwise."""
    m = np.arange(1, len(columns) + 1)
    raised, worse = np.searchsorted(largest[::-1], m), np.searchsorted(np.sort(np.maximum(largest, rows)), m)
    costs = 2.0 * worse - raised + np.abs(others - columns) - np.abs(columns)
    return int(np.argmin(np.append(0, costs.cumsum())))
