"""What is left of each item, where the engine is in this process: the items of people above the bound come here as
whole numbers, 8 bytes each, and NumPy puts them in order, several times as fast as DuckDB ranks them (docs/scaling.md).

As many people come at a time as have PAIRS items together, and at least one: memory does not grow with the table.
"""

from collections.abc import Iterator

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.bound.bounded import TOTAL, fetched, whole_numbers
from headcount.noise.law import Integers
from headcount.source.contributions import USER, Contributions
from headcount.source.kept import kept

PAIRS = 2**24
"""So many pairs of a person and an item are looked at together: 128 MiB."""
ITEMS = 2**31
"""A pair is one number: its item's, and so many times its person's. No table has more items than this."""


def left(contributions: Contributions, above: ir.Table, most: int) -> pa.Table:
    """(items, total): every item with what is left of it, in order. `above` (user, size, start) are the people of whom
    only `most` items are kept."""
    items, pairs = list(contributions.items), contributions.table
    everything = pairs.group_by(items).agg(**{TOTAL: pairs.count()})
    with kept(_numbered(everything, items, "item")) as every, kept(_numbered(above, [USER], "person")) as people:
        found = fetched(every.order_by("item"))
        numbered = pairs.join(every.drop(TOTAL), items)
        totals = whole_numbers(found[TOTAL]) - _cut(numbered, people, most, len(found))
    return found.select(items).append_column(TOTAL, pa.array(totals)).filter(pa.array(totals > 0))


def _numbered(table: ir.Table, by: list[str], name: str) -> ir.Table:
    """The rows with a number each, from 0, in the order of some columns."""
    return table.mutate(**{name: ibis.row_number().over(order_by=by)})


def _cut(pairs: ir.Table, people: ir.Table, most: int, items: int) -> Integers:
    """How many people lose it, for each item."""
    told = fetched(people.order_by("person"))
    sizes, starts = whole_numbers(told["size"]), whole_numbers(told["start"])
    cut = np.zeros(items, dtype=np.int64)
    for first, last in _runs(sizes):
        some = people.filter(people["person"].between(first, last - 1)).select(USER, "person")
        joined = pairs.join(some, USER)
        numbers = whole_numbers(fetched(joined.select(pair=joined["person"] * ITEMS + joined["item"]))["pair"])
        cut += np.bincount(_too_many(numbers, sizes[first:last], starts[first:last], most), minlength=items)
    return cut


def _too_many(pairs: Integers, sizes: Integers, starts: Integers, most: int) -> Integers:
    """The items that are cut of these people: where floor((x * most + start) / size) does not rise at their x-th."""
    pairs.sort()
    place = np.arange(1, len(pairs) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    over = (place * most + np.repeat(starts, sizes)) % np.repeat(sizes, sizes)
    return pairs[over >= most] & (ITEMS - 1)


def _runs(sizes: Integers) -> Iterator[tuple[int, int]]:
    """People, from the first up to the last, who together have about PAIRS items."""
    run = np.cumsum(sizes) // PAIRS
    bounds = np.append(np.unique(run, return_index=True)[1], len(sizes))
    yield from zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
