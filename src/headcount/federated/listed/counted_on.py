"""The people whose noise hides everybody else: the same numbers for a question that is planned and for its round."""

from fractions import Fraction
from math import ceil

from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours


class CountedOn:
    """A secure sum with the people who are counted on."""

    keys: tuple[str, ...]
    items: int
    minimum: int
    honest: Fraction
    neighbours: Neighbours

    @property
    def needed(self) -> int:
        """Number of people who are counted on: they answer, add their noise, and tell nobody."""
        return ceil(self.honest * self.minimum)

    @property
    def priced(self) -> int:
        """Number of people whose noise is priced: each of those counted on can subtract their own from the release."""
        return self.needed - 1

    @property
    def change(self) -> int:
        """Number of counts that one person can change, by one person each."""
        return min(self.items * changed_people(self.neighbours), len(self.keys))
