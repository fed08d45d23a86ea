"""The amount that sums may lack, in the sentence about what intervals cannot cover. It follows from released values."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from headcount.release.about import About
from headcount.release.columns import Measure, measures
from headcount.source.frames.arrow_columns import as_floats
from headcount.wording import format_number

SUMS = ("sum", "sum(")


def with_amounts(about: About, table: pa.Table) -> About:
    """The same, with the amounts that sums may lack in what is said to be unseen, if anything is."""
    sums = [each for each in measures(table, about) if each.name == SUMS[0] or each.name.startswith(SUMS[1])]
    if not about.unseen or not sums or not table.num_rows:
        return about
    listed = " and ".join(_lacks(each, table) for each in sums)
    unseen = f"{about.unseen} By that estimate, {listed}."
    return replace(about, unseen=unseen, steps=tuple(unseen if each == about.unseen else each for each in about.steps))


def _lacks(measure: Measure, table: pa.Table) -> str:
    """By how much a sum may be too small, or off if sums are negative: the far end of its interval, where that is
    farthest from its value."""
    columns = (measure.name, measure.low, measure.high)
    value, low, high = (as_floats(table[name]) for name in columns)
    where = " in a single row" if table.num_rows > 1 else ""
    signed = bool((value < 0).any())
    far = np.maximum(high - value, value - low) if signed else high - value
    off = "off" if signed else "too small"
    return f"{measure.name} is {off} by at most {format_number(float(np.max(far)))}{where}"
