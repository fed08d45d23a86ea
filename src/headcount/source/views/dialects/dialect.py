"""What the dialect of an engine is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ibis.expr import datatypes as dt

Rule = Callable[..., str]
"""Writes a value or a relation: of a query, the value or relation, and the aliases of tables."""


@dataclass(frozen=True)
class Dialect:
    """How the steps of a view are written on one engine, and which of them it has."""

    title: str
    """Name of the engine in sentences."""
    holds: Callable[[dt.DataType], bool]
    """True for types that columns of a view may have. Columns of other types are left out of the tables."""
    check: Callable[[Any], None]
    """Refuses a proved expression with an operation that the dialect does not have (Refused)."""
    check_sql: Callable[[str, Any], None]
    """Refuses SQL with an operation that a row could make fail, or with a name that could stand for something else."""
    templates: Mapping[str, str]
    """Values whose parts are all values, by the class of the operation."""
    values: Mapping[str, Rule]
    """Other values."""
    relations: Mapping[type, Rule]
    """Relations."""
    aggregates: Mapping[str, str]
    """Aggregates, of one argument."""
    quote: str
    """What stands around names, and is doubled in them."""
    truth: str
    """A truth value as a number, to be added."""
    nulls_last: str
    """What puts missing values last, behind each key of an order; empty if a key before it must (DuckDB's default is a
    setting of the connection, and sqlglot drops NULLS LAST)."""
    comparisons_of_days: bool
    """True if a typed text that is compared with dates must be written as a date."""
