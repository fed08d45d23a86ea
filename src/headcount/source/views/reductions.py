"""Aggregates and window functions that give the same whatever the order of rows, so whatever other people's rows are.

Sums of floating-point numbers are not among them: their last digits depend on the order in which the engine adds.
Values by the place of a row are, once no two unlike rows tie (`rewriting.py`).
"""

from typing import Any

from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.ids import identical_if_equal
from headcount.source.views.writing import AGGREGATES

FRACTIONS = frozenset({"Median", "Quantile"})
EXTREMES = frozenset({"Min", "Max", *FRACTIONS})
"""Values by their size."""
SUMS = frozenset({"Sum", "Mean"})
TRUTHS = frozenset({"Any", "All"})
REDUCTIONS = frozenset(AGGREGATES)
OF_WINDOWS = frozenset({"Count", "CountStar", "Min", "Max", *SUMS, *TRUTHS})
"""Aggregates that may stand over a window."""
TIED = frozenset({"Mode", "Arbitrary", "ArgMin", "ArgMax", "First", "Last", "ArrayCollect", "GroupConcat"})
"""Values by the place of rows, of which several may tie."""
RANKS = frozenset({"MinRank", "DenseRank"})
"""Places that rows share if they tie."""
PLACES = frozenset({"RowNumber", "Lag", "Lead"})
"""Window functions that mean nothing where rows tie."""
WIDEST = 28
"""Digits of decimals that no table is long enough to overflow: DuckDB adds with 38."""
MOST = 10**6
"""The largest number of rows that a window may name."""


def check_reduction(value: Any, user: str) -> None:
    """Refuse an aggregate that depends on the order of rows, or that can fail by a row."""
    kind = kind_of(value)
    if isinstance(value, ops.AggUDF):
        refusals.own_function()
    if kind in TIED:
        refusals.tied(title(value), user)
    if kind not in REDUCTIONS:
        refusals.inexact(title(value))
    _check_fraction(value)
    if kind in TRUTHS and not value.arg.dtype.is_boolean():
        refusals.refuse(f"{title(value)}() of {value.arg.dtype}.", f"(_.x > 0).{title(value)}()")
    if kind in SUMS:
        _check_sum(value)
    if kind in EXTREMES:
        _check_extreme(value)
    if kind == "CountDistinct" and not identical_if_equal(value.arg.dtype):
        refusals.not_comparable("nunique()", value.arg.name, value.arg.dtype)


def _check_fraction(value: Any) -> None:
    """Refuse a fraction that is not typed, or with which the engine fails."""
    if kind_of(value) == "Quantile":
        given = value.quantile
        if kind_of(given) != "Literal" or not 0 <= given.value <= 1:
            refusals.not_a_constant("quantile()")


def _check_sum(value: Any) -> None:
    kind = value.arg.dtype
    if kind.is_decimal() and (kind.precision or WIDEST + 1) > WIDEST:
        refusals.wide_sum(title(value), kind)
    if not (kind.is_integer() or kind.is_boolean() or kind.is_decimal()):
        refusals.inexact_sum(title(value), value.arg.name, kind)


def _check_extreme(value: Any) -> None:
    """Refuse an extreme of unlike values that are equal, and a fraction of what is no number: DuckDB computes with
    dates between two rows, and fails on some."""
    kind = value.arg.dtype
    if kind_of(value) in FRACTIONS and not (kind.is_integer() or kind.is_floating()):
        refusals.refuse(f"{title(value)}() of {kind}: one row could make the whole release fail.", "min(), max()")
    if not (identical_if_equal(kind) or kind.is_floating()):
        refusals.not_comparable(f"{title(value)}()", value.arg.name, kind)


def check_window_function(value: Any) -> None:
    """Refuse an offset that is not typed, or with which the function fails as soon as there is a row."""
    if kind_of(value) not in ("Lag", "Lead"):
        return
    if value.offset is not None:
        check_count(value.offset, f"{title(value)}()")
    if value.default is not None:
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
    return {
        "string_s_q_l_like": "like",
        "min_rank": "rank",
        "n_tile": "ntile",
        "count_star": "count",
        "standard_dev": "std",
    }.get(spelled, spelled)
