"""Clients that go on from their state: rounds stay answered and paid for, and a sum goes on between any two steps."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from headcount.errors import BadParameter, HeadcountError
from headcount.federated import (
    Analyst,
    Client,
    Refused,
    Round,
    SecureAnalyst,
    SecureClient,
    SecureRound,
    ShapeAnalyst,
    ShapeClient,
)
from headcount.federated.client_state import MAX_ANSWERED, TOTAL, ClientState, total
from headcount.federated.rounds import RoundsAnalyst, quantiles
from headcount.federated.schema import Message
from headcount.federated.secure import SumClient
from headcount.federated.secure.state import SumState
from headcount.federated.transport import collect_sum
from headcount.federated.transport.secure import question_in
from tests.federated.people import NoNoise
from tests.federated.sums import SYSTEM, Sum, terms, ticket, vectors

KEYS = ["blue", "green", "red"]
needs_cryptography = pytest.mark.skipif(find_spec("cryptography") is None, reason="needs headcount[secure]")


class Restarting:
    """Clients that are made again for every message, from their states alone, as on devices that keep nothing else."""

    def __init__(self, items: list[str]) -> None:
        self.items = items
        self.states: dict[int, str] = {}
        self._by_ticket: dict[str, int] = {}

    def join(self, round_: SecureRound) -> Iterator[str]:
        """The keys of all who do not refuse."""
        for number, item in enumerate(self.items):
            client = SecureClient([item], state=self.states.get(number), entropy=NoNoise())
            with suppress(HeadcountError):
                keys = client.join(round_)
                self._by_ticket[keys.ticket] = number
                yield self._kept(number, client, keys)

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        """The answers of those who are sent a message; their items are not needed any more."""
        for ticket_, text in messages.items():
            number = self._by_ticket[ticket_]
            client = SecureClient([], state=self.states[number], entropy=NoNoise())
            yield self._kept(number, client, client.answer(question_in(text)))

    def _kept(self, number: int, client: SecureClient, message: Message) -> str:
        self.states[number] = client.state()
        return message.to_json()


@needs_cryptography
@pytest.mark.parametrize("people", [12, 90], ids=["everybody is a partner", "some are"])
def test_clients_restart_at_every_step_of_a_sum(people: int) -> None:
    analyst = SecureAnalyst()
    round_ = analyst.publish("Which?", keys=KEYS, people=people, epsilon=1)
    assert (round_.terms.is_complete) == (people == 12)
    there = Restarting([KEYS[number % 2] for number in range(people)])
    found = collect_sum(round_, there)
    assert found.answered == people
    assert found.sums == (people // 2 * round_.unit, people // 2 * round_.unit, 0)
    for text in there.states.values():
        state = ClientState.from_json(text)
        assert (state.answered, state.sums) == ((round_.digest,), ())
        assert (state.epsilon, state.delta) == (round_.epsilon, round_.delta)
    with pytest.raises(Refused, match="0 people answered"):
        collect_sum(round_, there)


@needs_cryptography
@pytest.mark.parametrize("restarts", [1, 2, 3])
def test_a_sum_goes_on_from_a_state_between_any_two_steps(restarts: int) -> None:
    """One client stops after some step and goes on; two others drop out, so that the sum needs its shares of both
    secrets."""
    drawn = vectors(12, 3)
    sum_ = Sum(terms(12), drawn)
    replies = sum_.begin()
    for step, gone in enumerate((frozenset({3}), frozenset({3, 4}), frozenset({3, 4})), 1):
        if step == restarts:
            state = sum_.clients[ticket(0)].state()
            assert state is not None
            again = SumState.from_json(state.to_json())
            assert again == state
            sum_.clients[ticket(0)] = SumClient.resume(again, SYSTEM)
        replies = sum_.step(replies, gone)
    there = [vector for number, vector in enumerate(drawn) if number not in (3, 4)]
    assert sum_.server.close().sums == tuple(np.sum(there, axis=0).tolist())


@needs_cryptography
def test_the_state_of_a_sum_forgets_as_its_client_does() -> None:
    sum_ = Sum(terms(5), vectors(5, 3))
    client = sum_.clients[ticket(0)]
    assert client.state() is None
    replies, seen = sum_.begin(), []
    for _ in range(3):
        state = client.state()
        assert state is not None
        seen.append((state.awaits, bool(state.vector), bool(state.keys), bool(state.shares)))
        replies = sum_.step(replies)
    assert seen == [
        ("sum-partners", True, False, False),
        ("sum-inbox", True, True, False),
        ("sum-survivors", False, True, True),
    ]
    assert client.state() is None


@needs_cryptography
def test_a_state_whose_vector_has_another_length_is_refused() -> None:
    sum_ = Sum(terms(5), vectors(5, 3))
    sum_.begin()
    state = sum_.clients[ticket(0)].state()
    assert state is not None
    with pytest.raises(Refused, match="a vector of another length"):
        SumClient.resume(replace(state, length=9), SYSTEM)


def counts() -> Any:
    """A round about items."""
    return Analyst().publish("Which?", epsilon=1)


def shape() -> Any:
    """A round about a shape."""
    return ShapeAnalyst().publish("Which?", epsilon=1, people=100)


CLIENTS = [
    (counts, lambda **given: Client(["my secret"], **given)),
    (shape, lambda **given: ShapeClient("my secret", **given)),
]


@pytest.mark.parametrize(("publish", "make"), CLIENTS, ids=["counts", "shape"])
def test_a_client_that_restarts_has_answered_and_paid(publish: Callable[[], Any], make: Callable[..., Any]) -> None:
    first, second, third = publish(), publish(), publish()
    client = make(epsilon=2, delta="1e-4")
    report = client.answer(first)
    client = make(epsilon=2, delta="1e-4", state=client.state())
    assert "my secret" not in client.state()
    with pytest.raises(Refused, match="has answered this round"):
        client.answer(first)
    client.answer(second)
    client = make(epsilon=2, delta="1e-4", state=client.state())
    with pytest.raises(Refused, match="budget does not allow this round"):
        client.answer(third)
    assert make(key=bytes.fromhex(ClientState.from_json(client.state()).key)).answer(first).ticket == report.ticket


def test_a_state_of_another_version_is_refused() -> None:
    text = Client([]).state()
    for other in (text.replace('"version":1', '"version":2'), text[:-1], "", "{}"):
        with pytest.raises(BadParameter, match="text: "):
            Client([], state=other)


def test_a_state_has_the_key() -> None:
    with pytest.raises(BadParameter, match="the state has the key"):
        Client([], key=bytes(range(32)), state=Client([]).state())


def test_totals_that_are_too_long_to_write_are_rounded_up() -> None:
    third, long = Fraction(1, 3), Fraction(10**70 // 3, 10**70)
    assert total(third) == third
    assert long < total(long) < long + Fraction(1, 10**25)
    assert TOTAL.allows(total(long))
    assert total(Fraction(2, 10**60)) == Fraction(2, 10**60)


def test_deltas_of_any_digits_add_up_to_a_state() -> None:
    """An analyst who types odd numbers cannot keep a client from writing its state: it would have answered, and would
    not know it later."""
    odd = Fraction(1, 3**90) + Fraction(1, 10**49 + 7)
    for amount in (odd, odd * 10**30, Fraction(1, 10**80)):
        assert amount <= total(amount) <= amount + Fraction(1, 10**60)
        assert ClientState.from_json(ClientState("0" * 64, delta=total(amount)).to_json()).delta == total(amount)


class Colliding(Round):
    """Rounds whose promises have one digest: 2^64 trials find two such."""

    promise = "0" * 32


def test_a_cheap_promise_with_the_same_digest_does_not_pay_for_another() -> None:
    """An analyst who has two series with one digest gets each at its price."""
    plans = [quantiles("How many?", range=(0, 9), cells=32, epsilon=epsilon) for epsilon in ("0.001", "2")]
    first, second = (plan.next_round(()) for plan in plans)
    assert first is not None
    assert second is not None
    assert second.step is not None
    second = replace(second, step=replace(second.step, number=1))
    cheap, dear = (
        Colliding(**{each.name: getattr(round_, each.name) for each in fields(Round)}) for round_ in (first, second)
    )
    client = Client(["1"], epsilon=2, delta="1e-4")
    client.answer(cheap)
    with pytest.raises(Refused, match="budget does not allow"):
        client.answer(dear)
    assert ClientState.from_json(client.state()).epsilon == Fraction("0.001")


def test_what_a_state_cannot_keep_is_not_answered() -> None:
    """The last round that fits is answered; after it none is, and the state can still be written."""
    digests = tuple(f"{number:032x}" for number in range(MAX_ANSWERED))
    series = RoundsAnalyst(quantiles("How many?", range=(0, 9), epsilon=1)).publish()
    for kept, round_, answers in (
        (digests[:-1], counts(), True),
        (digests, counts(), False),
        (digests[:-2], series, True),
        (digests[:-1], series, False),
    ):
        client = Client(["1"], state=ClientState("0" * 64, kept).to_json())
        if answers:
            client.answer(round_)
        else:
            with pytest.raises(Refused, match="as many rounds as a state can keep"):
                client.answer(round_)
        state = ClientState.from_json(client.state())
        assert len(state.answered) == (MAX_ANSWERED if answers else len(kept))
        assert state.epsilon == (round_.epsilon if answers else 0)
