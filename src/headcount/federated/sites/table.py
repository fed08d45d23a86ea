"""Table of a site's people: any table that headcount reads, with a column of people and one of items.

Invariants:

- a person is one value of the column of people, whatever the number of their rows; rows without a person or without an
  item are dropped;
- what one person adds to the counts is 1 for at most `items` different items, and what is kept of them depends on their
  own rows and the secret alone;
- no item is too long for a message: a longer one is dropped. A file that cannot be read (text in Parquet that is not
  UTF-8) makes a site fail, as it does any release;
- what fails while rows are read says nothing of the rows.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headcount.bound import SampledItems
from headcount.errors import BadParameter, HeadcountError, ReadingFailed
from headcount.exact import Integers
from headcount.federated.terms import ITEM, MAX_ITEM_BYTES
from headcount.source import Contributions, Events, contributions, open_events, watch
from headcount.source.contributions.contributions import USER, ReadPlan, spelled
from headcount.source.engines.limits import Limits
from headcount.source.engines.registry import to_arrow
from headcount.source.events import check_limits
from headcount.source.expressions import ibis, ir
from headcount.source.reading import reading
from headcount.source.schema import check_kinds
from headcount.source.table import declared

COLUMN = "item0"
"""Name of the column of items, once it is read."""


@dataclass(frozen=True)
class SiteTable:
    """Table of a site, opened by its schema."""

    events: Events
    limits: Limits
    user: str
    by: str

    def counts(self, keys: Sequence[str], items: int, secret: bytes) -> Integers:
        """For each key how many people have it, of each of whom at most `items` keys count."""
        listed, bounding = pa.table({COLUMN: pa.array(keys, pa.string())}), SampledItems(items)
        plan = ReadPlan(encoded=bounding.by_number, reread=self.events.cheap_to_reread)
        with self._read(plan, listed) as pairs:
            return bounding.bound(pairs, secret, listed).totals

    def people(self) -> dict[str, list[str]]:
        """Everybody's different items, by the person's id as text; also of those who have none."""
        self._check_spelled(self.user)
        with self._read(ReadPlan(people=True)) as pairs:
            found = to_arrow(_people_and_items(pairs))
        people: dict[str, list[str]] = {}
        for person, item in zip(found[USER].to_pylist(), found[COLUMN].to_pylist(), strict=True):
            items = people.setdefault(person, [])
            if item is not None and ITEM.allows(item):
                items.append(item)
        return people

    @contextmanager
    def _read(self, plan: ReadPlan, keys: pa.Table | None = None) -> Iterator[Contributions]:
        """The pairs of people and items, read to their end."""
        with _unquoted(self.events.name):
            check_unchanged = watch(self.events)
            rows = self.events.table()
            pairs = contributions(_with_text(rows), [None], events=False, keys=keys)
            limits = self.limits if self.events.owns_engine else None
            with reading(rows, limits), pairs.read(plan) as ready:
                yield ready
            check_unchanged()

    def _check_spelled(self, column: str) -> None:
        """Refuse a column whose values are not spelled alike everywhere."""
        kind = self.events.columns[column]
        if not (kind.is_string() or kind.is_integer()):
            raise BadParameter(
                f"column {column!r} holds {kind}: messages have texts and whole numbers.",
                fix="a table in which it is a column of text",
            )


def open_table(data: Any, user: str, by: str) -> SiteTable:
    """Open a table by its schema, and check its columns."""
    for name, column in (("user", user), ("by", by)):
        if not isinstance(column, str):
            raise BadParameter(f"{name}: the name of one column is needed.", fix=f'{name}="{name}"')
    given = declared(data)
    events = open_events(given.data, (user, by), given.name, None, given.promise)
    check_limits(given.data, events, given.limits)
    check_kinds(events.columns, user, (by,), {})
    table = SiteTable(events, given.limits, user, by)
    table._check_spelled(by)
    return table


def _with_text(rows: ir.Table) -> ir.Table:
    """The rows with their items as text."""
    item = rows.columns[1]
    return rows if rows[item].type().is_string() else rows.mutate(**{item: rows[item].cast("string")})


def _people_and_items(pairs: Contributions) -> ir.Table:
    """(user, item0): a row for each of a person's items; one without an item for a person who has none, and for one
    that has more characters than a message can have bytes, so that no long text leaves the engine."""
    joined = pairs.people.left_join(pairs.table.select(USER, COLUMN), USER)
    item = joined[COLUMN]
    short = ibis.ifelse(item.length() <= MAX_ITEM_BYTES, item, ibis.null("string"))
    return joined.select(**{USER: spelled(joined[USER]), COLUMN: short})


@contextmanager
def _unquoted(name: str) -> Iterator[None]:
    """Whatever fails in the block says only that: what an engine says may quote a row."""
    try:
        yield
    except HeadcountError:
        raise
    except Exception:
        raise ReadingFailed(
            f"{name}: the rows could not be read to their end. Nothing was sent, and the round is not answered.",
            fix="read the table with its own engine to see why; then answer again",
        ) from None
