"""What is published: a table with intervals, what it cost, and what was done.

release.py    Release: the rows and everything about them, as one file that a ledger can seal
checked.py    whether a file holds a release: everything in it is checked before it is used
intervals.py  how far off each count may be, near a threshold too
order.py      in which order rows stand
export.py     CSV and JSON for other programs
plot.py       the picture
distribution.py  shares of a distribution
shape.py      Shape: a histogram without its labels, and what follows from it
"""

from headcount.release.intervals import rows
from headcount.release.release import About, Paid, Release, pack
from headcount.release.shape import Shape, released

__all__ = ["About", "Paid", "Release", "Shape", "pack", "released", "rows"]
