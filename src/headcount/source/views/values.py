"""Values: functions of one row, of one person's rows (windows), or of public tables alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ibis.expr import operations as ops

from headcount.source.queries.ibis import FALLIBLE, VALUES, kind_of
from headcount.source.views import refusals
from headcount.source.views.constants import check_constants, check_operators
from headcount.source.views.fallible import convertible, never_fails_above
from headcount.source.views.ids import Kinds, Owners, children, identical_if_equal, is_column, kind_carried, parts
from headcount.source.views.reductions import PLACES, RANKS, check_constant, check_count, check_reduction, title

UNBOUNDED = frozenset({"Repeat", "LPad", "RPad"})
"""Functions by which one row could ask for any amount of memory."""
TYPED = {
    **dict.fromkeys(("RegexSearch", "RegexSplit"), ("pattern",)),
    "RegexExtract": ("pattern", "index"),
    **dict.fromkeys(("RegexReplace", "StringReplace"), ("pattern", "replacement")),
    **dict.fromkeys(("Strftime", "StringToTimestamp", "StringToDate", "StringToTime"), ("format_str",)),
    **dict.fromkeys(("StringSQLLike", "StringSQLILike"), ("pattern", "escape")),
    "StringSplit": ("delimiter",),
}
"""Arguments that must be typed."""
UNTESTED = frozenset(
    {
        *("StructField", "MapGet", "JSONGetItem", "UnwrapJSONString", "UnwrapJSONInt64", "UnwrapJSONFloat64"),
        *("UnwrapJSONBoolean", "TypeOf", "IntervalAdd", "IntervalSubtract", "IntervalMultiply", "IntervalFloorDivide"),
        *("Time", "TimeAdd", "TimeDelta", "TimeDiff", "TimeSub", "TimeTruncate", "TimeFromHMS", "StringToTime"),
        *("BetweenTime", "ArrayContains", "StringJoin"),
        *(
            "Hash",
            "HashBytes",
            "HexDigest",
            "E",
            "Pi",
            "Bucket",
            "BaseConvert",
            "FindInSet",
            "Levenshtein",
            "Translate",
        ),
        *("Acos", "Asin", "Atan", "Atan2", "Cos", "Cot", "Degrees", "Radians", "Sin", "Tan", "StringAscii"),
        *("BitwiseAnd", "BitwiseLeftShift", "BitwiseNot", "BitwiseOr", "BitwiseRightShift", "BitwiseXor"),
        *("ExtractAuthority", "ExtractFile", "ExtractFragment", "ExtractHost", "ExtractPath", "ExtractProtocol"),
        *("ExtractQuery", "ExtractUserInfo"),
    }
)
"""Functions of types that columns of a view cannot have, and functions that few need and nobody has tested enough."""
ROW_WISE = (VALUES | FALLIBLE | {"Cast"}) - UNBOUNDED - UNTESTED - {"Field"}
"""Functions of one row, the same each time."""
SUBQUERIES = frozenset({"ScalarSubquery", "InSubquery"})
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

    def check(self, value: Any, *, total: bool = True) -> None:
        """Refuse a value without a proof. `total` is True where nothing around it can fail."""
        kind = kind_of(value)
        if kind == "Field":
            self._check_field(value)
        elif kind in ROW_WISE:
            check_constants(value)
            self._check_round(value)
            self._check_patterns(value)
            around = total and never_fails_above(value)
            for each in children(value):
                self.check(each, total=around)
        elif kind == "WindowFunction":
            self._check_window(value)
        elif kind in SUBQUERIES:
            self._check_subquery(value, total)
        else:
            self._refuse(value)

    def check_metric(self, value: Any) -> None:
        """Refuse a metric that is not made of exact reductions."""
        if isinstance(value, ops.Reduction):
            self._check_arguments(value)
            check_reduction(value)
        elif kind_of(value) in ROW_WISE:
            check_constants(value)
            self._check_round(value)
            self._check_patterns(value)
            for each in children(value):
                self.check_metric(each)
        else:
            self._refuse(value)

    def check_key(self, value: Any, operation: str) -> None:
        """Refuse a key whose equal values are not identical."""
        self.check(value, total=False)
        if not identical_if_equal(value.dtype):
            refusals.not_comparable(operation, value.name, value.dtype)

    def _check_round(self, value: Any) -> None:
        """Refuse to round other numbers than DuckDB rounds without failing."""
        if kind_of(value) == "Round" and not value.arg.dtype.is_floating():
            refusals.refuse(f"round() of {value.arg.dtype}.", '.cast("float64").round(2)')

    def _check_patterns(self, value: Any) -> None:
        """Refuse a pattern, a replacement or a format that is a column: one row could ask for any amount of memory."""
        for name in TYPED.get(kind_of(value), ()):
            given = getattr(value, name)
            if isinstance(given, ops.Value) and kind_of(given) != "Literal":
                refusals.not_a_constant(f"{title(value)}()")

    def _check_field(self, value: Any) -> None:
        if value not in self.kinds:
            refusals.refuse(f"column {value.name!r} of another table in {self.place}.", "a join with that table")
        if not is_column(value.dtype):
            refusals.odd_type(value.name, value.dtype)

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
            check_constant(function)
            if not value.order_by:
                refusals.refuse(
                    f"{title(function)}() without an order.", f'.over(group_by="{self.user}", order_by="start")'
                )
        elif isinstance(function, ops.Reduction):
            check_reduction(function)
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
            self._inside.check(each.arg if kind_of(each) == "SortKey" else each, total=False)

    @property
    def _inside(self) -> "Scope":
        """What the arguments of a window or an aggregate may use."""
        return replace(self, partitions=[], place="a window or an aggregate", windows=False)

    def _check_subquery(self, value: Any, total: bool) -> None:
        if self.owners_of(value.rel).private:
            if kind_of(value) == "InSubquery":
                refusals.negated_list(self.user)
            refusals.one_number("a subquery", self.user)
        if not total:
            refusals.moved("a subquery", self.place)
        check_operators(value)
        if kind_of(value) == "ScalarSubquery" and not (type(value.rel) is ops.Aggregate and not value.rel.groups):
            refusals.refuse("a subquery of several rows as one value.", "an aggregate, such as max()")
        listed = next(iter(value.rel.schema.types))
        if not all(convertible([each.dtype, listed]) for each in children(value)):
            refusals.refuse("isin(...) of values of another type.", "columns of one type")
        for each in children(value):
            self.check(each, total=total)

    def _refuse(self, value: Any) -> None:
        kind = kind_of(value)
        if kind in IMPURE:
            refusals.another_value(CALLED.get(kind, "a row id"))
        if isinstance(value, ops.Reduction) and "UDF" not in kind:
            refusals.all_rows(title(value), self.user)
        if isinstance(value, ops.ScalarUDF | ops.AggUDF):
            refusals.own_function()
        if kind == "Unnest":
            refusals.moved("unnest", self.place)
        refusals.no_proof(kind.rpartition(".")[2])


def _fields(value: Any) -> list[Any]:
    return [each for each in parts(value) if kind_of(each) == "Field"]
