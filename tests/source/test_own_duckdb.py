"""A DuckDB of our own is kept for the next release: nothing of the one before is on it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.source.engines import duckdb_connection as on_duckdb
from headcount.source.engines.scan import Connection

ROWS = pa.table({"person": ["ann", "bob", "ann"], "item": ["a", "b", "c"], "amount": [1, 2, 3]})


def parquet(folder: Path) -> Path:
    """The rows in a file with types."""
    pq.write_table(ROWS, folder / "t.parquet")
    return folder / "t.parquet"


def csv(folder: Path) -> Path:
    """The rows in a file of text."""
    pyarrow.csv.write_csv(ROWS, folder / "t.csv")
    return folder / "t.csv"


READERS: dict[str, Callable[[Path], Any]] = {"parquet": parquet, "csv": csv, "in memory": lambda _: ROWS}


@pytest.fixture(name="opened", autouse=True)
def _opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Every DuckDB that is opened in a test."""
    opened, opening = list[Any](), duckdb.connect

    def connect(*given: Any, **config: Any) -> Any:
        opened.append(opening(*given, **config))
        return opened[-1]

    monkeypatch.setattr(on_duckdb, "_IDLE", [])
    monkeypatch.setattr(duckdb, "connect", connect)
    yield opened
    for each in opened:
        each.close()


def count(data: Any, **options: Any) -> hc.Release:
    """A release of the rows."""
    return hc.histogram(data, user="person", by="item", epsilon=1, **options)


def kept() -> Any:
    """The DuckDB that is kept; None if there is none."""
    return next(iter(on_duckdb._IDLE), None)


def settings(connection: Any) -> list[tuple[Any, ...]]:
    """All settings, as the connection sees them."""
    return list(connection.execute("SELECT name, value FROM duckdb_settings() ORDER BY name").fetchall())


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_one_is_opened_for_many_releases(tmp_path: Path, opened: list[Any], reader: Callable[[Path], Any]) -> None:
    for options in ({}, {"keys": ["a", "b"]}, {"sum": "amount", "bound": 2}):
        count(reader(tmp_path), **options)
    assert opened == [kept()]


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_nothing_of_a_release_stays(tmp_path: Path, reader: Callable[[Path], Any]) -> None:
    count(reader(tmp_path), keys=["a", "b"])
    listed = "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views() WHERE NOT internal"
    assert kept().execute(listed).fetchall() == []
    again, new = on_duckdb.connect(), Connection(duckdb.connect(":memory:", config=on_duckdb.OWN))
    new.raw_sql(on_duckdb.SESSION)
    assert settings(again.con) == settings(new.con)


def test_one_with_a_limit_is_closed(tmp_path: Path, opened: list[Any]) -> None:
    for memory in ("100MB", None):
        count(hc.table(parquet(tmp_path), memory=memory))
    assert opened == [opened[0], kept()]
    with pytest.raises(duckdb.ConnectionException):
        opened[0].execute("SELECT 1")


def test_one_that_spilled_is_closed(tmp_path: Path, opened: list[Any]) -> None:
    connection = on_duckdb.connect()
    connection.raw_sql(f"SET temp_directory = '{tmp_path}'; SET memory_limit = '60MB'; SET threads = 1")
    connection.raw_sql("CREATE TEMP TABLE large AS SELECT range, hash(range) FROM range(20_000_000)")
    assert any(tmp_path.iterdir())
    on_duckdb.give_back(connection)
    assert kept() is None
    assert not any(tmp_path.iterdir())
    with pytest.raises(duckdb.ConnectionException):
        opened[0].execute("SELECT 1")


def test_one_on_which_reading_failed_is_closed(tmp_path: Path) -> None:
    plan = hc.plan("histogram", path := parquet(tmp_path), user="person", by="item", epsilon=1)
    cut = path.read_bytes()
    path.write_bytes(cut[:4] + b"?" * 40 + cut[44:])
    with pytest.raises(hc.HeadcountError, match="could not be read"):
        plan.release()
    assert kept() is None


def test_two_at_once_have_one_each(opened: list[Any]) -> None:
    on_duckdb.give_back(on_duckdb.connect())
    first, second = on_duckdb.connect(), on_duckdb.connect()
    assert first.database is not second.database
    for each in (first, second):
        on_duckdb.give_back(each)
    assert kept() is first.database
    assert len(opened) == 2


def test_a_forked_process_opens_and_closes_its_own(opened: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    on_duckdb.give_back(on_duckdb.connect())
    monkeypatch.setattr(on_duckdb, "_PROCESS", os.getpid() + 1)
    on_duckdb.give_back(on_duckdb.connect())
    assert kept() is opened[0]
    with pytest.raises(duckdb.ConnectionException):
        opened[1].execute("SELECT 1")


FORKED = """
import os, sys
import pyarrow as pa
import headcount as hc
import headcount.source.engines.duckdb_connection

rows = pa.table({"user": [i % 300 for i in range(2000)], "song": [str(i % 50) for i in range(2000)]})
if (child := os.fork()) == 0:
    hc.histogram(rows, user="user", by="song", epsilon=1)
    sys.exit()
os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_that_released_ends() -> None:
    """DuckDB may abort it, but it does not wait for threads that stayed behind."""
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=100)
