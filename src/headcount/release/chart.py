"""A release as a Vega-Lite specification, for pages and notebooks that draw it themselves. The specification is plain
data; Altair, which is optional, checks it and shows it."""

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headcount.errors import BadParameter, optional_package, visible
from headcount.release.about import About
from headcount.release.columns import measures
from headcount.release.export import plain_value
from headcount.release.pictures.vega import Spec
from headcount.release.text import chart_title
from headcount.release.views import view_of

if TYPE_CHECKING:
    import altair as alt


def altair_chart(table: pa.Table, about: About, title: str | None, most: int) -> "alt.TopLevelMixin":
    """The specification as a chart."""
    altair = optional_package("altair", user="chart()", install="'headcount[chart]'")
    chart: alt.TopLevelMixin = altair.Chart.from_dict(specification(table, about, title, most))
    return chart


def specification(table: pa.Table, about: About, title: str | None, most: int) -> Spec:
    """Bars with rules for intervals, or lines with bands; several value columns are panels below each other."""
    several = measures(table, about)
    if not several:
        raise BadParameter("items without counts have no chart.", fix='count="users", or release.table')
    panel, rows = view_of(about).chart(table, about, most)
    panels = [panel(about, each) for each in several]
    words = chart_title(about) if title is None else title
    return {
        "title": {"text": words, "subtitle": f"{visible(about.interval)}", "anchor": "start"},
        "data": {"values": _values(rows)},
        **(panels[0] if len(panels) == 1 else {"vconcat": panels}),
    }


def _values(rows: pa.Table) -> list[dict[str, Any]]:
    """The rows as plain data."""
    plain: list[dict[str, Any]] = json.loads(json.dumps(rows.to_pylist(), default=plain_value))
    return plain
