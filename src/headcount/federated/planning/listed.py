"""People per item of a public list, by a secure sum: its plan.

Of the people who are missing, half never answer, and the others leave after they have shared their secrets, which is
the point at which a missing person costs the others most.
"""

from abc import abstractmethod
from base64 import b64encode
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headcount.federated.listed import SecureAnalyst, SecureClient, SecureRound
from headcount.federated.planning import central
from headcount.federated.planning.collection import Collection, Error
from headcount.federated.planning.comparison import Comparison, of_counts
from headcount.federated.planning.meter import Meter, MeteredSums
from headcount.federated.planning.people import People, with_items
from headcount.federated.planning.traffic import NO_ID, RowSizes, Traffic, Way, between, fixed, mean_digits
from headcount.federated.schema import Message
from headcount.federated.secure import SumInbox, SumKeys, SumMasked, SumPartners, SumShares, SumSurvivors, SumUnmask
from headcount.federated.secure.keys import BOX_BYTES
from headcount.federated.secure.sharing import SHARE_DIGITS
from headcount.federated.sites import SecureSite
from headcount.federated.transport import collect_sum
from headcount.noise import Entropy
from headcount.release import Release

Rows = tuple[Any, ...]
MakeMessage = Callable[[int, Rows], Message]
"""A message from a person's own number and the rows of partners."""


@dataclass(frozen=True, kw_only=True)
class SumCollection(Collection):
    """Rounds of secure sums, each answered by everybody."""

    @property
    @abstractmethod
    def sum_terms(self) -> SecureRound:
        """The first round, or the only one."""

    @property
    def never(self) -> int:
        return self.missing // 2

    @property
    def partners(self) -> int:
        return min(self.sum_terms.partners, self.parties - self.never - 1)

    def refusal(self, answers: int) -> str:
        fewest = self.sum_terms.minimum
        return "" if answers >= fewest else f"nothing is opened: {fewest:,} answers are needed"


@dataclass(frozen=True, kw_only=True)
class SecureCollection(SumCollection):
    """One round of a secure sum."""

    what = "people per item of a public list, by a secure sum"
    is_comparable = True
    round: SecureRound

    @property
    def terms(self) -> SecureRound:
        return self.round

    @property
    def sum_terms(self) -> SecureRound:
        return self.round

    def errors(self, answers: int) -> list[Error]:
        shares, table = self.round.shares, central.of_list(self.cost, self.round.change)
        return [
            Error("standard deviation of a count", "people", shares.deviation(answers), table.deviation),
            Error("a count", "people", shares.width(answers) / self.round.unit, table.error),
        ]

    @property
    def more_missing(self) -> str:
        spare = self.parties - self.round.minimum
        most = "one" if spare == 1 else f"{spare:,} {self.who}"
        return (
            f"With more than {most} missing the server opens nothing, and the round stays paid for: choose dropouts "
            "that leave room. With fewer missing there is more noise, as everybody adds a share. These sizes are for "
            "half of them who never answer, and half who leave after they have shared their secrets."
        )

    def made_up(self) -> People:
        return with_items(self.people, self.round.keys, self.round.items)

    @property
    def parties(self) -> int:
        return self.round.parties

    @property
    def who(self) -> str:
        return self.round.who

    def together(self, people: People) -> Sequence[Any]:
        """Give every site the same number of people, or one more."""
        return people if self.round.sites is None else [people[first :: self.parties] for first in range(self.parties)]

    def apart(self, parties: Sequence[Any]) -> People:
        return parties if self.round.sites is None else [items for people in parties for items in people]

    def run(self, people: Sequence[Any], leaving: Set[int], meter: Meter, entropy: Entropy) -> Release:
        make = _person if self.round.sites is None else _site
        clients = [make(each, entropy) for each in people]
        transport = MeteredSums(clients, leaving, meter)
        total = collect_sum(self.round, transport, entropy=entropy)
        transport.forget_those_who_left()
        return SecureAnalyst([self.round]).read(total)

    def compare(self, released: pa.Table, people: People) -> Comparison:
        keys = frozenset(self.round.keys)
        return of_counts(released, [[item for item in items if item in keys] for items in people])

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        joined = self.parties - self.never
        left = self.partners * (self.answers - 1) / (joined - 1)
        everyone, threshold = self.round.terms.most_partners, self.round.threshold
        fewest = min(everyone, self.round.minimum - 1)
        return (
            fixed("receives", self.round),
            fixed("sends", SumKeys(NO_ID, NO_ID, KEY, KEY, KEY)),
            self._rows("receives", self._partner_keys, (KEY, KEY), self.partners, fewest, mean_digits(joined) - 1),
            self._rows("sends", lambda number, rows: SumShares(NO_ID, NO_ID, rows), (BOX,), self.partners, fewest),
            self._rows("receives", lambda number, rows: SumInbox(NO_ID, rows), (BOX,), self.partners, threshold),
            fixed("sends", SumMasked(NO_ID, NO_ID, _base64(self.round.vector_bytes))),
            self._rows("receives", self._survivors, (), left, fewest if self.round.terms.is_complete else 0),
            self._rows("sends", lambda number, rows: SumUnmask(NO_ID, NO_ID, rows), (SHARE,), self.partners, threshold),
        )

    def _partner_keys(self, number: int, rows: Rows) -> SumPartners:
        return SumPartners(NO_ID, number, rows)

    def _survivors(self, number: int, rows: Rows) -> SumSurvivors:
        """As many answers as there can be with the largest number of a person, else as few."""
        return SumSurvivors(NO_ID, self.parties if number else self.round.minimum, rows)

    def _rows(self, way: Way, message: MakeMessage, row: Rows, rows: float, fewest: int, more: float = 0) -> Traffic:
        """Traffic of a message with a row for each partner: `rows` on average, at least `fewest`. A person's own number
        adds `more` digits on average."""
        everyone = self.round.terms.most_partners
        low = message(0, tuple((number, *row) for number in range(fewest)))
        high = message(self.parties - 1, tuple((self.parties - everyone + at, *row) for at in range(everyone)))
        empty = len(message(0, ()).to_json())
        mean = RowSizes(empty + more, row, self.parties - self.never).mean(rows)
        return between(way, low, high, mean)


def _person(items: Sequence[str], entropy: Entropy) -> SecureClient:
    return SecureClient(items, entropy=entropy)


def _site(people: People, entropy: Entropy) -> SecureClient:
    """A site with a table of these people."""
    pairs = [(number, item) for number, items in enumerate(people) for item in items]
    users, items = pa.array([user for user, _ in pairs], pa.int64()), pa.array([item for _, item in pairs], pa.string())
    return SecureSite(pa.table({"user": users, "item": items}), user="user", by="item", entropy=entropy)


def _base64(count: int) -> str:
    """The text of this many bytes."""
    return b64encode(bytes(count)).decode()


KEY, SHARE, BOX = "0" * 64, "0" * SHARE_DIGITS, _base64(SHARE_DIGITS + BOX_BYTES)
