"""The rows of quantiles and ranges: what follows from a tree of counts, or from the way to a quantile."""

from math import log, sqrt
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri

from headcount.account.events import Laplace, SampleThreshold
from headcount.estimate.ordered import quantile, sampled_tree, tree
from headcount.estimate.ordered.quantile import Counts
from headcount.mechanism import BinarySearch, Hierarchy, Noisy, NoisyTree, SearchPath
from headcount.question import Question
from headcount.release.undone import whole

Floats = NDArray[np.float64]
TAIL = log(20) / sqrt(2) / 1.96
"""So many times wider than its deviation says is Laplace noise, if intervals of 1.96 deviations are to hold 95%."""


def rows(noisy: Noisy, mechanism: Hierarchy | BinarySearch, question: Question) -> pa.Table:
    """(q, value, low, high), or (from, to, count, low, high)."""
    if isinstance(noisy, SearchPath) and isinstance(mechanism, BinarySearch):
        return _quantiles(question, *_ends(noisy, mechanism, question))
    assert isinstance(noisy, NoisyTree)
    assert isinstance(mechanism, Hierarchy)
    found = _consistent(noisy, mechanism)
    assert question.axis is not None
    if question.view == "ranges":
        return _ranges(question, found)
    return _quantiles(question, *quantile.quantiles(found, _floats(question), question.axis.points))


def _consistent(noisy: NoisyTree, mechanism: Hierarchy) -> Counts:
    """The tree whose levels agree, in people's rows."""
    event, unit = mechanism.event, mechanism.bounding.unit
    if isinstance(event, SampleThreshold):
        return sampled_tree.consistent(mechanism.shape, list(noisy.levels), float(event.rate), event.threshold)
    wider = TAIL if isinstance(event, Laplace) else 1.0
    levels = [values / unit for values in noisy.levels]
    return tree.consistent(mechanism.shape, levels, [(wider * mechanism.deviation) ** 2] * len(levels))


def _floats(question: Question) -> Floats:
    return np.array([float(each) for each in question.q])


def _quantiles(question: Question, values: Floats, low: Floats, high: Floats) -> pa.Table:
    values = np.sort(values)  # searched for one by one, two may have crossed; intervals only become wider
    low = np.minimum(np.minimum.accumulate(low[::-1])[::-1], values)
    high = np.maximum(np.maximum.accumulate(high), values)
    columns: dict[str, Any] = {"q": _floats(question), "value": values, "low": low, "high": high}
    return pa.table({name: pa.array(np.asarray(each, dtype=np.float64)) for name, each in columns.items()})


def _ranges(question: Question, found: Counts) -> pa.Table:
    assert question.axis is not None
    ends = np.array(question.ranges, dtype=np.float64)
    first, last = (np.searchsorted(question.axis.points, ends[:, side]) for side in (0, 1))
    counts, low, high = quantile.ranges(found, first, last)
    if question.how == "sample-threshold":
        counts = np.where(low > 0, counts, 0.0)  # as of items: what was not seen is told as none
    told = {"count": whole(np.rint(counts)), "low": whole(np.floor(low)), "high": whole(np.ceil(high))}
    return pa.table({"from": ends[:, 0], "to": ends[:, 1], **told})


def _ends(noisy: SearchPath, mechanism: BinarySearch, question: Question) -> tuple[Floats, Floats, Floats]:
    """A place in the cell at which each search ended; and the cuts nearest to it that are clearly below and above, all
    rounds together, in 19 of 20 cases."""
    assert question.axis is not None
    points = question.axis.points
    more, away = _answers(noisy, mechanism, question)
    clearly = away * _deviations(mechanism)
    cuts = np.minimum(noisy.cuts[:, :-1], mechanism.cells)
    low = np.where(more < -clearly, cuts, 0).max(axis=1)
    high = np.where(more > clearly, cuts, mechanism.cells).min(axis=1)
    ends = points[noisy.values], points[noisy.values + 1]
    values = ends[0] + _part(noisy, more) * (ends[1] - ends[0])
    return values, np.minimum(points[low], ends[0]), np.maximum(points[high], ends[1])


def _deviations(mechanism: BinarySearch) -> float:
    """So many deviations are exceeded to one side with a chance of 0.025, shared among all rounds."""
    chance = 0.025 / mechanism.rounds
    return log(1 / (2 * chance)) / sqrt(2) if isinstance(mechanism.event, Laplace) else float(-ndtri(chance))


def _part(noisy: SearchPath, more: Floats) -> Floats:
    """How far into its cell each quantile is: by the answers at the cell's two ends, if both were asked; else half."""
    first, last = (noisy.cuts[:, :-1] == noisy.values[:, None] + side for side in (0, 1))
    short, over = -np.where(first, more, 0).sum(axis=1), np.where(last, more, 0).sum(axis=1)
    asked = first.any(axis=1) & last.any(axis=1) & (short + over > 0)
    return np.where(asked, np.clip(short / np.where(asked, short + over, 1), 0, 1), 0.5)


def _answers(noisy: SearchPath, mechanism: BinarySearch, question: Question) -> tuple[Floats, Floats]:
    """How much more lies below each cut than its share of all, and the deviation of that."""
    if not isinstance(mechanism.event, SampleThreshold):
        return noisy.below / mechanism.bounding.unit, np.full(noisy.below.shape, mechanism.deviation)
    q, least = _floats(question)[:, None], mechanism.event.threshold
    below, above = (np.maximum(each, least) for each in (noisy.below, noisy.above))  # hidden: up to that many
    unsure = np.where(noisy.below, 0, (1 - q) * least) + np.where(noisy.above, 0, q * least)
    return (1 - q) * noisy.below - q * noisy.above, np.sqrt((1 - q) ** 2 * below + q**2 * above) + unsure
