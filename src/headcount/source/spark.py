"""Spark as the engine: a DataFrame becomes an Ibis table, and results come back as Arrow. PySpark is imported here
alone, and only when it is used.

Everything runs in a session of our own beside the user's, on the same cluster: it has the user's settings, but for
those that would change what our expressions mean (SETTINGS). So a table gives the same result whatever is set, and
nothing of the user's session is changed. The DataFrame itself keeps the meaning that it had where it was made.

Text is made valid UTF-8 (what is none becomes U+FFFD, as everywhere), moments are those of UTC. Nothing that Spark is
asked for depends on chance, on partitions or on the order of rows: work that is done twice gives the same.
"""

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from math import isfinite
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from threading import Lock, Thread, get_ident
from typing import TYPE_CHECKING, Any, ClassVar

import ibis
import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import operations
from ibis.expr import types as ir

from headcount.errors import BadParameter, NotATable, UnknownColumn
from headcount.source import files, java, parquet
from headcount.source.engine import column_names

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import Column, DataFrame, SparkSession

NAME = "pyspark"
"""What Ibis calls Spark."""
INSTALL = "pip install 'headcount[spark]'"
LEGACY, PARSER = "spark.sql.legacy.", "spark.sql.legacy.timeParserPolicy"
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.session.collation.default": "UTF8_BINARY",
    "spark.sql.exchange.reuse": "true",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.variable.substitute": "false",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
"""What our own session has. Under ANSI rules a cast would fail by what a row is; the others change the meaning of text
in a query, of a type, or of a day before 1582, how often a source is read, or how long it takes to keep a table."""
PARTS = 3
"""A table that is kept has at most so many parts for each core."""
_ACTIVE = Lock()
"""Held while a session of ours is the active one of this process."""
CELL = 16
"""At least the bytes that a value takes in a result, beside those of its text."""


def is_frame(data: Any) -> bool:
    """Whether it is a Spark DataFrame, without importing Spark."""
    return any(
        kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame" for kind in type(data).__mro__
    )


def frame_of(table: ir.Table) -> "DataFrame":
    """An Ibis table on Spark as a DataFrame of its session. No row is read."""
    engine = ibis.get_backend(table)
    engine._run_pre_execute_hooks(table)
    frame: DataFrame = engine._session.sql(engine.compile(table))
    return frame


def check(frame: "DataFrame") -> None:
    """A DataFrame that can be read to its end, on a Spark that gives back Arrow."""
    if ".connect." in type(frame).__module__:
        raise NotATable("a DataFrame of Spark Connect.", fix="a DataFrame of a session that was made by master(...)")
    if frame.isStreaming:
        raise NotATable("a streaming DataFrame has no end.", fix="write it to a table, and read that")
    if not frame._jdf.queryExecution().analyzed().deterministic():
        raise NotATable("a DataFrame that is another each time it is read: rand().", fix="write it to a table first")


def types(frame: "DataFrame", columns: Sequence[str]) -> dict[str, dt.DataType]:
    """The types of these columns, as on other engines."""
    kinds = dict(zip(frame.columns, frame.schema.fields, strict=True))
    return {column: _type(column, kinds[column].dataType) for column in columns}


def _type(column: str, kind: Any) -> dt.DataType:
    from ibis.backends.pyspark.datatypes import PySparkType

    try:
        found = PySparkType.to_ibis(kind)
    except Exception:  # whatever Ibis does not know: no row was read
        found = None
    if found is None or (found.is_string() and kind.simpleString() != "string"):  # a collation of its own
        raise UnknownColumn(f"column {column!r} is of a kind that cannot be read.", fix="numbers or text")
    if found.is_null():
        return dt.string
    return dt.Timestamp(scale=6) if found.is_timestamp() else found


