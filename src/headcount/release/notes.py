"""Lines below the rows of a summary, by view: what the rows suggest, or that they hold no information."""

import json
from collections.abc import Callable
from math import inf

import pyarrow as pa

from headcount.release.about import About
from headcount.release.profile import suggested_bound
from headcount.release.scale import edges_in
from headcount.source.derived import EVENTS, ITEMS

NO_SHARES = "Nothing was learned: too few people have that many samples, or epsilon is too small. All shares are alike."
NO_QUANTILES = "Nothing was learned: too few rows hold a plain number, or epsilon is too small."


def notes(table: pa.Table, about: About) -> list[str]:
    """The lines, after an empty one; none for most views."""
    lines = NOTES[about.view](table, about) if about.view in NOTES else []
    return ["", *lines] if lines else []


def profile(table: pa.Table, about: About) -> list[str]:
    """The bound that a profile suggests."""
    items, events = (suggested_bound(table, about, what) for what in (ITEMS, EVENTS))
    return [f"suggested: bound={items}; 95% of people have at most {items} items (and {events} events)"]


def distribution(table: pa.Table, about: About) -> list[str]:
    """A warning if every interval is from 0 to 1."""
    low, high = (table[end].to_pylist() for end in ("low", "high"))
    return [NO_SHARES] if len(low) > 1 and max(low) == 0 and min(high) == 1 else []


def quantiles(table: pa.Table, about: About) -> list[str]:
    """A warning if every interval is the whole scale."""
    edges = edges_in(json.loads(about.plan)) if about.plan else [-inf, inf]
    everywhere = set(table["low"].to_pylist()) == {edges[0]} and set(table["high"].to_pylist()) == {edges[-1]}
    return [NO_QUANTILES] if everywhere else []


NOTES: dict[str, Callable[[pa.Table, About], list[str]]] = {
    "profile": profile,
    "quantiles": quantiles,
    "distribution": distribution,
}
