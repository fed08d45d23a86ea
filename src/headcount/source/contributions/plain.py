"""Contributions of rows that are counted as they are: no Ibis expression is made of them, unless one is needed.

Only for rows of files and frames in which nothing is done to the person or to the items (no conditions, bins or
amounts), so that all that is left of contributions.py is to drop rows that lack a value, or are of no public item
(`Scan.complete`). Numbering, bounding and noise are the same as of an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from headcount.source.contributions.contributions import (
    LARGEST_COUNT,
    USER,
    Contributions,
    ReadPlan,
    streamed,
)
from headcount.source.engines.scan import Scan
from headcount.source.scales.amounts import Numbers


@dataclass(frozen=True)
class PlainContributions:
    """Contributions that are not read yet."""

    rows: Scan
    items: tuple[str, ...]
    expressed: Callable[[], Contributions]
    """The same as expressions."""
    public: pa.Table | None
    """The items of which rows are read; None for all items."""
    once: bool
    """True if every count is 1."""
    numbers: Numbers | None
    """Numbers of the events, of which there are none; None if only items are counted."""

    @contextmanager
    def read(self, plan: ReadPlan) -> Iterator[Contributions]:
        """Read to the end for the duration of the block, as integers; as expressions if that cannot be."""
        expressed = cache(self.expressed)
        with ExitStack() as stack:
            rows = self.rows.complete((USER, *self.items), self.public)
            found = streamed(stack, rows, self.items, maximum=1 if self.once else LARGEST_COUNT, numbers=self.numbers)
            if found is None:
                yield stack.enter_context(expressed().read(plan))
            else:
                yield Contributions(
                    lambda: expressed().tables(), self.items, once=self.once, encoded=found, numbers=self.numbers
                )
