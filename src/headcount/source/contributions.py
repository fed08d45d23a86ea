"""(user, item, count): what each person did, one row for each person and item, on the engine that holds the table.

The one way from rows to contributions. A row without a person or without an item is left out, silently: how many
there were is never told. A floating-point person that is not a number is no person.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime

import ibis
import pyarrow as pa
from ibis.expr import datatypes as dt
from ibis.expr import types as ir

from headcount.errors import BadParameter, UnknownColumn
from headcount.source.binning import Bins, binned, check_binned
from headcount.source.binning import number as as_number
from headcount.source.cells import text_of
from headcount.source.fetched import fetched
from headcount.source.kept import check_room, forgotten, kept, on_spark
from headcount.source.numbered import Numbered, numbered

USER = "user"
COUNT = "count"
AMOUNT = "amount"
GRID = 1024
"""Amounts are added up in so many parts of one, each rounded down."""
LARGEST_AMOUNT = 10**12
"""Amounts lie between this and its negative; what is beyond counts as this."""
LARGEST_COUNT = 1_000_000
"""A person's count of one item stops here, which is also the largest bound: products stay far below 2^53."""
WIDE = "decimal(38, 0)"
"""A sum has more than 64 bits on some engines, whatever it is called: as a decimal it is the same on all."""
LIST = "list"
PLACE = "place"
ONCE = {COUNT: ibis.literal(1, "int64")}


@dataclass(frozen=True)
class Contributions:
    """Who did what how often, not yet bounded: nothing of it may be shown."""

    table: ir.Table
    """user, item0, item1, ..., count; each (user, items) once; and the amount, if there is one."""
    items: tuple[str, ...]
    """The names of the item columns: item0, item1, ..."""
    people: ir.Table
    """user, total: everybody in the table, each once, with a total of 1; also who has none of the keys."""
    once: bool = False
    """Whether every count is 1."""
    measured: ir.Table | None = None
    """`persons`, if the engine keeps it."""
    events: ir.Table | None = None
    """user, item0, item1, ...: a row for each event, before it became pairs; None if that is not all there is."""
    numbers: Numbered | None = None
    """The same as numbers, if that is how it was read."""
    keys: ir.Table | None = None
    """The list of items that it was joined to."""

    @property
    def persons(self) -> ir.Table:
        """user, items, total, squares: how many items each person has, and what their counts and the squares of these
        add up to. And the pairs themselves, if that is how the engine keeps them."""
        return _persons(self) if self.measured is None else self.measured

    def of(self, people: ir.Table) -> ir.Table:
        """user, item0, item1, ..., count: the pairs of these people, with what is told of them; and an item's place
        among theirs, from 1, if that is known."""
        return _unlisted(people, self.items) if LIST in people.columns else self.table.join(people, USER)

    @contextmanager
    def read(
        self, *, everybody: bool = False, by_number: bool = False, again: bool = False, once: bool = False
    ) -> Iterator["Contributions"]:
        """The same, read to its end and kept meanwhile: what is computed of it reads nothing again; of the people only
        if `everybody` is needed. `by_number` as numbers alone, if there are events and they need not leave this
        process; `again` if reading them several times costs less than keeping them. If pairs are looked at only `once`,
        they are not kept."""
        with (
            forgotten(self.keys, self.table),
            kept(self.people) if everybody else nullcontext(self.people) as people,
        ):
            done = replace(self, people=people)
            if by_number and self.events is not None and not on_spark(self.table):
                with done._numbered(self.events, again=again) as found:
                    yield found
            else:
                with nullcontext(done) if once else done._kept() as found:
                    yield found

    @contextmanager
    def _kept(self) -> Iterator["Contributions"]:
        if on_spark(self.table) and self.events is not None:
            with kept(_listed(self, self.events), later=True) as persons:
                pairs = _unlisted(persons, self.items).select(USER, *self.items, COUNT)
                check_room(pairs.select(*self.items))
                yield replace(self, table=pairs, measured=persons)
            return
        with kept(self.table, later=True) as pairs, kept(_persons(replace(self, table=pairs))) as measured:
            check_room(pairs.select(*self.items))
            yield replace(self, table=pairs, measured=measured)

    @contextmanager
    def _numbered(self, events: ir.Table, *, again: bool) -> Iterator["Contributions"]:
        with (
            nullcontext(events) if again else kept(events) as rows,
            numbered(rows, USER, self.items, most=1 if self.once else LARGEST_COUNT) as numbers,
        ):
            yield replace(self, numbers=numbers)

    def listed(self, names: Sequence[str]) -> pa.Table:
        """What items there are, by some of their columns."""
        if self.numbers is not None:
            return self.numbers.items.select(list(names))
        return fetched(self.table.select(*names).distinct())

    def only(self, table: ir.Table) -> "Contributions":
        """The same people with other pairs."""
        return replace(self, table=table, measured=None, events=None, numbers=None)


