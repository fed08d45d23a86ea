"""Ibis's backend for Spark with full-width literals, quick lists, and memtables without pandas."""

import warnings
from functools import cache
from math import isfinite
from typing import Any, ClassVar

import ibis
import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import operations

from headcount.source.engines.spark_session import active_session_kept

MOST_BROADCAST = 64 << 20
"""Most bytes of a memtable that is sent to every worker, so that a join to it moves no other rows."""


@cache
def spark_backend() -> Any:
    """Ibis's Spark backend, with memtables that are uploaded without pandas."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PySpark 3.5 imports versions in a deprecated way
        _ = ibis.pyspark.name  # registers the backend with Ibis
        from ibis.backends.pyspark import Backend
        from ibis.backends.pyspark.datatypes import PySparkSchema

    class Own(Backend):  # type: ignore[misc]
        compiler = _compiler()
        repeatable: bool = False
        """True if the table of this connection has the same rows each time it is read."""
        fetched: Any = None
        """Rows that come to the driver now (spark_rows.Fetched), if any do."""

        def _register_in_memory_table(self, op: Any) -> None:
            data = op.data.to_pyarrow(op.schema)
            columns = [_aware(column).to_pylist() for column in data.columns]
            rows, kinds = list(zip(*columns, strict=True)), PySparkSchema.from_ibis(op.schema)
            with active_session_kept(self._session):
                listed = self._session.createDataFrame(rows, kinds, verifySchema=False)
            hinted = listed.hint("broadcast") if data.nbytes <= MOST_BROADCAST else listed
            hinted.createOrReplaceTempView(op.name)

    return Own


def _compiler() -> Any:
    """Ibis's compiler for Spark SQL, with numbers as wide as Ibis says: to Spark a 1 has 32 bits, so that results would
    wrap around, and 0.5 is a decimal. Lists (without NULL) by functions many times as fast as those that Ibis takes."""
    from ibis.backends.sql.compilers.pyspark import PySparkCompiler
    from sqlglot import expressions

    class Wide(PySparkCompiler):  # type: ignore[misc]
        __slots__ = ()
        SIMPLE_OPS: ClassVar[dict[Any, str]] = {operations.ArraySort: "sort_array"}

        def visit_DefaultLiteral(self, op: Any, *, value: Any, dtype: dt.DataType) -> Any:  # noqa: N802
            if dtype.is_integer():
                return self.cast(expressions.convert(value), dt.int64)
            if dtype.is_floating() and isfinite(value):
                return self.cast(expressions.convert(value), dt.float64)
            return super().visit_DefaultLiteral(op, value=value, dtype=dtype)

        def visit_ArrayCollect(self, op: Any, *, arg: Any, distinct: bool, **_: Any) -> Any:  # noqa: N802
            return self.f.collect_set(arg) if distinct else self.f.collect_list(arg)

    return Wide()


def _aware(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Timestamps with the zone UTC: PySpark would read others in this machine's time zone."""
    return column.cast(pa.timestamp("us", "UTC")) if pa.types.is_timestamp(column.type) else column
