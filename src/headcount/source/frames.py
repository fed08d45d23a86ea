"""Tables in memory, as Arrow: pandas, polars, pyarrow, DuckDB relations. Only the columns that are needed are taken, by
their places: no name means anything to a library.

All but pandas have a schema of their own. What it tells is seen before anything is charged: a column that is not
refused then is read whatever its rows are (arrow_columns.py). What pandas has is read cell by cell (pandas_columns.py).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.errors import UnknownColumn
from headcount.source import arrow_columns, pandas_columns
from headcount.source.engine import column_names, engine
from headcount.source.exclusive import RELATION_LOCK
from headcount.source.fetched import fetched
from headcount.source.pandas_columns import Role


class Frame(Protocol):
    """A table in memory."""

    @property
    def names(self) -> Sequence[str]:
        """All its columns."""

    def kind(self, place: int) -> dt.DataType:
        """The type of a column: no row is read."""

    def read(self, places: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        """The rows of some columns, read together: each time they may come in another order."""


class Wrapped:
    """A frame, as Events need it."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self.names = frame.names

    def types(self, columns: Sequence[str]) -> dict[str, dt.DataType]:
        """The types of these columns."""
        return {column: self._type(column) for column in columns}

    def _type(self, column: str) -> dt.DataType:
        try:
            return self._frame.kind(self._place(column))
        except Exception:  # whatever the libraries between us do not know: no row was read
            raise UnknownColumn(f"column {column!r} is of a kind that cannot be read.", fix="numbers or text") from None

    def table(self, columns: Sequence[str], roles: Sequence[Role]) -> ir.Table:
        """These columns on the engine: column0, column1, ..."""
        return self.loaded(columns, roles)()

    def loaded(self, columns: Sequence[str], roles: Sequence[Role]) -> Callable[[], ir.Table]:
        """The same, converted now, for being read more than once."""
        read = self._frame.read([self._place(column) for column in columns], roles)
        known = [arrow_columns.plain(column) for column in read]
        return lambda: _on_engine(known)

    def _place(self, column: str) -> int:
        return list(self.names).index(column)


def _on_engine(columns: Sequence[pa.ChunkedArray]) -> ir.Table:
    connection = engine()
    connection.con.register("events", pa.table(list(columns), names=column_names(len(columns))))
    return connection.table("events")


@lru_cache(maxsize=1024)
def _type_on_engine(kind: pa.DataType) -> dt.DataType:
    """The type that a column of this Arrow type has on the engine, once that has read a row: not one of the data's."""
    if is_refused(kind):
        return dt.DataType.from_pyarrow(kind)
    table = _on_engine([arrow_columns.plain(pa.chunked_array([pa.nulls(1, kind)]))])
    fetched(table)
    return table.schema().types[0]


def is_refused(kind: pa.DataType) -> bool:
    """Whether it is neither person nor item nor number nor moment: the question will say so, and what it is."""
    known = pa.types
    binary = known.is_binary(kind) or known.is_large_binary(kind)
    return bool(known.is_list(kind) or known.is_large_list(kind) or known.is_struct(kind) or binary)


class _Pandas:
    """All text: its types depend on its rows."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = list(data.columns)

    def kind(self, place: int) -> dt.DataType:
        return dt.string

    def read(self, places: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        chosen = [self._data.iloc[:, place] for place in places]
        return [pandas_columns.read(column, role) for column, role in zip(chosen, roles, strict=True)]


class _Polars:
    def __init__(self, data: Any) -> None:
        self._data = data.lazy()
        self._schema = self._data.collect_schema()
        self.names = self._schema.names()

    def kind(self, place: int) -> dt.DataType:
        import polars as pl

        return _type_on_engine(pl.DataFrame(schema={"column": self._schema.dtypes()[place]}).to_arrow().schema.types[0])

    def read(self, places: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        import polars as pl

        names = column_names(len(places))
        chosen = self._data.select(*(pl.nth(place).alias(name) for place, name in zip(places, names, strict=True)))
        return list(chosen.collect().to_arrow().columns)


class _Arrow:
    def __init__(self, data: pa.Table) -> None:
        self._data = data
        self.names = data.column_names

    def kind(self, place: int) -> dt.DataType:
        return _type_on_engine(self._data.schema.types[place])

    def read(self, places: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        return [self._data.column(place) for place in places]


class _Relation:
    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = data.columns

    def kind(self, place: int) -> dt.DataType:
        return _type_on_engine(self._fetched([place], limit=0).schema.types[0])

    def read(self, places: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        return list(self._fetched(places).columns)

    def _fetched(self, places: Sequence[int], limit: int | None = None) -> pa.Table:
        names = column_names(len(places))
        with RELATION_LOCK:
            chosen = self._data.project(", ".join(map(self._column, places, names)))
            return (chosen if limit is None else chosen.limit(limit)).to_arrow_table()

    def _column(self, place: int, name: str) -> str:
        """A column by its place. Integers of 128 bits as decimals: Arrow has none, and they would wrap around."""
        wide = str(self._data.types[place]) in ("HUGEINT", "UHUGEINT")
        return f"TRY_CAST(#{place + 1} AS DECIMAL(38, 0)) AS {name}" if wide else f"#{place + 1} AS {name}"


KNOWN: dict[tuple[str, str], Callable[[Any], Frame]] = {
    ("pandas", "DataFrame"): _Pandas,
    ("polars", "DataFrame"): _Polars,
    ("polars", "LazyFrame"): _Polars,
    ("pyarrow", "Table"): _Arrow,
    ("_duckdb", "DuckDBPyRelation"): _Relation,
    ("duckdb", "DuckDBPyRelation"): _Relation,
}


def is_pandas(data: Any) -> bool:
    """Whether its types follow from its rows."""
    return any(kind.__module__.partition(".")[0] == "pandas" for kind in type(data).__mro__)


def is_relation(data: Any) -> bool:
    """Whether its rows come from a DuckDB of the user's own."""
    return any(kind.__name__ == "DuckDBPyRelation" for kind in type(data).__mro__)


def wrap(data: Any) -> Wrapped | None:
    """The frame behind `data`, without importing the library it comes from; None if it is no frame that is known."""
    for kind in type(data).__mro__:
        if known := KNOWN.get((kind.__module__.partition(".")[0], kind.__name__)):
            return Wrapped(known(data))
    return None
