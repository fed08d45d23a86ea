"""Spark: a DataFrame becomes an Ibis table in a session of our own (spark_session.py), results come back as Arrow.

The DataFrame keeps the meaning that it had where the user made it. Text is made valid UTF-8 (invalid bytes become
U+FFFD, as everywhere), timestamps are in UTC. PySpark is imported only when it is used.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any, ClassVar

import ibis
import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.errors import BadParameter, NotATable, UnknownColumn
from headcount.source.engines import spark_size, spark_views
from headcount.source.engines.engine import Engine, column_names
from headcount.source.engines.spark_rows import Fetched, by_arrow, row_by_row
from headcount.source.engines.spark_session import SORTS, has_arrow, own_session, start
from headcount.source.engines.spark_sql import spark_backend
from headcount.source.queries.spark_plan import is_repeatable, step_of
from headcount.source.queries.step import Step

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import Column, DataFrame, SparkSession

PARTITIONS_PER_CORE = 3
"""A materialised table has at most this many partitions per core."""
CELL_BYTES = 16
"""Least size of a value in a result, beside its text."""


class Spark(Engine):
    """Spark, by a session in this process (not by Spark Connect)."""

    name, ibis_name, title = "spark", "pyspark", "Spark"
    byte_exact = True
    certifies = True
    typed = False  # of a CSV, Spark reads text
    groups_pairs = True
    wide_row_number = False
    file_kinds: ClassVar[tuple[str, ...]] = (".parquet",)  # other files it reads unlike DuckDB: quotes, numbers
    options: ClassVar[tuple[str, ...]] = ("master",)
    default_address = "local[*]"
    memory_setting = "spark.driver.memory in spark-defaults.conf"

    def owns(self, data: object) -> bool:
        return any(
            kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame" for kind in type(data).__mro__
        )

    def native(self, table: ir.Table) -> "DataFrame":
        return frame_of(table)

    def check(self, data: "DataFrame") -> None:
        """Refuse a DataFrame that has no end, that differs at each reading, or that gives back no Arrow."""
        if ".connect." in type(data).__module__:
            raise NotATable(
                "a DataFrame of Spark Connect.", fix="a DataFrame of a session that was made by master(...)"
            )
        if data.isStreaming:
            raise NotATable("a streaming DataFrame has no end.", fix="write it to a table, and read that")
        if not data._jdf.queryExecution().analyzed().deterministic():
            raise NotATable(
                "a DataFrame that is another each time it is read: rand().", fix="write it to a table first"
            )

    def query(self, data: "DataFrame") -> Step | None:
        return step_of(data._jdf.queryExecution().analyzed())

    def replaced(self, table: ir.Table) -> Iterable[Step]:
        """None: a session of ours has no functions of the user's, and a proved plan none at all (spark_proved.py)."""
        return ()

    def stored(self, leaf: Any) -> Any:
        return spark_views.stored(leaf)

    def attempt(self, value: Any) -> Any:
        """No operation of a view fails here (source/views/dialects/spark.py)."""
        return value

    def byte_exact_table(self, table: ir.Table) -> ir.Table:
        """Text becomes valid where columns are cast (source/views/dialects/spark_casts.py)."""
        return table

    def text_table(self, table: ir.Table, sql: str, schema: Any) -> ir.Table:
        return spark_views.proved(table, sql, schema)

    def types(self, data: "DataFrame", columns: Sequence[str]) -> dict[str, dt.DataType]:
        kinds = dict(zip(data.columns, data.schema.fields, strict=True))
        return {column: _type(column, kinds[column].dataType) for column in columns}

    def table(self, data: "DataFrame", columns: Sequence[str]) -> ir.Table:
        """Columns are taken by position: no name means anything."""
        indices = [data.columns.index(column) for column in columns]
        plain = data.toDF(*column_names(len(data.columns))).select(*(f"column{index}" for index in indices))
        session = own_session(data.sparkSession)
        moved = _moved(plain.toDF(*column_names(len(columns))), session)
        exact = moved.select(*(_exact(moved, name) for name in moved.columns))
        name = f"headcount_{token_hex(8)}"
        exact.createTempView(name)
        backend = spark_backend()().connect(session)
        sorts = data.sparkSession.conf.get(SORTS, "true") == "true"
        backend.repeatable = is_repeatable(data._jdf.queryExecution().analyzed(), sorts=sorts)
        return backend.table(name)

    def connection(self, table: ir.Table) -> object:
        """The cluster: sessions of ours have the same settings."""
        return ibis.get_backend(table)._session.sparkContext

    @contextmanager
    def interruptible(self, table: ir.Table) -> Iterator[None]:
        """Run what the block starts in one job group, which can be cancelled."""
        context = ibis.get_backend(table)._session.sparkContext
        before = context._jsc.sc().getLocalProperties().clone()
        context.setJobGroup(_group(), "headcount", interruptOnCancel=True)
        try:
            yield
        except BaseException:
            _cancel(context)
            raise
        finally:
            with suppress(Exception):  # Spark is gone
                context._jsc.sc().setLocalProperties(before)

    @contextmanager
    def materialise(self, table: ir.Table, *, lazily: bool = False, partitioned: bool = False) -> Iterator[ir.Table]:
        """Keep the table in the memory and on the disks of the cluster. Lost partitions are computed again from the
        rows, with the same result, if these are the same at each reading; else the query that needs them fails."""
        backend, name = ibis.get_backend(table), f"headcount_{token_hex(8)}"
        own = frame_of(table).filter(f"'{name}' IS NOT NULL")  # a plan of its own: Spark shares persisted plans
        few = own if partitioned else own.coalesce(_most_partitions(own))  # else there would be all 200
        frame = few.persist() if backend.repeatable else few.localCheckpoint(eager=False)
        try:
            frame.createTempView(name)
            if not lazily:
                frame.count()
            yield backend.table(name)
        except BaseException:
            _cancel(backend._session.sparkContext)
            raise
        finally:
            frame.unpersist() if backend.repeatable else _forget(frame)
            backend._session.catalog.dropTempView(name)

    @contextmanager
    def partitioned(self, table: ir.Table, column: str) -> Iterator[ir.Table]:
        """Send the rows once to partitions by the column: what groups, joins or orders by it sends none again."""
        backend, name = ibis.get_backend(table), f"headcount_{token_hex(8)}"
        frame = frame_of(table)
        frame.repartition(_most_partitions(frame), column).createTempView(name)
        try:
            yield backend.table(name)
        finally:
            backend._session.catalog.dropTempView(name)

    def to_arrow(self, table: ir.Table) -> pa.Table:
        frame, kinds = frame_of(table), table.schema().to_pyarrow()
        return by_arrow(frame).cast(kinds) if has_arrow(frame.sparkSession) else row_by_row(frame, kinds)

    def fetches(self, table: ir.Table) -> bool:
        return spark_size.fits_driver(frame_of(table), repeatable=self.is_repeatable(table))

    def is_repeatable(self, table: ir.Table) -> bool:
        return bool(ibis.get_backend(table).repeatable)

    def batches(self, table: ir.Table, size: int) -> Generator[pa.RecordBatch, None, None]:
        """Rows that are the same each time by partition, so that a table may be larger than the driver; others by one
        query."""
        frame, kinds = frame_of(table), table.schema().to_pyarrow()
        with spark_size.results_that_fit():
            if self.is_repeatable(table) and not spark_size.are_few(frame):
                yield from (batch.cast(kinds) for batch in self._by_partition(table, frame))
            else:
                yield from self.to_arrow(table).to_batches(size)

    def _by_partition(self, table: ir.Table, frame: "DataFrame") -> Iterator[pa.RecordBatch]:
        backend, found = ibis.get_backend(table), Fetched(*spark_size.in_parts(frame))
        backend.fetched = found
        try:
            yield from found.batches()
        finally:
            backend.fetched = None

    def memory(self, table: ir.Table) -> int:
        """Memory of the driver: what its Java may use."""
        return spark_size.driver_memory(ibis.get_backend(table)._session)

    def check_result_size(self, table: ir.Table) -> None:
        """Compare with spark.driver.maxResultSize: after noise is drawn, nothing may fail depending on rows."""
        frame = frame_of(table)
        maximum = spark_size.largest_result(frame.sparkSession)
        size = _result_bytes(frame)  # whatever the limit: all rows are read once
        if maximum and size > maximum and _result_bytes(frame.distinct()) > maximum:
            raise ValueError("spark.driver.maxResultSize is too small for the items of this table")

    def progress(self, table: ir.Table) -> float:
        """Fraction of rows that came, if they come by partition; else of tasks done, over the stages that run now."""
        backend = ibis.get_backend(table)
        if backend.fetched and (part := backend.fetched.part):
            return float(part)
        tracker = backend._session.sparkContext.statusTracker()
        stages = [stage for each in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(each))]
        tasks = sum(stage.numTasks for stage in stages)
        return sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else -1.0

    def row_hashes(self, table: ir.Table) -> tuple[int, ...]:
        """Spark's hash skips NULL: `isNull` is hashed beside each value."""
        from pyspark.sql import functions

        frame = frame_of(table)
        cells = [each for name in frame.columns for each in (frame[name], frame[name].isNull())]
        hashes = functions.xxhash64(*cells), functions.xxhash64(functions.lit(1), *reversed(cells))
        summed = [functions.sum(each.cast("decimal(38, 0)")) for each in hashes]
        return tuple(value or 0 for value in frame.agg(functions.count(functions.lit(1)), *summed).collect()[0])

    def drop_memtable(self, name: str, table: ir.Table) -> None:
        ibis.get_backend(table)._session.catalog.dropTempView(name)

    def start(self, address: str | None) -> None:
        start(address or self.default_address)

    def read_files(self, paths: Sequence[str], address: str | None) -> "DataFrame":
        session = own_session(start(address or self.default_address))
        return session.read.option("mergeSchema", "true").parquet(*map(_literal_path, paths))

    def stop(self, data: "DataFrame") -> None:
        with suppress(Exception):  # a signal may have ended it already
            data.sparkSession.stop()

    def misplaced(self, option: str, value: object, other: Engine) -> BadParameter:
        return BadParameter(f"{option}={value}: only {self.title} has one.", fix=f"engine={self.name}, or no {option}")


