"""Each person's pairs as one row with a sorted list; of people with very many rows, each pair as a row of its own.

A list is held in memory by one task, a row is not: what sorts or counts rows of one person puts them on the disk when
they are too many. Which of both a person gets changes speed and memory, never a result: a pair's place among the
person's, and what the person has in all, stand beside it either way, and are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from headcount.source.contributions.columns import COUNT, USER, WIDE
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import whole_numbers

LIST = "list"
PLACE = "place"
BEFORE = "before"
"""Number of the person's pairs before those of a row: 0 in exactly one row of each person."""
BUCKET = "bucket"
MOST_ROWS = 1 << 20
"""People in a bucket of more rows than this have rows instead of lists."""
BUCKETS = 1 << 17
"""People are counted by twice as many buckets of their hash: few enough for the memory of a task, enough that most have
few rows."""
MOST_BUCKETS = 1000
"""Most buckets without lists, those with the most rows: beyond them nobody has over a thousandth of all rows."""


def split(events: ir.Table) -> tuple[ir.Table, ir.Table | None]:
    """Events of people who get a list, and of those who get rows, if there are any. What is another table each time it
    is read is not looked at beforehand."""
    buckets = _large_buckets(events) if engine_of(events).is_repeatable(events) else []
    if not buckets:
        return events, None
    large = _bucket(events).isin(buckets)
    return events.filter(~large), events.filter(large)


def grouped(listed: ir.Table, large: ir.Table | None, items: Sequence[str], *, once: bool) -> ir.Table:
    """(user, list, before, items, total, squares): pairs as lists, and the large people's as rows; and of each person
    the number of pairs, the sum of their counts, and that of their squares."""
    lists = _lists(listed, items, once=once)
    return lists if large is None else lists.union(_rows(large, items, once=once))


def is_distinct_in_lists(rows: ir.Table, items: Sequence[str], *, once: bool) -> bool:
    """True if lists may be made of events, and leave repeated ones out: quicker than a query of distinct pairs. Of
    structs and of floating-point numbers they do not, and people who were not looked at may have very many."""
    plain = len(items) == 1 and not rows[items[0]].type().is_floating()
    return once and plain and engine_of(rows).is_repeatable(rows)


def _bucket(rows: ir.Table) -> ir.Column:
    """From 1 - BUCKETS on: the remainder of a negative hash is negative."""
    return rows[USER].hash() % BUCKETS


def _large_buckets(events: ir.Table) -> list[int]:
    """Buckets of people with enough rows that one of them could have too many for a list. Of no rows, one: a rehearsal
    tries what some rows may need."""
    buckets = events.select(**{BUCKET: _bucket(events)})
    counted = buckets.group_by(BUCKET).agg(rows=buckets.count())
    largest = to_arrow(counted.order_by(counted["rows"].desc()).limit(MOST_BUCKETS))
    if not len(largest):
        return [0]
    found: list[int] = whole_numbers(largest[BUCKET])[whole_numbers(largest["rows"]) > MOST_ROWS].tolist()
    return found


def _pair(pairs: ir.Table, items: Sequence[str], *, once: bool) -> ir.Value:
    """The only item, or a struct."""
    names = items if once else (*items, COUNT)
    return pairs[names[0]] if len(names) == 1 else ibis.struct({name: pairs[name] for name in names})


def _lists(pairs: ir.Table, items: Sequence[str], *, once: bool) -> ir.Table:
    lists = {LIST: _pair(pairs, items, once=once).collect(distinct=is_distinct_in_lists(pairs, items, once=once))}
    found = pairs.group_by(USER).agg(**lists, **({} if once else sums(pairs)))
    size = {name: found[LIST].length() for name in ("items", "total", "squares")} if once else {}
    listed = found.mutate(**{LIST: found[LIST].sort(), BEFORE: ibis.literal(0, "int64")}, **size)
    return listed.select(USER, LIST, BEFORE, "items", "total", "squares")


def _rows(pairs: ir.Table, items: Sequence[str], *, once: bool) -> ir.Table:
    """A list of one pair for each: sums over a person's rows spill, a list of all of them does not."""
    upto = pairs.count().over(ibis.cumulative_window(group_by=USER, order_by=list(items)))
    size = {name: pairs.count() for name in ("items", "total", "squares")} if once else sums(pairs)
    every = {name: value.over(group_by=USER) for name, value in size.items()}
    return pairs.select(USER, **{LIST: ibis.array([_pair(pairs, items, once=once)]), BEFORE: upto - 1}, **every)


def sums(pairs: ir.Table) -> dict[str, ir.Value]:
    """Number of pairs, sum of counts, sum of squared counts."""
    return {
        "items": pairs.count(),
        "total": pairs[COUNT].sum().cast(WIDE),
        "squares": (pairs[COUNT] * pairs[COUNT]).cast(WIDE).sum(),
    }


def ungrouped(people: ir.Table, items: Sequence[str]) -> ir.Table:
    """One row per pair again, with the person's other columns and the pair's place, from 1."""
    rows = people.unnest(LIST, offset=PLACE)
    pair, place = rows[LIST], rows[BEFORE] + rows[PLACE] + 1
    columns = {name: pair[name] for name in pair.names} if isinstance(pair, ir.StructColumn) else {items[0]: pair}
    others = [name for name in rows.columns if name not in (LIST, PLACE, BEFORE)]
    once = {COUNT: ibis.literal(1, "int64")}
    return rows.select(*others, **(columns if COUNT in columns else columns | once), **{PLACE: place})


def per_person(people: ir.Table, **columns: ir.Value) -> ir.Table:
    """(user, columns): select columns of people, and their pairs if they are there."""
    return people.select(USER, *(name for name in (LIST, BEFORE) if name in people.columns), **columns)


def each_once(people: ir.Table) -> ir.Table:
    """One row for each person."""
    return people.filter(people[BEFORE] == 0) if BEFORE in people.columns else people
