"""The SQL of a view, written by headcount: one template for each class of operation.

Ibis's own compiler writes one operation as several, merges steps, and leaves parentheses out: what meant `a = (b IS NOT
DISTINCT FROM c)` was read as `(a = b) IS NOT DISTINCT FROM c`. Here every operator stands in parentheses, so that the
text has one reading whatever binds tighter; every step is a part of the query of its own; a column stands behind the
alias of its table. A class without a template is refused: `VALUES` and `RELATIONS` are all that a view can be made of.
"""

from collections.abc import Callable, Iterable, Mapping
from string import Formatter
from typing import Any

from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.dialects.dialect import Dialect
from headcount.source.views.ids import children
from headcount.source.views.leaves import full_name
from headcount.source.views.literals import digits, literal, quoted, type_name

COMPARISONS = {
    "Equals": "({left} = {right})",
    "NotEquals": "({left} <> {right})",
    "Greater": "({left} > {right})",
    "GreaterEqual": "({left} >= {right})",
    "Less": "({left} < {right})",
    "LessEqual": "({left} <= {right})",
    "IdenticalTo": "({left} IS NOT DISTINCT FROM {right})",
    "Between": "({arg} BETWEEN {lower_bound} AND {upper_bound})",
}
LOGIC = {
    "And": "({left} AND {right})",
    "Or": "({left} OR {right})",
    "Not": "(NOT ({arg}))",
    "IsNull": "({arg} IS NULL)",
    "NotNull": "(NOT ({arg} IS NULL))",
}
CHOICES = {
    "IfElse": "CASE WHEN {bool_expr} THEN {true_expr} ELSE {false_null_expr} END",
    "NullIf": "NULLIF({arg}, {null_if_expr})",
}
NUMBERS = {
    "Add": "({left} + {right})",
    "Subtract": "({left} - {right})",
    "Multiply": "({left} * {right})",
    "Divide": "({left} / {right})",
    "FloorDivide": "FLOOR(({left} / {right}))",
    "Modulus": "({left} % {right})",
    "Negate": "(-({arg}))",
    "Abs": "ABS({arg})",
    "Floor": "FLOOR({arg})",
    "Ceil": "CEIL({arg})",
    "Sqrt": "SQRT({arg})",
    "Ln": "LN({arg})",
    "Exp": "EXP({arg})",
    "IsNan": "ISNAN({arg})",
    "IsInf": "ISINF({arg})",
}
TEXTS = {
    "Lowercase": "LOWER({arg})",
    "Uppercase": "UPPER({arg})",
    "StringLength": "LENGTH({arg})",
    "StringContains": "CONTAINS({haystack}, {needle})",
    "StartsWith": "STARTS_WITH({arg}, {start})",
    "EndsWith": "SUFFIX({arg}, {end})",
    "StringSQLLike": "({arg} LIKE {pattern})",
    "StringSQLILike": "({arg} ILIKE {pattern})",
    "StringReplace": "REPLACE({arg}, {pattern}, {replacement})",
}
DATES = {
    "ExtractYear": "EXTRACT(YEAR FROM {arg})",
    "ExtractQuarter": "EXTRACT(QUARTER FROM {arg})",
    "ExtractMonth": "EXTRACT(MONTH FROM {arg})",
    "ExtractDay": "EXTRACT(DAY FROM {arg})",
    "ExtractHour": "EXTRACT(HOUR FROM {arg})",
    "ExtractMinute": "EXTRACT(MINUTE FROM {arg})",
    "ExtractSecond": "EXTRACT(SECOND FROM {arg})",
    "DayOfWeekIndex": "((DAYOFWEEK({arg}) + 6) % 7)",
    **dict.fromkeys(("DateAdd", "TimestampAdd"), "({left} + {right})"),
    **dict.fromkeys(("DateSub", "TimestampSub"), "({left} - {right})"),
}
TEMPLATES = {**COMPARISONS, **LOGIC, **CHOICES, **NUMBERS, **TEXTS, **DATES}
"""Values whose parts are all values. `{left}` is the SQL of the part that Ibis calls left."""
UNITS = {"Y": "YEAR", "Q": "QUARTER", "M": "MONTH", "W": "WEEK", "D": "DAY", "h": "HOUR", "m": "MINUTE", "s": "SECOND"}
"""Units of time, as Ibis and DuckDB name them."""
WHITE = " \t\n\r\v\f"
AGGREGATES = {
    "Count": "COUNT({arg})",
    "CountDistinct": "COUNT(DISTINCT {arg})",
    "CountStar": "COUNT(*)",
    "Sum": "SUM({arg})",
    "Mean": "AVG({arg})",
    "Min": "MIN({arg})",
    "Max": "MAX({arg})",
    "Any": "BOOL_OR(CAST({arg} AS BOOLEAN))",
    "All": "BOOL_AND(CAST({arg} AS BOOLEAN))",
    "Median": "QUANTILE_CONT({arg}, 0.5)",
    "Quantile": "QUANTILE_CONT({arg}, {quantile})",
}
PLACES = {
    "RowNumber": "ROW_NUMBER()",
    "MinRank": "RANK()",
    "DenseRank": "DENSE_RANK()",
    "Lag": "LAG({arg}, {offset})",
    "Lead": "LEAD({arg}, {offset})",
}
FROM_ZERO = frozenset({"RowNumber", "MinRank", "DenseRank"})
"""Window functions that Ibis counts from 0, and SQL from 1."""
BUILT_IN = {"try": "TRY({})", "encode": "ENCODE({})", "decode": "DECODE({})"}
"""Functions of DuckDB that rewriting adds."""
JOINS = {
    "inner": "JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "outer": "FULL JOIN",
    "semi": "SEMI JOIN",
    "anti": "ANTI JOIN",
    "cross": "CROSS JOIN",
}
ALIASES = (ops.JoinReference, ops.SelfReference)
"""A table under another name."""
Aliases = Mapping[Any, str]


