"""Postgres: templates of which none can fail, whatever a row holds.

Postgres has no TRY, and an error in one row ends the query. So each operation is one that has a value for every row:
whole numbers and decimals are calculated with as decimals of any size (NUMERIC) and brought back into the range of
their type (`postgres_casts.py`); floating-point numbers, which overflow, are compared and counted only; dividing by 0
gives NULL. Dates are between the years 1 and 9999 from the start. Text is in the collation "C" from the start, typed
text too. Functions and operators are those of pg_catalog: no other schema is looked into (`engines/postgres.py`).
"""

from typing import Any

from ibis.expr import datatypes as dt
from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.dialects.casts import is_so_already
from headcount.source.views.dialects.dialect import Dialect
from headcount.source.views.dialects.postgres_casts import TYPES, cast, holds, numeric
from headcount.source.views.dialects.postgres_rules import check
from headcount.source.views.dialects.postgres_sql import check_sql
from headcount.source.views.literals import digits, literal
from headcount.source.views.writing import (
    COMPARISONS,
    JOINS,
    LOGIC,
    RELATIONS,
    UNITS,
    VALUES,
    WHITE,
    join_condition,
)

TEXTS = {
    "StringLength": "LENGTH({arg})",
    "StringContains": "(STRPOS({haystack}, {needle}) > 0)",
    "StartsWith": "STARTS_WITH({arg}, {start})",
    "StringSQLLike": "({arg} LIKE {pattern} ESCAPE '')",
}
EXTRACTS = {
    f"Extract{part.title()}": f"FLOOR(EXTRACT({part} FROM {{arg}}))"
    for part in ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
}
DAYS = {**EXTRACTS, "DayOfWeekIndex": "(EXTRACT(ISODOW FROM {arg}) - 1)"}
"""Parts of dates, as decimals. They are finite since dates are, and small."""
NUMBERS = {
    "Subtract": f"({numeric('{left}')} - {numeric('{right}')})",
    "Multiply": f"({numeric('{left}')} * {numeric('{right}')})",
    "Modulus": f"MOD({numeric('{left}')}, NULLIF({numeric('{right}')}, 0))",
    "Divide": "(CAST({left} AS DOUBLE PRECISION) / NULLIF(CAST({right} AS DOUBLE PRECISION), 0))",
    "FloorDivide": f"FLOOR((CAST({{left}} AS NUMERIC(40, 20)) / NULLIF({numeric('{right}')}, 0)))",
    "Negate": f"(-({numeric('{arg}')}))",
    "Abs": f"ABS({numeric('{arg}')})",
    "IsNan": "({arg} = CAST('NaN' AS DOUBLE PRECISION))",
    "IsInf": "({arg} IN (CAST('Infinity' AS DOUBLE PRECISION), CAST('-Infinity' AS DOUBLE PRECISION)))",
}
"""Calculations of whole numbers and decimals, of which the result is brought into range (`rewriting.py`). A quotient of
whole numbers of 64 bits differs from the next whole number by more than 20 digits behind the point can lose."""
TEMPLATES = {
    **COMPARISONS,
    **LOGIC,
    **NUMBERS,
    **TEXTS,
    **{kind: cast(sql, dt.int32, dt.int32) for kind, sql in DAYS.items()},
    "IfElse": "CASE WHEN {bool_expr} THEN {true_expr} ELSE {false_null_expr} END",
    "NullIf": "NULLIF({arg}, {null_if_expr})",
}
AGGREGATES = {
    "Count": "COUNT({arg})",
    "CountDistinct": "COUNT(DISTINCT {arg})",
    "CountStar": "COUNT(*)",
    "Sum": f"SUM({numeric('{arg}')})",
    "Mean": f"AVG({numeric('{arg}')})",
    "Min": "MIN({arg})",
    "Max": "MAX({arg})",
    "Any": "BOOL_OR({arg})",
    "All": "BOOL_AND({arg})",
}
SHARED = ("InValues", "InSubquery", "Coalesce", "Greatest", "Least", "SearchedCase", "StrRight", "WindowFunction")
"""Values that are written as on DuckDB."""
FILTERS = ("semi", "anti")


