"""Small databases with their neighbours, and a search for a violation: another person's rows that change, or rows of
somebody who is absent."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import ibis
from ibis.expr import operations as ops
from ibis.expr import types as ir

from benchmarks.views.worlds import PEOPLE, Rows, World


@dataclass(frozen=True)
class Neighbour:
    """A database that differs in one person."""

    schema: str
    person: int
    absent: bool
    """True if that person has no private row in it."""


class Databases:
    """Databases in one DuckDB, each in a schema of its own; the empty tables of the main schema stand for all."""

    def __init__(self, world: World, seed: int, count: int) -> None:
        self.connection = ibis.duckdb.connect(threads=1)
        self._world, self._random = world, Random(seed)
        self._create("main", {}, {})
        self.tables = {name: self.connection.table(name, database="main") for name in world.schema}
        self.pairs: list[tuple[str, list[Neighbour]]] = [self._with_neighbours(place) for place in range(count)]

    def declarations(self, expression: ir.Table) -> dict[str, Any]:
        """Return what is declared about the tables of an expression."""
        names, world = {leaf.name for leaf in expression.op().find(ops.DatabaseTable)}, self._world
        links = {low: high for low, high in world.links.items() if {_table(low), _table(high)} <= names}
        users = {name: column for name, column in world.users.items() if name in names}
        return {"user": users, "public": [name for name in world.public if name in names], "links": links}

    def violation(self, table: ir.Table, user: str) -> str:
        """Return how a view mixes people, in some pair of neighbours; empty if it does in none."""
        return next(self._violations(ibis.to_sql(table, dialect="duckdb"), user), "")

    def _violations(self, sql: str, user: str) -> Iterator[str]:
        for schema, others in self.pairs:
            before = self._rows(schema, sql, user)
            for other in others:
                after = self._rows(other.schema, sql, user)
                changed = {person for person in before | after if before.get(person) != after.get(person)}
                if changed - {str(other.person)}:
                    yield "other people's rows change"
                if other.absent and str(other.person) in after:
                    yield "an absent person has rows"

    def _rows(self, schema: str, sql: str, user: str) -> dict[str, Counter[str]]:
        """Rows by person."""
        result = self._execute(sql.replace('"main".', f'"{schema}".'))
        place = [column[0] for column in result.description].index(user)
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for row in result.fetchall():
            if row[place] is not None:
                found[str(row[place])][repr(row)] += 1
        return found

    def _with_neighbours(self, place: int) -> tuple[str, list[Neighbour]]:
        """One database, the same without a person, and with other rows for that person."""
        draw, world = self._random, self._world
        people = {person: world.person(draw, person) for person in (None, *range(PEOPLE))}
        public, changed = world.public_rows(draw), draw.randrange(PEOPLE)
        self._create(f"d{place}", people, public)
        others = []
        for number, rows in enumerate(({}, world.person(draw, changed), world.person(draw, changed))):
            schema = f"d{place}_{number}"
            self._create(schema, {**people, changed: rows}, public)
            others.append(Neighbour(schema, changed, not any(rows.values())))
        return f"d{place}", others

    def _create(self, schema: str, people: Mapping[int | None, Rows], public: Rows) -> None:
        self._execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for name, columns in self._world.schema.items():
            self._execute(f"CREATE TABLE {schema}.{name} ({columns})")
            self._insert(
                f"{schema}.{name}",
                [*public.get(name, ()), *(row for rows in people.values() for row in rows.get(name, ()))],
            )

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            listed = ", ".join("(" + ", ".join(_literal(each) for each in row) + ")" for row in rows)
            self._execute(f"INSERT INTO {table} VALUES {listed}")

    def _execute(self, sql: str) -> Any:
        return self.connection.con.execute(sql)


def _table(end: str) -> str:
    return end.partition(".")[0]


def _literal(value: Any) -> str:
    """A value in SQL. (A number with a point is a decimal, which has no -0.0.)"""
    return "NULL" if value is None else f"'{value!r}'" if isinstance(value, float) else repr(value)
