"""Statistics of groups: several values, each with its own interval."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headcount.release.about import About
from headcount.release.cells import shown_column
from headcount.release.columns import measures
from headcount.release.hints.rows import hidden_hints, vague_hints
from headcount.release.people import People
from headcount.release.views.layout import Layout
from headcount.release.views.view import View

PEOPLE = "people"
"""The metric that counts people."""
ORDERED = ("median(", "quantile(")
"""Begin the metrics that are quantiles."""
COARSER = "coarser groups with more people each, "
"""What makes a quantile better known, before anything else."""
STATISTICS = re.compile(r"\w+\((?P<column>[^(),]+)\)(?:, \w+\((?P=column)\)(?! per person))*(?! per person)")
"""Statistics of one column, one after the other."""


class AggregateView(View):
    """Statistics of groups; each is shown as one column, with its interval in brackets."""

    def title(self, about: About) -> str:
        """The statistics, of which those of one column name it once."""
        return STATISTICS.sub(_together, about.what)

    def shown(self, table: pa.Table, about: About) -> tuple[pa.Table, Sequence[str]]:
        """Each value with its interval in one cell: "777 (727 to 828)"."""
        values = table.column_names[len(about.by) :: 3]
        cells = {name: table[name] for name in about.by} | {name: _with_interval(table, name) for name in values}
        return pa.table(cells), values

    def hints(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> list[str]:
        """Quantiles that are hardly known, and what would show something."""
        ordered = [each for each in measures(table, about) if each.name.startswith(ORDERED)]
        vague = (vague_hints(table, about, each, f"values of {each.name}", COARSER) for each in ordered)
        return [*chain.from_iterable(vague), *hidden_hints(table, about, parameters)]

    def people(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> People | None:
        """The people of all groups that are shown, added up."""
        counted = [measure.name for measure in measures(table, about)]
        if PEOPLE not in counted or not table.num_rows:
            return None
        origin = "the groups shown, added up, with noise; a person in several groups counts several times"
        return People(round(pc.sum(table[PEOPLE]).as_py()), origin, roughly=True)


def _with_interval(table: pa.Table, name: str) -> pa.Array:
    """A value and the ends of its interval, with one number of decimals."""
    parts = zip(*(table[f"{name}{end}"].to_pylist() for end in ("", "_low", "_high")), strict=True)
    texts = iter(shown_column([cell for row in parts for cell in row], name, [name]))
    rows = zip(texts, texts, texts, strict=True)
    return pa.array([f"{value} ({low} to {high})" for value, low, high in rows], pa.string())


def _together(match: re.Match[str]) -> str:
    """Statistics of one column, which is named once.

    >>> STATISTICS.sub(_together, "people, sum(price), mean(price), median(price), mean(age) per country")
    'people, sum, mean and median of price, mean of age per country'
    """
    *others, last = re.findall(r"(\w+)\(", match[0])
    return f"{', '.join(others)}{' and ' if others else ''}{last} of {match['column']}"


AGGREGATE = AggregateView(
    "aggregate", Layout(several=True), preface="Each value is followed by its interval, low to high. "
)
