"""Queries on Postgres: Ibis tables. A name that stands for anything else than a table whose rows are stored needs the
promise, and so does SQL; chance, time and the order of rows are found in both, as far as they can be read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlglot
from ibis.common.graph import Graph
from ibis.expr import types as ir
from sqlglot import expressions

from headcount.source.queries import ibis
from headcount.source.queries.step import CHANCE, LIMIT, NOW, SAMPLE, Step, fallible, worst

Ask = Callable[[str, Sequence[Any]], list[Any]]
"""Runs a query on the catalog, on a connection of ours."""
RELATION = """
WITH RECURSIVE found AS (
  SELECT oid FROM pg_class WHERE oid = to_regclass(%s)
  UNION SELECT inhrelid FROM pg_inherits JOIN found ON inhparent = found.oid
)
SELECT relkind::text, relpersistence::text, row_security_active(c.oid), pg_get_viewdef(c.oid),
  EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attgenerated::text NOT IN ('', 's'))
FROM pg_class AS c JOIN found ON c.oid = found.oid ORDER BY c.oid <> to_regclass(%s)
"""
"""A relation and what inherits from it: its kind, whether row security filters it, its query, and whether a column is
computed at each reading."""
LOCATED = """
SELECT '', nspname::text, relname::text
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
WHERE c.oid = to_regclass(%s) AND c.oid >= 16384 AND relkind IN ('r', 'p') AND relpersistence <> 't'
  AND nspname NOT LIKE 'pg\\_%%' AND nspname <> 'information_schema' AND NOT relispartition
  AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid OR (inhparent = c.oid AND relkind = 'r'))
"""
"""A table of the user's that is in no other one, and has none in it but its partitions: database (this one), schema
and name."""
COLUMNS = """
SELECT attname::text, atttypid::int8, CASE WHEN atttypmod >= 4 THEN atttypmod - 4 ELSE -1 END
FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
"""Its columns: the numbers of their types, and what the types are limited to."""
REPLACED = """
SELECT 'the cast of ' || castsource::regtype || ' to ' || casttarget::regtype || ', which is not Postgres''s'
FROM pg_cast WHERE oid >= 16384 AND castsource < 16384 AND casttarget < 16384
UNION ALL
SELECT 'the function ' || proname || '() in pg_catalog, which is not Postgres''s' FROM pg_proc AS p
WHERE oid >= 16384 AND pronamespace = 'pg_catalog'::regnamespace
  AND EXISTS (SELECT FROM pg_proc AS q WHERE q.proname = p.proname AND q.oid < 16384)
UNION ALL
SELECT 'the operator ' || oprname || ' in pg_catalog, which is not Postgres''s' FROM pg_operator
WHERE oid >= 16384 AND oprnamespace = 'pg_catalog'::regnamespace
"""
"""What an extension or a superuser put in place of what Postgres has; names of other schemas are not looked up."""
FAMILIES: dict[int, Callable[[Any], bool]] = {
    16: lambda kind: kind.is_boolean(),
    20: lambda kind: kind.is_int64(),
    21: lambda kind: kind.is_int16(),
    23: lambda kind: kind.is_int32(),
    700: lambda kind: kind.is_float32(),
    701: lambda kind: kind.is_float64(),
    **dict.fromkeys((25, 1042, 1043), lambda kind: kind.is_string()),
    1082: lambda kind: kind.is_date(),
    1114: lambda kind: kind.is_timestamp() and kind.timezone is None,
    1184: lambda kind: kind.is_timestamp() and kind.timezone is not None,
    1700: lambda kind: kind.is_decimal(),
    2950: lambda kind: kind.is_uuid(),
}
"""Types of Postgres by their numbers, and what Ibis takes them for."""
DECIMAL = 1700
STORED, VIEW, TEMPORARY = ("r", "p"), "v", "t"
VIEWS = ("v", "m")
KINDS = {"m": "a materialized view", "f": "a foreign table"}
NEVER_FAIL = (
    frozenset({"Field", "Alias", "Literal", "IsNull", "NotNull", "And", "Or", "Not", "Xor", "Cast", "DatabaseTable"})
    | frozenset({"Lowercase", "Uppercase", "Strip", "LStrip", "RStrip", "StringLength", "StringContains"})
    | frozenset({"StartsWith", "EndsWith", "StringSQLLike", "StringSQLILike"})
    | ibis.COMPARED
    | (ibis.RELATIONS - {"InMemoryTable"})
)
"""Operations that no row makes fail on Postgres either: there a float overflows, and TryCast fails as Cast does."""
TIMES = ("clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday", "now")
READ_AT = (
    expressions.CurrentDate,
    expressions.CurrentTime,
    expressions.CurrentTimestamp,
    expressions.Localtime,
    expressions.Localtimestamp,
)
UNREADABLE = Step("SQL that headcount cannot read", "the table itself")
MAX_NESTED = 20


