"""Names of columns are names, whatever is in them: every reader, with a decoy that a library might take instead."""

from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.tables import released

from headcount.errors import BadParameter, UnknownColumn
from headcount.source import open_events

PEOPLE = 10
"""People with a bound of 1; as many ids as rows are in the decoys."""
ROWS = 200
NAMES = [
    "visits.user",
    "^user$",
    "^.*$",
    "*",
    '"user"',
    "`user`",
    "user ",
    "[user]",
    "{user}",
    "$user",
    "us\x00er",
    "#1",
]
NAMES += ["user; --", "user'", "column1", "self", "'user'", "user.user", "column0", "item.x", "naïve\n😀", "c.*", "%"]


def decoyed(name: str) -> pa.Table:
    """Few people in the column of this name, many in those that it might be taken for."""
    many = list(range(ROWS))
    few = [row % PEOPLE for row in many]
    return pa.table({"user": many, "x": many, name: few, "y": many, "item": ["a"] * ROWS})


def database(table: pa.Table) -> Any:
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE visits AS SELECT * FROM given")
    return connection


def relation(table: pa.Table) -> Any:
    return database(table).sql("SELECT * FROM visits")


def on_ibis(table: pa.Table) -> Any:
    return ibis.duckdb.from_connection(database(table)).table("visits")


READERS: dict[str, Any] = {
    "pyarrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.DataFrame,
    "polars lazy": lambda table: pl.DataFrame(table).lazy(),
    "duckdb": relation,
    "ibis": on_ibis,
    "ibis in memory": ibis.memtable,
}
NO_NUL = ("duckdb", "ibis", "ibis in memory")
OWN_NAMES = [reader for reader in READERS if reader not in NO_NUL]
"""DuckDB itself gives other names to columns that differ in capitals only."""


def people(data: Any, user: str) -> int:
    """How many different people are read."""
    table = open_events(data, [user, "item"]).table()
    return int(table["column0"].nunique().to_pyarrow().as_py())


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_a_name(name: str, reader: str) -> None:
    """Never another column; a name that the library itself does not keep is refused by the schema."""
    data = READERS[reader](decoyed(name))
    if "\x00" in name and reader in NO_NUL:
        with pytest.raises(UnknownColumn):
            open_events(data, [name, "item"])
    else:
        assert people(data, name) == PEOPLE


@pytest.mark.parametrize("reader", READERS)
def test_a_name_in_a_release(reader: str) -> None:
    name = "visits.user"
    assert released(READERS[reader](decoyed(name)), user=name, keys=["a"], bound=1) == {"a": PEOPLE}


@pytest.mark.parametrize("reader", OWN_NAMES)
def test_names_that_differ_in_capitals_only_are_refused(reader: str) -> None:
    """Some engines take them for one; so none of them is read, by any reader."""
    data = READERS[reader](pa.table({"User": [1], "user": [1], "item": ["a"], "X": [1], "x": [2]}))
    with pytest.raises(BadParameter) as refused:
        open_events(data, ["user", "item"])
    assert str(refused.value) == (
        "there are columns 'user' and 'User', which differ in capitals only. Fix: give them different names"
    )
    with pytest.raises(UnknownColumn):
        open_events(data, ["USER", "item"])


@pytest.mark.parametrize("reader", OWN_NAMES)
def test_names_that_differ_in_capitals_elsewhere_do_not_matter(reader: str) -> None:
    data = READERS[reader](pa.table({"user": [1, 2], "item": ["a", "a"], "X": [1, 1], "x": [2, 2]}))
    assert people(data, "user") == 2


def test_names_of_pandas_that_are_no_text() -> None:
    frame = pd.DataFrame([[1, 2, "a"], [1, 3, "a"]], columns=["user", 0, "item"])
    assert people(frame, "user") == 1
    with pytest.raises(UnknownColumn):
        open_events(frame, ["0", "item"])
    for columns in (["user", "user", "item"], pd.MultiIndex.from_tuples([("user", ""), ("user", "x"), ("item", "")])):
        frame.columns = pd.Index(columns) if isinstance(columns, list) else columns
        with pytest.raises((BadParameter, UnknownColumn)):
            open_events(frame, ["user", "item"])


def test_an_index_of_pandas_is_no_column_and_may_be_anything() -> None:
    frame = pd.DataFrame({"user": [1, 2, 2], "item": pd.Categorical(["a", "a", "b"])}, index=[7, 7, 3])
    for odd in (frame, frame.set_index("user", drop=False), frame.iloc[::-1], frame[frame["user"] > 0]):
        assert released(odd, keys=["a", "b"]) == {"a": 2, "b": 1}