def _persons(of: Contributions) -> ir.Table:
    grouped = of.table.group_by(USER)
    if of.once:
        found = grouped.agg(items=lambda rows: rows.count())
        return found.mutate(total=found["items"], squares=found["items"])
    return grouped.agg(**_sums(of.table))


def _sums(pairs: ir.Table) -> dict[str, ir.Value]:
    """How many pairs, and what their counts and the squares of these add up to."""
    return {
        "items": pairs.count(),
        "total": pairs[COUNT].sum().cast(WIDE),
        "squares": (pairs[COUNT] * pairs[COUNT]).cast(WIDE).sum(),
    }


def _listed(of: Contributions, events: ir.Table) -> ir.Table:
    """`persons`, with each person's pairs in one row, in the order of the items: whatever is computed of a person needs
    no other row."""
    if of.once:
        pairs = ibis.struct({name: events[name] for name in of.items})
        found = events.group_by(USER).agg(**{LIST: pairs.collect(distinct=True)})
        size = found[LIST].length()
        return found.mutate(**{LIST: found[LIST].sort()}, items=size, total=size, squares=size)
    pairs = ibis.struct({name: of.table[name] for name in (*of.items, COUNT)})
    found = of.table.group_by(USER).agg(**{LIST: pairs.collect()}, **_sums(of.table))
    return found.mutate(**{LIST: found[LIST].sort()})


def _unlisted(people: ir.Table, items: Sequence[str]) -> ir.Table:
    """A row for each pair again."""
    rows = people.unnest(LIST, offset=PLACE)
    pair = rows[LIST]
    counts = {COUNT: pair[COUNT]} if COUNT in pair.names else ONCE
    told = [name for name in rows.columns if name not in (LIST, PLACE)]
    return rows.select(*told, **{name: pair[name] for name in items}, **counts, **{PLACE: rows[PLACE] + 1})


def told_of(people: ir.Table, **told: ir.Value) -> ir.Table:
    """(user, ...): what is told of people instead; and their pairs, if these are there."""
    return people.select(USER, *([LIST] if LIST in people.columns else []), **told)


def item_names(count: int) -> tuple[str, ...]:
    """What item columns are called."""
    return tuple(f"item{place}" for place in range(count))


def check_kinds(columns: Mapping[str, dt.DataType], user: str, by: Sequence[str], bins: Mapping[str, Bins]) -> None:
    """Columns of kinds that can be a person, an item, or a value to bin."""
    if not (_countable(columns[user]) or columns[user].is_floating()):
        raise UnknownColumn(f"column {user!r} holds {columns[user]}: not a person's id.", fix="numbers or text")
    for column in by:
        kind = columns[column]
        if column in bins:
            check_binned(column, kind, bins[column])
        elif kind.is_floating():
            raise UnknownColumn(
                f"column {column!r} holds {kind}: numbers with a fraction are rarely equal.",
                fix="bins=[0, 10, 100], or a column of whole numbers",
            )
        elif not _countable(kind):
            raise UnknownColumn(f"column {column!r} holds {kind}: not an item.", fix="numbers, text or dates")


