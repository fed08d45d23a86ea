"""Rounds with a promise that just holds, and tiny populations that answer them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from headcount.account.composition.cost import native
from headcount.account.events import Neighbours
from headcount.exact import Integers
from headcount.federated import Aggregator, Client, Result, Round
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy

Person = tuple[str, ...]
ID = "00112233445566778899aabbccddeeff"


def promised(
    rate: Fraction,
    threshold: int,
    *,
    epsilon: Fraction,
    items: int = 1,
    neighbours: Neighbours = "add-remove",
    people: int | None = None,
    invited: int | None = None,
    insiders: int | None = None,
    name: str = ID,
) -> Round:
    """A round whose delta is its price."""
    terms: Any = (name, "Which?", rate, threshold, items, neighbours, epsilon, Fraction(1, 2), people, invited)
    free = Round(*terms, insiders=insiders)
    delta = sum((native(event).delta for event in free.events), start=Fraction(0))
    return replace(free, delta=delta)


class Numbered(Entropy):
    """Another entropy, whose secrets are 0, 1, 2, ...: what is enumerated does not depend on them."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._secrets = 0

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return self._entropy.draw(distribution, size)

    def secret(self) -> bytes:
        self._secrets += 1
        return self._secrets.to_bytes(16, "big") * 2


def clients(people: Iterable[Person], entropy: Entropy) -> list[Client]:
    """People, each with a key of their own."""
    return [Client(person, key=index.to_bytes(32, "big"), entropy=entropy) for index, person in enumerate(people)]


def collected(asked: Round, people: Sequence[Person], entropy: Entropy) -> Result:
    """All of the protocol, whether everybody is asked or some are invited."""
    entropy = Numbered(entropy)
    aggregator, answering = Aggregator(asked, entropy=entropy), clients(people, entropy)
    if asked.people is None:
        for client in answering:
            aggregator.add(client.answer(asked))
    for invitation in aggregator.invitations:
        if invitation.person < len(answering):
            aggregator.add(answering[invitation.person].answer(asked, invitation))
    return aggregator.close()


def counts(asked: Round, people: Sequence[Person], entropy: Entropy) -> dict[str, int]:
    """What is seen."""
    return dict(collected(asked, people, entropy).counts)


class Fallen(SystemEntropy):
    """Every coin falls: what an insider knows of their own."""

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.ones(size, dtype=np.int64)


class NoNoise(SystemEntropy):
    """Fixed noise, fresh secrets: what differs between neighbours is the item alone."""

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.zeros(size, dtype=np.int64)
