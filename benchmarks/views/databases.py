"""Small databases with their neighbours, and a search for a violation: another person's rows that change, or rows of
somebody who is absent."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import uuid4

import duckdb
import ibis
import psycopg
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

    main = "main"
    """The schema of the empty tables."""
    errors: type[Exception] = duckdb.Error
    """What is raised by SQL that does not run."""
    _stored = ""
    quote = '"'
    """What stands around names."""

    def __init__(self, world: World, seed: int, count: int) -> None:
        self.connection = self._connect()
        self._world, self._random = world, Random(seed)
        self._create(self.main, {}, {})
        self.tables = {name: self.connection.table(name, database=self.main) for name in world.schema}
        self.pairs: list[tuple[str, list[Neighbour]]] = [self._with_neighbours(place) for place in range(count)]

    def declarations(self, expression: ir.Table) -> dict[str, Any]:
        """Return what is declared about the tables of an expression."""
        names, world = {leaf.name for leaf in expression.op().find(ops.DatabaseTable)}, self._world
        links = {low: high for low, high in world.links.items() if {_table(low), _table(high)} <= names}
        users = {name: column for name, column in world.users.items() if name in names}
        return {"user": users, "public": [name for name in world.public if name in names], "links": links}

    def violation(self, table: ir.Table, user: str) -> str:
        """Return how a view mixes people, in some pair of neighbours; empty if it does in none."""
        return next(self._violations(self.sql(table), user), "")

    def sql(self, table: ir.Table) -> str:
        """Return the SQL of a view."""
        return str(ibis.to_sql(table, dialect="duckdb"))

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
        names, rows = self._fetched(sql.replace(self._prefix(self.main), self._prefix(schema)))
        place = names.index(user)
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for row in rows:
            if row[place] is not None:
                found[str(row[place])][repr(row)] += 1
        return found

    def _prefix(self, schema: str) -> str:
        return f"{self.quote}{schema}{self.quote}."

    def _fetched(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Columns and rows of a result."""
        result = self._execute(sql)
        return [column[0] for column in result.description], result.fetchall()

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
            self._execute(f"CREATE TABLE {schema}.{name} ({self._columns(columns)}){self._stored}")
            self._insert(
                f"{schema}.{name}",
                [*public.get(name, ()), *(row for rows in people.values() for row in rows.get(name, ()))],
            )

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            listed = ", ".join("(" + ", ".join(_literal(each) for each in row) + ")" for row in rows)
            self._execute(f"INSERT INTO {table} VALUES {listed}")

    def _columns(self, columns: str) -> str:
        """Return columns as SQL of the engine."""
        return columns

    def _connect(self) -> Any:
        return ibis.duckdb.connect(threads=1)

    def _execute(self, sql: str) -> Any:
        return self.connection.con.execute(sql)


class PostgresDatabases(Databases):
    """Databases in one database of Postgres, by a connection of Ibis."""

    main = "views"
    errors = psycopg.Error

    def __init__(self, world: World, seed: int, count: int, host: str) -> None:
        self._host = host
        super().__init__(world, seed, count)

    def _connect(self) -> Any:
        with psycopg.connect(host=self._host, user="postgres", dbname="postgres", autocommit=True) as first:
            name = f"views{uuid4().hex}"
            first.execute(f"CREATE DATABASE {name}")
        connection = ibis.postgres.connect(host=self._host, user="postgres", database=name, autocommit=True)
        self._plain = psycopg.connect(host=self._host, user="postgres", dbname=name, autocommit=True)
        self._plain.execute("SET client_min_messages = error; SET jit = off")
        return connection

    def sql(self, table: ir.Table) -> str:
        """Return the SQL of a view; of one that was proved, as it is run."""
        return str(table.op().query if isinstance(table.op(), ops.SQLQueryResult) else ibis.to_sql(table, "postgres"))

    def close(self) -> None:
        """Close the connections."""
        self._plain.close()
        self.connection.disconnect()

    def _columns(self, columns: str) -> str:
        return columns.replace("DOUBLE", "DOUBLE PRECISION").replace(" COLLATE NOCASE", "")

    def _execute(self, sql: str) -> Any:
        return self._plain.execute(sql)


class SparkDatabases(Databases):
    """Databases in the catalog of a Spark, by a session of its own."""

    errors = Exception
    quote = "`"
    _stored = " USING PARQUET"

    def __init__(self, world: World, seed: int, count: int, session: Any) -> None:
        self._session = session.newSession()
        self._session.conf.set("spark.sql.storeAssignmentPolicy", "LEGACY")
        self._name = f"views{uuid4().hex}"
        self.main = f"{self._name}_main"
        super().__init__(world, seed, count)

    def sql(self, table: ir.Table) -> str:
        """Return the SQL of a view; of one that was proved, as it is run."""
        found = table.op().query if isinstance(table.op(), ops.SQLQueryResult) else ibis.to_sql(table, "pyspark")
        return str(found)

    def close(self) -> None:
        """Drop what was made."""
        for row in self._session.sql(f"SHOW DATABASES LIKE '{self._name}*'").collect():
            self._session.sql(f"DROP DATABASE {row[0]} CASCADE")

    def _prefix(self, schema: str) -> str:
        return super()._prefix(schema if schema.startswith(self._name) else f"{self._name}_{schema}")

    def _create(self, schema: str, people: Mapping[int | None, Rows], public: Rows) -> None:
        super()._create(schema if schema.startswith(self._name) else f"{self._name}_{schema}", people, public)

    def _connect(self) -> Any:
        return ibis.pyspark.connect(self._session)

    def _columns(self, columns: str) -> str:
        return columns.replace(" COLLATE NOCASE", "").replace("VARCHAR", "STRING")

    def _fetched(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        result = self._session.sql(sql)
        return list(result.columns), [tuple(row) for row in result.collect()]

    def _execute(self, sql: str) -> Any:
        return self._session.sql(sql)


def _table(end: str) -> str:
    return end.partition(".")[0]


def _literal(value: Any) -> str:
    """A value in SQL. (A number with a point is a decimal, which has no -0.0.)"""
    return "NULL" if value is None else f"'{value!r}'" if isinstance(value, float) else repr(value)
