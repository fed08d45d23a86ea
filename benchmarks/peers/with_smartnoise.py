"""One release by SmartNoise-SQL 1.0.10: people per item, items not known in advance.

    .venv-smartnoise/bin/python with_smartnoise.py PAIRS BOUND NOISE OUT        NOISE: laplace or gaussian

`max_ids` is the bound: that many random rows of a person are kept. `censor_dims` hides small counts below a threshold.
The reader is its own for SQLite, in memory, which spares the way through a data frame. Laplace noise is its default and
the better one here: Gaussian noise is scaled for a person with all rows in one item, so it grows with the bound and not
with its root (with reddit_titles500k_words and a bound of 22: threshold 546 instead of 379, 1,076 items instead of
1,505). Its odometer adds delta / 2 for composition and says 1.5e-6; delta is 1e-6 here all the same, in its favour.
"""

import sqlite3
import sys
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import snsql  # type: ignore[import-not-found]

QUERY = "SELECT item, COUNT(DISTINCT user_id) AS n FROM pairs GROUP BY item"


def loaded(pairs: str) -> sqlite3.Connection:
    """The pairs as a table of SQLite."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE pairs (user_id INTEGER, item TEXT)")
    table = pq.read_table(pairs, columns=["user_id", "item"])
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    database.executemany("INSERT INTO pairs VALUES (?, ?)", rows)
    database.commit()
    return database


def described(bound: int) -> dict[str, Any]:
    """What SmartNoise has to know about the table."""
    table = {
        "max_ids": bound,
        "sample_max_ids": True,
        "row_privacy": False,
        "censor_dims": True,
        "user_id": {"type": "int", "private_id": True},
        "item": {"type": "string"},
    }
    return {"": {"": {"pairs": table}}}


def budget(noise: str) -> Any:
    """Epsilon 1, delta 1e-6, and which noise counts get."""
    privacy = snsql.Privacy(epsilon=1.0, delta=1e-6)
    privacy.mechanisms.map[snsql.Stat.threshold] = snsql.Mechanism[noise]
    return privacy


def release(pairs: str, bound: int, noise: str) -> pa.Table:
    """(item, count)"""
    reader = snsql.from_connection(loaded(pairs), privacy=budget(noise), metadata=described(bound), engine="sqlite")
    rows = reader.execute(QUERY)[1:]
    return pa.table({"item": [row[0] for row in rows], "count": pa.array([row[1] for row in rows], pa.int64())})


def write(found: pa.Table, out: str) -> None:
    """To a file."""
    pq.write_table(found, out)


if __name__ == "__main__":
    write(release(sys.argv[1], int(sys.argv[2]), sys.argv[3]), sys.argv[4])
