"""Contributions (user, item, count): one row per person and item, on the engine that holds the table.

The only way from rows to contributions. A row without a person or without an item is dropped silently: the number of
such rows is never shown. A floating-point person that is not a number is no person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import pyarrow as pa

from headcount.source.contributions.columns import COUNT as COUNT
from headcount.source.contributions.columns import USER as USER
from headcount.source.contributions.columns import WIDE as WIDE
from headcount.source.contributions.encoded import EncodedPairs, encode_pairs
from headcount.source.contributions.grouped import LIST, grouped, is_distinct_in_lists, split, sums, ungrouped
from headcount.source.contributions.streamed import stream_pairs, streamable
from headcount.source.engines.registry import engine_of, materialise
from headcount.source.engines.scan import Scan
from headcount.source.expressions import ibis, ir
from headcount.source.kernels.numbering import TooMany
from headcount.source.scales.amounts import AMOUNT, GRID, LARGEST_AMOUNT, Numbers, amount, plain_number
from headcount.source.scales.axis import Axis
from headcount.source.scales.binning import Binning
from headcount.source.schema import item_names, item_type

LARGEST_COUNT = 1_000_000
"""A person's count of one item is clipped to this, which is also the largest bound: products stay far below 2^53."""


@dataclass(frozen=True)
class ReadPlan:
    """What an engine materialises while contributions are read. It changes speed and memory, never a result."""

    people: bool = False
    """Materialise the people as well: they are counted themselves."""
    encoded: bool = False
    """Read pairs as integers, if there are events and the engine is in this process."""
    reread: bool = False
    """With `encoded`: read the events several times instead of materialising them."""
    single_pass: bool = False
    """Pairs are read only once: do not materialise them."""


@dataclass(frozen=True)
class Tables:
    """Contributions as expressions."""

    pairs: ir.Table
    """user, item0, item1, ..., count; each (user, items) once; and the amount, if there is one."""
    people: ir.Table
    """user, total: everybody in the table once, with a total of 1; also people who have none of the keys."""


