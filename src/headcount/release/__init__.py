"""What is published: a table with intervals, what it cost, and what was done.

about.py      About: everything about a release but its rows; the Parquet bytes that hold both
views/        kinds of results: the columns of each, and how it is shown
release.py    Release: rows and everything about them, as one file that a ledger can seal; `load`
shape.py      Shape: a histogram without its labels, and its properties
checked.py    validation of files that anybody may have written   size.py   limit on the memory that they take
plain.py      plain values in them                                earlier.py  words of earlier versions
files.py      files that are written, as a whole or not at all
columns.py    value columns with their intervals, dates, the order of rows
text.py       the summary     cells.py   its cells        export.py   CSV and JSON
plot.py       the picture     chart.py   the chart        pictures/   how both are drawn
report/       the report, and what a notebook shows       people.py   the number of people
hints/        where budget is lost in silence             published.py  verification of a published file
"""

from headcount.release.about import About, Paid, current_version, pack
from headcount.release.checked import check_request
from headcount.release.release import Release, load, open_release
from headcount.release.shape import Shape

__all__ = ["About", "Paid", "Release", "Shape", "check_request", "current_version", "load", "open_release", "pack"]
