"""Example table of plays of songs. Songs follow a Zipf distribution, and a few people play far more than others.
Computed by hashing in DuckDB: deterministic, the same table every time."""

import pyarrow as pa

from headcount.exact import whole
from headcount.source.engines.duckdb_connection import connect

MAX_PLAYS = 2000

TABLE = """
WITH people AS (
    SELECT user, least({most}, ceil(4 / sqrt(1 - unit(user, 0))))::BIGINT AS plays FROM range({people}) AS r(user)
), events AS (
    SELECT user, unnest(range(1, plays + 1)) AS play FROM people
)
SELECT user, 'song ' || lpad(floor({songs} ** unit(user, play))::BIGINT::VARCHAR, 4, '0') AS song FROM events
ORDER BY user, play
"""
UNIT = "CREATE MACRO unit(a, b) AS (hash(a * 1000003 + b) >> 11)::DOUBLE / 9007199254740992"


def example(people: int = 20_000, songs: int = 5_000) -> pa.Table:
    """Return a table of plays: `user` and `song`, one row per play.

    >>> example(people=1000).column_names
    ['user', 'song']
    """
    many, items = (
        whole("people", people, minimum=1, fix="people=1000"),
        whole("songs", songs, minimum=1, fix="songs=1000"),
    )
    connection = connect().con
    connection.execute(UNIT)
    return connection.sql(TABLE.format(most=MAX_PLAYS, people=many, songs=items)).to_arrow_table()
