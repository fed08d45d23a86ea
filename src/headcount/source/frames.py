"""Tables in memory, as Arrow: pandas, polars, pyarrow, DuckDB relations. Only the columns that are needed are taken.

A pandas column of objects may hold 1 and "1" and 1.0: as text they are one person. Everything else has one type.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.errors import UnknownColumn
from headcount.source.engine import engine
from headcount.source.files import column_names

DIGITS = 400
"""Decimals with more digits are written with an exponent: 1e1000000 would be a long one."""
YEARS = 253_402_000_000
"""Seconds from 1970 to almost the year 10000."""
LONGEST = 13_000
"""Bits of a number that Python still writes in decimal digits."""


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
        return {column: self._type(column) for column in columns}

    def _type(self, column: str) -> dt.DataType:
        try:
            return _on_engine(self._frame.arrow([column], empty=True)).schema().types[0]
        except Exception:  # whatever the libraries between us do not know: no row was read
            raise UnknownColumn(f"column {column!r} is of a kind that cannot be read.", fix="numbers or text") from None

    def table(self, columns: Sequence[str]) -> ir.Table:
        """These columns on the engine: column0, column1, ..., so that no name can mean anything to it."""
        return _on_engine(self._frame.arrow(columns, empty=False))


def _on_engine(arrow: pa.Table) -> ir.Table:
    kinds = [_plain(kind) for kind in arrow.schema.types]
    arrow = arrow.rename_columns(column_names(len(kinds)))
    columns = [_in_years(column.cast(kind)) for column, kind in zip(arrow.columns, kinds, strict=True)]
    connection = engine()
    connection.con.register("events", pa.table(columns, names=arrow.column_names))
    return connection.table("events")


def _in_years(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Moments of seconds and milliseconds as microseconds; those after the year 9999, or as far before 1970, as
    missing: DuckDB would refuse the whole table."""
    kind = column.type
    if not pa.types.is_timestamp(kind) or kind.unit not in ("s", "ms"):
        return column
    factor, ticks = (10**6 if kind.unit == "s" else 10**3), column.cast(pa.int64())
    last = YEARS * 10**6 // factor
    within = pc.if_else(pc.and_(pc.less(ticks, last), pc.greater(ticks, -last)), ticks, pa.scalar(None, pa.int64()))
    return pc.multiply(within, factor).cast(pa.timestamp("us", kind.tz))


def _plain(kind: pa.DataType) -> pa.DataType:
    """Categories as what they are categories of; columns of nothing as text."""
    if isinstance(kind, pa.BaseExtensionType):
        raise TypeError(f"{kind} is more than its storage")
    if pa.types.is_null(kind):
        return pa.string()
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class _Pandas:
    def __init__(self, data: Any) -> None:
        self._data = data
        self.names = list(data.columns)

    def arrow(self, columns: Sequence[str], *, empty: bool) -> pa.Table:
        chosen = [self._data[column].iloc[:0] if empty else self._data[column] for column in columns]
        arrays = [pa.array(_as_text(each) if _of_objects(each.dtype) else each, from_pandas=True) for each in chosen]
        return pa.table(arrays, names=list(columns))


def _of_objects(kind: Any) -> bool:
    """Whether a pandas type may hold anything, alone or as categories; or texts of Python, which may be no Unicode."""
    inside = getattr(getattr(kind, "categories", None), "dtype", kind)
    return bool(inside == np.dtype(object)) or getattr(inside, "storage", "") == "python"


def _as_text(column: Any) -> pa.Array:
    """A pandas column of objects as text: 1, 1.0 and "1" are the same; what is missing stays missing."""
    try:
        return pa.array(column.astype(object), pa.string(), from_pandas=True)
    except (pa.ArrowException, ValueError):  # not only texts
        return pa.array([_tried(value) for value in column.astype(object)], pa.string())


def _tried(value: Any) -> str | None:
    """What cannot be written is missing, like what is not equal to itself: no cell may make the reading fail."""
    try:
        return None if value is None or value != value else _text(value)
    except Exception:
        return None


def _text(value: Any) -> str:
    """Numbers of every kind alike; text as it is, but for what is no Unicode."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return str(value)
    return _number(value)


def _number(value: Any) -> str:
    if isinstance(value, Integral):
        return str(int(value)) if int(value).bit_length() < LONGEST else hex(int(value))
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    return format(exact.normalize(), "f") if abs(exact.adjusted()) < DIGITS else str(exact)


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
