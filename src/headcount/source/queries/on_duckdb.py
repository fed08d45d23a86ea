"""Queries on DuckDB: Ibis tables and relations."""

from collections.abc import Iterator
from typing import Any

from ibis.expr import types as ir

from headcount.source.queries import ibis
from headcount.source.queries.catalog import SYSTEM, Ask, Catalog
from headcount.source.queries.duckdb_sql import Name
from headcount.source.queries.step import Step, fallible, worst

FAIL_BY_A_ROW = ("integer_division", "old_implicit_casting")
"""Settings with which divisions and functions fail on some values."""


class _Names:
    """The names of a connection, as Ibis has them."""

    def __init__(self, ask: Ask) -> None:
        self._catalog = Catalog(ask)
        self.functions = self._catalog.functions
        self.macro = self._catalog.macro

    def table(self, node: Any) -> Iterator[Step]:
        return self._catalog.table(_name(node))

    def stored(self, node: Any) -> Name | None:
        return self._catalog.stored(_name(node))

    def text(self, query: str) -> Iterator[Step]:
        return iter(self._catalog.text(query))


def _name(node: Any) -> Name:
    return node.namespace.catalog or "", node.namespace.database or "", node.name


def names_of(ask: Ask) -> ibis.Names:
    """Return what names in an Ibis expression stand for; `ask` evaluates SQL on its connection."""
    return _Names(ask)


def collates(table: Any, ask: Ask) -> bool:
    """True if a column of a stored table may compare text in another way than byte by byte."""
    return Catalog(ask).collates(_name(table))


def is_view(table: Any, ask: Ask) -> bool:
    """True if a name stands for a view of the database."""
    return Catalog(ask).is_view(_name(table))


def step_of_table(table: ir.Table, ask: Ask) -> Step | None:
    """Return what in an Ibis expression is not row by row; `ask` evaluates SQL on its connection."""
    return ibis.step_of(table, names_of(ask))


def step_of_relation(relation: Any) -> Step | None:
    """Return what in a DuckDB relation is not row by row."""

    def ask(expression: str) -> Any:  # a relation does not expose its connection: an empty result of its own
        return relation.filter("false").aggregate(f"{expression} AS found, {SYSTEM}count_star()").fetchall()[0][0]

    settings = (fallible(f"a connection with {name}") for name in FAIL_BY_A_ROW if ask(f"current_setting('{name}')"))
    return worst([*Catalog(ask).text(relation.sql_query()), *settings])
