"""How many contributions there are, at most: public, or counted with noise. What a shape's mechanism needs to know of
the data before it measures anything.

A person who is added or removed changes the number by at most the bound, and so does one who is replaced: both of them
contribute between nothing and the bound.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from headcount.account.events import Laplace
from headcount.mechanism.mechanism import deviation, law
from headcount.noise import Entropy
from headcount.wording import format_number

PART = Fraction(2, 100)
"""The part of epsilon for it."""
SURE = 7
"""So many scales are added: once in 2,000 cases there are more contributions than is said."""
LARGEST = 2**60


@dataclass(frozen=True)
class Size:
    """At most so many contributions; or how they are counted."""

    most: int | None
    """If it is public."""
    event: Laplace | None = None
    """Else: the noise."""
    people: int | None = None
    """How many people there are, if that is public."""

    def draw(self, total: int, entropy: Entropy) -> int:
        """A number that is most likely not below the total, and at least 1."""
        if self.event is None:
            return self.most or 1
        noisy = total + int(entropy.draw(law(self.event), 1)[0])
        return min(max(noisy + ceil(SURE * self.event.scale), 1), LARGEST)

    def explain(self) -> list[str]:
        """What happens, in a sentence, if anything does."""
        if self.event is None:
            return []
        off = format_number(deviation(law(self.event)))
        return [f"How much people contribute in all is counted first, with Laplace noise of a deviation of {off}."]


def sized(epsilon: Fraction, bound: int, people: int | None) -> tuple[Size, Fraction]:
    """From a public number of people, or for a part of epsilon; and the epsilon that is left."""
    if people is not None:
        return Size(min(people * bound, LARGEST), people=people), epsilon
    price = epsilon * PART
    return Size(None, Laplace(bound / price, Fraction(bound))), epsilon - price
