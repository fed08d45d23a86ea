"""One file for each mechanism: Bounded totals become `Noisy` ones. Noise is drawn once, here, and nowhere else.

wish.py         what is asked for, as far as it decides
choose.py       which of them, from public numbers alone
suited.py       which of them, by what was released before
mechanism.py    the types: Noisy, and what a mechanism must tell
clipped.py      items known in advance: noise on every one of them
thresholded.py  items not known in advance: noise on those that occur, the small ones dropped
plume.py        the same, found first and counted afterwards: a baseline
count_release.py  the same, found one after another with no bound: levels.py are its steps, search.py a run of it
weighted.py     the same with people's counts scaled instead of sampled
sample_threshold.py  the counts of a sample, the small ones dropped: no noise
ordered.py      numbers on a scale, quantiles and ranges: hierarchy.py is a tree of counts, halving.py a search
shaped.py       a histogram without its labels: staircase.py is noise on its sorted counts, buckets.py on all of them
distributed.py  the distribution that people draw from: recentred.py is a mean about the last estimate, selected.py
                chooses a law for each item
"""

from headcount.mechanism.baseline.plume import Plume
from headcount.mechanism.choose import (
    check_budget,
    check_found,
    choice_for,
    mechanism_for,
)
from headcount.mechanism.distribution.recentred import NoisyCentre, Recentred
from headcount.mechanism.distribution.selected import NoisySelected, Selected
from headcount.mechanism.distribution.strategy import Distributed
from headcount.mechanism.known.clipped import Clipped, NoisyWithScalar
from headcount.mechanism.mechanism import Mechanism, Noisy, check_widths, digits
from headcount.mechanism.ordered.binary_search import BinarySearch, SearchPath
from headcount.mechanism.ordered.hierarchy import Hierarchy, NoisyTree
from headcount.mechanism.ordered.strategy import Ordered
from headcount.mechanism.sampled.sample_threshold import Sampled, Sampling
from headcount.mechanism.shape.buckets import Buckets, NoisyBuckets
from headcount.mechanism.shape.staircase import NoisyStaircase, Staircase
from headcount.mechanism.shape.strategy import Shaped
from headcount.mechanism.topk.count_release import CountRelease, NoisyFound
from headcount.mechanism.unknown.automatic import second_for
from headcount.mechanism.unknown.thresholded import Thresholded
from headcount.mechanism.unknown.weighted import NoisyTwoScale, Weighted
from headcount.mechanism.wish import Finding, Name, Wish

__all__ = [
    "BinarySearch",
    "Buckets",
    "Clipped",
    "CountRelease",
    "Distributed",
    "Finding",
    "Hierarchy",
    "Mechanism",
    "Name",
    "Noisy",
    "NoisyBuckets",
    "NoisyCentre",
    "NoisyFound",
    "NoisySelected",
    "NoisyStaircase",
    "NoisyTree",
    "NoisyTwoScale",
    "NoisyWithScalar",
    "Ordered",
    "Plume",
    "Recentred",
    "Sampled",
    "Sampling",
    "SearchPath",
    "Selected",
    "Shaped",
    "Staircase",
    "Thresholded",
    "Weighted",
    "Wish",
    "check_budget",
    "check_found",
    "check_widths",
    "choice_for",
    "digits",
    "mechanism_for",
    "second_for",
]
