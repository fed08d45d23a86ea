"""The one object through which all randomness of headcount passes.

Code that needs chance asks an `Entropy` for draws of a law, or for a secret; it never holds a generator. In
production the object is `SystemEntropy`: the operating system's generator, with no seed, and no buffer that a fork
could duplicate. Tests and audits pass other forms (`headcount.audit.choices`), which enumerate every choice, replay
one, or fix the result.
"""

import os
from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headcount.noise.law import Integers, Law
from headcount.noise.race import Race, one_by_one, run
from headcount.noise.thin import by_coins, by_digits

CHUNK = 1 << 18
"""Draws made at a time: a few MiB of words, which stay in the cache."""


class Entropy(ABC):
    """Where chance comes from."""

    production: bool = False
    """Whether the draws are truly unpredictable. What is charged to a ledger must be."""

    @abstractmethod
    def draw(self, law: Law, size: int) -> Integers:
        """`size` independent draws of the law, as int64."""

    @abstractmethod
    def secret(self) -> bytes:
        """32 unpredictable bytes: the key of a keyed hash."""

    def race(self, race: Race, most: int) -> Integers:
        """The places of the items in the order of their rings, at most `most`; fewer mean that the stop rang."""
        return one_by_one(race, most, self.draw)

    def thin(self, totals: Integers, rate: Fraction) -> Integers:
        """For each total an independent draw of Bin(total, rate): how many are kept, each by a coin of its own."""
        return by_coins(totals, rate, self.draw)


class SystemEntropy(Entropy):
    """The operating system's generator (os.urandom), asked anew for every draw."""

    production = True
    bits = 64

    def words(self, count: int) -> NDArray[np.uint64]:
        """So many uniform 64-bit words."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def draw(self, law: Law, size: int) -> Integers:
        if size <= CHUNK:
            return law.sample(size, self)
        draws = np.empty(size, dtype=np.int64)
        for start in range(0, size, CHUNK):
            part = draws[start : start + CHUNK]
            part[:] = law.sample(len(part), self)
        return draws

    def race(self, race: Race, most: int) -> Integers:
        return run(race, most, self)

    def thin(self, totals: Integers, rate: Fraction) -> Integers:
        return by_digits(totals, rate, self)

    def secret(self) -> bytes:
        return os.urandom(32)
