"""Tables in Markdown: read from what a command prints, and written into pages.

A line `## name` names the tables below it, a line in bold is the title of the next one; other lines are notes of the
table above them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from benchmarks.evidence.record import Table

RULE = re.compile(r"^\|(\s*:?-+:?\s*\|)+$")
SPLIT = re.compile(r"(?<!\\)\|")


def tables(text: str, names: Sequence[str] = ()) -> tuple[Table, ...]:
    """Tables in the order in which they were printed, with these names where the text has none."""
    found: list[Table] = []
    name = title = ""
    unnamed = iter(names)
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("## "):
            name, title = line[3:].strip(), ""
        elif line.startswith("**"):
            title = line
        elif line.startswith("|") and RULE.match(following):
            found.append(Table(name or (next(unnamed) if names else ""), title, _cells(line), ()))
            title = ""
        elif line.startswith("|") and found and not RULE.match(line):
            found[-1] = replace(found[-1], rows=(*found[-1].rows, _cells(line)))
        elif line.strip() and not RULE.match(line) and found:
            found[-1] = replace(found[-1], notes=(*found[-1].notes, line.strip()))
    if left := list(unnamed):
        raise LookupError(f"no table was printed for {', '.join(left)}")
    return tuple(found)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in SPLIT.split(line.strip())[1:-1])


def written(table: Table) -> str:
    """The table in Markdown, with its title and notes."""
    lines = [_line(table.columns), "|" + "---|" * len(table.columns), *map(_line, table.rows)]
    above = f"{table.title}\n\n" if table.title else ""
    return above + "\n".join(lines) + "".join(f"\n\n{note}" for note in table.notes)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
