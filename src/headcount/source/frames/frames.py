"""Frames in memory as Arrow: pandas, polars, pyarrow, DuckDB relations. Only the columns of the request are taken, by
position: no name means anything to a library.

All but pandas have a schema, which is checked before anything is charged: a column that is not refused then is readable
whatever its rows are (arrow_columns.py). pandas columns are read cell by cell (pandas_columns.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import pyarrow as pa

from headcount.errors import UnknownColumn
from headcount.source.engines.duckdb_connection import RELATION_LOCK, connect
from headcount.source.engines.engine import column_names
from headcount.source.engines.kinds import PLAIN, kind_named
from headcount.source.engines.registry import to_arrow
from headcount.source.engines.scan import MemoryScan, Scan
from headcount.source.expressions import dt
from headcount.source.frames import arrow_columns, pandas_columns
from headcount.source.frames.pandas_columns import Role
from headcount.source.queries import lazy_polars
from headcount.source.queries.on_duckdb import step_of_relation
from headcount.source.queries.step import Step


class Frame(Protocol):
    """A table in memory."""

    @property
    def names(self) -> Sequence[str]:
        """Names of all columns."""

    def kind(self, index: int) -> dt.DataType:
        """Type of a column. No row is read."""

    def read(self, indices: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        """Read columns together: the row order may differ at each call."""

    def query(self) -> Step | None:
        """Return a step that is not row by row; None for a table in memory. No row is read."""


class Wrapped:
    """A frame behind the interface of `Events`."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self.names = frame.names
        self.query = frame.query

    def types(self, columns: Sequence[str]) -> dict[str, dt.DataType]:
        """Types of columns."""
        return {column: self._type(column) for column in columns}

    def _type(self, column: str) -> dt.DataType:
        try:
            return self._frame.kind(self._place(column))
        except Exception:  # whatever the libraries between us do not know: no row was read
            raise UnknownColumn(f"column {column!r} is of a kind that cannot be read.", fix="numbers or text") from None

    def loaded(self, columns: Sequence[str], roles: Sequence[Role]) -> Callable[[], Scan]:
        """Convert columns now, and return a function that puts them on a DuckDB of ours, any number of times: column0,
        column1, ..."""
        read = self._frame.read([self._place(column) for column in columns], roles)
        known = [arrow_columns.plain(column) for column in read]
        return lambda: _on_engine(known)

    def _place(self, column: str) -> int:
        return list(self.names).index(column)


def _on_engine(columns: Sequence[pa.ChunkedArray]) -> Scan:
    rows = pa.table(list(columns), names=column_names(len(columns)))
    return MemoryScan(connect(), "events", rows=rows)


@lru_cache(maxsize=1024)
def _type_on_engine(kind: pa.DataType) -> dt.DataType:
    """Type of an Arrow type on DuckDB, if it is not plain, found by reading one NULL, no row of the data."""
    if is_refused(kind):
        return dt.DataType.from_pyarrow(kind)
    nothing = arrow_columns.plain(pa.chunked_array([pa.nulls(1, kind)]))
    plain = pa.string() if arrow_columns.is_text(nothing.type) else nothing.type
    if plain in PLAIN:
        return kind_named(PLAIN[plain])
    rows = _on_engine([nothing])
    to_arrow(rows.simplest)
    return rows.types[0]


def is_refused(kind: pa.DataType) -> bool:
    """True for types that cannot be a person, item, number or timestamp: the checks of the schema refuse them."""
    known = pa.types
    binary = known.is_binary(kind) or known.is_large_binary(kind)
    return bool(known.is_list(kind) or known.is_large_list(kind) or known.is_struct(kind) or binary)


class _InMemory:
    """Frames whose rows are there already."""

    def query(self) -> Step | None:
        return None


class _Pandas(_InMemory):
    """Every column is text: pandas types depend on rows."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = list(data.columns)

    def kind(self, index: int) -> dt.DataType:
        return kind_named("string")

    def read(self, indices: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        chosen = [self._data.iloc[:, index] for index in indices]
        return [pandas_columns.read(column, role) for column, role in zip(chosen, roles, strict=True)]


class _Polars:
    def __init__(self, data: Any) -> None:
        self._is_lazy = hasattr(data, "collect")
        self._data = data.lazy()
        self._schema = self._data.collect_schema()
        self.names = self._schema.names()

    def kind(self, index: int) -> dt.DataType:
        import polars as pl

        return _type_on_engine(pl.DataFrame(schema={"column": self._schema.dtypes()[index]}).to_arrow().schema.types[0])

    def read(self, indices: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        import polars as pl

        names = column_names(len(indices))
        chosen = self._data.select(*(pl.nth(index).alias(name) for index, name in zip(indices, names, strict=True)))
        return list(chosen.collect().to_arrow().columns)

    def query(self) -> Step | None:
        return lazy_polars.step_of(self._data) if self._is_lazy else None


class _Arrow(_InMemory):
    def __init__(self, data: pa.Table) -> None:
        self._data = data
        self.names = data.column_names

    def kind(self, index: int) -> dt.DataType:
        return _type_on_engine(self._data.schema.types[index])

    def read(self, indices: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        return [self._data.column(index) for index in indices]


class _Relation:
    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = data.columns

    def kind(self, index: int) -> dt.DataType:
        return _type_on_engine(self._rows([index], limit=0).schema.types[0])

    def read(self, indices: Sequence[int], roles: Sequence[Role]) -> list[pa.ChunkedArray]:
        return list(self._rows(indices).columns)

    def query(self) -> Step | None:
        with RELATION_LOCK:
            return step_of_relation(self._data)

    def _rows(self, indices: Sequence[int], limit: int | None = None) -> pa.Table:
        names = column_names(len(indices))
        with RELATION_LOCK:
            chosen = self._data.project(", ".join(map(self._column, indices, names)))
            return (chosen if limit is None else chosen.limit(limit)).to_arrow_table()

    def _column(self, index: int, name: str) -> str:
        """SQL of a column by position. 128-bit integers become decimals: Arrow has none, and they would wrap around."""
        wide = str(self._data.types[index]) in ("HUGEINT", "UHUGEINT")
        return f"TRY_CAST(#{index + 1} AS DECIMAL(38, 0)) AS {name}" if wide else f"#{index + 1} AS {name}"


KNOWN: dict[tuple[str, str], Callable[[Any], Frame]] = {
    ("pandas", "DataFrame"): _Pandas,
    ("polars", "DataFrame"): _Polars,
    ("polars", "LazyFrame"): _Polars,
    ("pyarrow", "Table"): _Arrow,
    ("_duckdb", "DuckDBPyRelation"): _Relation,
    ("duckdb", "DuckDBPyRelation"): _Relation,
}


def is_pandas(data: Any) -> bool:
    """True for pandas, whose types depend on rows."""
    return any(kind.__module__.partition(".")[0] == "pandas" for kind in type(data).__mro__)


def is_relation(data: Any) -> bool:
    """True for a relation on a DuckDB of the user's."""
    return any(kind.__name__ == "DuckDBPyRelation" for kind in type(data).__mro__)


def wrap(data: Any) -> Wrapped | None:
    """Wrap a frame without importing its library; None if it is no known frame."""
    for kind in type(data).__mro__:
        if known := KNOWN.get((kind.__module__.partition(".")[0], kind.__name__)):
            return Wrapped(known(data))
    return None
