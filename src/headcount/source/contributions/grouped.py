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
BUCKETS = 1 << 19
"""People are counted by twice as many buckets of their hash: few enough for the memory of a task, enough that most have
few rows."""
MOST_BUCKETS = 1000
"""Most buckets without lists, those with the most rows: beyond them nobody has over a thousandth of all rows."""


def grouped(events: ir.Table, pairs: ir.Table, items: Sequence[str], *, once: bool) -> ir.Table:
    """(user, list, before, items, total, squares): the pairs of everybody, as lists or as rows; and of each person the
    number of pairs, the sum of their counts, and that of their squares."""
    buckets = _large_buckets(events) if engine_of(events).is_repeatable(events) else []
    if not buckets:
        return _lists(pairs, items, once=once)
    large = _bucket(pairs).isin(buckets)
    return _lists(pairs.filter(~large), items, once=once).union(_rows(pairs.filter(large), items, once=once))


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
    return ibis.struct({name: pairs[name] for name in (items if once else (*items, COUNT))})


def _lists(pairs: ir.Table, items: Sequence[str], *, once: bool) -> ir.Table:
    lists = {LIST: _pair(pairs, items, once=once).collect()}  # of distinct pairs: Spark 4.3 repeats collect(distinct)
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
    count = {COUNT: pair[COUNT] if COUNT in pair.names else ibis.literal(1, "int64")}
    others = [name for name in rows.columns if name not in (LIST, PLACE, BEFORE)]
    return rows.select(*others, **{name: pair[name] for name in items}, **count, **{PLACE: place})


def per_person(people: ir.Table, **columns: ir.Value) -> ir.Table:
    """(user, columns): select columns of people, and their pairs if they are there."""
    return people.select(USER, *(name for name in (LIST, BEFORE) if name in people.columns), **columns)


def each_once(people: ir.Table) -> ir.Table:
    """One row for each person."""
    return people.filter(people[BEFORE] == 0) if BEFORE in people.columns else people
