"""Trusted aggregator: adds up reports and publishes the counts that reach the threshold.

Invariants:

- one round, one result. After that it has forgotten everything and refuses everything;
- the result is a function of the counts from the threshold on. How many people reported, how many were in the sample,
  what was left out, in which order reports came: no result, text or error reveals any of these;
- the reply to one person depends on their own report and ticket alone;
- a ticket counts once.

In a real deployment this is what runs inside the secure aggregator (an enclave, or a protocol of several servers); here
it is an object, and whoever can read its memory can read the reports.
"""

from collections import Counter
from threading import Lock

import numpy as np

from headcount.errors import BadParameter
from headcount.federated.messages import Invitation, Refused, Report, Result, Round
from headcount.federated.sample import random_sequence
from headcount.federated.schema.lists import in_order
from headcount.federated.single import Single
from headcount.noise import Entropy, SystemEntropy

_SYSTEM = SystemEntropy()


class Aggregator(Single):
    """Adds up the reports of one round."""

    def __init__(self, round_: Round, *, entropy: Entropy = _SYSTEM) -> None:
        if not round_.holds:
            raise Refused("This round does not keep its promise.", fix="a lower rate or a higher threshold")
        self._round = round_
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
            self._open = False
            shown = [(item, count) for item, count in self._counts.items() if count >= self._round.threshold]
            for state in (self._counts, self._used, self._tickets):
                state.clear()
            self._invitations = ()
        return Result(self._round.digest, in_order(shown))

    def _invite(self, people: int, invited: int, entropy: Entropy) -> None:
        """Draw the sample before anybody answers: the first S of a random sequence, which stays here (`sample`)."""
        order = random_sequence(people, invited, entropy)
        tickets = [entropy.secret()[:16].hex() for _ in order]
        size = int(entropy.thin(np.array([people]), self._round.rate)[0])
        self._tickets = {ticket: index < size for index, ticket in enumerate(tickets)}
        by_number = sorted(zip(order, tickets, strict=True))
        self._invitations = tuple(Invitation(self._round.digest, person, ticket) for person, ticket in by_number)

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
        if report.ticket in self._used:
            raise Refused("Your ticket was already used.", fix="nothing: the first report is counted")
