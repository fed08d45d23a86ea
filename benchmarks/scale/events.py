"""Synthetic tables of events: (user_id, item), Parquet, the same bytes for the same number of events.

Of N events:

- people: 3% of N, each with at least one event. The events beyond the first are shared in proportion to a Pareto draw
  (Lomax, index 1.5: finite mean, no finite variance): half of the people have 10 events or fewer, one in a hundred has
  over 300, and the first of three million has some hundred thousand.
- items: N / 100 possible ones, at most a million. Every event draws its item by Zipf's law (index 1), whoever has it.
- order: shuffled, as if by time. Neither a person's rows nor an item's lie together, and names do not tell ranks.

Nothing is drawn in a loop over rows: a chunk of a million rows at a time is drawn, named and written.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

CHUNK = 1_000_000
GROUP = 122_880
"""Rows of a row group: what DuckDB writes."""
INDEX = 1.5
MOST_ITEMS = 1_000_000
Integers = NDArray[np.int64]


def people_of(events: int) -> int:
    """The number of people for a number of events."""
    return max(1, events * 3 // 100)


def items_of(events: int) -> int:
    """How many items they are drawn from."""
    return min(max(1, events // 100), MOST_ITEMS)


def names(count: int) -> pa.Array:
    """item 0000000, item 0000001, ..."""
    return pa.array([f"item {number:07d}" for number in range(count)], pa.string())


def sizes(events: int, random: np.random.Generator) -> Integers:
    """How many events each person has; they add up to all."""
    people = people_of(events)
    upto = np.cumsum(random.pareto(INDEX, people))
    ends = np.floor(upto / upto[-1] * (events - people)).astype(np.int64)
    found: Integers = 1 + np.diff(ends, prepend=0)
    return found


def drawn(events: int, seed: int = 1) -> Iterator[pa.Table]:
    """The table in chunks: user_id, item."""
    random = np.random.default_rng(seed)
    users = np.repeat(np.arange(people_of(events), dtype=np.int32), sizes(events, random))
    random.shuffle(users)
    items = items_of(events)
    upto = np.cumsum(1 / np.arange(1, items + 1))
    named = names(items).take(pa.array(random.permutation(items)))
    for start in range(0, events, CHUNK):
        some = users[start : start + CHUNK].astype(np.int64)
        ranks = np.searchsorted(upto, random.random(len(some)) * upto[-1]).clip(max=items - 1)
        yield pa.table({"user_id": some, "item": named.take(pa.array(ranks))})


def table(events: int, folder: Path) -> Path:
    """The file with this number of events; it is created if missing, and never visible half written."""
    path = folder / f"events_{events}.parquet"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    with pq.ParquetWriter(part, pa.schema({"user_id": pa.int64(), "item": pa.string()})) as writer:
        for chunk in drawn(events):
            writer.write_table(chunk, row_group_size=GROUP)
    part.rename(path)
    return path
