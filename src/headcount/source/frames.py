"""Tables in memory, as Arrow: pandas, polars, pyarrow, DuckDB relations. Only the columns that are needed are taken.

A pandas column of objects may hold 1 and "1" and 1.0: as text they are one person. Everything else has one type.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.source.files import column_names, engine


class Frame(Protocol):
    """A table in memory."""

    @property
    def names(self) -> Sequence[str]:
        """All its columns."""

    def arrow(self, columns: Sequence[str], *, empty: bool) -> pa.Table:
        """Some of its columns; if `empty`, without their rows."""


class Wrapped:
    """A frame, as Events need it."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self.names = frame.names

    def types(self, columns: Sequence[str]) -> dict[str, dt.DataType]:
        """The types that these columns have on the engine."""
        kinds = _on_engine(self._frame.arrow(columns, empty=True)).schema().types
        return dict(zip(columns, kinds, strict=True))

    def table(self, columns: Sequence[str]) -> ir.Table:
        """These columns on the engine: column0, column1, ..., so that no name can mean anything to it."""
        return _on_engine(self._frame.arrow(columns, empty=False))


def _on_engine(arrow: pa.Table) -> ir.Table:
    kinds = [pa.string() if pa.types.is_null(kind) else _decoded(kind) for kind in arrow.schema.types]
    arrow = arrow.rename_columns(column_names(len(kinds)))
    connection = engine()
    connection.con.register("events", arrow.cast(pa.schema(zip(arrow.column_names, kinds, strict=True))))
    return connection.table("events")


def _decoded(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class _Pandas:
    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = list(data.columns)

    def arrow(self, columns: Sequence[str], *, empty: bool) -> pa.Table:
        chosen = self._data[list(columns)]
        objects = [column for column in columns if chosen[column].dtype == object]
        if empty:
            return pa.Table.from_pandas(chosen.iloc[:0], preserve_index=False)
        return pa.Table.from_pandas(
            chosen.assign(**{column: _as_text(chosen[column]) for column in objects}), preserve_index=False
        )


def _as_text(column: Any) -> Any:
    """A pandas column of objects as text: 1, 1.0 and "1" are the same; what is missing stays missing."""
    import pandas as pd

    present = column.where(column.notna(), None)
    if pd.api.types.infer_dtype(present, skipna=True) != "string":
        present = present.map(_text, na_action="ignore")
    return present.astype("string")


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


class _Polars:
    def __init__(self, data: Any) -> None:
        self._data = data.lazy()
        self.names = self._data.collect_schema().names()

    def arrow(self, columns: Sequence[str], *, empty: bool) -> pa.Table:
        import polars as pl

        chosen = self._data.select(list(columns))
        frame = pl.DataFrame(schema=chosen.collect_schema()) if empty else chosen.collect()
        table: pa.Table = frame.to_arrow()
        return table


class _Arrow:
    def __init__(self, data: pa.Table) -> None:
        self._data = data
        self.names = data.column_names

    def arrow(self, columns: Sequence[str], *, empty: bool) -> pa.Table:
        chosen = self._data.select(list(columns))
        return chosen.slice(0, 0) if empty else chosen


class _Relation:
    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = data.columns

    def arrow(self, columns: Sequence[str], *, empty: bool) -> pa.Table:
        from duckdb import ColumnExpression

        chosen = self._data.select(*map(ColumnExpression, columns))
        return (chosen.limit(0) if empty else chosen).to_arrow_table()


KNOWN: dict[tuple[str, str], Callable[[Any], Frame]] = {
    ("pandas", "DataFrame"): _Pandas,
    ("polars", "DataFrame"): _Polars,
    ("polars", "LazyFrame"): _Polars,
    ("pyarrow", "Table"): _Arrow,
    ("_duckdb", "DuckDBPyRelation"): _Relation,
    ("duckdb", "DuckDBPyRelation"): _Relation,
}


def wrap(data: Any) -> Wrapped | None:
    """The frame behind `data`, without importing the library it comes from; None if it is no frame that is known."""
    for kind in type(data).__mro__:
        if known := KNOWN.get((kind.__module__.partition(".")[0], kind.__name__)):
            return Wrapped(known(data))
    return None
