"""ClientApp of a node: one person's client, which goes on from the state that Flower keeps for the node.

Invariants:

- a node answers a round once, and rounds up to its total: with a file, as long as there is the file; without one,
  within a run of Flower, which forgets a node's state between runs and restarts. The state is replaced before the
  answer leaves, also if the answer fails, and nodes with the same file take turns;
- a node always replies, also if it refuses or its items cannot be read: with an empty text, and without a reason, which
  might quote an item. Why it refused a message stands in its own log; what reading its items raised stands nowhere;
- a node with `secure_client_app` answers secure sums alone: no analyst turns it into one that reports.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headcount.errors import HeadcountError
from headcount.exact import Number
from headcount.federated.client import Client
from headcount.federated.listed import SecureClient, SecureRound
from headcount.federated.messages import Refused, Round
from headcount.federated.state_file import StateFile
from headcount.federated.transport.flower.content import NodeState, answer, flower, text_in
from headcount.federated.transport.secure import question_in

if TYPE_CHECKING:
    from flwr.client import ClientApp
    from flwr.common import Context

LOG = logging.getLogger("headcount")

Items = Callable[["Context"], Iterable[str]]
"""Returns the items of a node's person."""
File = Callable[["Context"], str | Path]
"""Returns the path of the file in which a node keeps its state."""
Answer = Callable[[str, "Context"], str]


def client_app(
    items: Items, *, epsilon: Number | None = None, delta: Number = "1e-5", file: File | None = None
) -> "ClientApp":
    """Make the ClientApp of a node that reports to a trusted aggregator: `items(context)` returns the items of its
    person. With an epsilon, it answers rounds up to that total. `file(context)` is where the device keeps what it
    answered; without it, the node forgets that at the end of a run of Flower."""

    def respond(text: str, context: "Context") -> str:
        round_, known = Round.from_json(text), _read(items, context)
        return _place(file, context).answer(
            lambda state: Client(known, epsilon=epsilon, delta=delta, state=state),
            lambda client: client.answer(round_).to_json(),
        )

    return _app(respond)


def secure_client_app(
    items: Items, *, epsilon: Number | None = None, delta: Number = "1e-5", file: File | None = None
) -> "ClientApp":
    """Make the ClientApp of a node that takes part in secure sums, and answers nothing else; like `client_app`."""

    def respond(text: str, context: "Context") -> str:
        round_ = _round_in(text)
        known = _read(items, context) if round_ else ()  # later steps have what they need in the state
        return _place(file, context).answer(
            lambda state: SecureClient(known, epsilon=epsilon, delta=delta, state=state),
            lambda client: (client.join(round_) if round_ else client.answer(question_in(text))).to_json(),
        )

    return _app(respond)


def _read(items: Items, context: "Context") -> list[str]:
    """The items of a node's person. What reading them raises might quote one, and is not repeated."""
    try:
        return list(items(context))
    except Exception:
        raise Refused("This person's items could not be read.", fix="items(context) that returns texts") from None


def _round_in(text: str) -> SecureRound | None:
    """The round of a first message; None for all messages after it."""
    with suppress(HeadcountError):
        return SecureRound.from_json(text)
    return None


def _place(file: File | None, context: "Context") -> StateFile | NodeState:
    """Where a node's person has their state."""
    return NodeState(context) if file is None else StateFile(file(context))


def _app(respond: Answer) -> "ClientApp":
    def reply(message: Any, context: Any) -> Any:
        return answer(_response(respond, text_in(message), context), message)

    app: ClientApp = flower("flwr.client").ClientApp()
    app.query()(reply)
    return app


def _response(respond: Answer, text: str, context: "Context") -> str:
    """A response, or an empty text."""
    try:
        return respond(text, context)
    except HeadcountError as refusal:
        LOG.warning("No answer: %s", refusal)
    except Exception as failure:
        LOG.warning("No answer: %s", type(failure).__name__)
    return ""
