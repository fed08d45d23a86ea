"""A view that was proved: what is said about it, and the expression that is run."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.errors import NotATable
from headcount.source.engines.engine import Engine
from headcount.source.views import refusals
from headcount.source.views.declared import Declared
from headcount.source.views.dialects.registry import dialect_of
from headcount.source.views.growth import check_growth
from headcount.source.views.ids import PERSON
from headcount.source.views.leaves import Located, located
from headcount.source.views.refusals import Refused
from headcount.source.views.relations import Proof
from headcount.source.views.rewriting import rewritten, simplified
from headcount.source.views.titles import place_of
from headcount.source.views.uniqueness import uniques
from headcount.source.views.writing import written

ONE_ROW = "Each person has at most one row in it: a bound of 1 cuts nothing."


@dataclass(frozen=True)
class Certificate:
    """What was proved about a view."""

    user: str
    """The column that names the person of each row."""
    private: dict[str, str]
    """Private tables, and the column that names their people; a link, if there is none."""
    public: tuple[str, ...]
    """Tables declared public."""
    links: dict[str, str]
    """Columns that hold keys, and whose."""
    steps: dict[str, int]
    """The steps that need a rule, and how many there are of each."""
    sql: str
    """The view as it is run."""
    one_row: bool = False
    """True if each person has at most one row, by construction."""
    program: str = field(default="", compare=False)
    """The text of the file that defines the view; empty if it was not in a file. It says how the view came about and
    proves nothing: two texts of one view are the same view."""

    def to_plain(self) -> dict[str, Any]:
        """The certificate in a plan."""
        return {**self.request, **({"program": self.program} if self.program else {})}

    @property
    def request(self) -> dict[str, Any]:
        """The certificate in the request to a ledger: what was proved, and what is run."""
        return {
            "user": self.user,
            "private": self.private,
            "public": list(self.public),
            "links": self.links,
            "steps": self.steps,
            "sql": self.sql,
            **({"one_row": True} if self.one_row else {}),
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Certificate":
        """The certificate that `to_plain` wrote."""
        return cls(**{**plain, "public": tuple(plain["public"])})

    @property
    def sentences(self) -> list[str]:
        """What plans, releases and reports say."""
        return [
            f"The table is a view of {self._tables}.",
            f"headcount checked that each of its rows depends on one person's rows only ({self._steps}).",
            *([ONE_ROW] if self.one_row else []),
            "A value that cannot be computed (a cast, an overflow) counts as missing. Rows without "
            f"{self.user} are left out.",
            *[f"You promise: {each}." for each in self._promises],
        ]

    @property
    def _tables(self) -> str:
        private = ", ".join(f"{name} (private, {self._owner(name, column)})" for name, column in self.private.items())
        public = ", ".join(f"{name} (declared public)" for name in self.public)
        return f"{private} and {public}" if public else private

    def _owner(self, name: str, column: str) -> str:
        key = self.links.get(f"{name}.{column}")
        return f"linked by {column} to {key}" if key else f"people by {column}"

    @property
    def _steps(self) -> str:
        counted = [f"{count} x {step}" if count > 1 else step for step, count in self.steps.items()]
        return ", ".join(counted) or "row by row"

    @property
    def _promises(self) -> list[str]:
        public = [f"{name} holds nothing about these people" for name in self.public]
        keys = [f"each key in {key} belongs to one person" for key in dict.fromkeys(self.links.values())]
        return [*public, *keys, "numbers and names typed into the view are public"]


def certify(
    expression: ir.Table, user: str, declared: Declared, engine: Engine, tables: Located
) -> tuple[Certificate, ir.Table]:
    """Prove that each row of a view depends on one person's rows, and return the view as it is run; refuse a view
    without a proof (NotATable)."""
    expression = simplified(expression)
    with _refusing(expression):
        steps = _prove(expression, user, declared)
        check_growth(expression.op())
        dialect = dialect_of(engine)
        dialect.check(expression.op())
        root = rewritten(expression, user, engine, dialect, tables)
        sql = written(root, dialect)
        dialect.check_sql(sql, tables)
        table = engine.text_table(expression, sql, root.schema)
    private = {leaf.name: column for leaf, (column, _kind) in declared.private.items()}
    public = tuple(sorted(leaf.name for leaf in declared.public))
    counted, one_row = dict(Counter(steps)), frozenset({user}) in uniques(expression.op())
    proved = Certificate(user, dict(sorted(private.items())), public, dict(declared.links), counted, sql, one_row)
    return proved, table


def catalog_of(expression: ir.Table, engine: Engine) -> Located:
    """Return the tables of a view as they are read: all that a proof takes from the connection. Refuse a connection
    whose functions are not the engine's, a table that has become a view or has other columns (NotATable)."""
    expression = simplified(expression)
    with _refusing(expression):
        _check_functions(expression, engine)
        return located(expression, engine)


def people_columns(expression: ir.Table, declared: Declared, engine: Engine) -> list[str]:
    """Return the columns that name the person of each row; refuse a view without any (NotATable)."""
    expression = simplified(expression)
    with _refusing(expression):
        located(expression, engine)
        people = _people(Proof(declared), expression.op())
        if not people:
            refusals.refuse(
                "none of its columns is the user column of a private table.",
                "a join with the table that has the user column",
            )
    return people


def _prove(expression: ir.Table, user: str, declared: Declared) -> list[str]:
    """Return the steps that a rule was needed for."""
    proof, root = Proof(declared), expression.op()
    people = _people(proof, root)
    if user not in people:
        _refuse_user(root, user, people, declared)
    return proof.steps


@contextmanager
def _refusing(expression: ir.Table) -> Iterator[None]:
    """Say in which step of the view there is no proof."""
    try:
        yield
    except Refused as refused:
        place = f", {place_of(refused.node, expression.op())}" if refused.node is not None else ""
        raise NotATable(f"the view{place}: {refused.what}", fix=refused.fix) from None
    except RecursionError:
        raise NotATable(
            "the view: a value has too many operations inside each other.",
            fix="a step of its own for some of them: .mutate(part=...)",
        ) from None


def _people(proof: Proof, root: Any) -> list[str]:
    """The columns that name the person of each row."""
    owners = proof.owners_of(root)
    if not owners.private:
        refusals.refuse("it reads no private table.", 'user={"visits": "person"}')
    return [name for name, kind in owners.carriers.items() if kind == PERSON]


def _check_functions(expression: ir.Table, engine: Engine) -> None:
    """Refuse a connection on which the user's functions stand in for the engine's."""
    for step in engine.replaced(expression):
        refusals.refuse(f"{step.name}.", "drop that function, or give it another name")


def _refuse_user(root: Any, user: str, others: list[str], declared: Declared) -> None:
    origin: Any = _origin(ops.Field(root, user)) if user in root.schema else None
    if origin in declared.public:
        refusals.public_user(user, origin.name, others)
    refusals.not_the_user(user, others)


def _origin(field: Any) -> Any:
    """The table that a column comes from as it is; None if it is computed."""
    while type(field) is ops.Field and (values := field.rel.values):
        field = values.get(field.name)
    return field.rel if type(field) is ops.Field else None
