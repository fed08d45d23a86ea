"""Names, types and typed values in the SQL of a view: each is written in one way, and fits where it stands."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from math import isinf
from typing import Any
from uuid import UUID

from ibis.expr import datatypes as dt

from headcount.source.views import refusals

TYPES = {
    **{"int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT"},
    **{"uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT"},
    **{"float32": "REAL", "float64": "DOUBLE", "boolean": "BOOLEAN", "string": "TEXT"},
    **{"date": "DATE", "uuid": "UUID", "timestamp": "TIMESTAMP", "timestamp(6)": "TIMESTAMP"},
    **{"timestamp('UTC')": "TIMESTAMPTZ", "timestamp('UTC', 6)": "TIMESTAMPTZ"},
}
"""Types as Ibis and DuckDB name them."""


def type_name(kind: dt.DataType, types: Mapping[str, str] = TYPES) -> str:
    """Return a type as SQL; refuse one that columns of a view cannot have."""
    if kind.is_decimal() and kind.precision is not None and kind.scale is not None:
        return f"DECIMAL({kind.precision}, {kind.scale})"
    found = types.get(str(kind.copy(nullable=True)))
    if found is None:
        refusals.refuse(f"a value of type {kind}.", "numbers, text, dates, timestamps and UUIDs")
    return found


def quoted(name: str, quote: str = '"') -> str:
    """Return a name of a column or table as SQL."""
    return quote + name.replace(quote, 2 * quote) + quote


def digits(number: Any) -> str:
    """Return a whole number, in parentheses if it is negative."""
    return str(int(number)) if number >= 0 else f"(-{-int(number)})"


def literal(value: Any, types: Mapping[str, str] = TYPES, cast: str = "CAST") -> str:
    """Return a typed value as SQL."""
    kind, typed = value.dtype, value.value
    if typed is None:
        return "NULL" if kind.is_null() else f"{cast}(NULL AS {type_name(kind, types)})"
    if kind.is_string():
        return text(typed)
    if kind.is_boolean():
        return "TRUE" if typed else "FALSE"
    return f"{cast}({_number(typed) if kind.is_integer() else text(_spelled(kind, typed))} AS {type_name(kind, types)})"


def _number(typed: Any) -> str:
    return f"'{int(typed)}'"


def text(typed: str, quote: str = "''", backslash: str = "\\") -> str:
    """Return a typed text as SQL, of an engine that writes a quote and a backslash in it like this."""
    if not typed.isprintable():
        refusals.refuse("a text with a line break or a control character.", "letters, digits and signs")
    return "'" + typed.replace("\\", backslash).replace("'", quote) + "'"


def _spelled(kind: dt.DataType, typed: Any) -> str:
    """Return a number, a day, a time or a UUID as text that DuckDB reads without failing."""
    if kind.is_floating() and not isinf(typed):
        return repr(float(typed))
    if kind.is_decimal() and isinstance(typed, Decimal) and typed.is_finite():
        return f"{typed:f}"
    if kind.is_timestamp() and isinstance(typed, datetime) and typed.tzinfo is None:
        return typed.isoformat(" ", "microseconds")
    if kind.is_date() and type(typed) is date:
        return typed.isoformat()
    if kind.is_uuid() and isinstance(typed, UUID):
        return str(typed)
    return refusals.refuse(f"a constant of type {kind}.", "a number, a text, a date, or a time without a time zone")
