"""Text in Flower's messages and in the state of a node, in a record of our name."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from headcount.errors import optional_package

RECORD = "headcount"
"""Name of the record."""


def question(text: str, node: int) -> Any:
    """A message to a node."""
    return flower("flwr.common").Message(_content(text), dst_node_id=node, message_type="query")


def answer(text: str, message: Any) -> Any:
    """The reply of a node to a message."""
    return flower("flwr.common").Message(_content(text), reply_to=message)


def text_in(message: Any) -> str:
    """The text of a message, which anybody may have sent; empty if there is none."""
    with suppress(KeyError, TypeError, ValueError):
        return str(message.content[RECORD]["text"])
    return ""


def kept(context: Any) -> str | None:
    """The state that a node keeps; None if there is none yet."""
    return str(context.state[RECORD]["state"]) if RECORD in context.state else None


def keep(context: Any, state: str) -> None:
    """Keep a state in place of the one before. Flower stores it on the node, together with the reply."""
    context.state[RECORD] = record({"state": state})


def record(values: Mapping[str, str]) -> Any:
    """A record of texts."""
    return flower("flwr.common").ConfigRecord(dict(values))


def flower(name: str) -> Any:
    """A module of Flower."""
    return optional_package(name, user="headcount.federated.transport.flower", install="'headcount[flower]'")


def _content(text: str) -> Any:
    return flower("flwr.common").RecordDict({RECORD: record({"text": text})})
