"""Entropy objects that keep enumerations short without changing the result.

`JointCoins` draws all coins of a total at once, from their joint law. `NoiseAtPlaces` leaves out noise on numbers that
are equal for two neighbours: it is independent of everything else, and has the same law on both.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import ClassVar

import numpy as np
from flint import arb

from audits.specimen import Data, Run
from headcount.audit.choices import Fixed
from headcount.audit.enumerate import LEFT_OUT, Delta, worst_delta
from headcount.exact import Integers, ball
from headcount.noise import Entropy, NoiseDistribution

FINITE_LEFT_OUT = Fraction(1, 10**30)
"""The probability left undecided of a draw with finitely many outcomes."""


@dataclass(frozen=True)
class Binomial(NoiseDistribution):
    """The binomial law: the number of successes of `coins` coins."""

    of_data: ClassVar[bool] = True
    coins: int
    rate: Fraction

    def weights(self) -> Iterator[arb]:
        n, p = self.coins, self.rate
        return (ball(comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1))

    def total(self) -> arb:
        return arb(1)


class JointCoins(Entropy):
    """Delegates its draws, but draws all coins of a total at once."""

    def __init__(self, inner: Entropy) -> None:
        self._inner = inner

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return self._inner.draw(distribution, size)

    def secret(self) -> bytes:
        return self._inner.secret()

    def thin(self, totals: Integers, rate: Fraction) -> Integers:
        kept = [int(self.draw(Binomial(total, rate), 1)[0]) if total else 0 for total in totals.tolist()]
        return np.array(kept, dtype=np.int64)


class NoiseAtPlaces(Entropy):
    """Delegates the draws at these places, counted from the first draw; all others are 0."""

    def __init__(self, inner: Entropy, indices: Collection[int]) -> None:
        self._inner, self._places = inner, indices
        self._position = 0

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        noise = np.zeros(size, dtype=np.int64)
        for index in self._places:
            if 0 <= index - self._position < size:
                noise[index - self._position] = self._inner.draw(distribution, 1)[0]
        self._position += size
        return noise

    def secret(self) -> bytes:
        return self._inner.secret()


def with_joint_coins(run: Run[Data]) -> Run[Data]:
    """Wrap a mechanism to draw all coins of a total at once."""
    return lambda data, entropy: run(data, JointCoins(entropy))


def without_common_noise(run: Run[Data], one: Data, other: Data) -> Run[Data]:
    """Wrap a mechanism to leave out the noise on numbers that are equal for these two datasets. It must output numbers
    in the order in which it draws noise, one draw for each."""
    outputs = zip(run(one, Fixed(0)), run(other, Fixed(0)), strict=True)
    indices = [index for index, (here, there) in enumerate(outputs) if here != there]
    return lambda data, entropy: run(data, NoiseAtPlaces(entropy, indices))


def delta_without_common_noise(
    run: Run[Data], neighbours: Iterable[tuple[Data, Data]], epsilon: Fraction, left_out: Fraction = LEFT_OUT
) -> Delta:
    """The largest delta over the pairs, both ways, without the noise on numbers that are equal for a pair."""
    found = [worst_delta(without_common_noise(run, *pair), [pair], epsilon, left_out) for pair in neighbours]
    return Delta(max(each.low for each in found), max(each.high for each in found))
