"""Synthetic tables of events: (user_id, item), Parquet, the same bytes for the same number of events.

Of N events:

- people: 3% of N, each with at least one event. The events beyond the first are shared in proportion to a Pareto draw
  (Lomax, index 1.5: finite mean, no finite variance): half of the people have 10 events or fewer, one in a hundred has
  over 300, and the first of three million has some hundred thousand.
- items: N / 100 possible ones, at most a million, or as many as asked for. Every event draws its item by Zipf's law
  (index 1), whoever has it.
- order: shuffled, as if by time. Neither a person's rows nor an item's lie together, and names do not tell ranks.
- ids of people: integers, or as texts 36 characters each, like UUIDs.

Nothing is drawn in a loop over rows: a chunk of a million rows at a time is drawn, named and written.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

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
Ids = Literal["integers", "texts"]


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


def texts(count: int) -> pa.Array:
    """A text of 36 characters for each number below `count`; no two are the same, as the factor is odd."""
    mixed = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    raw = np.stack([mixed, mixed ^ (mixed >> np.uint64(29))], axis=1).view(np.uint8)
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)[np.stack([raw >> 4, raw & 15], axis=2).reshape(count, 32)]
    dashed = np.insert(digits, [8, 12, 16, 20], ord("-"), axis=1)
    ends = np.arange(count + 1, dtype=np.int32) * dashed.shape[1]
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(dashed.tobytes()))


def drawn(events: int, items: int, ids: Ids, seed: int = 1) -> Iterator[pa.Table]:
    """The table in chunks: user_id, item."""
    random = np.random.default_rng(seed)
    users = np.repeat(np.arange(people_of(events), dtype=np.int32), sizes(events, random))
    random.shuffle(users)
    upto = np.cumsum(1 / np.arange(1, items + 1))
    named = names(items).take(pa.array(random.permutation(items)))
    known = texts(people_of(events)) if ids == "texts" else pa.array(np.arange(people_of(events)))
    for start in range(0, events, CHUNK):
        some = users[start : start + CHUNK]
        ranks = np.searchsorted(upto, random.random(len(some)) * upto[-1]).clip(max=items - 1)
        yield pa.table({"user_id": known.take(pa.array(some)), "item": named.take(pa.array(ranks))})


def table(events: int, folder: Path, items: int | None = None, ids: Ids = "integers") -> Path:
    """The file with this number of events; it is created if missing, and never visible half written."""
    other = (f"_of_{items}_items" if items else "") + (f"_{ids}" if ids != "integers" else "")
    path = folder / f"events_{events}{other}.parquet"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    kinds = pa.schema({"user_id": pa.string() if ids == "texts" else pa.int64(), "item": pa.string()})
    with pq.ParquetWriter(part, kinds) as writer:
        for chunk in drawn(events, items or items_of(events), ids):
            writer.write_table(chunk, row_group_size=GROUP)
    part.rename(path)
    return path
