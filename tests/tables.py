"""Small tables for tests, and the release of them without noise."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.bound import BoundedRounds, BoundedWeighted, Bounding, Split
from headcount.source import Contributions, contributions, open_events
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.engines.duckdb_connection import connect

Rows = Sequence[tuple[Any, Any]]


def table(rows: Rows) -> Any:
    """Rows of (user, item) as an Arrow table."""
    import pyarrow as pa

    return pa.table({"user": pa.array([user for user, _ in rows]), "item": pa.array([item for _, item in rows])})


def released(data: Any, **arguments: Any) -> dict[Any, int]:
    """Item and count of a release whose noise is 0; the items are known unless the arguments say otherwise."""
    asked = {"user": "user", "by": "item", "epsilon": 1, "bound": 100, **arguments}
    release = hc.plan("histogram", data, **asked).release(entropy=Fixed(0))
    by = release.about.by
    items = zip(*(release.table[column].to_pylist() for column in by), strict=True)
    return {
        item[0] if len(by) == 1 else item: count
        for item, count in zip(items, release.table["count"].to_pylist(), strict=True)
    }


@cache
def _shared_engine() -> Any:
    """A DuckDB that stays, and that remembers what an expression is as SQL."""
    connection = connect().backend
    plain = connection.compile

    @cache
    def compiled(operation: Any, **options: Any) -> str:
        return str(plain(operation.to_expr(), **options))

    connection.compile = lambda expression, **options: compiled(expression.op(), **options)
    return connection


def on_shared_engine(data: Any) -> Any:
    """A tiny Arrow table on the one engine that all such tables share, until the next one takes its place. It is the
    same expression for all tables of a type."""
    connection = _shared_engine()
    connection.con.register("events", data)
    return connection.table("events")


def done(rows: Rows, *, events: bool) -> Contributions:
    """What each person did, on the engine."""
    return contributions(open_events(table(rows), ["user", "item"]).table(), [None], events=events, keys=None)


def kept(bounding: Bounding, rows: Rows, secret: bytes, *, events: bool) -> dict[tuple[Any, Any], int]:
    """What bounding keeps of each (user, item), in units."""
    found = bounding.kept(done(rows, events=events), secret).to_pyarrow().to_pylist()
    return {(row["user"], row["item0"]): row["count"] for row in found}


def totals(bounding: Bounding, rows: Rows, secret: bytes, *, events: bool) -> dict[Any, int]:
    """What bounding makes of each item, in units."""
    with done(rows, events=events).read(ReadPlan(encoded=True)) as read:
        bounded = bounding.bound(read, secret, None)
    return dict(zip(bounded.items["item0"].to_pylist(), bounded.totals.tolist(), strict=True))


def looked_at_again(bounded: BoundedWeighted) -> list[Any]:
    """What a second look shows if every item is public, if every other one is, and if none is: people by their sums and
    squares, and the totals at four bounds; and of rounds, the totals if shown items have no part, some, or all."""
    indices = np.arange(len(bounded.items))
    found: list[Any] = []
    for mask in (indices >= 0, indices % 2 == 1, indices < 0):
        again = bounded.look_again(mask)
        people: Counter[tuple[int, int]] = Counter()
        columns = (again.sizes.sums.tolist(), again.sizes.squares.tolist(), again.sizes.people.tolist())
        for sums, squares, many in zip(*columns, strict=True):
            people[sums, squares] += many
        found.append((people, [again.totals(bound).tolist() for bound in (1, 5, 25, 10**6)]))
        if isinstance(bounded, BoundedRounds):
            splits = (Split(2**48, 2**24), Split(2**48, 2**22, 2**46, 2), Split(2**48, 2**24, 2**48, 1))
            found.append([bounded.spread(mask, split).tolist() for split in splits])
    return found
