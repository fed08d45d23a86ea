"""Casts on Postgres that no value makes fail: what is out of range is missing.

Postgres has no TRY. So a value is brought into a range with one value more at each end, those two become NULL, and the
cast has nothing left that it could fail on. (LEAST and GREATEST pass NULL over: a missing value becomes the upper end,
and so NULL again. NaN is greater than all numbers, and infinity than all dates.) The value stands in it once: written
twice, a view of many steps would have no end.
"""

from collections.abc import Callable

from ibis.expr import datatypes as dt

from headcount.source.views.literals import type_name

TYPES = {
    **{"int8": "SMALLINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT"},
    **{"float64": "DOUBLE PRECISION", "boolean": "BOOLEAN", "string": "TEXT", "date": "DATE", "uuid": "UUID"},
    **{"timestamp": "TIMESTAMP", "timestamp(6)": "TIMESTAMP"},
}
"""Types as Ibis and Postgres name them."""
DIGITS = 38
"""Digits of the widest decimal."""
DATES = "CAST('0001-12-31 BC' AS DATE)", "CAST('10000-01-01' AS DATE)"
TIMES = "CAST('0001-12-31 23:59:59.999999 BC' AS TIMESTAMP)", "CAST('10000-01-01 00:00:00' AS TIMESTAMP)"
"""The values before and after those that Python and other engines have."""


def holds(kind: dt.DataType) -> bool:
    """True for types that a view may have on Postgres."""
    if kind.is_decimal():
        return kind.precision is not None and kind.scale is not None and 0 <= kind.scale <= kind.precision <= DIGITS
    return kind.is_string() or str(kind.copy(nullable=True)) in TYPES


def in_range(sql: str, low: str, high: str) -> str:
    """A value between two others, which are not in the range themselves; NULL outside."""
    return f"NULLIF(NULLIF(GREATEST(LEAST({sql}, {high}), {low}), {high}), {low})"


def numeric(sql: str) -> str:
    """A whole number or decimal as a decimal of any size."""
    return f"CAST({sql} AS NUMERIC)"


def cast(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    """A value of a type that views may have in another one, or checked to be in the range of its own."""
    return CASTS[_group(target)](sql, source, target)


def castable(source: dt.DataType, target: dt.DataType) -> bool:
    """True for casts that mean on Postgres what they mean on DuckDB."""
    return holds(source) and holds(target) and _group(source) in SOURCES[_group(target)]


def _group(kind: dt.DataType) -> str:
    families = ("integer", "decimal", "floating", "boolean", "string", "date", "timestamp", "uuid")
    return next(each for each in families if getattr(kind, f"is_{each}")())


def _integer(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    if source.is_boolean():
        return f"CAST(CAST({sql} AS INT) AS {type_name(target, TYPES)})"
    end = 2 ** (8 * target.nbytes - 1)
    inside = in_range(f"ROUND({numeric(sql)})", numeric(f"'{-end - 1}'"), numeric(f"'{end}'"))
    return f"CAST({inside} AS {type_name(target, TYPES)})"


def _decimal(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    end = 10 ** (target.precision - target.scale)
    inside = in_range(f"ROUND({numeric(sql)}, {target.scale})", numeric(f"'{-end}'"), numeric(f"'{end}'"))
    return f"CAST({inside} AS {type_name(target)})"


def _plain(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    """A cast of which every value is in range."""
    return f"CAST({sql} AS {type_name(target, TYPES)})"


def _text(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    return f'(CAST({sql} AS TEXT) COLLATE "C")'


def _date(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    return in_range(f"CAST({sql} AS DATE)", *DATES)


def _timestamp(sql: str, source: dt.DataType, target: dt.DataType) -> str:
    if source.is_date():
        return f"CAST({in_range(sql, *DATES)} AS TIMESTAMP)"
    return in_range(f"CAST({sql} AS TIMESTAMP)", *TIMES)


CASTS: dict[str, Callable[[str, dt.DataType, dt.DataType], str]] = {
    "integer": _integer,
    "decimal": _decimal,
    **dict.fromkeys(("floating", "boolean", "uuid"), _plain),
    "string": _text,
    "date": _date,
    "timestamp": _timestamp,
}
SOURCES = {
    "integer": {"integer", "decimal", "boolean"},
    "decimal": {"integer", "decimal"},
    "floating": {"floating", "integer", "decimal"},
    "boolean": {"boolean"},
    "string": {"string", "integer", "decimal", "date", "uuid", "boolean"},
    "date": {"date", "timestamp"},
    "timestamp": {"timestamp", "date"},
    "uuid": {"uuid"},
}
"""Types, and those that can become them without reading a text or a floating-point number."""