def table(frame: "DataFrame", columns: Sequence[str]) -> ir.Table:
    """These columns in a session of our own: column0, column1, ..., by their places, so that no name means anything."""
    places = [frame.columns.index(column) for column in columns]
    plain = frame.toDF(*column_names(len(frame.columns))).select(*(f"column{place}" for place in places))
    session = _own(frame.sparkSession)
    moved = _moved(plain.toDF(*column_names(len(columns))), session)
    exact = moved.select(*(_exact(moved, name) for name in moved.columns))
    name = f"headcount_{token_hex(8)}"
    exact.createTempView(name)
    return _backend()().connect(session).table(name)


@cache
def _backend() -> Any:
    """Ibis's Spark, with lists of ours that get there without pandas."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PySpark 3.5 asks for versions in an old way
        _ = ibis.pyspark.name  # which makes it known to Ibis
        from ibis.backends.pyspark import Backend
        from ibis.backends.pyspark.datatypes import PySparkSchema

    class Own(Backend):  # type: ignore[misc]
        compiler = _compiler()

        def _register_in_memory_table(self, op: Any) -> None:
            columns = [_aware(column).to_pylist() for column in op.data.to_pyarrow(op.schema).columns]
            rows, kinds = list(zip(*columns, strict=True)), PySparkSchema.from_ibis(op.schema)
            with _active_left(self._session):
                listed = self._session.createDataFrame(rows, kinds, verifySchema=False)
            listed.createOrReplaceTempView(op.name)

    return Own


@contextmanager
def _active_left(session: "SparkSession") -> Iterator[None]:
    """The session that is active stays so: PySpark would make ours the one of whoever asks for it next. Python has one
    for all threads, Java one for each, or none."""
    from pyspark.sql import SparkSession

    sessions = session._jvm.SparkSession  # type: ignore[union-attr]
    with _ACTIVE:  # else another thread would take ours for the one that was there
        before, of_thread = SparkSession._activeSession, sessions.getActiveSession()
        try:
            yield
        finally:
            SparkSession._activeSession = before
            if of_thread.isDefined():
                sessions.setActiveSession(of_thread.get())
            else:
                sessions.clearActiveSession()


def _aware(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Moments as those of UTC: others PySpark would take for those of this machine's time zone."""
    return column.cast(pa.timestamp("us", "UTC")) if pa.types.is_timestamp(column.type) else column


def _compiler() -> Any:
    """Ibis expressions as Spark's SQL, numbers in the width that Ibis says they have: to Spark a 1 has 32 bits, so that
    what is computed with it would wrap around; and 0.5 is a decimal. And lists (of what is not NULL) by its functions
    that are many times as fast as those that Ibis takes."""
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


def _own(session: "SparkSession") -> "SparkSession":
    """A session beside another."""
    own = session.newSession()
    for key, value in session.sql("SET").collect():
        if own.conf.isModifiable(key) and (key == PARSER or not key.startswith(LEGACY)):
            own.conf.set(key, value)
    for key, value in SETTINGS.items():
        if own.conf.isModifiable(key):  # not known to every Spark
            own.conf.set(key, value)
    return own


def _moved(frame: "DataFrame", session: "SparkSession") -> "DataFrame":
    """The same DataFrame in another session: analysed where it was made."""
    name = f"headcount_{token_hex(8)}"
    frame.createGlobalTempView(name)
    try:
        return session.table(f"{session.conf.get('spark.sql.globalTempDatabase')}.{name}")
    finally:
        frame.sparkSession.catalog.dropGlobalTempView(name)


def _exact(frame: "DataFrame", name: str) -> "Column":
    """A column with valid text, and with moments of one kind; what has no type as text."""
    from pyspark.sql import functions

    column, kind = frame[name], frame.schema[name].dataType.simpleString()
    if kind == "string":
        valid = getattr(functions, "make_valid_utf8", lambda text: functions.encode(text, "UTF-8").cast("string"))
        return valid(column).alias(name)
    cast = {"timestamp_ntz": "timestamp", "void": "string"}.get(kind)
    return column.cast(cast).alias(name) if cast else column


