"""A view: an Ibis expression over several tables, and what is declared about these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.errors import BadParameter, NotATable
from headcount.source.engines.engine import Engine
from headcount.source.engines.registry import engine_of
from headcount.source.queries.step import PROMISE
from headcount.source.views.certificate import Certificate, catalog_of, certify, people_columns
from headcount.source.views.declared import Declared, check_declared_once, declare
from headcount.source.views.leaves import Located

PROMISED = f'hc.table(expression, promise="{PROMISE}")'
MEANT = {
    "Table": 'what hc.table was given, and the name around the view: hc.table(hc.view(expression, ...), name="visits")',
    "View": "hc.view(expression, ...) once",
    **dict.fromkeys(
        ("list", "tuple", "dict"), 'one expression that joins them: hc.view(visit.join(person, "person_id"), ...)'
    ),
    **dict.fromkeys(("str", "PosixPath"), 'hc.tables({"visits": "visits.parquet"}, user=...), for files'),
}
"""What to write instead of other objects, by the name of their type."""


@dataclass(frozen=True, repr=False)
class View:
    """An Ibis expression with its declarations, to be handed to any job as data."""

    expression: ir.Table
    """The expression as written; what is run is rewritten."""
    user: str | Mapping[str, str]
    """The user column of every private table, or of each by name."""
    public: Sequence[str | ir.Table] = ()
    """Tables declared public."""
    links: Mapping[str, str] | None = None
    """Columns that hold the key of a private table."""
    program: str = field(default="", compare=False)
    """The text of the file that defines the view, if there is one."""
    _proved: dict[str, tuple[tuple[Declared, Located], tuple[Certificate, ir.Table]]] = field(
        default_factory=dict, init=False, compare=False
    )
    """What was proved before, by user column, and from which declarations and tables."""

    def __repr__(self) -> str:
        return f"View({', '.join(self.expression.columns)})"

    def engine(self) -> Engine:
        """Return the engine of the expression; refuse one that cannot run views."""
        _check_connection(self.expression)
        found = engine_of(self.expression)
        if not found.certifies:
            raise NotATable(
                f"a view on {found.title}: headcount checks views on DuckDB, Postgres and Spark only.",
                fix="the tables on DuckDB, or as files; or no hc.view, but hc.table(expression, promise='each row "
                "belongs to one person'), if that is so",
            )
        return found

    def certified(self, user: str) -> tuple[Certificate, ir.Table]:
        """Return the certificate for a user column of the view, and the view as it is run. It is proved once; later
        only what may have changed is looked up: tables and functions of the connection, and whether text compares byte
        by byte."""
        declared = declare(self.expression, self.user, self.public, self.links)
        engine = self.engine()
        premises = declared, catalog_of(self.expression, engine)
        known = self._proved.get(user)
        if known is not None and known[0] == premises:
            return known[1]
        certificate, table = certify(self.expression, user, declared, engine, premises[1])
        proved = replace(certificate, program=self.program), table
        self._proved[user] = premises, proved
        return proved

    def people(self) -> list[str]:
        """Return the columns that can be the user; refuse a view without a proof (NotATable)."""
        declared = declare(self.expression, self.user, self.public, self.links)
        people = people_columns(self.expression, declared, self.engine())
        self.certified(people[0])  # for the others the SQL differs in the last condition
        return people


def view(
    expression: ir.Table,
    *,
    user: str | Mapping[str, str],
    public: Sequence[str | ir.Table] = (),
    links: Mapping[str, str] | None = None,
) -> View:
    """Check that each row of an Ibis expression depends on one person's rows only, and return it as data for any job.

    Nothing is read: what cannot be proved from the expression and the schema is refused, with the line to write
    instead. The proof is in docs/proofs/views.md.

    Parameters
    ----------
    expression: an Ibis expression over tables of one connection to DuckDB, Postgres or Spark: joins, filters, windows
        and group-bys per user.
    user: the column that names the person in every private table, or {"orders": "o_custkey"} for each table.
    public: tables that hold nothing about these people, by name or as tables. Tables that are neither private nor
        public are refused.
    links: columns that hold a key of a private table: {"lineitem.l_orderkey": "orders.o_orderkey"}. You promise that a
        key belongs to one person.

    Examples
    --------
    >>> import ibis
    >>> import headcount as hc
    >>> con = ibis.duckdb.connect()
    >>> person = con.create_table("person", schema={"id": "int64", "city": "string"})
    >>> visit = con.create_table("visit", schema={"id": "int64", "ward": "string"})
    >>> view = hc.view(visit.join(person, "id"), user="id")
    >>> plan = hc.plan("histogram", view, user="id", by=["ward", "city"], epsilon=1)
    >>> plan.certificate.sentences[0]
    'The table is a view of person (private, people by id), visit (private, people by id).'
    """
    _check_expression(expression)
    check_declared_once(expression)
    found = View(expression, user, public, links)
    try:
        found.people()
    except NotATable as refused:
        raise _or_promise(found, refused) from None
    return found


def _or_promise(view: View, refused: NotATable) -> NotATable:
    """Return the refusal of an expression with the line that promises what has no proof, if a promise can cover it."""
    engine = view.engine()
    step = engine.query(engine.native(view.expression))
    if step is None or step.fix:
        return refused
    what = str(refused).removesuffix(f" Fix: {refused.fix}")
    return NotATable(what, fix=f"{refused.fix}; or, if you know that it is so, {PROMISED}")


def _check_expression(expression: Any) -> None:
    if not isinstance(expression, ir.Table):
        raise NotATable(
            f"expression={type(expression).__name__}: not an Ibis expression.",
            fix=MEANT.get(type(expression).__name__, 'con.table("visits"), with con = ibis.duckdb.connect("my.db")'),
        )


def _check_connection(expression: ir.Table) -> None:
    """Refuse tables of several connections: Ibis takes databases in memory for one and the same."""
    connections = {id(getattr(leaf.source, "con", leaf.source)) for leaf in expression.op().find(ops.DatabaseTable)}
    if len(connections) > 1:
        raise BadParameter("the tables of the view are on several connections.", fix="tables of one connection")
