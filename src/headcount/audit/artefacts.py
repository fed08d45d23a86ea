"""Audit of floating-point artefacts: the lowest bits of a mechanism's numbers, instead of their size.

Floating-point noise cannot reach every float from every count, so that the lowest bits of one output can identify the
dataset (Mironov 2012; Haney et al. 2022). The safe way is to release integers, or multiples of a public power of two.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from headcount.audit.outputs import digits, lowest_bit, numbers, observe
from headcount.audit.statistical import Finding, audit
from headcount.exact import Number

Data = TypeVar("Data")


@dataclass(frozen=True)
class Artefacts:
    """The result of an audit of the lowest bits."""

    floats: float
    """The share of released numbers that are floats with digits behind the point."""
    lowest: int
    """The smallest exponent of a bit that was set in any output: 0 or more for integers."""
    finding: Finding
    """The audit of the claim by the lowest bits alone."""

    @property
    def clean(self) -> bool:
        """True if every number was an integer and the lowest bits do not refute the claim."""
        return self.floats == 0 and not self.finding.flagged


def artefacts(
    run: Callable[[Data], Any], left: Data, right: Data, *, epsilon: Number, delta: Number = 0, runs: int = 20_000
) -> Artefacts:
    """Audit the lowest bits of the numbers that `run` releases.

    >>> artefacts(len, "abc", "ab", epsilon=1, runs=400).floats
    0.0
    """
    lowest: list[int] = []

    def bits(data: Data) -> tuple[Hashable, ...]:
        released = list(numbers(observe(lambda: run(data))))
        lowest.extend(map(lowest_bit, released))
        return tuple(digits(number) for number in released if isinstance(number, float))

    finding = audit(bits, left, right, epsilon=epsilon, delta=delta, runs=runs)
    return Artefacts(sum(bit < 0 for bit in lowest) / max(1, len(lowest)), min(lowest, default=0), finding)
