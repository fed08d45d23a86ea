"""How much one person may say. Contributions become `Bounded`: totals with a proven sensitivity.

bounded.py   the types: Sensitivity, Bounded, and what a way of bounding must tell
crowd.py     count all people, for what is told as a part of them
measure.py   tell how much was taken away, or how many people there are, beside the counts
weigh.py     shrink them to two norms at once, on a grid that no bound changes
top.py       only list the most common items, whoever has them
ranked.py    what that leaves, with the sorting done here
sample.py    keep some of a person's items or events, by a keyed hash with a fresh secret
scale.py     shrink all of a person's counts, on a public grid
draws.py     what people drew from a public list, person by person; the same number of draws of everybody
check.py     see on the table that a bound holds

choice.py    what a way of choosing a bound privately must tell
sizes.py     how large people's contributions are: what the engine counts for it
amounts.py   the most that a person's amount counts, from a private profile of amounts
profile.py   bounds from a private profile of people
drawn.py     how many draws of a person count, from a private profile
plume.py     the same with items that are found in between: a baseline
known.py     the ways of paper 000, for items known in advance
compare.py   the same by comparing costs: what is done by default
unknown.py   and for items that are not
"""

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.measured import BoundedWithScalar, WithScalar
from headcount.bound.sample import SampledEvents, SampledItems
from headcount.bound.scale import ScaledToSize, ScaledToSum
from headcount.bound.selection.selection import Choice
from headcount.bound.top import BoundedTop, TopItems, TopSums
from headcount.bound.two_scales import BoundedTwoScale, TwoScaleClip
from headcount.bound.verify import attained

__all__ = [
    "Bounded",
    "BoundedTop",
    "BoundedTwoScale",
    "BoundedWithScalar",
    "Bounding",
    "Choice",
    "SampledEvents",
    "SampledItems",
    "ScaledToSize",
    "ScaledToSum",
    "Sensitivity",
    "TopItems",
    "TopSums",
    "TwoScaleClip",
    "WithScalar",
    "attained",
]
