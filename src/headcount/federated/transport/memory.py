"""Clients in the same process, by number: for tests, and to try a round before it is deployed. Messages travel as text,
as they do everywhere else."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from headcount.errors import HeadcountError
from headcount.federated.client import Client
from headcount.federated.messages import Invitation, Round
from headcount.federated.sites import Site


class MemoryTransport:
    """Carries messages to clients that are objects.

    >>> from headcount.federated import Analyst, Client
    >>> from headcount.federated.transport import collect
    >>> analyst = Analyst()
    >>> round_ = analyst.publish("Which song?", epsilon=1)
    >>> result = collect(round_, MemoryTransport([Client(["blue"]) for _ in range(1000)]))
    >>> analyst.read(result)["item"].to_pylist()
    ['blue']
    """

    def __init__(self, clients: Sequence[Client | Site]) -> None:
        self._clients = clients

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        """The answers of all clients, or of those who are invited. Whoever refuses does not answer."""
        there = Round.from_json(round_.to_json())
        chosen = [(self._clients[each.person], each) for each in invitations if each.person < len(self._clients)]
        for client, invitation in chosen or ((client, None) for client in self._all(round_)):
            with suppress(HeadcountError):
                yield from (report.to_json() for report in client.reports(there, invitation))

    def _all(self, round_: Round) -> Sequence[Client | Site]:
        return self._clients if round_.people is None else ()
