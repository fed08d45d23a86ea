"""Rows of files and frames on a DuckDB of ours as SQL, of which an Ibis expression is made only if one is needed.

A scan is no second way to read: its expression has the same columns of the same rows. What a scan does by itself is to
drop rows that lack a value, and those of items that are not public, where nothing else is done to rows before they are
numbered; tests compare it with the expression (tests/source/test_scan.py). All else is an expression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from secrets import token_hex
from typing import Any, cast

import pyarrow as pa

from headcount.source.engines.dialects import backend
from headcount.source.expressions import dt, ibis, ir

KINDS = {
    "VARCHAR": ("string", pa.string()),
    "BOOLEAN": ("boolean", pa.bool_()),
    "TINYINT": ("int8", pa.int8()),
    "SMALLINT": ("int16", pa.int16()),
    "INTEGER": ("int32", pa.int32()),
    "BIGINT": ("int64", pa.int64()),
    "UTINYINT": ("uint8", pa.uint8()),
    "USMALLINT": ("uint16", pa.uint16()),
    "UINTEGER": ("uint32", pa.uint32()),
}
"""Ibis's name and the Arrow type of types of DuckDB whose values are people and items as they are."""
STREAMED = 122_880
"""Rows of a batch of a stream: what DuckDB has in a row group of its own."""
FAMILIES = ("string", "boolean", "integer", "floating", "decimal", "date", "timestamp")


class Kind:
    """Ibis's type of this name: what checks of a schema look at first is known without Ibis."""

    def __init__(self, name: str) -> None:
        self._name = name
        family = name if name in FAMILIES else "integer"
        for each in FAMILIES:
            setattr(self, f"is_{each}", lambda holds=each == family: holds)

    def __getattr__(self, name: str) -> Any:
        return getattr(ibis.dtype(self._name), name)

    def to_pyarrow(self) -> pa.DataType:
        """The type as Arrow has it."""
        return dict(KINDS.values())[self._name]

    def __str__(self) -> str:
        return self._name

    def __eq__(self, other: object) -> bool:
        return str(other) == self._name

    def __hash__(self) -> int:
        return hash(self._name)


@cache
def kind_named(name: str) -> dt.DataType:
    """The type of this name, as Ibis writes it."""
    plain = name in [each for each, _ in KINDS.values()]
    return cast("dt.DataType", Kind(name)) if plain else ibis.dtype(name)


def arrow_schema(table: ir.Table | Scan) -> pa.Schema:
    """Columns of a table and their types, as Arrow has them."""
    return table.schema() if isinstance(table, Scan) else table.schema().to_pyarrow()


class Connection:
    """A DuckDB of our own."""

    def __init__(self, con: Any) -> None:
        self.con = con

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
        """Close it."""
        self.con.close()


@dataclass(frozen=True)
class Scan:
    """Columns of rows, before anything is done to them."""

    connection: Connection
    name: str
    """Name of the table, or view, with all its rows."""
    kept: str = ""
    """Clauses after its name."""
    names: tuple[str, ...] = ()
    """Columns by other names; () for their own."""

    @cached_property
    def table(self) -> ir.Table:
        """All rows, as an expression."""
        found: ir.Table = self.connection.backend.table(self.name)
        return found

    @property
    def sql(self) -> str:
        """The query."""
        named = [f"{own} AS {name}" for own, name in zip(self._described, self.names, strict=False)]
        return f"SELECT {', '.join(named) or '*'} FROM {self.name} {self.kept}"

    @property
    def simplest(self) -> ir.Table | Scan:
        """The rows as SQL if all columns are plain, else as an expression."""
        return self if self.is_plain else self.table

    def relation(self) -> Any:
        """The query as DuckDB has it, to be read once."""
        return self._query(self.sql)

    @cached_property
    def _described(self) -> dict[str, str]:
        """Columns and their types, as DuckDB names them. No row is read."""
        found = self._query(f"SELECT * FROM {self.name}")
        return dict(zip(found.columns, map(str, found.types), strict=True))

    def _query(self, sql: str) -> Any:
        return self.connection.con.sql(sql)

    @property
    def is_plain(self) -> bool:
        """True if every column can be a person or an item as it is."""
        return bool(self._described) and all(kind in KINDS for kind in self._described.values())

    @property
    def types(self) -> Sequence[dt.DataType]:
        """Types of the columns."""
        if not self.is_plain:
            return cast("Sequence[dt.DataType]", self.table.schema().types)
        return [kind_named(KINDS[kind][0]) for kind in self._described.values()]

    def schema(self) -> pa.Schema:
        """The columns as Arrow has them, if they are plain."""
        names = self.names or self._described
        return pa.schema([(name, KINDS[kind][1]) for name, kind in zip(names, self._described.values(), strict=True)])

    def limit(self, rows: int) -> Scan:
        """Some of the rows."""
        return replace(self, kept=f"LIMIT {rows}")

    def complete(self, names: Sequence[str], public: pa.Table | None = None) -> Scan:
        """The rows that lack no value, with columns of these names; if there are public items, those of them."""
        present = " AND ".join(f"{own} IS NOT NULL" for own in self._described)
        listed = "" if public is None else self._joined(public)
        return replace(self, kept=f"{listed} WHERE {present}", names=tuple(names))

    def _joined(self, public: pa.Table) -> str:
        """The clause that keeps rows of these items, which stay on the connection until it is closed."""
        name = f"headcount_{token_hex(8)}"
        self.connection.con.register("listed", public.__arrow_c_stream__())
        self.connection.raw_sql(f"CREATE TEMP TABLE {name} AS FROM listed")
        _, *parts = self._described
        equal = " AND ".join(f"{own} = {item}" for own, item in zip(parts, public.column_names, strict=True))
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
