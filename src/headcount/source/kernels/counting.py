"""Count a person's items, and add a person's values to their items: by compiled kernels, or the same by NumPy.

Pairs are those of a chunk: person u has the items numbers[offsets[u] .. offsets[u + 1]), at least one. `flags` says of
each item whether it is flagged; `unused` says of each pair whether it is left out unless its item is flagged.
"""

from itertools import pairwise

import numpy as np

from headcount.exact import Booleans, Integers, Numbers32
from headcount.source.kernels import kernels
from headcount.system.threads import THREADS, map_threads

MIN_PAIRS = 1 << 18
"""Pairs of a part that a thread of its own pays for: a millisecond."""


def count_flagged(
    offsets: Integers, numbers: Numbers32, flags: Booleans, unused: Booleans | None
) -> tuple[Integers, Integers]:
    """Number of flagged items of each person, and of others that are not left out."""
    if kernels() is None:
        return plain_count_flagged(offsets, numbers, flags, unused)
    _check_indices(offsets, numbers, unused, items=len(flags))
    flagged, others = np.empty((2, len(offsets) - 1), dtype=np.int64)

    def count(part: slice) -> None:
        starts, people = offsets[part.start : part.stop + 1], part.stop - part.start
        kernels().count_flagged(starts, numbers, flags, unused, people, flagged[part], others[part])

    for _ in map_threads(count, _parts(offsets, len(flags))):
        pass
    return flagged, others


def _parts(offsets: Integers, items: int) -> list[slice]:
    """People in parts of about as many pairs each, one for a thread. Each pays for totals of its own as well."""
    return people_in_parts(offsets, min(THREADS, int(offsets[-1] - offsets[0]) // max(MIN_PAIRS, items) + 1))


def people_in_parts(offsets: Integers, parts: int) -> list[slice]:
    """People in parts of about as many pairs each; a part may be empty."""
    ends = np.searchsorted(offsets, np.linspace(offsets[0], offsets[-1], parts + 1)[1:-1])
    return [slice(*pair) for pair in pairwise([0, *ends.tolist(), len(offsets) - 1])]


def plain_count_flagged(
    offsets: Integers, numbers: Numbers32, flags: Booleans, unused: Booleans | None
) -> tuple[Integers, Integers]:
    """The same by NumPy."""
    there, sizes = flags[numbers], np.diff(offsets)
    if not len(sizes):
        return sizes, sizes
    flagged = np.add.reduceat(there, offsets[:-1], dtype=np.int64)
    if unused is None:
        return flagged, sizes - flagged
    return flagged, sizes - flagged - np.add.reduceat(unused & ~there, offsets[:-1], dtype=np.int64)


def add_to_items(
    totals: Integers,
    offsets: Integers,
    numbers: Numbers32,
    flags: Booleans,
    unused: Booleans | None,
    of_flagged: Integers,
    of_others: Integers,
) -> None:
    """Add each person's value for flagged items, and their value for others that are not left out, to the totals."""
    if kernels() is None:
        plain_add_to_items(totals, offsets, numbers, flags, unused, of_flagged, of_others)
        return
    values = [np.ascontiguousarray(each, dtype=np.int64) for each in (of_flagged, of_others)]
    _check_indices(offsets, numbers, unused, items=min(len(flags), len(totals)))
    if min(map(len, values)) < len(offsets) - 1:
        raise IndexError("a person has no value")

    def add(part: slice) -> Integers:
        starts, people, added = offsets[part.start : part.stop + 1], part.stop - part.start, np.zeros_like(totals)
        kernels().add_to_items(starts, numbers, flags, unused, *(each[part] for each in values), people, added)
        return added

    for added in map_threads(add, _parts(offsets, len(totals))):
        totals += added


def _check_indices(offsets: Integers, numbers: Numbers32, unused: Booleans | None, *, items: int) -> None:
    """Refuse indices outside of the arrays, as NumPy does: C would read and write there."""
    pairs = len(numbers) if unused is None else min(len(numbers), len(unused))
    if offsets[0] < 0 or offsets[-1] > pairs or (len(numbers) and numbers.max() >= items):
        raise IndexError("a pair or an item is outside of its array")


def plain_add_to_items(
    totals: Integers,
    offsets: Integers,
    numbers: Numbers32,
    flags: Booleans,
    unused: Booleans | None,
    of_flagged: Integers,
    of_others: Integers,
) -> None:
    """The same by NumPy; exact below 2^53."""
    there, sizes = flags[numbers], np.diff(offsets)
    each = np.where(there, np.repeat(of_flagged, sizes), np.repeat(of_others, sizes))
    if unused is not None:
        each[unused & ~there] = 0
    totals += np.bincount(numbers, each, len(totals)).astype(np.int64)
