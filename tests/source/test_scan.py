"""Rows that are counted as they are: the same as SQL and as an expression."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.tables import released

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.bound import SplitL2Budget
from headcount.source import contributions, kernels, open_events
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.contributions.plain import PlainContributions
from headcount.source.engines.kinds import FAMILIES, KINDS, PLAIN, kind_named
from headcount.source.engines.registry import engine_of
from headcount.source.engines.scan import Scan

WORDS = ["", "a", "a\0b", "été", None, "NULL", "z" * 40]


def write(path: Path, table: pa.Table) -> str:
    """A file of a table, of the kind that its name says."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        rows = [",".join("" if value is None else str(value) for value in row.values()) for row in table.to_pylist()]
        path.write_text("\n".join([",".join(table.column_names), *rows, "broken", ""]))
    return str(path)


def scan_of(path: str, *by: str) -> Scan:
    """The rows of a file, opened."""
    opened = open_events(path, ["user", *by])
    assert opened.scan is not None
    return opened.scan()


def plain(scan: Scan, *items: str, public: pa.Table | None = None, once: bool = False) -> PlainContributions:
    """Contributions of rows that are counted as they are."""
    expressed = lambda: contributions(scan.table, [None] * len(items), events=not once, keys=public)  # noqa: E731
    return PlainContributions(scan, items, expressed, public, once=once, numbers=None)


def people(kind: pa.DataType) -> pa.Table:
    """Rows with a missing user, a missing item, both, and repeats; the user is of a type."""
    users = pa.array([None, 0, 1, 1, 1, 0, None, 1, 0], pa.int8()).cast(kind)
    items = ["a", "a", None, "b", "b", "été", None, "a", ""]
    return pa.table({"user": users, "item": pa.array(items, pa.string())})


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("kind", [kind for _, kind in KINDS.values()], ids=str)
def test_the_rows_that_lack_no_value_are_those_of_the_expression(
    tmp_path: Path, kind: pa.DataType, suffix: str
) -> None:
    scan = scan_of(write(tmp_path / f"rows.{suffix}", people(kind)), "item")
    assert isinstance(scan.counted(0), Scan)
    found = contributions(scan.table, [None], events=True, keys=None).events
    assert found is not None
    complete, engine = plain(scan, "item0").events, engine_of(scan)
    rows = [engine.to_arrow(each) for each in (found, complete)]
    assert rows[0].schema == rows[1].schema == complete.schema()
    assert Counter(map(str, rows[0].to_pylist())) == Counter(map(str, rows[1].to_pylist()))
    assert len(rows[1]) == sum(None not in row.values() for row in people(kind).to_pylist()) - (suffix == "csv")
    scan.connection.disconnect()


@pytest.mark.parametrize("kind", [kind for _, kind in KINDS.values()], ids=str)
def test_the_rows_of_public_items_are_those_of_the_expression(tmp_path: Path, kind: pa.DataType) -> None:
    """Of two columns, of which each part of an item is public with some parts only."""
    rows = people(kind).append_column("part", people(kind)["user"])
    public = pa.table({"item0": pa.array(["a", "b", "b", "z"]), "item1": pa.array([1, 0, 1, 1], pa.int8()).cast(kind)})
    scan = scan_of(write(tmp_path / "rows.parquet", rows), "item", "part")
    found = contributions(scan.table, [None] * 2, events=True, keys=public).events
    assert found is not None
    listed, engine = plain(scan, "item0", "item1", public=public).events, engine_of(scan)
    counted = [Counter(map(str, engine.to_arrow(each).to_pylist())) for each in (found, listed)]
    assert counted[0] == counted[1]
    assert sum(counted[0].values()) == 3
    scan.connection.disconnect()


