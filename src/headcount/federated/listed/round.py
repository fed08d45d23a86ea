"""Round of a secure sum: the question, the list, and the privacy promise."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Literal, get_args

from headcount.account.composition.compose import covers
from headcount.account.events import Event, Guarantee
from headcount.account.guarantee import Cost
from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter
from headcount.exact import round_up, written
from headcount.federated.listed.counted_on import CountedOn
from headcount.federated.listed.extension import MAX_CANDIDATES, Extension
from headcount.federated.listed.gaussian import GaussianShares
from headcount.federated.listed.laplace import MAX_SCALE, LaplaceShares
from headcount.federated.listed.shares import NoiseShares
from headcount.federated.messages import Refused
from headcount.federated.schema import Added, Choice, Digested, Nested, Ratio, Texts, Whole
from headcount.federated.secure.partners import MAX_FAILURE, MAX_PARTNERS, failure
from headcount.federated.secure.terms import SumTerms
from headcount.federated.shape.messages import Total
from headcount.federated.terms import ITEM, MAX_ITEMS, MAX_PEOPLE, MAX_SITES_PER_PERSON, Epsilon, Id, Question, Relation
from headcount.wording import counted_noun, format_number

MAX_KEYS = MAX_CANDIDATES
MAX_PARTIES = 2**20
"""Largest number of people, or of sites, who answer in one sum: their server holds everybody's keys."""
MIN_NEEDED = 2
"""Fewest people who are counted on: one of them may subtract their own noise."""
MAX_UNIT = 2**20
MAX_VARIANCE = 2**40
MAX_BITS = 62
MAX_DIGITS = 50
"""Limit of the length of a number in a message."""

Noise = Literal["laplace", "gaussian"]
SHARES: dict[Noise, type[NoiseShares]] = {"laplace": LaplaceShares, "gaussian": GaussianShares}


