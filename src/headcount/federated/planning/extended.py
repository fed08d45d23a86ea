"""Heavy hitters of unknown items by secure sums over prefixes: their plan.

How many prefixes later rounds extend depends on what earlier ones showed; their sizes are between those for one prefix
and those for as many as have room.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

import pyarrow as pa

from headcount.federated.listed import SecureClient, SecureRound
from headcount.federated.planning import central
from headcount.federated.planning.collection import Error
from headcount.federated.planning.comparison import Comparison, of_heavy_hitters
from headcount.federated.planning.listed import SecureCollection, SumCollection
from headcount.federated.planning.meter import Meter, MeteredSums
from headcount.federated.planning.people import ITEMS, People, with_items
from headcount.federated.planning.series import ENDED, texts
from headcount.federated.planning.traffic import Traffic
from headcount.federated.rounds import RoundsAnalyst, SecureHeavyHittersPlan, collect_rounds
from headcount.noise import Entropy
from headcount.release import Release
from headcount.wording import counted_noun


@dataclass(frozen=True, kw_only=True)
class ExtendedCollection(SumCollection):
    """Several rounds of secure sums over prefixes."""

    plan: SecureHeavyHittersPlan

    @property
    def what(self) -> str:
        return f"{self.plan.what}, in {counted_noun(self.plan.rounds, 'round')} of secure sums"

    @property
    def terms(self) -> SecureHeavyHittersPlan:
        return self.plan

    @property
    def sum_terms(self) -> SecureRound:
        return self.plan.first

    def errors(self, answers: int) -> list[Error]:
        shares, unit = self.plan.first.shares, self.plan.first.unit
        table = central.of_found_items(self.cost, self.plan.items, self.plan.neighbours)
        return [
            Error("an item appears from about", "people", self.plan.visible_from, table.visible_from),
            Error("a count", "people", shares.width(answers) / unit, table.error),
        ]

    @property
    def more_missing(self) -> str:
        spare = self.people - self.plan.first.minimum
        return (
            f"With more than {spare:,} people missing from any round the server opens nothing, the series ends without "
            f"a release, and it stays paid for: choose dropouts that leave room. {ENDED} These sizes are for half of "
            "those who are missing who never answer, and half who leave after they have shared their secrets."
        )

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        return tuple(each for number in range(self.plan.rounds) for each in self._round_traffic(number))

    def _round_traffic(self, number: int) -> Iterator[Traffic]:
        """The messages of a round, from those for the fewest prefixes to those for the most."""
        step = replace(self.plan.step, number=number)
        known = texts(step.candidates // step.of_each, step.known_length, step.alphabet)
        few, many = (self._sum(replace(self.plan.first, keys=keys, step=step)) for keys in (known[:1], known))
        for least, most in zip(few.traffic, many.traffic, strict=True):
            same = least.mean if least == most else None
            yield Traffic(least.way, least.kind, least.least, most.most, same)

    def _sum(self, round_: SecureRound) -> SecureCollection:
        return SecureCollection(round=round_, people=self.people, missing=self.missing, cost=self.cost)

    def made_up(self) -> People:
        step = self.plan.step
        return with_items(self.people, texts(ITEMS, step.lengths[-1], step.alphabet), self.plan.items)

    def relevant(self, people: People) -> People:
        """Items that take part."""
        step = self.plan.step
        return [[item for item in items if len(item) <= step.lengths[-1] and step.spells(item)] for items in people]

    def run(self, people: People, leaving: Set[int], meter: Meter, entropy: Entropy) -> Release:
        transport = MeteredSums([SecureClient(items, entropy=entropy) for items in people], leaving, meter)
        release = collect_rounds(RoundsAnalyst(self.plan), transport, entropy=entropy)
        transport.forget_those_who_left()
        return release

    def compare(self, released: pa.Table, people: People) -> Comparison:
        return of_heavy_hitters(released, people, self.plan.minimum)
