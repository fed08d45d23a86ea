"""Contribution bounding: per-person contributions become `Bounded`, totals with a proven sensitivity.

bounded.py      the types: Sensitivity, Bounded, and the interface Bounding
stability.py    how far neighbours are apart after bounding, and whether an event pays for that
verify.py       the attained sensitivity, for tests and audits

boundings/      one file per bounding:
cutting.py        cut what people have above a bound
sample.py         sample a person's items or events, by a keyed hash with a fresh secret
scale.py          scale a person's counts to an l1 or l2 norm, on a public grid
listed.py         every item of a public list, in full
cut_amounts.py    amounts of a public list, each cut at a limit
weighted.py       scale them to an l2 norm, on a grid that does not depend on the bound
rounds.py         spread a person's weight over their items that are not shown yet, round after round
shown.py          scale them again, over items that are shown already
groups.py         groups whose statistics are measured: found by their people, or listed
measured.py       measure one more scalar: the clipped amount, or the number of people
top.py            list the most common items, with no limit on a person's items
draws.py          per-person counts over a public list; a fixed number of draws per person

pairs/          operations on pairs (person, item, count), of which boundings are made:
pairs.py          the operations, and who carries them out
encoded_pairs.py  on dictionary-encoded pairs, by NumPy
engine_pairs.py   as queries on an engine
vectors.py        what people add to public groups, each statistic scaled to a norm of its own
vectors_on_engine.py  the same, computed by the engine
formula.py        the formulas that both evaluate
arithmetic.py     arithmetic of formulas, on engine columns and on NumPy arrays
keyed_hash.py     keyed hashes of people

selection/      private selection of the bound:
selection.py      the interface BoundSelection
statistics.py     sizes of people's contributions, aggregated by the engine
loads.py          per-item statistics for every candidate bound
profile.py        bounds from a private profile of people by size: the default of a histogram
nonempty_bins.py  the highest bin of a noisy profile that is significantly nonempty
amounts.py        the limit on one person's amount, from such a profile
draws.py          the number of draws per person, from such a profile
people.py         the number of people, with noise
paper.py          the selection rules of Liu et al. 2023, for items known in advance
compare.py        the generalised exponential mechanism for them: the default if they are few, and of a total
by_load.py        selection rules for items not known in advance
plume.py          discover items first, then bound again: a baseline
"""

from headcount.bound.bounded import Bounded, Bounding, Sensitivity
from headcount.bound.boundings.cut_amounts import CutAmounts
from headcount.bound.boundings.listed import ListedItems
from headcount.bound.boundings.measured import BoundedWithScalar, WithScalar
from headcount.bound.boundings.rounds import BoundedRounds, EvenL2Budget, Split, SplitL2Budget
from headcount.bound.boundings.sample import SampledEvents, SampledItems
from headcount.bound.boundings.scale import ScaledToSize, ScaledToSum
from headcount.bound.boundings.top import BoundedTop, TopItems, TopSums
from headcount.bound.boundings.weighted import BoundedWeighted, WeightedClip
from headcount.bound.selection.selection import BoundSelection
from headcount.bound.verify import attained

__all__ = [
    "BoundSelection",
    "Bounded",
    "BoundedRounds",
    "BoundedTop",
    "BoundedWeighted",
    "BoundedWithScalar",
    "Bounding",
    "CutAmounts",
    "EvenL2Budget",
    "ListedItems",
    "SampledEvents",
    "SampledItems",
    "ScaledToSize",
    "ScaledToSum",
    "Sensitivity",
    "Split",
    "SplitL2Budget",
    "TopItems",
    "TopSums",
    "WeightedClip",
    "WithScalar",
    "attained",
]
