"""Kinds of results, a file each; `About.view` is the name of one of them.

view.py       View: what differs by kind          layout.py     the columns of its table
items.py      values of items                     aggregate.py  statistics of groups
total.py      one number                          ranges.py     counts of ranges of numbers
quantiles.py  quantiles                           distribution.py  shares
shape.py      a histogram without labels          profile.py    people by number of items and of events
sampled.py    counts that people's own coins made
"""

from headcount.release.about import About
from headcount.release.plain import refuse
from headcount.release.views.aggregate import AGGREGATE
from headcount.release.views.distribution import DISTRIBUTION
from headcount.release.views.items import ITEMS
from headcount.release.views.layout import Layout
from headcount.release.views.profile import PROFILE
from headcount.release.views.quantiles import QUANTILES
from headcount.release.views.ranges import RANGES
from headcount.release.views.sampled import SAMPLED
from headcount.release.views.shape import SHAPE
from headcount.release.views.total import TOTAL
from headcount.release.views.view import View

__all__ = ["Layout", "View", "register", "view_of"]

_VIEWS: dict[str, View] = {}


def register(view: View) -> View:
    """Make a view known by its name; a job with a view of its own registers it in its own file."""
    if _VIEWS.setdefault(view.name, view) is not view:
        raise ValueError(f"{view.name!r}: there is such a view")
    return view


for each in (ITEMS, AGGREGATE, PROFILE, TOTAL, QUANTILES, RANGES, SHAPE, DISTRIBUTION, SAMPLED):
    register(each)


def view_of(about: About) -> View:
    """The view of a release; refused if there is none of its name."""
    return _VIEWS.get(about.view) or refuse("view")
