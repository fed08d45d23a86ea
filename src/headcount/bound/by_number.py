"""What is left of each item where some of a person's are kept (sample.py), of pairs as numbers: which are too many is
seen by putting them in order, here and not on the engine.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.bound.bounded import TOTAL
from headcount.exact import Integers
from headcount.source.arrow_columns import whole_numbers
from headcount.source.encoded import Booleans, Chunk, EncodedPairs, added
from headcount.source.engines.registry import to_arrow

Pairs = tuple[Integers, Integers | None]
"""Items, and how often each; None if once each."""
Excess = Callable[[Chunk, int, Integers], Pairs]
"""What is too much of some people who are above a bound, by their hashes."""


def left(numbers: EncodedPairs, hashes: ir.Table, most: int, excess: Excess) -> pa.Table:
    """(items, total): every item of which something is left. People above the bound have a hash (person, hash)."""
    items = len(numbers.items)
    totals = np.zeros(items, dtype=np.int64)
    for some in numbers:
        above = some.of(some.totals > most)
        totals += added(items, some.items, some.counted)
        totals -= added(items, *excess(above, most, at(hashes, above.people)))
    return numbers.items.append_column(TOTAL, pa.array(totals)).filter(pa.array(totals > 0))


def at(hashes: ir.Table, people: Integers) -> Integers:
    """The hashes of these people; 0 for one who has none, which is as good as any."""
    if not len(people):
        return people
    first, last = int(people[0]), int(people[-1])
    found = to_arrow(hashes.filter(hashes["person"].between(first, last)))
    every = np.zeros(last - first + 1, dtype=np.int64)
    every[whole_numbers(found["person"]) - first] = whole_numbers(found["hash"])
    return every[people - first]


def too_many_items(above: Chunk, most: int, hashes: Integers) -> Pairs:
    """The items that are not kept."""
    return above.items[not_kept(above, most, hashes)], None


def not_kept(above: Chunk, most: int, hashes: Integers) -> Booleans:
    """Where floor((x * most + start) / size) does not rise at somebody's x-th item."""
    place = above.upto
    place *= most
    place += above.of_pairs(hashes % above.sizes)
    place %= above.of_pairs(above.sizes)
    return place >= most


def too_many_events(above: Chunk, most: int, hashes: Integers) -> Pairs:
    """The same with events: by how much less it rises than somebody has of an item."""
    starts, sizes = above.of_pairs(hashes % above.totals), above.of_pairs(above.totals)
    upto, counts = above.upto, above.counts
    kept = (upto * most + starts) // sizes - ((upto - counts) * most + starts) // sizes
    return above.items, counts - kept