@dataclass(frozen=True)
class Contributions:
    """Contributions that are not yet bounded: nothing here may be shown."""

    tables: Callable[[], Tables]
    """Returns them as expressions, which are not made before they are needed."""
    items: tuple[str, ...]
    """Names of the item columns: item0, item1, ..."""
    once: bool = False
    """True if every count is 1."""
    measured: ir.Table | None = None
    """`persons`, if it is materialised."""
    events: ir.Table | None = None
    """user, item0, item1, ...: one row per event, before aggregation to pairs; None if pairs hold more than that."""
    encoded: EncodedPairs | None = None
    """The pairs as integers, if they are read so."""
    keys: ir.Table | None = None
    """Memtable of public items that the table is joined to."""
    numbers: Numbers | None = None
    """Numbers of the events, whose amounts and cells are measured; None if there are none, or these are computed."""

    @property
    def table(self) -> ir.Table:
        """user, item0, item1, ..., count: one row per pair."""
        assert self.encoded is None, "what was read as integers is not read again: rows may have changed"
        return self.tables().pairs

    @property
    def people(self) -> ir.Table:
        """user, total: everybody, with a total of 1."""
        return self.tables().people

    def is_text(self, item: str) -> bool:
        """True if a column of items is text."""
        if self.encoded is not None:
            return bool(pa.types.is_string(self.encoded.items.schema.field(item).type))
        return bool(self.table[item].type().is_string())

    @property
    def persons(self) -> ir.Table:
        """user, items, total, squares: number of items, sum of counts and sum of squared counts of each person; and
        their list of pairs, if the engine groups pairs."""
        return _persons(self) if self.measured is None else self.measured

    @property
    def amounts(self) -> ir.Table:
        """user, item0, item1, ..., amount0, cell0, ...: one row per event; NULL where it has no number."""
        assert self.events is not None, "amounts are those of events"
        return self.events if self.numbers is None else self.numbers.on_engine(self.events)

    def of(self, people: ir.Table) -> ir.Table:
        """user, item0, item1, ..., count: the pairs of these people, with their other columns; and, if the engine
        groups pairs, an item's place among the person's, from 1."""
        return ungrouped(people, self.items) if LIST in people.columns else self.table.join(people, USER)

    @contextmanager
    def read(self, plan: ReadPlan | None = None) -> Iterator[Contributions]:
        """Read to the end and materialise by plan for the duration of the block: later queries read no row again."""
        plan, engine = plan or ReadPlan(), engine_of(self.table)
        with (
            engine.dropping(self.keys, self.table),
            materialise(self.people) if plan.people else nullcontext(self.people) as people,
        ):
            done = self._with(self.table, people)
            with ExitStack() as stack:
                pairs = done._encoded(stack, plan) if plan.encoded else None
                if pairs is not None:
                    yield replace(done, encoded=pairs)
                elif plan.single_pass:
                    yield done
                else:
                    yield stack.enter_context(done._materialised())

    @contextmanager
    def _materialised(self) -> Iterator[Contributions]:
        engine = engine_of(self.table)
        if self.numbers is not None and self.events is not None:
            with engine.materialise(self.amounts, lazily=True) as rows:
                engine.check_result_size(rows.select(*self.items))
                yield replace(self._with(_once_each(rows, self.items)), events=rows, numbers=None)
            return
        if engine.groups_pairs and self.events is not None:
            listed, large = split(self.events)
            with (
                engine.partitioned(listed, USER) as rows,
                engine.materialise(self._grouped(rows, large), lazily=True, partitioned=large is None) as persons,
            ):
                pairs = ungrouped(persons, self.items).select(USER, *self.items, COUNT)
                engine.check_result_size(pairs.select(*self.items))
                yield replace(self._with(pairs), measured=persons)
            return
        with (
            engine.materialise(self.table, lazily=True) as pairs,
            engine.materialise(_persons(self._with(pairs))) as measured,
        ):
            engine.check_result_size(pairs.select(*self.items))
            yield replace(self._with(pairs), measured=measured)

    def _grouped(self, rows: ir.Table, large: ir.Table | None) -> ir.Table:
        pairs = partial(_pairs, items=self.items, once=self.once)
        listed = rows if is_distinct_in_lists(rows, self.items, once=self.once) else pairs(rows)
        return grouped(listed, None if large is None else pairs(large), self.items, once=self.once)

    def _encoded(self, stack: ExitStack, plan: ReadPlan) -> EncodedPairs | None:
        """Pairs as integers in this process, until the stack ends; None if they stay on the engine."""
        if self.events is None or not (engine := engine_of(self.events)).fetches(self.events):
            return None
        maximum = 1 if self.once else LARGEST_COUNT
        found = streamed(stack, self.events, self.items, maximum=maximum, numbers=self.numbers)
        if found is None and engine.in_process:
            rows = stack.enter_context(nullcontext(self.events) if plan.reread else materialise(self.events))
            return stack.enter_context(encode_pairs(rows, USER, self.items, maximum=maximum, numbers=self.numbers))
        return found

    def only(self, table: ir.Table) -> Contributions:
        """Replace the pairs, with the same people."""
        return replace(self._with(table), measured=None, events=None, encoded=None)

    def _with(self, pairs: ir.Table, people: ir.Table | None = None) -> Contributions:
        """Replace the pairs, and the people if they are given."""
        tables = Tables(pairs, self.people if people is None else people)
        return replace(self, tables=lambda: tables)


def streamed(
    stack: ExitStack, events: ir.Table | Scan, items: Sequence[str], *, maximum: int, numbers: Numbers | None
) -> EncodedPairs | None:
    """Pairs that are numbered in this process, until the stack ends; None if they cannot be."""
    if not streamable(events, USER, items):
        return None
    with suppress(TooMany, MemoryError, OSError):  # the last is what a batch of more text than Arrow holds is
        pairs = stream_pairs(events, USER, items, maximum=maximum, numbers=numbers)
        return stack.enter_context(pairs)
    return None


def _persons(of: Contributions) -> ir.Table:
    grouped = of.table.group_by(USER)
    if of.once:
        found = grouped.agg(items=lambda rows: rows.count())
        return found.mutate(total=found["items"], squares=found["items"])
    return grouped.agg(**sums(of.table))


def contributions(
    table: ir.Table,
    bins: Sequence[Binning | None],
    *,
    events: bool,
    keys: pa.Table | None,
    everybody: ir.Table | None = None,
    amounts: bool = False,
    scales: Sequence[Axis | None] | None = None,
    single: bool = True,
) -> Contributions:
    """Aggregate a table to contributions: counts of events, or 1 each unless `events`; only items in `keys`, if given.

    The table's first column is the person, the others make the item, each with its bins, if any; the last one is an
    amount, with `amounts`; the last ones are amounts to be measured, each on its public scale, if it has one, with
    `scales`, one by one if `single`. `everybody` is the table of all people, if it is another one."""
    user, *by = (table[name] for name in table.columns)
    added = {AMOUNT: amount(by.pop())} if amounts else _numbers(by, scales or ())
    items = item_names(len(by))
    plain = [plain_item(column) for column in by]
    values = [column if each is None else each.index(column) for column, each in zip(plain, bins, strict=True)]
    every = table.select(**{USER: _person(user)}, **dict(zip(items, values, strict=True)), **added)
    rows = every.drop_null() if scales is None else every.drop_null([USER, *items])
    # user, item0, ...: one row per event, also without a number that is measured
    listed = None if keys is None else ibis.memtable(keys)
    if listed is not None:
        rows = rows.semi_join(listed, items)
    if amounts:
        pairs = rows.group_by(USER, *items).agg(**_once(), **{AMOUNT: _sum_of_amounts(rows[AMOUNT])})
    else:
        pairs = _pairs(rows, items, once=not events)
    # user, item0, ..., count: one row per pair
    there = _everybody(table if everybody is None else everybody)
    numbers, once = None if scales is None else Numbers(tuple(scales), single), amounts or not events
    tables = Tables(pairs, there)
    return Contributions(
        lambda: tables, items, once=once, events=None if amounts else rows, keys=listed, numbers=numbers
    )


