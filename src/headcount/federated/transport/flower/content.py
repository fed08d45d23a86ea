"""Text in Flower's messages and in the state of a node, in a record of our name.

Invariants:

- what a node answers is as long as a power of two, at least `SHORTEST`: whoever watches encrypted traffic sees neither
  how many of a person's few short items are in the sample, nor, within a factor of two, how long the reports of a site
  are. A refusal is as long as a short answer. An answer with items of over a thousand characters together shows that it
  has some.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from headcount.errors import optional_package
from headcount.federated.person import Person

P = TypeVar("P", bound=Person)
RECORD = "headcount"
"""Name of the record."""
PADDING = "\n"
SHORTEST = 1024
"""Fewest characters of an answer: more than a report of a few items has."""


def question(text: str, node: int) -> Any:
    """A message to a node."""
    return flower("flwr.common").Message(_content(text), dst_node_id=node, message_type="query")


def answer(text: str, message: Any) -> Any:
    """The reply of a node to a message."""
    return flower("flwr.common").Message(_content(padded(text)), reply_to=message)


def padded(text: str) -> str:
    """The text, with line feeds up to a power of two.

    >>> len(padded("a" * 1025))
    2048
    """
    return text.ljust(max(SHORTEST, 1 << (len(text) - 1).bit_length()), PADDING)


def text_in(message: Any) -> str:
    """The text of a message, without its padding; anybody may have sent it. Empty if there is none."""
    with suppress(KeyError, TypeError, ValueError):
        return str(message.content[RECORD]["text"]).rstrip(PADDING)
    return ""


class NodeState:
    """State of one person in a node's context, which Flower stores on the node together with the reply."""

    def __init__(self, context: Any) -> None:
        self._records = context.state

    def answer(self, make: Callable[[str | None], P], respond: Callable[[P], str]) -> str:
        """Make a client from the state, None if there is none yet; keep its new state, and return its response."""
        person = make(str(self._records[RECORD]["state"]) if RECORD in self._records else None)
        try:
            return respond(person)
        finally:
            self._records[RECORD] = record({"state": person.state()})


def record(values: Mapping[str, str]) -> Any:
    """A record of texts."""
    return flower("flwr.common").ConfigRecord(dict(values))


def flower(name: str) -> Any:
    """A module of Flower."""
    return optional_package(name, user="headcount.federated.transport.flower", install="'headcount[flower]'")


def _content(text: str) -> Any:
    return flower("flwr.common").RecordDict({RECORD: record({"text": text})})
