"""Files that are read in parts at once: the same rows, and the same releases, as from one end to the other."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import active_count
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.source.contributions import streamed
from headcount.source.engines import duckdb_parts
from headcount.source.engines.duckdb import DuckDB
from headcount.source.engines.duckdb_connection import connect
from headcount.source.files import parquet
from headcount.source.kernels import kernels
from headcount.system.threads import THREADS

pytestmark = pytest.mark.skipif(THREADS < 2, reason="rows are read in parts by several processors")
COLUMNS = ["user", "item"]
ROWS = pa.table(
    {
        "amount": [float(row % 7) for row in range(4000)],
        "item": [f"item {row * row % 11}" if row % 13 else None for row in range(4000)],
        "user": [f"user {row % 601}" for row in range(4000)],
    }
)


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MIN_ROWS", 1)


def written(path: Path, rows: pa.Table = ROWS, group: int = 300) -> str:
    pq.write_table(rows, path, row_group_size=group)
    return str(path)


def rows_of(paths: Sequence[str]) -> tuple[list[int], Counter[tuple[Any, ...]]]:
    """The number of rows of each part, and all rows as they are read."""
    scan = parquet.read_table(paths, COLUMNS)
    sizes = [scan.connection.con.sql(f"SELECT count(*) FROM {part}").fetchall()[0][0] for part in scan.parts]
    read = list(DuckDB().batches(scan, 100))
    scan.connection.disconnect()
    return sizes, Counter(row for batch in read for row in zip(*(column.to_pylist() for column in batch), strict=True))


def every(*tables: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(row for rows in tables for row in zip(*(rows[name].to_pylist() for name in COLUMNS), strict=True))


def test_the_halves_of_a_file_are_all_of_its_rows(tmp_path: Path) -> None:
    assert rows_of([written(tmp_path / "one.parquet")]) == ([2100, 1900], every(ROWS))


def test_several_files_are_two_lists_of_them(tmp_path: Path) -> None:
    """Also if their columns are in another order."""
    parts = [ROWS.slice(0, 900), ROWS.slice(900, 400).select(["user", "item"]), ROWS.slice(1300, 1500)]
    paths = [written(tmp_path / f"{index}.parquet", part) for index, part in enumerate(parts)]
    assert rows_of(paths) == ([1300, 1500], every(*parts))


@pytest.mark.parametrize(
    ("rows", "group"),
    [
        (ROWS, 4000),
        (ROWS.slice(0, 0), 300),
        (ROWS.append_column("FILE_row_number", pa.array(range(4000))), 300),
    ],
    ids=["one row group", "no rows", "a column of that name"],
)
def test_what_has_no_halves_is_read_whole(tmp_path: Path, rows: pa.Table, group: int) -> None:
    assert rows_of([written(tmp_path / "whole.parquet", rows, group)]) == ([], every(rows))


def test_parts_of_other_types_are_read_whole(tmp_path: Path) -> None:
    """So a row has the same type whatever else is read at once."""
    kinds = (pa.int16(), pa.int64())
    parts = [pa.table({"user": pa.array([1, 2], kind), "item": ["a", "b"]}) for kind in kinds]
    scan = parquet.read_table(
        [written(tmp_path / f"{index}.parquet", part) for index, part in enumerate(parts)], COLUMNS
    )
    with duckdb_parts.in_parts(scan) as streams:
        assert [str(kind) for _, relation in streams for kind in relation.types] == ["SMALLINT", "VARCHAR"]
        assert len(scan.connection.reading) == 1
    scan.connection.disconnect()


def test_few_rows_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MIN_ROWS", 4001)
    assert rows_of([written(tmp_path / "few.parquet")]) == ([], every(ROWS))


SAID: dict[str, dict[str, Any]] = {
    "histogram": {"by": "item"},
    "events": {"by": "item", "count": "events"},
    "keys": {"by": "item", "keys": [f"item {index}" for index in range(11)]},
    "where": {"by": "item", "where": {"amount": (None, 5)}},
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_the_same_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any]) -> None:
    path = written(tmp_path / "rows.parquet")
    monkeypatch.setattr(streamed, "FEW_BATCHES", 1)

    def content() -> bytes:
        return hc.plan("histogram", path, user="user", epsilon=1, **said).release(entropy=Fixed(0)).content

    parts = content()
    monkeypatch.setattr(parquet, "MIN_ROWS", 4001)
    assert content() == parts


def test_the_same_release_of_amounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "rows.parquet")
    said: dict[str, Any] = {"user": "user", "by": "item", "metrics": ["sum(amount)", "median(amount)"], "epsilon": 1}

    def content() -> bytes:
        plan = hc.plan("aggregate", path, range={"amount": (0, 7)}, **said)
        return plan.release(entropy=Fixed(0)).content

    parts = content()
    monkeypatch.setattr(parquet, "MIN_ROWS", 4001)
    assert content() == parts


@pytest.mark.skipif(kernels() is None, reason="the engine reads otherwise without kernels")
@pytest.mark.parametrize(("memory", "streams"), [(None, 2), ("500MB", 1)])
def test_little_memory_is_for_one_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str | None, streams: int
) -> None:
    found: list[int] = []
    in_turn = duckdb_parts._in_turn

    def counted(several: Sequence[Any]) -> Any:
        found.append(len(several))
        return in_turn(several)

    monkeypatch.setattr(duckdb_parts, "_in_turn", counted)
    hc.histogram(hc.table(written(tmp_path / "rows.parquet"), memory=memory), user="user", by="item", epsilon=1)
    assert found == [streams]


@pytest.mark.parametrize(("memory", "threads", "room"), [(1000, 1, False), (1500, 4, True), (1500, 12, False)])
def test_parts_need_memory_for_each_thread(memory: int, threads: int, room: bool) -> None:
    connection = connect()
    connection.raw_sql(f"SET memory_limit = '{memory}MB'; SET threads = {threads}")
    assert duckdb_parts.has_room_for_parts(connection) is room
    connection.disconnect()


def test_leaving_early_ends_all_readers(tmp_path: Path) -> None:
    scan, threads = parquet.read_table([written(tmp_path / "rows.parquet")], COLUMNS), active_count()
    batches = DuckDB().batches(scan, 100)
    next(batches)
    assert (active_count(), len(scan.connection.reading)) == (threads + 2, 2)
    assert -1 <= DuckDB().progress(scan) <= 1
    batches.close()
    assert (active_count(), scan.connection.reading) == (threads, [scan.connection.con])
    assert scan.connection.con.sql("SELECT count(*) FROM events").fetchall() == [(4000,)]
    scan.connection.disconnect()


def test_a_failure_of_one_reader_is_that_of_the_release(tmp_path: Path) -> None:
    """The second half is broken: nothing is released of the first."""
    path = Path(written(tmp_path / "rows.parquet"))
    whole = path.read_bytes()
    found = pq.read_metadata(path).row_group(11).column(1)
    place = found.dictionary_page_offset or found.data_page_offset
    path.write_bytes(whole[:place] + b"\xff" * 40 + whole[place + 40 :])
    threads = active_count()
    with pytest.raises(hc.errors.ReadingFailed, match="the rows could not be read to their end"):
        hc.histogram(path, user="user", by="item", epsilon=1)
    assert active_count() == threads
