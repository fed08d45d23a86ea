"""Quantiles of a column of numbers, on a public scale."""

import json
from collections.abc import Mapping
from math import inf
from typing import Any

import pyarrow as pa

from headcount.release import pictures
from headcount.release.about import About
from headcount.release.columns import measures
from headcount.release.hints.rows import vague_hints
from headcount.release.plain import is_number, refuse
from headcount.release.views.layout import Layout
from headcount.release.views.view import View

NO_QUANTILES = "Nothing was learned: too few rows hold a plain number, or epsilon is too small."


class QuantilesView(View):
    """A point for each quantile, on a curve."""

    def check_plan(self, plan: dict[str, Any]) -> None:
        """Refuse edges that are no numbers."""
        edges = edges_in(plan)
        if not (edges and all(map(is_number, edges))):
            refuse("plan")

    def notes(self, table: pa.Table, about: About) -> list[str]:
        """A warning if every interval is the whole scale."""
        edges = edges_in(json.loads(about.plan)) if about.plan else [-inf, inf]
        everywhere = set(table["low"].to_pylist()) == {edges[0]} and set(table["high"].to_pylist()) == {edges[-1]}
        return [NO_QUANTILES] if everywhere else []

    def hints(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> list[str]:
        """Quantiles that are hardly known."""
        return [hint for each in measures(table, about) for hint in vague_hints(table, about, each, "quantiles")]

    def picture(self, table: pa.Table, about: About, options: "pictures.Options") -> "pictures.Scene":
        """The fraction below each value."""
        return pictures.curve.quantiles(table, about, options)

    def chart(self, table: pa.Table, about: About, most: int) -> "pictures.Marks":
        """The fraction below each value."""
        return pictures.vega.quantiles, table


def edges_in(plan: dict[str, Any]) -> list[Any]:
    """The edges of the scale, or the lowest and the highest value; of plans before format 7 under `question`, of
    federated rounds under `scale`, as text."""
    if "scale" in plan:
        return list(map(float, plan["scale"]["edges"]))
    if "question" in plan:
        edges: list[Any] = plan["question"]["axis"]["edges"]
        return edges
    given = plan["parameters"]
    return list(given["edges"] or given["range"])


QUANTILES = QuantilesView("quantiles", Layout(("value",), fractions=True, numeric_items=True))
