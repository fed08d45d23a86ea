"""Clients that are nodes of Flower, each with one person's items (`pip install 'headcount[flower]'`).

The analyst's ServerApp is the aggregator: it and Flower's SuperLink see every report in plain text, and are trusted.
TLS between SuperNodes and SuperLink hides reports from the network, not from them.

Invariants:

- a node answers a round once. Its state keeps a key, from which the same ticket comes again, and the rounds that it
  answered; that is noted before anything is drawn. A node that loses its state needs a key of its own (`key`);
- a node always replies, also if it refuses or its items cannot be read: with an empty text, and without a reason, which
  might quote an item.
"""

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headcount.errors import BadParameter, optional_package
from headcount.federated.client import Client
from headcount.federated.messages import Invitation, Refused, Round

if TYPE_CHECKING:
    from flwr.client import ClientApp
    from flwr.common import Context
    from flwr.server import Grid

RECORD = "headcount"
"""Name of the record in messages and in the state of a node."""
INTERVAL = 0.2
"""Seconds between two looks at which nodes are connected."""

Items = Callable[["Context"], Iterable[str]]
"""Returns the items of a node's person."""
Key = Callable[["Context"], bytes]
"""Returns 32 secret bytes that a node keeps, also if it restarts."""


class FlowerTransport:
    """Carries messages to the nodes of a Flower federation; `grid` is what a ServerApp gets."""

    def __init__(self, grid: "Grid", *, nodes: int, wait: float = 60, timeout: float = 600) -> None:
        """nodes: the fewest nodes that must be connected; with fewer nothing is sent.
        wait: seconds to wait until they are.
        timeout: seconds to wait for answers; who is later is not counted."""
        self._grid = grid
        self._nodes = nodes
        self._wait = wait
        self._timeout = timeout

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        """The answers of all nodes that are connected."""
        if round_.people is not None:
            raise BadParameter(
                "people: rounds that invite cannot be sent by Flower yet.", fix="publish(...) without it"
            )
        text, nodes = round_.to_json(), self._connected()
        for reply in self._grid.send_and_receive([_message(text, node) for node in nodes], timeout=self._timeout):
            if not reply.has_error():
                yield _text_in(reply)

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


def client_app(items: Items, *, key: Key | None = None) -> "ClientApp":
    """Make the ClientApp of a node: `items(context)` returns the items of its person. `key(context)` returns 32 secret
    bytes that the device keeps; by default a random key in the state of the node, which a restart loses."""
    app = _flower("flwr.client").ClientApp()

    @app.query()  # type: ignore[untyped-decorator]
    def answer(message: Any, context: Any) -> Any:
        text = ""
        with suppress(Exception):  # whose text might quote an item
            text = _answer(_text_in(message), items, key, context)
        return _reply(text, message)

    return app


def _answer(text: str, items: Items, key: Key | None, context: "Context") -> str:
    """The report of a node, once for each round."""
    round_, state = Round.from_json(text), _state(context)
    if round_.digest in state["answered"]:
        return ""
    state["answered"] = [*state["answered"], round_.digest]
    return Client(list(items(context)), key=key(context) if key else state["key"]).answer(round_).to_json()


def _state(context: "Context") -> Any:
    """What a node keeps between rounds."""
    if RECORD not in context.state:
        record = _flower("flwr.common").ConfigRecord({"key": secrets.token_bytes(32), "answered": [""]})
        context.state[RECORD] = record
    return context.state[RECORD]


def _message(text: str, node: int) -> Any:
    return _flower("flwr.common").Message(_content(text), dst_node_id=node, message_type="query")


def _reply(text: str, message: Any) -> Any:
    return _flower("flwr.common").Message(_content(text), reply_to=message)


def _content(text: str) -> Any:
    flower = _flower("flwr.common")
    return flower.RecordDict({RECORD: flower.ConfigRecord({"text": text})})


def _text_in(message: Any) -> str:
    """The text of a message, which anybody may have sent; empty if there is none."""
    with suppress(KeyError, TypeError):
        return str(message.content[RECORD]["text"])
    return ""


def _flower(name: str) -> Any:
    return optional_package(name, user="headcount.federated.transport.flower", install="'headcount[flower]'")
