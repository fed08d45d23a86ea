"""Rows of a Spark DataFrame as Arrow in this process: at once, or partition by partition, so that the driver's Java
holds two of these at a time, however long the table is."""

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def by_arrow(frame: "DataFrame") -> pa.Table:
    """Collect a DataFrame as Arrow."""
    return pa.Table.from_batches(frame._collect_as_arrow(), _schema(frame))


def row_by_row(frame: "DataFrame", kinds: pa.Schema) -> pa.Table:
    """Collect a DataFrame without Spark's Arrow, slowly. Timestamps come as numbers: PySpark would shift them to this
    machine's time zone."""
    from pyspark.sql import functions

    moments = [functions.unix_micros(name) if kind == "timestamp" else name for name, kind in frame.dtypes]
    rows = frame.select(*moments).collect()
    columns = [[row[index] for row in rows] for index in range(len(kinds))]
    return pa.table([_typed(column, kind) for column, kind in zip(columns, kinds.types, strict=True)], schema=kinds)


class Fetched:
    """The rows of a DataFrame, partition by partition: a job fetches one, while the one before is read."""

    def __init__(self, frame: "DataFrame", rows: int) -> None:
        self._frame, self._rows, self._came = frame, rows, 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows."""
        from pyspark import RDD
        from pyspark.serializers import NoOpSerializer

        kinds, session = _schema(self._frame), self._frame.sparkSession
        with _settings(session):  # which the thread that runs the jobs inherits
            found = self._frame._jdf.toArrowBatchRdd()  # what comes before the last shuffle is computed now
            rows: Iterator[bytes] = RDD(found.toJavaRDD(), session.sparkContext, NoOpSerializer()).toLocalIterator(True)
        for each in rows:
            batch = pa.ipc.read_record_batch(pa.py_buffer(each), kinds)
            self._came += len(batch)
            yield batch

    @property
    def part(self) -> float:
        """Fraction of rows that came."""
        return self._came / self._rows if self._rows else 0.0


@contextmanager
def _settings(session: Any) -> Iterator[None]:
    """Tasks that begin in the block have the session's settings, as those of a query have."""
    context = session.sparkContext._jsc.sc()
    before = context.getLocalProperties().clone()
    for name, value in session.sql("SET").collect():
        context.setLocalProperty(name, value)
    try:
        yield
    finally:
        context.setLocalProperties(before)


def _schema(frame: "DataFrame") -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    zone = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}  # from Spark 4.1 on
    return to_arrow_schema(frame.schema, **zone)


def _typed(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array(values, pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.array(values, kind)
