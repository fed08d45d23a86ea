"""One file for each mechanism: Bounded totals become `Noisy` ones. Noise is drawn once, here, and nowhere else.

choose.py       which of them, from public numbers alone
mechanism.py    the types: Noisy, and what a mechanism must tell
clipped.py      items known in advance: noise on every one of them
thresholded.py  items not known in advance: noise on those that occur, the small ones dropped
"""

from headcount.mechanism.choose import choose
from headcount.mechanism.clipped import Clipped
from headcount.mechanism.mechanism import Mechanism, Noisy, digits
from headcount.mechanism.thresholded import Thresholded

__all__ = ["Clipped", "Mechanism", "Noisy", "Thresholded", "choose", "digits"]
