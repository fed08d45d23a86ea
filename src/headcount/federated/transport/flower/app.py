"""ClientApp of a node: the client of a person, or of a site, which goes on from the state that the node keeps.

Invariants:

- a node answers a round once, and rounds up to its total: with a file, as long as there is the file; without one,
  within a run of Flower, which forgets a node's state between runs and restarts. The state is replaced before the
  answer leaves, also if the answer fails;
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
from headcount.federated.person import Person
from headcount.federated.sites import SecureSite, Site
from headcount.federated.transport.flower.content import answer, flower, keep, kept, text_in
from headcount.federated.transport.secure import question_in
from headcount.release.files import write

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
        round_, answering = Round.from_json(text), client(context, _state(file, context))
        reports = _keeping(answering, file, context, lambda: answering.reports(round_))
        return "\n".join(report.to_json() for report in reports)

    return _app(respond)


def _joining(client: Joiner, file: File | None) -> "ClientApp":
    """The app of a node that takes part in secure sums. After a round's first message the state is enough."""

    def respond(text: str, context: "Context") -> str:
        round_, state = _round_in(text), _state(file, context)
        if round_ is not None:
            joining = client(context, state)
            return _keeping(joining, file, context, lambda: joining.join(round_)).to_json()
        joined = SecureClient((), state=state)
        return _keeping(joined, file, context, lambda: joined.answer(question_in(text))).to_json()

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


def _state(file: File | None, context: "Context") -> str | None:
    """What the client of a node goes on from; None if this is its first message."""
    if file is None:
        return kept(context)
    path = Path(file(context))
    return path.read_text() if path.exists() else None


def _keeping(person: Person, file: File | None, context: "Context", respond: Callable[[], T]) -> T:
    """The response of a client, whose state is kept, also if it refuses."""
    try:
        return respond()
    finally:
        if file is None:
            keep(context, person.state())
        else:
            write(file(context), person.state().encode(), mode=0o600)


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