class _Names:
    """The names of a connection."""

    def __init__(self, ask: Ask, nested: int = 0) -> None:
        self._ask = ask
        self._nested = nested

    def table(self, node: Any) -> Iterator[Step]:
        yield from self.relation([node.namespace.database, node.name])

    def relation(self, parts: Sequence[str | None]) -> Iterator[Step]:
        """Yield what is not a table whose rows are stored, behind a name."""
        full = _full(parts)
        found = self._ask(RELATION, (full, full))
        if not found or found[0][1] == TEMPORARY:
            yield Step(
                f"the name {parts[-1]!r:.60}, which is not that of a table that other connections see",
                "a table that is neither temporary nor created in a transaction that is still open",
            )
        for kind, _, filtered, query, computed in found:
            yield from self._of_relation(str(parts[-1]), kind, query)
            yield from [Step("row security")] if filtered else []
            yield from [Step("a generated column")] if computed else []

    def _of_relation(self, name: str, kind: str, query: str | None) -> Iterator[Step]:
        if kind in STORED:
            return
        yield Step(KINDS.get(kind, f"the view {name!r:.60}, which headcount does not look into"))
        if kind == VIEW:
            yield from self.text(query or "")

    def stored(self, node: Any) -> tuple[str, str, str] | None:
        """Return the full name of a table whose rows are stored, each with the columns that Ibis sees."""
        full = _full([node.namespace.database, node.name])
        found = self._ask(LOCATED, (full,))
        if not found or list(self.table(node)):
            return None
        columns = self._ask(COLUMNS, (full,))
        same = [name for name, _type, _limit in columns] == list(node.schema)
        return (
            tuple(found[0]) if same and all(_is_as_seen(node.schema[each[0]], *each[1:]) for each in columns) else None
        )

    def text(self, query: str) -> Iterator[Step]:
        """Yield what no promise covers in SQL."""
        try:
            parts = list(sqlglot.parse_one(query, read="postgres").walk())
        except sqlglot.errors.SqlglotError:
            parts = []
        if not parts or self._nested == MAX_NESTED:
            yield UNREADABLE
        named = {part.name for part in parts if isinstance(part, expressions.CTE)} | {
            part.alias for part in parts if isinstance(part, expressions.CTE)
        }
        inner = _Names(self._ask, self._nested + 1)
        for part in parts:
            yield from self._of_part(part)
            if isinstance(part, expressions.Table) and part.name and not (part.name in named and not part.db):
                yield from (step for step in inner.relation([part.db, part.name]) if step.fix)

    def _of_part(self, part: Any) -> Iterator[Step]:
        if isinstance(part, expressions.Limit | expressions.Fetch | expressions.Offset):
            yield LIMIT
        if isinstance(part, expressions.TableSample):
            yield SAMPLE
        if isinstance(part, READ_AT):
            yield NOW
        if isinstance(part, expressions.Rand | expressions.Uuid):
            yield CHANCE
        if isinstance(part, expressions.Anonymous):
            yield from self.macro(part.name)

    def macro(self, name: str) -> Iterator[Step]:
        """Yield a step for a function that may give another value each time."""
        if name.casefold() in TIMES:
            yield NOW
        elif self._ask("SELECT FROM pg_proc WHERE proname = %s AND provolatile = 'v' LIMIT 1", (name.casefold(),)):
            yield CHANCE

    def functions(self) -> Iterator[Step]:
        """Yield what stands in for what Postgres has. Its own functions are found first, unless one of the same schema
        fits better."""
        return (Step(what) for (what,) in self._ask(REPLACED, ()))


def _full(parts: Sequence[str | None]) -> str:
    """A name as SQL."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts if part)


def _is_as_seen(kind: Any, number: int, limit: int) -> bool:
    """True for a column of the type that Ibis takes it for. Domains, enumerations and types of extensions have other
    numbers: they may be unused, if Ibis does not take them for one of these types."""
    if number not in FAMILIES:
        return not (kind.is_numeric() or any(family(kind) for family in FAMILIES.values()))
    digits = None if limit < 0 else (limit >> 16, limit & 0xFFFF)
    return FAMILIES[number](kind) and (number != DECIMAL or digits in (None, (kind.precision, kind.scale)))


def is_view(node: Any, ask: Ask) -> bool:
    """True if a name stands for a view of the database."""
    full = _full([node.namespace.database, node.name])
    return any(kind in VIEWS for kind, *_others in ask(RELATION, (full, full)))


def names_of(ask: Ask) -> ibis.Names:
    """Return what names in an Ibis expression stand for; `ask` evaluates SQL on a connection of ours."""
    return _Names(ask)


def step_of_table(table: ir.Table, ask: Ask) -> Step | None:
    """Return what in an Ibis expression is not row by row, or may fail by a row."""
    kinds = [ibis.kind_of(node) for node in Graph.from_bfs(table.op())]
    general = ibis.step_of(table, _Names(ask))
    own = [fallible(f"the operation {kind}") for kind in kinds if kind not in NEVER_FAIL]
    return worst([*([general] if general else []), *own])
