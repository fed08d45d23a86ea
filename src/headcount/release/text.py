"""A release in a few lines, for a terminal or a log."""

import pyarrow as pa

from headcount.errors import visible
from headcount.release.about import NOT_BOUNDED, About
from headcount.release.cells import columns
from headcount.release.views import view_of
from headcount.source.queries.step import promise_sentence
from headcount.wording import counted_noun, wrapped

SHOWN = 10
"""Rows in a summary."""


def head(table: pa.Table, about: About, *, fresh: bool) -> str:
    """The lines above the rows: the headline, the promise of a query, and what low and high are for, if there are
    any."""
    notes = [promise_sentence(about.promise), visible(about.interval) if table.num_rows else ""]
    lines = [headline(table, about, fresh=fresh), *(wrapped(note) for note in notes if note)]
    return "\n".join(line for line in lines if line)


def headline(table: pa.Table, about: About, *, fresh: bool) -> str:
    """The first line of a summary: what it is, its number of rows, what it cost."""
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    chosen = f", {bound(about)}" if about.chosen else ""
    before = "" if fresh or not about.head else ", sealed before"
    return visible(f"{about.what}, from {about.dataset}: {rows(table.num_rows)}, {cost}{chosen}{before}")


def largest(table: pa.Table, about: About, most: int = SHOWN) -> list[str]:
    """The first `most` rows in aligned columns, and the number of the others."""
    more, first = table.num_rows - most, table.slice(0, most)
    rest = [f"... and {rows(more)} more"] if more > 0 else []
    return [*columns(*view_of(about).shown(first, about)), *rest]


def chart_title(about: About) -> str:
    """What it is, as the title of a chart: "People per song"; "Sum and mean of price per country"."""
    words = view_of(about).title(about)
    return visible(words[:1].upper() + words[1:])


def nothing(table: pa.Table, about: About) -> str:
    """Why there is no row."""
    bounded = f" after a bound of {about.bound:,}; a larger bound may help" if "certain" in table.column_names else ""
    return f"No item had enough {visible(about.unit)} to be shown{bounded}."


def bound(about: About) -> str:
    """The bound that was chosen; or that there is none, and why."""
    if about.chosen == NOT_BOUNDED:
        return "no bound (noise is smaller without one)"
    return f"bound {about.bound:,} (chosen)" if about.bound else "no bound (found one by one)"


def rows(count: int) -> str:
    """A number of rows: "1 row", "1,000 rows"."""
    return counted_noun(count, "row")
