"""Casts on Spark that no value makes fail: `TRY_CAST`, which follows one set of rules in every mode of a session."""

from typing import Any

from ibis.expr import datatypes as dt

from headcount.source.views.dialects.casts import is_stored
from headcount.source.views.literals import type_name

TYPES = {
    **{"int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT"},
    **{"float64": "DOUBLE", "boolean": "BOOLEAN", "string": "STRING", "date": "DATE"},
    **{"timestamp": "TIMESTAMP_NTZ", "timestamp(6)": "TIMESTAMP_NTZ"},
}
"""Types as Ibis and Spark name them."""
DIGITS = 38
"""Digits of the widest decimal."""
RANGES = {
    "DATE": ("0001-01-01", "9999-12-31"),
    "TIMESTAMP_NTZ": ("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"),
}
"""The dates and times that Python and other engines have. What is computed from these stays among them."""


def holds(kind: dt.DataType) -> bool:
    """True for types that a view may have on Spark."""
    if kind.is_decimal():
        return kind.precision is not None and kind.scale is not None and 0 <= kind.scale <= kind.precision <= DIGITS
    return kind.is_string() or str(kind.copy(nullable=True)) in TYPES


def cast(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    """A value of a type that views may have in another one. (Spark drops the digits that a whole number has not.)"""
    rounded = f"ROUND({sql}, 0)" if source.is_decimal() and target.is_integer() else sql
    return f"TRY_CAST({rounded} AS {type_name(target, TYPES)})"


def stored(sql: str, kind: dt.DataType) -> str:
    """A column of a table: text is valid UTF-8, times are in UTC, dates and times are those that all engines have."""
    if kind.is_string():
        return f"CAST(ENCODE({sql}, 'UTF-8') AS STRING)"
    name = type_name(kind, TYPES)
    if name not in RANGES:
        return cast(sql, kind, kind)
    low, high = (f"TRY_CAST('{each}' AS {name})" for each in RANGES[name])
    plain = f"CAST({sql} AS {name})"
    return f"CASE WHEN ({plain} BETWEEN {low} AND {high}) THEN {plain} END"


def castable(source: dt.DataType, target: dt.DataType) -> bool:
    """True for casts that mean on Spark what they mean on DuckDB."""
    return holds(source) and holds(target) and _group(source) in SOURCES[_group(target)]


def column(sql: str, value: Any, kind: dt.DataType) -> str:
    """A value in a type."""
    return stored(sql, kind) if is_stored(value) else cast(sql, value.dtype, kind)


def _group(kind: dt.DataType) -> str:
    families = ("integer", "decimal", "floating", "boolean", "string", "date", "timestamp")
    return next(each for each in families if getattr(kind, f"is_{each}")())


SOURCES = {
    "integer": {"integer", "decimal", "boolean"},
    "decimal": {"integer", "decimal"},
    "floating": {"floating", "integer", "decimal"},
    "boolean": {"boolean"},
    "string": {"string", "integer", "decimal", "date", "boolean"},
    "date": {"date", "timestamp"},
    "timestamp": {"timestamp", "date"},
}
"""Types, and those that can become them without reading a text or a floating-point number."""
