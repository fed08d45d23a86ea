"""Public terms of a secure sum, which client and server have from the round that they take part in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SumTerms:
    """What everybody knows about a sum before it begins."""

    round: str
    """Digest of the round: keys and messages are for this round alone."""
    people: int
    """Largest number of people who can take part."""
    minimum: int
    """Fewest vectors that are summed: with fewer, everything is forgotten."""
    partners: int
    """Number of partners of each person, an even one; everybody else, if there are no more."""
    threshold: int
    """Number of shares that restore a secret."""
    length: int
    """Number of integers of a vector."""
    bits: int
    """Integers are added modulo 2^bits."""

    @property
    def most_partners(self) -> int:
        """Largest number of partners that a person can have."""
        return min(self.partners, self.people - 1)

    @property
    def is_complete(self) -> bool:
        """True if everybody is everybody's partner."""
        return self.people - 1 <= self.partners
