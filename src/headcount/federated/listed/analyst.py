"""Analyst's side: publishes rounds of secure sums with their privacy promise, and reads noisy counts."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.exact import Number
from headcount.federated.listed.questions import HONEST_SHARE, secure_round
from headcount.federated.listed.release import WHAT, secure_release
from headcount.federated.listed.round import SecureRound
from headcount.federated.messages import Refused
from headcount.federated.published import PublishedRounds
from headcount.federated.shape.messages import Total
from headcount.noise import Entropy, SystemEntropy
from headcount.release import Release

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
        round_ = secure_round(
            self._entropy,
            asks,
            keys=keys,
            people=people,
            epsilon=epsilon,
            delta=delta,
            items=items,
            neighbours=neighbours,
            minimum=minimum,
            honest=honest,
            sites=sites,
            sites_per_person=sites_per_person,
        )
        self._rounds.publish([round_])
        return round_

    def read(self, result: Total) -> Release:
        """The counts of a result: the release of its round."""
        round_ = self._rounds.find(result.round)
        if round_.step is not None:
            raise Refused("This round is one of a series.", fix="RoundsAnalyst(plan).next(result)")
        round_.check_result(result)
        return self._rounds.release(result.round, result.to_json(), lambda head: secure_release(round_, result, head))
