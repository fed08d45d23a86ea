"""Any table gives the same people and items: every format, every odd name, every odd row."""

import csv
import json
import sqlite3
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.tables import released

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import NotATable

USERS = ["1", "1", "1", "2", None, "2", "3", "4", "4"]
ITEMS = ["a", "b", "a", "a", "a", "b", None, "é", "e\u0301"]
ARROW = pa.table({"user": USERS, "item": ITEMS})
COUNTS = {"a": 2, "b": 2, "é": 1, "e\u0301": 1}
KEYS = list(COUNTS)


def files(folder: Path, name: str) -> Path:
    """The table as a file of this kind."""
    path = folder / name
    kind = path.suffix.lower()
    if kind == ".parquet":
        pq.write_table(ARROW, path)
    elif kind in (".csv", ".tsv"):
        ARROW.to_pandas().to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in ARROW.to_pylist()))
    return path


@pytest.mark.slow(one_in=2)
@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.tsv", "t.jsonl", "t.ndjson", "T.CSV", "odd [1]*?.parquet"])
def test_files(tmp_path: Path, name: str) -> None:
    assert released(files(tmp_path, name), keys=KEYS) == COUNTS
    assert released(str(files(tmp_path, name)), keys=KEYS) == COUNTS


def frames() -> dict[str, Any]:
    connection = duckdb.connect()
    connection.register("given", ARROW)
    connection.execute("CREATE TABLE events AS SELECT * FROM given")
    return {
        "pyarrow": ARROW,
        "pandas": ARROW.to_pandas(),
        "pandas objects": ARROW.to_pandas().astype(object),
        "pandas categories": ARROW.to_pandas().astype("category"),
        "polars": pl.DataFrame(ARROW),
        "polars lazy": pl.LazyFrame(ARROW),
        "polars categories": pl.DataFrame(ARROW).with_columns(pl.col("item").cast(pl.Categorical)),
        "duckdb": connection.sql("SELECT * FROM events"),
        "ibis": ibis.memtable(ARROW),
        "ibis duckdb": ibis.duckdb.from_connection(connection).table("events"),
    }


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", frames())
def test_frames(kind: str) -> None:
    assert released(frames()[kind], keys=KEYS) == COUNTS


def test_a_pattern_of_files_is_one_table(tmp_path: Path) -> None:
    """Somebody whose rows lie in two files is one person."""
    pq.write_table(ARROW.slice(0, 2), tmp_path / "1.parquet")
    pq.write_table(ARROW.slice(2), tmp_path / "2.parquet")
    assert released(str(tmp_path / "*.parquet"), keys=KEYS) == COUNTS
    for name, part in (("1.csv", ARROW.slice(0, 2)), ("2.csv", ARROW.slice(2))):
        part.to_pandas().to_csv(tmp_path / name, index=False)
    assert released(str(tmp_path / "*.csv"), keys=KEYS) == COUNTS


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("users", "people"),
    [
        ([1, "1", 1.0, "1"], 1),
        ([1, "1", 2, "2.0"], 3),
        ([None, float("nan"), pd.NA, pd.NaT], 0),
        ([True, "True"], 1),
        (["", " ", "a", "A"], 4),
        ([10**400, str(10**400), 2**63, -(2**63)], 3),
        ([b"x", "y"], 2),
    ],
)
def test_a_person_in_a_column_of_objects_has_one_spelling(users: list[Any], people: int) -> None:
    frame = pd.DataFrame({"user": pd.Series(users, dtype=object), "item": "a"})
    assert released(frame, keys=["a"]) == {"a": people}
    assert released(frame.iloc[::-1], keys=["a"]) == {"a": people}