def frame_of(table: ir.Table) -> "DataFrame":
    """Return an Ibis table on Spark as a DataFrame of its session. No row is read."""
    if type(table.op()) is spark_views.Proved:
        return spark_views.frame_of_proved(table)
    backend = ibis.get_backend(table)
    backend._run_pre_execute_hooks(table)
    frame: DataFrame = backend._session.sql(backend.compile(table))
    return frame


def _type(column: str, kind: Any) -> dt.DataType:
    """Ibis type of a Spark type, as other engines have it."""
    from ibis.backends.pyspark.datatypes import PySparkType

    try:
        found = PySparkType.to_ibis(kind)
    except Exception:  # a type that Ibis does not know: no row was read
        found = None
    if found is None or (found.is_string() and kind.simpleString() != "string"):  # a collation of its own
        raise UnknownColumn(f"column {column!r} is of a kind that cannot be read.", fix="numbers or text")
    if found.is_null():
        return dt.string
    return dt.Timestamp(scale=6) if found.is_timestamp() else found


def _moved(frame: "DataFrame", session: "SparkSession") -> "DataFrame":
    """The same DataFrame in another session, analysed where it was made."""
    name = f"headcount_{token_hex(8)}"
    frame.createGlobalTempView(name)
    try:
        return session.table(f"{session.conf.get('spark.sql.globalTempDatabase')}.{name}")
    finally:
        frame.sparkSession.catalog.dropGlobalTempView(name)


