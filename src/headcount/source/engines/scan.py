"""Rows of files and frames on a DuckDB of ours as SQL, of which an Ibis expression is made only if one is needed.

A scan is no second way to read: its expression has the same columns of the same rows. What a scan does by itself is to
drop rows that lack a value, and those of items that are not public, and to compute numbers of columns by the formulas
of the expression (sql_values.py), where nothing else is done to rows before they are numbered; tests compare it with
the expression (tests/source/test_scan.py). All else is an expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from secrets import token_hex
from typing import Any, cast

import pyarrow as pa

from headcount.source.engines.dialects import backend
from headcount.source.engines.kinds import ARROW, KINDS, ON_DUCKDB, kind_named
from headcount.source.engines.sql_values import SqlValue
from headcount.source.expressions import dt, ir

STREAMED = 122_880
"""Rows of a batch of a stream: what DuckDB has in a row group of its own."""


def arrow_schema(table: ir.Table | Scan) -> pa.Schema:
    """Columns of a table and their types, as Arrow has them."""
    return table.schema() if isinstance(table, Scan) else table.schema().to_pyarrow()


class Connection:
    """A connection to a DuckDB of our own: what is temporary on it ends with it."""

    def __init__(self, database: Any) -> None:
        self.database, self.con = database, database.cursor()
        self.reading: Sequence[Any] = [self.con]
        """Connections that read its rows, this one or others: their progress is that of the reading."""

    @cached_property
    def backend(self) -> Any:
        """The same connection as Ibis has it."""
        return backend().from_connection(self.con)

    @property
    def is_bare(self) -> bool:
        """True if Ibis has put nothing on it."""
        return "backend" not in self.__dict__

    def raw_sql(self, sql: str) -> Any:
        """Run SQL."""
        return self.con.execute(sql)

    def disconnect(self) -> None:
        """Close it, and the database."""
        self.con.close()
        self.database.close()


@dataclass(frozen=True)
class Scan:
    """Columns of rows, as values that are computed of each row by itself."""

    connection: Connection
    name: str
    """Name of the table, or view, with all its rows."""
    kept: str = ""
    """Clauses after its name."""
    selected: Mapping[str, SqlValue] | None = None
    """The columns, computed of those of the table; None for these as they are."""
    parts: tuple[str, ...] = ()
    """The same rows in parts that are read at once, each as what follows FROM on any connection; nothing if there are
    none."""
    of_one_file: bool = False
    """Whether these are parts of one file: DuckDB then counts the progress of each as one of the whole file."""

    @cached_property
    def table(self) -> ir.Table:
        """All rows of the table, as an expression."""
        found: ir.Table = self.connection.backend.table(self.name)
        return found

    @property
    def sql(self) -> str:
        """The query."""
        listed = [f"{value.sql} AS {name}" for name, value in (self.selected or {}).items()]
        return f"SELECT {', '.join(listed) or '*'} FROM {self.name} {self.kept}"

    @property
    def simplest(self) -> ir.Table | Scan:
        """The rows as SQL if the types of all columns are known without Ibis, else as an expression."""
        return self if all(kind in ON_DUCKDB for kind in self._described.values()) else self.table

    def counted(self, numbers: int) -> ir.Table | Scan:
        """The rows as SQL if the last `numbers` columns are numbers, or text, and the others people and items as they
        are; else as an expression."""
        kinds = list(self._described.values())
        items = kinds[: len(kinds) - numbers]
        return self.simplest if all(kind in KINDS for kind in items) else self.table

    def relation(self) -> Any:
        """The query as DuckDB has it, to be read once."""
        return self._query(self.sql)

    @cached_property
    def _described(self) -> dict[str, str]:
        """Columns of the table and their types, as DuckDB names them. No row is read."""
        found = self._query(f"SELECT * FROM {self.name}")
        return dict(zip(found.columns, map(str, found.types), strict=True))

    def _query(self, sql: str) -> Any:
        return self.connection.con.sql(sql)

    @property
    def types(self) -> Sequence[dt.DataType]:
        """Types of the columns of the table."""
        if self.simplest is not self:
            return cast("Sequence[dt.DataType]", self.table.schema().types)
        return [kind_named(ON_DUCKDB[kind][0]) for kind in self._described.values()]

    @cached_property
    def values(self) -> Mapping[str, SqlValue]:
        """The columns, if their types are known."""
        own = {name: SqlValue(name, ON_DUCKDB[kind][0]) for name, kind in self._described.items()}
        return own if self.selected is None else self.selected

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.values)

    def __getitem__(self, name: str) -> SqlValue:
        return self.values[name]

    def schema(self) -> pa.Schema:
        """The columns as Arrow has them."""
        return pa.schema([(name, ARROW[value.kind]) for name, value in self.values.items()])

    def limit(self, rows: int) -> Scan:
        """Some of the rows."""
        return replace(self, kept=f"LIMIT {rows}", parts=())

    def select(self, **values: SqlValue) -> Scan:
        """The same rows with other columns, computed of theirs."""
        return replace(self, selected=values)

    def complete(self, names: Sequence[str], public: pa.Table | None = None) -> Scan:
        """The rows that lack no value in these columns, a person and items; if items are public, those of them."""
        user, *items = (self[name].sql for name in names)
        present = " AND ".join(f"{value} IS NOT NULL" for value in (user, *items))
        listed = "" if public is None else self._joined(items, public)
        return replace(self, kept=f"{listed} WHERE {present}", parts=self.parts if public is None else ())

    def _joined(self, items: Sequence[str], public: pa.Table) -> str:
        """The clause that keeps rows of these items, which stay on the connection until it is closed."""
        name = f"headcount_{token_hex(8)}"
        self.connection.con.register("listed", public.__arrow_c_stream__())
        self.connection.raw_sql(f"CREATE TEMP TABLE {name} AS FROM listed")
        equal = " AND ".join(f"{own} = {item}" for own, item in zip(items, public.column_names, strict=True))
        return f"SEMI JOIN {name} ON {equal}"


@dataclass(frozen=True)
class MemoryScan(Scan):
    """Rows in memory, which DuckDB reads as a stream, a new one for each query: to read a table of PyArrow, it would
    import pandas, which takes longer than a small release."""

    rows: pa.Table = field(default_factory=lambda: pa.table({}))
    """The rows."""

    @cached_property
    def table(self) -> ir.Table:
        self.connection.con.register("rows", self.rows)
        found: ir.Table = self.connection.backend.table("rows")
        return found

    def _query(self, sql: str) -> Any:
        self.connection.con.register(self.name, self.rows.to_reader(STREAMED).__arrow_c_stream__())
        return super()._query(sql)
