"""Mechanisms turn bounded totals into noisy values, and these into columns. Noise is drawn once, here and nowhere else.

mechanism.py    the types: Noisy, Columns, and the interface of a mechanism
strategy.py     how a family of mechanisms answers within a budget
intervals.py    intervals of noisy counts, near a threshold too
sums.py         quantiles of the sum of two noises
stages/         what several families share: clipped and weighted counts, rounds, the second measurement, samples
known/          items known in advance: noise on every one of them; on a short list nobody is bounded, and on a long one
                all items are measured again
unknown/        items not known in advance: those above a threshold, also in rounds; what is shown is measured again
groups/         several statistics of each group, known or not: people, events, sums, means, quantiles
topk/           items not known in advance, selected one by one without a bound
sampled/        counts of a sample, without noise
ordered/        quantiles and ranges: a tree of counts, or a binary search
shape/          a histogram without its labels: noise on its sorted counts, or on all of them
distribution/   the distribution that people draw from
baseline/       mechanisms of other systems, to compare with

Each family has a strategy.py, and a file for each of its mechanisms. A family imports no other family.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headcount.mechanism.baseline.plume import Plume as Plume
    from headcount.mechanism.distribution.counted import CountedShares as CountedShares
    from headcount.mechanism.distribution.recentred import NoisyCentre as NoisyCentre
    from headcount.mechanism.distribution.recentred import Recentred as Recentred
    from headcount.mechanism.distribution.selected import NoisySelected as NoisySelected
    from headcount.mechanism.distribution.selected import Selected as Selected
    from headcount.mechanism.known.correlated import Correlated as Correlated
    from headcount.mechanism.mechanism import AnyMechanism as AnyMechanism
    from headcount.mechanism.mechanism import Columns as Columns
    from headcount.mechanism.mechanism import Mechanism as Mechanism
    from headcount.mechanism.mechanism import Noisy as Noisy
    from headcount.mechanism.mechanism import check_widths as check_widths
    from headcount.mechanism.ordered.binary_search import BinarySearch as BinarySearch
    from headcount.mechanism.ordered.binary_search import SearchPath as SearchPath
    from headcount.mechanism.ordered.hierarchy import Hierarchy as Hierarchy
    from headcount.mechanism.ordered.hierarchy import NoisyTree as NoisyTree
    from headcount.mechanism.sampled.sample_threshold import Sampled as Sampled
    from headcount.mechanism.scalar import NoisyWithScalar as NoisyWithScalar
    from headcount.mechanism.shape.buckets import Buckets as Buckets
    from headcount.mechanism.shape.buckets import NoisyBuckets as NoisyBuckets
    from headcount.mechanism.shape.staircase import NoisyStaircase as NoisyStaircase
    from headcount.mechanism.shape.staircase import Staircase as Staircase
    from headcount.mechanism.stages.clipped import Clipped as Clipped
    from headcount.mechanism.stages.joint import JointRounds as JointRounds
    from headcount.mechanism.stages.rounds import NoisyRounds as NoisyRounds
    from headcount.mechanism.stages.rounds import Rounds as Rounds
    from headcount.mechanism.stages.sampling import Sampling as Sampling
    from headcount.mechanism.stages.weighted import NoisyTwice as NoisyTwice
    from headcount.mechanism.stages.weighted import Weighted as Weighted
    from headcount.mechanism.strategy import Strategy as Strategy
    from headcount.mechanism.topk.count_release import CountRelease as CountRelease
    from headcount.mechanism.topk.count_release import NoisyFound as NoisyFound
    from headcount.mechanism.unknown.thresholded import Thresholded as Thresholded

_HOMES = {
    "AnyMechanism": "mechanism",
    "BinarySearch": "ordered.binary_search",
    "Buckets": "shape.buckets",
    "Clipped": "stages.clipped",
    "Columns": "mechanism",
    "Correlated": "known.correlated",
    "CountRelease": "topk.count_release",
    "CountedShares": "distribution.counted",
    "Hierarchy": "ordered.hierarchy",
    "JointRounds": "stages.joint",
    "Mechanism": "mechanism",
    "Noisy": "mechanism",
    "NoisyBuckets": "shape.buckets",
    "NoisyCentre": "distribution.recentred",
    "NoisyFound": "topk.count_release",
    "NoisyRounds": "stages.rounds",
    "NoisySelected": "distribution.selected",
    "NoisyStaircase": "shape.staircase",
    "NoisyTree": "ordered.hierarchy",
    "NoisyTwice": "stages.weighted",
    "NoisyWithScalar": "scalar",
    "Plume": "baseline.plume",
    "Recentred": "distribution.recentred",
    "Rounds": "stages.rounds",
    "Sampled": "sampled.sample_threshold",
    "Sampling": "stages.sampling",
    "SearchPath": "ordered.binary_search",
    "Selected": "distribution.selected",
    "Staircase": "shape.staircase",
    "Strategy": "strategy",
    "Thresholded": "unknown.thresholded",
    "Weighted": "stages.weighted",
    "check_widths": "mechanism",
}
"""Module of each name, which is imported when the name is first used: a job imports its own family only."""
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
