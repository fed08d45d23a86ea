"""What the operator declares: which tables are private, by which column or link, and which are public.

A private table has a user column (its rows are that person's), or one link: a column that holds a key of another
private table (its rows are that key's). It never has both, nor two links: a row would have two owners. Whatever is
declared neither private nor public is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.errors import BadParameter, UnknownColumn
from headcount.source.views.ids import PERSON, comparable, is_id

LEAVES = (ops.DatabaseTable, ops.InMemoryTable)
TABLE = "con.table(...)"
OPENED: "WeakKeyDictionary[Any, Any]" = WeakKeyDictionary()
"""Connections whose tables hc.tables opened: what these are is declared there, and nowhere else."""


@dataclass(frozen=True)
class Declared:
    """The tables of a view."""

    private: Mapping[Any, tuple[str, str]]
    """Private tables, with the column that names the unit of each row, and its kind."""
    keys: Mapping[Any, Mapping[str, str]]
    """Private tables to which others are linked, with the columns that hold their keys, and the kind of each."""
    public: frozenset[Any]
    """Public tables."""
    users: Mapping[Any, str]
    """The user column of each private table that has one."""
    links: Mapping[str, str]
    """Columns that hold keys, and whose: lineitem.l_orderkey, orders.o_orderkey."""


def declare(
    expression: ir.Table,
    user: str | Mapping[str, str],
    public: Sequence[str | ir.Table] = (),
    links: Mapping[str, str] | None = None,
) -> Declared:
    """Look the declared tables and columns up in the schema. No row is read."""
    by_name = _leaves(expression)
    open_tables = frozenset(_leaf(each, by_name) for each in _listed(public))
    users = _users(user, by_name, open_tables)
    private = {leaf: (column, PERSON) for leaf, column in users.items()}
    keys: dict[Any, dict[str, str]] = {}
    _add_links(private, keys, dict(links or {}), by_name)
    if both := open_tables & private.keys():
        raise BadParameter(f"table {next(iter(both)).name!r}: declared both private and public.", fix="one of them")
    return Declared(private, keys, open_tables, users, dict(links or {}))


def _leaves(expression: ir.Table) -> dict[str, Any]:
    """Return the tables of an expression by name; refuse two of one name."""
    found: dict[str, Any] = {}
    for leaf in expression.op().find(LEAVES):
        if found.setdefault(leaf.name, leaf) != leaf:
            raise BadParameter(f"there are two tables {leaf.name!r} in the view.", fix="give them different names")
    return found


def _listed(public: Any) -> list[Any]:
    if not isinstance(public, str | ir.Table | Sequence):
        raise BadParameter(f"public={type(public).__name__}: not a table.", fix=f"public=[{TABLE}]")
    return [public] if isinstance(public, str | ir.Table) else list(public)


def _leaf(table: str | ir.Table, by_name: Mapping[str, Any]) -> Any:
    """Return a table by itself, or by its name."""
    if isinstance(table, ir.Table):
        leaf = table.op()
        if type(leaf) in LEAVES and leaf in by_name.values():
            return leaf
        raise BadParameter("public: an expression that is not a table of the view.", fix=f"public=[{TABLE}]")
    if not isinstance(table, str):
        raise BadParameter("public: hc.table() is for data.", fix=f"public=[{TABLE}]")
    if table not in by_name:
        known = ", ".join(by_name)
        raise BadParameter(f"there is no table {table!r:.80} in the view.", fix=f"one of {known}")
    return by_name[table]


def _users(user: str | Mapping[str, str], by_name: Mapping[str, Any], public: frozenset[Any]) -> dict[Any, str]:
    """The user column of each table that has one. A name alone stands for that column of every table."""
    if isinstance(user, str):
        return {
            leaf: user for leaf in by_name.values() if user in leaf.schema and leaf not in public and _id(leaf, user)
        }
    return {(leaf := _leaf(name, by_name)): _id(leaf, column) for name, column in user.items()}


def _id(leaf: Any, column: str) -> str:
    """Refuse a column that is not there, or that is no id."""
    if column not in leaf.schema:
        raise UnknownColumn(f"table {leaf.name!r} has no column {column!r}.", fix=f"one of {', '.join(leaf.schema)}")
    if not is_id(leaf.schema[column]):
        raise UnknownColumn(
            f"{leaf.name}.{column} holds {leaf.schema[column]}: not an id.", fix="whole numbers, text or UUIDs"
        )
    return column


Units = dict[Any, tuple[str, str]]
Keys = dict[Any, dict[str, str]]


def _add_links(private: Units, keys: Keys, links: dict[str, str], by_name: Mapping[str, Any]) -> None:
    """Add the tables that hold keys of others, parents first."""
    waiting = dict(links)
    while waiting:
        ready = [each for each, parent in waiting.items() if _end(parent, by_name)[0] in private]
        if not ready:
            child, parent = next(iter(waiting.items()))
            raise BadParameter(
                f"links={{{child!r}: {parent!r}}}: {parent.partition('.')[0]!r} is no private table.",
                fix=f'user={{"{parent.partition(".")[0]}": "its user column"}}',
            )
        for each in ready:
            _add_link(private, keys, each, waiting.pop(each), by_name)


def _add_link(private: Units, keys: Keys, child: str, parent: str, by_name: Mapping[str, Any]) -> None:
    (leaf, column), (above, key) = _end(child, by_name), _end(parent, by_name)
    check_keys((child, leaf.schema[column]), (parent, above.schema[key]))
    if leaf in private:
        owner = private[leaf][0]
        raise BadParameter(
            f"links: rows of {leaf.name} have two owners, by {owner} and by {column}.",
            fix=f"without this link, and a join on {owner} too; or no other owner for {leaf.name}",
        )
    unit, kind = private[above]
    private[leaf] = (column, kind if key == unit else keys.setdefault(above, {}).setdefault(key, parent))


def check_keys(child: tuple[str, Any], parent: tuple[str, Any]) -> None:
    """Refuse a link between columns of types that are not compared: each end by its name and type."""
    if not comparable(child[1], parent[1]):
        name, kind = child[0], parent[1]
        raise BadParameter(
            f"links: {name} holds {child[1]}, {parent[0]} {kind}: not the same keys.",
            fix=f"columns of one type: store {name} as {kind.copy(nullable=True)}",
        )


def _end(text: str, by_name: Mapping[str, Any]) -> tuple[Any, str]:
    """Table and column of one end of a link."""
    name, dot, column = text.rpartition(".")
    if not dot:
        raise BadParameter(
            f"links: {text!r:.80} names no column.", fix='links={"lineitem.l_orderkey": "orders.o_orderkey"}'
        )
    leaf = _leaf(name, by_name)
    return leaf, _id(leaf, column)


def opened(expression: ir.Table) -> Any:
    """Return the tables that an expression was made of; None if it is of a connection of the user's."""
    connections = [getattr(leaf.source, "con", None) for leaf in expression.op().find(ops.DatabaseTable)]
    return next((OPENED[each] for each in connections if each in OPENED), None)


def check_declared_once(expression: ir.Table) -> None:
    """Refuse a second declaration: without the name of the first it would be a second budget."""
    if opened(expression) is not None:
        raise BadParameter(
            "hc.view: hc.tables says already what these tables are.", fix="the expression itself as data"
        )