def fetched(found: ir.Table) -> pa.Table:
    """The rows as Arrow, of the types that Ibis says."""
    frame, kinds = frame_of(found), found.schema().to_pyarrow()
    return by_arrow(frame).cast(kinds) if _has_arrow(frame.sparkSession) else row_by_row(frame, kinds)


def _has_arrow(session: "SparkSession") -> bool:
    """Whether this Spark can send Arrow on the Java that it runs on."""
    version = session._jvm.System.getProperty("java.specification.version")  # type: ignore[union-attr]
    return java.sends_arrow(session.version, str(version))


def by_arrow(frame: "DataFrame") -> pa.Table:
    """The rows of a DataFrame."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return pa.Table.from_batches(frame._collect_as_arrow(), to_arrow_schema(frame.schema))


def row_by_row(frame: "DataFrame", kinds: pa.Schema) -> pa.Table:
    """The same, slowly. Moments come as numbers: PySpark would tell them by this machine's clock."""
    from pyspark.sql import functions

    moments = [functions.unix_micros(name) if kind == "timestamp" else name for name, kind in frame.dtypes]
    rows = frame.select(*moments).collect()
    columns = [[row[place] for row in rows] for place in range(len(kinds))]
    return pa.table([_typed(column, kind) for column, kind in zip(columns, kinds.types, strict=True)], schema=kinds)


