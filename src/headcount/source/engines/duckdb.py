"""DuckDB, embedded: the engine for files and frames in memory, and for Ibis tables on a connection of the user's.

Rows that do not fit into memory spill to disk. They are raw data: they lie in a private folder (mode 0700), never in
the working directory, and the folder is removed when reading ends, however it ends (`spill.py`).

A connection of the user's serves one release at a time. It holds one result: two threads that use it at once take each
other's rows, or wait for each other for ever. A release holds its connection from the first row to the last; others
wait. Separate connections, such as cursors of one database, do not wait for each other.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import cache
from itertools import repeat
from secrets import token_hex
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from headcount.errors import NotATable
from headcount.source.engines.engine import Engine, column_names
from headcount.source.engines.limits import LEAST, MOST, Limits, parse_bytes
from headcount.source.engines.scan import Connection, Scan, arrow_schema
from headcount.source.engines.spill import spill_folder
from headcount.source.engines.sql_values import quoted
from headcount.source.expressions import dt, ibis, ir, ops
from headcount.source.queries.on_duckdb import collates, is_view, names_of, step_of_table
from headcount.source.queries.step import Step
from headcount.system.threads import THREADS, prefetch

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
RELATION_LOCK = Lock()
"""Held while a DuckDB relation is read: it does not expose its connection."""
_LOCKS: WeakKeyDictionary[Any, RLock] = WeakKeyDictionary()
_FOLDERS: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_REGISTRY = Lock()
OWN: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_file_cache": False,  # rows of a file would stay in memory
    "preserve_insertion_order": False,
    "python_enable_replacements": False,  # no name in a query is a variable of Python's
    "temp_directory": "",
}
"""Settings of a DuckDB of our own. Without the bar, its progress is not counted."""
SESSION = "SET TimeZone = 'UTC'; SET enable_progress_bar = true; SET enable_progress_bar_print = false"
PARTS_MEMORY = 1 << 30
"""Least memory with which parts of the rows are read at once: each has buffers of its own."""
_PROCESS = os.getpid()
_IDLE: list[Any] = []
"""A DuckDB of our own on which nothing is, if there is one, in this process."""


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
        return step_of_table(data, lambda expression: _evaluate(ibis.get_backend(data), expression))

    def replaced(self, table: ir.Table) -> Iterable[Step]:
        return _names(table).functions()

    def stored(self, leaf: Any) -> Any:
        found = _names(leaf.to_expr()).stored(leaf)
        return found and leaf.source.table(found[2], database=found[:2]).op()

    def is_view(self, leaf: Any) -> bool:
        return is_view(leaf, lambda expression: _evaluate(leaf.source, expression))

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
        collated = collates(table.op(), lambda expression: _evaluate(connection, expression))
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
        with exclusive(connection) if limits is None else _within(connection, limits):
            yield

    def interruptible(self, table: ir.Table | Scan) -> AbstractContextManager[None]:
        return _interruptible([_connection(table).con])

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
        kinds, parts = arrow_schema(table), self.memory(table) >= PARTS_MEMORY and THREADS > 1
        with exclusive(_connection(table)), _streams(table, parts=parts) as streams, ExitStack() as threads:
            ahead = [threads.enter_context(_ahead(relation, size, kinds)) for _, relation in streams]
            with _interruptible([connection for connection, _ in streams]):
                yield from _in_turn(ahead)

    def memory(self, table: ir.Table | Scan) -> int:
        return parse_bytes(setting(_connection(table), "memory_limit")) or MOST

    def spill(self, table: ir.Table | Scan) -> str | None:
        return _FOLDERS.get(_connection(table).con)

    def progress(self, table: ir.Table | Scan) -> float:
        connection = _connection(table)
        readers = connection.reading if isinstance(connection, Connection) else [connection.con]
        known = [part for part in (float(each.query_progress()) for each in readers) if part >= 0]
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
    return names_of(lambda expression: _evaluate(ibis.get_backend(table), expression))


def connect() -> Connection:
    """Return a connection to a DuckDB of our own, in memory: it loads no extension by itself, uses UTC, keeps no row
    order, prints nothing and does not spill until `DuckDB.reserve` gives it a folder."""
    with _REGISTRY:
        database = _IDLE.pop() if _IDLE and not _is_forked() else None
    connection = Connection(database or duckdb.connect(":memory:", config=OWN))
    connection.raw_sql(SESSION)
    return connection


def give_back(connection: Connection) -> None:
    """Close a connection of ours, and keep its DuckDB for the next one if nothing stays on it: to open one takes longer
    than to read a small table. No result of the connection may be open."""
    connection.con.close()
    if connection.is_bare and not _has_spilled(connection.database):
        with _REGISTRY:
            if not _IDLE and not _is_forked():
                _IDLE.append(connection.database)
                return
    connection.disconnect()


def _is_forked() -> bool:
    """Whether this process came from one that had loaded DuckDB: the threads of a DuckDB stay behind there, and one
    that is still open when the process ends waits for its own for ever."""
    return os.getpid() != _PROCESS


def _has_spilled(database: Any) -> bool:
    """Whether rows were put aside. If none were, the folder for them is forgotten."""
    try:
        database.execute("SET temp_directory = ''")
    except duckdb.Error:
        return True
    return False


def _connection(table: ir.Table | Scan) -> Any:
    """The connection that a table is on."""
    return table.connection if isinstance(table, Scan) else ibis.get_backend(table)


def _relation(table: ir.Table | Scan) -> Any:
    """A table as DuckDB has it."""
    return table.relation() if isinstance(table, Scan) else _connection(table)._to_duckdb_relation(table)


@contextmanager
def _interruptible(connections: Sequence[Any]) -> Iterator[None]:
    """Stop the running queries of connections if the block is left by an exception."""
    try:
        yield
    except BaseException:
        for each in connections:
            each.interrupt()
        raise


@contextmanager
def _streams(table: ir.Table | Scan, *, parts: bool) -> Iterator[Sequence[tuple[Any, Any]]]:
    """The rows as DuckDB has them, with their connection: in parts, if there are any, each on one of its own."""
    if not isinstance(table, Scan) or not table.parts or not parts:
        yield [(_connection(table).con, _relation(table))]
        return
    own = table.connection
    with ExitStack() as opened:
        own.reading = [opened.enter_context(closing(own.con.cursor())) for _ in table.parts]
        opened.callback(setattr, own, "reading", [own.con])
        for each in own.reading:
            each.execute(SESSION)
        queries = [replace(table, name=part).sql for part in table.parts]
        yield [(each, each.sql(query)) for each, query in zip(own.reading, queries, strict=True)]


def _ahead(relation: Any, size: int, kinds: pa.Schema) -> AbstractContextManager[Iterator[pa.RecordBatch | None]]:
    """Batches that a thread fetches; and None after the last one."""
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader  # the name until 1.4

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in read(size):
            yield batch.cast(kinds)

    rows = batches()  # the query begins with the first one, where it can be interrupted
    return prefetch(lambda _: next(rows, None), repeat(None), threads=1)


def _in_turn(streams: Sequence[Iterator[pa.RecordBatch | None]]) -> Iterator[pa.RecordBatch]:
    """A batch of each stream, then the next one of each, until all have ended."""
    waiting = deque(streams)
    while waiting:
        if (batch := next(waiting[0])) is None:
            waiting.popleft()
        else:
            yield batch
            waiting.rotate(-1)


def setting(connection: Any, name: str) -> str:
    """Return a setting of a connection."""
    return str(_evaluate(connection, f"current_setting('{name}')"))


def _evaluate(connection: Any, expression: str) -> Any:
    with exclusive(connection):
        return connection.raw_sql(f"SELECT {expression}").fetchall()[0][0]


def _set(connection: Any, name: str, value: str) -> None:
    connection.raw_sql(f"SET {name} = {quoted(value)}")


@contextmanager
def exclusive(connection: Any) -> Iterator[None]:
    """Hold a connection for this thread."""
    with _lock(connection.con):
        yield


def _lock(connection: Any) -> Any:
    with _REGISTRY:
        return _LOCKS.setdefault(connection, RLock())


@contextmanager
def _within(connection: Any, limits: Limits) -> Iterator[None]:
    """Apply limits to a connection of ours, and close it after the block, which removes what was spilled."""
    with spill_folder(limits.spill) as folder:
        try:
            _set(connection, "temp_directory", folder)
            _FOLDERS[connection.con] = folder
            if limits.memory is not None:
                _set(connection, "memory_limit", f"{limits.memory}B")
                threads = int(setting(connection, "threads"))
                _set(connection, "threads", str(max(1, min(threads, limits.memory // LEAST))))
            yield
        except BaseException:
            connection.disconnect()
            raise
        if limits.memory is None and isinstance(connection, Connection):
            give_back(connection)
        else:
            connection.disconnect()


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