def _exact(frame: "DataFrame", name: str) -> "Column":
    """A column with valid text and with timestamps of one type; a column without a type as text."""
    from pyspark.sql import functions

    column, kind = frame[name], frame.schema[name].dataType.simpleString()
    if kind == "string":
        valid = getattr(functions, "make_valid_utf8", lambda text: functions.encode(text, "UTF-8").cast("string"))
        return valid(column).alias(name)
    cast = {"timestamp_ntz": "timestamp", "void": "string"}.get(kind)
    return column.cast(cast).alias(name) if cast else column


def _most_partitions(frame: "DataFrame") -> int:
    return int(PARTITIONS_PER_CORE * frame.sparkSession.sparkContext.defaultParallelism)


def _forget(frame: "DataFrame") -> None:
    """Remove the rows of a checkpoint."""
    with suppress(Exception):  # Spark is gone
        frame._jdf.queryExecution().analyzed().rdd().unpersist(False)


def _group() -> str:
    return f"headcount_{get_ident()}"


def _cancel(context: "SparkContext") -> None:
    """Cancel this thread's job group, from another thread: this one's connection may still be waiting for it."""

    def cancel(group: str) -> None:
        with suppress(Exception):  # Spark is gone
            context.cancelJobGroup(group)

    other = Thread(target=cancel, args=(_group(),))
    other.start()
    other.join()


def _result_bytes(frame: "DataFrame") -> int:
    """Estimate the size of these rows as a result, with room to spare."""
    from pyspark.sql import functions

    text = [functions.octet_length(name) for name, kind in frame.dtypes if kind == "string"]
    each = sum(text, functions.lit(2 * CELL_BYTES * (len(frame.columns) + 2)))
    return int(frame.agg(functions.sum(each)).collect()[0][0] or 0)


def _literal_path(name: str) -> str:
    """A local file as an absolute URL that Spark does not take for a pattern; a URL as it is."""
    if "://" in name:
        return name
    escaped = "".join(f"\\{sign}" if sign in "\\*?[]{}," else sign for sign in str(Path(name).absolute()))
    return f"file://{escaped}"
