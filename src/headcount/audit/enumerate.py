"""Exact enumeration: the law of a mechanism on tiny data, and from it the exact delta, both ways, over all neighbours.

The real code runs once for every sequence of draws. What an infinite law leaves out, and what certified weights lack
to 1, is counted as undecided and widens the answer: delta is given as an interval of two fractions that provably
holds it.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from headcount.audit.choices import Enumerated, Path, Undecided, explore
from headcount.audit.outputs import observe
from headcount.errors import BadParameter
from headcount.exact import Number, ball, ends, precision, rational
from headcount.noise import Entropy

Data = TypeVar("Data")

LEFT_OUT = Fraction(1, 10**5)
"""The default probability of each draw's law that is left undecided."""


@dataclass(frozen=True)
class Outcomes:
    """The law of the output of a mechanism."""

    chances: Mapping[Hashable, Fraction]
    """Each output, and a lower bound of its probability."""
    undecided: Fraction
    """The probability that is missing to 1."""


@dataclass(frozen=True)
class Delta:
    """An interval that holds the exact delta."""

    low: Fraction
    high: Fraction


def outcomes(run: Callable[[Entropy], Any], left_out: Fraction = LEFT_OUT) -> Outcomes:
    """Enumerate the law of the output of `run`."""
    if left_out <= 0:
        raise BadParameter(
            f"left_out={left_out}: an infinite law leaves something out.", fix="left_out=Fraction(1, 10**5)"
        )
    _check_repeats(run, left_out)
    chances: dict[Hashable, Fraction] = defaultdict(Fraction)
    for output, weight in explore(lambda path: observe(lambda: run(Enumerated(path, left_out)))):
        if not isinstance(output, Undecided):
            chances[output] += weight
    return Outcomes(chances, 1 - sum(chances.values(), start=Fraction(0)))


def _check_repeats(run: Callable[[Entropy], Any], left_out: Fraction) -> None:
    """Refuse code with other sources of randomness: along one path, two runs must agree."""
    once, twice = (_first(run, left_out) for _ in range(2))
    if once != twice:
        raise BadParameter(
            "the same draws gave two different results: there is chance that is not enumerated.",
            fix="noise.discrete_laplace(scale, size, entropy), with the entropy that was given",
        )


def _first(run: Callable[[Entropy], Any], left_out: Fraction) -> Hashable:
    try:
        return observe(lambda: run(Enumerated(Path(), left_out)))
    except Undecided:
        return None


def delta(one: Outcomes, other: Outcomes, epsilon: Fraction) -> Delta:
    """sup over events of P(event) - e^epsilon Q(event), with P the first law and Q the second: one direction."""
    with precision(192):
        low_factor, high_factor = ends(ball(epsilon).exp())
    minimum = maximum = Fraction(0)
    for output, chance in one.chances.items():
        reference = other.chances.get(output, Fraction(0))
        minimum += max(Fraction(0), chance - high_factor * reference)
        maximum += max(Fraction(0), chance - low_factor * reference)
    return Delta(max(Fraction(0), minimum - high_factor * other.undecided), maximum + one.undecided)


class Laws(Generic[Data]):
    """The laws of a mechanism on its datasets, each enumerated on first use and cached."""

    def __init__(self, run: Callable[[Data, Entropy], Any], left_out: Fraction = LEFT_OUT) -> None:
        self._run = run
        self._left_out = left_out
        self._known: dict[Data, Outcomes] = {}

    def of(self, data: Data) -> Outcomes:
        """The law on this dataset."""
        if data not in self._known:
            self._known[data] = outcomes(lambda entropy: self._run(data, entropy), self._left_out)
        return self._known[data]

    def worst_delta(self, pairs: Iterable[tuple[Data, Data]], epsilon: Number) -> Delta:
        """The largest delta over all the pairs, both ways."""
        exact = rational("epsilon", epsilon, fix="epsilon=1")
        found = [delta(self.of(a), self.of(b), exact) for one, other in pairs for a, b in ((one, other), (other, one))]
        return Delta(max(each.low for each in found), max(each.high for each in found))


def worst_delta(
    run: Callable[[Data, Entropy], Any],
    pairs: Iterable[tuple[Data, Data]],
    epsilon: Number,
    left_out: Fraction = LEFT_OUT,
) -> Delta:
    """The largest delta over all the pairs, both ways. For several prices of one mechanism, `Laws` enumerates once."""
    return Laws(run, left_out).worst_delta(pairs, epsilon)
