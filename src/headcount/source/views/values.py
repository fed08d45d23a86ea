"""Values: functions of one row, of one person's rows (windows), or of public tables alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.constants import check_constants
from headcount.source.views.fallible import SAFE, castable
from headcount.source.views.ids import Kinds, Owners, children, identical_if_equal, is_column, kind_carried, parts
from headcount.source.views.reductions import (
    MOST,
    OF_WINDOWS,
    PLACES,
    RANKS,
    check_count,
    check_reduction,
    check_window_function,
    title,
)
from headcount.source.views.titles import table_name
from headcount.source.views.writing import TEMPLATES, UNITS

TYPED = {
    "StringReplace": ("pattern", "replacement"),
    **dict.fromkeys(("StringSQLLike", "StringSQLILike"), ("pattern",)),
    "Substring": ("start", "length"),
    "StrRight": ("nchars",),
    "Round": ("digits",),
}
"""Arguments that must be typed."""
ROW_WISE = frozenset(
    {
        *(*TEMPLATES, "Literal", "Cast", "TryCast", "InValues", "Coalesce", "Greatest", "Least", "SearchedCase"),
        *("StringConcat", "Strip", "LStrip", "RStrip", "Substring", "StrRight", "Round"),
        *("DateTruncate", "TimestampTruncate", "DateDelta", "TimestampDelta"),
    }
)
"""Functions of one row, the same each time."""
IMPURE = frozenset({"RandomScalar", "RandomUUID", "DateNow", "TimestampNow", "RowID"})
CALLED = {
    "RandomScalar": "ibis.random()",
    "RandomUUID": "ibis.uuid()",
    "DateNow": "ibis.today()",
    "TimestampNow": "ibis.now()",
}


@dataclass
class Scope:
    """What a value of one operation may use, and the windows that were found in it."""

    kinds: Kinds
    """The fields of the parents, with the kinds of unit that they carry."""
    keys: Mapping[Any, str]
    """The fields of the parents that hold keys of their unit's rows, with the kind of each."""
    private: bool
    """True if one of the parents depends on a private table."""
    owners_of: Callable[[Any], Owners]
    """Applies the rules to the relation of a subquery."""
    user: str
    """The user column, for messages."""
    place: str
    """The operation, for messages: a join."""
    partitions: list[frozenset[Any]] = field(default_factory=list)
    """The carriers that each window is partitioned by."""
    windows: bool = False
    """True if windows are allowed."""

    @property
    def relations(self) -> set[Any]:
        """The parents."""
        return {each.rel for each in self.kinds}

    def carried(self, value: Any) -> str | None:
        """Return the kind of id that a value carries after the windows of the operation. Where a window's user is NULL
        its partition mixes people: only carriers by which every window is partitioned stay."""
        kept = {each: kind for each, kind in self.kinds.items() if all(each in some for some in self.partitions)}
        return kind_carried(value, kept)

    def holding(self, *others: "Scope") -> "Scope":
        """Return the scope, with what is known from these about the fields of its parents."""
        kinds = {each: kind for other in others for each, kind in other.kinds.items()}
        return replace(self, kinds=kinds, keys={each: kind for other in others for each, kind in other.keys.items()})

    def bridged(self, pair: tuple[Any, Any]) -> "Scope":
        """Return what carries after a join by a key and the carrier that equals it. Units that are keys are no units
        of the result: their rows are those of the unit whose key it is."""
        key, carrier = pair
        below = self.kinds[carrier]
        kinds = {each: None if kind == below else kind for each, kind in self.kinds.items()}
        return replace(self, kinds=kinds, keys={**self.keys, carrier: self.keys[key]})

    def check(self, value: Any) -> None:
        """Refuse a value without a proof."""
        kind = kind_of(value)
        if kind == "Field":
            self._check_field(value)
        elif kind == "Not" and kind_of(value.arg) == "InSubquery":
            refusals.negated_list(self.user)
        elif kind in ROW_WISE:
            _check_row_wise(value)
            for each in children(value):
                self.check(each)
        elif kind == "WindowFunction":
            self._check_window(value)
        elif kind == "InSubquery":
            refusals.list_of_others(self.user)
        elif kind == "ScalarSubquery":
            self._check_number(value.rel)
        else:
            self._refuse(value)

    def check_metric(self, value: Any) -> None:
        """Refuse a metric that is not made of exact reductions."""
        if isinstance(value, ops.Reduction):
            self._check_arguments(value)
            check_reduction(value, self.user)
        elif kind_of(value) in ROW_WISE:
            _check_row_wise(value)
            for each in children(value):
                self.check_metric(each)
        else:
            self._refuse(value)

    def check_key(self, value: Any, operation: str) -> None:
        """Refuse a key whose equal values are not identical."""
        self.check(value)
        if not identical_if_equal(value.dtype):
            refusals.not_comparable(operation, value.name, value.dtype)

    def _check_field(self, value: Any) -> None:
        if value not in self.kinds:
            refusals.refuse(f"column {value.name!r} of another table in {self.place}.", "a join with that table")
        if not is_column(value.dtype):
            refusals.odd_type(value.name, value.dtype)

    def _check_number(self, relation: Any) -> NoReturn:
        """Refuse a subquery as a value; of private rows, with the name of the reduction that it is."""
        found = _reduced_column(relation)
        if found is not None and self.owners_of(found.arg.rel).private:
            column, function = found.arg.name, title(found)
            name = f"{table_name(found.arg.rel)}.{column}.{function}() in {self.place}"
            refusals.one_number(name, column, function, self.user)
        self.owners_of(relation)  # says so if it is of private rows
        refusals.public_number()

    def _check_window(self, value: Any) -> None:
        if not self.windows:
            refusals.moved("a window", self.place)
        function = value.func
        by = frozenset(each for key in value.group_by if kind_carried(key, self.kinds) for each in _fields(key))
        if self.private and not by:
            (refusals.window_of_many if value.group_by else refusals.all_rows)(title(function), self.user)
        self._check_function(value, function)
        self._check_frame(value)
        if self.private:
            self.partitions.append(by)

    def _check_function(self, value: Any, function: Any) -> None:
        kind = kind_of(function)
        if kind in PLACES | RANKS:
            check_window_function(function)
            if not value.order_by:
                refusals.refuse(
                    f"{title(function)}() without an order.", f'.over(group_by="{self.user}", order_by="start")'
                )
        elif isinstance(function, ops.Reduction):
            check_reduction(function, self.user)
            if kind not in OF_WINDOWS:
                refusals.refuse(f"{title(function)}() over a window.", f'group_by("{self.user}").agg(...), then a join')
        else:
            self._refuse(function)
        for each in (function, *value.order_by):
            self._check_arguments(each)
        for key in value.order_by if kind in RANKS else ():
            self._inside.check_key(key.arg, f"{title(function)}() by values")
        for key in value.group_by:
            self._inside.check_key(key, "a window by groups")

    def _check_frame(self, value: Any) -> None:
        ends = [each for each in (value.start, value.end) if each is not None]
        for each in ends:
            check_count(each.value, "a frame")
        if value.how != "rows":
            refusals.refuse("a window by ranges of values.", "rows=(...), or a self-join on the user")
        if ends and not value.order_by:
            refusals.unordered_frame(title(value.func), self.user)

    def _check_arguments(self, value: Any) -> None:
        """Check what a reduction, a window function or a sort key is computed from: no windows, no subqueries."""
        if any(isinstance(each, ops.Relation) and each not in self.relations for each in value.args):
            refusals.refuse(f"{title(value)}() of another table in {self.place}.", "a join with that table")
        for each in children(value):
            self._inside.check(each.arg if kind_of(each) == "SortKey" else each)

    @property
    def _inside(self) -> "Scope":
        """What the arguments of a window or an aggregate may use."""
        return replace(self, partitions=[], place="a window or an aggregate", windows=False)

    def _refuse(self, value: Any) -> None:
        kind = kind_of(value)
        if kind in IMPURE:
            refusals.another_value(CALLED.get(kind, "a row id"))
        if isinstance(value, ops.Reduction) and "UDF" not in kind:
            refusals.all_rows(title(value), self.user)
        if isinstance(value, ops.ScalarUDF | ops.AggUDF):
            refusals.own_function()
        refusals.no_proof(kind.rpartition(".")[2])


