"""DuckDB, embedded: the engine for files and frames in memory, and for Ibis tables on a connection of the user's.

Rows that do not fit into memory spill to disk. They are raw data: they lie in a private folder (mode 0700), never in
the working directory, and the folder is removed when reading ends, however it ends (spill.py).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from headcount.errors import NotATable
from headcount.source.engines.duckdb_connection import evaluate, exclusive, memory_limit, setting, spill_of, within
from headcount.source.engines.duckdb_parts import Streams, has_room_for_parts, in_parts, interrupting, read_ahead
from headcount.source.engines.engine import Engine, column_names
from headcount.source.engines.limits import Limits
from headcount.source.engines.scan import Connection, Scan, arrow_schema
from headcount.source.expressions import dt, ibis, ir, ops
from headcount.source.queries.on_duckdb import collates, is_view, names_of, step_of_table
from headcount.source.queries.step import Step

if TYPE_CHECKING:
    from ibis.backends.duckdb import Backend

    from headcount.source.queries.ibis import Names

SETTINGS = {
    "default_collation": ("", "binary"),
    "TimeZone": ("UTC", "Etc/UTC"),
    "integer_division": ("false",),
    "old_implicit_casting": ("false",),
    "arrow_large_buffer_size": ("false",),
    "arrow_lossless_conversion": ("false",),
    "arrow_output_version": ("1.0",),
}
"""Settings of a user's connection, with their allowed values. A collation applies to all text, also to columns without
one: one person's spelling could name everybody's item. Divisions and casts of old versions
fail by a row. The others change the types of results, which fails as soon as there is a row."""


@cache
def encode() -> Any:
    """DuckDB built-in: text as bytes."""
    return _builtin("encode", dt.string, dt.binary)


@cache
def decode() -> Any:
    """DuckDB built-in: bytes as text."""
    return _builtin("decode", dt.binary, dt.string)


@cache
def attempt(kind: dt.DataType) -> Any:
    """DuckDB built-in: NULL where the expression of this type fails."""
    return _builtin("try", kind, kind)


def _builtin(name: str, source: dt.DataType, target: dt.DataType) -> Any:
    def function(value: Any) -> Any: ...

    return ibis.udf.scalar.builtin(function, name=name, signature=((source,), target))


class DuckDB(Engine):
    """DuckDB in this process."""

    name, ibis_name, title = "duckdb", "duckdb", "DuckDB"
    byte_exact = True
    in_process = True
    certifies = True
    options: ClassVar[tuple[str, ...]] = ("memory", "spill")

    def check(self, data: ir.Table) -> None:
        """Refuse a connection with settings that change results."""
        connection = ibis.get_backend(data)
        for name, allowed in SETTINGS.items():
            found = setting(connection, name)
            if found.lower() not in [each.lower() for each in allowed]:
                raise NotATable(
                    f"an Ibis table whose connection has {name} = {found!r}.", fix=f"SET {name} = '{allowed[0]}'"
                )

    def query(self, data: ir.Table) -> Step | None:
        return step_of_table(data, lambda expression: evaluate(ibis.get_backend(data), expression))

    def replaced(self, table: ir.Table) -> Iterable[Step]:
        return _names(table).functions()

    def stored(self, leaf: Any) -> Any:
        found = _names(leaf.to_expr()).stored(leaf)
        return found and leaf.source.table(found[2], database=found[:2]).op()

    def is_view(self, leaf: Any) -> bool:
        return is_view(leaf, lambda expression: evaluate(leaf.source, expression))

    def attempt(self, value: Any) -> Any:
        return attempt(value.dtype)(value.to_expr()).op()

    def text_table(self, table: ir.Table, sql: str, schema: Any) -> ir.Table:
        connection = ibis.get_backend(table)
        found = ops.SQLQueryResult(sql, schema, connection).to_expr()
        if _described(connection, sql) != _plain(schema.items()) or sql not in connection.compile(
            _columns(found, found.columns)
        ):
            raise NotATable("a view that DuckDB or Ibis would read in another way.", fix="a simpler view")
        return found

    def byte_exact_table(self, table: ir.Table) -> ir.Table:
        """Change text only where a column has a collation: DuckDB stores nothing that is not UTF-8."""
        connection = ibis.get_backend(table)
        collated = collates(table.op(), lambda expression: evaluate(connection, expression))
        return _byte_exact(table) if collated else table

    def types(self, data: ir.Table, columns: Sequence[str]) -> dict[str, dt.DataType]:
        chosen = _columns(data, columns)
        self.check_readable(chosen, columns)
        return dict(zip(columns, chosen.schema().types, strict=True))

    def table(self, data: ir.Table, columns: Sequence[str]) -> ir.Table:
        """Check the settings once more: they may have changed since the plan."""
        self.check(data)
        return _columns(data, columns)

    def connection(self, table: ir.Table) -> object:
        return ibis.get_backend(table).con

    @contextmanager
    def reserve(self, table: ir.Table | Scan, limits: Limits | None) -> Iterator[None]:
        connection = _connection(table)
        with exclusive(connection) if limits is None else within(connection, limits):
            yield

    def interruptible(self, table: ir.Table | Scan) -> AbstractContextManager[None]:
        return interrupting([_connection(table).con])

    @contextmanager
    def materialise(self, table: ir.Table, *, lazily: bool = False, partitioned: bool = False) -> Iterator[ir.Table]:
        """Create a temporary table, never lazily."""
        connection, name = ibis.get_backend(table), f"headcount_{token_hex(8)}"
        try:
            with self.interruptible(table):
                yield connection.create_table(name, table, temp=True)
        finally:
            connection.raw_sql(f'DROP TABLE IF EXISTS "{name}"')  # Ibis 12 forgets the name

    def to_arrow(self, table: ir.Table | Scan) -> pa.Table:
        """Fetch all rows at once, in parallel."""
        with exclusive(_connection(table)):
            found = _relation(table).to_arrow_table()  # `to_pyarrow` would import pandas
        return found.cast(arrow_schema(table))

    def batches(self, table: ir.Table | Scan, size: int) -> Generator[pa.RecordBatch, None, None]:
        connection, kinds = _connection(table), arrow_schema(table)
        with exclusive(connection), _streams(table) as streams:
            yield from read_ahead(streams, size, kinds)

    def memory(self, table: ir.Table | Scan) -> int:
        return memory_limit(_connection(table))

    def spill(self, table: ir.Table | Scan) -> str | None:
        return spill_of(_connection(table))

    def progress(self, table: ir.Table | Scan) -> float:
        connection = _connection(table)
        readers = connection.reading if isinstance(connection, Connection) else [connection.con]
        known = [part for part in (float(each.query_progress()) for each in readers) if 0 <= part < 100]
        whole = 100 / len(readers) if isinstance(table, Scan) and table.of_one_file else 100
        return min(min(known) / whole, 1.0) if known else -1.0  # that of the last one to end

    def row_hashes(self, table: ir.Table | Scan) -> tuple[int, ...]:
        """The second hash is one of the first: texts are hashed only once."""
        rows = _relation(table)
        row = f"hash({', '.join(rows.columns)})"  # column0, column1, ...
        sums = ", ".join(f"coalesce(sum({each}), 0)" for each in (row, f"hash({row})"))
        found = rows.aggregate(f"count(*), {sums}").fetchall()
        return tuple(found[0])

    @contextmanager
    def memtable(self, rows: pa.Table, table: ir.Table | Scan) -> Iterator[ir.Table]:
        """Rows on the table's own connection: one of Ibis's memtables, read by itself, would be on another, and stay
        there."""
        connection, name = _connection(table), f"headcount_{token_hex(8)}"
        with exclusive(connection):
            connection.con.register(name, rows)
        try:
            yield (connection.backend if isinstance(connection, Connection) else connection).table(name)
        finally:
            with suppress(Exception):  # a draw is not repeated for this
                self.drop_memtable(name, table)

    def drop_memtable(self, name: str, table: ir.Table | Scan) -> None:
        _connection(table).con.unregister(name)


def _names(table: ir.Table) -> Names:
    """What names stand for on the connection of a table."""
    return names_of(lambda expression: evaluate(ibis.get_backend(table), expression))


def _connection(table: ir.Table | Scan) -> Any:
    """The connection that a table is on."""
    return table.connection if isinstance(table, Scan) else ibis.get_backend(table)


def _relation(table: ir.Table | Scan) -> Any:
    """A table as DuckDB has it."""
    return table.relation() if isinstance(table, Scan) else _connection(table)._to_duckdb_relation(table)


def _streams(table: ir.Table | Scan) -> AbstractContextManager[Streams]:
    """The rows as DuckDB has them, in parts if there are any and room for these."""
    connection = _connection(table)
    if isinstance(table, Scan) and table.parts and has_room_for_parts(connection):
        return in_parts(table)
    return nullcontext([(connection.con, _relation(table))])


def _columns(table: ir.Table, columns: Sequence[str]) -> ir.Table:
    """Columns by name, as column0, column1, ..., byte-exact."""
    names = column_names(len(columns))
    chosen = table.select(**{plain: _whole(table[column]) for plain, column in zip(names, columns, strict=True)})
    return _byte_exact(chosen)


def _whole(column: Any) -> Any:
    """A condition in the parentheses of a function: Ibis would write it into a job's conditions without any, and `a IS
    NOT DISTINCT FROM b = TRUE` compares b with TRUE, which can fail by a row."""
    return attempt(dt.boolean)(column) if column.type().is_boolean() else column


def _described(connection: Backend, sql: str) -> list[tuple[str, dt.DataType]]:
    """Columns of SQL, as DuckDB binds it. No row is read."""
    with exclusive(connection):
        found = connection.raw_sql(f"DESCRIBE {sql}").fetchall()
    return _plain((name, connection.compiler.type_mapper.from_string(kind)) for name, kind, *_rest in found)


def _plain(columns: Iterable[tuple[str, dt.DataType]]) -> list[tuple[str, dt.DataType]]:
    """Columns and their types, whether or not they can be NULL. A timestamp is in microseconds."""
    plain = {dt.Timestamp(scale=6): dt.timestamp, dt.Timestamp(timezone="UTC", scale=6): dt.Timestamp(timezone="UTC")}
    found = [(name, kind.copy(nullable=True)) for name, kind in columns]
    return [(name, plain.get(kind, kind)) for name, kind in found]


def _byte_exact(table: ir.Table) -> ir.Table:
    """Text compared byte by byte: under a collation that ignores case, one person's spelling could name everybody's
    item. Invalid UTF-8 becomes NULL."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    return table.mutate(**{name: attempt(dt.string)(decode()(encode()(table[name]))) for name in texts})
