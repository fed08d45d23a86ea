"""Contributions of rows that are counted as they are: no Ibis expression is made of them, unless one is needed.

Only for rows of files and frames in which nothing is done to the person or to the items, but that a number becomes a
cell (no conditions, bins or sums of pairs), so that all that is left of contributions.py is to drop rows that lack a
value, or are of no public item (`Scan.complete`), and to read amounts as numbers. Numbering, bounding and noise are the
same as of an expression.
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
from headcount.source.scales.amounts import Numbers, plain_number


@dataclass(frozen=True)
class PlainContributions:
    """Contributions that are not read yet."""

    rows: Scan
    """A person, what makes the items, and amounts, if they are measured."""
    items: tuple[str, ...]
    expressed: Callable[[], Contributions]
    """The same as expressions."""
    public: pa.Table | None
    """The items of which rows are read; None for all items."""
    once: bool
    """True if every count is 1."""
    numbers: Numbers | None
    """Numbers of the events; None if only items are counted."""

    @contextmanager
    def read(self, plan: ReadPlan) -> Iterator[Contributions]:
        """Read to the end for the duration of the block, as integers; as expressions if that cannot be."""
        expressed = cache(self.expressed)
        with ExitStack() as stack:
            found = streamed(
                stack, self.events, self.items, maximum=1 if self.once else LARGEST_COUNT, numbers=self.numbers
            )
            if found is None:
                yield stack.enter_context(expressed().read(plan))
            else:
                yield Contributions(
                    lambda: expressed().tables(), self.items, once=self.once, encoded=found, numbers=self.numbers
                )

    @property
    def events(self) -> Scan:
        """user, item0, ..., raw0, ...: the rows that are counted."""
        columns = [self.rows[name] for name in self.rows.columns]
        counted = len(self.items) + 1
        names = () if self.numbers is None else self.numbers.names
        measured = dict(zip(names, map(plain_number, columns[counted:]), strict=True))
        rows = self.rows.select(**dict(zip((USER, *self.items), columns[:counted], strict=True)), **measured)
        return rows.complete((USER, *self.items), self.public)
