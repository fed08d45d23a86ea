"""Counts of ranges of numbers, each by both of its ends."""

from typing import TYPE_CHECKING

import pyarrow as pa

from headcount.release.about import About
from headcount.release.views.layout import Layout
from headcount.release.views.view import View

if TYPE_CHECKING:
    from headcount.release.pictures.scene import Options, Scene
    from headcount.release.pictures.vega import Marks


class RangesView(View):
    """A bar for each range."""

    def picture(self, table: pa.Table, about: About, options: "Options") -> "Scene":
        """Bars that are called by both ends of their range."""
        from headcount.release.pictures.bars import bars

        return bars(table, about, options, lambda ends: f"{ends[0]:g} to {ends[1]:g}")

    def chart(self, table: pa.Table, about: About, most: int) -> "Marks":
        """Bars that are called by both ends of their range."""
        from headcount.release.pictures import vega

        return vega.ranges, table


RANGES = RangesView("ranges", Layout(numeric_items=True))
