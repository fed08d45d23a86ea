"""Analyst's side: publishes rounds of secure sums with their privacy promise, and reads noisy counts."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import get_args

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import Number, positive, rational
from headcount.federated.listed.plan import SecureQuestion
from headcount.federated.listed.release import WHAT, secure_release
from headcount.federated.listed.round import MAX_KEYS, MAX_PARTIES, SecureRound
from headcount.federated.messages import Refused
from headcount.federated.published import PublishedRounds
from headcount.federated.schema import Choice, Texts, Whole
from headcount.federated.shape.messages import Total
from headcount.federated.terms import ITEM, MAX_EPSILON, MAX_ITEMS, MAX_PEOPLE, MAX_SITES_PER_PERSON
from headcount.noise import Entropy, SystemEntropy
from headcount.release import Release

HONEST_SHARE = MINIMUM_SHARE = Fraction(9, 10)
"""Default share of people who answer; and of these, who add their noise and tell nobody."""
_SYSTEM = SystemEntropy()


class SecureAnalyst:
    """Publishes rounds and reads counts from their results."""

    def __init__(
        self,
        rounds: Iterable[SecureRound] = (),
        *,
        ledger: Ledger | str | Path | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """Create an analyst who has published `rounds` before. A ledger is charged before a round is returned, and
        seals its release."""
        self._entropy = entropy
        self._rounds = PublishedRounds(WHAT, rounds, ledger)

    def publish(
        self,
        asks: str,
        *,
        keys: Sequence[str],
        people: int,
        epsilon: Number,
        delta: Number = "1e-6",
        items: int = 1,
        neighbours: Neighbours = "add-remove",
        minimum: int | None = None,
        honest: Number = HONEST_SHARE,
        sites: int | None = None,
        sites_per_person: int = 1,
    ) -> SecureRound:
        """Publish a round about the items of a public list, for up to `people` people.

        minimum: the fewest answers, 90% of people by default; with fewer, nothing is opened.
        honest: of `minimum` answers, the smallest share of people who add their noise and tell nobody. Their noise,
            less any one's, keeps the promise; the noise of all others comes on top.
        sites: the largest number of sites that answer, each for many people, if people do not answer by themselves.
            Then `minimum` and `honest` are about sites, and `people` is the most that all sites have.
        sites_per_person: the largest number of sites that have the same person. Noise grows with it; if it is 1, a
            person at two sites is two people.

        Noise is discrete Laplace or discrete Gaussian, whichever is less. Laplace noise needs hardly any delta: the
        round then promises less than was typed.

        >>> round_ = SecureAnalyst().publish("Which song?", keys=["blue", "red"], people=1000, epsilon=1)
        >>> round_.noise, round(round_.deviation, 2), round_.bits
        ('laplace', 1.51, 12)
        """
        _check_keys(keys)
        most = MAX_PARTIES if sites is None else MAX_PEOPLE
        for name, value, limits in (("people", people, (3, most)), ("items", items, (1, MAX_ITEMS))):
            Whole(*limits).check(name, value)
        parties = _parties(people, sites, sites_per_person)
        fewest = ceil(MINIMUM_SHARE * parties) if minimum is None else minimum
        Whole(2, parties).check("minimum", fewest)
        Choice(get_args(Neighbours)).check("neighbours", neighbours)
        cost = _cost(epsilon, delta)
        id_ = self._entropy.secret()[:16].hex()
        about = id_, asks, tuple(keys), items, people, fewest, _share(honest), neighbours
        return self._register(SecureQuestion(*about, *cost, sites, sites_per_person).round())

    def read(self, result: Total) -> Release:
        """The counts of a result: the release of its round."""
        round_ = self._rounds.find(result.round)
        if len(result.sums) != len(round_.keys) or not round_.minimum <= result.answered <= round_.parties:
            raise Refused(
                "This result does not have the items or the answers of its round.", fix="result = server.close()"
            )
        return self._rounds.release(result.round, result.to_json(), lambda head: secure_release(round_, result, head))

    def _register(self, round_: SecureRound) -> SecureRound:
        if not round_.holds:
            raise BadParameter("epsilon, delta: no noise keeps this promise.", fix="epsilon=1, delta=1e-6")
        self._rounds.publish([round_])
        return round_


def _check_keys(keys: object) -> None:
    if isinstance(keys, str) or not isinstance(keys, Sequence) or not keys:
        raise BadParameter("keys: a list of items is needed.", fix='keys=["blue", "red"]')
    Texts(ITEM, MAX_KEYS).check("keys", tuple(keys))


def _parties(people: int, sites: int | None, sites_per_person: int) -> int:
    """The largest number of those who answer."""
    if sites is not None:
        Whole(3, MAX_PARTIES).check("sites", sites)
    Whole(1, min(sites or 1, MAX_SITES_PER_PERSON)).check("sites_per_person", sites_per_person)
    return people if sites is None else sites


def _cost(epsilon: Number, delta: Number) -> tuple[Fraction, Fraction]:
    typed = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
    if typed[0] > MAX_EPSILON:
        raise BadParameter(f"epsilon={epsilon!r}: at most {MAX_EPSILON}.", fix="epsilon=1")
    if not 0 <= typed[1] < 1:
        raise BadParameter(f"delta={delta!r}: from 0 on, and below 1.", fix="delta=1e-6")
    return typed


def _share(honest: Number) -> Fraction:
    part = rational("honest", honest, fix="honest=0.9")
    if not 0 < part <= 1:
        raise BadParameter(f"honest={honest!r}: a part above 0, and at most 1.", fix="honest=0.9")
    return part
