"""Which table, and which of its columns. Opened by its schema: no row is read until `table()` is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from os import PathLike, fsdecode
from typing import Any

import ibis
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.errors import BadParameter, NotATable, UnknownColumn
from headcount.source import files, frames, spark
from headcount.source.engine import Limits, column_names, setting
from headcount.source.fetched import fetched
from headcount.source.pandas_columns import Role

UNNAMED = ("data frame", "ibis table")
"""What a table is called that has no name of its own."""
KINDS = (
    "a path or a list of paths (parquet, csv, tsv, jsonl), or a pandas, polars, pyarrow, DuckDB, Spark or Ibis table"
)


@dataclass(frozen=True)
class Events:
    """A table of events, as far as its schema tells."""

    name: str
    """What the dataset is called in plans, releases and ledgers."""
    columns: dict[str, dt.DataType]
    """The columns that were asked for, and their types."""
    table: Callable[[], ir.Table]
    """Those columns, on their engine, as column0, column1, ... Called when rows may be read."""
    ours: bool = False
    """Whether that is an engine of our own, a new one each time."""
    quick: bool = False
    """Whether reading it again costs less than keeping what was read."""
    typed: bool = True
    """Whether the schema tells numbers from text. It does not where every value is text (CSV, JSON lines, what Spark
    reads of a CSV), nor in pandas, where one row makes a column of numbers one of objects."""
    files: Callable[[], list[str]] | None = None
    """The files that hold it, if it is in files."""
    loaded: "Callable[[Events], Events]" = lambda events: events
    """The same table, with rows that had to be converted converted once."""


def open_events(
    data: Any, columns: Sequence[str], name: str | None = None, roles: Sequence[Role] | None = None
) -> Events:
    """The table behind `data`, once it is seen to have these columns: a person and items, if no `roles` are said."""
    if paths := _paths(data):
        return _of_files(paths, columns, name)
    if spark.is_frame(data):
        return _of_spark(data, columns, name or UNNAMED[0])
    if isinstance(data, ir.Table):
        if ibis.get_backend(data).name == spark.NAME:
            return _of_spark(spark.frame_of(data), columns, name or _ibis_name(data))
        _check_engine(data)
        events = _of_ibis(data, columns, name or _ibis_name(data), _byte_exact)
        return replace(events, table=lambda: _checked(data, events.table()))
    frame = frames.wrap(data)
    if frame is None:
        raise NotATable(f"data={type(data).__name__}: not a table.", fix=KINDS)
    check_columns(columns, frame.names)
    items: list[Role] = ["item"] * (len(columns) - 1)
    needed = roles or ("person", *items)
    return Events(
        name or UNNAMED[0],
        frame.types(columns),
        lambda: frame.table(columns, needed),
        ours=True,
        quick=True,
        typed=not frames.is_pandas(data),
        loaded=lambda events: replace(events, table=frame.loaded(columns, needed)),
    )


def _paths(data: Any) -> list[str]:
    """The paths that are meant, if these are paths."""
    listed = data if isinstance(data, list | tuple) else [data]
    return [fsdecode(path) for path in listed] if all(isinstance(path, str | PathLike) for path in listed) else []


def _of_files(paths: Sequence[str], columns: Sequence[str], name: str | None) -> Events:
    """By their schema; opened once more when rows may be read."""

    def opened() -> Events:
        tables = files.open_files(paths, columns)
        for names in tables.names:
            check_columns(columns, names)
        found = tables.read(columns)
        _check_readable(found, columns)
        types = dict(zip(columns, found.schema().types, strict=True))
        return Events(
            name or files.name_of(paths), types, lambda: found, ours=True, quick=tables.typed, typed=tables.typed
        )

    def table() -> ir.Table:
        now = opened()
        if now.columns != events.columns:
            raise NotATable(f"{paths[0]}: its columns have other types than before.", fix="make the plan again")
        return now.table()

    events = opened()
    return replace(events, table=table, files=lambda: files.found_files(paths))


def _of_spark(frame: Any, columns: Sequence[str], name: str) -> Events:
    spark.check(frame)
    check_columns(columns, frame.columns)
    return Events(name, spark.types(frame, columns), lambda: spark.table(frame, columns), typed=False)


def _of_ibis(
    table: ir.Table, columns: Sequence[str], name: str, read: Callable[[ir.Table], ir.Table] = lambda table: table
) -> Events:
    check_columns(columns, table.columns)
    names = column_names(len(columns))
    chosen = read(table.select(**{plain: table[column] for plain, column in zip(names, columns, strict=True)}))
    _check_readable(chosen, columns)
    return Events(name, dict(zip(columns, chosen.schema().types, strict=True)), lambda: chosen)


def _check_readable(chosen: ir.Table, columns: Sequence[str]) -> None:
    """What the engine cannot read of any row it cannot read of none."""
    try:
        fetched(chosen.limit(0))
    except Exception:
        listed = ", ".join(map(repr, columns))
        raise UnknownColumn(f"columns {listed}: the engine cannot read them.", fix="other names, or types") from None


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def encode(text: str) -> bytes:  # type: ignore[empty-body]
    """DuckDB's own: text as bytes."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def decode(text: bytes) -> str:  # type: ignore[empty-body]
    """DuckDB's own: bytes as text."""


