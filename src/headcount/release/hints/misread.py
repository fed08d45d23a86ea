"""Hints that rows may not have been read as they are meant: a condition that no row meets, dates or amounts in another
spelling. In a CSV every value is text, so only rows could tell; the hints follow from the request, the schema and
released values alone."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from headcount.release.about import About
from headcount.release.columns import Measure, measures
from headcount.source.frames.arrow_columns import as_floats

BY_CHANCE = 1 / 40
"""The share of intervals that lie above the truth by chance: half of 1 in 20."""
CLEAR_SHARE = 4 * BY_CHANCE
"""With fewer intervals beside 0 than this share, all of them may be noise."""
WHOLE_SCALE = 0.99
"""An interval that covers this part of a public range says nothing."""
METRIC = re.compile(r"\w+\((.+)\)(?: per person)?", re.S)
QUANTILE = re.compile(r"quantile\((.+), [^,]+\)", re.S)


def misread_hints(table: pa.Table, about: About, request: Mapping[str, Any]) -> list[str]:
    """Hints about conditions, dates and amounts if the release shows nothing of them."""
    parameters, kinds = (request.get(name) for name in ("parameters", "columns"))
    if not isinstance(parameters, dict) or not isinstance(kinds, dict):
        return []
    values, scales = measures(table, about), _scales(parameters)
    empty = all(_says_nothing(table, each, scales) for each in values) if values else not table.num_rows
    texts = [name for name, kind in kinds.items() if kind == "string"]
    dates, numbers = _dates(parameters), [*_binned(parameters, of_time=False), *_amounts(parameters)]
    unread = [name for name in numbers if empty or _is_unread(table, name, values, scales)]
    return [
        *(_about_conditions(parameters) if empty else []),
        *(_about_dates(name) for name in dates if empty and name in texts),
        *(_about_numbers(name) for name in unread if name in texts),
    ]


def _about_conditions(parameters: Mapping[str, Any]) -> list[str]:
    named = " and ".join(repr(name) for name in _firsts(parameters.get("where")))
    if not named:
        return []
    return [
        f"Does any row meet the conditions on {named}? Values are compared letter by letter, capitals and blanks "
        "included; a range needs plain numbers such as 12.50, or dates such as 2024-03-05."
    ]


def _about_dates(name: str) -> str:
    return f"Are the dates in {name!r} written as 2024-03-05? Others, such as 05/03/2024, do not count."


def _about_numbers(name: str) -> str:
    return (
        f"Are the values in {name!r} plain numbers such as 12.50? Others, such as $12.50, 45% or 1,200, do not count."
    )


def _is_unread(table: pa.Table, column: str, values: list[Measure], scales: Mapping[str, float]) -> bool:
    """True if no released value of a column of amounts says anything."""
    own = [each for each in values if _column(each.name) == column]
    return bool(own) and all(_says_nothing(table, each, scales) for each in own)


def _says_nothing(table: pa.Table, measure: Measure, scales: Mapping[str, float]) -> bool:
    """True if nearly all intervals of a value hold 0, or cover its whole public range."""
    low, high = (as_floats(table[name]) for name in (measure.low, measure.high))
    scale = scales.get(_column(measure.name) or measure.name, np.inf)
    silent = ((low <= 0) & (high >= 0)) | (high - low >= WHOLE_SCALE * scale)
    return bool(np.count_nonzero(~silent) <= CLEAR_SHARE * len(low))


def _column(metric: str) -> str:
    """The column of a metric; empty if it has none."""
    found = QUANTILE.fullmatch(metric) or METRIC.fullmatch(metric)
    return found[1] if found else ""


def _scales(parameters: Mapping[str, Any]) -> dict[str, float]:
    """Widths of public ranges: by column, or of the values of quantiles."""
    given = parameters.get("range")
    ends = given if isinstance(given, list) else []
    if len(ends) == 2 and all(isinstance(end, int | float) for end in ends):
        return {"value": abs(ends[1] - ends[0])}
    pairs = [each for each in ends if isinstance(each, list) and len(each) == 2 and isinstance(each[1], list)]
    return {str(name): abs(edges[-1] - edges[0]) for name, edges in pairs if _are_numbers(edges)}


def _are_numbers(edges: list[Any]) -> bool:
    return len(edges) > 1 and all(isinstance(edge, int | float) for edge in edges)


def _dates(parameters: Mapping[str, Any]) -> list[str]:
    """Columns that are read as dates."""
    named = [*_firsts(parameters.get("per")), *_firsts(parameters.get("dates"))]
    return list(dict.fromkeys([*named, *_binned(parameters, of_time=True)]))


def _binned(parameters: Mapping[str, Any], *, of_time: bool) -> list[str]:
    """Columns that are cut into bins of dates, or of numbers."""
    given = parameters.get("bins")
    pairs = [each for each in given if isinstance(each, list) and len(each) == 2] if isinstance(given, list) else []
    edges = [(name, ends) for name, ends in pairs if isinstance(name, str) and isinstance(ends, list) and ends]
    return [name for name, ends in edges if isinstance(ends[0], str) == of_time]


def _amounts(parameters: Mapping[str, Any]) -> list[str]:
    """Columns whose values are added up, averaged or ordered."""
    metrics = parameters.get("metrics")
    named = [_column(each) for each in metrics if isinstance(each, str)] if isinstance(metrics, list) else []
    single = [parameters.get(name) for name in ("sum", "value")]
    return list(dict.fromkeys(name for name in (*single, *named) if isinstance(name, str) and name))


def _firsts(given: Any) -> list[str]:
    """The columns of a list of columns, each with something else."""
    pairs = [each for each in given if isinstance(each, list) and each] if isinstance(given, list) else []
    return [each[0] for each in pairs if isinstance(each[0], str)]
