"""Per-item statistics by the place of people's totals on a grid of candidates for the bound: enough to compute what
every candidate would leave of every item (by_load.py).

Invariant: everything is a whole number of 1/UNIT. What a person adds to all items together is never negative and at
most their total, as each of their shares is rounded down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headcount.exact import Integers
from headcount.source.contributions.contributions import COUNT, Contributions
from headcount.source.contributions.encoded import EncodedPairs, added
from headcount.source.contributions.grouped import each_once, per_person
from headcount.source.engines.registry import to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import whole_numbers

UNIT = 2**20
"""Units per one: a person's share of an item is rounded down to 1/UNIT. Sums stay below 2^53 up to 2^33 people."""
CELLS = 2**20
"""(item, place) cells that are processed in one chunk: a few arrays of 8 MiB."""


@dataclass(frozen=True)
class Loads:
    """Counts by item and by the place of the person's total on the grid: the number of candidates below it.
    Not private."""

    items: Integers
    """Item code of each row, increasing: one row for each item and each place of a person who has it. The last code
    is shared by all rare items."""
    indices: Integers
    """Place of each row."""
    counts: Integers
    """Sum of these people's counts of the item."""
    shares: Integers
    """Sum of these counts as shares of each person's total, in units, each rounded down."""
    people: Integers
    """Number of people at each place, whatever their items."""
    totals: Integers
    """Sum of their totals."""
    common: int
    """Number of items that are not rare, which is also the code of the rare ones."""

    def kept(self, grid: Integers) -> Integers:
        """The sum of min(m_i, C) for each candidate C."""
        below: Integers = self.totals.cumsum()[:-1]
        return below + grid * _above(self.people)

    def left(self, grid: Integers) -> Iterator[Integers]:
        """(item, candidate): h_j(C) in units, a chunk of items at a time; of items that are not rare."""
        size = max(1, CELLS // len(self.people))
        for first in range(0, self.common, size):
            yield self._left(grid, first, min(first + size, self.common))

    def rare(self, grid: Integers) -> Integers:
        """The sum of h_j(C) over the rare items, in units."""
        together: Integers = self._left(grid, self.common, self.common + 1)[0]
        return together

    def _left(self, grid: Integers, first: int, last: int) -> Integers:
        rows = slice(*np.searchsorted(self.items, [first, last]))
        counts, shares = np.zeros((2, last - first, len(self.people)), dtype=np.int64)
        at = self.items[rows] - first, self.indices[rows]
        counts[at], shares[at] = self.counts[rows], self.shares[rows]
        left: Integers = UNIT * counts.cumsum(axis=1)[:, :-1] + grid * _above(shares)
        return left


def _above(values: Integers) -> Integers:
    """Along the last axis, for each place but the last, the sum of all later ones."""
    later: Integers = values.sum(axis=-1, keepdims=True) - values.cumsum(axis=-1)
    return later[..., :-1]


def loads(contributions: Contributions, grid: Integers, rare: float) -> Loads:
    """Compute the statistics. Items whose total is at most `rare` are rare, and merged into one."""
    if contributions.encoded is None:
        return _on_engine(contributions, grid, rare)
    return _of_numbers(contributions.encoded, grid, rare)


def _common(totals: Integers, rare: float) -> tuple[Integers, int]:
    """Recode the items: a new code for each, and the number of items that are not rare."""
    common = totals > rare
    return np.where(common, common.cumsum() - 1, common.sum()), int(common.sum())


def _of_numbers(numbers: EncodedPairs, grid: Integers, rare: float) -> Loads:
    size = len(grid) + 1
    number, common = _common(numbers.totals, rare)
    counts, shares = np.zeros((2, (common + 1) * size), dtype=np.int64)
    people, totals = np.zeros((2, size), dtype=np.int64)
    for chunk in numbers:
        own = chunk.totals
        indices = np.searchsorted(grid, own)
        cells = number[chunk.items] * size + chunk.of_pairs(indices)
        share = chunk.of_pairs(UNIT // own) if chunk.counted is None else chunk.counts * UNIT // chunk.of_pairs(own)
        counts += added(len(counts), cells, chunk.counted)
        shares += added(len(shares), cells, share)
        people += added(size, indices)
        totals += added(size, indices, own)
    nonzero = np.flatnonzero(counts)
    return Loads(nonzero // size, nonzero % size, counts[nonzero], shares[nonzero], people, totals, common)


def _on_engine(contributions: Contributions, grid: Integers, rare: float) -> Loads:
    """Compute the statistics on the engine: one pass over the pairs."""
    people, items = _placed(contributions, grid.tolist()), list(contributions.items)
    joined = contributions.of(people)  # user, items, count, total, grade, one
    share = joined["one"] if contributions.once else (joined[COUNT] * UNIT) // joined["total"]
    each = joined.select(*items, COUNT, "grade", share=share)
    count = each.count() if contributions.once else _sum(each[COUNT])
    rows = to_arrow(each.group_by(*items, "grade").agg(counts=count, shares=_sum(each["share"])))
    indices, counts, shares = (whole_numbers(rows[name]) for name in ("grade", "counts", "shares"))
    numbers = _numbers(rows.select(items))
    number, common = _common(added(0, numbers, counts), rare)
    size = len(grid) + 1
    cells, at = np.unique(number[numbers] * size + indices, return_inverse=True)
    counts, shares = (added(len(cells), at, values) for values in (counts, shares))
    return Loads(cells // size, cells % size, counts, shares, *_by_place(people, size), common)


def _numbers(items: pa.Table) -> Integers:
    """Code of each item, from 0, in sorted order: distinct items are sorted here, not every row on the engine."""
    numbers = first = np.zeros(len(items), dtype=np.int64)
    for column in items.columns:
        column = column.cast(pa.large_string()) if pa.types.is_string(column.type) else column  # of any length together
        codes = column.combine_chunks().dictionary_encode()
        ranks = np.argsort(np.from_dlpack(pc.array_sort_indices(codes.dictionary)))
        together = numbers * len(ranks) + ranks[np.from_dlpack(codes.indices)]
        numbers = together if numbers is first else np.unique(together, return_inverse=True)[1]
    return numbers


def _placed(contributions: Contributions, grid: list[int]) -> ir.Table:
    """(user, total, grade, one): a person's total, its place, and 1 / total in units."""
    people = contributions.persons
    reached = [(people["total"] <= candidate, index) for index, candidate in enumerate(grid)]
    index, total = ibis.cases(*reached, else_=len(grid)).cast("int64"), people["total"].cast("int64")
    return per_person(people, total=total, grade=index, one=ibis.literal(UNIT, "int64") // total)


def _by_place(people: ir.Table, size: int) -> tuple[Integers, Integers]:
    """Number of people at each place, and the sum of their totals."""
    people = each_once(people)
    found = to_arrow(people.group_by("grade").agg(people=people.count(), totals=_sum(people["total"])))
    indices = whole_numbers(found["grade"])
    numbers, totals = (added(size, indices, whole_numbers(found[name])) for name in ("people", "totals"))
    return numbers, totals


def _sum(column: ir.Column) -> ir.Column:
    """Sum with a 64-bit result on all engines, also on those that widen it; exact below 2^53, via floating point, which
    engines cast quickly."""
    return column.sum().cast("float64").cast("int64")
