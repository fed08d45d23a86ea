"""The shape of a histogram, measured on the sorted counts themselves.

The counts, largest first, are a staircase of boxes: the first row has as many as the largest count, and so on down. One
more person for an item adds exactly one box to it. So the first columns (how many items have at least 1, 2, 3, ...
people), and of the first rows what lies beyond these columns, are numbers of which each box is in at most one: what one
person adds to all of them is what that person contributes. Three times the root of all boxes is enough rows, and a
third of the root enough columns, to hold every box. The first column is the number of items. Proof for both kinds of
neighbours: docs/proofs/staircase.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, sqrt
from typing import ClassVar

import numpy as np

from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Laplace, Neighbours
from headcount.account.ledger.record.chain import canonical
from headcount.bound import Bounded, SampledItems
from headcount.bound.stability import Payment
from headcount.estimate.shape.table import Loss, of_staircase
from headcount.exact import Integers
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.shape.contribution_limit import ContributionLimit
from headcount.noise import Entropy
from headcount.wording import plural

MAX_STEPS = 2**20
"""The largest number of rows, and of columns."""
ASPECT_RATIO = 3
"""Rows are this factor times the root of all boxes, columns the root divided by this factor: 10% less error than with
equal numbers, and half of the squared error (measured on six kinds of tables, three scales of noise)."""
ERROR_FACTOR = 0.55
"""The l1 error of all counts is this factor times the root of all boxes times the noise's scale: measured
(docs/evidence.md)."""


@dataclass(frozen=True)
class NoisyStaircase(Noisy):
    """A noisy staircase, without any item."""

    rows: Integers
    """What the largest counts have beyond the last column."""
    columns: Integers
    """How many items have at least 1, 2, 3, ... people."""
    cells: int | None
    """The largest possible number of items, if it is public."""
    max_count: int
    """The largest possible count."""
    people: int | None = None
    """Number of people, if it is public."""


@dataclass(frozen=True)
class Staircase(Mechanism[Bounded, NoisyStaircase]):
    """Noise on the number of items of at least each count, and on what the largest counts have beyond."""

    name: ClassVar[str] = "staircase"
    proof: ClassVar[str] = "docs/proofs/staircase.md"
    bounding: SampledItems
    event: Laplace
    limit: ContributionLimit
    """The number of contributions, which decides the number of rows and columns."""
    cells: int | None = None
    """Number of items of the public list, if there is one."""
    loss: Loss = "l1"

    @property
    def payments(self) -> tuple[Payment, ...]:
        return (*super().payments, *self.limit.payments(self.bounding))

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyStaircase:
        self.check(bounded)
        boxes = self.limit.draw(int(bounded.totals.sum()), entropy)
        (rows, columns), max_count = steps_for(boxes), min(boxes, self.limit.people or boxes)
        rows, columns = min(rows, self.cells or rows), min(columns, max_count)
        true = np.concatenate(staircase(bounded.totals, rows, columns))
        noisy = true + entropy.draw(self.distribution, len(true))
        shown = bounded.items.slice(0, 0), noisy[:0]
        return NoisyStaircase(*shown, noisy[:rows], noisy[rows:], self._max_items, max_count, self.limit.people)

    @property
    def _max_items(self) -> int | None:
        """The largest possible number of items, if it is public: those listed, or those that all people may have."""
        people = None if self.limit.people is None else self.limit.people * self.bounding.limit
        return min((each for each in (self.cells, people) if each is not None), default=None)

    def estimate(self, noisy: NoisyStaircase) -> Columns:
        found = of_staircase(
            noisy.rows,
            noisy.columns,
            scale=float(self.event.scale),
            listed=noisy.cells,
            max_count=noisy.max_count,
            people=noisy.people,
            loss=self.loss,
        )
        return Columns(dict(found.columns), canonical(found.measured))

    def explain(self, item: str) -> list[str]:
        return [
            *self.limit.explain(),
            f"headcount counts how many {plural(item)} have at least 1, 2, 3, ... people, up to a third of the root of "
            "all contributions, and how many people the largest have beyond. It adds "
            f"{self.describe_noise()} to each of these numbers. No {item} is named.",
            "From these numbers it computes the most likely shape: counts that never rise from one rank to the next.",
        ]

    def expected_error(self, boxes: int) -> float:
        """The approximate l1 error of all counts, for a total of `boxes` contributions."""
        return ERROR_FACTOR * float(self.event.scale) * sqrt(boxes)

    @property
    def interval_meaning(self) -> str:
        return INTERVAL


INTERVAL = (
    "The interval from low to high contains the count, after bounding, of the item in the middle of these ranks, in "
    "95% of cases. The interval from at_least_low to at_least_high contains the number of items of that count or more."
)


def steps_for(boxes: int) -> tuple[int, int]:
    """The rows and columns that hold every box: fewer than 3 (s + 1) items have more than s / 3 people, s being the
    root of all boxes."""
    root = isqrt(max(boxes, 1))
    return min(ASPECT_RATIO * root + ASPECT_RATIO - 1, MAX_STEPS), min(max(root // ASPECT_RATIO, 1), MAX_STEPS)


def staircase(totals: Integers, rows: int, columns: int) -> tuple[Integers, Integers]:
    """What the largest counts have beyond the columns; and how many items have at least 1, 2, ... people."""
    beyond, largest = np.zeros(rows, dtype=np.int64), np.sort(totals)[::-1][:rows]
    beyond[: len(largest)] = np.maximum(largest - columns, 0)
    exactly = np.bincount(np.minimum(totals, columns), minlength=columns + 1)
    return beyond, np.cumsum(exactly[:0:-1], dtype=np.int64)[::-1]


def calibrated(
    epsilon: Fraction,
    bounding: SampledItems,
    neighbours: Neighbours,
    limit: ContributionLimit,
    cells: int | None = None,
    loss: Loss = "l1",
) -> Staircase:
    """The mechanism with noise calibrated to epsilon."""
    return Staircase(bounding, laplace_event(epsilon, bounding, neighbours), limit, cells, loss)


def laplace_event(epsilon: Fraction, bounding: SampledItems, neighbours: Neighbours) -> Laplace:
    """Noise for integers to which a person adds at most `bound` in all; a replaced one removes as much as well."""
    maximum = changed_people(neighbours) * bounding.sensitivity.total
    return Laplace(calibrate.laplace_scale(epsilon, maximum), Fraction(maximum))
