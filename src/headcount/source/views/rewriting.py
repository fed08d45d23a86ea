"""The expression that is run. It is the one that was proved, such that neither ties, nor the order of rows, nor a value
that cannot be computed, let one person's rows change another's:

- columns of tables have the types that Ibis sees, text is compared byte by byte, -0.0 is 0.0, and NaN has no sign;
- windows and aggregates by the place of a row have all columns as last keys: only identical rows tie;
- a value that fails on a row is NULL (`Engine.attempt` around each operation that can fail; `fallible.py` says why);
- results of windows and aggregates have the types that Ibis expects: what does not fit is NULL;
- rows without a user are left out at the end.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from math import nan
from typing import Any

from ibis.expr import datatypes as dt
from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.source.engines.engine import Engine
from headcount.source.queries.ibis import filled, kind_of
from headcount.source.views import refusals
from headcount.source.views.declared import LEAVES
from headcount.source.views.dialects.dialect import Dialect
from headcount.source.views.fallible import COMPARISONS, MICROSECONDS, never_fails_above
from headcount.source.views.ids import children, conjuncts, identical_if_equal, is_column, parts
from headcount.source.views.leaves import Located
from headcount.source.views.reductions import EXTREMES, RANKS

OF_MANY_ROWS = (ops.Reduction, ops.Analytic, ops.WindowFunction, ops.Subquery, ops.SortKey)
MOMENT = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d:\d\d(\.\d{1,6})?)?", re.ASCII)
ZERO = ops.Literal(0.0, "float64")


def simplified(expression: ir.Table) -> ir.Table:
    """Return the expression with fewer classes of operations, each of which means the same."""
    return expression.op().replace(_simpler).to_expr()


def _simpler(node: Any, rebuilt: dict[str, Any] | None) -> Any:
    new = node.__recreate__(rebuilt) if rebuilt else node
    if type(new) is ops.SimpleCase:
        return ops.SearchedCase(tuple(ops.Equals(new.base, each) for each in new.cases), new.results, new.default)
    if type(new) is ops.Date:
        return ops.Cast(new.arg, "date")
    if type(new) is ops.Literal and _is_whole_moment(new):
        return ops.Literal(new.value, "timestamp")
    if kind_of(new) in COMPARISONS:
        return _with_moments(new)
    return new.arg if type(new) is ops.Alias else new


def _is_whole_moment(literal: Any) -> bool:
    """True for a typed moment of a type with fewer digits behind the second, all of which the moment fits into: it is
    the same in microseconds."""
    kind, moment = literal.dtype, literal.value
    if not kind.is_timestamp() or kind.timezone is not None or kind.scale is None or moment is None:
        return False
    return bool(kind.scale >= MICROSECONDS or moment.microsecond % 10 ** (MICROSECONDS - kind.scale) == 0)


def _with_moments(comparison: Any) -> Any:
    """The comparison, with typed texts that are moments as such where all else are moments without a time zone."""
    typed = {each: found for each in children(comparison) if (found := _moment(each)) is not None}
    others = [each.dtype for each in children(comparison) if each not in typed and not each.dtype.is_null()]
    if not (others and all(kind.is_timestamp() and kind.timezone is None for kind in others)):
        return comparison
    return _rebuilt(comparison, lambda each: typed.get(each, each))


def _moment(value: Any) -> Any:
    """The day or moment that a typed text is, to at most six digits behind the second; None for any other value."""
    if type(value) is not ops.Literal or not isinstance(value.value, str) or not MOMENT.fullmatch(value.value):
        return None
    try:
        return ops.Literal(datetime.fromisoformat(value.value), "timestamp")
    except ValueError:
        return None


def rewritten(expression: ir.Table, user: str, engine: Engine, dialect: Dialect, tables: Located) -> Any:
    """Return the expression that is run, on tables by their full names."""
    rewriting = _Rewriting(engine, dialect, tables)
    table = expression.op().replace(rewriting.visit).to_expr()
    owned = table.filter(table[user].notnull()).op()
    return _as_declared(owned)


class _Rewriting:
    """The rewriting of one expression, from its tables up."""

    def __init__(self, engine: Engine, dialect: Dialect, tables: Located) -> None:
        self._engine, self._dialect, self._tables = engine, dialect, tables
        self._rules: dict[type, Callable[[Any], Any]] = {
            **dict.fromkeys(LEAVES, self._table),
            ops.Sort: lambda node: node.parent,
            ops.Project: self._project,
            ops.Filter: self._filter,
            ops.FillNull: self._fill_null,
            ops.Aggregate: self._aggregate,
            ops.JoinLink: self._link,
            ops.JoinChain: self._chain,
        }

    def visit(self, node: Any, rebuilt: dict[str, Any] | None) -> Any:
        new = _recreated(node, rebuilt) if rebuilt else node
        if type(new) is ops.Cast:
            return ops.TryCast(new.arg, new.to)
        rule = self._rules.get(type(new))
        found = rule(new) if rule else new
        if isinstance(node, ops.Relation):
            _check_same_types(node, found)
        return found

    def _table(self, leaf: Any) -> Any:
        """A table by its full name, text byte by byte, with columns of the types that Ibis sees."""
        fields = self._tables[leaf].fields.items()
        usable = {name: self._typed(each, each.dtype) for name, each in fields if self._dialect.holds(each.dtype)}
        return ops.Project(self._tables[leaf], usable)

    def _project(self, node: Any) -> Any:
        inner, renamed = self._with_windows(node.parent, node.values.values())
        return ops.Project(
            inner, {name: self._column(_replaced(value, renamed)) for name, value in node.values.items()}
        )

    def _filter(self, node: Any) -> Any:
        inner, renamed = self._with_windows(node.parent, node.predicates)
        kept = ops.Filter(inner, tuple(self._safe(_replaced(each, renamed)) for each in conjuncts(node.predicates)))
        return ops.Project(kept, {name: ops.Field(kept, name) for name in node.parent.schema}) if renamed else kept

    def _fill_null(self, node: Any) -> Any:
        values = filled(node)
        assert values is not None, "it was checked"
        found = {name: self._typed(self._safe(value), node.schema[name]) for name, value in values.items()}
        return ops.Project(node.parent, {**node.parent.fields, **found})

    def _with_windows(self, parent: Any, values: Any) -> tuple[Any, dict[Any, Any]]:
        """Return the parent with a column for each window of the values, and what becomes of windows and fields."""
        windows = dict.fromkeys(each for value in values for each in parts(value) if type(each) is ops.WindowFunction)
        if not windows:
            return parent, {}
        names = dict(zip(windows, _fresh(parent, len(windows)), strict=True))
        inner = parent
        for step in _window_steps(windows):
            added = {names[each]: self._window(_moved(each, parent, inner), inner) for each in step}
            inner = ops.Project(inner, {**inner.fields, **added})
        fields = {field: ops.Field(inner, name) for name, field in parent.fields.items()}
        return inner, {**fields, **{each: self._result(inner, names[each], each) for each in windows}}

    def _window(self, window: Any, parent: Any) -> Any:
        """A window of which only identical rows tie."""
        function = self._reduction(window.func)
        order = tuple(map(self._safe, window.order_by))
        if _is_placed(window):
            order = (*order, *_all_columns(parent, _equal_in_ties(window)))
        return window.copy(func=function, group_by=tuple(map(self._safe, window.group_by)), order_by=order)

    def _aggregate(self, node: Any) -> Any:
        """An aggregate of exact reductions, then what is computed from them."""
        found = [each for value in node.metrics.values() for each in parts(value) if isinstance(each, ops.Reduction)]
        reductions = dict.fromkeys(found)
        names = _fresh(node, len(reductions))
        metrics = {name: self._reduction(each) for name, each in zip(names, reductions, strict=True)}
        groups = {name: self._column(value) for name, value in node.groups.items()}
        inner = ops.Aggregate(node.parent, groups, metrics)
        results = {each: self._result(inner, name, each) for name, each in zip(names, reductions, strict=True)}
        values = {name: self._column(_replaced(value, results)) for name, value in node.metrics.items()}
        return ops.Project(inner, {**{name: ops.Field(inner, name) for name in groups}, **values})

    def _reduction(self, value: Any) -> Any:
        """An aggregate or window function with arguments that cannot fail."""
        new = _rebuilt(value, self._safe)
        if kind_of(new) in EXTREMES and new.arg.dtype.is_floating():
            return new.copy(arg=self._number(new.arg, None))  # DuckDB cannot sort NaN among others in a median
        return new

    def _link(self, node: Any) -> Any:
        return node.copy(predicates=tuple(map(self._safe, conjuncts(node.predicates))))

    def _chain(self, node: Any) -> Any:
        return node.copy(values={name: self._column(value) for name, value in node.values.items()})

    def _safe(self, value: Any) -> Any:
        """Attempt every operation that is computed row by row and can fail, each by itself."""
        new = _rebuilt(value, self._safe) if type(value) is not ops.Field else value
        if isinstance(new, OF_MANY_ROWS) or never_fails_above(new):
            return new
        return self._attempt(new)

    def _attempt(self, value: Any) -> Any:
        """NULL where a value fails, in the type that Ibis expects."""
        found = self._engine.attempt(value)
        return ops.TryCast(found, value.dtype) if is_column(value.dtype) else found

    def _column(self, value: Any) -> Any:
        """A value that cannot fail, in the type that Ibis expects."""
        safe = self._safe(value)
        return safe if type(value) is ops.Field else self._typed(safe, value.dtype)

    def _typed(self, value: Any, kind: Any) -> Any:
        """Cast a value to a type: NULL if it does not fit. Floating-point numbers that are equal become identical:
        -0.0 is 0.0, and NaN has no sign, as wherever DuckDB sorts by them."""
        return ops.TryCast(self._number(value, nan) if kind.is_floating() else value, kind)

    def _result(self, relation: Any, name: str, value: Any) -> Any:
        """A column, in the type that Ibis expects of the value that it holds."""
        return self._typed(ops.Field(relation, name), value.dtype)

    def _number(self, value: Any, not_a_number: float | None) -> Any:
        """A floating-point number of which unlike values are unequal."""
        dtype = value.dtype if value.dtype.is_floating() else dt.float64
        kept = ops.IfElse(self._attempt(ops.IsNan(value)), ops.Literal(not_a_number, dtype), value)
        return self._attempt(ops.Add(kept, ZERO))


def _recreated(node: Any, rebuilt: dict[str, Any]) -> Any:
    """The operation on rewritten ones. Columns that are dropped may be missing already: of a type that no view has."""
    if type(node) is not ops.DropColumns:
        return node.__recreate__(rebuilt)
    return ops.Project(rebuilt["parent"], {name: rebuilt["parent"].fields[name] for name in node.schema})


def _is_placed(window: Any) -> bool:
    """True for a window whose value depends on the place of a row among those that tie."""
    return kind_of(window.func) not in RANKS and bool(window.order_by)


def _window_steps(windows: Iterable[Any]) -> list[list[Any]]:
    """Windows that are computed at once. One by places is alone: identical rows have different places, and two orders
    would pair them in any way. Those after it have its result among their last keys."""
    listed = list(windows)
    return [
        each for each in ([w for w in listed if not _is_placed(w)], *([w] for w in listed if _is_placed(w))) if each
    ]


def _moved(value: Any, parent: Any, inner: Any) -> Any:
    """The value, computed from a relation that has the columns of its parent and more."""
    return _replaced(value, {field: ops.Field(inner, name) for name, field in parent.fields.items()})


def _check_same_types(node: Any, found: Any) -> None:
    """Refuse a rewritten operation whose columns have other types than those that were proved."""
    for name, kind in found.schema.items():
        if kind.copy(nullable=True) != node.schema[name].copy(nullable=True):
            refusals.odd_type(name, node.schema[name])


def _as_declared(relation: Any) -> Any:
    """The relation with columns of the types that Ibis sees: a value that does not fit is missing."""
    return ops.Project(relation, {name: ops.TryCast(each, each.dtype) for name, each in relation.fields.items()})


def _equal_in_ties(window: Any) -> set[Any]:
    """Columns in which rows that tie are identical: those of its partition, and those that it is sorted by."""
    keys = [*window.group_by, *(each.arg for each in window.order_by)]
    return {each for each in keys if type(each) is ops.Field and identical_if_equal(each.dtype)}


def _all_columns(relation: Any, equal: set[Any]) -> list[Any]:
    """Keys by which only identical rows tie, besides those in which they are identical: fewer keys sort faster."""
    return [ops.SortKey(each) for each in relation.fields.values() if each not in equal]


def _fresh(relation: Any, count: int) -> list[str]:
    """Names of columns that a relation does not have."""
    stem = "headcount"
    while any(name.casefold().startswith(stem) for name in relation.schema):
        stem += "_"
    return [f"{stem}{place}" for place in range(count)]


def _rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with each of its parts changed."""

    def changed(given: Any) -> Any:
        if isinstance(given, tuple):
            return tuple(map(changed, given))
        return change(given) if isinstance(given, ops.Value) else given

    return value.__recreate__(
        {name: changed(given) for name, given in zip(value.__argnames__, value.args, strict=True)}
    )


def _replaced(value: Any, results: Mapping[Any, Any]) -> Any:
    """The value with some of its parts replaced."""
    if value in results:
        return results[value]
    if not results or type(value) is ops.Field:
        return value
    return _rebuilt(value, lambda each: _replaced(each, results))
