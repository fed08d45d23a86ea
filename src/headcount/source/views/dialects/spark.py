"""Spark: templates of which none can fail, whatever a row holds, and whether Spark is strict (ANSI) or not.

Spark has no TRY around any operation, but `try_cast`, `try_add`, `try_subtract`, `try_multiply` and `try_sum`; dividing
by 0 gives NULL. Floating-point numbers are compared and counted only. Text is valid UTF-8 from the start and compares
byte by byte, dates are between the years 1 and 9999, times are in UTC. How Spark has read the SQL is looked at once
more (`queries/spark_proved.py`).
"""

from typing import Any

from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.dialects.casts import is_so_already
from headcount.source.views.dialects.dialect import Dialect
from headcount.source.views.dialects.spark_casts import TYPES, column, holds
from headcount.source.views.dialects.spark_rules import check
from headcount.source.views.dialects.spark_sql import check_sql
from headcount.source.views.literals import digits, literal, text
from headcount.source.views.writing import COMPARISONS, LOGIC, RELATIONS, UNITS, VALUES

BIG = "CAST({} AS BIGINT)"
WIDE = "CAST({} AS DECIMAL(20, 0))"
"""A whole number as a decimal that no sign or quotient overflows."""
TEXTS = {
    "StringLength": "LENGTH({arg})",
    "StringContains": "CONTAINS({haystack}, {needle})",
    "StartsWith": "STARTSWITH({arg}, {start})",
    "EndsWith": "ENDSWITH({arg}, {end})",
    "StringSQLLike": "({arg} LIKE {pattern})",
}
DAYS = {
    **{
        f"Extract{part.title()}": f"{part}({{arg}})"
        for part in ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
    },
    "DayOfWeekIndex": "WEEKDAY({arg})",
}
NUMBERS = {
    "Modulus": f"({BIG.format('{left}')} % NULLIF({BIG.format('{right}')}, 0))",
    "Divide": "(CAST({left} AS DOUBLE) / NULLIF(CAST({right} AS DOUBLE), 0))",
    "FloorDivide": f"FLOOR(({WIDE.format('{left}')} / NULLIF({WIDE.format('{right}')}, 0)))",
    "Negate": "TRY_SUBTRACT(0, {arg})",
    "IsNan": "({arg} = TRY_CAST('NaN' AS DOUBLE))",
    "IsInf": "({arg} IN (TRY_CAST('Infinity' AS DOUBLE), TRY_CAST('-Infinity' AS DOUBLE)))",
}
"""Calculations, of which the result is brought into range (`rewriting.py`)."""
TEMPLATES = {
    **COMPARISONS,
    **LOGIC,
    **NUMBERS,
    **TEXTS,
    **DAYS,
    "IfElse": "CASE WHEN {bool_expr} THEN {true_expr} ELSE {false_null_expr} END",
    "NullIf": "NULLIF({arg}, {null_if_expr})",
}
AGGREGATES = {
    "Count": "COUNT({arg})",
    "CountDistinct": "COUNT(DISTINCT {arg})",
    "CountStar": "COUNT(*)",
    "Sum": "TRY_SUM(CAST({arg} AS DECIMAL(38, 8)))",
    "Min": "MIN({arg})",
    "Max": "MAX({arg})",
    "Any": "BOOL_OR({arg})",
    "All": "BOOL_AND({arg})",
}
SHARED = ("InValues", "InSubquery", "Coalesce", "Greatest", "Least", "SearchedCase", "StrRight", "WindowFunction")
"""Values that are written as on DuckDB."""
WHITE = r" \t\n\r\u000B\u000C"
"""`writing.WHITE`, as Spark reads it."""
TRIES = {"Add": "TRY_ADD", "Subtract": "TRY_SUBTRACT", "Multiply": "TRY_MULTIPLY"}


def _literal(query: Any, value: Any, aliases: Any) -> str:
    """A typed value. In a text Spark reads backslashes, and takes two quotes for the end of one text and another."""
    if value.dtype.is_string() and value.value is not None:
        return text(value.value, quote="\\'", backslash="\\\\")
    return literal(value, TYPES, "TRY_CAST")


def _try_cast(query: Any, value: Any, aliases: Any) -> str:
    sql = query.value(value.arg, aliases)
    return sql if is_so_already(value.arg, value.to) else column(sql, value.arg, value.to)


def _calculated(query: Any, value: Any, aliases: Any) -> str:
    """A calculation of exact numbers, whole ones with 64 bits; of floating-point ones a sum with 0.0, which makes 0.0
    of -0.0 (`rewriting.py`)."""
    operands = [query.value(each, aliases) for each in (value.left, value.right)]
    if value.dtype.is_floating():
        return _plus_zero(value, operands)
    if value.dtype.is_integer():
        operands = [BIG.format(each) for each in operands]
    return f"{TRIES[kind_of(value)]}({', '.join(operands)})"


def _plus_zero(value: Any, operands: list[str]) -> str:
    if kind_of(value) != "Add" or type(value.right) is not ops.Literal or value.right.value != 0:
        refusals.refuse("a calculation of floating-point numbers.", 'try_cast("decimal(18, 4)")')
    return f"({operands[0]} + {operands[1]})"


def _abs(query: Any, value: Any, aliases: Any) -> str:
    sql = query.value(value.arg, aliases)
    return f"ABS({WIDE.format(sql) if value.arg.dtype.is_integer() else sql})"


def _strip(query: Any, value: Any, aliases: Any) -> str:
    side = {"Strip": "BOTH", "LStrip": "LEADING", "RStrip": "TRAILING"}[kind_of(value)]
    return f"TRIM({side} '{WHITE}' FROM {query.value(value.arg, aliases)})"


def _substring(query: Any, value: Any, aliases: Any) -> str:
    """A part of a text, from a typed place on, of a typed length; neither is negative."""
    length = f", {digits(value.length.value)}" if value.length is not None else ""
    return f"SUBSTRING({query.value(value.arg, aliases)}, {digits(value.start.value + 1)}{length})"


def _truncate(query: Any, value: Any, aliases: Any) -> str:
    kind = "DATE" if value.dtype.is_date() else "TIMESTAMP_NTZ"
    start = f"DATE_TRUNC('{UNITS[value.unit.value]}', CAST({query.value(value.arg, aliases)} AS TIMESTAMP_NTZ))"
    return f"CAST({start} AS {kind})"


def _delta(query: Any, value: Any, aliases: Any) -> str:
    """Days between dates."""
    left, right = (query.value(each, aliases) for each in (value.left, value.right))
    return f"DATEDIFF(CAST({left} AS DATE), CAST({right} AS DATE))"


SPARK = Dialect(
    title="Spark",
    holds=holds,
    check=check,
    check_sql=check_sql,
    templates=TEMPLATES,
    values={
        **{kind: VALUES[kind] for kind in (*SHARED, *AGGREGATES)},
        "Literal": _literal,
        "TryCast": _try_cast,
        **dict.fromkeys(TRIES, _calculated),
        "Abs": _abs,
        **dict.fromkeys(("Strip", "LStrip", "RStrip"), _strip),
        "Substring": _substring,
        **dict.fromkeys(("DateTruncate", "TimestampTruncate"), _truncate),
        **dict.fromkeys(("DateDelta", "TimestampDelta"), _delta),
    },
    relations=RELATIONS,
    aggregates=AGGREGATES,
    quote="`",
    truth="CAST({} AS INT)",
    nulls_last=" NULLS LAST",
    comparisons_of_days=True,
)
