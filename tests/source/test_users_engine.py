"""A DuckDB of the user's own: nothing of ours is left there, and several threads may release from it at once."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import duckdb
import ibis
import pytest

import headcount as hc
from headcount import papers
from headcount.audit.choices import Fixed
from headcount.source.engines.duckdb import _lock

ROWS = "SELECT range % 40 AS user, range % 7 AS item FROM range(400)"
THREADS = 8
LONG = 120
"""Seconds after which threads wait for each other for ever."""


def connected() -> Any:
    """A connection with a table."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE events AS {ROWS}")
    return connection


def on_ibis(connection: Any) -> Any:
    return ibis.duckdb.from_connection(connection).table("events")


def there(connection: Any) -> list[Any]:
    """Everything in the catalog that is not DuckDB's own, and all settings."""
    kinds = ("tables", "views", "functions", "schemas")
    asked = [f"SELECT * FROM duckdb_{kind}() WHERE NOT internal" for kind in kinds]
    return [sorted(map(str, connection.execute(sql).fetchall())) for sql in (*asked, "FROM duckdb_settings()")]


JOBS: dict[str, Callable[[Any], Any]] = {
    "keys": lambda data: hc.plan("histogram", data, user="user", by="item", keys=[1, 2], epsilon=1, bound=2),
    "chosen": lambda data: hc.plan("histogram", data, user="user", by="item", epsilon=1),
    "keys chosen": lambda data: hc.plan(
        "histogram", data, user="user", by="item", keys=[1, 2], epsilon=1, bound="generalized"
    ),
    "keys in full": lambda data: hc.plan("histogram", data, user="user", by="item", keys=[1, 2], epsilon=1),
    "plume": lambda data: hc.plan("histogram", data, user="user", by="item", epsilon=1, mechanism=papers.Plume()),
    "top": lambda data: hc.plan("top", data, user="user", by="item", k=2, epsilon=1),
    "people": lambda data: hc.plan(
        "heavy_hitters", data, user="user", by="item", share=0.1, people="count", epsilon=1, bound=2
    ),
    "distribution": lambda data: hc.plan("distribution", data, user="user", by="item", keys=[1, 2], epsilon=1),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("job", JOBS)
def test_nothing_of_ours_is_left(job: str) -> None:
    connection = connected()
    table = on_ibis(connection)
    before = there(connection)
    JOBS[job](table).release()
    assert there(connection) == before


def test_nothing_of_ours_is_left_if_it_fails() -> None:
    """After the keys were put there."""
    connection = connected()
    connection.execute("CREATE VIEW broken AS SELECT user, if(user = 7, error('no'), item) AS item FROM events")
    table = ibis.duckdb.from_connection(connection).table("broken")
    before = there(connection)
    with pytest.raises(hc.HeadcountError):
        JOBS["keys"](table).release()
    assert there(connection) == before


def at_once(work: Callable[[], Any]) -> list[Any]:
    """What several threads get that start together, or what stops them."""
    start, found = Barrier(THREADS), []

    def one() -> None:
        start.wait()
        try:
            found.append(work())
        except BaseException as error:
            found.append(repr(error))

    threads = [Thread(target=one, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    return found


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", ["ibis", "relation"])
@pytest.mark.parametrize("job", ["keys", "keys chosen"])
def test_threads_on_one_connection(kind: str, job: str) -> None:
    """Each gets what it would get alone."""
    connection = connected()
    data = on_ibis(connection) if kind == "ibis" else connection.table("events")

    def counts() -> Any:
        return JOBS[job](data).release(entropy=Fixed(0)).table.to_pylist()

    assert at_once(counts) == [counts()] * THREADS


def test_who_waits_for_whom() -> None:
    """Who uses the same connection; not who has a cursor of their own."""
    connection = connected()
    one, other = on_ibis(connection), on_ibis(connection)
    assert _lock(ibis.get_backend(one).con) is _lock(ibis.get_backend(other).con)
    assert _lock(connection) is not _lock(connection.cursor())
