"""A total: one number."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headcount.release.about import About
from headcount.release.people import People, counts_people, largest_count
from headcount.release.views.layout import Layout
from headcount.release.views.view import View

if TYPE_CHECKING:
    from headcount.release.pictures.scene import Options, Scene
    from headcount.release.pictures.vega import Marks


class TotalView(View):
    """One row, drawn as a number."""

    def people(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> People | None:
        """The released total, if it is one of all people."""
        if not counts_people(about) or parameters.get("where"):
            return largest_count(table, about)
        return People(table["count"][0].as_py(), "the released total, with noise")

    def picture(self, table: pa.Table, about: About, options: "Options") -> "Scene":
        """The number, and its interval."""
        from headcount.release.pictures.curve import number

        return number(table, about, options)

    def chart(self, table: pa.Table, about: About, most: int) -> "Marks":
        """The number as text."""
        from headcount.release.pictures import vega

        return vega.number, table


TOTAL = TotalView("total", Layout(("count", "sum")))
