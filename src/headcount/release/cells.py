"""Cells of a table as text, in aligned columns."""

from collections.abc import Sequence
from math import floor, isfinite, log10

import pyarrow as pa

from headcount.errors import visible

NUMBERS = ("q", "value", "from", "to", "count", "sum", "rank", "share", "low", "high", "deviation")
"""Columns of numbers, unless they hold items."""
UNEVEN = ("q", "from", "to", "deviation")
"""Columns whose numbers are written as short as each can be."""
DIGITS = 5
"""Digits of the largest amount of a column."""


def columns(table: pa.Table, numbers: Sequence[str] = NUMBERS) -> list[str]:
    """The rows in aligned columns: text to the left, numbers to the right."""
    names = table.column_names
    cells = [[visible(name), *shown_column(table[name].to_pylist(), name, numbers)] for name in names]
    widths = [max(map(len, column)) for column in cells]
    aligned = [
        [cell.rjust(width) if name in numbers else cell.ljust(width) for cell in column]
        for name, column, width in zip(names, cells, widths, strict=True)
    ]
    return ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]


def shown_column(cells: Sequence[object], column: str, numbers: Sequence[str] = NUMBERS) -> list[str]:
    """The cells of a column as a terminal may show them; amounts have one number of decimals.

    >>> shown_column([45828.22, 8147.893, 12.0], "sum"), shown_column([32.5, 7.125], "mean")
    (['45,828', '8,148', '12'], ['32.500', '7.125'])
    """
    amounts = [cell for cell in cells if isinstance(cell, float) and isfinite(cell)]
    if column in UNEVEN or not any(amounts) or len(amounts) < len(cells):
        return [shown(cell, column, numbers) for cell in cells]
    most = max(DIGITS - 1 - floor(log10(max(map(abs, amounts)))), 0)
    needed = max(len(f"{amount:.{most}f}".rstrip("0").partition(".")[2]) for amount in amounts)
    return [f"{amount:,.{needed}f}" for amount in amounts]


def shown(cell: object, column: str, numbers: Sequence[str] = NUMBERS, longest: int = 60) -> str:
    """A cell as a terminal may show it: one line, no control characters; only numbers have separators."""
    if isinstance(cell, float) and column == "deviation":
        return f"{cell:,.3g}" if cell < 100 else f"{cell:,.0f}"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) < 1e6 else f"{cell:,.0f}"
    if column in numbers and not isinstance(cell, str):
        return f"{cell:,}"
    plain = visible(str(cell))
    return plain if len(plain) <= longest else f"{plain[: longest - 13]}…{plain[-12:]}"
