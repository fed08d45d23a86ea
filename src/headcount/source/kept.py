"""What an engine keeps for us meanwhile, and gives up afterwards: Ibis does not do this alike on every engine. So here
is a branch for each."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Any

import ibis
import pyarrow as pa
from ibis.expr import types as ir

from headcount.source import spark
from headcount.source.engine import halted


@contextmanager
def kept(table: ir.Table, *, later: bool = False) -> Iterator[ir.Table]:
    """The table as one that the engine has of its own, meanwhile; if that is enough, from `later` on, when it is first
    asked for."""
    if on_spark(table):
        with spark.kept(table, later=later) as found:
            yield found
        return
    engine, name = ibis.get_backend(table), f"headcount_{token_hex(8)}"
    try:
        with halted(engine):
            yield engine.create_table(name, table, temp=True)
    finally:
        engine.raw_sql(f'DROP TABLE IF EXISTS "{name}"')  # Ibis 12 forgets the name


def check_room(table: ir.Table) -> None:
    """All of these rows, each once, could come back from the engine."""
    if on_spark(table):
        spark.check_room(spark.frame_of(table))


@contextmanager
def listed(rows: pa.Table, among: ir.Table) -> Iterator[ir.Table]:
    """A list of ours that can be joined to a table; afterwards nothing of it is left on that table's engine."""
    found = ibis.memtable(rows)
    with forgotten(found, among):
        yield found


@contextmanager
def forgotten(listed: ir.Table | None, among: ir.Table) -> Iterator[None]:
    """Afterwards nothing of a list of ours, if there is one, is left on the engine of another table."""
    try:
        yield
    finally:
        if listed is not None:
            with suppress(Exception):  # what was drawn is not drawn again for this
                _forget(listed.op().name, ibis.get_backend(among))


def _forget(name: str, engine: Any) -> None:
    if engine.name == spark.NAME:
        spark.forget(engine, name)
    else:
        engine.con.unregister(name)


def on_spark(table: ir.Table) -> bool:
    """Whether Spark holds the table."""
    return bool(ibis.get_backend(table).name == spark.NAME)
