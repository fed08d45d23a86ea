"""The operations that headcount needs of an engine and that engines write differently: one list, from which an engine
is tried before a charge and the table of the documentation is made.

Whether a query computes them depends on rows (people above a bound are hashed, others are not), so a request that runs
on no rows may not reach one. `try_operations` computes all of them, on no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from headcount.source.engines.engine import Engine
from headcount.source.expressions import dt, ir


@dataclass(frozen=True)
class Operation:
    """An operation on one value, as a method of the protocol."""

    method: str
    """Name of the method of `Engine`."""
    title: str
    """What it computes, in the documentation."""
    example: Callable[[Engine, ir.Value], ir.Value]
    """Computes it for a text."""


OPERATIONS = (
    Operation("sha256", "SHA-256 of a text", lambda engine, text: engine.sha256(text)),
    Operation("extract", "part of a text by a pattern", lambda engine, text: engine.extract(text, "^([0-9]+)")),
    Operation("number", "text to number", lambda engine, text: engine.number(text)),
    Operation("decimal", "text to whole number", lambda engine, text: engine.decimal(text, dt.Decimal(38, 0))),
    Operation("moment", "text to date and time", lambda engine, text: engine.moment(text)),
    Operation("integer", "condition to 0 or 1", lambda engine, text: engine.integer(text == "1")),
)
"""The methods of the protocol under *Values*."""


def try_operations(engine: Engine, table: ir.Table) -> None:
    """Compute every operation on no rows of a table, joined to a list of ours. Raises what the engine raises."""
    rows = table.limit(0)
    text = rows.select(item=rows[rows.columns[0]].cast("string"))
    computed = text.mutate(**{each.method: each.example(engine, text["item"]) for each in OPERATIONS})
    with engine.memtable(pa.table({"item": ["1"]}), table) as listed:
        engine.to_arrow(computed.semi_join(listed, "item"))