@dataclass(frozen=True)
class SecureRound(CountedOn, Digested):
    """Plan of one collection by a secure sum, with its privacy promise."""

    kind = "secure-round"
    longest = 1 << 26
    id: Id
    """32 random hexadecimal digits: no two rounds have the same."""
    asks: Question
    """The question, in words."""
    keys: Annotated[tuple[str, ...], Texts(ITEM, MAX_KEYS)]
    """The public list of items, each of which is counted; with a step, the prefixes whose extensions are counted."""
    items: Annotated[int, Whole(1, MAX_ITEMS)]
    """Maximum number of items that one person contributes."""
    people: Annotated[int, Whole(3, MAX_PEOPLE)]
    """Largest number of people who take part; with `sites`, of those whom all sites have. Public, as is who answers."""
    minimum: Annotated[int, Whole(2, MAX_PARTIES)]
    """Fewest answers: with fewer, nothing is opened."""
    honest: Annotated[Fraction, Ratio(Fraction(1, MAX_PARTIES), 1, longest=MAX_DIGITS)]
    """Smallest share of `minimum` people who answer, add their noise, and tell nobody."""
    noise: Annotated[Noise, Choice(get_args(Noise))]
    spread: Annotated[Fraction, Ratio(Fraction(1, 100), MAX_VARIANCE, longest=MAX_DIGITS)]
    """Of "laplace", the scale of the noise that the shares of all but one of those people add up to; of "gaussian", the
    variance of one share, in squared units."""
    unit: Annotated[int, Whole(1, MAX_UNIT)]
    """What one person adds to an item: noise is drawn in parts of a person."""
    bits: Annotated[int, Whole(2, MAX_BITS)]
    """Numbers are added modulo 2^bits."""
    partners: Annotated[int, Whole(2, MAX_PARTNERS)]
    """Number of people with whom each shares secrets, an even number; everybody else, if there are no more."""
    threshold: Annotated[int, Whole(2, MAX_PARTNERS)]
    """Number of partners who restore a secret together."""
    neighbours: Relation
    epsilon: Epsilon
    delta: Annotated[Fraction, Ratio(0, Fraction(99, 100), longest=MAX_DIGITS)]
    """Guarantee to every person: (epsilon, delta), for this round alone, or for all rounds of its series together."""
    sites: Annotated[int | None, Added(Whole(3, MAX_PARTIES))] = None
    """Largest number of sites, each of which answers for many people; left out where people answer by themselves."""
    sites_per_person: Annotated[int | None, Added(Whole(2, MAX_SITES_PER_PERSON))] = None
    """Largest number of sites that have the same person; left out if it is 1: then a person at two is two people."""
    step: Annotated[Extension | None, Added(Nested(Extension))] = None
    """Place in a series of rounds that share the promise; left out where a round has its own."""

    rules = (
        f"There is at least one key; `minimum` is at most `sites` or, without it, `people`, which is then at most "
        f"{MAX_PARTIES:,}; `partners` is even.",
        "`sites_per_person` is left out without `sites`, and is at most `sites`.",
        "With `sites`, a site takes part in the sum as a person does, and n is the number of sites.",
        "With a step, there are no `sites`; each key is spelled with its alphabet, and has as many characters as the "
        "length of the round before, 0 in the first one; all extensions of all keys are at most its `candidates`.",
        "`honest` times `minimum` is above 1.",
        f'With `noise` "laplace", `unit` is 1 and `spread` at most {MAX_SCALE:,}.',
        "Noise, bits, partners and threshold keep the promise; whoever gets the round checks that.",
    )

    def check(self) -> None:
        """Raise BadParameter for fields that contradict each other."""
        if not self.keys:
            raise BadParameter("keys: empty, so that nothing is counted.", fix='keys=["blue", "red"]')
        if self.minimum > self.parties or self.partners % 2:
            raise BadParameter(
                f"minimum={self.minimum}, partners={self.partners}: at most all who answer, and an even number.",
                fix=f"minimum={self.parties}, partners={self.partners + self.partners % 2}",
            )
        Whole(3, MAX_PARTIES).check("people", self.parties)
        if self.memberships > (self.sites or 1):
            raise BadParameter(
                f"sites_per_person={self.memberships}: at most as many as there are sites.", fix="sites_per_person=1"
            )
        if self.noise == "laplace" and (self.unit != 1 or self.spread > MAX_SCALE):
            raise BadParameter(f'noise="laplace": the unit is 1, the scale at most {MAX_SCALE:,}.', fix="unit=1")
        if self.needed < MIN_NEEDED:
            raise BadParameter(
                f"honest={written(self.honest)}, minimum={self.minimum}: at least {MIN_NEEDED} people are counted on.",
                fix='honest="0.9"',
            )
        if self.step is not None:
            self._check_step(self.step)

    def _check_step(self, step: Extension) -> None:
        if self.sites is not None:
            raise BadParameter("step: a series is for people who answer by themselves.", fix="no sites=")
        if any(len(key) != step.known_length or not step.spells(key) for key in self.keys):
            raise BadParameter(
                f"keys: prefixes of {step.known_length} characters of the alphabet are needed.", fix='keys=("",)'
            )
        if self.places > step.candidates:
            raise BadParameter(f"keys: they have more than {step.candidates:,} extensions.", fix="fewer keys")

    @property
    def most(self) -> int:
        """The most people whom one answer has in a count: a site cuts its own counts there."""
        return 1 if self.sites is None else self.people

    @property
    def memberships(self) -> int:
        """The most sites that have the same person."""
        return self.sites_per_person or 1

    @cached_property
    def shares(self) -> NoiseShares:
        """The noise."""
        return SHARES[self.noise](self.spread, self.unit, self.priced)

    @cached_property
    def failure(self) -> Fraction:
        """A bound on the chance that the server can learn more than the sum: it is part of delta."""
        return failure(self.parties, self.needed, self.partners, self.threshold)

    @cached_property
    def slack(self) -> Fraction:
        """What delta has beside that of the noise's own law."""
        return round_up(self.rounds * (self.shares.slack(self.most_places) + self.failure))

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Privacy events to charge to a ledger."""
        beside = (Guarantee(Fraction(0), self.slack),) if self.slack else ()
        return *beside, self.shares.event(self.change)

    @cached_property
    def holds(self) -> bool:
        """True if the noise keeps the promise, no sum wraps, and enough partners restore a secret."""
        safe = self.failure <= MAX_FAILURE and self.slack < 1 and 2 * self.threshold > self.terms.most_partners
        fits = self.bits >= self.shares.bits(self.parties, self.most_places, self.most)
        return safe and fits and covers(Cost(self.epsilon, self.delta), self.events)

    @cached_property
    def terms(self) -> SumTerms:
        """Terms of the sum."""
        places = self.digest, self.parties, self.minimum, self.partners, self.threshold
        return SumTerms(*places, self.places, self.bits)

    @property
    def shared(self) -> str:
        """All terms of a series but the prefixes and the place of one round, as text."""
        if self.step is None:
            return ""
        step = {name: value for name, value in self.step.to_plain().items() if name != "number"}
        return canonical({name: value for name, value in self.to_plain().items() if name != "keys"} | {"step": step})

    @property
    def place(self) -> int:
        """Number of the round in its series, whatever its prefixes are."""
        return self.step.number if self.step else 0

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each count is of."""
        return self.keys if self.step is None else tuple(self.step.labels(self.keys))

    def check_result(self, result: Total) -> None:
        """Refuse a result that has not the counts, or the answers, of this round."""
        if len(result.sums) != self.places or not self.minimum <= result.answered <= self.parties:
            raise Refused(
                "This result does not have the items or the answers of its round.", fix="result = server.close()"
            )

    @property
    def deviation(self) -> float:
        """Standard deviation of a count's noise if everybody answers."""
        return self.shares.deviation(self.parties)

    @property
    def vector_bytes(self) -> int:
        """Number of bytes of a masked vector."""
        return -(-self.places * self.bits // 8)

    def __str__(self) -> str:
        silent = f"{self.parties - self.minimum:,} of {self.parties:,} {self.who} may be missing"
        others = self.minimum - self.needed
        partners = min(self.partners, self.parties - 1)
        each = "each person" if self.sites is None else "each site"
        return "\n".join(
            [
                self.asks,
                f"  people   up to {self.people:,}, with {self._items}; who answers is not hidden",
                *([f"  sites    up to {self.sites:,}; {self._memberships}"] if self.sites else []),
                f"  promise  epsilon {float(self.epsilon):g}, delta {float(self.delta):g}, {self._hidden}",
                *([f"  round    {self.step}"] if self.step else []),
                f"  noise    {format_number(self.deviation)} a count (standard deviation), on {self._counted}",
                f"  sees     the server sees masked numbers and their sum: {self.bits} bits for each item",
                f"  answers  {self.minimum:,} are needed, else nothing is opened: {silent}",
                f"  honest   {self.needed:,} of these must add noise and tell nobody: {others:,} may not",
                f"  masks    {each} with {partners:,} others, of whom {self.threshold:,} restore a secret",
            ]
        )

    @property
    def who(self) -> str:
        """Those who answer, in a word."""
        return "people" if self.sites is None else "sites"

    @property
    def _memberships(self) -> str:
        """What a person at several sites counts as."""
        if self.memberships == 1:
            return "a person at two of them is two people"
        return f"a person may be at {self.memberships:,} of them, with as many items at each"

    @property
    def _hidden(self) -> str:
        """What the promise is for."""
        at_sites = self.sites is not None and self.neighbours == "add-remove"
        what = "for whether a person is there, and with which items" if at_sites else _HIDDEN[self.neighbours]
        return what + (f"; for all {self.rounds} rounds together" if self.step else "")

    @property
    def _counted(self) -> str:
        return f"{self.places:,} {'candidates' if self.step else 'items'}"

    @property
    def _items(self) -> str:
        return f"at most {counted_noun(self.items, 'item')} each" if self.items > 1 else "at most one item each"


_HIDDEN = {
    "add-remove": "for whether a person has any items, and which",
    "replace": "for which items a person has",
}