def check_amount(column: str, kind: dt.DataType) -> None:
    """A column of numbers, or of text that is tried as numbers."""
    if not (kind.is_numeric() or kind.is_boolean() or kind.is_string()):
        raise UnknownColumn(f"column {column!r} holds {kind}: not an amount.", fix="sum: a column of numbers")


def _countable(kind: dt.DataType) -> bool:
    return any(
        (kind.is_integer(), kind.is_string(), kind.is_boolean(), kind.is_decimal(), kind.is_date(), kind.is_timestamp())
    )


def contributions(
    table: ir.Table,
    bins: Sequence[Bins | None],
    *,
    events: bool,
    keys: pa.Table | None,
    everybody: ir.Table | None = None,
    amounts: bool = False,
) -> Contributions:
    """What each person did: how often if `events`, else once; only the items in `keys` if there are any.

    The table's first column is the person, the others make the item, each with its bins if it has some; the last one
    is an amount, if there are `amounts`. `everybody` is the table that tells who there is, if it is another."""
    user, *by = (table[name] for name in table.columns)
    added = {AMOUNT: _amount(by.pop())} if amounts else {}
    items = item_names(len(by))
    plain = [plain_item(column) for column in by]
    values = [column if each is None else binned(column, each) for column, each in zip(plain, bins, strict=True)]
    rows = table.select(**{USER: _person(user)}, **dict(zip(items, values, strict=True)), **added).drop_null()
    # user, item0, ...: a row for each event
    listed = None if keys is None else ibis.memtable(keys)
    if listed is not None:
        rows = rows.semi_join(listed, items)
    if amounts:
        pairs = rows.group_by(USER, *items).agg(**ONCE, **{AMOUNT: _added(rows[AMOUNT])})
    elif events:
        pairs = rows.group_by(USER, *items).agg(**{COUNT: ibis.least(rows.count(), LARGEST_COUNT).cast("int64")})
    else:
        pairs = rows.distinct().mutate(**ONCE)
    there = _everybody(table if everybody is None else everybody)
    return Contributions(pairs, items, there, once=amounts or not events, events=None if amounts else rows, keys=listed)


def _amount(column: ir.Column) -> ir.Column:
    """What a row adds, in parts; what is not a number is left out."""
    number = as_number(column)
    within = ibis.greatest(ibis.least(number, float(LARGEST_AMOUNT)), -float(LARGEST_AMOUNT))
    return ibis.ifelse(number.isnull() | number.isnan(), None, (within * float(GRID)).floor().cast("int64"))


def _added(parts: ir.Column) -> ir.Column:
    """A person's amount: nothing below 0, nothing beyond the largest. Whole numbers add up the same in any order."""
    whole = parts.cast(WIDE).sum().cast(WIDE)
    return ibis.greatest(ibis.least(whole, LARGEST_AMOUNT * GRID), 0).cast(WIDE).cast("int64")


def _everybody(table: ir.Table) -> ir.Table:
    people = table.select(**{USER: _person(table[table.columns[0]])}).drop_null().distinct()
    return people.mutate(total=ibis.literal(1, "int64"))


def _person(column: ir.Column) -> ir.Column:
    """A person's id with one spelling: -0.0 is 0.0, and what is not a number is nobody."""
    if isinstance(column, ir.FloatingColumn):
        return ibis.ifelse(column.isnan(), None, column.cast("float64") + 0.0)
    return plain_item(column)


