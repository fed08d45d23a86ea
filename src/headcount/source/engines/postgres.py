"""Postgres, on a connection of our own beside that of the user's Ibis table (postgres_session.py).

The user's table or query becomes a temporary view, in which text compares byte by byte (COLLATE "C"), moments are in
UTC, and values that a later step could fail on are NULL: NaN among decimals, dates before the year 1 or after 9999.
Results come back row by row. psycopg is imported only when it is used.
"""

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Any

import ibis
import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.errors import NotATable, UnknownColumn
from headcount.source.engines import postgres_session
from headcount.source.engines.engine import Engine, column_names
from headcount.source.engines.limits import Limits
from headcount.source.engines.postgres_session import quoted, session
from headcount.source.engines.postgres_sql import backend_on, table_named
from headcount.source.queries.on_postgres import Ask, is_view, names_of, step_of_table
from headcount.source.queries.step import Step

TEXTS = ("text", "varchar", "bpchar", "name", "citext", "uuid")
"""Types that are read as text."""
PLAIN: dict[str, dt.DataType] = {
    "bool": dt.boolean,
    "int2": dt.int16,
    "int4": dt.int32,
    "int8": dt.int64,
    "float4": dt.float32,
    "float8": dt.float64,
}
"""Types that are read as they are."""
TEMPORAL: dict[str, dt.DataType] = {
    "date": dt.date,
    "timestamp": dt.Timestamp(scale=6),
    "timestamptz": dt.Timestamp(timezone="UTC", scale=6),
}
NUMBERS_OF_TYPES = {
    **{"int8": 21, "int16": 21, "int32": 23, "int64": 20, "float64": 701, "boolean": 16, "string": 25},
    **{"decimal": 1700, "date": 1082, "timestamp": 1114, "uuid": 2950},
}
"""Types of columns of a view, and their numbers on Postgres."""
YEARS = "'0001-01-01' AND '9999-12-31'"
MOST_DIGITS = 38
LARGEST_FLOAT = "1e308"
MICROSECONDS = "([.][0-9]{6})[0-9]*$"
"""The digits of a second that count, and those that are dropped: Postgres would round."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def convert_to(text: str, encoding: str) -> bytes:  # type: ignore[empty-body]
    """Postgres built-in: text as bytes."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def sha256(value: bytes) -> bytes:  # type: ignore[empty-body]
    """Postgres built-in: SHA-256."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def encode(value: bytes, written: str) -> str:  # type: ignore[empty-body]
    """Postgres built-in: bytes as text, in hexadecimal digits or otherwise."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def regexp_replace(text: str, pattern: str, by: str) -> str:  # type: ignore[empty-body]
    """Postgres built-in: replace what matches."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def pg_input_is_valid(text: str, kind: str) -> bool:  # type: ignore[empty-body]
    """Postgres built-in: true if a cast of this text succeeds."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def substring(text: str, pattern: str) -> str:  # type: ignore[empty-body]
    """Postgres built-in: the part of a text that the first parentheses of a pattern match."""


