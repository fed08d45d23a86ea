"""Checks against the schema: what can be a person, an item, a binned value, an amount, a public key. No row is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from headcount.errors import BadParameter, UnknownColumn
from headcount.source.expressions import dt
from headcount.source.frames.arrow_columns import arrow, text_array
from headcount.source.frames.cells import text_of
from headcount.source.scales.binning import Binning


def item_names(count: int) -> tuple[str, ...]:
    """Names of the item columns: item0, item1, ..."""
    return tuple(f"item{index}" for index in range(count))


def item_type(kind: dt.DataType) -> dt.DataType:
    """Type of a column's values in a release."""
    return dt.Timestamp(timezone=kind.timezone, scale=6) if kind.is_timestamp() else kind


def check_kinds(columns: Mapping[str, dt.DataType], user: str, by: Sequence[str], bins: Mapping[str, Binning]) -> None:
    """Refuse columns of types that cannot be a person, an item, or a value to bin."""
    if not (_countable(columns[user]) or columns[user].is_floating()):
        raise UnknownColumn(f"column {user!r} holds {columns[user]}: not a person's id.", fix="numbers or text")
    for column in by:
        kind = columns[column]
        if column in bins:
            bins[column].check(column, kind)
        elif kind.is_floating():
            raise UnknownColumn(
                f"column {column!r} holds {kind}: numbers with a fraction are rarely equal.",
                fix="bins=[0, 10, 100], or a column of whole numbers",
            )
        elif not _countable(kind):
            raise UnknownColumn(f"column {column!r} holds {kind}: not an item.", fix="numbers, text or dates")


def check_amount(column: str, kind: dt.DataType) -> None:
    """Refuse a column that holds neither numbers nor text, which is parsed as numbers."""
    if not (kind.is_numeric() or kind.is_boolean() or kind.is_string()):
        raise UnknownColumn(f"column {column!r} holds {kind}: not an amount.", fix="sum: a column of numbers")


def _countable(kind: dt.DataType) -> bool:
    return any(
        (kind.is_integer(), kind.is_string(), kind.is_boolean(), kind.is_decimal(), kind.is_date(), kind.is_timestamp())
    )


def check_keys(keys: Sequence[object], by: Sequence[str], columns: Mapping[str, dt.DataType]) -> dict[str, pa.Array]:
    """Return the parts of public items by column, in the columns' own types."""
    rows = [key if isinstance(key, tuple | list) else (key,) for key in keys]
    if any(len(row) != len(by) for row in rows):
        raise BadParameter(
            f"keys: an item has one part for each of {', '.join(by)}.",
            fix=f"keys=[({', '.join(f'{column} 1' for column in by)}), ...]",
        )
    parts = {
        column: _typed(column, item_type(columns[column]), part)
        for column, part in zip(by, zip(*rows, strict=True), strict=True)
    }
    typed = pa.table(list(parts.values()), item_names(len(by)))
    if repeated := _first_repeated(typed):  # it would get noise twice
        raise BadParameter(f"keys: {_item(repeated)!r:.60} is listed twice.", fix="each item once")
    return parts


def _item(row: tuple[object, ...]) -> object:
    """An item as it is typed."""
    return row if len(row) > 1 else row[0]


def _first_repeated(typed: pa.Table) -> tuple[object, ...] | None:
    """The first item that a list has before; None if each is there once."""
    seen = set[tuple[object, ...]]()
    for row in zip(*(typed[name].to_pylist() for name in typed.column_names), strict=True):
        if row in seen:
            return row
        seen.add(row)
    return None


def _typed(column: str, kind: dt.DataType, values: Sequence[object]) -> pa.Array:
    """Values in the column's type; text is parsed as that type."""
    typed = _as_arrow(values, kind.to_pyarrow())
    if typed is None or typed.null_count or any(_bends(value, kind) for value in values):
        example = "[1, 2]" if kind.is_integer() else '["apple", "pear"]' if kind.is_string() else f"values of {kind}"
        raise BadParameter(f"keys: column {column!r} holds {kind}, the keys do not.", fix=f"keys={example}")
    return typed


def _bends(value: object, kind: dt.DataType) -> bool:
    """True if Arrow would convert the value to another one: 1.9 to 1, True to 1."""
    return not kind.is_string() and (
        (isinstance(value, bool) != kind.is_boolean() and not isinstance(value, str))
        or value != value
        or (isinstance(value, float) and not value.is_integer())
    )


def _as_arrow(values: Sequence[object], kind: pa.DataType) -> pa.Array | None:
    try:
        if pa.types.is_string(kind):
            return text_array([text_of(value) for value in values])
        if all(isinstance(value, str) for value in values):
            return text_array(values).cast(kind)
        if pa.types.is_integer(kind) and kind != pa.uint64() and all(type(value) is int for value in values):
            return arrow(np.array(values, dtype=np.int64)).cast(kind)
        return pa.array(values, kind, from_pandas=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
