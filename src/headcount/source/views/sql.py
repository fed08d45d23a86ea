"""The SQL as run, looked at once more: every operation that can fail stands directly in a TRY of its own.

Ibis writes one operation as several functions now and then, and DuckDB may compute a part of what is in a TRY outside
of it (`fallible.py`). So inside a TRY there is one function of the list, of operands that cannot fail. Looked up by
exact class; what is in no list is refused.
"""

from typing import Any

import sqlglot
from sqlglot import expressions as sge

from headcount.source.views import refusals

STATEMENT = (
    *(sge.Select, sge.From, sge.Table, sge.TableAlias, sge.Subquery, sge.Join, sge.Where, sge.Group, sge.With, sge.CTE),
    *(sge.Union, sge.Intersect, sge.Except, sge.Distinct, sge.Alias, sge.Column, sge.Identifier, sge.Star, sge.Paren),
    *(sge.Order, sge.Ordered, sge.Window, sge.WindowSpec, sge.Filter, sge.Explode, sge.Unnest, sge.Tuple, sge.Having),
)
LOGIC = (
    *(sge.And, sge.Or, sge.Xor, sge.Not, sge.EQ, sge.NEQ, sge.GT, sge.GTE, sge.LT, sge.LTE, sge.Between, sge.In),
    *(sge.Is, sge.Null, sge.NullSafeEQ, sge.NullSafeNEQ, sge.Case, sge.If, sge.Coalesce, sge.Nullif, sge.Greatest),
    *(sge.Least, sge.TryCast, sge.DataType, sge.DataTypeParam, sge.Literal, sge.Boolean, sge.Var, sge.Neg),
)
AGGREGATES = (
    *(sge.Count, sge.Sum, sge.Avg, sge.Min, sge.Max, sge.Median, sge.PercentileCont, sge.PercentileDisc, sge.Quantile),
    *(sge.LogicalAnd, sge.LogicalOr, sge.BitwiseAndAgg, sge.BitwiseOrAgg, sge.BitwiseXorAgg, sge.ArrayAgg),
    *(sge.GroupConcat, sge.First, sge.Last, sge.FirstValue, sge.LastValue, sge.NthValue, sge.Lag, sge.Lead),
    *(sge.RowNumber, sge.Ntile, sge.Rank, sge.DenseRank, sge.PercentRank, sge.CumeDist, sge.IgnoreNulls),
)
NEVER_FAIL = (sge.Floor, sge.Ceil, sge.Round, sge.Length, sge.DayOfWeek, sge.Div)
"""Functions inside others that never fail: a division gives a floating-point number."""
HARMLESS = frozenset({*STATEMENT, *LOGIC, *AGGREGATES, *NEVER_FAIL})
SMALL = (sge.Add, sge.Sub, sge.Mod, sge.Mul)
PLACES = (sge.RowNumber, sge.Ntile, sge.Rank, sge.DenseRank)
PARTS = frozenset({"YEAR", "MONTH", "DAY", "QUARTER", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND"})
"""Parts of dates that never fail."""
ATTEMPTED = frozenset(
    {
        *(sge.Add, sge.Sub, sge.Mul, sge.Div, sge.IntDiv, sge.Mod, sge.Neg, sge.Abs, sge.Sqrt, sge.Ln, sge.Log),
        *(sge.Exp, sge.Pow, sge.Floor, sge.Ceil, sge.Round, sge.Sign, sge.Lower, sge.Upper, sge.Trim, sge.Length),
        *(sge.Substring, sge.Left, sge.Right, sge.DPipe, sge.Concat, sge.Replace, sge.Like, sge.ILike, sge.Contains),
        *(sge.StartsWith, sge.EndsWith, sge.RegexpLike, sge.RegexpExtract, sge.RegexpReplace, sge.Split, sge.Reverse),
        *(
            sge.TimestampTrunc,
            sge.DateTrunc,
            sge.DateDiff,
            sge.Extract,
            sge.TimeToStr,
            sge.Cast,
            sge.Date,
            sge.Interval,
        ),
        *(sge.ToDays, sge.DateFromParts, sge.IsNan, sge.IsInf, sge.Escape, sge.StrPosition, sge.Levenshtein),
        *(sge.BitwiseAnd, sge.BitwiseOr, sge.BitwiseXor, sge.BitwiseNot, sge.BitwiseLeftShift, sge.BitwiseRightShift),
        *(sge.StrToTime, sge.Unicode, sge.Sin, sge.Cos, sge.Tan, sge.Atan, sge.Atan2, sge.Asin, sge.Acos),
    }
)
"""Functions that may stand in a TRY, one in each."""
NAMED = frozenset({"LIST_EXTRACT", "LENGTH", "ISNAN", "ISINF", "TO_WEEKS", "TO_MONTHS", "TO_YEARS", "TO_HOURS"})
"""Functions that may stand in a TRY and that sqlglot does not know."""


def check_sql(sql: str) -> None:
    """Refuse SQL with an operation that can fail outside of a TRY of its own."""
    _check(sqlglot.parse_one(sql, read="duckdb"))


def _check(node: Any) -> None:
    if type(node) is sge.Try:
        _check_attempt(node.this)
    elif not (type(node) in HARMLESS or _is_small(node) or _is_constant(node) or _is_part(node)):
        refusals.no_proof(type(node).__name__ if type(node) is not sge.Anonymous else node.name)
    else:
        _check_children(node)


def _check_attempt(node: Any) -> None:
    """Check what is in a TRY."""
    while type(node) is sge.Paren:
        node = node.this
    if type(node) is sge.Decode and type(node.this) is sge.Encode:  # text byte by byte
        node = node.this
    elif type(node) in ATTEMPTED or (type(node) is sge.Anonymous and node.name.upper() in NAMED):
        pass
    else:
        _check(node)
        return
    _check_children(node)


def _check_children(node: Any) -> None:
    for each in node.iter_expressions():
        _check(each)


def _is_small(node: Any) -> bool:
    """True for sums of typed numbers, lengths, days of the week and places in a window."""
    if type(node) is sge.Paren:
        return _is_small(node.this)
    if type(node) in SMALL:
        return _is_small(node.left) and _is_small(node.right)
    if type(node) is sge.Window:
        return type(node.this) in PLACES  # Ibis counts from 0
    return type(node) in (sge.Length, sge.DayOfWeek) or (type(node) is sge.Literal and node.is_number)


def _is_constant(node: Any) -> bool:
    """True for functions of typed values by which a constant is written, and for what sqlglot writes in any and all."""
    if type(node) is sge.Cast and type(node.parent) in (sge.LogicalOr, sge.LogicalAnd):
        return bool(node.is_type("boolean"))
    written = type(node) in (sge.Cast, sge.DateFromParts, sge.Interval, sge.Neg, sge.TimestampFromParts)
    leaves = (sge.Literal, sge.DataType, sge.DataTypeParam, sge.Var, sge.Neg, sge.Cast, sge.Interval)
    return written and all(type(each) in leaves or each is node for each in node.walk())


def _is_part(node: Any) -> bool:
    return type(node) is sge.Extract and node.name.upper() in PARTS
