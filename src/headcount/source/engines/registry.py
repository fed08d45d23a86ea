"""The registry: an engine by its name, by an Ibis table, or by a frame of its own library.

A new engine is a file in this folder and a line in BUILT_IN; or, in another package, an entry point of the group
`headcount.engines` that names the class. Those are loaded only if no built-in engine fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

import pyarrow as pa

from headcount.errors import BadParameter, NotATable
from headcount.source.engines.engine import Engine
from headcount.source.engines.scan import Scan
from headcount.source.engines.sql_values import SqlValue
from headcount.source.expressions import ibis, ir

BUILT_IN = ("duckdb:DuckDB", "spark:Spark", "postgres:Postgres")
"""Module and class of the engines of this package; the first is the default of the command line."""
GROUP = "headcount.engines"
"""Entry points of other packages."""


def built_in() -> Iterator[Engine]:
    """Yield the engines of this package."""
    yield from map(_built_in, BUILT_IN)


@cache
def _built_in(place: str) -> Engine:
    """An engine of this package, imported when it is first looked at."""
    module, name = place.split(":")
    engine: Engine = getattr(import_module(f"headcount.source.engines.{module}"), name)()
    return engine


@cache
def _installed() -> tuple[Engine, ...]:
    """Engines of other packages."""
    return tuple(entry.load()() for entry in entry_points(group=GROUP))


def engines() -> Iterator[Engine]:
    """Yield all engines, built-in ones first."""
    yield from built_in()
    yield from _installed()


def _first(fits: Callable[[Engine], bool]) -> Engine | None:
    return next((engine for engine in engines() if engine.byte_exact and fits(engine)), None)


def engine_of(table: ir.Value | ir.Table | Scan | SqlValue) -> Engine:
    """Return the engine of a table, or of a value; refuse an Ibis backend that has none (NotATable)."""
    backend = "duckdb" if isinstance(table, Scan | SqlValue) else ibis.get_backend(table).name
    found = _first(lambda engine: engine.ibis_name == backend)
    if found is None:
        titles = " or ".join(engine.title for engine in engines())
        raise NotATable(f"an Ibis table on {backend}: not supported yet.", fix=f"one on {titles}, or a file")
    return found


def owner_of(data: object) -> Engine | None:
    """Return the engine whose own library made a frame; None if there is none."""
    return _first(lambda engine: engine.owns(data))


def engine_named(name: str, options: Mapping[str, object]) -> Engine:
    """Return the engine of this name; refuse unknown names, and options (not None) that only other engines have."""
    chosen = _first(lambda engine: engine.name == name and engine.reads_files)
    if chosen is None:
        raise BadParameter(
            f"engine={name}: unknown.",
            fix=", or ".join(f"engine={engine.name}" for engine in engines() if engine.reads_files),
        )
    for engine in engines():
        for option in engine.options:
            if option not in chosen.options and (value := options.get(option)) is not None:
                raise engine.misplaced(option, value, chosen)
    return chosen


def materialise(table: ir.Table, *, lazily: bool = False) -> AbstractContextManager[ir.Table]:
    """Materialise a table on its engine for the duration of the block (`Engine.materialise`)."""
    return engine_of(table).materialise(table, lazily=lazily)


def to_arrow(table: ir.Table | Scan) -> pa.Table:
    """Fetch a table's rows as Arrow (`Engine.to_arrow`)."""
    return engine_of(table).to_arrow(table)
