"""One file per job: the function that people call, its parameters, checks and words.

`JOBS` lists them with what they do, in the order in which they are shown. A job's file has its name, and so has the
function in it; the class is the same name in capitals (`heavy_hitters.py`, `heavy_hitters()`, `HeavyHitters`).

registry.py    the functions by name, and plan()
calls/         what makes a signature the function of a job:
calls.py         a call, checked and released
unpack.py        options as a request keeps them
moved.py         former parameters, and what they belong to now
described.py     the parameters of a public function as data
parameters/    parameters as people type them:
parameters.py    a parser for each type of parameter
keys.py          the public list of items
dates.py         the parameters about time
metrics.py       metrics of a group
notation.py      how values other than words and numbers are typed as text
bases/         what jobs have in common:
items.py         those about items
counting.py      those that count items by a mechanism with options
numbers.py       quantiles and ranges
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headcount.jobs.aggregate import aggregate
    from headcount.jobs.distribution import distribution
    from headcount.jobs.heavy_hitters import heavy_hitters
    from headcount.jobs.histogram import histogram
    from headcount.jobs.profile import profile
    from headcount.jobs.quantiles import quantiles
    from headcount.jobs.ranges import ranges
    from headcount.jobs.shape import shape
    from headcount.jobs.top import top
    from headcount.jobs.total import total

JOBS = {
    "histogram": "Count people or events per item, or add up amounts.",
    "aggregate": "Compute several statistics of each group.",
    "top": "Find the k most common items, with their counts or without.",
    "heavy_hitters": "Find the items that at least a share of all people have.",
    "quantiles": "Estimate quantiles of a column of numbers.",
    "ranges": "Count the rows whose value is in each range.",
    "shape": "Estimate how many items have how many people, without naming an item.",
    "distribution": "Estimate the share of each item of a public list.",
    "profile": "Count people by how much they contribute.",
    "total": "Count all events or all people, or add up an amount, over all rows or those that meet a condition.",
}
"""The jobs, in the order in which they are shown, with the first clause of their docstrings: the list of commands needs
it, and importing ten files would take longer than everything else that it does."""

__all__ = [
    "JOBS",
    "aggregate",
    "distribution",
    "heavy_hitters",
    "histogram",
    "profile",
    "quantiles",
    "ranges",
    "shape",
    "top",
    "total",
]
