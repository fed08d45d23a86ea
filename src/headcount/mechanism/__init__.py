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

from headcount.mechanism.buckets import Buckets, NoisyBuckets
from headcount.mechanism.choose import (
    check_budget,
    check_found,
    choice_for,
    mechanism_for,
)
from headcount.mechanism.clipped import Clipped, NoisyBeside
from headcount.mechanism.count_release import CountRelease, NoisyFound
from headcount.mechanism.distributed import Distributed
from headcount.mechanism.halving import Halving, NoisyPath
from headcount.mechanism.hierarchy import Hierarchy, NoisyTree
from headcount.mechanism.mechanism import Mechanism, Noisy, check_widths, digits
from headcount.mechanism.ordered import Ordered
from headcount.mechanism.plume import Plume
from headcount.mechanism.recentred import NoisyCentre, Recentred
from headcount.mechanism.sample_threshold import Sampled, Sampling
from headcount.mechanism.selected import NoisySelected, Selected
from headcount.mechanism.shaped import Shaped
from headcount.mechanism.staircase import NoisyStaircase, Staircase
from headcount.mechanism.suited import second_for
from headcount.mechanism.thresholded import Thresholded
from headcount.mechanism.weighted import NoisyTwice, Weighted
from headcount.mechanism.wish import Finding, Name, Wish

__all__ = [
    "Buckets",
    "Clipped",
    "CountRelease",
    "Distributed",
    "Finding",
    "Halving",
    "Hierarchy",
    "Mechanism",
    "Name",
    "Noisy",
    "NoisyBeside",
    "NoisyBuckets",
    "NoisyCentre",
    "NoisyFound",
    "NoisyPath",
    "NoisySelected",
    "NoisyStaircase",
    "NoisyTree",
    "NoisyTwice",
    "Ordered",
    "Plume",
    "Recentred",
    "Sampled",
    "Sampling",
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
