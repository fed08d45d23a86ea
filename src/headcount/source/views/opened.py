"""Connections whose tables hc.tables opened: what these tables are is declared there, and nowhere else."""

from typing import Any
from weakref import WeakKeyDictionary

from ibis.expr import operations as ops
from ibis.expr import types as ir

from headcount.errors import BadParameter

OPENED: "WeakKeyDictionary[Any, Any]" = WeakKeyDictionary()
"""The tables of each connection."""


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