@pytest.mark.parametrize(
    ("users", "people"),
    [
        (pa.array([0.0, -0.0, float("nan"), float("nan"), None, 1.5]), 2),
        (pa.array([True, False, None]), 2),
        (pa.array([2**63 - 1, -(2**63), None]), 2),
        (pa.array([date(2024, 1, 1), None, date(2024, 1, 1)]), 1),
        (pa.array(["x", "X", "x "]).dictionary_encode(), 3),
        (pa.nulls(3), 0),
    ],
)
def test_people_of_every_type(users: pa.Array, people: int) -> None:
    arrow = pa.table({"user": users, "item": ["a"] * len(users)})
    assert released(arrow, keys=["a"]) == {"a": people}


POISON = {
    "an open quote": b'1,"b\n',
    "too many cells": b"1,b,c,d\n",
    "too few cells": b"1\n",
    "not UTF-8": b"1,\xff\xfe\n",
    "a zero byte": b"1,a\x00b\n",
    "a line of 5 MB": b"1," + b"x" * 5_000_000 + b"\n",
    "a quote inside": b'1,x"y\n',
    "a lone carriage return": b"1,x\ry\n",
    "an empty line": b"\n",
    "a formula": b'1,"=cmd()"\n',
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("row", POISON)
def test_no_row_of_a_csv_makes_reading_fail(tmp_path: Path, row: str) -> None:
    """The bad row comes last, so that the good ones are seen to survive; where a row is lost, it is lost silently."""
    (tmp_path / "t.csv").write_bytes(b"user,item\n1,a\n2,a\n" + POISON[row])
    assert released(tmp_path / "t.csv", keys=["a"]) == {"a": 2}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    "line", ["rubbish", "[1]", '{"user": {"x": 1}}', '{"item": "a"}', "", '{"user": 1e400}', "\x00"]
)
def test_no_line_of_a_jsonl_makes_reading_fail(tmp_path: Path, line: str) -> None:
    good = '{"user": 1, "item": "a"}\n{"user": "1", "item": "a"}\n{"user": 2, "item": "a"}\n'
    (tmp_path / "t.jsonl").write_text(good + line + "\n")
    assert released(tmp_path / "t.jsonl", keys=["a"]) == {"a": 2}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    "name", ['a"; DROP TABLE events;--', "select", "", "naïve 😀", "x" * 5000, "user ", "column1", "a\nb"]
)
def test_columns_may_be_called_anything(name: str) -> None:
    arrow = pa.table({name: [1, 2], "item": ["a", "a"]})
    assert released(arrow, user=name, keys=["a"]) == {"a": 2}
    arrow = pa.table({"user": [1, 2], name: ["a", "a"]})
    assert released(arrow, by=name, keys=["a"]) == {"a": 2}


def test_several_columns_make_an_item() -> None:
    arrow = pa.table({"user": [1, 2, 2], "city": ["a", "a", "a,b"], "year": [2024, 2024, 2025]})
    assert released(arrow, by=["city", "year"], keys=[("a", 2024), ("a,b", 2025)]) == {
        ("a", 2024): 2,
        ("a,b", 2025): 1,
    }


def test_bins_of_numbers() -> None:
    """[0, 10) has its left end, the last bin both; what is outside or not a number is left out."""
    ages = pa.table({"user": list(range(8)), "age": [0.0, 9.99, 10.0, 100.0, 100.1, -1.0, float("nan"), None]})
    expected = {"[0, 10)": 2, "[10, 50)": 1, "[50, 100]": 1}
    assert released(ages, by="age", bins=[0, 10, 50, 100]) == expected
    text = pa.table({"user": list(range(5)), "age": ["0", "9.99", "ten", "10", "1e2"]}).to_pandas()
    assert released(text, by="age", bins=[0, 10, 50, 100]) == expected


def test_bins_of_dates() -> None:
    expected = {"[2024-01-01, 2024-02-01)": 2, "[2024-02-01, 2024-03-01]": 2}
    days = [date(2024, 1, 1), date(2024, 1, 31), date(2024, 2, 1), date(2024, 3, 1), date(2024, 3, 2), None]
    edges = ["2024-01-01", "2024-02-01", "2024-03-01"]
    for column in (days, [day and datetime(day.year, day.month, day.day) for day in days], [str(day) for day in days]):
        arrow = pa.table({"user": list(range(6)), "day": column})
        assert released(arrow, by="day", bins=edges) == expected
        assert released(arrow, by="day", bins=[date.fromisoformat(edge) for edge in edges]) == expected