def test_rows_have_the_fingerprint_of_the_expression(tmp_path: Path) -> None:
    """The same in a ledger, whichever way they are looked at."""
    for kind in (pa.int64(), pa.string(), pa.float64(), pa.date32()):
        users = pa.array([3, 4, None, 4], pa.int32()).cast(kind)
        scan = scan_of(
            write(tmp_path / "rows.parquet", pa.table({"user": users, "item": ["a", "é", "", None]})), "item"
        )
        assert engine_of(scan).row_hashes(scan) == engine_of(scan).row_hashes(scan.table)


@pytest.mark.parametrize("name", [name for name, _ in KINDS.values()])
def test_a_kind_answers_as_ibis_does(name: str) -> None:
    kind, known = kind_named(name), ibis.dtype(name)
    assert [getattr(kind, f"is_{each}")() for each in FAMILIES] == [getattr(known, f"is_{each}")() for each in FAMILIES]
    assert (str(kind), kind == known, hash(kind) == hash(kind_named(name))) == (name, True, True)
    assert kind.is_numeric() == known.is_numeric()
    assert kind.to_pyarrow() == known.to_pyarrow() == dict(KINDS.values())[name]


@pytest.mark.parametrize("kind", [pa.float64(), pa.date32(), pa.timestamp("us"), pa.decimal128(38, 0), pa.uint64()])
def test_other_types_are_read_as_expressions(tmp_path: Path, kind: pa.DataType) -> None:
    """What is done to them is written once, in contributions.py."""
    users = pa.array([1, 2, None], pa.int32() if kind == pa.date32() else pa.int64()).cast(kind)
    path = write(tmp_path / "rows.parquet", pa.table({"user": users, "item": ["a", "b", "c"]}))
    assert not isinstance(scan_of(path, "item").counted(0), Scan)
    assert sorted(released(path, keys=["a", "b", "c"]).values()) == [0, 1, 1]


@pytest.mark.parametrize("count", ["users", "events"])
def test_a_file_is_counted_like_a_table(tmp_path: Path, count: str) -> None:
    """With two columns of items, and values that are missing in any of the columns."""
    rows = [(user % 700 if user % 9 else None, word, user % 3) for user in range(1400) for word in WORDS]
    users, words, numbers = zip(*rows, strict=True)
    table = pa.table({"user": users, "word": words, "number": pa.array(numbers, pa.int16())})
    path = write(tmp_path / "rows.parquet", table)
    asked: dict[str, Any] = {"by": ["word", "number"], "count": count, "mechanism": "thresholded", "bound": 12}
    assert released(path, **asked) == released(table, **asked) != {}


def expressed(table: pa.Table) -> ibis.Table:
    """The rows on a DuckDB of the user's, whose tables are always read as expressions."""
    connection = ibis.duckdb.connect()
    connection.con.register("given", table)
    connection.raw_sql("CREATE TABLE rows AS FROM given")
    return connection.table("rows")


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "dictionary": lambda table: table.set_column(1, "item", table["item"].dictionary_encode()),
    "large": lambda table: table.set_column(1, "item", table["item"].cast(pa.large_string())),
    "view": lambda table: table.set_column(1, "item", table["item"].cast(pa.string_view())),
    "polars": pl.from_arrow,
    "lazy polars": lambda table: pl.LazyFrame(pl.from_arrow(table)),
    "pandas": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "relation": lambda table: expressed(table).get_backend().con.table("rows"),
}
"""The same rows in other frames."""
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "people": ("histogram", {}),
    "events": ("histogram", {"count": "events"}),
    "bound": ("histogram", {"mechanism": "thresholded", "bound": 2}),
    "keys": ("histogram", {"keys": ["a", "été", "other"]}),
    "keys, bound": ("histogram", {"keys": ["a", "été", "other"], "bound": 2}),
    "keys, events": ("histogram", {"keys": ["a", "été", "other"], "count": "events"}),
    "groups": ("aggregate", {"metrics": ["people", "events"]}),
    "known groups": ("aggregate", {"metrics": ["people", "events"], "keys": ["a", "été", "other"]}),
}
"""Requests that count rows as they are."""


