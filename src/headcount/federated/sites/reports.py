"""Site of many people in rounds of sample and threshold: one report for each person.

Invariants:

- each person's report is that of a client of their own (client.py): at most `items` items, a fresh coin for each, none
  stored, and a ticket. It depends on this person's rows alone;
- tickets follow from the site's key, the person and the round: whoever is at this site counts once, also if a site
  forgets that it has answered but keeps its key. The same person at another site has other tickets;
- everybody in the table has a report, also without an item. Reports are in the order of tickets, which tells nothing of
  the table's;
- a site answers only rounds that say that sites may: a site knows the coins of all its people;
- a site answers a round once, and rounds up to a total, which is that of each of its people;
- the table is read before the round is noted, so that a table that cannot be read costs nothing. Coins are tossed
  after.
"""

import hashlib
from typing import Any

from headcount.exact import Number
from headcount.federated.client import Client
from headcount.federated.messages import Invitation, Refused, Report, Round
from headcount.federated.person import Person
from headcount.federated.sites.table import open_table
from headcount.noise import Entropy, SystemEntropy

_SYSTEM = SystemEntropy()


class Site(Person):
    """Site with a table of people.

    >>> import headcount as hc
    >>> from headcount.federated import Analyst
    >>> site = Site(hc.example(people=100), user="user", by="song")
    >>> len(site.reports(Analyst().publish("Which song?", epsilon=1, sites_per_person=1)))
    100
    """

    __slots__ = ("_table",)

    def __init__(
        self,
        data: Any,
        *,
        user: str,
        by: str,
        epsilon: Number | None = None,
        delta: Number = "1e-5",
        key: bytes | None = None,
        state: str | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """Create the site of a table: a path, a frame, an Ibis table, a view, or any other data for `hc.histogram`, or
        `hc.table(data, ...)`.

        user: the column that tells people apart, text or whole numbers.
        by: the column of items, text or whole numbers.
        epsilon: what each person at this site can lose in all rounds together, or delta; without it, there is no limit.
        key, state: as for `Client`.
        """
        super().__init__(epsilon, delta, key, entropy, state)
        self._table = open_table(data, user, by)

    def reports(self, round_: Round, invitation: Invitation | None = None) -> list[Report]:
        """A report for each person."""
        if invitation is not None or round_.people is not None:
            raise Refused("A round that invites is for people, not for sites.", fix="publish(...) without people=")
        if not round_.has_sites:
            raise Refused("This round is for people who answer by themselves.", fix="publish(..., sites_per_person=1)")
        self._inspect(round_)
        people = self._table.people()
        self._admit(round_)
        return sorted((self._client(*each).answer(round_) for each in people.items()), key=lambda report: report.ticket)

    def _client(self, person: str, items: list[str]) -> Client:
        """The client of one person, whose key follows from the site's."""
        key = hashlib.blake2b(person.encode(), key=self._key, digest_size=32, person=b"person").digest()
        return Client(items, key=key, entropy=self._entropy)
