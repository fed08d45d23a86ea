"""Terms of rounds of sample and threshold: what they ask and promise, and to which readers.

A reader who answered knows their own coins. So the promise is priced as if the threshold were lower by the reports that
readers know of (docs/proofs/sample-threshold.md, whoever takes part).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, get_args

from headcount.account.calibration.rates import MAX_THRESHOLD, MIN_RATE
from headcount.account.composition.compose import covers
from headcount.account.events import Event, Neighbours, RepeatedSample, SampleThreshold
from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.federated.schema import Added, Choice, Digested, Hex, Ratio, Text, Whole

MAX_ITEM_BYTES = 4096
MAX_ITEMS = 1000
"""Limit of items of one person."""
MAX_PEOPLE = 2**33
MAX_SITES_PER_PERSON = 100
MAX_INSIDERS = 1000
INSIDERS = 1
"""People who answered and read together, of whom a round takes account if nothing else is typed."""
MIN_EPSILON, MAX_EPSILON = Fraction(1, 10**6), 20
"""Range of epsilon: beyond 20, a factor of half a billion, nothing is promised."""
MAX_RATE = Fraction(99, 100)
"""Checking a promise computes a price: rounds are limited to parameters for which that is quick and reliable."""

ITEM = Text(MAX_ITEM_BYTES)
Id = Annotated[str, Hex()]
Question = Annotated[str, ITEM]
Relation = Annotated[Neighbours, Choice(get_args(Neighbours))]
Epsilon = Annotated[Fraction, Ratio(MIN_EPSILON, MAX_EPSILON)]


@dataclass(frozen=True)
class SampleTerms(Digested, ABC):
    """What a sample promises: in one round, or in all rounds of a plan."""

    id: Id
    """32 random hexadecimal digits: no two rounds, and no two plans, have the same."""
    asks: Question
    """The question, in words."""
    rate: Annotated[Fraction, Ratio(MIN_RATE, MAX_RATE)]
    """Sampling probability of each item."""
    threshold: Annotated[int, Whole(2, MAX_THRESHOLD)]
    """Smallest count that is published."""
    items: Annotated[int, Whole(1, MAX_ITEMS)]
    """Maximum number of items that one person contributes in a round."""
    neighbours: Relation
    epsilon: Epsilon
    delta: Annotated[Fraction, Ratio(0, 1, without_ends=True)]
    """Guarantee to every person: (epsilon, delta), for this alone."""
    insiders: Annotated[int | None, Added(Whole(1, MAX_INSIDERS))] = field(default=None, kw_only=True)
    """Number of people who answered and may read the result together, each of whom knows their own coins; left out if
    the promise is for readers of whom none answered."""
    sites_per_person: Annotated[int | None, Added(Whole(1, MAX_SITES_PER_PERSON))] = field(default=None, kw_only=True)
    """Largest number of sites that report for the same person; if it is 1, a person at two sites is two people. Left
    out if no site may answer."""

    @property
    @abstractmethod
    def reports(self) -> int:
        """Most reports of one person, at one site, that the promise is for."""

    @property
    def has_sites(self) -> bool:
        """True if sites may answer for their people."""
        return self.sites_per_person is not None

    @property
    def memberships(self) -> int:
        """Largest number of places where the same person reports."""
        return self.sites_per_person or 1

    @property
    def known(self) -> int:
        """Most sampled reports about one item that a reader knows of: each insider has one at each of their sites."""
        return (self.insiders or 0) * self.memberships

    @property
    def sample(self) -> SampleThreshold:
        """Privacy event of what the aggregator does, for a reader who knows none of the sampled reports."""
        return SampleThreshold(self.rate, self.threshold, self.reports, self.neighbours, self.epsilon)

    @property
    def events(self) -> tuple[Event, ...]:
        """Privacy events to charge to a ledger, as if everybody were invited: for a reader who knows `known` reports
        about each item, the threshold is that much lower."""
        seen = replace(self.sample, threshold=self.threshold - self.known)
        if self.memberships == 1:
            return (seen,)
        step = seen.rate, seen.threshold, seen.items, seen.neighbours
        return (RepeatedSample(*step, self.epsilon, self.memberships),)

    @cached_property
    def holds(self) -> bool:
        """True if rate and threshold keep the promise."""
        return covers(Cost(self.epsilon, self.delta), self.events)

    def check(self) -> None:
        """Raise BadParameter for a threshold that insiders reach nearly by themselves."""
        if self.threshold < self.known + 2:
            raise BadParameter(
                f"insiders={self.insiders}: the threshold must be larger by 2 at least"
                f"{' than insiders times sites_per_person' if self.memberships > 1 else ''}.",
                fix=f"threshold={self.known + 2}, at a lower rate",
            )

    @property
    def readers(self) -> str:
        """For which readers the promise is, in a line."""
        most = "none" if self.insiders is None else f"at most {self.insiders:,}"
        have = "has" if self.insiders in (None, 1) else "have"
        sites = ", and none runs a site" if self.has_sites else ""
        return f"  readers  the promise holds if {most} of those who read together {have} answered{sites}"


KNOWN_RULE = (
    "`threshold` is at least 2 more than `insiders` times `sites_per_person`; without `insiders` it is 2 or more, and "
    "without `sites_per_person` that is 1 in all of this."
)
