"""A kind of result: the columns of its table, how they are shown and drawn, and what a report says about them.

Views know released values and public parameters alone. Files keep the name of their view, which is never changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headcount.account.events import Event
from headcount.release import pictures
from headcount.release.about import About
from headcount.release.people import People, largest_count
from headcount.release.views.layout import Layout


@dataclass(frozen=True)
class View:
    """A kind of result; unless a method says otherwise, values of items, drawn as bars or as lines over dates."""

    name: str
    """`About.view` in files."""
    layout: Layout
    preface: str = ""
    """Begins what a report says about intervals."""
    cuts_nobody: bool = False
    """True if nobody can have more than the bound."""

    # validation of files that anybody may have written

    def check_plan(self, plan: dict[str, Any]) -> None:
        """Refuse a plan that lacks what the view needs; most are only shown."""

    def check_about(self, about: About, events: Sequence[Event]) -> None:
        """Refuse metadata that lack what the view needs."""

    def check_rows(self, table: pa.Table, about: About) -> None:
        """Refuse rows that the view cannot have, of columns that were checked."""

    # words

    def title(self, about: About) -> str:
        """What it is, for the title of a chart."""
        return about.what

    def shown(self, table: pa.Table, about: About) -> tuple[pa.Table, Sequence[str]]:
        """The table as it is shown, and its columns of numbers."""
        return table, self.layout.numbers(table, about)

    def notes(self, table: pa.Table, about: About) -> list[str]:
        """Lines below the rows of a summary: what they suggest, or that they hold no information."""
        return []

    def hints(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> list[str]:
        """Where budget was probably lost, by the rows; `parameters` are those of the request, unchecked."""
        return []

    def people(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> People | None:
        """The number of people, as far as it is released."""
        return largest_count(table, about)

    # pictures; Matplotlib is imported once something is drawn

    def picture(self, table: pa.Table, about: About, options: "pictures.Options") -> "pictures.Scene":
        """The picture."""
        return pictures.items.items(table, about, options)

    def chart(self, table: pa.Table, about: About, most: int) -> "pictures.Marks":
        """The marks of a Vega-Lite chart, and the rows that it shows."""
        return pictures.vega.items(table, about, most)
