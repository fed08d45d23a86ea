"""What is published: a table with intervals, what it cost, and what was done.

about.py      About: everything about a release but its rows; the Parquet bytes that hold both
release.py    Release: rows and everything about them, as one file that a ledger can seal
shape.py      Shape: a histogram without its labels, and its properties
results.py    the class of a release, by its view; `load`
checked.py    validation of files that anybody may have written   size.py   limit on the memory that they take
files.py      files that are written, as a whole or not at all
order.py      the order of rows                 scale.py   the scale of quantiles, from their plan
text.py       the summary     notes.py   the lines below it; profile.py   the bound that a profile suggests
report/       the report      plot.py    the picture     export.py   CSV and JSON
notebook.py   what a notebook shows              measures.py  the value columns and their intervals
hints.py      where budget is lost in silence    misread.py  rows that were not read as they are meant
vague.py      quantiles that are hardly known    unseen.py   the amount that sums may lack
published.py  verification of a published file against a ledger
"""

from headcount.release.about import About, Paid, current_version, pack
from headcount.release.checked import check_request
from headcount.release.release import Release
from headcount.release.results import load, open_release
from headcount.release.shape import Shape

__all__ = ["About", "Paid", "Release", "Shape", "check_request", "current_version", "load", "open_release", "pack"]
