"""ClientApp of a node: the client of a person, or of a site, which goes on from the state that the node keeps.

Invariants:

- a node answers a round once, and rounds up to its total: with a file, as long as there is the file; without one,
  within a run of Flower, which forgets a node's state between runs and restarts. The state is replaced before the
  answer leaves, also if the answer fails, and nodes with the same file take turns;
- a node always replies, also if it refuses or its items cannot be read: with an empty text, and without a reason, which
  might quote an item. Why it refused a message stands in its own log; what reading its items raised stands nowhere;
- a node with `secure_client_app` or `secure_site_app` answers secure sums alone: no analyst turns it into one that
  reports.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from headcount.errors import HeadcountError
from headcount.exact import Number
from headcount.federated.client import Client
from headcount.federated.listed import SecureClient, SecureRound
from headcount.federated.messages import Refused, Round
from headcount.federated.sites import SecureSite, Site
from headcount.federated.state_file import StateFile
from headcount.federated.transport.flower.content import NodeState, answer, flower, text_in
from headcount.federated.transport.secure import question_in

if TYPE_CHECKING:
    from flwr.client import ClientApp
    from flwr.common import Context

LOG = logging.getLogger("headcount")

Items = Callable[["Context"], Iterable[str]]
"""Returns the items of a node's person."""
Table = Callable[["Context"], Any]
"""Returns the table of a node's people."""
File = Callable[["Context"], str | Path]
"""Returns the path of the file in which a node keeps its state."""
T = TypeVar("T")
Answer = Callable[[str, "Context"], str]
Reporter = Callable[["Context", str | None], Client | Site]
"""Makes the client of a node from the state that it kept."""
Joiner = Callable[["Context", str | None], SecureClient]


def client_app(
    items: Items, *, epsilon: Number | None = None, delta: Number = "1e-5", file: File | None = None
) -> "ClientApp":
    """Make the ClientApp of a node that reports to a trusted aggregator: `items(context)` returns the items of its
    person. With an epsilon, it answers rounds up to that total. `file(context)` is where the device keeps what it
    answered; without it, the node forgets that at the end of a run of Flower."""

    def client(context: "Context", state: str | None) -> Client:
        return Client(_read(items, context), epsilon=epsilon, delta=delta, state=state)

    return _reporting(client, file)


def secure_client_app(
    items: Items, *, epsilon: Number | None = None, delta: Number = "1e-5", file: File | None = None
) -> "ClientApp":
    """Make the ClientApp of a node that takes part in secure sums, and answers nothing else; like `client_app`."""

    def client(context: "Context", state: str | None) -> SecureClient:
        return SecureClient(_read(items, context), epsilon=epsilon, delta=delta, state=state)

    return _joining(client, file)


def site_app(
    table: Table,
    *,
    user: str,
    by: str,
    epsilon: Number | None = None,
    delta: Number = "1e-5",
    file: File | None = None,
) -> "ClientApp":
    """Make the ClientApp of a node that reports for many people to a trusted aggregator: `table(context)` returns their
    table, with the columns `user` and `by`. The rest is as for `client_app`; with an epsilon, it is each person's."""

    def site(context: "Context", state: str | None) -> Site:
        return Site(_read_table(table, context), user=user, by=by, epsilon=epsilon, delta=delta, state=state)

    return _reporting(site, file)


def secure_site_app(
    table: Table,
    *,
    user: str,
    by: str,
    epsilon: Number | None = None,
    delta: Number = "1e-5",
    file: File | None = None,
) -> "ClientApp":
    """Make the ClientApp of a node that takes part in secure sums for many people, and answers nothing else; like
    `site_app`."""

    def site(context: "Context", state: str | None) -> SecureSite:
        return SecureSite(_read_table(table, context), user=user, by=by, epsilon=epsilon, delta=delta, state=state)

    return _joining(site, file)


def _reporting(client: Reporter, file: File | None) -> "ClientApp":
    """The app of a node that answers with reports, each on a line."""

    def respond(text: str, context: "Context") -> str:
        round_ = Round.from_json(text)

        def reports(answering: Client | Site) -> str:
            return "\n".join(report.to_json() for report in answering.reports(round_))

        return _place(file, context).answer(lambda state: client(context, state), reports)

    return _app(respond)


def _joining(client: Joiner, file: File | None) -> "ClientApp":
    """The app of a node that takes part in secure sums. After a round's first message the state is enough."""

    def respond(text: str, context: "Context") -> str:
        round_ = _round_in(text)
        return _place(file, context).answer(
            lambda state: client(context, state) if round_ else SecureClient((), state=state),
            lambda joined: (joined.join(round_) if round_ else joined.answer(question_in(text))).to_json(),
        )

    return _app(respond)


def _read(items: Items, context: "Context") -> list[str]:
    """The items of a node's person. What reading them raises might quote one, and is not repeated."""
    try:
        return list(items(context))
    except Exception:
        raise Refused("This person's items could not be read.", fix="items(context) that returns texts") from None


def _read_table(table: Table, context: "Context") -> Any:
    """The table of a node's people. What opening it raised might quote a row, and is not repeated."""
    try:
        return table(context)
    except Exception:
        raise Refused("The table of this site could not be opened.", fix="table(context) that returns it") from None


def _round_in(text: str) -> SecureRound | None:
    """The round of a first message; None for all messages after it."""
    with suppress(HeadcountError):
        return SecureRound.from_json(text)
    return None


def _place(file: File | None, context: "Context") -> StateFile | NodeState:
    """Place of the state of a node's person."""
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
