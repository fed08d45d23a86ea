"""A DuckDB of the user's own: nothing of ours is left there, several threads may release from it at once, what it
cannot do is not charged, and the rows that are read are those that the ledger looked at."""

from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import duckdb
import ibis
import pytest

import headcount as hc
from headcount import papers, run
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, FileChanged, ReadingFailed
from headcount.source.engines.contract import OPERATIONS
from headcount.source.engines.duckdb import DuckDB
from headcount.source.engines.duckdb_connection import _lock

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


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def unknown_function(text: str) -> str:  # type: ignore[empty-body]
    """No function of DuckDB."""


@pytest.fixture
def ledger(tmp_path: Path) -> hc.Ledger:
    return hc.Ledger(tmp_path / "events.db", epsilon=9, delta=1e-5)


def asked(data: Any) -> Any:
    """A request that samples items by a hash."""
    return hc.plan("histogram", hc.table(data, name="events"), user="user", by="item", epsilon=1, bound=2)


def repeated(connection: Any) -> Any:
    """A view that headcount proves."""
    table = on_ibis(connection)
    return table.group_by("user", "item").agg(times=table.count())


@pytest.mark.parametrize("made", [on_ibis, repeated])
@pytest.mark.parametrize("operation", [each.method for each in OPERATIONS])
def test_what_the_engine_cannot_do_is_not_charged(
    made: Callable[[Any], Any], operation: str, ledger: hc.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = asked(made(connected()))
    monkeypatch.setattr(DuckDB, operation, lambda self, value, *more: unknown_function(value.cast("string")))
    with pytest.raises(BadParameter, match="its engine cannot run this request, not even on no rows"):
        plan.release(ledger=ledger)
    assert ledger.spends() == ()


def test_what_the_engine_cannot_do_is_said_without_a_ledger_too(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = connected()
    connection.execute("CREATE TABLE fractions AS SELECT user / 2 AS user, item FROM events")  # the engine hashes these
    plan = asked(ibis.duckdb.from_connection(connection).table("fractions"))
    monkeypatch.setattr(DuckDB, "sha256", lambda self, text: unknown_function(text))
    with pytest.raises(BadParameter, match="its engine cannot run this request, not even on no rows"):
        plan.release()


def test_what_a_row_makes_fail_is_no_fault_of_the_engine() -> None:
    connection = connected()
    connection.execute("CREATE VIEW broken AS SELECT user, if(user = 7, error('no'), item) AS item FROM events")
    table = ibis.duckdb.from_connection(connection).table("broken")
    with pytest.raises(ReadingFailed, match="could not be read to their end"):
        hc.histogram(hc.table(table, promise="each row belongs to one person"), user="user", by="item", epsilon=1)


def test_a_request_is_rehearsed_once_on_a_connection(ledger: hc.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    rehearsed: list[Any] = []
    rehearse = run.rehearse

    def counted(*given: Any) -> None:
        rehearsed.append(given)
        rehearse(*given)

    monkeypatch.setattr(run, "rehearse", counted)
    table = on_ibis(connected())
    for again in (False, False, True):
        asked(table).release(ledger=ledger, again=again)
    assert len(rehearsed) == 1
    asked(on_ibis(connected())).release(ledger=ledger, again=True)
    assert len(rehearsed) == 2


@pytest.mark.parametrize("bound", [2, "auto"])
def test_a_table_that_changes_after_the_look_is_refused(ledger: hc.Ledger, bound: Any) -> None:
    """Its charge is for the rows of the look: with these back it is finished, at no further price."""
    connection = connected()
    plan = hc.plan(
        "histogram", hc.table(on_ibis(connection), name="events"), user="user", by="item", epsilon=1, bound=bound
    )

    def change(step: str) -> None:
        if step == "reading":
            connection.execute("INSERT INTO events VALUES (41, 1)")

    with pytest.raises(FileChanged, match="the table changed while it was read"):
        plan.release(ledger=ledger, progress=change)
    assert [spend.sealed for spend in ledger.spends()] == [False]
    connection.execute("DELETE FROM events WHERE user = 41")
    assert plan.release(ledger=ledger).fresh
    assert [spend.sealed for spend in ledger.spends()] == [True]
