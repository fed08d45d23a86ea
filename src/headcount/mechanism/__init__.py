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

from headcount.mechanism.baseline.plume import Plume
from headcount.mechanism.distribution.counted import CountedShares
from headcount.mechanism.distribution.recentred import NoisyCentre, Recentred
from headcount.mechanism.distribution.selected import NoisySelected, Selected
from headcount.mechanism.known.correlated import Correlated
from headcount.mechanism.mechanism import AnyMechanism, Columns, Mechanism, Noisy, check_widths
from headcount.mechanism.ordered.binary_search import BinarySearch, SearchPath
from headcount.mechanism.ordered.hierarchy import Hierarchy, NoisyTree
from headcount.mechanism.sampled.sample_threshold import Sampled
from headcount.mechanism.scalar import NoisyWithScalar
from headcount.mechanism.shape.buckets import Buckets, NoisyBuckets
from headcount.mechanism.shape.staircase import NoisyStaircase, Staircase
from headcount.mechanism.stages.clipped import Clipped
from headcount.mechanism.stages.joint import JointRounds
from headcount.mechanism.stages.rounds import NoisyRounds, Rounds
from headcount.mechanism.stages.sampling import Sampling
from headcount.mechanism.stages.weighted import NoisyTwice, Weighted
from headcount.mechanism.strategy import Strategy
from headcount.mechanism.topk.count_release import CountRelease, NoisyFound
from headcount.mechanism.unknown.thresholded import Thresholded

__all__ = [
    "AnyMechanism",
    "BinarySearch",
    "Buckets",
    "Clipped",
    "Columns",
    "Correlated",
    "CountRelease",
    "CountedShares",
    "Hierarchy",
    "JointRounds",
    "Mechanism",
    "Noisy",
    "NoisyBuckets",
    "NoisyCentre",
    "NoisyFound",
    "NoisyRounds",
    "NoisySelected",
    "NoisyStaircase",
    "NoisyTree",
    "NoisyTwice",
    "NoisyWithScalar",
    "Plume",
    "Recentred",
    "Rounds",
    "Sampled",
    "Sampling",
    "SearchPath",
    "Selected",
    "Staircase",
    "Strategy",
    "Thresholded",
    "Weighted",
    "check_widths",
]
