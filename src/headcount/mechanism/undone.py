"""What a sample removed, undone: counts that are corrected by one ratio, and intervals that allow for people who have
far more. Functions of released values."""

import numpy as np

from headcount.bound.boundings.sample import Sample
from headcount.estimate.constants import Z
from headcount.estimate.counts.debias import by_ratio, to_int64
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import LARGE_HIDDEN, Columns

MAX_HIDDEN = 2.0
"""An item is taken to lack at most this many times its count."""


def undo_sampling(released: Columns, sample: Sample, noise: float) -> Columns:
    """Columns of counts with noise of this standard deviation, corrected if what the sample removed is measured."""
    if sample.lost is None or not len(released.by_name["count"]):
        return released
    ends = released.by_name["count"], released.by_name["low"], released.by_name["high"]
    counts, low, high = by_ratio(ends, sample.lost.taken, sample.lost.deviation, shrunk=True)
    hidden = np.minimum(sample.hidden, MAX_HIDDEN * counts)
    above = to_int64(np.ceil(counts + np.hypot(high - counts, hidden)))
    columns = dict(zip(released.by_name, (counts, low, np.maximum(high, above)), strict=True))
    return Columns(columns, tail=hidden_part(hidden, counts, Z * noise))


def hidden_part(hidden: Floats, counts: Integers | Floats, clear: float | Floats) -> dict[str, float]:
    """The part of itself by which a typical count that is clear of noise may be too small, if that part is large."""
    seen = counts > clear
    part = float(hidden[seen].sum() / max(counts[seen].sum(), 1.0))
    return {"count": part} if part > LARGE_HIDDEN else {}