class Postgres(Engine):
    """Postgres, by a connection of psycopg."""

    name, ibis_name, title = "postgres", "postgres", "Postgres"
    byte_exact = True
    certifies = True
    typed = False  # text is parsed as numbers: a cast of the user's would fail by a row
    snapshot = True
    reads_files = False

    def check(self, data: ir.Table) -> None:
        with session(ibis.get_backend(data).con) as own:
            postgres_session.check_server(own)

    def query(self, data: ir.Table) -> Step | None:
        with session(ibis.get_backend(data).con) as own:
            return step_of_table(data, _ask(own))

    def replaced(self, table: ir.Table) -> Iterable[Step]:
        with session(ibis.get_backend(table).con) as own:
            return list(names_of(_ask(own)).functions())

    def stored(self, leaf: Any) -> Any:
        with session(leaf.source.con) as own:
            found = names_of(_ask(own)).stored(leaf)
        namespace = found and ops.Namespace(catalog=found[0], database=found[1])
        return found and leaf.copy(name=found[2], namespace=namespace)

    def is_view(self, leaf: Any) -> bool:
        with session(leaf.source.con) as own:
            return is_view(leaf, _ask(own))

    def attempt(self, value: Any) -> Any:
        """No operation of a view fails here (source/views/dialects/postgres.py)."""
        return value

    def byte_exact_table(self, table: ir.Table) -> ir.Table:
        """Text becomes byte-exact where columns are cast (source/views/dialects/postgres_casts.py)."""
        return table

    def text_table(self, table: ir.Table, sql: str, schema: Any) -> ir.Table:
        backend = ibis.get_backend(table)
        with session(backend.con, of_user=False) as own:
            if _described(own, sql) != [
                (name, NUMBERS_OF_TYPES[type(kind).__name__.lower()]) for name, kind in schema.items()
            ]:
                raise NotATable("a view that Postgres would read in another way.", fix="a simpler view")
        return Proved(sql, schema, backend).to_expr()

    def types(self, data: ir.Table, columns: Sequence[str]) -> dict[str, dt.DataType]:
        with session(ibis.get_backend(data).con, of_user=not _is_proved(data)) as own:
            found = _view(own, data, columns)
            self.check_readable(found, columns)
            return dict(zip(columns, found.schema().types, strict=True))

    def table(self, data: ir.Table, columns: Sequence[str]) -> ir.Table:
        own = postgres_session.connect(ibis.get_backend(data).con, of_user=not _is_proved(data))
        found = _view(own, data, columns)
        weakref.finalize(ibis.get_backend(found), own.close)
        return found

    # Values

    def sha256(self, text: ir.Value) -> ir.Value:
        return encode(sha256(convert_to(text, "UTF8")), "hex")

    def extract(self, text: ir.Value, pattern: str) -> ir.Value:
        return substring(text, pattern)

    def number(self, value: ir.Value) -> ir.Value:
        if value.type().is_boolean():
            return self.integer(value).cast("float64")
        return _float(value) if value.type().is_string() else value.cast("float64")

    def moment(self, value: ir.Value) -> ir.Value:
        if not value.type().is_string():
            return value.cast("timestamp(6)")
        plain = regexp_replace(value, MICROSECONDS, r"\1")
        return ibis.ifelse(pg_input_is_valid(plain, "timestamp"), plain.cast("timestamp(6)"), None)

    def integer(self, condition: ir.Value) -> ir.Value:
        return ibis.cases((condition, ibis.literal(1, "int64")), (~condition, ibis.literal(0, "int64")), else_=None)

    def decimal(self, text: ir.Value, kind: dt.DataType) -> ir.Value:
        valid = pg_input_is_valid(text, f"numeric({kind.precision},{kind.scale})")
        return ibis.ifelse(valid, text.cast(kind), None)

    # Reading

    @contextmanager
    def reserve(self, table: ir.Table, limits: Limits | None) -> Iterator[None]:
        """Close our connection at the end of the outermost block."""
        backend = ibis.get_backend(table)
        backend.readers += 1
        try:
            yield
        finally:
            backend.readers -= 1
            if not backend.readers:
                postgres_session.close(backend.con)

    @contextmanager
    def interruptible(self, table: ir.Table) -> Iterator[None]:
        connection = ibis.get_backend(table).con
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the server is gone
                connection.cancel_safe(timeout=5)
            raise

    @contextmanager
    def materialise(self, table: ir.Table, *, lazily: bool = False, partitioned: bool = False) -> Iterator[ir.Table]:
        """Create a temporary table, never lazily."""
        backend, name = ibis.get_backend(table), f"headcount_{token_hex(8)}"
        try:
            with self.interruptible(table):
                backend.con.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {_sql(table)}")
                backend.con.execute(f"ANALYZE {name}")
            yield table_named(backend, name, table.schema())
        finally:
            _drop(backend.con, name)

    def to_arrow(self, table: ir.Table) -> pa.Table:
        sql, connection, kinds = _sql(table), ibis.get_backend(table).con, table.schema().to_pyarrow()
        with self.interruptible(table), connection.cursor(binary=True) as cursor:
            rows = cursor.execute(sql).fetchall()
        columns = zip(*rows, strict=True) if rows else ([] for _ in kinds)
        return pa.table([_typed(each, kind) for each, kind in zip(columns, kinds.types, strict=True)], schema=kinds)

    def row_hashes(self, table: ir.Table) -> tuple[int, ...]:
        row = f"ROW({', '.join(table.columns)})"
        sums = ", ".join(f"coalesce(sum(hash_record_extended({row}, {seed})), 0)" for seed in (1, 2))
        with self.interruptible(table):
            found = ibis.get_backend(table).con.execute(f"SELECT count(*), {sums} FROM ({_sql(table)}) AS t").fetchone()
        return tuple(map(int, found))

    def drop_memtable(self, name: str, table: ir.Table) -> None:
        _drop(ibis.get_backend(table).con, name)


def _ask(own: Any) -> Ask:
    """Return what evaluates SQL about the catalog on a connection of ours."""
    return lambda sql, values: list(own.execute(sql, values).fetchall())


class Proved(ops.SQLQueryResult):  # type: ignore[misc]
    """A view that was proved. Its SQL is run as it is, and no schema but pg_catalog is looked into for functions and
    operators: its tables stand there by their full names."""


