"""The marks of Vega-Lite charts: bars with rules for intervals, lines with bands, curves, one number."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from headcount.errors import visible
from headcount.release.about import About
from headcount.release.columns import Measure, is_dated
from headcount.release.pictures.scene import BAND, BAR, WHISKER, interval_label, measure_label

Spec = dict[str, Any]
Marks = tuple[Callable[[About, Measure], Spec], pa.Table]
"""What draws a panel of a value column, and the rows to draw."""


def items(table: pa.Table, about: About, most: int) -> Marks:
    """Lines over dates, if there are some; else bars of the first `most` rows."""
    dated = next((column for column in about.by if column in table.column_names and is_dated(table[column])), "")
    return (partial(_lines, dated=dated), table) if dated else (_bars, table.slice(0, most))


def _field(name: str) -> str:
    """A column's name, in which dots and brackets mean nothing."""
    return "".join(f"\\{char}" if char in "\\.[]'\"" else char for char in name)


def _ends(measure: Measure, channel: str) -> Spec:
    return {
        channel: {"field": _field(measure.low), "type": "quantitative"},
        f"{channel}2": {"field": _field(measure.high)},
    }


def _value(about: About, measure: Measure) -> Spec:
    title = f"{measure_label(measure, about, {})}, {interval_label(about)}"
    return {"field": _field(measure.name), "type": "quantitative", "title": title}


def _nominal(name: str) -> Spec:
    """A column of items, in the order of the rows."""
    return {"field": _field(name), "type": "nominal", "sort": None, "title": visible(name)}


def _bars(about: About, measure: Measure) -> Spec:
    """Horizontal bars with their intervals; a second column makes panels below each other."""
    first, *others = about.by
    return _panels(_bars_of(_nominal(first), about, measure), others)


def _bars_of(item: Spec, about: About, measure: Measure) -> Spec:
    return {
        "layer": [
            {"mark": {"type": "bar", "color": BAR}, "encoding": {"y": item, "x": _value(about, measure)}},
            {"mark": {"type": "rule", "color": WHISKER}, "encoding": {"y": item, **_ends(measure, "x")}},
        ]
    }


def _panels(layers: Spec, by: Sequence[str]) -> Spec:
    """A panel for each item of another column, if there is one."""
    return {"facet": {"row": _nominal(by[0])}, "spec": layers} if by else layers


def profile(about: About, measure: Measure) -> Spec:
    """People by size, with panels for items and events."""
    return _panels(_bars_of(_nominal(about.by[-1]), about, measure), about.by[:1])


def ranges(about: About, measure: Measure) -> Spec:
    """A bar for each range, by both of its ends."""
    named = {"calculate": "datum['from'] + ' to ' + datum['to']", "as": "range"}
    return {"transform": [named], **_bars_of(_nominal("range"), about, measure)}


def number(about: About, measure: Measure) -> Spec:
    """One number."""
    value = {**_value(about, measure), "format": ","}
    return {"mark": {"type": "text", "fontSize": 40}, "encoding": {"text": value}}


def quantiles(about: About, measure: Measure) -> Spec:
    """The fraction below each value."""
    part = {"field": "q", "type": "quantitative", "title": "part below", "axis": {"format": "%"}}
    return {
        "layer": [
            {"mark": {"type": "rule", "color": WHISKER}, "encoding": {"y": part, **_ends(measure, "x")}},
            {
                "mark": {"type": "line", "point": True, "color": BAR},
                "encoding": {"y": part, "x": _value(about, measure)},
            },
        ]
    }


def ranks(about: About, measure: Measure) -> Spec:
    """Counts by rank, both axes logarithmic."""
    rank = {"field": "at_least", "type": "quantitative", "scale": {"type": "log"}, "title": "rank of the item"}
    value = {**_value(about, measure), "scale": {"type": "log"}}
    return {
        "mark": {"type": "line", "interpolate": "step-before", "color": WHISKER},
        "encoding": {"x": rank, "y": value, "order": {"field": "at_least"}},
    }


def _lines(about: About, measure: Measure, dated: str) -> Spec:
    """Lines with bands; the items of a second column have a colour each."""
    others = [column for column in about.by if column != dated]
    day = {"field": _field(dated), "type": "temporal", "title": visible(dated)}
    split = {"color": {"field": _field(others[0]), "type": "nominal", "title": visible(others[0])}} if others else {}
    band = {"type": "area", "opacity": 0.3, **({} if others else {"color": BAND})}
    line = {"type": "line", "point": True, **({} if others else {"color": WHISKER})}
    return {
        "layer": [
            {"mark": band, "encoding": {"x": day, **_ends(measure, "y"), **split}},
            {"mark": line, "encoding": {"x": day, "y": _value(about, measure), **split}},
        ]
    }