def test_bins_of_several_columns() -> None:
    arrow = pa.table({"user": [1, 2], "age": [5, 15], "size": [1, 1]})
    found = released(arrow, by=["age", "size"], bins={"age": [0, 10, 20], "size": [0, 1, 2]})
    assert found == {
        ("[0, 10)", "[1, 2]"): 1,
        ("[10, 20]", "[1, 2]"): 1,
        ("[0, 10)", "[0, 1)"): 0,
        ("[10, 20]", "[0, 1)"): 0,
    }


def test_events_are_counted_by_row() -> None:
    assert released(ARROW, keys=KEYS, count="events") == {"a": 3, "b": 2, "é": 1, "e\u0301": 1}


def test_keys_are_text_of_any_kind_that_the_column_holds() -> None:
    arrow = pa.table({"user": [1, 2], "year": [2024, 2025]})
    assert released(arrow, by="year", keys=["2024", "2026"]) == {2024: 1, 2026: 0}
    arrow = pa.table({"user": [1, 2], "day": [date(2024, 1, 1), date(2024, 1, 2)]})
    assert released(arrow, by="day", keys=["2024-01-01"]) == {date(2024, 1, 1): 1}


def test_text_inside_quotes_is_never_rows(tmp_path: Path) -> None:
    """A well-formed CSV of 25 MB in which one person's values hold what looks like rows of a million others."""
    lines = "".join(f"fake {number},a\n" for number in range(120_000))
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["user", "item"])
        writer.writerows([f"person {number}", "a"] for number in range(300))
        writer.writerows(["mallory", lines[:1_900_000]] for _ in range(14))
    assert (tmp_path / "t.csv").stat().st_size > 20_000_000
    assert released(tmp_path / "t.csv", keys=["a"]) == {"a": 300}


def test_a_broken_line_of_a_jsonl_does_not_reach_the_next(tmp_path: Path) -> None:
    lines = [json.dumps({"user": f"person {number}", "item": "a"}) for number in range(300)]
    broken = [line for number, line in enumerate(lines) for line in [line, *['{"user": "x", "item": ['] * (number % 2)]]
    (tmp_path / "t.jsonl").write_text("\n".join(broken))
    assert released(tmp_path / "t.jsonl", keys=["a"]) == {"a": 300}


def test_numbers_of_a_jsonl_have_one_spelling(tmp_path: Path) -> None:
    users = ["1", "1.0", '"1"', "1e0", "9007199254740993", '"9007199254740993"', "2.5", "true", "null", "[1]"]
    (tmp_path / "t.jsonl").write_text("".join(f'{{"user": {user}, "item": "a"}}\n' for user in users))
    assert released(tmp_path / "t.jsonl", keys=["a"]) == {"a": 4}


def test_a_jsonl_has_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    """Its first line is a person's: it decides nothing. Names of columns are data here, too."""
    name = "a\"/~'b"
    (tmp_path / "t.jsonl").write_text('{"secret": 1}\n' + json.dumps({name: 1, "item": "a"}) + "\n")
    assert released(tmp_path / "t.jsonl", user=name, keys=["a"]) == {"a": 1}


def test_files_that_disagree_on_a_type_are_refused(tmp_path: Path) -> None:
    """5 and 5.0 would be two people."""
    for name, users in (("1", [5]), ("2", [5.0]), ("3", ["5"])):
        pq.write_table(pa.table({"user": users, "item": ["a"]}), tmp_path / f"{name}.parquet")
    with pytest.raises(NotATable) as refused:
        released(str(tmp_path / "*.parquet"), keys=["a"])
    assert str(refused.value) == (
        "the files do not agree on column 'user': double, int64, string. Fix: files in which it has the same type"
    )