def _is_proved(data: ir.Table) -> bool:
    return type(data.op()) is Proved


def _described(own: Any, sql: str) -> list[tuple[str, int]]:
    """Columns of SQL and the numbers of their types, as Postgres plans it; refuse what it cannot plan. No row is
    read."""
    import psycopg

    try:
        found = own.execute(f"SELECT * FROM ({sql}) AS q LIMIT 0").description
    except psycopg.Error as failed:
        message = str(failed.diag.message_primary)
        raise NotATable(
            f"a view that Postgres cannot run: {message}.", fix="a simpler view, or the tables as files"
        ) from None
    return [(column.name, column.type_code) for column in found]


def _float(text: ir.Value) -> ir.Value:
    """The text of a number as the nearest float: infinite if it is too large, 0 if it is too small, where Postgres
    would fail."""
    large = ibis.ifelse(text.startswith("-"), -float("inf"), float("inf"))
    exact = ibis.ifelse(pg_input_is_valid(text, "numeric"), text.cast("decimal"), None)
    small = ibis.ifelse(exact.isnull(), text.lower().contains("e-"), exact.abs() < 1)
    beyond = ibis.ifelse(small, 0.0, large)
    return ibis.cases((text.isnull(), None), (pg_input_is_valid(text, "float8"), text.cast("float64")), else_=beyond)


def _view(own: Any, data: ir.Table, columns: Sequence[str]) -> ir.Table:
    """Columns of a user's table as column0, column1, ..., by a temporary view on a connection of ours."""
    sql = data.op().query if _is_proved(data) else ibis.get_backend(data).compile(data)
    query, name = f"({sql}) AS q", f"headcount_{token_hex(8)}"
    kinds = _kinds(own, query)
    read = [_exact(f"q.{quoted(column)}", column, *kinds[column]) for column in columns]
    names = column_names(len(columns))
    listed = ", ".join(f"{sql} AS {plain}" for plain, (sql, _) in zip(names, read, strict=True))
    own.execute(f"CREATE TEMP VIEW {name} AS SELECT {listed} FROM {query}")
    return table_named(backend_on(own), name, ibis.schema(dict(zip(names, (kind for _, kind in read), strict=True))))


def _kinds(own: Any, query: str) -> dict[str, tuple[str, str, int | None, int | None]]:
    """Of each column of a query: name and kind of its type, digits and scale. No row is read."""
    described = own.execute(f"SELECT * FROM {query} LIMIT 0").description
    oids = list({column.type_code for column in described})
    types = own.execute("SELECT oid, typname, typtype::text FROM pg_type WHERE oid = ANY(%s)", (oids,)).fetchall()
    named = {oid: (name, kind) for oid, name, kind in types}
    return {column.name: (*named[column.type_code], column.precision, column.scale) for column in described}


def _exact(
    sql: str, column: str, name: str, kind: str, digits: int | None, scale: int | None
) -> tuple[str, dt.DataType]:
    """A column in SQL such that no later step fails on a value, and its type."""
    if name in PLAIN:
        return sql, PLAIN[name]
    if name in TEXTS or kind == "e":
        return f'{sql}::text COLLATE "C"', dt.string
    if name in TEMPORAL:
        return f"CASE WHEN {sql} BETWEEN {YEARS} THEN {sql} END", TEMPORAL[name]
    if name == "numeric" and digits is not None and scale is not None and 0 <= scale <= digits <= MOST_DIGITS:
        return f"nullif({sql}, 'NaN')", dt.Decimal(digits, scale)
    if name == "numeric":
        return f"CASE WHEN abs({sql}) BETWEEN 1e-300 AND {LARGEST_FLOAT} THEN {sql}::float8 END", dt.float64
    raise UnknownColumn(f"column {column!r} is of a kind that cannot be read.", fix="numbers or text")


def _sql(table: ir.Table) -> str:
    """A query of ours as SQL; its memtables are on the server."""
    backend = ibis.get_backend(table)
    backend._run_pre_execute_hooks(table)
    return str(backend.compile(table))


def _drop(connection: Any, name: str) -> None:
    with suppress(Exception):  # after an error, or when the server is gone: the transaction ends without it
        connection.execute(f'DROP TABLE IF EXISTS pg_temp."{name}"')


def _typed(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """A column of a result. Sums of whole numbers are decimals to Postgres."""
    if pa.types.is_integer(kind):
        return pa.array([None if value is None else int(value) for value in values], kind)
    if pa.types.is_list(kind):
        return pa.array([value and [int(each) for each in value] for value in values], kind)
    if pa.types.is_floating(kind):
        return pa.array([None if value is None else float(value) for value in values], kind)
    return pa.array(list(values), kind)