def written(root: Any, dialect: Dialect) -> str:
    """Return the SQL of a rewritten view."""
    return _Query(dialect).text(root)


class _Query:
    """One query: its parts, each a step of the view."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._parts: dict[Any, tuple[str, str]] = {}  # relation -> its name, its SQL
        self._aliases = 0

    def text(self, root: Any) -> str:
        last = self.select(root)
        parts = ", ".join(f"{name} AS ({sql})" for name, sql in self._parts.values())
        return f"WITH {parts} {last}"

    def quoted(self, name: str) -> str:
        """Return a name as SQL."""
        return quoted(name, self.dialect.quote)

    def alias(self) -> str:
        """Return a name that the query has not given yet."""
        self._aliases += 1
        return self.quoted(f"r{self._aliases}")

    def name(self, node: Any) -> str:
        """Return what a relation is called behind FROM: a table by its full name, a part of the query by one word."""
        while type(node) in ALIASES:
            node = node.parent
        if type(node) is ops.DatabaseTable:
            return ".".join(self.quoted(each) for each in full_name(node) if each)
        if node not in self._parts:
            sql = self.select(node)
            self._parts[node] = self.quoted(f"view{len(self._parts)}"), sql
        return self._parts[node][0]

    def select(self, node: Any) -> str:
        """Return the SELECT of one step."""
        rule = self.dialect.relations.get(type(node))
        if rule is None:
            refusals.no_proof(kind_of(node).rpartition(".")[2])
        return rule(self, node)

    def value(self, value: Any, aliases: Aliases) -> str:
        """Return the SQL of a value."""
        if type(value) is ops.Field:
            return self._field(value, aliases)
        kind = kind_of(value)
        if kind in self.dialect.templates:
            return _filled(self.dialect.templates[kind], self.arguments(value, aliases), value)
        if kind in self.dialect.values:
            return self.dialect.values[kind](self, value, aliases)
        return self._built_in(value, aliases)

    def _field(self, field: Any, aliases: Aliases) -> str:
        if field.rel not in aliases:
            refusals.refuse(f"column {field.name!r} of another table.", "a join with that table")
        return f"{aliases[field.rel]}.{self.quoted(field.name)}"

    def arguments(self, value: Any, aliases: Aliases) -> dict[str, str]:
        """Return the SQL of each part of a value, by the name that Ibis gives it."""
        named = zip(value.__argnames__, value.args, strict=True)
        dated = self.dialect.comparisons_of_days and are_days(value)
        return {
            name: self.value(_day(each) if dated else each, aliases)
            for name, each in named
            if isinstance(each, ops.Value)
        }

    def _built_in(self, value: Any, aliases: Aliases) -> str:
        template = BUILT_IN.get(getattr(value, "__func_name__", "")) if isinstance(value, ops.ScalarUDF) else None
        if template is None:
            refusals.no_proof(kind_of(value).rpartition(".")[2])
        return template.format(*(self.value(each, aliases) for each in children(value)))

    def values(self, values: Iterable[Any], aliases: Aliases) -> list[str]:
        return [self.value(each, aliases) for each in values]

    def columns(self, values: Mapping[str, Any], aliases: Aliases) -> str:
        """Return columns with their names, as they stand behind SELECT."""
        return ", ".join(f"{self.value(each, aliases)} AS {self.quoted(name)}" for name, each in values.items())


def _filled(template: str, parts: Mapping[str, str], value: Any) -> str:
    """The template with its parts; refuse a value that has others than the template names."""
    given = {name for name, each in zip(value.__argnames__, value.args, strict=True) if each is not None}
    if not given == parts.keys() == {name for _text, name, _format, _kind in Formatter().parse(template) if name}:
        refusals.refuse(f"{refusals.spelled(kind_of(value))} with other arguments than usual.", "a simpler value")
    return template.format(**parts)


# Values whose parts are not all values


def _literal(query: _Query, value: Any, aliases: Aliases) -> str:
    if value.dtype.is_interval():
        return _interval(value)
    return literal(value)


def _interval(value: Any) -> str:
    unit = UNITS.get(str(value.dtype.unit.value))
    if unit in (None, "QUARTER"):
        refusals.refuse(f"a time in {value.dtype.unit.name.lower()}s.", "years, months, weeks, days, hours")
    return f"TO_{unit}S({_digits(value)})"


def _digits(value: Any) -> str:
    """Return a typed whole number as digits."""
    return digits(value.value)


def _try_cast(query: _Query, value: Any, aliases: Aliases) -> str:
    return f"TRY_CAST({query.value(value.arg, aliases)} AS {type_name(value.to)})"


def _in_values(query: _Query, value: Any, aliases: Aliases) -> str:
    dated = query.dialect.comparisons_of_days and are_days(value)
    listed = ", ".join(query.values([_day(each) if dated else each for each in value.options], aliases))
    return f"({query.value(value.value, aliases)} IN ({listed}))" if value.options else "FALSE"


def _in_subquery(query: _Query, value: Any, aliases: Aliases) -> str:
    (name,) = value.rel.schema
    table, alias = query.name(value.rel), query.alias()
    return f"({query.value(value.needle, aliases)} IN (SELECT {alias}.{query.quoted(name)} FROM {table} AS {alias}))"


def _coalesce(query: _Query, value: Any, aliases: Aliases) -> str:
    function = {"Coalesce": "COALESCE", "Greatest": "GREATEST", "Least": "LEAST"}[kind_of(value)]
    return f"{function}({', '.join(query.values(value.arg, aliases))})"


def _cases(query: _Query, value: Any, aliases: Aliases) -> str:
    pairs = zip(query.values(value.cases, aliases), query.values(value.results, aliases), strict=True)
    listed = " ".join(f"WHEN {case} THEN {result}" for case, result in pairs)
    return f"CASE {listed} ELSE {query.value(value.default, aliases)} END"


def _concat(query: _Query, value: Any, aliases: Aliases) -> str:
    return f"({' || '.join(query.values(value.arg, aliases))})"


def are_days(value: Any) -> bool:
    """True for a comparison with dates or timestamps. (A typed text in it is a day: `constants.py`.)"""
    compared = kind_of(value) in (*COMPARISONS, "InValues")
    return compared and any(each.dtype.is_date() or each.dtype.is_timestamp() for each in children(value))


def _day(value: Any) -> Any:
    """A typed day as a date."""
    return ops.Literal(value.value, "date") if type(value) is ops.Literal and value.dtype.is_string() else value


def _strip(query: _Query, value: Any, aliases: Aliases) -> str:
    function = {"Strip": "TRIM", "LStrip": "LTRIM", "RStrip": "RTRIM"}[kind_of(value)]
    return f"{function}({query.value(value.arg, aliases)}, '{WHITE}')"


def _substring(query: _Query, value: Any, aliases: Aliases) -> str:
    """A part of a text, from a typed place on, of a typed length."""
    length = f", {_digits(value.length)}" if value.length is not None else ""
    return f"SUBSTRING({query.value(value.arg, aliases)}, {digits(value.start.value + 1)}{length})"


def _right(query: _Query, value: Any, aliases: Aliases) -> str:
    return f"RIGHT({query.value(value.arg, aliases)}, {_digits(value.nchars)})"


def _round(query: _Query, value: Any, aliases: Aliases) -> str:
    places = _digits(value.digits) if value.digits is not None else "0"
    return f"ROUND({query.value(value.arg, aliases)}, {places})"


def _truncate(query: _Query, value: Any, aliases: Aliases) -> str:
    return f"DATE_TRUNC('{UNITS[value.unit.value]}', {query.value(value.arg, aliases)})"


def _delta(query: _Query, value: Any, aliases: Aliases) -> str:
    left, right = query.value(value.left, aliases), query.value(value.right, aliases)
    return f"DATE_DIFF('{value.part.value.upper()}', {right}, {left})"


def _aggregate(query: _Query, value: Any, aliases: Aliases) -> str:
    """An aggregate. Truth values are added as numbers."""
    found = query.arguments(value, aliases)
    if kind_of(value) in ("Sum", "Mean") and value.arg.dtype.is_boolean():
        found["arg"] = query.dialect.truth.format(found["arg"])
    if kind_of(value) == "Quantile":
        found["quantile"] = repr(float(value.quantile.value))
    where = f" FILTER(WHERE {found['where']})" if value.where is not None else ""
    return query.dialect.aggregates[kind_of(value)].format(**found) + where


def _window(query: _Query, value: Any, aliases: Aliases) -> str:
    kind, by = kind_of(value.func), ", ".join(query.values(value.group_by, aliases))
    over = [f"PARTITION BY {by}"] if by else []
    if value.order_by:
        over.append(f"ORDER BY {', '.join(_key(query, each, aliases) for each in value.order_by)}")
    if kind in AGGREGATES:
        over.append(_frame(value))
    called = f"{_called(query, value.func, aliases)} OVER ({' '.join(over)})"
    return f"({called} - 1)" if kind in FROM_ZERO else called


def _called(query: _Query, value: Any, aliases: Aliases) -> str:
    kind = kind_of(value)
    if kind in AGGREGATES:
        return _aggregate(query, value, aliases)
    found = query.arguments(value, aliases)
    if kind in ("Lag", "Lead"):
        found["offset"] = digits(1 if value.offset is None else value.offset.value)
    return PLACES[kind].format(**found)


def _key(query: _Query, key: Any, aliases: Aliases) -> str:
    if key.nulls_first:
        refusals.refuse("an order with missing values first.", "a column of your own: x.isnull()")
    sql, direction = query.value(key.arg, aliases), "ASC" if key.ascending else "DESC"
    if query.dialect.nulls_last:
        return f"{sql} {direction}{query.dialect.nulls_last}"
    return f"({sql} IS NULL) ASC, {sql} {direction} NULLS FIRST"


def _frame(window: Any) -> str:
    start = _end(window.start, "UNBOUNDED PRECEDING")
    return f"ROWS BETWEEN {start} AND {_end(window.end, 'UNBOUNDED FOLLOWING')}"


def _end(boundary: Any, unbounded: str) -> str:
    if boundary is None:
        return unbounded
    rows = boundary.value
    while kind_of(rows) == "Cast":
        rows = rows.arg
    direction = "PRECEDING" if boundary.preceding else "FOLLOWING"
    return "CURRENT ROW" if rows.value == 0 else f"{_digits(rows)} {direction}"


VALUES: dict[str, Callable[[_Query, Any, Aliases], str]] = {
    "Literal": _literal,
    "TryCast": _try_cast,
    "InValues": _in_values,
    "InSubquery": _in_subquery,
    **dict.fromkeys(("Coalesce", "Greatest", "Least"), _coalesce),
    "SearchedCase": _cases,
    "StringConcat": _concat,
    **dict.fromkeys(("Strip", "LStrip", "RStrip"), _strip),
    "Substring": _substring,
    "StrRight": _right,
    "Round": _round,
    **dict.fromkeys(("DateTruncate", "TimestampTruncate"), _truncate),
    **dict.fromkeys(("DateDelta", "TimestampDelta"), _delta),
    "WindowFunction": _window,
    **dict.fromkeys(AGGREGATES, _aggregate),
}


# Relations


def _project(query: _Query, node: Any) -> str:
    alias = query.alias()
    columns = query.columns(node.values, {node.parent: alias})
    return f"SELECT {columns} FROM {query.name(node.parent)} AS {alias}"


def _kept(query: _Query, node: Any, rest: Callable[[Aliases], str]) -> str:
    """The columns of a relation that are the same in its parent."""
    aliases = {node.parent: query.alias()}
    columns = query.columns({name: ops.Field(node.parent, name) for name in node.schema}, aliases)
    return f"SELECT {columns} FROM {query.name(node.parent)} AS {aliases[node.parent]}{rest(aliases)}"


def _filter(query: _Query, node: Any) -> str:
    return _kept(query, node, lambda aliases: f" WHERE {_all(query.values(node.predicates, aliases))}")


def _drop_null(query: _Query, node: Any) -> str:
    subset = node.subset if node.subset is not None else list(node.parent.fields.values())
    present = [ops.NotNull(each) for each in subset]
    operator = " AND " if node.how == "any" else " OR "
    return _kept(query, node, lambda aliases: f" WHERE ({operator.join(query.values(present, aliases))})")


def _all(conditions: Iterable[str]) -> str:
    return f"({' AND '.join(conditions)})"


def _distinct(query: _Query, node: Any) -> str:
    return _kept(query, node, lambda aliases: "").replace("SELECT ", "SELECT DISTINCT ", 1)


def _group(query: _Query, node: Any) -> str:
    alias = query.alias()
    columns = query.columns({**node.groups, **node.metrics}, {node.parent: alias})
    keys = ", ".join(str(place + 1) for place in range(len(node.groups)))
    return f"SELECT {columns} FROM {query.name(node.parent)} AS {alias}{f' GROUP BY {keys}' if keys else ''}"


def _union(query: _Query, node: Any) -> str:
    sides = [
        f"SELECT {', '.join(f'{alias}.{query.quoted(name)} AS {query.quoted(name)}' for name in node.schema)} "
        f"FROM {query.name(side)} AS {alias}"
        for side in (node.left, node.right)
        for alias in [query.alias()]
    ]
    return f"{sides[0]} UNION {'' if node.distinct else 'ALL '}{sides[1]}"


def _join(query: _Query, node: Any) -> str:
    aliases = {each: query.alias() for each in (node.first, *(link.table for link in node.rest))}
    tables = f"{query.name(node.first)} AS {aliases[node.first]}"
    for link in node.rest:
        tables += f" {JOINS[link.how]} {query.name(link.table)} AS {aliases[link.table]}"
        tables += _on(query, link, aliases)
    return f"SELECT {query.columns(node.values, aliases)} FROM {tables}"


def _on(query: _Query, link: Any, aliases: Aliases) -> str:
    return "" if link.how == "cross" else f" ON {join_condition(query, link, aliases)}"


def join_condition(query: _Query, link: Any, aliases: Aliases) -> str:
    """Return the conditions of a join."""
    return _all(query.values(link.predicates, aliases) or ["TRUE"])


RELATIONS: dict[type, Callable[[_Query, Any], str]] = {
    ops.Project: _project,
    ops.Filter: _filter,
    ops.DropNull: _drop_null,
    ops.Distinct: _distinct,
    ops.Aggregate: _group,
    ops.Union: _union,
    ops.JoinChain: _join,
}
"""Relations that are parts of a query; tables stand in it by their names."""
