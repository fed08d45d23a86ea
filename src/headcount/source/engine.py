"""The DuckDB of our own: what it may use while it reads, and how far it is.

Rows that do not fit into memory are put aside on disk. They are raw data: they lie in a private folder that nobody else
may open, never in the working directory, and the folder is gone when the reading ends, however it ends. Only a process
that is killed outright (kill -9, a power cut, a SIGTERM that it does not handle) cannot remove it.

What a run may use is no part of a question: the same request with other limits is the same request.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ibis
from ibis.backends.duckdb import Backend
from ibis.expr import types as ir

from headcount.errors import BadParameter
from headcount.source.exclusive import exclusive

LEAST = 50_000_000
"""Bytes that each thread of DuckDB needs; with less memory there are fewer threads, and with less than this none."""
MOST = 1 << 50
"""More memory than anybody has."""
UNITS = {"": 1, **{f"{letter}B".upper(): 1000**power for power, letter in enumerate(("", "K", "M", "G", "T"))}}
UNITS |= {f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", 1)}


@dataclass(frozen=True)
class Limits:
    """What a run may use."""

    memory: int | None = None
    """Bytes; None for most of what there is (DuckDB's own default, 80%)."""
    spill: str | None = None
    """In which folder there is room for what does not fit; None for the system's temporary one."""


def limits(memory: int | str | None, spill: str | os.PathLike[str] | None) -> Limits:
    """The limits as typed, checked."""
    return Limits(None if memory is None else _bytes(memory), None if spill is None else _folder(spill))


def _bytes(memory: object) -> int:
    fix = 'memory="4GB", memory="512MB", or a number of bytes'
    if isinstance(memory, str):
        size = _typed(memory)
    else:
        size = int(memory) if isinstance(memory, Integral) and not isinstance(memory, bool) else None
    if size is None:
        raise BadParameter(f"memory={memory!r:.60}: not an amount of memory.", fix=fix)
    if not LEAST <= size <= MOST:
        raise BadParameter(f"memory={memory!r:.60}: at least {LEAST // 10**6}MB, at most 1024TiB.", fix=fix)
    return size


def _typed(memory: str) -> int | None:
    """4GB, 1.5 GiB, 512mb or 4000000000, in bytes."""
    found = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,6})?) *([a-z]*)", memory.strip().lower())
    unit = UNITS.get(found[2].upper()) if found else None
    return int(Fraction(found[1]) * unit) if found and unit else None


def _folder(spill: str | os.PathLike[str]) -> str:
    if not isinstance(spill, str | os.PathLike):
        raise BadParameter(f"spill={spill!r:.60}: not a folder.", fix='spill="/var/tmp"')
    folder = os.fspath(spill)
    if not Path(folder).is_dir():
        raise BadParameter(f"spill={folder!r}: there is no such folder.", fix='spill="/var/tmp", or make it')
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadParameter(f"spill={folder!r}: a folder that may not be written.", fix='spill="/var/tmp"')
    return str(Path(folder).absolute())


def column_names(count: int) -> list[str]:
    """What the columns that are read are called on the engine, whatever their names are."""
    return [f"column{place}" for place in range(count)]


def engine() -> Backend:
    """A DuckDB of our own: it loads nothing by itself, tells no time but UTC, keeps no order, prints nothing, and puts
    nothing aside."""
    connection = ibis.duckdb.connect(autoinstall_known_extensions=False, autoload_known_extensions=False)
    for name, value in (
        ("TimeZone", "UTC"),
        ("preserve_insertion_order", "false"),
        ("temp_directory", ""),
        ("enable_progress_bar", "true"),  # else it does not count
        ("enable_progress_bar_print", "false"),
    ):
        _set(connection, name, value)
    return connection


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _set(connection: Backend, name: str, value: str) -> None:
    connection.raw_sql(f"SET {name} = {quoted(value)}")


_READ: list[ir.Table] = []
"""The tables that are read now, the newest last."""


