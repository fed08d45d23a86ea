"""Values of items: a histogram, or the most common items."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from headcount.release.about import About
from headcount.release.hints.rows import hidden_hints, noise_hints
from headcount.release.views.layout import Layout
from headcount.release.views.view import View


class ItemsView(View):
    """Values of items; those of too few people are hidden."""

    def hints(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> list[str]:
        """What would show something, or how to read a list that is mostly noise."""
        return [*hidden_hints(table, about, parameters), *noise_hints(table, about)]


ITEMS = ItemsView("", Layout(values=()))
