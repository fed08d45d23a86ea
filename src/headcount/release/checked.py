"""Validation of a release from bytes that anybody may have written: everything is checked before anything is used.

What passes can be shown, drawn, exported and loaded again. That it is what a curator released is another matter: for
that a ledger keeps a digest (`headcount ledger verify --release`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headcount.account.events import Event, Laplace, from_json
from headcount.bound.selection.profile import PROFILE_EDGES
from headcount.errors import ReleaseTooNew
from headcount.estimate.shape.table import MAX_BUCKETS
from headcount.exact import rational
from headcount.release.about import ESTIMANDS, KEY, SHAPE_COLUMNS, About
from headcount.release.earlier import KINDS as STEP_KINDS
from headcount.release.plain import is_number, is_positive, is_whole, parse_object, refuse
from headcount.release.scale import edges_in
from headcount.source.derived import EVENTS, ITEMS, SIZE, WHAT, size_bins
from headcount.source.queries.step import PROMISE
from headcount.wording.typed import is_text

MOST_STEPS = 2**24
"""Limit on rows and columns of a staircase, which has about the square root of all contributions."""
MOST_SHARES = 2**20
"""Limit on the shape of noise that people added up, as a multiple of what one release needs."""
COUNTS = ("count", "rank")
"""Values that are whole numbers, whatever else a table holds."""
AMOUNT = re.compile(r"[0-9]{1,400}([./][0-9]{1,400})?")
HEAD = re.compile(r"([0-9]{1,18}:[0-9a-f]{64})?")
KINDS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_integer,
    pa.types.is_boolean,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_timestamp,
)
"""Types of items."""


def about_in(text: bytes) -> About:
    """Parse the metadata of a release and check every field's type and form."""
    about = _fields_in(text)
    _check_request(about)
    _check_outcome(about)
    return about


def check_request(content: bytes) -> None:
    """Refuse a release that could not be loaded by what is known before anything is charged: its request."""
    _check_request(_fields_in(pq.read_schema(pa.BufferReader(content)).metadata[KEY]))


def _fields_in(text: bytes) -> About:
    """The fields, each of its type."""
    plain = parse_object(text.decode(), "about")
    known = {field.name: field for field in fields(About)}
    missing = [name for name, field in known.items() if field.default is MISSING and name not in plain]
    if unknown := [name for name in plain if name not in known]:
        raise _too_new(unknown[0], plain.get("version"))
    if missing:
        refuse(f"the field {missing[0]!r:.40}, which is missing")
    return About(**{name: _typed(name, known[name].type, value) for name, value in plain.items()})


def _too_new(field: str, version: Any) -> ReleaseTooNew:
    by = f"headcount {version:.20}" if isinstance(version, str) and version else "a newer headcount"
    return ReleaseTooNew(
        f"this release was made by {by}: this version does not know its field {field!r:.40}.",
        fix="pip install --upgrade headcount",
    )


def _typed(name: str, kind: Any, value: Any) -> Any:
    """A field's value; refused unless it has the field's type."""
    if kind is int:
        right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
        return value if right else refuse(name)
    if kind is str:
        return value if is_text(value) else refuse(name)
    return tuple(value) if isinstance(value, list) and all(map(is_text, value)) else refuse(name)


def _check_request(about: About) -> None:
    """Check fields that follow from the request."""
    for name in ("epsilon", "delta"):
        _amount(name, getattr(about, name))
    if about.view not in LAYOUTS:
        refuse("view")
    if not _is_value(about):
        refuse("value")
    if about.plan:
        LAYOUTS[about.view].check_plan(parse_object(about.plan, "plan"))


def _check_outcome(about: About) -> None:
    """Check fields that are known once the release is made: they follow from mechanisms and from the ledger."""
    if about.estimand not in ESTIMANDS:
        refuse("estimand")
    if about.tail and not all(
        is_number(part) and is_positive(abs(part)) for part in parse_object(about.tail, "tail").values()
    ):
        refuse("tail")
    if about.kinds and (len(about.kinds) != len(about.steps) or not set(about.kinds) <= set(STEP_KINDS)):
        refuse("kinds")
    if about.promise not in ("", PROMISE):
        refuse("promise")
    if not HEAD.fullmatch(about.head):
        refuse("head")
    LAYOUTS[about.view].check_about(about, _events(about))


def _is_value(about: About) -> bool:
    """True if the column of values can have this name."""
    if LAYOUTS[about.view].several:
        return bool(about.value) and about.value not in about.by
    if LAYOUTS[about.view].values:
        return about.value in LAYOUTS[about.view].values
    return about.value.isidentifier() and about.value not in ("low", "high", "deviation", "certain", *about.by)


