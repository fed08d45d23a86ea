"""The release in a few lines, for a terminal or a log."""

import pyarrow as pa

from headcount.release import Release

SHOWN = 10


def summary(release: Release, most: int = SHOWN) -> str:
    """What it is, its largest items, what it cost."""
    about, table = release.about, release.table
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    more = table.num_rows - most
    lines = [
        f"{about.what}, from {about.dataset}: {table.num_rows:,} rows, {cost}",
        "",
        *columns(table.slice(0, most)),
        *([f"... and {more:,} more rows"] if more > 0 else []),
    ]
    return "\n".join(lines)


def columns(table: pa.Table) -> list[str]:
    """The rows in aligned columns: text to the left, numbers to the right."""
    cells = [[name, *(shown(cell) for cell in table[name].to_pylist())] for name in table.column_names]
    widths = [max(map(len, column)) for column in cells]
    numbers = {"count", "low", "high"}
    aligned = [
        [cell.rjust(width) if column[0] in numbers else cell.ljust(width) for cell in column]
        for column, width in zip(cells, widths, strict=True)
    ]
    return ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]


def shown(cell: object, longest: int = 60) -> str:
    """A cell as a terminal may show it: one line, no control characters."""
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{cell:,}" if abs(cell) >= 10_000 else str(cell)
    plain = "".join(char if char.isprintable() else "·" for char in str(cell))
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
