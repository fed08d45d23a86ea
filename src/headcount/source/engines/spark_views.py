"""Views on Spark: which tables are stored, and a proved view as a DataFrame.

A view is analysed in a session of our own beside the user's (`spark_session.py`): it has the same cluster and catalog,
but no temporary view, function or variable of the user's, text compares byte by byte, and times are in UTC. The list of
a table's files is made there once; what is read later is what was listed, or nothing.
"""

from typing import TYPE_CHECKING, Any

import ibis
from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.errors import NotATable
from headcount.source.engines.spark_session import own_session
from headcount.source.queries.spark_proved import check_plan, name_of, stored_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TYPES = {
    **{"int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint", "float64": "double"},
    **{"boolean": "boolean", "string": "string", "date": "date", "timestamp": "timestamp_ntz"},
    "timestamp(6)": "timestamp_ntz",
}
"""Types of columns of a view, and their names on Spark."""
CACHED, UNCACHE = "InMemoryRelation", "spark.catalog.uncacheTable(...) of its tables: cached rows are as they were then"
"""What Spark reads in place of a table that is cached, with the settings of the session that cached it."""


class Proved(ops.SQLQueryResult):  # type: ignore[misc]
    """A view that was proved. Its SQL is analysed as it is, in a session of our own."""


def check_classic(backend: Any) -> None:
    """Refuse a session of Spark Connect, whose plans nobody can look at."""
    if ".connect." in type(backend._session).__module__:
        raise NotATable("a view on Spark Connect.", fix="tables of a session that was made by master(...)")


def stored(leaf: Any) -> Any:
    """Return a table by its full name and with its present columns; None if it is not one whose rows are stored."""
    backend = leaf.source
    check_classic(backend)
    parts = (leaf.namespace.catalog, leaf.namespace.database, leaf.name)
    try:
        frame = backend._session.table(".".join(_quoted(each) for each in parts if each))
        schema = _schema(frame)
    except Exception:  # no table of this name, or a type that Ibis does not know
        return None
    relation = stored_table(frame._jdf.queryExecution().analyzed())
    if relation is None or not all(map(_is_plain, frame.schema.fields)):
        return None
    catalog, database, name = name_of(relation)
    if name.casefold() != leaf.name.casefold() or (database, name) != (database.lower(), name.lower()):
        return None  # the session that runs it knows no case
    namespace = ops.Namespace(catalog=catalog, database=database)
    return leaf.copy(name=name, namespace=namespace, schema=schema)


def proved(table: ir.Table, sql: str, schema: Any) -> ir.Table:
    """Return SQL that was proved as a table, once Spark has read it as it is meant."""
    backend = ibis.get_backend(table)
    check_classic(backend)
    found = Proved(sql, schema, backend).to_expr()
    frame_of_proved(found)
    return found


def frame_of_proved(table: ir.Table) -> "DataFrame":
    """Return a proved view as a DataFrame; refuse it if Spark reads its SQL in another way. No row is read."""
    view: Any = table.op()
    try:
        frame: DataFrame = own_session(view.source._session).sql(view.query)
        run = frame._jdf.queryExecution()
        check_plan(run.analyzed())
        check_plan(run.withCachedData())
    except Exception as failed:
        what = str(failed) if isinstance(failed, ValueError) else "its SQL"
        fix = UNCACHE if what == CACHED else "a simpler view, or the tables as files"
        raise NotATable(f"a view that Spark cannot run as it was proved: {what:.60}.", fix=fix) from None
    if frame.dtypes != [(name, _name(kind)) for name, kind in view.schema.items()]:
        raise NotATable("a view that Spark would read in another way.", fix="a simpler view")
    return frame


def _name(kind: Any) -> str:
    return f"decimal({kind.precision},{kind.scale})" if kind.is_decimal() else TYPES[str(kind.copy(nullable=True))]


def _schema(frame: "DataFrame") -> Any:
    """The columns of a table, as Ibis sees them."""
    from ibis.backends.pyspark.datatypes import PySparkType

    return ibis.schema(PySparkType.to_ibis(frame.schema))


def _is_plain(field: Any) -> bool:
    """True for a column that is not text in a collation, or within other limits."""
    return not (field.dataType.typeName() == "string" and field.dataType.simpleString() != "string")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
