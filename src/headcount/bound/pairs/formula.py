"""Formulas of which boundings are made. A formula takes columns and returns a column: NumPy arrays of a chunk of
people (encoded_pairs.py), or expressions of an engine (engine_pairs.py). With the operations of arithmetic.py it is
written once, and gives the same integers on both."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Share = Callable[[Any, Any], Any]
"""Formula of what a person adds to an item, in units, from their sum of squared counts and their count of the item."""
Measure = Literal["items", "total", "squares"]
"""What is bounded of a person: their number of items, the sum of their counts, or of their squared counts."""


@dataclass(frozen=True)
class Above:
    """Pairs of people above a bound, as columns."""

    count: Any
    """Count of each pair."""
    size: Any
    """The person's measure, which is above the bound."""
    upto: Any = None
    """Of a sample: sum of the person's counts up to and including each pair, in the order of their items."""
    start: Any = None
    """Of a sample: a keyed hash of the person, below their size."""


@dataclass(frozen=True)
class Excess:
    """What is cut from people above a bound."""

    measure: Measure
    max_items: int
    """The bound on the measure."""
    of: Callable[[Above], Any]
    """Formula of the excess of each pair, in units."""
    unit: int = 1
    """Units per count."""
    secret: bytes | None = None
    """Key of the hash, if the formula is one of a sample."""


class Division(Protocol):
    """How a person's weight is divided between items that are shown and others."""

    def of_shown(self, shown: Any) -> Any:
        """Units for each shown item of a person who has this many of them."""

    def of_others(self, shown: Any, others: Any) -> Any:
        """Units for each of the other items of a person who has this many."""
