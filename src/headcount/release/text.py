"""A release in a few lines, for a terminal or a log."""

import re
from collections.abc import Sequence
from math import floor, isfinite, log10

import pyarrow as pa

from headcount.errors import visible
from headcount.release.about import NOT_BOUNDED, SHAPE_COLUMNS, About
from headcount.release.measures import measures
from headcount.source.queries.step import promise_sentence
from headcount.wording import counted_noun, wrapped

SHOWN = 10
"""Rows in a summary."""
COUNTS = ("q", "value", "from", "to", "count", "sum", "rank", "share", "low", "high", "deviation")
"""Columns of numbers, in all views but those of `NUMBERS`."""
NUMBERS = {"shape": SHAPE_COLUMNS}
"""Columns of numbers, by view."""
STATISTICS = re.compile(r"\w+\((?P<column>[^(),]+)\)(?:, \w+\((?P=column)\)(?! per person))*(?! per person)")
"""Statistics of one column, one after the other."""
UNEVEN = ("q", "from", "to", "deviation")
"""Columns whose numbers are written as short as each can be."""
DIGITS = 5
"""Digits of the largest amount of a column."""
NUMERIC_ITEMS = ("quantiles", "ranges")
"""Views whose items are numbers."""


def head(table: pa.Table, about: About, *, fresh: bool) -> str:
    """The lines above the rows: the headline, the promise of a query, and what low and high are for, if there are
    any."""
    notes = [promise_sentence(about.promise), visible(about.interval) if table.num_rows else ""]
    lines = [headline(table, about, fresh=fresh), *(wrapped(note) for note in notes if note)]
    return "\n".join(line for line in lines if line)


def headline(table: pa.Table, about: About, *, fresh: bool) -> str:
    """The first line of a summary: what it is, its number of rows, what it cost."""
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    chosen = f", {bound(about)}" if about.chosen else ""
    before = "" if fresh or not about.head else ", sealed before"
    return visible(f"{about.what}, from {about.dataset}: {rows(table.num_rows)}, {cost}{chosen}{before}")


def largest(table: pa.Table, about: About, most: int = SHOWN) -> list[str]:
    """The first `most` rows in aligned columns, and the number of the others."""
    more, first = table.num_rows - most, table.slice(0, most)
    rest = [f"... and {rows(more)} more"] if more > 0 else []
    if about.view == "aggregate":
        first = with_intervals(first, about)
        return [*columns(first, first.column_names[len(about.by) :]), *rest]
    return [*columns(first, counts(about, table)), *rest]


def with_intervals(table: pa.Table, about: About) -> pa.Table:
    """Several values, each with its interval in one cell: "777 (727 to 828)"."""
    cells = {name: table[name] for name in about.by}
    for name in table.column_names[len(about.by) :: 3]:
        parts = zip(*(table[f"{name}{end}"].to_pylist() for end in ("", "_low", "_high")), strict=True)
        texts = iter(shown_column([cell for row in parts for cell in row], name, [name]))
        rows = zip(texts, texts, texts, strict=True)
        cells[name] = pa.array([f"{value} ({low} to {high})" for value, low, high in rows], pa.string())
    return pa.table(cells)


def counts(about: About, table: pa.Table) -> tuple[str, ...]:
    """The columns of numbers, which are aligned to the right. A column of items is none, whatever its name is."""
    items = () if about.view in NUMERIC_ITEMS else about.by
    several = (column for each in measures(table, about) for column in (each.name, each.low, each.high))
    return tuple(name for name in NUMBERS.get(about.view, (*COUNTS, about.value, *several)) if name not in items)


def chart_title(about: About) -> str:
    """What it is, as the title of a chart: "People per song"; "Sum and mean of price per country"."""
    words = STATISTICS.sub(_together, about.what) if about.view == "aggregate" else about.what
    return visible(words[:1].upper() + words[1:])


def _together(found: re.Match[str]) -> str:
    """Statistics of one column, which is named once.

    >>> STATISTICS.sub(_together, "people, sum(price), mean(price), median(price), mean(age) per country")
    'people, sum, mean and median of price, mean of age per country'
    """
    *others, last = re.findall(r"(\w+)\(", found[0])
    return f"{', '.join(others)}{' and ' if others else ''}{last} of {found['column']}"


def nothing(table: pa.Table, about: About) -> str:
    """Why there is no row."""
    bounded = f" after a bound of {about.bound:,}; a larger bound may help" if "certain" in table.column_names else ""
    return f"No item had enough {visible(about.unit)} to be shown{bounded}."


def bound(about: About) -> str:
    """The bound that was chosen; or that there is none, and why."""
    if about.chosen == NOT_BOUNDED:
        return "no bound (noise is smaller without one)"
    return f"bound {about.bound:,} (chosen)" if about.bound else "no bound (found one by one)"


def rows(count: int) -> str:
    """A number of rows: "1 row", "1,000 rows"."""
    return counted_noun(count, "row")


def columns(table: pa.Table, numbers: Sequence[str] = COUNTS) -> list[str]:
    """The rows in aligned columns: text to the left, numbers to the right."""
    names = table.column_names
    cells = [[visible(name), *shown_column(table[name].to_pylist(), name, numbers)] for name in names]
    widths = [max(map(len, column)) for column in cells]
    aligned = [
        [cell.rjust(width) if name in numbers else cell.ljust(width) for cell in column]
        for name, column, width in zip(names, cells, widths, strict=True)
    ]
    return ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]


def shown_column(cells: Sequence[object], column: str, numbers: Sequence[str] = COUNTS) -> list[str]:
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


def shown(cell: object, column: str, numbers: Sequence[str] = COUNTS, longest: int = 60) -> str:
    """A cell as a terminal may show it: one line, no control characters; only numbers have separators."""
    if isinstance(cell, float) and column == "deviation":
        return f"{cell:,.3g}" if cell < 100 else f"{cell:,.0f}"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) < 1e6 else f"{cell:,.0f}"
    if column in numbers and not isinstance(cell, str):
        return f"{cell:,}"
    plain = visible(str(cell))
    return plain if len(plain) <= longest else f"{plain[: longest - 13]}…{plain[-12:]}"
