"""Lazy Polars frames, by the text of their plan, unoptimised. Only a frame in memory and whole files are a table: the
text of an expression is not read, as a name in it may be any text."""

import re
from typing import Any

from headcount.source.queries.step import CHANCE, LIMIT, UNORDERED, Step

TABLE = re.compile(
    r"DF \[(?s:.*)\]; PROJECT \*/[0-9]+ COLUMNS|"
    r"(?:Parquet|Ipc) SCAN \[.*\]\nPROJECT \*/[0-9]+ COLUMNS(?:\nESTIMATED ROWS: [0-9]+)?"
)
"""The plan of a frame in memory, which begins with its last step, and that of files, in which no line is left over for
another step or for some rows only. (A name of a column may hold a new line.)"""
OF_ROWS = r"(?<!\.str)(?<!\.list)(?<!\.arr)(?<!\.bin)"
"""Not after a function of one cell: its letters and elements have an order."""
REFUSED = {
    rf"{OF_ROWS}\.(?:slice|gather|gather_every|get)\(": LIMIT,
    r"^\s*SLICE\b": LIMIT,
    r"\.(?:sample_n|sample_frac|shuffle|sample)\(": CHANCE,
    r"^\s*ROW[_ ](?:INDEX|COUNT)\b": UNORDERED,
}
NAMES = {
    r"^\s*(?:LEFT|RIGHT|INNER|FULL|OUTER|CROSS|SEMI|ANTI|ASOF)\b.* JOIN\b": "a join",
    r"^\s*AGGREGATE\b": "a group-by",
    r"^\s*UNION\b": "a union",
    r"^\s*UNIQUE\b": "distinct rows",
    r"^\s*SORT\b": "an order of rows",
    r"\bover\(": "a window",
}
BY_ORDER = re.compile(
    rf"{OF_ROWS}\.(?:first|last|shift|diff|reverse|fill_null_with_strategy|interpolate|rle_id|rle|int_range|"
    r"cum_\w+|ewm_\w+|rolling_\w+|arg_\w+|index_of|peak_\w+)\("
)
"""Functions whose result follows from the order of rows."""
ORDER = re.compile(r"^\s*SORT\b|\.sort_by\(", re.M)
LAZY = "lazy steps that headcount cannot read"
INSTEAD = "frame.collect(), if all of its steps are row by row"


def step_of(frame: Any) -> Step | None:
    """Return what in a lazy frame is not known to be row by row. No row is read."""
    text = frame.explain(optimized=False)
    if TABLE.fullmatch(text):
        return None
    for pattern, step in REFUSED.items():
        if re.search(pattern, text, re.M):
            return step
    if BY_ORDER.search(text) and not ORDER.search(text):
        return UNORDERED
    found = next((name for pattern, name in NAMES.items() if re.search(pattern, text, re.M)), LAZY)
    return Step(found, instead=INSTEAD)
