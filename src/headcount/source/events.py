"""Events: a table and its columns, opened by schema. No row is read until `table()` is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from os import PathLike, fsdecode
from typing import TYPE_CHECKING, Any

from headcount.errors import BadParameter, NotATable, TableChanged, UnknownColumn
from headcount.source.engines.duckdb_connection import give_back
from headcount.source.engines.engine import Engine
from headcount.source.engines.kinds import Kind
from headcount.source.engines.limits import Limits
from headcount.source.engines.registry import engine_of, owner_of
from headcount.source.engines.scan import Scan
from headcount.source.expressions import dt, ibis, ir
from headcount.source.files import files
from headcount.source.frames import frames
from headcount.source.frames.pandas_columns import Role
from headcount.source.queries.step import Step, check_promise, promise_for, unproved
from headcount.source.table import Table

if TYPE_CHECKING:
    from headcount.source.views.certificate import Certificate
    from headcount.source.views.tables import Tables
    from headcount.source.views.view import View

UNNAMED = ("data frame", "ibis table")
"""Names of tables that have no name of their own."""
KINDS = (
    "a path or a list of paths (parquet, csv, tsv, jsonl), or a pandas, polars, pyarrow, DuckDB, Spark or Ibis table"
)

ONE_EXPRESSION = 'one expression: hc.view(visit.join(person, "person_id"), ...); or files: hc.tables({...}, user=...)'
AS_TABLE = {
    "DuckDBPyConnection": 'con.table("events"), or con.sql("SELECT ...")',
    "BaseBackend": 'con.table("events")',
    "RecordBatchReader": "data.read_all()",
    "Dataset": "data.to_table()",
    "Scanner": "data.to_table()",
    "RecordBatch": "pa.Table.from_batches([data])",
    "Series": "data.to_frame()",
    "ndarray": 'pd.DataFrame(data, columns=["user", "word"])',
    "dict": "pa.table(data)",
    "list": "pa.Table.from_pylist(data)",
    "Release": "the table that it was made of: a release is not read again",
}
"""How other objects become tables, by the name of their type."""


@dataclass(frozen=True)
class Events:
    """A table of events, as far as its schema describes it."""

    name: str
    """Name of the dataset in plans, releases and ledgers."""
    columns: dict[str, dt.DataType]
    """The columns that are read, and their types."""
    table: Callable[[], ir.Table]
    """Returns those columns on their engine, as column0, column1, ... Called when rows may be read."""
    scan: Callable[[], Scan] | None = None
    """Returns the same as SQL, if the table is in files or in memory; like `table`, it opens it anew."""
    owns_engine: bool = False
    """True if `table` reads on an engine of ours each time."""
    cheap_to_reread: bool = False
    """True if reading the rows again costs less than materialising them."""
    typed: bool = True
    """True if the schema distinguishes numbers from text. It does not where every value is text (CSV, JSON lines, CSV
    read by Spark), nor in pandas, where one row turns a column of numbers into objects."""
    files: Callable[[], list[str]] | None = None
    """Returns the files that hold the table, if it is in files."""
    loaded: Callable[[Events], Events] = lambda events: events
    """Returns the same table with its rows converted, if they need it, once for all readings."""
    promise: str = ""
    """The promise by which a query was accepted; empty for a table."""
    certificate: Certificate | None = None
    """What was proved about a view; None for a table."""

    @property
    def types(self) -> dict[str, dt.DataType]:
        """The columns and their types, as expressions take them."""
        return {name: ibis.dtype(str(kind)) if isinstance(kind, Kind) else kind for name, kind in self.columns.items()}


def open_events(
    data: Any,
    columns: Sequence[str],
    name: str | None = None,
    roles: Sequence[Role] | None = None,
    promise: str | None = None,
) -> Events:
    """Open a table by its schema and check that it has these columns: a person and items, unless `roles` are given. A
    query is accepted only with the promise that each of its rows belongs to one person."""
    check_promise(promise)
    if paths := _paths(data):
        return _of_files(paths, columns, name)
    if frame := frames.wrap(data):
        typed = not frames.is_pandas(data)
        return _of_frame(frame, columns, name or UNNAMED[0], roles, typed=typed, promise=promise)
    from headcount.source.views.view import View  # as late as Ibis itself

    if isinstance(data, View):
        _check_no_promise(promise)
        return _of_view(data, columns, name or UNNAMED[1])
    if isinstance(data, ir.Table):
        return _of_ibis(data, columns, name, promise)
    if owner := owner_of(data):
        return _of_engine(owner, data, columns, name or UNNAMED[0], promise)
    if any(isinstance(each, ir.Table | View | Table) for each in _parts(data)):
        raise NotATable(f"data={type(data).__name__}: several tables.", fix=ONE_EXPRESSION)
    names = [kind.__name__ for kind in type(data).__mro__]
    meant = next((AS_TABLE[name] for name in names if name in AS_TABLE), KINDS)
    raise NotATable(f"data={type(data).__name__}: not a table.", fix=meant)


def _parts(data: Any) -> list[Any]:
    """What a list or a dictionary holds."""
    return list(data.values() if isinstance(data, dict) else data if isinstance(data, list | tuple) else ())


def _paths(data: Any) -> list[str]:
    """The paths, if these are paths."""
    listed = data if isinstance(data, list | tuple) else [data]
    return [fsdecode(path) for path in listed] if all(isinstance(path, str | PathLike) for path in listed) else []


def _of_files(paths: Sequence[str], columns: Sequence[str], name: str | None) -> Events:
    """Files by their schema; opened once more when rows may be read."""

    def opened() -> Events:
        tables = files.open_files(paths, columns)
        for names in tables.names:
            check_columns(columns, names)
        found = tables.read(columns)
        engine_of(found).check_readable(found.simplest, columns)
        types = dict(zip(columns, found.types, strict=True))
        return Events(
            name or files.name_of(paths),
            types,
            lambda: found.table,
            owns_engine=True,
            cheap_to_reread=tables.typed,
            typed=tables.typed,
            scan=lambda: found,
        )

    def scan() -> Scan:
        now = opened()
        if now.columns != events.columns:
            raise NotATable(f"{paths[0]}: its columns have other types than before.", fix="make the plan again")
        assert now.scan is not None
        return now.scan()

    events = opened()
    if events.scan:
        give_back(events.scan().connection)
    return replace(events, table=lambda: scan().table, scan=scan, files=lambda: files.found_files(paths))


def _of_ibis(data: ir.Table, columns: Sequence[str], name: str | None, promise: str | None) -> Events:
    """An Ibis table on an engine of the user's. A query is proved where the engine can run the proved one."""
    engine = engine_of(data)
    native = engine.native(data)
    from headcount.source.views.tables import tables_of  # as late as Ibis itself
    from headcount.source.views.view import View

    if opened := tables_of(data):
        return _of_opened(opened, data, columns, name, promise)
    if promise is None and engine.certifies and (step := _step_of(engine, native)) and not step.fix:
        try:
            return _of_view(View(data, columns[0]), columns, name or UNNAMED[1])
        except (NotATable, BadParameter) as refused:
            raise unproved(step, refused) from None
    return _of_engine(engine, native, columns, name or _ibis_name(data), promise)


