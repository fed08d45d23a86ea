"""Ibis, imported when one of its names is first used: it takes longer to import than a small release takes.

A module that needs Ibis on the way of every release takes it from here, with `from __future__ import annotations`, so
that its signatures import nothing either. One that is itself imported only for expressions imports Ibis as it is.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis as ibis
    from ibis.expr import datatypes as dt
    from ibis.expr import operations as ops
    from ibis.expr import types as ir


class _WhenUsed:
    """A module that is imported at its first attribute."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


if not TYPE_CHECKING:
    ibis = _WhenUsed("ibis")
    dt = _WhenUsed("ibis.expr.datatypes")
    ops = _WhenUsed("ibis.expr.operations")
    ir = _WhenUsed("ibis.expr.types")

__all__ = ["dt", "ibis", "ir", "ops"]
