"""The table of what each engine supports, made of the engines themselves (`docs/how-to/tables.md`)."""

import re
from collections.abc import Callable
from pathlib import Path

from headcount.jobs import JOBS
from headcount.source.engines.contract import OPERATIONS, Operation
from headcount.source.engines.engine import Engine
from headcount.source.engines.registry import built_in

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "tables.md"
BETWEEN = re.compile(r"(<!-- engines: python -m tests.docs.update -->\n).*(<!-- engines: end -->)", re.DOTALL)
WRITTEN = {False: "by Ibis", True: "its own"}
"""Who writes an operation in SQL for an engine."""
ROWS: dict[str, Callable[[Engine], bool]] = {
    f"every question: {', '.join(f'`{job}`' for job in JOBS)}": lambda engine: engine.byte_exact,
    "text compared byte by byte, whatever the collation": lambda engine: engine.byte_exact,
    "a choice for files on the command line (`--engine`)": lambda engine: engine.reads_files,
    "limits by headcount (`memory=`, `spill=`)": lambda engine: "memory" in engine.options,
    "queries over several tables, [proved](views.md)": lambda engine: engine.certifies,
    "text in columns of numbers is parsed": lambda engine: not engine.typed,
    "one snapshot: rows that come while a table is read are not seen": lambda engine: engine.snapshot,
}
"""What a line says, and whether it is true of an engine. That every question gives the same bytes on every engine is
what tests/conformance checks."""


def table() -> str:
    """The table in Markdown."""
    titles = [engine.title for engine in built_in()]
    lines = [["", *titles], ["---"] * (len(titles) + 1)]
    lines += [[text, *("yes" if holds(engine) else "no" for engine in built_in())] for text, holds in ROWS.items()]
    lines += [[each.title, *(WRITTEN[_is_own(engine, each)] for engine in built_in())] for each in OPERATIONS]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _is_own(engine: Engine, operation: Operation) -> bool:
    """True if an engine writes an operation by itself."""
    return getattr(type(engine), operation.method) is not getattr(Engine, operation.method)


def page(text: str) -> str:
    """The page with the table of today."""
    return BETWEEN.sub(lambda found: f"{found[1]}\n{table()}\n\n{found[2]}", text)
