"""One release by SmartNoise-SQL 1.0.10: an amount per item, items public or not known in advance.

    .venv-smartnoise/bin/python sums_smartnoise.py PAIRS BOUND MOST NOISE SHARE OUT     NOISE: laplace

PAIRS has a row (user_id, item, x) for each person and item. `max_ids` is the bound: that many random rows of a person
are kept, and amounts are clamped to MOST. It refuses noise of a scale above 10 million, so amounts are divided by MOST
first. Epsilon is for each column of an answer: with `censor_dims`, which counts people to hide small items, it is
halved; SHARE 0 stands for items that are public, without `censor_dims`. The SQL is what SmartNoise writes; it runs on
DuckDB, and its result is handed back as `pre_aggregated`, which takes a second where SQLite takes a minute. DuckDB does
not sort by RANDOM() in a window, so rows are sorted by a hash with a random seed there.
"""

import secrets
import sqlite3
import sys
from typing import Any

import duckdb
import pyarrow as pa
import snsql  # type: ignore[import-not-found]

from benchmarks.peers.with_smartnoise import described, write

QUERY = "SELECT item, SUM(x) AS total FROM pairs GROUP BY item"


def metadata(bound: int, share: float) -> dict[str, Any]:
    """What SmartNoise has to know about the table."""
    known = described(bound)
    known[""][""]["pairs"] |= {"x": {"type": "float", "lower": 0.0, "upper": 1.0}, "censor_dims": bool(share)}
    return known


def exact(reader: Any, pairs: str, max_items: float) -> list[Any]:
    """The answer of its own SQL before noise, with the names of columns first."""
    subquery, _ = reader._rewrite(QUERY)
    query = str(subquery).replace("RANDOM ( )", f"hash(user_id, item, {secrets.randbits(32)})")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW pairs AS SELECT user_id, item, x / {max_items} AS x FROM '{pairs}'")
        answer = connection.execute(query)
        return [[name for name, *_ in answer.description or ()], *answer.fetchall()]


def release(pairs: str, bound: int, max_items: float, share: float) -> pa.Table:
    """(item, count): what amounts add up to."""
    privacy = snsql.Privacy(epsilon=1 - share, delta=1e-6)
    nothing = sqlite3.connect(":memory:")
    reader = snsql.from_connection(nothing, privacy=privacy, metadata=metadata(bound, share), engine="sqlite")
    rows = reader.execute(QUERY, pre_aggregated=exact(reader, pairs, max_items))[1:]
    return pa.table(
        {"item": pa.array([row[0] for row in rows], pa.string()), "count": [row[1] * max_items for row in rows]}
    )


if __name__ == "__main__":
    table, bound, max_items, _, share, out = sys.argv[1:]
    write(release(table, int(bound), float(max_items), float(share)), out)
