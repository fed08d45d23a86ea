"""Periods of time: a column of dates or moments, each cut to the start of its day, month, ...

A moment is what the column holds: local time, or UTC where its type has a time zone; a text is the time that it says,
whatever time zone stands behind it. Weeks begin on Monday (ISO 8601). Values that are no date, and values outside of
public dates, are dropped like missing ones. The period of a value depends on that value alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.errors import UnknownColumn
from headcount.exact import Integers
from headcount.source.expressions import dt, ibis, ir
from headcount.source.scales.binning import Binning, moment

Period = Literal["hour", "day", "week", "month", "quarter", "year"]
MONDAY = 4
"""Days from 1970-01-01 to the first Monday."""
STEPS: dict[Period, tuple[str, int, int]] = {
    "hour": ("h", 1, 0),
    "day": ("D", 1, 0),
    "week": ("D", 7, MONDAY),
    "month": ("M", 1, 0),
    "quarter": ("M", 3, 0),
    "year": ("Y", 1, 0),
}
"""Each period in units of NumPy's calendar: the unit, its length, and the start of one after 1970-01-01."""
TRUNCATED: dict[Period, Any] = {"hour": "h", "day": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"}
FIRST, LAST = datetime(1, 1, 2), datetime(9999, 12, 30)
"""Ends of the calendar that every engine has."""


@dataclass(frozen=True)
class Periods(Binning):
    """The periods of one column."""

    period: Period
    dates: tuple[datetime, datetime] | None = None
    """The first and the last moment, if they are public: then all periods are."""

    @property
    def of_time(self) -> bool:
        return True

    @property
    def kind(self) -> dt.DataType:
        return dt.Timestamp(scale=6) if self.period == "hour" else dt.date

    @property
    def is_public(self) -> bool:
        return self.dates is not None

    @property
    def size(self) -> int:
        assert self.dates is not None, "periods are counted if they are public"
        first, last = (_number(self.period, end) for end in self.dates)
        return last - first + 1

    @cached_property
    def items(self) -> pa.Array:
        assert self.dates is not None, "periods are listed if they are public"
        numbers = np.arange(self.size) + _number(self.period, self.dates[0])
        return pa.array(_starts(self.period, numbers)).cast(self.kind.to_pyarrow())

    def check(self, column: str, kind: dt.DataType) -> None:
        if not (kind.is_date() or kind.is_timestamp() or kind.is_string()):
            raise UnknownColumn(
                f"column {column!r} holds {kind}: not a date, and per={self.period!r} is for dates.",
                fix=f"a column of dates or of ISO text; or no per, and bins=[0, 10, 100] for numbers in {column}",
            )

    def index(self, column: ir.Column) -> ir.Column:
        """The start of each value's period, or NULL."""
        value = moment(column)
        first, last = self.dates or (FIRST, LAST)
        inside = ibis.ifelse((value >= first) & (value <= last), value, None)
        return inside.truncate(TRUNCATED[self.period]).cast(self.kind)


def start_of(period: Period, value: datetime) -> datetime:
    """The start of the period that a moment is in."""
    (start,) = _starts(period, np.array([_number(period, value)])).tolist()
    return start  # type: ignore[no-any-return]


def _starts(period: Period, numbers: Integers) -> NDArray[np.datetime64]:
    """The starts of periods by their numbers."""
    unit, length, start = STEPS[period]
    return (numbers * length + start).astype(f"datetime64[{unit}]").astype("datetime64[us]")


def _number(period: Period, value: datetime) -> int:
    """Number of the period that a moment is in, from 1970 on."""
    unit, length, start = STEPS[period]
    return int(np.datetime64(value).astype(f"datetime64[{unit}]").astype(np.int64) - start) // length


def end_of(value: datetime) -> datetime:
    """The last moment of a day that is given by its midnight; else the moment itself."""
    return datetime.combine(value, time.max) if value.time() == time.min else value
