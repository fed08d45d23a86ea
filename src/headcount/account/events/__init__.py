"""Privacy events: what happened, as frozen data. `cost` computes what they cost.

An event never changes its meaning: ledgers keep events for years. A new kind of event is a new class, in a file of this
folder, where it is found by itself; its price is a file of `prices`. A class that has been released keeps its name and
its fields. Sensitivities are those for the neighbouring relation that the release promised (for one person replaced,
the l1 sensitivity is twice, the squared l2 sensitivity of non-negative counts twice that of one person added or
removed).
"""

from headcount.account.events.event import Event, Neighbours, check_one_kind, neighbours_of
from headcount.account.events.guarantees import Adaptive, Guarantee
from headcount.account.events.noise import Gaussian, Laplace
from headcount.account.events.rounds import JointRound, ThresholdRound
from headcount.account.events.samples import RepeatedSample, SampleThreshold
from headcount.account.events.selections import Selection, Selections
from headcount.account.events.shuffled import ShuffledLaplace
from headcount.account.events.text import from_json, to_json
from headcount.account.events.thresholds import (
    GaussianThreshold,
    LaplaceThreshold,
    RandomizedThreshold,
    WeightedThreshold,
)

__all__ = [
    "Adaptive",
    "Event",
    "Gaussian",
    "GaussianThreshold",
    "Guarantee",
    "JointRound",
    "Laplace",
    "LaplaceThreshold",
    "Neighbours",
    "RandomizedThreshold",
    "RepeatedSample",
    "SampleThreshold",
    "Selection",
    "Selections",
    "ShuffledLaplace",
    "ThresholdRound",
    "WeightedThreshold",
    "check_one_kind",
    "from_json",
    "neighbours_of",
    "to_json",
]
