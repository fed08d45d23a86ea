"""The tables that a view reads: stored tables of the engine, each by its full name.

A row of a stored table is there as it is, so that reading one person's rows cannot fail by another's. A view of the
catalog computes, a name that no table has may be that of a file or of a Python variable, and a table that `.cache()`
made was computed from rows that nobody looked at. By its full name (catalog, schema, table) a table is never taken for
a part of the query, a temporary table or a file.
"""

import re
from collections.abc import Mapping
from typing import Any

from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.source.engines.engine import Engine
from headcount.source.views import refusals
from headcount.source.views.declared import LEAVES
from headcount.source.views.refusals import Refused

NAME = re.compile(r"[A-Za-z_]\w{0,200}", re.ASCII)
"""Names of tables, schemas and databases that every reader of SQL takes for the same name."""
OURS = re.compile(r"t\d+|ibis_.*|headcount_.*", re.ASCII | re.IGNORECASE)
"""Names that Ibis and headcount give to parts of a query and to tables of their own."""
Located = Mapping[Any, Any]
"""Tables of an expression, and the same by their full names, with text that compares byte by byte."""


def located(expression: ir.Table, engine: Engine) -> Located:
    """Return the tables of an expression by their full names; refuse what is not stored. No row is read."""
    found = {}
    for leaf in expression.op().find(LEAVES):
        try:
            found[leaf] = _located(leaf, engine)
        except Refused as refused:
            refused.node = leaf
            raise
    _check_distinct(found)
    return found


def _located(leaf: Any, engine: Engine) -> Any:
    if type(leaf) is not ops.DatabaseTable:
        refusals.refuse(
            "a table in Python's memory, which the engine reads in its own way.",
            'con.create_table("visits", data), then con.table("visits")',
        )
    if OURS.fullmatch(leaf.name):
        refusals.reserved(leaf.name)
    stored = engine.stored(leaf)
    if stored is None and engine.is_view(leaf):
        refusals.view_of_database(leaf.name)
    if stored is None:
        refusals.not_stored(leaf.name, engine.title)
    for each in full_name(stored):
        if each and not NAME.fullmatch(each):
            refusals.refuse(f"the name {each!r:.60} of a table.", "letters, digits and _ only")
    if stored.schema != leaf.schema:
        refusals.refuse(f"table {leaf.name!r} has other columns than when it was opened.", "con.table(...) again")
    return engine.byte_exact_table(stored.to_expr()).op()


def full_name(table: Any) -> tuple[str, str, str]:
    """Return catalog (empty on an engine that has one for each connection), schema and name of a table, or of the one
    that an expression reads."""
    (leaf,) = table.find(ops.DatabaseTable)
    return leaf.namespace.catalog, leaf.namespace.database, leaf.name


def _check_distinct(found: Located) -> None:
    """Refuse one table under two names: it would be declared twice."""
    names = [full_name(each) for each in found.values()]
    for each in names:
        if names.count(each) > 1:
            refusals.refuse(f"table {each[2]!r} is in the view under two names.", "one name for each table")
