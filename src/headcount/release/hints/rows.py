"""Hints from released rows: nothing is shown, most values are noise, or hardly known."""

from collections.abc import Mapping
from math import log
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa

from headcount.account.events import Laplace, from_json
from headcount.exact import Floats
from headcount.release.about import About
from headcount.release.columns import Measure, measures
from headcount.release.hints.misread import BY_CHANCE, CLEAR_SHARE
from headcount.release.hints.request import LARGEST_EPSILON, amount_of
from headcount.source.frames.arrow_columns import as_floats

MANY_ROWS = 1000
"""From here on chance alone lifts many values."""
MAX_WIDTHS = 6
"""An interval more than this many times as wide as its value, or as the geometric mean of its ends, says next to
nothing."""


def hidden_hints(table: pa.Table, about: About, parameters: Mapping[str, Any]) -> list[str]:
    """Suggest what would show items, if none is shown."""
    if table.num_rows or not parameters:
        return []
    epsilon = 2 * amount_of(about.epsilon)
    more = f"epsilon={epsilon:g} halves what an item needs; " if epsilon <= LARGEST_EPSILON else ""
    user, items = parameters.get("user"), ", ".join(map(repr, about.by))
    return [
        f"Is {user!r} the person, and {items} what many of them share? An item that hardly anybody shares, "
        "such as an id or an exact time, stays hidden at any epsilon, but for a chance of delta.",
        f'To show more: {more}coarser items (per="month", bins=[...], fewer columns) have more people each; a public '
        "list of items (keys=[...]) is shown in full.",
    ]


def noise_hints(table: pa.Table, about: About) -> list[str]:
    """How to read a long list of which most values are noise."""
    rows, several = table.num_rows, measures(table, about)
    if rows < MANY_ROWS or about.unit not in ("people", "events") or not several:
        return []
    value, low, high = _values(table, several[0])
    clear = int(np.count_nonzero(low > 0))
    if clear >= CLEAR_SHARE * rows:
        return []
    minimum = float(np.median(high - value)) * _largest_of(rows, about)
    return [
        f"Most of these {rows:,} values are noise: {clear:,} intervals lie above 0, and about {rows * BY_CHANCE:,.0f} "
        f"would if nobody had any of the items. Only values above about {minimum:,.0f} are clearly more than noise, "
        "wherever the others stand in the list."
    ]


def _largest_of(rows: int, about: About) -> float:
    """How much larger the largest noise of all rows is than that of 19 of 20, by its tail."""
    events = from_json(about.events) if about.events else ()
    if events and isinstance(events[-1], Laplace):
        return log(rows / 0.05) / log(1 / 0.05)
    return NormalDist().inv_cdf(1 - 0.025 / rows) / NormalDist().inv_cdf(0.975)


def vague_hints(table: pa.Table, about: About, measure: Measure, which: str, better: str = "") -> list[str]:
    """A hint if a quantile is hardly known in some rows: its intervals reach over most of a public range that spans
    decades. `which` says which quantiles, `better` what else would help."""
    many, rows = _vague_rows(table, measure), table.num_rows
    words = (
        f"{many:,} of {rows:,} {which} are hardly known: their intervals are more than {MAX_WIDTHS} times as wide as "
        f'what lies in the middle. Read them as "not known". Fix: {better}a narrower range, or '
        f"epsilon={2 * amount_of(about.epsilon):g}"
    )
    return [words] if many else []


def _vague_rows(table: pa.Table, measure: Measure) -> int:
    """Rows whose interval is far wider than their value; none if values may be negative, as 0 is no measure then."""
    value, low, high = _values(table, measure)
    middle = np.where(low > 0, np.minimum(value, np.sqrt(np.abs(low)) * np.sqrt(np.abs(high))), value)
    return 0 if (low < 0).any() else int((high - low > MAX_WIDTHS * middle).sum())


def _values(table: pa.Table, measure: Measure) -> list[Floats]:
    """The values, and both ends of their intervals."""
    return [as_floats(table[name]) for name in (measure.name, measure.low, measure.high)]
