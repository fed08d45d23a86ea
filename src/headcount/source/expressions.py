"""Ibis, imported when one of its names is first used: it takes longer to import than a small release takes.

A module that needs Ibis on the way of every release takes it from here, with `from __future__ import annotations`, so
that its signatures import nothing either. One that is itself imported only for expressions imports Ibis as it is.
"""

from typing import TYPE_CHECKING

from headcount.system.late import Late

if TYPE_CHECKING:
    import ibis as ibis
    from ibis.expr import datatypes as dt
    from ibis.expr import operations as ops
    from ibis.expr import types as ir


if not TYPE_CHECKING:
    ibis = Late("ibis")
    dt = Late("ibis.expr.datatypes")
    ops = Late("ibis.expr.operations")
    ir = Late("ibis.expr.types")

__all__ = ["dt", "ibis", "ir", "ops"]