def _check_scale(plan: dict[str, Any]) -> None:
    """Check the edges in the plan of quantiles; other plans are only shown."""
    edges = edges_in(plan)
    if not (edges and all(map(is_number, edges))):
        refuse("plan")


def _amount(name: str, text: str) -> Fraction:
    """Parse a number as `exact.written` writes it."""
    value = rational(name, text, fix="1") if AMOUNT.fullmatch(text) else refuse(name)
    return value if name != "delta" or value <= 1 else refuse(name)


def _events(about: About) -> Sequence[Event]:
    try:
        return from_json(about.events)
    except Exception:  # whatever the text may hold
        refuse("events")


def _check_laplace(about: About, events: Sequence[Event]) -> None:
    """Check that the noise on a profile is known: a suggested bound follows from it."""
    if not (events and isinstance(events[0], Laplace)):
        refuse("events")


def _check_measured(about: About, events: Sequence[Event]) -> None:
    """Check the parameters of the uncertainty of a shape."""
    plain = parse_object(about.measured, "measured")
    if {"rows", "columns", "scale"} <= set(plain):
        sound = all(is_whole(plain[name], MOST_STEPS) for name in ("rows", "columns")) and is_positive(plain["scale"])
        sound &= set(plain) == {"rows", "columns", "scale"} or _is_interval(plain)  # the former is that of version 0.8
    elif set(plain) - {"certain"} == {
        "cells",
        "hashed",
        "noise",
        "empty",
        "enough",
    }:  # without it: that of version 0.10
        sound = is_whole(plain["cells"], MAX_BUCKETS) and is_whole(plain["enough"], MAX_BUCKETS)
        sound &= is_whole(plain.get("certain", 0), plain["cells"])
        sound &= isinstance(plain["hashed"], bool) and is_number(plain["empty"]) and 0 <= plain["empty"] <= 1
        sound &= _is_noise(plain["noise"])
    else:
        sound = False
    if not sound:
        refuse("measured")


def _is_interval(plain: dict[str, Any]) -> bool:
    """True for the interval of the number of items of a staircase, and the length of the public list."""
    known = set(plain) == {"rows", "columns", "scale", "low", "high", "listed", "people"}
    public = known and all(plain[name] is None or is_whole(plain[name], 2**62) for name in ("listed", "people"))
    return public and all(is_number(plain[end]) and plain[end] >= 0 for end in ("low", "high"))


def _is_noise(plain: Any) -> bool:
    """True for one or two pairs of a scale and a shape."""
    pairs = plain if isinstance(plain, list) and 1 <= len(plain) <= 2 else [None]
    return all(
        isinstance(pair, list) and len(pair) == 2 and all(map(is_positive, pair)) and pair[1] <= MOST_SHARES
        for pair in pairs
    )


def check_table(table: pa.Table, about: About) -> None:
    """Refuse rows that a release with this description cannot have."""
    numbers, names = _numbers(table, about), table.column_names
    if len(set(names)) < len(names) or [*_items(about), *numbers] != names:
        refuse("columns")
    if any(column.null_count for column in table.columns):
        refuse("a missing value")
    for name, kind in numbers.items():
        _check_numbers(table[name], name, kind)
    _check_items(table, about)
    for value, low, high in _intervals(about, numbers):
        _check_ends(table[value], table[low], table[high])


def _intervals(about: About, numbers: Iterable[str]) -> Iterable[tuple[str, str, str]]:
    """The names of each value and of the ends of its interval."""
    if LAYOUTS[about.view].several:
        names = list(numbers)
        return zip(names[::3], names[1::3], names[2::3], strict=True)
    return [(about.value, "low", "high")] if "low" in numbers else []


def _numbers(table: pa.Table, about: About) -> dict[str, pa.DataType]:
    """The names and types of the numeric columns."""
    layout = LAYOUTS[about.view]
    if layout.several:
        return _several(table, about)
    if layout.columns:
        return dict.fromkeys(layout.columns, pa.int64())
    ends = () if about.value == "rank" else ("low", "high")
    fractional = about.value in table.column_names and table.schema.field(about.value).type == pa.float64()
    fractions = layout.fractions or (about.value not in COUNTS and fractional)
    kind = pa.float64() if fractions else pa.int64()
    found: dict[str, pa.DataType] = dict.fromkeys((about.value, *ends), kind)
    rest = table.column_names[len(about.by) + len(found) :]
    beside = {"deviation": pa.float64(), "certain": pa.bool_()}
    return found | {name: kind for name, kind in beside.items() if name in rest}


