"""A release as a Vega-Lite specification, for pages and notebooks that draw it themselves. The specification is plain
data; Altair, which is optional, checks it and shows it."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headcount.errors import BadParameter, optional_package, visible
from headcount.release.about import RANK, About
from headcount.release.export import plain_value
from headcount.release.measures import Measure, measures
from headcount.release.order import is_dated
from headcount.release.pictures.scene import BAND, BAR, WHISKER, interval_label, measure_label
from headcount.release.text import chart_title

if TYPE_CHECKING:
    import altair as alt

Spec = dict[str, Any]


def altair_chart(table: pa.Table, about: About, title: str | None, most: int) -> "alt.TopLevelMixin":
    """The specification as a chart."""
    altair = optional_package("altair", user="chart()", install="'headcount[chart]'")
    chart: alt.TopLevelMixin = altair.Chart.from_dict(specification(table, about, title, most))
    return chart


def specification(table: pa.Table, about: About, title: str | None, most: int) -> Spec:
    """Bars with rules for intervals, or lines with bands; several value columns are panels below each other."""
    if about.value == RANK:
        raise BadParameter("items without counts have no chart.", fix='count="users", or release.table')
    dated = "" if about.view in CHARTS else _dated(table, about)
    rows = table if dated or about.view in CHARTS else table.slice(0, most)
    panel = CHARTS.get(about.view, partial(_lines, dated=dated) if dated else _bars)
    panels = [panel(about, each) for each in measures(table, about)]
    words = chart_title(about) if title is None else title
    return {
        "title": {"text": words, "subtitle": f"{visible(about.interval)}", "anchor": "start"},
        "data": {"values": _values(rows)},
        **(panels[0] if len(panels) == 1 else {"vconcat": panels}),
    }


def _dated(table: pa.Table, about: About) -> str:
    """The column of dates; empty if there is none."""
    return next((column for column in about.by if column in table.column_names and is_dated(table[column])), "")


def _values(rows: pa.Table) -> list[dict[str, Any]]:
    """The rows as plain data."""
    plain: list[dict[str, Any]] = json.loads(json.dumps(rows.to_pylist(), default=plain_value))
    return plain


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


def _profile(about: About, measure: Measure) -> Spec:
    """People by size, with panels for items and events."""
    return _panels(_bars_of(_nominal(about.by[-1]), about, measure), about.by[:1])


def _ranges(about: About, measure: Measure) -> Spec:
    """A bar for each range, by both of its ends."""
    named = {"calculate": "datum['from'] + ' to ' + datum['to']", "as": "range"}
    return {"transform": [named], **_bars_of(_nominal("range"), about, measure)}


def _number(about: About, measure: Measure) -> Spec:
    """One number."""
    value = {**_value(about, measure), "format": ","}
    return {"mark": {"type": "text", "fontSize": 40}, "encoding": {"text": value}}


def _quantiles(about: About, measure: Measure) -> Spec:
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


def _ranks(about: About, measure: Measure) -> Spec:
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


CHARTS: dict[str, Callable[[About, Measure], Spec]] = {
    "profile": _profile,
    "quantiles": _quantiles,
    "ranges": _ranges,
    "shape": _ranks,
    "total": _number,
}
"""How a release is charted, by view; else as bars or lines."""