def _step_of(engine: Engine, native: Any) -> Step | None:
    """What in a frame that an engine can read is not row by row."""
    engine.check(native)
    return engine.query(native)


def _of_opened(opened: Tables, data: ir.Table, columns: Sequence[str], name: str | None, promise: str | None) -> Events:
    """An expression over tables of `hc.tables`: a view that is proved, or else a query with a promise."""
    _check_one_name(name, opened.dataset)
    engine, title = engine_of(data), name or opened.dataset or UNNAMED[1]
    try:
        found = _of_view(opened.view(data), columns, title)
    except NotATable as refused:
        if promise is not None:
            return _of_engine(engine, engine.native(data), columns, title, promise)
        step = engine.query(engine.native(data))
        raise unproved(step, refused) if step and not step.fix else refused from None
    _check_no_promise(promise)
    return found


def _of_view(view: View, columns: Sequence[str], name: str) -> Events:
    """A view that is proved: the rewritten expression is read, never the one as written."""
    engine, user = view.engine(), columns[0]
    check_columns(columns, view.expression.columns)
    certificate, proved = view.certified(user)
    native = engine.native(proved)
    engine.check(native)

    def table() -> ir.Table:
        with _as_planned():
            now, again = view.certified(user)  # a table may have become a view since the plan
            if now != certificate:
                raise NotATable("the view is another one.", fix="make the plan again")
        return engine.table(engine.native(again), columns)

    return Events(name, engine.types(native, columns), table, typed=engine.typed, certificate=certificate)


@contextmanager
def _as_planned() -> Iterator[None]:
    """Refuse a table that was accepted when it was planned and would not be now. No row is read."""
    try:
        yield
    except (NotATable, BadParameter) as refused:
        what = str(refused).removesuffix(f" Fix: {refused.fix}")
        raise TableChanged(
            f"the data are not what they were when the plan was made: {what} Nothing was released.",
            fix="make the plan again; the same table as before finishes a release that was charged",
        ) from None


