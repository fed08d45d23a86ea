"""Ibis's backend for Postgres with full-width literals, on a connection of our own; memtables without pandas."""

from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import operations as ops

if TYPE_CHECKING:
    from psycopg import Connection

COLUMN_TYPES = {
    pa.types.is_boolean: "boolean",
    pa.types.is_integer: "bigint",
    pa.types.is_floating: "double precision",
    pa.types.is_string: 'text COLLATE "C"',
    pa.types.is_date: "date",
}
"""Types of a memtable's columns."""
SEMI = ("SEMI", "ANTI")


def backend_on(connection: "Connection[Any]") -> Any:
    """Return Ibis's backend on a connection of ours, as exact results need it. Nothing is sent."""
    backend = _backend()()
    backend._can_reconnect = False
    backend.con = connection
    return backend


@cache
def _backend() -> Any:
    from ibis.backends.postgres import Backend

    class Own(Backend):  # type: ignore[misc]
        compiler = _compiler()
        readers = 0  # blocks that hold the connection

        def _register_in_memory_table(self, op: Any) -> None:
            rows = op.data.to_pyarrow(op.schema)
            columns = ", ".join(f'"{each.name}" {column_type(each.type)}' for each in rows.schema)
            self.con.execute(f'CREATE TEMP TABLE "{op.name}" ({columns}) ON COMMIT DROP')
            with self.con.cursor().copy(f'COPY pg_temp."{op.name}" FROM STDIN') as copy:
                for row in zip(*(column.to_pylist() for column in rows.columns), strict=True):
                    copy.write_row(row)

        def _finalize_memtable(self, name: str) -> None:
            """Leave a memtable to `Postgres.drop_memtable`, or to the end of the transaction."""

    return Own


def column_type(kind: pa.DataType) -> str:
    """Type on Postgres of a column of ours."""
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    return next(name for fits, name in COLUMN_TYPES.items() if fits(kind))


def _compiler() -> Any:
    """Ibis's compiler for Postgres, with numbers as wide as Ibis says: to Postgres a 1 has 32 bits, so that a product
    can fail by a row, and 0.5 is a decimal."""
    from ibis.backends.sql.compilers.postgres import PostgresCompiler
    from sqlglot import expressions

    class Wide(PostgresCompiler):  # type: ignore[misc]
        __slots__ = ()

        def to_sqlglot(self, expr: Any, **others: Any) -> Any:
            query = super().to_sqlglot(expr, **others)
            for select in reversed(list(query.find_all(expressions.Select))):  # inner ones first: they are copied
                _without_semi_joins(select)
            return query

        def visit_DefaultLiteral(self, op: Any, *, value: Any, dtype: dt.DataType) -> Any:  # noqa: N802
            if dtype.is_integer():
                return self.cast(expressions.convert(value), dt.int64)
            if dtype.is_floating() and isfinite(value):
                return self.cast(expressions.convert(value), dt.float64)
            return super().visit_DefaultLiteral(op, value=value, dtype=dtype)

        def visit_Substring(self, op: Any, *, arg: Any, start: Any, length: Any) -> Any:  # noqa: N802
            indices = (start + 1, length) if length is not None else (start + 1,)
            return self.f.substr(arg, *(self.cast(index, dt.int32) for index in indices))

    return Wide()


def _without_semi_joins(select: Any) -> None:
    """Write semi and anti joins as conditions. sqlglot does so by itself, but not where two queries share a join."""
    from sqlglot import expressions

    joins = select.args.get("joins") or []
    select.set("joins", [join for join in joins if join.kind not in SEMI])
    for join in joins:
        if join.kind in SEMI:
            there = expressions.Exists(this=expressions.select("1").from_(join.this).where(join.args["on"]))
            select.where(there if join.kind == "SEMI" else expressions.not_(there), copy=False)


def table_named(backend: Any, name: str, schema: Any) -> Any:
    """Return the temporary table or view of this name as an Ibis table. Nothing is sent."""
    return ops.DatabaseTable(name=name, schema=schema, source=backend, namespace=ops.Namespace()).to_expr()
