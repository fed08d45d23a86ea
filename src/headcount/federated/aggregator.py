"""Trusted aggregator: adds up reports and publishes the counts that reach the threshold.

Invariants:

- one round, one result. After that it has forgotten everything and refuses everything;
- the result is a function of the counts from the threshold on. How many people reported, how many were in the sample,
  what was left out, in which order reports came: no result, text or error reveals any of these;
- the reply to one person depends on their own report and ticket alone;
- a ticket counts once, also in an aggregator that was restored: what is saved has counts and tickets together;
- of several shards, each takes its own tickets, so that none is counted in two; they end in one result.

In a real deployment this is what runs inside the secure aggregator (an enclave, or a protocol of several servers); here
it is an object, and whoever can read its memory can read the reports.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import Self

import numpy as np

from headcount.errors import BadParameter
from headcount.federated.aggregator_state import MAX_SHARDS, AggregatorState, seal, unseal
from headcount.federated.messages import Invitation, Refused, Report, Result, Round
from headcount.federated.sample import random_sequence
from headcount.federated.schema import Whole
from headcount.federated.schema.lists import in_order
from headcount.federated.single import Single
from headcount.noise import Entropy, SystemEntropy
from headcount.release.files import write

_SYSTEM = SystemEntropy()


class Aggregator(Single):
    """Adds up the reports of one round."""

    def __init__(self, round_: Round, *, shard: int = 0, shards: int = 1, entropy: Entropy = _SYSTEM) -> None:
        """Open the aggregator of a round; of several `shards`, the one that takes the tickets whose number modulo
        `shards` is `shard`."""
        if not round_.holds:
            raise Refused("This round does not keep its promise.", fix="a lower rate or a higher threshold")
        _check_shards(round_, shard, shards)
        self._round = round_
        self._shard, self._shards = shard, shards
        self._open = True
        self._lock = Lock()
        self._counts: Counter[str] = Counter()
        self._used: set[str] = set()
        self._tickets: dict[str, bool] = {}  # of invitations: True if in the sample
        self._invitations: tuple[Invitation, ...] = ()
        if round_.people is not None and round_.invited is not None:
            self._invite(round_.people, round_.invited, entropy)

    def __repr__(self) -> str:
        return f"Aggregator(round {self._round.digest}, {'open' if self._open else 'closed'})"

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """Invitations by person number: to be delivered, and shown to nobody else. Empty if everybody answers."""
        self._check_open()
        return self._invitations

    def add(self, report: Report) -> None:
        """Count a report, once for each ticket."""
        with self._lock:
            self._check(report)
            self._used.add(report.ticket)
            for item in report.items if self._tickets.get(report.ticket, True) else ():
                self._counts[item] += 1

    def close(self) -> Result:
        """Close the round and return its only result."""
        with self._lock:
            self._check_open()
            if self._shards > 1:
                raise Refused(f"This is one of {self._shards} shards.", fix="Aggregator.merge(shards).close()")
            shown = [(item, count) for item, count in self._counts.items() if count >= self._round.threshold]
            self._forget()
        return Result(self._round.digest, in_order(shown))

    def save(self, path: str | Path, *, key: bytes) -> Path:
        """Write all that this aggregator holds to a file, encrypted with 32 secret bytes, in place of what was there.

        A report that is saved is not lost. One that came later is counted if it is sent again; sent twice, it counts
        once."""
        with self._lock:
            return write(path, seal(self._state(), key), mode=0o600)

    @classmethod
    def load(cls, path: str | Path, *, key: bytes) -> Self:
        """Restore an aggregator from the file that `save` wrote, to go on, and to close once: a result of an older
        state is another result of the same round, which the ledger of an analyst refuses."""
        state = unseal(path, key)
        aggregator = cls.__new__(cls)
        aggregator._restore(state)
        return aggregator

    @classmethod
    def merge(cls, shards: Sequence["Aggregator"]) -> "Aggregator":
        """The one aggregator of all shards of a round, which are closed."""
        with ExitStack() as locks:
            for shard in set(shards):
                locks.enter_context(shard._lock)
            _check_complete(shards)
            whole = Aggregator(shards[0]._round)
            for shard in shards:
                whole._counts.update(shard._counts)
                whole._used |= shard._used
                shard._forget()
        return whole

    def _invite(self, people: int, invited: int, entropy: Entropy) -> None:
        """Draw the sample before anybody answers: the first S of a random sequence, which stays here (`sample`)."""
        order = random_sequence(people, invited, entropy)
        tickets = [entropy.secret()[:16].hex() for _ in order]
        size = int(entropy.thin(np.array([people]), self._round.rate)[0])
        self._tickets = {ticket: index < size for index, ticket in enumerate(tickets)}
        by_number = sorted(zip(order, tickets, strict=True))
        self._invitations = tuple(Invitation(self._round.digest, person, ticket) for person, ticket in by_number)

    def _forget(self) -> None:
        self._open = False
        for kept in (self._counts, self._used, self._tickets):
            kept.clear()
        self._invitations = ()

    def _state(self) -> AggregatorState:
        invited = tuple((each.person, each.ticket, self._tickets[each.ticket]) for each in self._invitations)
        counts, used = in_order(self._counts.items()), tuple(sorted(self._used))
        return AggregatorState(self._open, self._round.to_json(), self._shard, self._shards, counts, used, invited)

    def _restore(self, state: AggregatorState) -> None:
        self._round = Round.from_json(state.round)
        self._shard, self._shards, self._open = state.shard, state.shards, state.open
        self._lock = Lock()
        self._counts, self._used = Counter(dict(state.counts)), set(state.used)
        self._tickets = {ticket: sampled for _, ticket, sampled in state.invited}
        self._invitations = tuple(Invitation(self._round.digest, person, ticket) for person, ticket, _ in state.invited)

    def _check_open(self) -> None:
        if not self._open:
            raise Refused("This round is closed.", fix="a new round")

    def _check(self, report: Report) -> None:
        """Refuse a report that may not be counted. The refusal depends on no other report."""
        self._check_open()
        if not isinstance(report, Report):
            raise BadParameter("report: not a report.", fix="Report.from_json(text)")
        if report.round != self._round.digest:
            raise Refused("This report is for another round.", fix="the aggregator of that round")
        if len(report.items) > self._round.items:
            raise Refused(f"At most {self._round.items} of one person's items are counted.", fix="client.answer(round)")
        if self._round.people is not None and report.ticket not in self._tickets:
            raise Refused("This ticket is not of an invitation.", fix="client.answer(round, invitation)")
        if int(report.ticket, 16) % self._shards != self._shard:
            raise Refused("This ticket is of another shard.", fix="the shard int(ticket, 16) % shards")
        if report.ticket in self._used:
            raise Refused("Your ticket was already used.", fix="nothing: the first report is counted")


def _check_shards(round_: Round, shard: int, shards: int) -> None:
    Whole(1, MAX_SHARDS).check("shards", shards)
    Whole(0, shards - 1).check("shard", shard)
    if shards > 1 and round_.people is not None:
        raise Refused("A round that invites has one aggregator: it draws the sample.", fix="Aggregator(round)")


def _check_complete(shards: Sequence[Aggregator]) -> None:
    """Refuse to merge unless every shard of one round is there once, and open. If the round invites, the new aggregator
    would draw a second sample beside the first."""
    if not shards or any(shard._round.digest != shards[0]._round.digest for shard in shards):
        raise Refused("These are not the shards of one round.", fix="Aggregator.merge(shards)")
    if shards[0]._round.people is not None:
        raise Refused("A round that invites has one aggregator: it draws the sample, once.", fix="aggregator.close()")
    if any(shard._shards != len(shards) for shard in shards) or len({shard._shard for shard in shards}) != len(shards):
        raise Refused("Every shard is needed, once.", fix=f"Aggregator.merge of all {shards[0]._shards} shards")
    for shard in shards:
        shard._check_open()