def _check_one_name(name: str | None, given: str | None) -> None:
    """Refuse a second name for tables that have one: in a ledger it would be a second budget."""
    if name and given and name != given:
        raise BadParameter(f"name={name!r:.80}: the tables are called {given!r:.80}.", fix=f"name={given!r:.80}")


def _check_no_promise(promise: str | None) -> None:
    """Refuse a promise about a view that was proved."""
    if promise is not None:
        raise BadParameter("promise: headcount checked this view.", fix="no promise")


def _of_engine(engine: Engine, data: Any, columns: Sequence[str], name: str, promise: str | None) -> Events:
    """A frame on an engine of the user's."""
    engine.check(data)
    check_columns(columns, data.columns)
    accepted = promise_for(engine.query(data), promise)

    def table() -> ir.Table:
        with _as_planned():
            promise_for(engine.query(data), promise)  # a table may have become a view since the plan
        return engine.table(data, columns)

    types = engine.types(data, columns)
    return Events(name, types, table, typed=engine.typed, promise=accepted)


def _of_frame(
    frame: frames.Wrapped,
    columns: Sequence[str],
    name: str,
    roles: Sequence[Role] | None,
    *,
    typed: bool,
    promise: str | None,
) -> Events:
    """A frame in memory, which is read by an engine of ours."""
    accepted = promise_for(frame.query(), promise)
    check_columns(columns, frame.names)
    items: list[Role] = ["item"] * (len(columns) - 1)
    needed = roles or ("person", *items)

    def opened() -> Callable[[], Scan]:
        with _as_planned():
            promise_for(frame.query(), promise)  # a view behind a relation may be another one since the plan
        return frame.loaded(columns, needed)

    def with_rows(events: Events, scan: Callable[[], Scan]) -> Events:
        return replace(events, table=lambda: scan().table, scan=scan)

    def loaded(events: Events) -> Events:
        return with_rows(events, opened())

    def scan() -> Scan:
        return opened()()

    return Events(
        name,
        frame.types(columns),
        lambda: scan().table,
        owns_engine=True,
        cheap_to_reread=True,
        typed=typed,
        scan=scan,
        loaded=loaded,
        promise=accepted,
    )


def _ibis_name(table: ir.Table) -> str:
    try:
        name = str(table.get_name())
        return UNNAMED[1] if name.startswith("ibis_") else name
    except (AttributeError, ibis.common.exceptions.IbisError):
        return UNNAMED[1]


def check_name(name: str) -> None:
    """Refuse data without a name of their own, where a name distinguishes them for good: in a ledger."""
    if name in UNNAMED:
        raise BadParameter("a ledger needs to know what the data are called.", fix='hc.table(data, name="visits")')


def check_limits(data: Any, events: Events, limits: Limits) -> None:
    """Refuse limits for rows on an engine of the user's, which has its own."""
    if limits != Limits() and (not events.owns_engine or frames.is_relation(data)):
        option = "memory" if limits.memory else "spill"
        raise BadParameter(
            f"{option}: the table is on an engine of your own.",
            fix=f"no {option}, but a setting of that engine, such as SET memory_limit = '4GB'; or the file that it "
            "reads",
        )


def check_columns(needed: Sequence[str], existing: Sequence[str]) -> None:
    """Refuse a column that is missing, that is there twice, or whose name differs from another's only in case: some
    engines would confuse them."""
    for column in needed:
        if column not in existing:
            raise UnknownColumn(
                f"there is no column {column!r}.", fix=_suggestion(column, [str(name) for name in existing])
            )
        alike = [name for name in existing if isinstance(name, str) and name.casefold() == column.casefold()]
        if len(alike) > 1:
            other = next((name for name in alike if name != column), None)
            differ = f"there are columns {column!r} and {other!r}, which differ in capitals only."
            raise BadParameter(
                differ if other else f"there are two columns {column!r}.", fix="give them different names"
            )


def _suggestion(column: str, existing: Sequence[str]) -> str:
    parts = [part.strip() for part in column.split(",")]
    if len(parts) > 1 and all(part in existing for part in parts):
        return f"by={parts}"
    near = get_close_matches(column.lower(), [name.lower() for name in existing], n=1, cutoff=0.6)
    known = ", ".join(existing[:20]) + (", ..." if len(existing) > 20 else "")
    if not near:
        return f"one of {known}"
    return f"did you mean {next(name for name in existing if name.lower() == near[0])!r}? There are {known}"
