"""How much one person may say. Contributions become `Bounded`: totals with a proven sensitivity.

bounded.py   the types: Sensitivity, Bounded, and what a way of bounding must tell
sample.py    keep some of a person's items or events, by a keyed hash with a fresh secret
scale.py     shrink all of a person's counts, on a public grid
check.py     see on the table that a bound holds
"""

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.check import attained
from headcount.bound.sample import SampledEvents, SampledItems
from headcount.bound.scale import ScaledToSize, ScaledToSum

__all__ = [
    "Bounded",
    "Bounding",
    "SampledEvents",
    "SampledItems",
    "ScaledToSize",
    "ScaledToSum",
    "Sensitivity",
    "attained",
]
