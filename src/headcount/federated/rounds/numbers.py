"""Quantiles and ranges of a number that each person has: a tree of counts, one level a round, or a binary search (the
mechanisms `sample-threshold` and `sample-search` of `hc.quantiles`, where people keep their numbers)."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
import pyarrow as pa

from headcount.bound import Bounded, SampledEvents
from headcount.errors import BadParameter
from headcount.estimate.ordered.tree import Shape
from headcount.exact import Integers
from headcount.federated.messages import Result
from headcount.federated.promise import reporter
from headcount.federated.rounds.plan import RoundsPlan, counts_of
from headcount.federated.schema import Choice, Doubles, Many, Nested, Ratio
from headcount.federated.step import MAX_CUTS, Cuts, Nodes, Scale
from headcount.mechanism.mechanism import Mechanism
from headcount.mechanism.ordered import binary_search
from headcount.mechanism.ordered.binary_search import BinarySearch, SearchPath
from headcount.mechanism.ordered.hierarchy import Hierarchy, NoisyTree
from headcount.mechanism.ordered.readout import Quantiles, Ranges
from headcount.mechanism.ordered.strategy import SAMPLED_FAN_OUT
from headcount.release.views.quantiles import QUANTILES
from headcount.release.views.ranges import RANGES
from headcount.release.views.view import View
from headcount.wording import format_number

Method = Literal["tree", "search"]
PEOPLE_OF_ERROR = 10_000
"""Number of people for which mechanisms state the error of a sample."""
NOBODY = pa.table({})
"""The items of a number: there are none."""


@dataclass(frozen=True)
class NumbersPlan(RoundsPlan):
    """Plan of rounds about a number of each person."""

    unit: ClassVar[str] = "people"
    error_unit: ClassVar[str] = "ranks"
    readout: ClassVar[type[Quantiles | Ranges]]
    scale: Annotated[Scale, Nested(Scale)]
    """Its public scale."""

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism[Bounded, Any]:
        """The tree, or the search."""

    @property
    def rounds(self) -> int:
        return self.shape.levels

    @cached_property
    def shape(self) -> Shape:
        """The tree over the cells."""
        return Shape(self.scale.cells, SAMPLED_FAN_OUT)

    def level(self, results: Sequence[Result]) -> Nodes | Cuts | None:
        return Nodes(self.scale, SAMPLED_FAN_OUT ** (self.shape.levels - 1 - len(results)))

    def table(self, results: Sequence[Result]) -> pa.Table:
        return pa.table(dict(self.mechanism.estimate(self.seen(results)).by_name))

    def seen(self, results: Sequence[Result]) -> NoisyTree | SearchPath:
        """What the aggregator showed, as the mechanism has it."""
        levels = tuple(map(_in_nodes, results, self.shape.sizes))
        return NoisyTree(NOBODY, levels[-1], levels)

    @property
    def visible(self) -> str:
        error = f"{format_number(self.error_at(PEOPLE_OF_ERROR))} {self.error_unit}{self.readout.error_of}"
        return f"  error    {error} if 10,000 people answer, ten times that if a million do (95%)"

    def error_at(self, people: int) -> float:
        """The 95% quantile of the error if this many people answer."""
        error: float = self.mechanism.error
        return error * sqrt(people / PEOPLE_OF_ERROR)

    def steps(self) -> list[str]:
        ends = self.scale.edges[0], self.scale.edges[-1]
        outside = "count as the nearest end" if self.scale.clamped else "do not count"
        return [
            f"The public scale has {self.scale.cells:,} cells from {ends[0]:g} to {ends[1]:g}. Numbers outside "
            f"{outside}, and what is not a number does not count.",
            self.question,
            f"Each {reporter(self)} reports with a probability of {float(self.rate):.4g}, by a new coin for each "
            f"report. Nobody adds noise. The aggregator shows counts of at least {self.threshold:,} in the sample.",
        ]

    @property
    def question(self) -> str:
        """What the rounds ask."""
        return (
            f"A tree over these cells has {self.rounds} levels. Each round asks in which node of a level a person's "
            "number is. Least squares makes the levels agree."
        )


@dataclass(frozen=True)
class QuantilesPlan(NumbersPlan):
    """Plan of quantiles of a number."""

    kind = "quantiles-plan"
    what: ClassVar[str] = "quantiles of a number"
    by: ClassVar[tuple[str, ...]] = ("q",)
    value: ClassVar[str] = "value"
    readout = Quantiles
    view: ClassVar[View] = QUANTILES
    q: Annotated[tuple[Fraction, ...], Many(Ratio(0, 1, without_ends=True), MAX_CUTS)]
    """The fractions of people below each quantile. They rise."""
    method: Annotated[Method, Choice(get_args(Method))]

    rules = ("`q` rise.", 'With `method` "search", `items` is the number of quantiles; else it is 1.')

    def check(self) -> None:
        """Raise BadParameter for a number of reports that is not that of the questions."""
        super().check()
        if list(self.q) != sorted(set(self.q)):
            raise BadParameter("q: they must rise.", fix="q=[0.1, 0.5, 0.9]")
        if self.items != (needed := len(self.q) if self.method == "search" else 1):
            raise BadParameter(f"items={self.items}: this plan needs {needed}.", fix=f"items={needed}")

    @property
    def rounds(self) -> int:
        return binary_search.rounds(self.scale.cells) if self.method == "search" else self.shape.levels

    @cached_property
    def mechanism(self) -> Mechanism[Bounded, Any]:
        readout = Quantiles(self.scale.axis, self.q)
        if self.method == "tree":
            return Hierarchy(SampledEvents(1), self.sample, self.shape, readout)
        return BinarySearch(SampledEvents(1), self.sample, self.scale.cells, self.q, readout)

    def level(self, results: Sequence[Result]) -> Nodes | Cuts | None:
        if self.method == "tree":
            return super().level(results)
        return Cuts(self.scale, tuple(path[0][-1] for path in self._paths(results)))

    def seen(self, results: Sequence[Result]) -> NoisyTree | SearchPath:
        if self.method == "tree":
            return super().seen(results)
        cuts, below, above = (np.array(each, dtype=np.int64) for each in zip(*self._paths(results), strict=True))
        return SearchPath(NOBODY, cuts[:, -1], cuts, below, above)

    def _paths(self, results: Sequence[Result]) -> list[tuple[list[int], list[int], list[int]]]:
        """For each quantile its cuts, up to the next one, and the counts below and above each."""
        counts = [counts_of(result) for result in results]
        answers = [[(each.get(f"{place}<", 0), each.get(f"{place}>", 0)) for each in counts] for place in self.places]
        return [self._path(q, each) for q, each in zip(self.q, answers, strict=True)]

    def _path(self, q: Fraction, answers: Sequence[tuple[int, int]]) -> tuple[list[int], list[int], list[int]]:
        """The cuts that follow from these answers, as `BinarySearch` halves: one more than answers, and the counts
        below and above each. The last cut comes next or, after all rounds, is where the search ends."""
        low, high = 0, 2**self.rounds
        cuts = []
        for below, above in answers:
            cuts.append((low + high) // 2)
            low, high = (low, cuts[-1]) if below * (1 - q) > above * q else (cuts[-1], high)
        last = (low + high) // 2 if len(answers) < self.rounds else min(low, self.scale.cells - 1)
        return [*cuts, last], [below for below, _ in answers], [above for _, above in answers]

    @property
    def places(self) -> range:
        """The places of the quantiles in their list."""
        return range(len(self.q))

    @property
    def question(self) -> str:
        if self.method == "tree":
            return super().question
        return (
            f"Each of {self.rounds} rounds asks, for each quantile, whether a person's number is below or above the "
            "middle of the cells that are left."
        )


@dataclass(frozen=True)
class RangesPlan(NumbersPlan):
    """Plan of counts of ranges of a number."""

    kind = "ranges-plan"
    what: ClassVar[str] = "ranges of a number"
    by: ClassVar[tuple[str, ...]] = ("from", "to")
    error_unit: ClassVar[str] = "people"
    readout = Ranges
    view: ClassVar[View] = RANGES
    ranges: Annotated[tuple[tuple[float, float], ...], Many(Doubles(2), MAX_CUTS)]
    """The ends of each range, which are edges of the scale."""

    rules = ("The ends of `ranges` are edges of the scale, whose cells are what lies between its edges; `items` is 1.",)

    def check(self) -> None:
        """Raise BadParameter for a range that the cells do not make up."""
        super().check()
        ends = {end for each in self.ranges for end in each}
        if not ends <= set(self.scale.edges) or self.scale.cells != len(self.scale.edges) - 1 or self.items != 1:
            raise BadParameter("ranges: their ends are the edges of the cells.", fix="ranges=[(0, 10), (10, 100)]")

    @cached_property
    def mechanism(self) -> Hierarchy:
        return Hierarchy(SampledEvents(1), self.sample, self.shape, Ranges(self.scale.axis, self.ranges))


def _in_nodes(result: Result, size: int) -> Integers:
    """The counts of the nodes of a level; what is hidden is 0, and what is no node is left out."""
    counts = np.zeros(size, dtype=np.int64)
    names = {str(node): node for node in range(size)}
    for name, count in result.counts:
        if name in names:
            counts[names[name]] = count
    return counts
