"""Shares of items, which sum to 1."""

import pyarrow as pa

from headcount.release import pictures
from headcount.release.about import About
from headcount.release.views.layout import Layout
from headcount.release.views.view import View

NO_SHARES = "Nothing was learned: too few people have that many samples, or epsilon is too small. All shares are alike."


class DistributionView(View):
    """A bar for each item, in percent."""

    def notes(self, table: pa.Table, about: About) -> list[str]:
        """A warning if every interval is from 0 to 1."""
        low, high = (table[end].to_pylist() for end in ("low", "high"))
        return [NO_SHARES] if len(low) > 1 and max(low) == 0 and min(high) == 1 else []

    def picture(self, table: pa.Table, about: About, options: "pictures.Options") -> "pictures.Scene":
        """Bars in percent."""
        return pictures.bars.bars(table, about, options, percent=True)


DISTRIBUTION = DistributionView("distribution", Layout(("share",), fractions=True))
