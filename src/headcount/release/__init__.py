"""What is published: a table with intervals, what it cost, and what was done.

release.py    Release: the rows and everything about them, as one file that a ledger can seal
checked.py    whether a file holds a release: everything in it is checked before it is used
order.py      in which order rows stand
export.py     CSV and JSON for other programs
plot.py       the picture
shape.py      Shape: a histogram without its labels, and what follows from it
"""

from headcount.release.release import About, Paid, Release, pack
from headcount.release.shape import Shape, load, released

__all__ = ["About", "Paid", "Release", "Shape", "load", "pack", "released"]