def spelled(user: ir.Column) -> ir.Column:
    """A person as a text to be hashed, the same on every engine. Whole numbers are written as such, whatever the type
    of the column; other fractions each engine writes in its own way, so parts of one are rounded down. That two people
    may have the same text costs nothing: privacy does not rest on it."""
    kind = user.type()
    if not (kind.is_floating() or (kind.is_decimal() and kind.scale)):
        return user.cast("string")
    number = user.cast("float64")
    whole, parts = (_floor(each) for each in (number, number * float(GRID)))
    return ibis.ifelse(number == whole.cast("float64"), whole.cast("string"), parts.cast("string"))


def _floor(number: ir.Column) -> ir.Column:
    """The number rounded down, as far as it fits into 64 bits."""
    within = ibis.greatest(ibis.least(number, float(2**62)), -float(2**62))
    return within.floor().cast("int64")


def plain_item(column: ir.Column) -> ir.Column:
    """Days and moments of the years 1 to 9999, to the microsecond, and whole numbers of up to 38 digits: others cannot
    be written to every file, or kept by the engine. They are no items."""
    kind = column.type()
    if kind.is_decimal() and kind.precision == 38:  # what DuckDB's HUGEINT is called; it has 39
        return column.cast("string").try_cast(kind)
    if not (kind.is_timestamp() or kind.is_date()):
        return column
    years = (1678, 2261) if kind.is_timestamp() and kind.scale == 9 else (1, 9999)
    ends = datetime(years[0], 1, 2), datetime(years[1], 12, 30)
    first, last = (ibis.literal(end.date() if kind.is_date() else end).cast(kind) for end in ends)
    return ibis.ifelse((column > first) & (column < last), column, None).cast(item_type(kind))


def item_type(kind: dt.DataType) -> dt.DataType:
    """The type that a column's values have in a release."""
    return dt.Timestamp(timezone=kind.timezone, scale=6) if kind.is_timestamp() else kind


def check_keys(keys: Sequence[object], by: Sequence[str], columns: Mapping[str, dt.DataType]) -> pa.Table:
    """The public items as a table of the columns' own types: item0, item1, ..."""
    rows = [key if isinstance(key, tuple | list) else (key,) for key in keys]
    if any(len(row) != len(by) for row in rows):
        raise BadParameter(
            f"keys: an item has one part for each of {', '.join(by)}.",
            fix=f"keys=[({', '.join(f'{column} 1' for column in by)}), ...]",
        )
    arrays = [
        _typed(column, item_type(columns[column]), part)
        for column, part in zip(by, zip(*rows, strict=True), strict=True)
    ]
    typed = pa.table(dict(zip(item_names(len(by)), arrays, strict=True)))
    if typed.group_by(typed.column_names).aggregate([]).num_rows < len(rows):  # it would get noise twice
        raise BadParameter("keys: an item stands there twice.", fix="each item once")
    return typed


def _typed(column: str, kind: dt.DataType, values: Sequence[object]) -> pa.Array:
    """The values in the column's type; text is read as what the column holds."""
    typed = _as_arrow(values, kind.to_pyarrow())
    if typed is None or typed.null_count or any(_bends(value, kind) for value in values):
        example = "[1, 2]" if kind.is_integer() else '["apple", "pear"]' if kind.is_string() else f"values of {kind}"
        raise BadParameter(f"keys: column {column!r} holds {kind}, the keys do not.", fix=f"keys={example}")
    return typed


def _bends(value: object, kind: dt.DataType) -> bool:
    """Whether Arrow would take the value for another: 1.9 for 1, True for 1."""
    return not kind.is_string() and (
        (isinstance(value, bool) != kind.is_boolean() and not isinstance(value, str))
        or value != value
        or (isinstance(value, float) and not value.is_integer())
    )


def _as_arrow(values: Sequence[object], kind: pa.DataType) -> pa.Array | None:
    try:
        if pa.types.is_string(kind):
            return pa.array(map(text_of, values), kind)
        text = all(isinstance(value, str) for value in values)
        return pa.array(values, pa.string()).cast(kind) if text else pa.array(values, kind, from_pandas=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
