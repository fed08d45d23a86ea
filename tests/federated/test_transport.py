"""Rounds over a transport: text goes both ways, whatever comes back, and the result is that of the aggregator."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib.util import find_spec

import pytest

from headcount.account.events import Neighbours
from headcount.audit import worst_delta
from headcount.errors import MissingPackage
from headcount.federated import Analyst, Client, Invitation, Report, Result, Round
from headcount.federated.transport import MemoryTransport, Transport, collect
from headcount.federated.transport.flower import client_app
from headcount.noise import Entropy
from tests.federated.people import ID, Numbered, Person, clients, promised


@pytest.mark.parametrize("people", [None, 3000], ids=["everybody", "invited"])
def test_a_round_in_memory(people: int | None) -> None:
    analyst = Analyst()
    asked = analyst.publish("Which song?", epsilon=1, neighbours="replace", people=people)
    songs = ["blue"] * 2000 + ["red"] * 990 + ["rare"] * 10
    release = analyst.read(collect(asked, MemoryTransport([Client([song]) for song in songs])))
    found = {row["item"]: row for row in release}
    assert list(found) == ["blue", "red"]
    assert 1500 < found["blue"]["count"] < 2500


def test_whoever_refuses_or_is_not_there_does_not_answer() -> None:
    asked = Analyst().publish("Which?", epsilon=1, neighbours="replace", people=1000)
    poor = [Client(["a"], epsilon="0.5") for _ in range(500)]
    assert collect(asked, MemoryTransport(poor)).counts == ()


class Hostile:
    """Good answers, each twice, among others that are none."""

    def __init__(self, good: Transport) -> None:
        self._good = good

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        yield from ("", "null", "[" * 10_000, Report(ID, ID, ("a",)).to_json(), Result(ID, ()).to_json())
        for text in self._good.answers(round_, invitations):
            yield from (text, text)


def test_bad_answers_are_dropped_and_good_ones_count_once() -> None:
    asked = promised(Fraction(9, 10), 30, epsilon=Fraction(20))
    keys = [number.to_bytes(32, "big") for number in range(60)]
    results = [collect(asked, way([Client(["a"], key=key) for key in keys])) for way in (MemoryTransport, twice)]
    assert all(30 <= result.counts[0][1] <= 60 for result in results)


def twice(people: Sequence[Client]) -> Hostile:
    return Hostile(MemoryTransport(people))


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_the_result_of_a_transport_has_the_price_of_the_round(neighbours: Neighbours) -> None:
    """Every coin of every client is enumerated, through text and back: the exact delta is within the promise, and above
    half of it."""
    asked = promised(Fraction(1, 3), 2, epsilon=Fraction(1, 2), neighbours=neighbours)

    def run(people: tuple[Person, ...], entropy: Entropy) -> Result:
        numbered = Numbered(entropy)
        return collect(asked, twice(clients(people, numbered)), entropy=numbered)

    other: tuple[Person, ...] = () if neighbours == "add-remove" else (("b",),)
    pairs: list[tuple[tuple[Person, ...], tuple[Person, ...]]] = []
    for many in (1, 2):
        pairs += [((("a",),) * many, (("a",),) * (many - 1) + other)]
    found = worst_delta(run, pairs, asked.epsilon)
    assert asked.delta / 2 < found.high <= asked.delta


@pytest.mark.skipif(find_spec("flwr") is not None, reason="Flower is here")
def test_without_flower_the_package_is_named() -> None:
    with pytest.raises(MissingPackage, match="headcount\\[flower\\]"):
        client_app(lambda context: [])