def test_numbers_of_every_kind_are_one_person() -> None:
    ones = [1, 1.0, np.float32(1), np.float16(1), Decimal("1"), Decimal("1.0"), "1", np.int64(1), np.float64(1)]
    frame = pd.DataFrame({"user": pd.Series(ones, dtype=object), "item": "a"})
    assert released(frame, keys=["a"]) == {"a": 1}


CELLS = ["\ud800", 10**5000, Fraction(10**400), Decimal("sNaN"), Decimal("1e1000000"), float("inf")]
CELLS += [complex(1, 2), (1, 2), b"\xff"]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("cell", CELLS, ids=list(map(str, range(len(CELLS)))))
def test_no_object_makes_reading_fail(cell: Any) -> None:
    frame = pd.DataFrame({"user": pd.Series([1, 2, cell], dtype=object), "item": ["a", "a", "b"]})
    assert released(frame, keys=["a"]) == {"a": 2}
    frame = pd.DataFrame({"user": [1, 2, 3], "item": pd.Series(["a", "a", cell], dtype=object)})
    assert released(frame, keys=["a"]) == {"a": 2}


def test_categories_of_anything_are_text() -> None:
    frame = pd.DataFrame({"user": pd.Categorical([1, "1", "x"]), "item": pd.Categorical(["a", "a", 5])})
    assert released(frame, keys=["a", "5"]) == {"a": 1, "5": 1}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_of_every_unit(unit: str) -> None:
    """Also those that no file can hold: they are left out, and nothing fails."""
    moments = pa.array([0, 1, 1, 2**62], pa.int64()).cast(pa.timestamp(unit))
    arrow = pa.table({"user": [1, 2, 3, 4], "item": moments})
    assert sum(released(arrow, bins=["1970-01-01", "1971-01-01"]).values()) == 3
    zoned = pa.table({"user": [1, 2, 3, 4], "item": moments.cast(pa.timestamp(unit, "UTC"))})
    assert sum(released(zoned, bins=["1970-01-01", "1971-01-01"]).values()) == 3
    plan = hc.plan("histogram", arrow, user="user", by="item", epsilon=1, bound=1)
    assert plan.release(entropy=Fixed(1000)).table.num_rows >= 2 - (unit == "ns")


def test_a_collation_decides_nothing() -> None:
    """One person's spelling must not name everybody's item, nor count them under two keys."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (person VARCHAR, item VARCHAR COLLATE NOCASE)")
    connection.execute("INSERT INTO t VALUES ('a', 'APPLE')")
    connection.execute("INSERT INTO t SELECT 'p' || range, 'apple' FROM range(50)")
    people = ibis.duckdb.from_connection(connection).table("t")
    assert released(people, user="person", keys=["apple", "APPLE"]) == {"apple": 50, "APPLE": 1}
    plan = hc.plan("histogram", people, user="person", by="item", epsilon=1, bound=1)
    assert plan.release(entropy=Fixed(100)).table.to_pydict()["item"] == ["apple", "APPLE"]
    connection.execute("INSERT INTO t VALUES ('a', 'apple')")
    assert released(people, user="person", keys=["apple", "APPLE"], bound=2) == {"apple": 51, "APPLE": 1}


def test_other_engines_are_refused_for_now(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        connection.execute("CREATE TABLE t (user TEXT, item TEXT COLLATE NOCASE)")
    people = ibis.sqlite.connect(tmp_path / "t.sqlite").table("t")
    with pytest.raises(NotATable, match="an Ibis table on sqlite: not supported yet"):
        released(people, keys=["a"])


@pytest.mark.parametrize("column", ["self", "columns", "data"])
def test_columns_of_objects_may_be_called_anything(column: str) -> None:
    frame = pd.DataFrame({column: pd.Series([1, "2"], dtype=object), "item": "a"})
    assert released(frame, user=column, keys=["a"]) == {"a": 2}