def _literal(query: Any, value: Any, aliases: Any) -> str:
    """A typed value. Text is in the collation "C", or else in the database's."""
    sql = literal(value, TYPES)
    return f'(CAST({sql} AS TEXT) COLLATE "C")' if value.dtype.is_string() else sql


def _try_cast(query: Any, value: Any, aliases: Any) -> str:
    sql = query.value(value.arg, aliases)
    return sql if is_so_already(value.arg, value.to) else cast(sql, value.arg.dtype, value.to)


def _add(query: Any, value: Any, aliases: Any) -> str:
    """A sum of exact numbers; of floating-point ones only with 0.0, which makes 0.0 of -0.0 (`rewriting.py`)."""
    left, right = (query.value(each, aliases) for each in (value.left, value.right))
    if not value.dtype.is_floating():
        return f"({numeric(left)} + {numeric(right)})"
    if type(value.right) is not ops.Literal or value.right.value != 0:
        refusals.refuse("a sum of floating-point numbers.", 'try_cast("decimal(18, 4)")')
    return f"({left} + {right})"


def _strip(query: Any, value: Any, aliases: Any) -> str:
    function = {"Strip": "BTRIM", "LStrip": "LTRIM", "RStrip": "RTRIM"}[kind_of(value)]
    return f"{function}({query.value(value.arg, aliases)}, '{WHITE}')"


def _substring(query: Any, value: Any, aliases: Any) -> str:
    """A part of a text, from a typed place on, of a typed length; neither is negative."""
    length = f", {digits(value.length.value)}" if value.length is not None else ""
    return f"SUBSTR({query.value(value.arg, aliases)}, {digits(value.start.value + 1)}{length})"


def _truncate(query: Any, value: Any, aliases: Any) -> str:
    kind = "DATE" if value.dtype.is_date() else "TIMESTAMP"
    start = f"DATE_TRUNC('{UNITS[value.unit.value]}', CAST({query.value(value.arg, aliases)} AS TIMESTAMP))"
    return f"CAST({start} AS {kind})"


def _delta(query: Any, value: Any, aliases: Any) -> str:
    """Days between dates."""
    left, right = (query.value(each, aliases) for each in (value.left, value.right))
    return f"(CAST({left} AS DATE) - CAST({right} AS DATE))"


def _join(query: Any, node: Any) -> str:
    """A join, with semi and anti joins as conditions behind it: Postgres has no others."""
    aliases = {each: query.alias() for each in (node.first, *(link.table for link in node.rest))}
    tables, conditions = f"{query.name(node.first)} AS {aliases[node.first]}", []
    for link in node.rest:
        other, on = f"{query.name(link.table)} AS {aliases[link.table]}", join_condition(query, link, aliases)
        if link.how in FILTERS:
            found = f"EXISTS(SELECT 1 FROM {other} WHERE {on})"
            conditions.append(found if link.how == "semi" else f"(NOT {found})")
        else:
            tables += f" {JOINS[link.how]} {other}" + (f" ON {on}" if link.how != "cross" else "")
    where = f" WHERE ({' AND '.join(conditions)})" if conditions else ""
    return f"SELECT {query.columns(node.values, aliases)} FROM {tables}{where}"


POSTGRES = Dialect(
    title="Postgres",
    holds=holds,
    check=check,
    check_sql=check_sql,
    templates=TEMPLATES,
    values={
        **{kind: VALUES[kind] for kind in (*SHARED, *AGGREGATES)},
        "Literal": _literal,
        "TryCast": _try_cast,
        "Add": _add,
        **dict.fromkeys(("Strip", "LStrip", "RStrip"), _strip),
        "Substring": _substring,
        **dict.fromkeys(("DateTruncate", "TimestampTruncate"), _truncate),
        **dict.fromkeys(("DateDelta", "TimestampDelta"), _delta),
    },
    relations={**RELATIONS, ops.JoinChain: _join},
    aggregates=AGGREGATES,
    quote='"',
    truth="CAST({} AS INT)",
    nulls_last=" NULLS LAST",
    comparisons_of_days=True,
)