def outcome(data: Any, request: str) -> tuple[list[Any], Any]:
    """The rows of a release, with the same draws at each call, and what was paid."""
    job, said = REQUESTS[request]
    release = hc.plan(job, data, user="user", by="item", epsilon=1, **said).release(entropy=Fixed(0))
    return release.table.to_pylist(), release.cost


def rows_of(kind: pa.DataType) -> pa.Table:
    """Rows of 500 people, some of which lack a value; the user is of a type."""
    rows = [(user % 100 if user % 9 else None, word) for user in range(500) for word in WORDS if user % 7 or word]
    users, words = zip(*rows, strict=True)
    return pa.table({"user": pa.array(users, pa.int8()).cast(kind), "item": pa.array(words, pa.string())})


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_counted_like_an_expression(frame: str, request_: str) -> None:
    table = rows_of(pa.int64())
    expression = expressed(table)
    assert outcome(FRAMES[frame](table), request_) == outcome(expression, request_)


@pytest.mark.parametrize("kind", [kind for _, kind in KINDS.values()], ids=str)
def test_people_of_every_type_are_counted_like_those_of_an_expression(kind: pa.DataType) -> None:
    table = rows_of(kind)
    expression = expressed(table)
    assert outcome(table, "keys") == outcome(expression, "keys")


def test_what_is_done_to_rows_is_done_to_those_of_files(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.parquet", pa.table({"user": [*range(600)], "item": ["a", "b"] * 300}))
    asked: dict[str, Any] = {"mechanism": "thresholded", "bound": 1}
    assert released(path, where={"item": "a"}, **asked) == {"a": 300}


def test_groups_of_files_are_those_of_tables(tmp_path: Path) -> None:
    """People and rows, of which a user has several in a group; one column of numbers makes an expression."""
    rows = [(user, item, 1.0) for user in range(900) for item in ("a", "b") for _ in range(1 + user % 4)]
    users, items, numbers = zip(*rows, strict=True)
    table = pa.table({"user": users, "item": items, "number": numbers})
    path = write(tmp_path / "rows.parquet", table)
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1}
    for metrics in (["people"], ["people", "events"]):
        found = [
            hc.plan("aggregate", data, metrics=metrics, **asked).release(entropy=Fixed(0)).table
            for data in (path, table)
        ]
        assert found[0].equals(found[1])
        assert found[0]["people"].to_pylist() == [900, 900]


def test_rows_that_cannot_be_numbered_are_read_as_expressions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = scan_of(write(tmp_path / "rows.parquet", people(pa.int64())), "item")
    monkeypatch.setattr(kernels, "_built", lambda: None)
    with plain(scan, "item0", once=True).read(ReadPlan(encoded=True)) as read:
        assert read.encoded is not None
        assert read.encoded.ids is None
        assert len(SplitL2Budget(5).bound(read, bytes(32), None).items) == 4


@pytest.mark.skipif(kernels.kernels() is None, reason="no compiler")
def test_what_was_numbered_has_expressions_too(tmp_path: Path) -> None:
    scan = scan_of(write(tmp_path / "rows.parquet", people(pa.int64())), "item")
    with plain(scan, "item0", once=False).read(ReadPlan(encoded=True)) as read:
        assert read.encoded is not None
        assert read.encoded.ids is not None
        assert read.is_text("item0")
        rows = read.tables().pairs
        assert engine_of(rows).to_arrow(rows).num_rows == len(read.encoded.totals) + 1
        assert engine_of(read.people).to_arrow(read.people).num_rows == 2


@pytest.mark.parametrize("kind", [*PLAIN, pa.large_string(), pa.string_view(), pa.null()], ids=str)
def test_the_type_of_a_plain_column_is_that_on_the_engine(kind: pa.DataType) -> None:
    events = open_events(pa.table({"user": pa.nulls(2, kind)}), ["user"])
    assert str(events.columns["user"]) == str(events.table().schema()["column0"])
