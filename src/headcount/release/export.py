"""CSV and JSON for other programs. Items are other people's text: in a CSV no cell may become a formula."""

import csv
import io
import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from headcount.source.queries.step import promise_sentence
from headcount.wording import visible_json

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Cells that begin with one of these are commands to a spreadsheet."""


def as_csv(table: pa.Table, promise: str) -> bytes:
    """The rows as CSV: text in quotes; a cell that a spreadsheet would run gets an apostrophe in front. What was
    promised of a query is a last column."""
    if promise:
        name = "promise_" if "promise" in table.column_names else "promise"
        table = table.append_column(name, pa.array([promise_sentence(promise)] * len(table), pa.string()))
    sink = io.StringIO()
    writer = csv.writer(sink, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([_safe(name) for name in table.column_names])
    columns = [[_safe(cell) for cell in column.to_pylist()] for column in table.columns]
    writer.writerows(zip(*columns, strict=True))
    return sink.getvalue().encode()


def _safe(cell: Any) -> Any:
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA) else text


def as_json(table: pa.Table, about: dict[str, Any]) -> str:
    """The rows and everything about them as one JSON object."""
    public = {**about, **{name: json.loads(about[name] or "null") for name in ("plan", "tail")}}
    text = json.dumps({**public, "rows": table.to_pylist()}, indent=2, ensure_ascii=False, default=plain_value)
    return visible_json(text)


def plain_value(value: date | datetime | Decimal) -> str:
    """A value that JSON has no type for, as text."""
    return value.isoformat() if isinstance(value, date) else str(value)
