"""Messages of many people were counted after a shuffler."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events.event import Event, Neighbours
from headcount.errors import BadParameter


@dataclass(frozen=True)
class ShuffledLaplace(Event):
    """People's messages of +1 and -1 were counted in buckets, after a shuffler: each person's item, their shares of the
    noise, and pairs of +1 and -1, which add nothing. One person has one item."""

    name: ClassVar[str] = "shuffled-laplace"
    scale: Fraction
    """A bucket's messages add up to its count and noise k, which has weight exp(-|k| / scale)."""
    shape: Fraction
    spread: Fraction
    """Scale of the negative binomial number of pairs in a bucket; `shape`, at least 1, is its shape."""
    neighbours: Neighbours
    epsilon: Fraction
    """The epsilon at which `delta` is stated."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shape < 1 or not self.spread:
            raise BadParameter("shape, spread: at least 1, and above 0.", fix="shape=Fraction(20), spread=Fraction(9)")
