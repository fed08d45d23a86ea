"""The operations that views may have on Postgres: those of which it is certain that no row makes them fail, and that
mean there what they mean on DuckDB. By exact class; what is in no list is refused before a row is read."""

from collections.abc import Callable
from typing import Any

from ibis.expr import operations as ops

from headcount.source.views import refusals
from headcount.source.views.dialects.postgres_casts import castable, holds
from headcount.source.views.dialects.rules import SHARED, Rules, added, alike, any_type, literal, whole
from headcount.source.views.ids import children, conjuncts

LONGEST = 63
"""Bytes of a name. Of a longer one Postgres drops the rest."""
KEEPING = ("inner", "left", "cross", "semi", "anti")
"""Joins that may follow a semi or anti join in one step: the condition for it stands behind them."""
TABLES = (ops.DatabaseTable, ops.SelfReference, ops.JoinReference)
INSTEAD = {
    **dict.fromkeys(
        ("Lowercase", "Uppercase", "StringSQLILike"), "a stored column in one case, or the tables as files"
    ),
    **dict.fromkeys(("Median", "Quantile"), "min(), max(); or the job hc.quantiles"),
}
TYPES = (
    "whole numbers, numeric(p, s), double precision, text, booleans, dates, timestamps without a time zone and UUIDs"
)


def _check_step(node: Any) -> None:
    """Refuse names that Postgres cuts off, and joins that it has not."""
    for name in node.schema if type(node) not in TABLES else ():
        if len(name.encode()) > LONGEST:
            refusals.refuse(f"the name {name!r:.60}..., which Postgres cuts off.", f"at most {LONGEST} letters")
    if type(node) is ops.JoinChain:
        _check_joins(list(node.rest))


def _check_joins(links: list[Any]) -> None:
    """Refuse joins that Postgres has not, or that this step would apply in another order."""
    for place, link in enumerate(links):
        later = {each.how for each in links[place + 1 :]}
        if link.how in ("semi", "anti") and not later <= set(KEEPING):
            refusals.moved(f"{link.how} join before another kind of join", "one step")
        if link.how == "outer" and not all(type(each) is ops.Equals for each in conjuncts(link.predicates)):
            refusals.refuse("outer join by more than equal columns on Postgres.", "a filter before or after the join")


def _exact(value: Any) -> bool:
    """True for whole numbers and decimals."""
    return all((each.dtype.is_integer() or each.dtype.is_decimal()) and holds(each.dtype) for each in children(value))


def _cast(value: Any) -> bool:
    return castable(value.arg.dtype, value.to)


_alike = alike(holds)
_whole = whole(holds)
VALUES: dict[str, Callable[[Any], bool]] = {
    **SHARED,
    "Literal": literal(holds),
    "StringSQLLike": any_type,
    **dict.fromkeys(("Equals", "NotEquals", "Greater", "GreaterEqual", "Less", "LessEqual", "IdenticalTo"), _alike),
    **dict.fromkeys(("Between", "InValues", "Coalesce", "NullIf", "Greatest", "Least"), _alike),
    **dict.fromkeys(("IfElse", "SearchedCase"), _alike),
    **dict.fromkeys(("Add", "Subtract", "Multiply", "Modulus", "Negate", "Abs"), _exact),
    **dict.fromkeys(("Divide", "FloorDivide"), _whole),
    **dict.fromkeys(("Cast", "TryCast"), _cast),
    **dict.fromkeys(("Sum", "Mean"), added),
}
"""Values, with a condition on their types."""
check = Rules("Postgres", holds, TYPES, VALUES, INSTEAD, _check_step).check