@ibis.udf.scalar.builtin(name="try")  # type: ignore[untyped-decorator]
def attempt(text: str) -> str:  # type: ignore[empty-body]
    """DuckDB's own: null where it fails."""


def _check_engine(table: ir.Table) -> None:
    """Other engines than DuckDB may have a collation unasked."""
    kind = ibis.get_backend(table).name
    if kind != "duckdb":
        raise NotATable(f"an Ibis table on {kind}: not supported yet.", fix="one on DuckDB or Spark, or a file")
    _check_settings(table)


def _byte_exact(table: ir.Table) -> ir.Table:
    """The table with text that is compared byte by byte: under a collation that ignores case, one person's spelling
    could name everybody's item. What is no UTF-8 is missing."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    return table.mutate(**{name: attempt(decode(encode(table[name]))) for name in texts})


def _checked(data: ir.Table, table: ir.Table) -> ir.Table:
    """The table, its connection's settings seen once more when it is read."""
    _check_settings(data)
    return table


SETTINGS = {
    "default_collation": ("", "binary"),
    "TimeZone": ("UTC", "Etc/UTC"),
    "arrow_large_buffer_size": ("false",),
    "arrow_lossless_conversion": ("false",),
    "arrow_output_version": ("1.0",),
}
"""Settings of a connection, and what they may be. A collation holds for all text, also for what had none: one person's
spelling could name everybody's item. The others change the types of results, which fails as soon as there is a row."""


def _check_settings(table: ir.Table) -> None:
    engine = ibis.get_backend(table)
    for name, allowed in SETTINGS.items():
        found = setting(engine, name)
        if found.lower() not in [each.lower() for each in allowed]:
            raise NotATable(
                f"an Ibis table whose connection has {name} = {found!r}.", fix=f"SET {name} = '{allowed[0]}'"
            )


def _ibis_name(table: ir.Table) -> str:
    try:
        name = str(table.get_name())
        return UNNAMED[1] if name.startswith("ibis_") else name
    except (AttributeError, ibis.common.exceptions.IbisError):
        return UNNAMED[1]


def check_name(name: str) -> None:
    """Refuse data without a name of their own, where a name tells them apart for ever: in a ledger."""
    if name in UNNAMED:
        raise BadParameter("a ledger needs to know what the data are called.", fix='dataset="visits"')


def check_limits(data: Any, events: Events, limits: Limits) -> None:
    """Refuse limits where rows are on an engine of the user's own, which has its own."""
    if limits != Limits() and (not events.ours or frames.is_relation(data)):
        said = "memory" if limits.memory else "spill"
        raise BadParameter(
            f"{said}: the table is on an engine of your own.",
            fix=f"no {said}, but a setting of that engine, such as SET memory_limit = '4GB'; or the file that it reads",
        )


def check_columns(asked: Sequence[str], there: Sequence[str]) -> None:
    """Every column that is asked for is there, once; and no other has its name but for capitals, as some engines would
    take it for that."""
    for column in asked:
        if column not in there:
            raise UnknownColumn(f"there is no column {column!r}.", fix=_meant(column, [str(name) for name in there]))
        alike = [name for name in there if isinstance(name, str) and name.casefold() == column.casefold()]
        if len(alike) > 1:
            other = next((name for name in alike if name != column), None)
            differ = f"there are columns {column!r} and {other!r}, which differ in capitals only."
            raise BadParameter(
                differ if other else f"there are two columns {column!r}.", fix="give them different names"
            )


def _meant(column: str, there: Sequence[str]) -> str:
    near = get_close_matches(column.lower(), [name.lower() for name in there], n=1, cutoff=0.5)
    known = ", ".join(there[:20]) + (", ..." if len(there) > 20 else "")
    if not near:
        return f"one of {known}"
    return f"did you mean {next(name for name in there if name.lower() == near[0])!r}? There are {known}"
