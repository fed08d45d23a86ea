"""Several files as tables of one database of ours, with what is declared about them.

The rows are read when the tables are opened, by headcount's own readers, and stored: a view needs stored tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fsdecode
from typing import TYPE_CHECKING

import ibis
import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.errors import BadParameter, NotATable, UnknownColumn
from headcount.source.engines.duckdb_connection import connect
from headcount.source.engines.registry import engine_of
from headcount.source.files import files
from headcount.source.views.declared import OPENED, check_keys, opened
from headcount.source.views.leaves import NAME, OURS
from headcount.source.views.view import View

if TYPE_CHECKING:
    from ibis.backends.duckdb import Backend

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
BATCH = 1 << 17
"""Rows that are read at a time."""


class Tables:
    """Tables of files, as Ibis tables: `hospital.person`, or `hospital["person"]`."""

    def __init__(
        self,
        connection: "Backend",
        paths: Mapping[str, list[str]],
        user: str | Mapping[str, str],
        public: Sequence[str],
        links: Mapping[str, str],
        name: str | None,
    ) -> None:
        self._connection, self._paths = connection, paths
        self._user, self._public, self.links = user, public, links
        self.dataset = name
        """What the tables are called together in plans, releases and ledgers."""
        self.program = ""
        """The text of the file that defines a view of the tables, if there is one; kept in its releases."""

    def __getitem__(self, name: str) -> ir.Table:
        if name not in self:
            raise BadParameter(f"there is no table {name!r:.80}.", fix=f"one of {', '.join(self)}")
        return self._connection.table(name)

    def __getattr__(self, name: str) -> ir.Table:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"Tables({', '.join(self)})"

    def check(self) -> None:
        """Refuse a private table without a user column or a link to one that is there, and a link of no table."""
        for name in self:
            if name not in self._public:
                _check(self, name)
        for child in self.links:
            if (name := child.rpartition(".")[0]) not in self or name in self._public:
                raise BadParameter(
                    f"links: {name!r:.80} is no private table.", fix='links={"lines.order": "orders.order"}'
                )

    def fill(self) -> None:
        """Read the rows of all files. Before, the tables are empty: views of them can be checked."""
        for name, paths in self._paths.items():
            _store(self._connection, name, paths)

    def view(self, expression: ir.Table) -> View:
        """Return an expression over these tables with what is declared about those that it reads."""
        read = {leaf.name for leaf in expression.op().find(ops.DatabaseTable)}
        user = self._user if isinstance(self._user, str) else _of(read, self._user)
        links = {child: parent for child, parent in self.links.items() if child.rpartition(".")[0] in read}
        return View(expression, user, [each for each in self._public if each in read], links, self.program)


def _of(names: set[str], declared: Mapping[str, str]) -> dict[str, str]:
    return {name: column for name, column in declared.items() if name in names}


def tables_of(expression: ir.Table) -> Tables | None:
    """Return the tables that an expression was made of; None if it is of a connection of the user's."""
    found: Tables | None = opened(expression)
    return found


def tables(
    private: Mapping[str, Paths],
    *,
    user: str | Mapping[str, str],
    public: Mapping[str, Paths] | None = None,
    links: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Tables:
    """Read several files as tables of one database in memory, for views of them.

    Any Ibis expression over the tables can be handed to a job as data: it is checked like `hc.view`, with what is
    declared here.

    Parameters
    ----------
    private: tables about people, by name: a file or several (parquet, csv, tsv).
    user: the column that names the person in every private table, or {"orders": "o_custkey"} for each table.
    public: tables that hold nothing about these people, by name.
    links: columns that hold a key of a private table: {"lineitem.l_orderkey": "orders.o_orderkey"}. You promise that a
        key belongs to one person.
    name: what the tables are called together. A ledger needs it: all views of tables of one name share one budget.

    Examples
    --------
    hospital = hc.tables(
        {"person": "person.parquet", "visit": "visit.parquet"},
        user="person_id",
        public={"ward": "ward.csv"},
        name="hospital",
    )
    wards = hospital.visit.join(hospital.person, "person_id")
    hc.histogram(wards, user="person_id", by=["ward", "gender"], epsilon=1, ledger="hospital.ledger")
    """
    found = open_tables(private, user, public or {}, links or {}, name)
    found.check()
    found.fill()
    return found


def open_tables(
    private: Mapping[str, Paths],
    user: str | Mapping[str, str],
    public: Mapping[str, Paths],
    links: Mapping[str, str],
    name: str | None,
) -> Tables:
    """Return files as empty tables: their schema is read, and no row."""
    for given in (private, public):
        if not isinstance(given, Mapping):
            raise BadParameter(
                f"tables={type(given).__name__}: names are missing.",
                fix='hc.tables({"visits": "visits.parquet"}, user="person")',
            )
    if both := private.keys() & public.keys():
        raise BadParameter(f"table {min(both)!r}: declared both private and public.", fix="one of them")
    paths = {each: _listed(given) for each, given in {**private, **public}.items()}
    connection = connect().backend
    for each, listed in paths.items():
        _check_name(each)
        _store(connection, each, listed, rows="LIMIT 0")
    found = Tables(connection, paths, user, list(public), dict(links), name)
    OPENED[connection.con] = found
    return found


def _check(found: Tables, name: str) -> None:
    """Refuse a private table without a user column or a link to one that is there."""
    linked = [(child, parent) for child, parent in found.links.items() if child.rpartition(".")[0] == name]
    if not linked:
        found.view(found[name]).people()
    for link in linked:
        check_keys(*((end, _kind(found, end)) for end in link))


def _kind(found: Tables, end: str) -> dt.DataType:
    """The type of a column of one end of a link."""
    table, _dot, column = end.rpartition(".")
    if column not in found[table].columns:
        raise UnknownColumn(f"links: there is no column {end!r:.80}.", fix='{"lines.order": "orders.order"}')
    return found[table].schema()[column]


def _listed(paths: Paths) -> list[str]:
    several = list(paths) if isinstance(paths, list | tuple) else []
    listed = [paths] if isinstance(paths, str | PathLike) else several
    if not listed or not all(isinstance(path, str | PathLike) for path in listed):
        raise NotATable(f"data={type(paths).__name__}: not a file.", fix='{"visits": "visits.parquet"}')
    return [fsdecode(path) for path in listed]


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name) or OURS.fullmatch(name):
        raise BadParameter(f"the name {name!r:.60} of a table.", fix="letters, digits and _, such as visits")


def _store(connection: "Backend", name: str, paths: list[str], rows: str = "") -> None:
    """Store rows of files as a table: all of them, or none with `rows="LIMIT 0"`."""
    opened = files.open_files(paths, [])
    columns = list(dict.fromkeys(column for names in opened.names for column in names))
    reader = _reader(opened.read(columns).table, columns)
    connection.con.register("headcount_rows", reader)
    connection.raw_sql(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM headcount_rows {rows}')
    connection.con.unregister("headcount_rows")


def _reader(rows: ir.Table, columns: list[str]) -> pa.RecordBatchReader:
    schema = pa.schema(zip(columns, ibis.schema(dict(rows.schema())).to_pyarrow().types, strict=True))
    batches = engine_of(rows).batches(rows, BATCH)
    return pa.RecordBatchReader.from_batches(schema, (batch.rename_columns(columns) for batch in batches))
