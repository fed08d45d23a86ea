"""Rows that are counted as they are: the same as SQL and as an expression."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import ibis
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
from headcount.source.engines.registry import engine_of
from headcount.source.engines.scan import FAMILIES, KINDS, Scan, kind_named

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
    assert scan.is_plain
    found = contributions(scan.table, [None], events=True, keys=None).events
    assert found is not None
    complete, engine = scan.complete(found.columns), engine_of(scan)
    rows = [engine.to_arrow(each) for each in (found, complete)]
    assert rows[0].schema == rows[1].schema == complete.schema()
    assert Counter(map(str, rows[0].to_pylist())) == Counter(map(str, rows[1].to_pylist()))
    assert len(rows[1]) == sum(None not in row.values() for row in people(kind).to_pylist()) - (suffix == "csv")
    scan.connection.disconnect()


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
    assert not scan_of(path, "item").is_plain
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
    plain = PlainContributions(
        scan, ("item0",), lambda: contributions(scan.table, [None], events=False, keys=None), once=True, numbers=None
    )
    with plain.read(ReadPlan(encoded=True)) as read:
        assert read.encoded is not None
        assert read.encoded.ids is None
        assert len(SplitL2Budget(5).bound(read, bytes(32), None).items) == 4


@pytest.mark.skipif(kernels.kernels() is None, reason="no compiler")
def test_what_was_numbered_has_expressions_too(tmp_path: Path) -> None:
    scan = scan_of(write(tmp_path / "rows.parquet", people(pa.int64())), "item")
    plain = PlainContributions(
        scan, ("item0",), lambda: contributions(scan.table, [None], events=True, keys=None), once=False, numbers=None
    )
    with plain.read(ReadPlan(encoded=True)) as read:
        assert read.encoded is not None
        assert read.encoded.ids is not None
        assert read.is_text("item0")
        assert engine_of(read.table).to_arrow(read.table).num_rows == len(read.encoded.totals) + 1
        assert engine_of(read.people).to_arrow(read.people).num_rows == 2
