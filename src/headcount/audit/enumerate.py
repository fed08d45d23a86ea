"""The exact law of a mechanism on tiny data, and from it the exact delta, both ways, over all neighbours.

The real code runs once for every sequence of draws. What an infinite law leaves out, and what certified weights lack
to 1, is counted as undecided and widens the answer: delta is given as an interval of two fractions that provably
holds it.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from headcount.audit.choices import Enumerated, Undecided, explore
from headcount.audit.outputs import observe
from headcount.exact import ball, ends, precision
from headcount.noise import Entropy

Data = TypeVar("Data")

LEFT_OUT = Fraction(1, 10**5)
"""How much of each draw's law is left undecided, by default."""


@dataclass(frozen=True)
class Outcomes:
    """The law of what is seen."""

    chances: Mapping[Hashable, Fraction]
    """Each output and a lower bound of its probability."""
    undecided: Fraction
    """What is missing to 1."""


@dataclass(frozen=True)
class Delta:
    """An interval that holds the exact delta."""

    low: Fraction
    high: Fraction


def outcomes(run: Callable[[Entropy], Any], left_out: Fraction = LEFT_OUT) -> Outcomes:
    """The law of what `run` lets see."""
    chances: dict[Hashable, Fraction] = defaultdict(Fraction)
    for output, weight in explore(lambda path: observe(lambda: run(Enumerated(path, left_out)))):
        if not isinstance(output, Undecided):
            chances[output] += weight
    return Outcomes(chances, 1 - sum(chances.values(), start=Fraction(0)))


def delta(one: Outcomes, other: Outcomes, epsilon: Fraction) -> Delta:
    """sup over events of P(event) - e^epsilon Q(event), with P the first law and Q the second: one direction."""
    with precision(192):
        low_factor, high_factor = ends(ball(epsilon).exp())
    least = most = Fraction(0)
    for output, chance in one.chances.items():
        reference = other.chances.get(output, Fraction(0))
        least += max(Fraction(0), chance - high_factor * reference)
        most += max(Fraction(0), chance - low_factor * reference)
    return Delta(max(Fraction(0), least - high_factor * other.undecided), most + one.undecided)


def worst_delta(
    run: Callable[[Data, Entropy], Any],
    pairs: Iterable[tuple[Data, Data]],
    epsilon: Fraction,
    left_out: Fraction = LEFT_OUT,
) -> Delta:
    """The largest delta over all the pairs, both ways."""
    laws: dict[Data, Outcomes] = {}

    def law(data: Data) -> Outcomes:
        if data not in laws:
            laws[data] = outcomes(lambda entropy: run(data, entropy), left_out)
        return laws[data]

    found = [delta(law(a), law(b), epsilon) for one, other in pairs for a, b in ((one, other), (other, one))]
    return Delta(max(each.low for each in found), max(each.high for each in found))