@contextmanager
def reading(table: ir.Table, limits: Limits | None) -> Iterator[None]:
    """While a table is read: within these limits, by an engine of our own, which is closed at the end; or, without any,
    by one of the user's, which is left as it is, and which nobody else reads for us meanwhile."""
    backend = ibis.get_backend(table)
    _READ.append(table)
    try:
        with exclusive(backend) if limits is None else _within(backend, limits), halted(backend):
            yield
    finally:
        _READ[:] = [each for each in _READ if each is not table]


@contextmanager
def halted(backend: Any) -> Iterator[None]:
    """What stops us stops the engine, which would go on with a query that was interrupted, to its end."""
    from headcount.source import spark  # which reads files, and these need this one

    with spark.grouped(backend._session) if backend.name == spark.NAME else nullcontext():
        try:
            yield
        except BaseException:
            if backend.name == "duckdb":
                backend.con.interrupt()
            raise


@contextmanager
def _within(connection: Backend, limits: Limits) -> Iterator[None]:
    with TemporaryDirectory(prefix="headcount-", dir=limits.spill, ignore_cleanup_errors=True) as folder:  # 0700
        try:
            _set(connection, "temp_directory", folder)
            if limits.memory is not None:
                _set(connection, "memory_limit", f"{limits.memory}B")
                _set(connection, "threads", str(max(1, min(_threads(connection), limits.memory // LEAST))))
            yield
        finally:
            connection.disconnect()  # which removes what it put aside


def _threads(connection: Backend) -> int:
    return int(setting(connection, "threads"))


def setting(connection: Backend, name: str) -> str:
    """What a setting is on this connection."""
    with exclusive(connection):
        return str(connection.raw_sql(f"SELECT current_setting('{name}')").fetchone()[0])


def memory(table: ir.Table) -> int:
    """About how many bytes the DuckDB behind a table may use; whatever it says."""
    return _typed(setting(ibis.get_backend(table), "memory_limit")) or MOST


_STOPS: list[BaseException] = []
"""What asked the process to stop while an engine waited for rows from Python."""
_SCANS: list[Callable[[], float]] = []
"""Which part of its files each scan by Python has read, the newest last."""


@contextmanager
def scanning(part: Callable[[], float]) -> Iterator[None]:
    """While an engine gets rows from Python, which tells how far it is. What stops the process meanwhile (Ctrl-C) is
    kept: the engine would take it for a failure."""
    _SCANS.append(part)
    try:
        yield
    except (Exception, GeneratorExit):
        raise
    except BaseException as stop:
        _STOPS.append(stop)
        raise
    finally:
        _SCANS.remove(part)


def stop_behind(error: BaseException) -> BaseException | None:
    """What asked the process to stop (Ctrl-C), if that is why the engine gave up: DuckDB tells of it as of any
    failure."""
    if _STOPS:
        return _STOPS.pop()
    while error.__context__ is not None:
        error = error.__context__
    return None if isinstance(error, Exception) else error


def progress() -> float | None:
    """Which part of what is read now was scanned, from 0 to 1; None if nothing is, or nobody knows. May be asked from
    another thread."""
    with suppress(Exception):  # an engine that is just being closed
        part = _SCANS[-1]() if _SCANS else _PARTS[(backend := ibis.get_backend(_READ[-1])).name](backend)
        return min(part, 1.0) if part >= 0 else None
    return None


def _duckdb_part(backend: Backend) -> float:
    return float(backend.con.query_progress()) / 100


def _spark_part(backend: Any) -> float:
    """Of the tasks of the stages that run now."""
    tracker = backend._session.sparkContext.statusTracker()
    stages = [stage for each in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(each))]
    tasks = sum(stage.numTasks for stage in stages)
    return sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else -1.0


_PARTS: dict[str, Callable[[Any], float]] = {"duckdb": _duckdb_part, "pyspark": _spark_part}
"""How each engine is asked."""