def _several(table: pa.Table, about: About) -> dict[str, pa.DataType]:
    """The names and types of several values, each with the ends of its interval: whole numbers, or fractions."""
    released = table.column_names[len(about.by) :]
    names = [f"{name}{suffix}" for name in released[::3] for suffix in ("", "_low", "_high")]
    kinds = [table.schema.field(name).type if name in released else pa.null() for name in names]
    if not names or names[0] != about.value or any(kind not in (pa.int64(), pa.float64()) for kind in kinds):
        refuse("columns")
    return dict(zip(names, kinds, strict=True))


def _check_numbers(column: pa.ChunkedArray, name: str, kind: pa.DataType) -> None:
    if column.type != kind:
        refuse(f"the type of {name}")
    if kind == pa.int64() and (pc.min(column).as_py() or 0) < 0:
        refuse(f"{name} below 0")
    if kind == pa.float64() and not pc.all(pc.is_finite(column), min_count=0).as_py():
        refuse(f"{name}, which is no number")


def _check_ends(value: pa.ChunkedArray, low: pa.ChunkedArray, high: pa.ChunkedArray) -> None:
    """Refuse a value outside of its interval."""
    within = pc.and_(pc.less_equal(low, value), pc.less_equal(value, high))
    if not pc.all(within, min_count=0).as_py():
        refuse("a value outside of its interval")


def _check_items(table: pa.Table, about: About) -> None:
    """Check the columns of items: types, and for bins, that all are listed."""
    layout = LAYOUTS[about.view]
    for name in _items(about):
        column = table[name]
        if layout.numeric_items:
            _check_numbers(column, name, pa.float64())
        elif not any(is_kind(column.type) for is_kind in KINDS):
            refuse(f"the type of {name!r:.40}")
        elif table.num_rows:
            _check_ends_of(column)
    layout.check_rows(table, about)
    if about.order and len(about.by) == 1:
        _check_order(table[about.by[0]], about)


def _items(about: About) -> tuple[str, ...]:
    """The columns of items: no item of a shape is named."""
    return () if LAYOUTS[about.view].columns else about.by


def _check_ends_of(column: pa.ChunkedArray) -> None:
    """Check that dates can be shown, by the first and the last, and that text is valid."""
    for end in pc.min_max(column).as_py().values():
        str(end)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column.validate(full=True)  # text is text


def _check_profile(table: pa.Table, about: About) -> None:
    """Check that every bin of items and of events has its row."""
    bins = [(what, label) for what in (ITEMS, EVENTS) for label in size_bins(PROFILE_EDGES).labels]
    rows = zip(*(table[name].to_pylist() for name in about.by), strict=True)
    if about.by != (WHAT, SIZE) or sorted(rows) != sorted(bins):
        refuse("the bins of a profile")
    _check_order(table[SIZE], about)


def _check_order(column: pa.ChunkedArray, about: About) -> None:
    if not set(column.unique().to_pylist()) <= set(about.order):
        refuse("order")


def _check_shape(table: pa.Table, about: About) -> None:
    """Check that counts fall, and that `at_least` is the running sum of `items`."""
    counts, items, at_least = (table[name].to_pylist() for name in ("count", "items", "at_least"))
    total = 0
    for place, (count, several, there) in enumerate(zip(counts, items, at_least, strict=True)):
        total += several
        if count < 1 or several < 1 or there != total or (place and count >= counts[place - 1]):
            refuse("counts that do not fall")
    if total >= 2**62 or sum(count * several for count, several in zip(counts, items, strict=True)) >= 2**62:
        refuse("more than there can be")


@dataclass(frozen=True)
class Layout:
    """What the table of a view looks like."""

    values: tuple[str, ...] = ("count",)
    """Names that the column of values may have; none if any name may be."""
    fractions: bool = False
    """Whether the values and the ends of their intervals are fractions, and not whole numbers."""
    numeric_items: bool = False
    """Whether items are numbers: fractions, or the ends of ranges."""
    columns: tuple[str, ...] = ()
    """All columns, if no item is named."""
    several: bool = False
    """Whether there are several values, each with the ends of its own interval."""
    check_plan: Callable[[dict[str, Any]], None] = lambda plan: None
    check_about: Callable[[About, Sequence[Event]], None] = lambda about, events: None
    check_rows: Callable[[pa.Table, About], None] = lambda table, about: None


LAYOUTS = {
    "": Layout(()),
    "aggregate": Layout(several=True),
    "total": Layout(("count", "sum")),
    "ranges": Layout(numeric_items=True),
    "quantiles": Layout(("value",), fractions=True, numeric_items=True, check_plan=_check_scale),
    "distribution": Layout(("share",), fractions=True),
    "shape": Layout(columns=SHAPE_COLUMNS, check_about=_check_measured, check_rows=_check_shape),
    "profile": Layout(check_about=_check_laplace, check_rows=_check_profile),
}
"""What each view must hold."""
