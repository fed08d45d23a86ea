"""An example table: who played which song. Popular songs are far more popular than others (Zipf), a few people play far
more than others. Made by arithmetic in the engine: the same table every time, no chance in it."""

import pyarrow as pa

from headcount.source.engine import engine

MOST_PLAYS = 2000

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
    """A table of plays: `user` and `song`, a row for each play.

    >>> example(people=1000).column_names
    ['user', 'song']
    """
    connection = engine().con
    connection.execute(UNIT)
    return connection.execute(TABLE.format(most=MOST_PLAYS, people=int(people), songs=int(songs))).to_arrow_table()
