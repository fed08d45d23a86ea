"""Entropy objects for evidence: enumerate every choice with its exact weight, replay one path, or fix the result.

The code under test is the real code. It requests draws from the entropy as always; here the outcomes are chosen.
`explore` runs it once for every sequence of outcomes, so that its whole law is known, not sampled.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from headcount.exact import Integers, ends, precision
from headcount.noise import Entropy, NoiseDistribution

BITS = 192
"""The precision of a weight, in bits."""


T = TypeVar("T")


class Undecided(BaseException):
    """Raised if a path leaves what is enumerated. Not an `Exception`, so that no code under test handles it."""


class Path:
    """A sequence of choices: the first ones given, all further ones 0, each recorded with its alternatives."""

    def __init__(self, given: Sequence[int] = ()) -> None:
        self.given = tuple(given)
        self.chosen: list[int] = []
        self.sizes: list[int] = []
        self.weight = Fraction(1)

    def choose(self, weights: Sequence[Fraction]) -> int:
        """Take the next choice and record it."""
        index = len(self.chosen)
        choice = self.given[index] if index < len(self.given) else 0
        self.chosen.append(choice)
        self.sizes.append(len(weights))
        self.weight *= weights[choice]
        return choice

    def siblings(self) -> Iterator[tuple[int, ...]]:
        """The paths that branch off from this one at a choice that was not given."""
        for index in range(len(self.given), len(self.chosen)):
            for other in range(1, self.sizes[index]):
                yield (*self.chosen[:index], other)


def explore(run: Callable[[Path], T]) -> Iterator[tuple[T | Undecided, Fraction]]:
    """Run the code along every path; yield its result and weight. A path that was cut off yields `Undecided`."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        path = Path(waiting.pop())
        result: T | Undecided
        try:
            result = run(path)
        except Undecided as undecided:
            result = undecided
        yield result, path.weight
        waiting.extend(path.siblings())


class Enumerated(Entropy):
    """Each draw is a choice among the likeliest outcomes of its law, which leave out a probability of at most
    `left_out`."""

    def __init__(self, path: Path, left_out: Fraction) -> None:
        self._path = path
        self._left_out = left_out

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        weights = probabilities(distribution, self._left_out)
        choices = [self._path.choose(weights) for _ in range(size)]
        if len(weights) - 1 in choices:
            raise Undecided
        return distribution.values(np.array(choices, dtype=np.int64))

    def secret(self) -> bytes:
        raise Undecided  # a secret has 2^256 values: what depends on it is not enumerated


@lru_cache(maxsize=256)
def probabilities(distribution: NoiseDistribution, left_out: Fraction) -> tuple[Fraction, ...]:
    """Lower bounds of the probabilities of outcome 0, 1, 2, ... until at most `left_out` is left; last, the rest."""
    known, rest = [], Fraction(1)
    with precision(BITS):
        total = distribution.total()
        for weight in distribution.weights():
            known.append(max(Fraction(0), ends(weight / total)[0]))
            rest -= known[-1]
            if rest <= left_out:
                break
    return (*known, rest)


class Replayed(Entropy):
    """Replays the draws of one path: the same outcomes in the same order."""

    def __init__(self, outcomes: Sequence[int]) -> None:
        self._outcomes = list(outcomes)

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        taken, self._outcomes = self._outcomes[:size], self._outcomes[size:]
        if len(taken) < size:
            raise Undecided
        return distribution.values(np.array(taken, dtype=np.int64))

    def secret(self) -> bytes:
        return bytes(32)


class Fixed(Entropy):
    """Every draw gives the same value: the result is then a function of public things alone, which tests compare."""

    def __init__(self, value: int = 0) -> None:
        self._value = value

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.full(size, self._value, dtype=np.int64)

    def secret(self) -> bytes:
        return bytes(32)


class EnumeratedWords:
    """Uniform words of a few bits, each a choice, at most `depth` of them: for tests of the samplers of laws."""

    def __init__(self, path: Path, bits: int, depth: int) -> None:
        self.bits = bits
        self._path = path
        self._left = depth
        self._even = (Fraction(1, 1 << bits),) * (1 << bits)

    def words(self, count: int) -> NDArray[np.uint64]:
        if count > self._left:
            raise Undecided
        self._left -= count
        return np.array([self._path.choose(self._even) for _ in range(count)], dtype=np.uint64)
