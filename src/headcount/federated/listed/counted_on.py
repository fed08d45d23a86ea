"""The people whose noise hides everybody else: the same numbers for a question that is planned and for its round."""

from abc import abstractmethod
from fractions import Fraction
from math import ceil

from headcount.account.events import Neighbours
from headcount.bound import Sensitivity
from headcount.federated.listed.extension import Extension


class CountedOn:
    """A secure sum with those who are counted on: people or, where these are at sites, sites."""

    keys: tuple[str, ...]
    items: int
    people: int
    minimum: int
    honest: Fraction
    neighbours: Neighbours
    sites: int | None
    step: Extension | None

    @property
    @abstractmethod
    def memberships(self) -> int:
        """The most sites that have the same person."""

    @property
    def parties(self) -> int:
        """Largest number of those who answer: of sites or, without them, of people."""
        return self.people if self.sites is None else self.sites

    @property
    def needed(self) -> int:
        """Number of those who are counted on: they answer, add their noise, and tell nobody."""
        return ceil(self.honest * self.minimum)

    @property
    def priced(self) -> int:
        """Number of those whose noise is priced: each who is counted on can subtract their own from the release."""
        return self.needed - 1

    @property
    def rounds(self) -> int:
        """Number of rounds that share the promise."""
        return 1 if self.step is None else self.step.rounds

    @property
    def places(self) -> int:
        """Number of counts of this round."""
        return len(self.keys) * (1 if self.step is None else self.step.of_each)

    @property
    def most_places(self) -> int:
        """Most counts of any round that shares the promise: what noise and modulus are for."""
        return self.places if self.step is None else self.step.candidates

    @property
    def change(self) -> Sensitivity:
        """By how much one person changes counts, in people: those of all rounds together."""
        each = person_change(self.items, self.memberships, self.neighbours, self.most_places)
        return each.times(self.rounds)


def person_change(items: int, memberships: int, neighbours: Neighbours, cells: int) -> Sensitivity:
    """By how much one person changes the counts of `cells` items, in people: at each of their sites they add 1 to at
    most `items` counts, which may be the same ones at all of these sites."""
    added = items * memberships
    return Sensitivity(added, memberships, added, added * memberships).change(neighbours).within(cells)
