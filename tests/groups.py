"""Public groups, and what people have of them: by number, and on an engine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from headcount.bound.boundings.groups import BoundedGroups, ListedGroups
from headcount.bound.pairs.vectors import VALUES, Groups, Vector
from headcount.source import Contributions, contributions, open_events
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.scales.axis import Axis, between

Rows = Sequence[tuple[Any, str, float | None]]
SECRET = bytes(range(32))
SCALE = between([0, 10, 20, 50, 100])
LISTED = pa.table({"item0": ["a", "b", "c", "nobody's"]})
"""Three groups, and one that nobody has."""
VECTORS = (
    Vector("people"),
    Vector("events"),
    Vector("amount"),
    Vector("amount", centre=31_744.0, centred=True),
    Vector("amount", centre=-(2.0**50), centred=True),
    Vector("amount", once=True, centre=61_440.0, centred=True),
    Vector("cells", cells=2, starts=(0, 2)),
    Vector("cells", starts=(0,)),
    Vector("pooled", cells=SCALE.cells),
    Vector("values", cells=VALUES.cells),
    Vector("values", cells=VALUES.cells, once=True),
    Vector("people", with_number=True),
    Vector("events", with_number=True),
    Vector("events", order=1),
    Vector("amount", order=1),
)
"""Every kind of vector, with and without a centre, of all events and of those with a number; with both norms."""


def contributed(rows: Rows, keys: pa.Table | None = None, scale: Axis | None = SCALE) -> Contributions:
    """Contributions of rows (user, group, amount); the amount may be missing."""
    users, groups, amounts = zip(*rows, strict=True)
    table = pa.table({"user": users, "item": pa.array(groups, pa.string()), "x": pa.array(amounts, pa.float64())})
    events = open_events(table, table.column_names).table()
    return contributions(events, [None], events=False, keys=keys, scales=(scale,))


@contextmanager
def groups_of(rows: Rows, *, encoded: bool, keys: pa.Table = LISTED) -> Iterator[Groups]:
    """What people have of listed groups, by number or on the engine."""
    with contributed(rows, keys).read(ReadPlan(encoded=encoded)) as read:
        yield ListedGroups().bound(read, SECRET, keys).look(np.ones(len(keys), dtype=bool))


def looked_at_groups(bounded: BoundedGroups) -> list[Any]:
    """What people have of all groups: totals of every vector, and norms and what is clipped of amounts; and events of
    every other group."""
    indices = np.arange(len(bounded.items))
    look, some = bounded.look(indices >= 0), bounded.look(indices % 2 == 1)
    totals = [look.totals(vector, 9_000.0, 2**24).tolist() for vector in VECTORS]
    looks = (look.clipped, look.excess)
    clipped = [each(vector, 9_000.0, 30_000.0, 2**24) for vector in VECTORS[2:4] for each in looks]
    events = some.totals(VECTORS[1], 2_000.0, 2**24).tolist()
    return [totals, clipped, look.norms(VECTORS[3]).tolist(), events]
