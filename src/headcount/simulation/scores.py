"""A release against the truth, and what several releases come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.exact import Floats
from headcount.release import Release
from headcount.release.about import RANK
from headcount.release.columns import Measure, measures
from headcount.simulation.truth import TrueValues, Truth


@dataclass(frozen=True)
class Score:
    """One column of one release."""

    shown: int
    """Number of rows."""
    relative: Floats
    """Relative error of each item that is shown and whose true value is not 0."""
    l1: float
    """Sum of absolute errors over all items; one that is not shown counts as 0."""
    covered: Floats
    """1 for each interval that holds the truth, 0 for each other."""
    estimand: str
    """What the intervals are for."""


def scores(release: Release, truth: Truth) -> dict[str, Score]:
    """The scores of each column of values; of items without counts, only their number."""
    if release.about.value == RANK:
        nothing = np.array([])
        return {RANK: Score(len(release), nothing, float("nan"), nothing, release.about.estimand)}
    return {each.name: _score(release, each, truth[each.name]) for each in measures(release.table, release.about)}


def _score(release: Release, measure: Measure, truth: TrueValues) -> Score:
    items = list(zip(*(release[column].to_pylist() for column in release.about.by), strict=True))
    absent = 0.0 if truth.additive else float("nan")
    true = np.array([truth.by_item.get(item, absent) for item in items], dtype=float)
    value, low, high = (_numbers(release, column) for column in (measure.name, measure.low, measure.high))
    known, error = ~np.isnan(true), np.abs(value - true)
    relative = error[known & (true != 0)] / np.abs(true[known & (true != 0)])
    covered = ((low <= true) & (true <= high))[known].astype(float)
    l1 = float(error[known].sum()) + _missed(truth, items)
    return Score(len(release), relative, l1, covered, release.about.estimand)


def _numbers(release: Release, column: str) -> Floats:
    return np.array(release[column].to_pylist(), dtype=float)


def _missed(truth: TrueValues, items: Sequence[tuple[Any, ...]]) -> float:
    """What the items that are not shown add up to."""
    shown = set(items)
    return sum(abs(value) for item, value in truth.by_item.items() if item not in shown) if truth.additive else 0.0


def standard_error(covered: Sequence[Floats]) -> float | None:
    """Standard error of the coverage. Intervals of one release share their errors, so releases are what is drawn."""
    sizes, hits = (np.array([of(each) for each in covered], dtype=float) for of in (len, np.sum))
    if len(sizes) < 2 or not sizes.all():
        return None
    off = hits - sizes * hits.sum() / sizes.sum()
    return float(np.sqrt(len(sizes) / (len(sizes) - 1) * (off**2).sum()) / sizes.sum())


def combined(several: Sequence[Score], true_items: int) -> dict[str, Any]:
    """The columns of one row of a simulation: medians and means over all releases."""
    relative, covered = (np.concatenate([getattr(each, name) for each in several]) for name in ("relative", "covered"))
    l1 = float(np.mean([each.l1 for each in several]))
    return {
        "items": true_items,
        "shown": float(np.mean([each.shown for each in several])),
        "median_error": float(np.median(relative)) if len(relative) else None,
        "l1": None if np.isnan(l1) else l1,
        "coverage": float(np.mean(covered)) if len(covered) else None,
        "standard_error": standard_error([each.covered for each in several]),
        "intervals_for": " or ".join(sorted({each.estimand for each in several})),
    }
