"""The columns that the table of a view has: which are items, which are numbers, and of what types."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headcount.release.about import RANK, About
from headcount.release.cells import NUMBERS
from headcount.release.columns import measures
from headcount.release.plain import refuse

WHOLE = ("count", RANK)
"""Values that are whole numbers, whatever else a table holds."""
TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_integer,
    pa.types.is_boolean,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_timestamp,
)
"""Types of items."""


@dataclass(frozen=True)
class Layout:
    """The columns of a view: items, then a value with the ends of its interval."""

    values: tuple[str, ...] = ("count",)
    """Names that the column of values may have; none if any name may be."""
    fractions: bool = False
    """True if the values and the ends of their intervals are fractions, and not whole numbers."""
    numeric_items: bool = False
    """True if items are numbers: fractions, or the ends of ranges."""
    columns: tuple[str, ...] = ()
    """All columns, if no item is named."""
    several: bool = False
    """True if there are several values, each with the ends of its own interval."""

    def numbers(self, table: pa.Table, about: About) -> tuple[str, ...]:
        """The columns that are shown as numbers. A column of items is none, whatever its name is."""
        items = () if self.numeric_items else about.by
        several = (column for each in measures(table, about) for column in (each.name, each.low, each.high))
        return tuple(name for name in self.columns or (*NUMBERS, about.value, *several) if name not in items)

    def allows_value(self, about: About) -> bool:
        """True if the column of values can have its name."""
        if self.several:
            return bool(about.value) and about.value not in about.by
        if self.values:
            return about.value in self.values
        return about.value.isidentifier() and about.value not in ("low", "high", "deviation", "certain", *about.by)

    def check(self, table: pa.Table, about: About) -> None:
        """Refuse columns that the view cannot have, and values outside of their intervals."""
        numbers, names, items = self._types(table, about), table.column_names, () if self.columns else about.by
        if len(set(names)) < len(names) or [*items, *numbers] != names:
            refuse("columns")
        if any(column.null_count for column in table.columns):
            refuse("a missing value")
        for name in numbers:
            _check_numbers(table[name], name, numbers[name])
        for name in items:
            _check_numbers(table[name], name, pa.float64()) if self.numeric_items else _check_item(table[name], name)
        if about.order and len(about.by) == 1:
            check_order(table[about.by[0]], about)
        for value, low, high in self._intervals(about, list(numbers)):
            _check_ends(table[value], table[low], table[high])

    def _intervals(self, about: About, numbers: Sequence[str]) -> Iterable[tuple[str, str, str]]:
        """The names of each value and of the ends of its interval."""
        if self.several:
            return zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
        return [(about.value, "low", "high")] if "low" in numbers else []

    def _types(self, table: pa.Table, about: About) -> dict[str, pa.DataType]:
        """The names and types of the numeric columns."""
        if self.several:
            return _several(table, about)
        if self.columns:
            return dict.fromkeys(self.columns, pa.int64())
        ends = () if about.value == RANK else ("low", "high")
        fractional = about.value in table.column_names and table.schema.field(about.value).type == pa.float64()
        fractions = self.fractions or (about.value not in WHOLE and fractional)
        found: dict[str, pa.DataType] = dict.fromkeys((about.value, *ends), pa.float64() if fractions else pa.int64())
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


def _check_item(column: pa.ChunkedArray, name: str) -> None:
    """Check the type; that dates can be shown, by the first and the last; and that text is text."""
    if not any(is_type(column.type) for is_type in TYPES):
        refuse(f"the type of {name!r:.40}")
    for end in pc.min_max(column).as_py().values() if len(column) else ():
        str(end)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column.validate(full=True)


def _check_ends(value: pa.ChunkedArray, low: pa.ChunkedArray, high: pa.ChunkedArray) -> None:
    """Refuse a value outside of its interval."""
    within = pc.and_(pc.less_equal(low, value), pc.less_equal(value, high))
    if not pc.all(within, min_count=0).as_py():
        refuse("a value outside of its interval")


def check_order(column: pa.ChunkedArray, about: About) -> None:
    """Refuse a label that the order of labels lacks."""
    if not set(column.unique().to_pylist()) <= set(about.order):
        refuse("order")
