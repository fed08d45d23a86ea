"""What a simulation found, as a table. NOT PRIVATE: it compares with the truth."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headcount.errors import optional_package, visible
from headcount.release.cells import columns
from headcount.release.files import write
from headcount.wording import counted_noun
from headcount.wording.markup import card, paragraphs
from headcount.wording.markup import table as html_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WARNING = "NOT PRIVATE: RELEASES NEXT TO EXACT VALUES. DO NOT RUN THIS ON SECRET DATA."
LEGEND = (
    "items: true number of items. shown: mean number of rows. median_error: relative, of what is shown.",
    "l1: sum of absolute errors, where an item that is not shown counts as 0. coverage: intervals that hold the "
    "truth, meant to be 95% where intervals_for is true; standard_error: how far chance moves it, by the differences "
    "between releases.",
)
PERCENT = ("median_error", "coverage", "standard_error")
TEXTS = ("measure", "intervals_for")


@dataclass(frozen=True, repr=False)
class Simulation:
    """Error, coverage and items shown, a row for each way and each released column. NOT PRIVATE."""

    table: pa.Table
    """The parameters that differ, then measure, items, shown, median_error, l1, coverage, standard_error,
    intervals_for."""
    varied: tuple[str, ...]
    """The parameters that differ between ways."""
    what: str
    """What was released, in a few words."""
    runs: int
    """Releases of each way."""

    def __str__(self) -> str:
        texts = self._texts()
        numbers = [name for name in texts.column_names if name not in (*self.varied, *TEXTS)]
        return "\n".join([WARNING, "", self.title, "", *columns(texts, numbers), "", *LEGEND])

    __repr__ = __str__

    @property
    def title(self) -> str:
        """What was released, and how often."""
        return visible(f"{self.what}: {counted_noun(self.runs, 'release')} of each way")

    def _repr_html_(self) -> str:
        texts = self._texts()
        rows = zip(*(column.to_pylist() for column in texts.columns), strict=True)
        numbers = [name not in (*self.varied, *TEXTS) for name in texts.column_names]
        shown = html_table(texts.column_names, list(rows), numbers)
        return card(f"<p><b>{WARNING}</b></p>\n{paragraphs([self.title])}{shown}\n{paragraphs(LEGEND)}")

    def _texts(self) -> pa.Table:
        """The table with every cell as text."""
        found = {name: [_cell(name, cell) for cell in self.table[name].to_pylist()] for name in self.table.column_names}
        return pa.table(found)

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a pandas frame."""
        optional_package("pandas", user="to_pandas()", install="pandas")
        frame: pd.DataFrame = self.table.to_pandas()
        return frame

    def plot(self, path: str | Path | None = None) -> "Figure":
        """The picture: errors, coverage and items shown of each way, as a figure; and as a .png, .svg or .pdf if a path
        is given."""
        from headcount.release.plot import render
        from headcount.simulation.picture import picture

        figure = picture(self.table, self.varied, f"{WARNING}\n{self.title}")
        if path is not None:
            write(path, render(figure, Path(path).suffix))
        return figure


def _cell(name: str, cell: Any) -> str:
    """A cell for people: parts in percent, numbers with separators, a dash where there is none."""
    if cell is None:
        return "-"
    if name in PERCENT:
        return f"{cell:.1%}"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:,.3g}"
