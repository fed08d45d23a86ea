"""Text of one cell of a pandas column: the only rule for cells that are Python objects.

The text of a cell depends on that cell alone, never on the column's type or on another row: one missing value turns a
pandas column of integers into floats, one text into objects, so a rule by type would let one person decide how
everybody's rows are read.

numbers     by value: 5, 5.0, Decimal("5.00") and Fraction(5) are "5", exactly; 0.5 is "0.5"
booleans    "True" and "False"
text        as it is; a lone surrogate is U+FFFD
bytes       as UTF-8, of every kind of bytes; invalid bytes are U+FFFD
timestamps  ISO text to the microsecond, "2024-01-31T12:30:00"; at midnight the date alone; zoned ones in UTC
the rest    its own str(), if that is a value
missing     None, NaN, NaT, NA; lists, tuples, sets, mappings and arrays; objects whose text is only their address
"""

import re
from collections.abc import Callable, Collection
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Complex, Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa

DIGITS = 400
"""Decimals with more digits are written with an exponent: 1e1000000 would be a long text."""
LONGEST = 13_000
"""Integers with at least this many bits are written in hexadecimal: Python limits decimal digits."""
SURROGATE = re.compile("[\ud800-\udfff]")
ADDRESS = re.compile(" at 0x[0-9A-Fa-f]+")


def text_of(cell: Any) -> str | None:
    """Return the text of a cell, or None if it is missing. No cell makes it fail.

    >>> [text_of(cell) for cell in (5.0, "5", b"5", True, None, float("nan"), object(), (1, 2))]
    ['5', '5', '5', 'True', None, None, None, None]
    """
    try:
        return None if cell is None or cell != cell else _text(cell)
    except Exception:
        return None


def plain_value(value: Any) -> Any:
    """Return a public value as it is kept: NumPy's numbers as Python's, dates as ISO text."""
    if isinstance(value, np.datetime64):  # of nanoseconds, it would be a number
        value = value.astype("datetime64[us]")
    value = value.item() if hasattr(value, "item") else value
    return value.isoformat() if isinstance(value, date) else value


def plain_key(value: Any) -> Any:
    """Return a public item, or a part of one, as it is kept: moments as cells of pandas are read, and other readers
    read that too."""
    return text_of(value) if isinstance(value, datetime | np.datetime64) else plain_value(value)


def number_of(cell: Any) -> str | None:
    """Return the text of a cell of a numeric column: True is 1."""
    return str(int(cell)) if isinstance(cell, bool | np.bool_) else text_of(cell)


def _text(cell: Any) -> str | None:
    for kinds, write in WRITERS:
        if isinstance(cell, kinds):
            return write(cell)
    return _own_text(cell)


def valid(text: str) -> str:
    """Replace lone surrogates, so that a text can be written as UTF-8."""
    return SURROGATE.sub("\ufffd", text)


def _decoded(cell: Any) -> str:
    return bytes(cell).decode("utf-8", "replace")


def _whole(cell: Any) -> str:
    value = int(cell)
    return str(value) if value.bit_length() < LONGEST else hex(value)


def _fraction(cell: Fraction) -> str:
    return _whole(cell.numerator) if cell.denominator == 1 else _float(cell)


def _float(cell: Any) -> str:
    value = float(cell)
    return _whole(value) if value.is_integer() else _decimal(Decimal(repr(value)))


def _decimal(cell: Decimal) -> str:
    """All digits, whatever the decimal context."""
    if abs(cell.adjusted()) >= DIGITS:
        return str(cell)
    digits = format(cell, "f")
    short = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if short == "-0" else short


def _complex(cell: Any) -> str:
    return str(cell) if cell.imag else _float(cell.real)


def _moment(cell: Any) -> str | None:
    """Timestamps of Python, NumPy and pandas alike."""
    known = cell.astype("datetime64[us]").item() if isinstance(cell, np.datetime64) else cell
    if known.tzinfo is not None:
        return f"{_clock(known.astimezone(UTC)).isoformat()}+00:00"
    return _clock(known).isoformat().removesuffix("T00:00:00")


def _clock(known: datetime) -> datetime:
    """Local time to the microsecond; fails outside the years 1 to 9999."""
    day = known.year, known.month, known.day
    return datetime(*day, known.hour, known.minute, known.second, known.microsecond)


def _duration(cell: Any) -> str:
    known = cell.astype("timedelta64[us]").item() if isinstance(cell, np.timedelta64) else cell
    return str(timedelta(known.days, known.seconds, known.microseconds))


def _own_text(cell: Any) -> str | None:
    """The object's own text, unless it contains its address, which differs in every process."""
    text = _interval(cell) if hasattr(cell, "closed_left") else str(cell)
    return None if ADDRESS.search(text) else valid(text)


def _interval(cell: Any) -> str:
    """pandas interval, its ends as cells: one missing interval turns the ends of all others into floats."""
    low, high = "[" if cell.closed_left else "(", "]" if cell.closed_right else ")"
    return f"{low}{text_of(cell.left)}, {text_of(cell.right)}{high}"


def _nothing(cell: Any) -> None:
    return None


WRITERS: tuple[tuple[Any, Callable[[Any], str | None]], ...] = (
    (str, valid),
    ((bytes, bytearray, memoryview), _decoded),
    ((bool, np.bool_), str),
    ((timedelta, np.timedelta64), _duration),  # the latter also counts as an integer
    ((datetime, np.datetime64), _moment),
    (Integral, _whole),
    (Decimal, _decimal),
    (Fraction, _fraction),
    (Real, _float),
    (Complex, _complex),
    (pa.Scalar, lambda cell: text_of(cell.as_py())),
    (Collection, _nothing),
)
"""Writers by type of cell: the first that fits."""
