"""Analyst's side: publishes rounds with their privacy promise, and estimates counts of all people from a sample."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import Number, positive, rational, round_down
from headcount.federated.counts import WHAT, counts_release
from headcount.federated.messages import Refused, Result, Round
from headcount.federated.published import PublishedRounds
from headcount.federated.readers import Readers
from headcount.federated.sample import invitations_needed
from headcount.federated.schema import Whole
from headcount.federated.terms import INSIDERS, MAX_ITEMS, MAX_PEOPLE
from headcount.noise import Entropy, SystemEntropy
from headcount.release import Release

INVITATION_DELTA_SHARE = Fraction(1, 100)
"""Share of delta for the event that more people are in the sample than were invited."""

_SYSTEM = SystemEntropy()


class Analyst:
    """Publishes rounds and estimates counts from their results."""

    def __init__(
        self,
        rounds: Iterable[Round | Sequence[Round]] = (),
        *,
        ledger: Ledger | str | Path | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """Create an analyst who has published `rounds` before: each a round, or the rounds of `publish_steps`. A ledger
        is charged before a round is returned, and seals its release."""
        self._entropy = entropy
        self._rounds = PublishedRounds(WHAT, rounds, ledger)

    def publish(
        self,
        asks: str,
        *,
        epsilon: Number,
        delta: Number = "1e-6",
        items: int = 1,
        neighbours: Neighbours = "add-remove",
        people: int | None = None,
        insiders: int = INSIDERS,
        sites_per_person: int | None = None,
    ) -> Round:
        """Publish a round with the best rate and threshold for this budget. With `people`, their public number, only as
        many are invited as the sample may need; that takes `neighbours="replace"` and `items=1`.

        insiders: the number of people who answered, and so know their own coins, who may read the result together.
            Each raises the threshold. With 0, the promise is for readers who did not answer, as in the paper.
        sites_per_person: the largest number of sites that report for the same person, if sites may answer: the sample
            is smaller for two than for one. If it is 1, a person at two sites is two people.

        >>> round_ = Analyst().publish("Which song did you like most today?", epsilon=1)
        >>> float(round_.rate), round_.threshold
        (0.2537359279928, 15)
        """
        return self.publish_steps(
            [asks],
            epsilon=epsilon,
            delta=delta,
            items=items,
            neighbours=neighbours,
            people=people,
            insiders=insiders,
            sites_per_person=sites_per_person,
        )[0]

    def publish_steps(
        self,
        asks: Sequence[str],
        *,
        epsilon: Number,
        delta: Number = "1e-6",
        items: int = 1,
        neighbours: Neighbours = "add-remove",
        people: int | None = None,
        insiders: int = INSIDERS,
        sites_per_person: int | None = None,
    ) -> tuple[Round, ...]:
        """Publish several rounds, one for each question, which share epsilon and delta evenly. For a ledger they are
        one charge, of which each round is a part.

        >>> country, town = Analyst().publish_steps(["Which country?", "Which town?"], epsilon=1)
        >>> float(country.epsilon), float(town.delta)
        (0.5, 5e-07)
        """
        _check_questions(asks)
        Whole(1, MAX_ITEMS).check("items", items)
        typed = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
        cost = _share(typed[0], len(asks)), _share(typed[1], len(asks))
        share = 0 if people is None else INVITATION_DELTA_SHARE
        readers = Readers(insiders, sites_per_person)
        event = readers.best((cost[0], cost[1] * (1 - share)), items, neighbours)
        invited = None if people is None else _invited(people, event.rate, cost[0], round_down(cost[1] * share))
        terms: Any = (event.rate, event.threshold, items, neighbours, *cost, people, invited)
        rounds = tuple(Round(self._entropy.secret()[:16].hex(), each, *terms, **readers.terms) for each in asks)
        if not all(round_.holds for round_ in rounds):
            raise BadParameter("epsilon, delta: no rate and threshold keep this promise.", fix="epsilon=1, delta=1e-6")
        self._rounds.publish(rounds)
        return rounds

    def read(self, result: Result) -> Release:
        """Estimate the counts of all people from a result: the release of its round."""
        round_ = self._rounds.find(result.round)
        if round_.step is not None:
            raise Refused("This round is one of a series.", fix="RoundsAnalyst(plan).next(result)")
        if any(count < round_.threshold for _, count in result.counts):
            raise Refused("This result has counts below the threshold.", fix="result = aggregator.close()")
        return self._rounds.release(result.round, result.to_json(), lambda head: counts_release(round_, result, head))


def _check_questions(asks: object) -> None:
    if isinstance(asks, str) or not isinstance(asks, Sequence) or not asks:
        raise BadParameter("asks: a list of questions is needed.", fix='asks=["Which country?", "Which town?"]')


def _share(amount: Fraction, steps: int) -> Fraction:
    """Amount of one step; rounded down if there are several, so that a ledger can add it up."""
    return amount if steps == 1 else round_down(amount / steps)


def _invited(people: int, rate: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    Whole(1, MAX_PEOPLE).check("people", people)
    return max(1, invitations_needed(people, rate, epsilon, delta))
