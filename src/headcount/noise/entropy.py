"""The one object through which all randomness of headcount passes.

Code that needs randomness calls an `Entropy` for draws of a law, or for a secret; it never holds a generator. In
production it is one of two:

SystemEntropy   the operating system's generator, with no seed, and no buffer that a fork could duplicate
KeyedEntropy    a stream derived from the 32 secret bytes that a ledger keeps with a charge: work that is retried under
                the charge repeats every draw

Tests and audits pass other subclasses (`headcount.audit.choices`), which enumerate every choice, replay one, or fix
the result.
"""

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from threading import get_ident

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Integers
from headcount.noise.distribution import NoiseDistribution
from headcount.noise.race import Race, one_by_one, run
from headcount.noise.thin import by_coins, by_digits
from headcount.system.threads import map_threads
from headcount.wording.secret import Secret

CHUNK = 1 << 18
"""Draws per batch: a few MiB of words, which stay in the cache."""
PARALLEL_CHUNK = 1 << 16
"""Draws per batch if each processor draws some: all of them together need no more memory."""


class Entropy(ABC):
    """Source of all randomness."""

    @abstractmethod
    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        """Draw `size` independent values of the law, as int64."""

    @abstractmethod
    def secret(self) -> bytes:
        """32 unpredictable bytes: the key of a keyed hash."""

    def race(self, race: Race, maximum: int) -> Integers:
        """Indices of the items in the order of their rings, at most `maximum`; fewer mean that the stop rang."""
        return one_by_one(race, maximum, self.draw)

    def thin(self, totals: Integers, rate: Fraction) -> Integers:
        """Draw Bin(total, rate) independently for each total: how many are kept, each by its own coin."""
        return by_coins(totals, rate, self.draw)


KEY_BYTES = 32
"""Length of a key in bytes (256 bits)."""
DOMAIN = b"headcount noise 1"
"""Domain separation: what the key is used for."""


class Uniform64(Entropy):
    """Base class of sources that sample from uniform 64-bit words."""

    bits = 64

    @abstractmethod
    def random_bytes(self, count: int) -> bytes:
        """Return `count` uniform bytes, never returned before."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return `count` uniform 64-bit words."""
        return np.frombuffer(self.random_bytes(8 * count), dtype=np.uint64)

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        if size <= CHUNK:
            return distribution.sample(size, self)
        draws = np.empty(size, dtype=np.int64)

        def fill(part: Integers) -> None:
            part[:] = distribution.sample(len(part), self)

        self._fill_parts(fill, draws)
        return draws

    def _fill_parts(self, fill: Callable[[Integers], None], draws: Integers) -> None:
        """Fill an array, part by part."""
        for start in range(0, len(draws), CHUNK):
            fill(draws[start : start + CHUNK])

    def race(self, race: Race, maximum: int) -> Integers:
        return run(race, maximum, self)

    def thin(self, totals: Integers, rate: Fraction) -> Integers:
        return by_digits(totals, rate, self)

    def secret(self) -> bytes:
        return Secret(self.random_bytes(KEY_BYTES))


class SystemEntropy(Uniform64):
    """The operating system's generator (os.urandom), read afresh for every draw."""

    def _fill_parts(self, fill: Callable[[Integers], None], draws: Integers) -> None:
        """On all processors, as no word depends on another: of the system's own, not of a subclass that may have words
        of another kind. The first part makes the tables that the others need."""
        if type(self) is not SystemEntropy:
            super()._fill_parts(fill, draws)
            return
        fill(draws[:PARALLEL_CHUNK])
        starts = range(PARALLEL_CHUNK, len(draws), PARALLEL_CHUNK)
        for _ in map_threads(fill, (draws[start : start + PARALLEL_CHUNK] for start in starts)):
            pass

    def random_bytes(self, count: int) -> bytes:
        return os.urandom(count)


class KeyedEntropy(Uniform64):
    """The stream of a key: the n-th request is answered by SHAKE-256 of the key and n.

    Invariants: equal keys and equal requests give equal draws. Within an object no n is used twice; any thread but the
    one that created it is refused, as two threads would interleave the numbers n. A forked child continues
    the same stream, so an object never outlives the work of its charge.

    >>> from headcount.noise.finite import Uniform
    >>> key = bytes(range(32))
    >>> KeyedEntropy(key).draw(Uniform(6), 3).tolist() == KeyedEntropy(key).draw(Uniform(6), 3).tolist()
    True
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES or not any(key):
            raise ValueError("a key is 32 secret bytes")
        self._prefix = key + DOMAIN
        self._requests = 0
        self._thread = get_ident()

    def random_bytes(self, count: int) -> bytes:
        if get_ident() != self._thread:
            raise RuntimeError("a keyed stream belongs to the thread that made it")
        self._requests += 1
        return hashlib.shake_256(self._prefix + self._requests.to_bytes(8, "big")).digest(count)
