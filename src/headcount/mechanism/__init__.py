"""One file for each mechanism: Bounded totals become `Noisy` ones. Noise is drawn once, here, and nowhere else.

choose.py       which of them, from public numbers alone
mechanism.py    the types: Noisy, and what a mechanism must tell
clipped.py      items known in advance: noise on every one of them
thresholded.py  items not known in advance: noise on those that occur, the small ones dropped
weighted.py     the same with people's counts scaled instead of sampled
"""

from headcount.mechanism.choose import Name, Wish, check_budget, choice_for, mechanism_for
from headcount.mechanism.clipped import Clipped, NoisyBeside
from headcount.mechanism.mechanism import Mechanism, Noisy, check_widths, digits
from headcount.mechanism.thresholded import Thresholded
from headcount.mechanism.weighted import NoisyTwice, Weighted

__all__ = [
    "Clipped",
    "Mechanism",
    "Name",
    "Noisy",
    "NoisyBeside",
    "NoisyTwice",
    "Thresholded",
    "Weighted",
    "Wish",
    "check_budget",
    "check_widths",
    "choice_for",
    "digits",
    "mechanism_for",
]
