"""Counts of ranges of numbers, each by both of its ends."""

import pyarrow as pa

from headcount.release import pictures
from headcount.release.about import About
from headcount.release.views.layout import Layout
from headcount.release.views.view import View


class RangesView(View):
    """A bar for each range."""

    def picture(self, table: pa.Table, about: About, options: "pictures.Options") -> "pictures.Scene":
        """Bars that are called by both ends of their range."""
        return pictures.bars.bars(table, about, options, lambda ends: f"{ends[0]:g} to {ends[1]:g}")

    def chart(self, table: pa.Table, about: About, most: int) -> "pictures.Marks":
        """Bars that are called by both ends of their range."""
        return pictures.vega.ranges, table


RANGES = RangesView("ranges", Layout(numeric_items=True))