def _reduced_column(relation: Any) -> Any:
    """The reduction of a column to one number that a subquery is; None for another one."""
    if type(relation) is not ops.Aggregate or relation.groups:
        return None
    found = next(iter(relation.metrics.values()))
    plain = isinstance(found, ops.Reduction) and type(getattr(found, "arg", None)) is ops.Field
    return found if plain else None


def _fields(value: Any) -> list[Any]:
    return [each for each in parts(value) if kind_of(each) == "Field"]


def _check_row_wise(value: Any) -> None:
    """Refuse a function of one row whose arguments could fail, or ask for any amount of memory."""
    check_constants(value)
    for name in TYPED.get(kind_of(value), ()):
        _check_typed(value, getattr(value, name))
    if kind_of(value) == "Round" and not value.arg.dtype.is_floating():
        refusals.refuse(f"round() of {value.arg.dtype}.", '.cast("float64").round(2)')
    if kind_of(value) in ("Cast", "TryCast") and not castable(value.arg.dtype, value.to):
        refusals.refuse(f"a cast of {value.arg.dtype} to {value.to}.", "numbers, text, and dates and times as text")
    if any(_has_time_zone(each) for each in children(value)) and kind_of(value) not in SAFE:
        refusals.refuse(f"{title(value)}() of a time with a time zone.", "a column of type TIMESTAMP")
    if unit := getattr(value, "unit", None) or getattr(value, "part", None):
        _check_unit(value, unit)


def _has_time_zone(value: Any) -> bool:
    return bool(value.dtype.is_timestamp() and value.dtype.timezone is not None)


def _check_typed(value: Any, given: Any) -> None:
    """Refuse a pattern, a replacement, a place or a length that is a column, or that is out of range."""
    if given is None:
        return
    if kind_of(given) != "Literal" or given.value is None:
        refusals.not_a_constant(f"{title(value)}()")
    if isinstance(given.value, int) and not 0 <= given.value <= MOST:
        refusals.refuse(f"{title(value)}() with the number {given.value}.", f"a number from 0 to {MOST}")


def _check_unit(value: Any, unit: Any) -> None:
    """Refuse units of time that no test has."""
    name = str(getattr(unit, "value", unit))
    if name not in UNITS and name.upper() not in UNITS.values():
        refusals.refuse(f"{title(value)}() by {name}.", "year, quarter, month, week, day, hour, minute, second")