def _typed(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array(values, pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.array(values, kind)


@contextmanager
def kept(found: ir.Table, *, later: bool = False) -> Iterator[ir.Table]:
    """The table, computed once and kept in the memory and on the disks of the cluster, meanwhile. What is lost there is
    computed again from the rows, and is the same. It may be computed `later`, when it is first asked for."""
    engine, name = ibis.get_backend(found), f"headcount_{token_hex(8)}"
    parts = PARTS * engine._session.sparkContext.defaultParallelism
    own = frame_of(found).filter(f"'{name}' IS NOT NULL")  # no other reader's plan: Spark would share what it keeps
    frame = own.coalesce(parts).persist()  # not made adaptively: there would be all 200 parts
    try:
        frame.createTempView(name)
        if not later:
            frame.count()
        yield engine.table(name)
    except BaseException:
        _cancel(engine._session.sparkContext)
        raise
    finally:
        frame.unpersist()
        forget(engine, name)


@contextmanager
def grouped(session: "SparkSession") -> Iterator[None]:
    """What runs meanwhile is cancelled if it is not waited for to its end."""
    context = session.sparkContext
    context.setJobGroup(_group(), "headcount", interruptOnCancel=True)
    try:
        yield
    except BaseException:
        _cancel(context)
        raise
    finally:
        with suppress(Exception):  # a Spark that is gone
            context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]


def _group() -> str:
    return f"headcount_{get_ident()}"


def _cancel(context: "SparkContext") -> None:
    """End what this thread has Spark do: from another one, as this one's connection may still be waiting for it."""

    def cancel(group: str) -> None:
        with suppress(Exception):  # a Spark that is gone
            context.cancelJobGroup(group)

    other = Thread(target=cancel, args=(_group(),))
    other.start()
    other.join()


def forget(engine: Any, name: str) -> None:
    """Drop a view."""
    engine._session.catalog.dropTempView(name)


def check_room(frame: "DataFrame") -> None:
    """All of these rows, each once, could come back: Spark refuses results of more than a size, and after noise was
    drawn nothing may fail by what is asked back."""
    session = frame.sparkSession
    said = session.sparkContext.getConf().get("spark.driver.maxResultSize", "1g")
    most = int(session._jvm.org.apache.spark.network.util.JavaUtils.byteStringAsBytes(said))  # type: ignore[union-attr]
    size = _bytes(frame)  # whatever the limit: all rows were read once
    if most and size > most and _bytes(frame.distinct()) > most:
        raise ValueError("spark.driver.maxResultSize is too small for the items of this table")


def _bytes(frame: "DataFrame") -> int:
    """About how large a result these rows are, with room to spare."""
    from pyspark.sql import functions

    text = [functions.octet_length(name) for name, kind in frame.dtypes if kind == "string"]
    each = sum(text, functions.lit(2 * CELL * (len(frame.columns) + 2)))
    return int(frame.agg(functions.sum(each)).collect()[0][0] or 0)


def sums(table: ir.Table) -> tuple[int, ...]:
    """How many rows there are, and two sums of hashes of them. A hash leaves out what is NULL: that is told beside."""
    from pyspark.sql import functions

    frame = frame_of(table)
    cells = [each for name in frame.columns for each in (frame[name], frame[name].isNull())]
    hashes = functions.xxhash64(*cells), functions.xxhash64(functions.lit(1), *reversed(cells))
    summed = [functions.sum(each.cast("decimal(38, 0)")) for each in hashes]
    return tuple(value or 0 for value in frame.agg(functions.count(functions.lit(1)), *summed).collect()[0])


def read(paths: Sequence[str], columns: Sequence[str], master: str) -> "DataFrame":
    """The table in Parquet files, or in all files of patterns, on the Spark at this address; for the command line.

    Other kinds of files are refused: Spark takes quotes, broken lines and numbers in them for something else than
    DuckDB does."""
    for path in paths:
        if Path(path).suffix.lower() != ".parquet":
            raise NotATable(
                f"{path}: Spark reads such a file differently.", fix="a Parquet file, or --engine duckdb to read it"
            )
    local = files.found_files([path for path in paths if "://" not in path])
    found = [*local, *(path for path in paths if "://" in path)]
    if len(local) > 1:
        parquet.check_agreement(local, columns)
    session = _own(start(master))
    try:
        return session.read.option("mergeSchema", "true").parquet(*map(_literal, found))
    except Exception:
        raise NotATable(f"{paths[0]}: not a table that Spark can read.", fix="a Parquet file") from None


def _literal(name: str) -> str:
    """A local file's name, absolute, that Spark does not take for a pattern."""
    if "://" in name:
        return name
    escaped = "".join(f"\\{sign}" if sign in "\\*?[]{}," else sign for sign in str(Path(name).absolute()))
    return f"file://{escaped}"


def start(master: str) -> "SparkSession":
    """The session on the Spark at this address, started if there is none: it says nothing, on stdout or stderr."""
    spark_session = _imported()
    asked = (
        spark_session.builder.master(master)
        .appName("headcount")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", Path(gettempdir(), "spark-warehouse").as_uri())
        .config("spark.ui.showConsoleProgress", "false")
    )
    try:
        with _silent():
            session: SparkSession = asked.getOrCreate()
            session.sparkContext.setLogLevel("OFF")
    except Exception:
        raise BadParameter(f"master={master!r:.60}: no Spark answers there.", fix='master="local[*]"') from None
    return session


def _imported() -> Any:
    """The class of sessions, once there is a Spark that is new enough and a Java for it."""
    try:
        from pyspark import __version__
        from pyspark.sql import SparkSession
    except ImportError:
        raise BadParameter("there is no Spark here.", fix=INSTALL) from None
    if tuple(map(int, __version__.split(".")[:2])) < (3, 5):
        raise BadParameter(f"Spark {__version__} is too old.", fix=INSTALL)
    java.use_java(__version__, install=INSTALL)
    return SparkSession


@contextmanager
def _silent() -> Iterator[None]:
    """What is started meanwhile has no stdout and no stderr."""
    saved, nothing = [os.dup(place) for place in (1, 2)], os.open(os.devnull, os.O_WRONLY)
    try:
        for place in (1, 2):
            os.dup2(nothing, place)
        yield
    finally:
        for place, before in zip((1, 2), saved, strict=True):
            os.dup2(before, place)
        for opened in (*saved, nothing):
            os.close(opened)
