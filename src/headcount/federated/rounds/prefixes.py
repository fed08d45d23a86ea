"""Heavy hitters over a tree of prefixes: items are found character by character, each round asks for longer prefixes of
those that were seen (Zhu et al. 2020; Bharadwaj and Cormode 2022, section 4, with the price of all rounds).

The aggregator never sees an item of which no prefix is common. In the last round a person who has more items than count
takes part with common ones. But each round takes a part of the sample: if nobody has more, one round for whole items
shows more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from headcount.bound import SampledItems
from headcount.errors import BadParameter
from headcount.estimate.constants import MISS_RATE
from headcount.estimate.counts.sampled import unseen
from headcount.federated.messages import Result
from headcount.federated.promise import reporter
from headcount.federated.rounds.plan import RoundsPlan, counts_of
from headcount.federated.schema import Ratio, Whole, Wholes
from headcount.federated.step import MAX_LENGTH, MAX_PREFIXES, MAX_ROUNDS, Prefixes
from headcount.federated.terms import MAX_PEOPLE
from headcount.mechanism.mechanism import Noisy
from headcount.mechanism.sampled.sample_threshold import Sampled
from headcount.release.views.items import ITEMS
from headcount.release.views.view import View

ITEM = "item"
"""Name of the column of items."""


@dataclass(frozen=True)
class HeavyHittersPlan(RoundsPlan):
    """Plan of heavy hitters over a tree of prefixes."""

    kind = "heavy-hitters-plan"
    what: ClassVar[str] = "heavy hitters by item"
    by: ClassVar[tuple[str, ...]] = (ITEM,)
    unit: ClassVar[str] = "people"
    view: ClassVar[View] = ITEMS
    lengths: Annotated[tuple[int, ...], Wholes(Whole(1, MAX_LENGTH), MAX_ROUNDS - 1)]
    """Number of characters of the prefixes of each round but the last, which asks for whole items. They rise."""
    share: Annotated[Fraction, Ratio(0, 1, without_ends=True)]
    """Share of all people from which on an item is a heavy hitter."""
    people: Annotated[int, Whole(1, MAX_PEOPLE)]
    """Public number of all people."""

    rules = ("`lengths` rise.",)

    def check(self) -> None:
        """Raise BadParameter for lengths that do not rise."""
        super().check()
        if any(longer <= shorter for shorter, longer in pairwise(self.lengths)):
            raise BadParameter(f"lengths={list(self.lengths)}: they must rise.", fix="lengths=[2, 4]")

    @property
    def rounds(self) -> int:
        return len(self.lengths) + 1

    @property
    def minimum(self) -> int:
        """The fewest people of a heavy hitter."""
        return ceil(self.share * self.people)

    @cached_property
    def mechanism(self) -> Sampled:
        return Sampled(SampledItems(self.items), self.sample)

    def level(self, results: Sequence[Result]) -> Prefixes | None:
        number = len(results)
        length = self.lengths[number] if number < len(self.lengths) else None
        if not number:
            return Prefixes(("",), 0, length)
        known = self._seen(results)
        return Prefixes(tuple(known)[:MAX_PREFIXES], self.lengths[number - 1], length) if known else None

    def _seen(self, results: Sequence[Result]) -> dict[str, int]:
        """What the last of these rounds showed, without what it did not ask for: the largest counts first."""
        level = self.level(results[:-1])
        found = {} if level is None else counts_of(results[-1])
        return {item: count for item, count in found.items() if level is not None and level.answers([item]) == [item]}

    def table(self, results: Sequence[Result]) -> pa.Table:
        """The items of the last round that at least the share has; certain are those whose interval lies above it."""
        found = self._seen(results) if len(results) == self.rounds else {}
        items = pa.table({ITEM: pa.array(list(found), pa.string())})
        columns = self.mechanism.estimate(Noisy(items, np.array(list(found.values()), dtype=np.int64))).by_name
        heavy = pa.array(columns["count"] >= self.minimum)
        certain = columns["low"] >= self.minimum
        return pa.table({ITEM: items[ITEM], **columns, "certain": certain}).filter(heavy)

    @property
    def missed(self) -> int:
        """The most people of an item that is hidden in any round, in 19 of 20 cases."""
        return unseen(float(self.rate), self.threshold, MISS_RATE / self.rounds)

    @property
    def visible(self) -> str:
        return (
            f"  appear   An item appears if at least {self.minimum:,} people have it (estimated). One that "
            f"{self.missed + 1:,} have is seen in 19 of 20 cases."
        )

    def steps(self) -> list[str]:
        lengths = ", ".join(map(str, self.lengths))
        return [
            f"The aggregator asks {self.rounds} times: for prefixes of {lengths} characters, then for whole items. "
            f"Each round asks only for what begins with a prefix that the round before showed (the {MAX_PREFIXES:,} "
            "most common, if there are more).",
            f"Each {reporter(self)} reports each answer with a probability of {float(self.rate):.4g}, by a new coin in "
            f"every round. Nobody adds noise. The aggregator shows counts of at least {self.threshold:,} in the "
            f"sample; an item that any round hides has at most {self.missed:,} people, in 95% of cases.",
            f"The release has the items of the last round that at least {float(100 * self.share):g}% of "
            f"{self.people:,} people have ({self.minimum:,}). A row is certain if its whole interval lies above that.",
        ]
