"""What a ServerApp sends messages to nodes with.

Invariants:

- nothing is sent before enough nodes are connected, and a secure sum is sent to as many as may take part;
- in a secure sum a ticket is reached at the node that it came from first;
- a node has one report, unless nodes are known to be sites: a person's node that sends more is not counted.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from headcount.errors import BadParameter, HeadcountError
from headcount.federated.listed import SecureRound
from headcount.federated.messages import Invitation, Refused, Round
from headcount.federated.secure import SumKeys
from headcount.federated.transport.flower.content import question, text_in

if TYPE_CHECKING:
    from flwr.server import Grid

INTERVAL = 0.2
"""Seconds between two looks at which nodes are connected."""


class _Nodes:
    """Nodes of a Flower federation; `grid` is what a ServerApp gets."""

    def __init__(self, grid: "Grid", *, nodes: int, wait: float = 60, timeout: float = 600) -> None:
        """nodes: the fewest nodes that must be connected; with fewer nothing is sent.
        wait: seconds to wait until they are.
        timeout: seconds to wait for the answers to a message; who is later is not counted."""
        self._grid = grid
        self._nodes = nodes
        self._wait = wait
        self._timeout = timeout

    def _ask(self, texts: Mapping[int, str]) -> Iterator[tuple[int, str]]:
        """Send each node its text; yield (node, answer) of those that reply."""
        messages = [question(text, node) for node, text in texts.items()]
        for reply in self._grid.send_and_receive(messages, timeout=self._timeout):
            if not reply.has_error():
                yield reply.metadata.src_node_id, text_in(reply)

    def _connected(self) -> list[int]:
        """Nodes, once enough of them are connected."""
        end = time.monotonic() + self._wait
        while len(nodes := list(self._grid.get_node_ids())) < self._nodes:
            if time.monotonic() > end:
                raise Refused(
                    f"{len(nodes):,} nodes are connected, and {self._nodes:,} must be: nothing was sent.",
                    fix="a longer wait=, or fewer nodes=",
                )
            time.sleep(INTERVAL)
        return nodes


class FlowerTransport(_Nodes):
    """Carries rounds with a trusted aggregator to all nodes that are connected."""

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        """The answers of all nodes that are connected."""
        if round_.people is not None:
            raise BadParameter(
                "people: rounds that invite cannot be sent by Flower yet.", fix="publish(...) without it"
            )
        for _, text in self._ask(dict.fromkeys(self._connected(), round_.to_json())):
            yield from self._reports(text)

    def _reports(self, text: str) -> list[str]:
        """The one report of a node; several are none."""
        return [text]


class SiteFlowerTransport(FlowerTransport):
    """Carries rounds with a trusted aggregator to nodes that are sites. Each answers with reports of as many people as
    it likes, so that nodes must be known: a person's node could be a thousand people."""

    def _reports(self, text: str) -> list[str]:
        return text.split("\n")


class SecureFlowerTransport(_Nodes):
    """Carries a secure sum to the nodes that are connected, up to as many as may take part."""

    def join(self, round_: SecureRound) -> Iterator[str]:
        """The keys of the nodes."""
        self._by_ticket: dict[str, int] = {}
        nodes = self._connected()[: round_.parties]
        for node, text in self._ask(dict.fromkeys(nodes, round_.to_json())):
            with suppress(HeadcountError):
                self._by_ticket.setdefault(SumKeys.from_json(text).ticket, node)
            yield text

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        """The answers of those who are sent a message."""
        for _, text in self._ask({self._by_ticket[ticket]: text for ticket, text in messages.items()}):
            yield text
