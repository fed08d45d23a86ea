"""A hint about quantiles that are hardly known: their intervals reach over most of a public range that spans
decades. It follows from released values alone."""

import numpy as np
import pyarrow as pa

from headcount.release.about import About
from headcount.release.measures import Measure, measures

MOST_WIDTHS = 6
"""An interval more than this many times as wide as its value, or as the geometric mean of its ends, says next to
nothing."""
ORDERED = ("median(", "quantile(")


def vague_hints(table: pa.Table, about: About, epsilon: float) -> list[str]:
    """A hint for each quantile that is hardly known in some rows."""
    found = [each for each in measures(table, about) if about.view == "quantiles" or each.name.startswith(ORDERED)]
    return [_hint(each, many, table.num_rows, about, epsilon) for each in found if (many := vague_rows(table, each))]


def vague_rows(table: pa.Table, measure: Measure) -> int:
    """Rows whose interval is far wider than their value; none if values may be negative, as 0 is no measure then."""
    value, low, high = (table[name].to_numpy().astype(float) for name in (measure.name, measure.low, measure.high))
    middle = np.where(low > 0, np.minimum(value, np.sqrt(np.abs(low)) * np.sqrt(np.abs(high))), value)
    return 0 if (low < 0).any() else int((high - low > MOST_WIDTHS * middle).sum())


def _hint(measure: Measure, many: int, rows: int, about: About, epsilon: float) -> str:
    groups = "" if about.view == "quantiles" else "coarser groups with more people each, "
    which = "quantiles" if about.view == "quantiles" else f"values of {measure.name}"
    return (
        f"{many:,} of {rows:,} {which} are hardly known: their intervals are more than {MOST_WIDTHS} times as wide as "
        f'what lies in the middle. Read them as "not known". Fix: {groups}a narrower range, or epsilon={2 * epsilon:g}'
    )
