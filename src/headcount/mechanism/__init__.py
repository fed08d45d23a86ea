"""One file for each mechanism: Bounded totals become `Noisy` ones. Noise is drawn once, here, and nowhere else.

choose.py       which of them, from public numbers alone
suited.py       which of them, by what was released before
mechanism.py    the types: Noisy, and what a mechanism must tell
clipped.py      items known in advance: noise on every one of them
thresholded.py  items not known in advance: noise on those that occur, the small ones dropped
plume.py        the same, found first and counted afterwards: a baseline
count_release.py  the same, found one after another with no bound: levels.py are its steps, search.py a run of it
weighted.py     the same with people's counts scaled instead of sampled
"""

from headcount.mechanism.choose import (
    Finding,
    Name,
    Wish,
    check_budget,
    check_found,
    choice_for,
    mechanism_for,
)
from headcount.mechanism.clipped import Clipped, NoisyBeside
from headcount.mechanism.count_release import CountRelease, NoisyFound
from headcount.mechanism.mechanism import Mechanism, Noisy, check_widths, digits
from headcount.mechanism.plume import Plume
from headcount.mechanism.suited import second_for
from headcount.mechanism.thresholded import Thresholded
from headcount.mechanism.weighted import NoisyTwice, Weighted

__all__ = [
    "Clipped",
    "CountRelease",
    "Finding",
    "Mechanism",
    "Name",
    "Noisy",
    "NoisyBeside",
    "NoisyFound",
    "NoisyTwice",
    "Plume",
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
