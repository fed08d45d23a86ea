"""Totals of sampled items or events (sample.py) from dictionary-encoded pairs: the excess is found by sorting in this
process instead of on the engine.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.bound.bounded import TOTAL
from headcount.exact import Integers
from headcount.source.arrow_columns import arrow, hexadecimal, whole_numbers
from headcount.source.encoded import Booleans, Chunk, EncodedPairs, added
from headcount.source.engines.registry import to_arrow

Pairs = tuple[Integers, Integers | None]
"""Items and their counts; None if every count is 1."""
Hashes = Callable[[Integers], Integers]
"""Function that returns the keyed hashes of people, by their numbers."""
Excess = Callable[[Chunk, int, Integers], Pairs]
"""Function that returns the excess of people above a bound, given their hashes."""


def kept_totals(numbers: EncodedPairs, hashes: Hashes, most: int, excess: Excess) -> pa.Table:
    """(items, total): every item of which something is kept."""
    items = len(numbers.items)
    totals = np.zeros(items, dtype=np.int64)
    for chunk in numbers:
        above = chunk.of(chunk.totals > most)
        totals += added(items, chunk.items, chunk.counted)
        totals -= added(items, *excess(above, most, hashes(above.people)))
    return numbers.items.append_column(TOTAL, arrow(totals)).filter(arrow(totals > 0))


def at(hashes: ir.Table, people: Integers) -> Integers:
    """Look up people in (person, digits); 0 for a person without a hash, which is as good as any start."""
    if not len(people):
        return people
    first, last = int(people[0]), int(people[-1])
    found = to_arrow(hashes.filter(hashes["person"].between(first, last)))
    every = np.zeros(last - first + 1, dtype=np.int64)
    every[whole_numbers(found["person"]) - first] = hexadecimal(found["digits"])
    return every[people - first]


def too_many_items(above: Chunk, most: int, hashes: Integers) -> Pairs:
    """The excess items: those that are not kept."""
    return above.items[not_kept(above, most, hashes)], None


def not_kept(above: Chunk, most: int, hashes: Integers) -> Booleans:
    """True where floor((x * most + start) / size) does not rise at a person's x-th item."""
    place = above.upto
    place *= most
    place += above.of_pairs(hashes % above.sizes)
    place %= above.of_pairs(above.sizes)
    return place >= most


def too_many_events(above: Chunk, most: int, hashes: Integers) -> Pairs:
    """The excess events: how much less that floor rises over an item than the person has events of the item."""
    starts, sizes = above.of_pairs(hashes % above.totals), above.of_pairs(above.totals)
    upto, counts = above.upto, above.counts
    kept = (upto * most + starts) // sizes - ((upto - counts) * most + starts) // sizes
    return above.items, counts - kept
