"""Sessions of Spark: those of our own beside the user's, and the Spark that the command line starts.

Everything runs in a session of our own on the same cluster: it has the user's settings, except for those that would
change the meaning of our expressions (SETTINGS). So a table gives the same result whatever is set, and the user's
session is left unchanged. PySpark is imported only when it is used.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from threading import Lock
from typing import TYPE_CHECKING, Any

from headcount.errors import BadParameter
from headcount.source.engines import java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSTALL = "pip install 'headcount[spark]'"
INSTALL_JAVA = "pip install 'headcount[spark-java]'"
FETCH = "spark.headcount.fetchBytes"
"""Setting of the user's: the largest table, as Spark estimates it, whose rows come to the driver. 0: none."""
SORTS = "spark.sql.execution.sortBeforeRepartition"
"""Setting: `repartition` gives each partition the same rows when it is computed again."""
LEGACY, PARSER = "spark.sql.legacy.", "spark.sql.legacy.timeParserPolicy"
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.session.collation.default": "UTF8_BINARY",
    "spark.sql.exchange.reuse": "true",
    SORTS: "true",
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
    "spark.sql.execution.arrow.maxRecordsPerBatch": "122880",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.requireAllClusterKeysForDistribution": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
"""Settings of our own session. Under ANSI rules a cast would fail depending on a row; one that cannot be
read would end its file without a word. The others change the meaning of text in a query, of a type or of a day before
1582, how often a source is read, how long materialising takes,
or how often rows are sent elsewhere that are together already."""
_ACTIVE = Lock()
"""Held while a session of ours is the active one of this process."""


def own_session(session: "SparkSession") -> "SparkSession":
    """Open a session of ours beside another, with its settings and ours."""
    own = session.newSession()
    for key, value in session.sql("SET").collect():
        if own.conf.isModifiable(key) and (key == PARSER or not key.startswith(LEGACY)):
            own.conf.set(key, value)
    own.conf.set(FETCH, session.conf.get(FETCH, "") or "")
    for key, value in SETTINGS.items():
        if own.conf.isModifiable(key):  # not every version has it
            own.conf.set(key, value)
    return own


@contextmanager
def active_session_kept(session: "SparkSession") -> Iterator[None]:
    """Restore the active session after the block: PySpark would make ours the one of the next caller. Python has one
    for all threads, Java one per thread, or none."""
    from pyspark.sql import SparkSession

    sessions = session._jvm.SparkSession  # type: ignore[union-attr]
    with _ACTIVE:  # else another thread would take ours for the one to restore
        before, of_thread = SparkSession._activeSession, sessions.getActiveSession()
        try:
            yield
        finally:
            SparkSession._activeSession = before
            if of_thread.isDefined():
                sessions.setActiveSession(of_thread.get())
            else:
                sessions.clearActiveSession()


def has_arrow(session: "SparkSession") -> bool:
    """True if this Spark can send Arrow on the Java that it runs on."""
    version = session._jvm.System.getProperty("java.specification.version")  # type: ignore[union-attr]
    return java.sends_arrow(session.version, str(version))


def start(master: str) -> "SparkSession":
    """Return the session on the Spark at this address, started if there is none; it prints nothing."""
    builder = (
        session_class()
        .builder.master(master)
        .appName("headcount")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", Path(gettempdir(), "spark-warehouse").as_uri())
        .config("spark.ui.showConsoleProgress", "false")
    )
    try:
        with silent():
            session: SparkSession = builder.getOrCreate()
            session.sparkContext.setLogLevel("OFF")
    except Exception:
        raise BadParameter(f"master={master!r:.60}: no Spark answers there.", fix='master="local[*]"') from None
    return session


def session_class() -> Any:
    """Import PySpark's SparkSession, once its version and a Java for it are checked."""
    try:
        from pyspark import __version__
        from pyspark.sql import SparkSession
    except ImportError:
        raise BadParameter("there is no Spark here.", fix=INSTALL) from None
    if tuple(map(int, __version__.split(".")[:2])) < (3, 5):
        raise BadParameter(f"Spark {__version__} is too old.", fix=INSTALL)
    java.use_java(__version__, install=INSTALL_JAVA)
    return SparkSession


@contextmanager
def silent() -> Iterator[None]:
    """Give processes that are started in the block no stdout and no stderr."""
    saved, nothing = [os.dup(index) for index in (1, 2)], os.open(os.devnull, os.O_WRONLY)
    try:
        for index in (1, 2):
            os.dup2(nothing, index)
        yield
    finally:
        for index, before in zip((1, 2), saved, strict=True):
            os.dup2(before, index)
        for opened in (*saved, nothing):
            os.close(opened)