def _once() -> dict[str, ir.Value]:
    """A count of 1."""
    return {COUNT: ibis.literal(1, "int64")}


def _pairs(rows: ir.Table, items: Sequence[str], *, once: bool) -> ir.Table:
    """(user, items, count): pairs with the number of their events, or with 1."""
    if once:
        return _once_each(rows, items)
    return rows.group_by(USER, *items).agg(**{COUNT: ibis.least(rows.count(), LARGEST_COUNT).cast("int64")})


def _once_each(rows: ir.Table, items: Sequence[str]) -> ir.Table:
    """(user, items, count): every pair once."""
    return rows.select(USER, *items).distinct().mutate(**_once())


def _numbers(by: list[ir.Column], scales: Sequence[Axis | None]) -> dict[str, ir.Column]:
    """The last columns, taken from the list: numbers, or NULL."""
    columns = [by.pop() for _ in scales][::-1]
    return {name: plain_number(column) for name, column in zip(Numbers(tuple(scales)).names, columns, strict=True)}


def _sum_of_amounts(parts: ir.Column) -> ir.Column:
    """Sum of a person's amounts, clipped to [0, LARGEST_AMOUNT]. Integers have the same sum in any order."""
    whole = parts.cast(WIDE).sum().cast(WIDE)
    return ibis.greatest(ibis.least(whole, LARGEST_AMOUNT * GRID), 0).cast(WIDE).cast("int64")


def _everybody(table: ir.Table) -> ir.Table:
    people = table.select(**{USER: _person(table[table.columns[0]])}).drop_null().distinct()
    return people.mutate(total=ibis.literal(1, "int64"))


def _person(column: ir.Column) -> ir.Column:
    """A person's id with one spelling: -0.0 becomes 0.0, and NaN is nobody."""
    if isinstance(column, ir.FloatingColumn):
        return ibis.ifelse(column.isnan(), None, column.cast("float64") + 0.0)
    return plain_item(column)


def spelled(user: ir.Column) -> ir.Column:
    """A person's id as text to be hashed, the same on every engine. Integers are written as such, whatever the type of
    the column; engines write other fractions differently, so these are rounded down to 1/GRID. Two people may share a
    text: privacy does not rest on it."""
    kind = user.type()
    if not (kind.is_floating() or (kind.is_decimal() and kind.scale)):
        return user.cast("string")
    number = user.cast("float64")
    whole, parts = _floor(number), _floor(_within(number) * float(GRID))  # no product overflows
    return ibis.ifelse(number == whole.cast("float64"), whole.cast("string"), parts.cast("string"))


def _floor(number: ir.Column) -> ir.Column:
    """Floor, clipped to 63 bits."""
    return _within(number).floor().cast("int64")


def _within(number: ir.Column) -> ir.Column:
    """A number, clipped to 63 bits."""
    return ibis.greatest(ibis.least(number, float(2**62)), -float(2**62))


def plain_item(column: ir.Column) -> ir.Column:
    """Items that every engine and file format can hold: dates and timestamps of the years 1 to 9999, to the
    microsecond, and integers of up to 38 digits. Others become NULL."""
    kind = column.type()
    if kind.is_decimal() and kind.precision == 38:  # DuckDB's HUGEINT, which has 39
        return engine_of(column).decimal(column.cast("string"), kind)
    if not (kind.is_timestamp() or kind.is_date()):
        return column
    years = (1678, 2261) if kind.is_timestamp() and kind.scale == 9 else (1, 9999)
    ends = datetime(years[0], 1, 2), datetime(years[1], 12, 30)
    first, last = (ibis.literal(end.date() if kind.is_date() else end).cast(kind) for end in ends)
    return ibis.ifelse((column > first) & (column < last), column, None).cast(item_type(kind))
