"""Heavy hitters of unknown items by secure sums: a tree of prefixes, of which nobody sees who has which.

In each round a server opens the noisy counts of all extensions of the prefixes that are left, by a public alphabet
(listed/extension.py). A prefix is left if its count is above what noise reaches where nobody is, and not clearly below
that of a heavy hitter; at most as many, the largest first, as have room on the list of the next round.

The width of the noise is for all candidates of all rounds at once: in 95% of series no interval misses, and nothing is
shown that nobody has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from headcount.account.events import Event, Neighbours
from headcount.errors import BadParameter
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.exact import Integers
from headcount.federated.listed.extension import Extension
from headcount.federated.listed.release import PROOF, guarantee, masks, noise, part
from headcount.federated.listed.round import SecureRound
from headcount.federated.rounds.prefixes import ITEM
from headcount.federated.schema import Digested, Nested, Ratio
from headcount.federated.shape.messages import Total
from headcount.federated.transport.secure import SecureTransport, collect_sum
from headcount.mechanism.intervals import intervals_within, round_to_counts
from headcount.noise import Entropy
from headcount.release.views.items import ITEMS
from headcount.release.views.view import View
from headcount.wording.statement import Statement

Found = tuple[str, int, int, int]
"""Item, count, and the ends of its interval."""


@dataclass(frozen=True)
class SecureHeavyHittersPlan(Digested):
    """Plan of heavy hitters of unknown items by secure sums."""

    kind = "secure-heavy-hitters-plan"
    longest = 1 << 20
    what: ClassVar[str] = "heavy hitters by item"
    by: ClassVar[tuple[str, ...]] = (ITEM,)
    value: ClassVar[str] = "count"
    unit: ClassVar[str] = "people"
    view: ClassVar[View] = ITEMS
    proof: ClassVar[str] = PROOF
    first: Annotated[SecureRound, Nested(SecureRound)]
    """The first round. The others differ from it in `number` and `keys` alone."""
    share: Annotated[Fraction, Ratio(0, 1, without_ends=True)]
    """Share of the round's `people` from which on an item is a heavy hitter."""

    rules = ("`first` has a `step` whose `number` is 0.",)

    def check(self) -> None:
        """Raise BadParameter unless the first round is that of a series."""
        if self.first.step is None or self.first.step.number:
            raise BadParameter("first: the first round of a series.", fix="secure_heavy_hitters(...)")

    @property
    def step(self) -> Extension:
        """The tree."""
        assert self.first.step is not None
        return self.first.step

    @property
    def asks(self) -> str:
        """The question, in words."""
        return self.first.asks

    @property
    def items(self) -> int:
        """Most prefixes of one person in a round."""
        return self.first.items

    @property
    def epsilon(self) -> Fraction:
        """Guarantee for all rounds together, as is delta."""
        return self.first.epsilon

    @property
    def delta(self) -> Fraction:
        """Guarantee for all rounds together."""
        return self.first.delta

    @property
    def neighbours(self) -> Neighbours:
        """What is hidden."""
        return self.first.neighbours

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events of all rounds, to charge to a ledger."""
        return self.first.events

    @property
    def holds(self) -> bool:
        """True if the noise of all rounds keeps the promise."""
        return self.first.holds

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return self.first.rounds

    @property
    def minimum(self) -> int:
        """The fewest people of a heavy hitter."""
        return ceil(self.share * self.first.people)

    def next_round(self, results: Sequence[Total]) -> SecureRound | None:
        """The round that comes after these results; None after the last, or if no prefix is left."""
        if not results:
            return self.first
        keys = self._left(results) if len(results) < self.rounds else ()
        return replace(self.first, keys=keys, step=replace(self.step, number=len(results))) if keys else None

    def _left(self, results: Sequence[Total]) -> tuple[str, ...]:
        """The prefixes that are left after these results: the largest counts, as many as the next list has room for."""
        before = self.next_round(results[:-1])
        if before is None or before.step is None:
            return ()
        values, step = np.array(results[-1].sums, dtype=np.int64), replace(self.step, number=len(results))
        seen = np.flatnonzero(values >= self._cut(before, results[-1].answered))
        open_ = [place for place in seen if not before.step.is_whole(before.labels[place])]
        largest = sorted(open_, key=lambda place: (-values[place], before.labels[place]))
        return tuple(sorted(before.labels[place] for place in largest[: step.candidates // step.of_each]))

    def _cut(self, round_: SecureRound, answered: int) -> int:
        """The least noisy count that is left, in units: above what noise reaches in any place, and at most as far below
        a heavy hitter's as noise is in one place."""
        spread = round_.shares.width(answered, EXACT_MISS_RATE / self.rounds)
        return max(self._width(round_, answered) + 1, self.minimum * round_.unit - spread)

    def _width(self, round_: SecureRound, answered: int) -> int:
        """What the noise of all candidates of all rounds stays within in 95% of series, in units."""
        return round_.shares.width(answered, EXACT_MISS_RATE / (self.rounds * round_.places))

    def check_result(self, round_: SecureRound, result: Total) -> None:
        """Refuse a result that has not the counts, or the answers, of this round."""
        round_.check_result(result)

    def collect(self, round_: SecureRound, transport: SecureTransport, entropy: Entropy) -> Total:
        """The result of a round over a transport."""
        return collect_sum(round_, transport, entropy=entropy)

    def table(self, results: Sequence[Total]) -> pa.Table:
        """The items of all rounds that at least the share has; certain are those whose interval lies above it."""
        found = sorted(self._items(results), key=lambda row: (-row[1], row[0]))
        names, counts, low, high = zip(*found, strict=True) if found else ((), (), (), ())
        columns = {"count": counts, "low": low, "high": high}
        numbers = {name: pa.array(column, pa.int64()) for name, column in columns.items()}
        certain = pa.array([end >= self.minimum for end in low], pa.bool_())
        return pa.table({ITEM: pa.array(names, pa.string()), **numbers, "certain": certain})

    def _items(self, results: Sequence[Total]) -> Iterator[Found]:
        for number, result in enumerate(results):
            round_ = self.next_round(results[:number])
            if round_ is not None and round_.step is not None:
                yield from self._whole(round_, round_.step, result)

    def _whole(self, round_: SecureRound, step: Extension, result: Total) -> Iterator[Found]:
        """Items that end in a round."""
        values, width = np.array(result.sums, dtype=np.int64), self._width(round_, result.answered)
        counts: Integers = round_to_counts(values, round_.unit)
        low, high = intervals_within(values, round_.unit, width)
        for place in np.flatnonzero((values > width) & (counts >= self.minimum)):
            if step.is_whole(label := round_.labels[place]):
                yield label, int(counts[place]), int(low[place]), int(high[place])

    @cached_property
    def visible_from(self) -> int:
        """Number of people who have to count for an item so that it is found in 19 of 20 cases, if everybody answers
        and all prefixes have room."""
        shares, people = self.first.shares, self.first.people
        widest = shares.width(people, EXACT_MISS_RATE / (self.rounds * self.step.candidates))
        spread = shares.width(people, EXACT_MISS_RATE / self.rounds)
        return -(-(max(widest + 1, self.minimum * self.first.unit) + spread) // self.first.unit)

    def statements(self, results: Sequence[Total]) -> list[Statement]:
        """What happens in the rounds, what the intervals mean, and what is guaranteed."""
        return [
            Statement("bounding", self._participation),
            *(Statement("mechanism", each) for each in (self._tree, noise(self.first, results[0].answered))),
            Statement("mechanism", f"{masks(self.first)} {self._shown}"),
            Statement("interval", _INTERVAL),
            Statement("guarantee", guarantee(self.first)),
        ]

    @property
    def interval(self) -> str:
        """What intervals are for, in a sentence."""
        return (
            f"low and high are for people who answered the round in which an item ended, each held to "
            f"{part(self.first)}, for all items at once."
        )

    @property
    def _participation(self) -> str:
        longest = self.step.lengths[-1]
        return (
            f"People keep their items. An item takes part if it has at most {longest:,} characters, all of them in the "
            f'alphabet "{self.step.alphabet}". Each person counts with {part(self.first)} in a round: of more, the '
            "device takes what comes first in an order by a keyed hash, the same in all rounds. Items that begin alike "
            "count once."
        )

    @property
    def _tree(self) -> str:
        lengths = ", ".join(map(str, self.step.lengths))
        return (
            f"The server asks {self.rounds} times, for prefixes of {lengths} characters and for items that end before. "
            f"Each round counts all extensions of the prefixes that are left, at most {self.step.candidates:,}."
        )

    @property
    def _shown(self) -> str:
        return (
            "A prefix is left if its noisy count is above what noise reaches anywhere, and not clearly below "
            f"{self.minimum:,}. The expected number of candidates that nobody has and that are left, or shown, is at "
            f"most {float(EXACT_MISS_RATE) / 2:g} in all rounds together. The release has items with at least "
            f"{self.minimum:,} people ({float(100 * self.share):g}% of {self.first.people:,})."
        )

    def __str__(self) -> str:
        appear = (
            f"  appear   An item appears if at least {self.minimum:,} people have it (estimated). One that "
            f"{self.visible_from:,} have is found in 19 of 20 cases."
        )
        tree = f"  rounds   {self.rounds}; everybody answers each, about at most {self.step.candidates:,} candidates"
        return "\n".join([str(self.first), tree, appear])


_INTERVAL = (
    "In 95% of cases all intervals from low to high contain the counts after bounding, of those who answered, if "
    "everybody who answered followed the protocol."
)
