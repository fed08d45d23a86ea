"""Aggregates and window functions that give the same whatever the order of rows, so whatever other people's rows are.

Sums of floating-point numbers are not among them: their last digits depend on the order in which the engine adds.
Those of ORDERED are, once their order is total (`rewriting.py`).
"""

from typing import Any

from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.ids import identical_if_equal

COUNTS = frozenset(
    {"Count", "CountStar", "CountDistinct", "CountDistinctStar", "Any", "All", "BitAnd", "BitOr", "BitXor"}
)
EXTREMES = frozenset({"Min", "Max", "Median", "Quantile"})
"""Values by their size."""
FRACTIONS = frozenset({"Median", "Quantile"})
SUMS = frozenset({"Sum", "Mean"})
ORDERED = frozenset({"First", "Last", "ArrayCollect", "GroupConcat"})
"""Values by their place, once no rows tie."""
REDUCTIONS = COUNTS | EXTREMES | SUMS | ORDERED
TIED = frozenset({"Mode", "Arbitrary", "ArgMin", "ArgMax"})
"""Values of one of several rows that tie."""
RANKS = frozenset({"MinRank", "DenseRank", "PercentRank", "CumeDist"})
"""Places that rows share if they tie."""
PLACES = frozenset({"RowNumber", "NTile", "Lag", "Lead", "NthValue"})
"""Window functions that mean nothing where rows tie."""
WIDEST = 28
"""Digits of decimals that no table is long enough to overflow: DuckDB adds with 38."""
CONSTANT = {"NTile": "buckets", "NthValue": "nth", "Lag": "offset", "Lead": "offset"}
"""Arguments that must be typed: the engine fails on some values."""
MOST = 10**6
"""The largest number of rows that a window may name."""


def check_reduction(value: Any) -> None:
    """Refuse an aggregate that depends on the order of rows, or that can fail by a row."""
    kind = kind_of(value)
    if isinstance(value, ops.AggUDF):
        refusals.own_function()
    if kind in TIED:
        refusals.tied(title(value))
    if kind not in REDUCTIONS:
        refusals.inexact(title(value))
    _check_typed(value)
    if kind in SUMS:
        _check_sum(value)
    if kind in EXTREMES:
        _check_extreme(value)
    if kind == "CountDistinct" and not identical_if_equal(value.arg.dtype):
        refusals.not_comparable("nunique()", value.arg.name, value.arg.dtype)
    if kind == "ArrayCollect" and value.distinct:
        refusals.tied("collect(distinct=True)")


def _check_typed(value: Any) -> None:
    """Refuse a fraction or a separator that is not typed, or with which the engine fails."""
    if kind_of(value) == "Quantile":
        given = value.quantile
        if kind_of(given) != "Literal" or not 0 <= given.value <= 1:
            refusals.not_a_constant("quantile()")
    if kind_of(value) == "GroupConcat" and (kind_of(value.sep) != "Literal" or value.sep.value is None):
        refusals.not_a_constant("group_concat()")


def _check_sum(value: Any) -> None:
    kind = value.arg.dtype
    if kind.is_decimal() and (kind.precision or WIDEST + 1) > WIDEST:
        refusals.wide_sum(title(value), kind)
    if not (kind.is_integer() or kind.is_boolean() or kind.is_decimal()):
        refusals.inexact_sum(title(value), kind)


def _check_extreme(value: Any) -> None:
    """Refuse an extreme of unlike values that are equal, and a fraction of what is no number: DuckDB computes with
    dates between two rows, and fails on some."""
    kind = value.arg.dtype
    if kind_of(value) in FRACTIONS and not (kind.is_integer() or kind.is_floating()):
        refusals.refuse(f"{title(value)}() of {kind}: one row could make the whole release fail.", "min(), max()")
    if not (identical_if_equal(kind) or kind.is_floating()):
        refusals.not_comparable(f"{title(value)}()", value.arg.name, kind)


def check_constant(value: Any) -> None:
    """Refuse an argument that is not typed, or with which the function fails as soon as there is a row."""
    name = CONSTANT.get(kind_of(value))
    given: Any = getattr(value, name) if name else None
    if given is not None:
        check_count(given, f"{title(value)}()")
    if kind_of(value) == "NTile" and given.value < 1:
        refusals.refuse(f"ntile({given.value}): there is no such part.", "ibis.ntile(4)")
    if getattr(value, "default", None) is not None:
        refusals.refuse(f"{title(value)}() with a default.", f"{title(value)}().coalesce(0) in a step of its own")


def check_count(value: Any, operation: str) -> None:
    """Refuse a number of rows that is not typed, or with which the engine fails as soon as there is a row."""
    while kind_of(value) in ("Cast", "WindowBoundary"):
        value = value.arg if kind_of(value) == "Cast" else value.value
    if kind_of(value) != "Literal" or not isinstance(value.value, int) or not 0 <= value.value <= MOST:
        refusals.not_a_constant(operation)


def title(value: Any) -> str:
    """What users call a function: sum, row_number."""
    kind = kind_of(value).rpartition(".")[2]
    spelled = "".join(f"_{char.lower()}" if char.isupper() else char for char in kind).strip("_")
    return {"min_rank": "rank", "n_tile": "ntile", "count_star": "count", "standard_dev": "std"}.get(spelled, spelled)
