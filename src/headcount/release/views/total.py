"""A total: one number."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from headcount.release import pictures
from headcount.release.about import About
from headcount.release.people import People, counts_people, largest_count
from headcount.release.views.layout import Layout
from headcount.release.views.view import View


class TotalView(View):
    """One row, drawn as a number."""

    def people(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> People | None:
        """The released total, if it is one of all people."""
        if not counts_people(about) or parameters.get("where"):
            return largest_count(table, about)
        return People(table["count"][0].as_py(), "the released total, with noise")

    def picture(self, table: pa.Table, about: About, options: "pictures.Options") -> "pictures.Scene":
        """The number, and its interval."""
        return pictures.curve.number(table, about, options)

    def chart(self, table: pa.Table, about: About, most: int) -> "pictures.Marks":
        """The number as text."""
        return pictures.vega.number, table


TOTAL = TotalView("total", Layout(("count", "sum")))
