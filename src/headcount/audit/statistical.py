"""A black-box audit: does a mechanism keep the (epsilon, delta) that it claims, as far as its outputs show?

The mechanism runs many times on two neighbouring datasets. A quarter of the outputs proposes events by which the two
could be told apart, a second quarter picks the best of them, and the other half tests that one: does its frequency
contradict P(event) <= e^epsilon Q(event) + delta? The test is an e-value (evidence.py) on outputs that had no part in
the choice, so a mechanism that keeps its claim is flagged with a chance of at most `alarm`, whatever the number of
runs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from headcount.audit.columns import Column, Mask, candidates, columns
from headcount.audit.evidence import Claim
from headcount.audit.outputs import features, observe
from headcount.errors import BadParameter
from headcount.exact import Number, rational, whole

Data = TypeVar("Data")

ALARM = 1e-6
"""The chance of a false alarm."""


@dataclass(frozen=True)
class Finding:
    """What an audit found."""

    flagged: bool
    """True if the claim is refuted; wrongly so with a chance of at most `alarm`."""
    epsilon: float
    """The largest epsilon, at the claimed delta, that the tested event refutes."""
    event: str
    """The event that tells the two datasets apart best, in words."""
    left: float
    """How often it happened on the left dataset."""
    right: float
    """How often it happened on the right dataset."""
    runs: int
    """Runs on each dataset."""


def audit(
    run: Callable[[Data], Any],
    left: Data,
    right: Data,
    *,
    epsilon: Number,
    delta: Number = 0,
    runs: int = 100_000,
    alarm: float = ALARM,
    progress: Callable[[int], None] = lambda done: None,
) -> Finding:
    """Audit the claim that `run` is (epsilon, delta)-private between two datasets.

    >>> from headcount import noise
    >>> audit(lambda n: n + int(noise.discrete_laplace(1, 1)[0]), 0, 1, epsilon=1, runs=2000).flagged
    False
    """
    claimed = _claimed(epsilon, delta)
    whole("runs", runs, least=400, fix="runs=100_000")
    table = columns(_observed(run, left, right, runs, progress))
    one, other = slice(0, None, 2), slice(1, None, 2)
    findings = [_one_way(table, one, other, *claimed, alarm / 2), _one_way(table, other, one, *claimed, alarm / 2)]
    findings[1] = replace(findings[1], left=findings[1].right, right=findings[1].left)
    return max(findings, key=lambda finding: finding.epsilon)


def _claimed(epsilon: Number, delta: Number) -> tuple[float, float]:
    exact = rational("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=0")
    if exact[0] < 0 or not 0 <= exact[1] < 1:
        raise BadParameter(f"epsilon={epsilon!r}, delta={delta!r}: not a privacy claim.", fix="epsilon=1, delta=0")
    return float(exact[0]), float(exact[1])


def _observed(
    run: Callable[[Data], Any], left: Data, right: Data, runs: int, progress: Callable[[int], None]
) -> list[dict[str, Any]]:
    """What was seen: left, right, left, right, ... so that a change of the machine's state hits both alike."""
    facts = []
    for done in range(runs):
        facts += [features(observe(lambda: run(left))), features(observe(lambda: run(right)))]
        if done % 1000 == 0:
            progress(done)
    return facts


def _one_way(table: list[Column], ours: slice, theirs: slice, epsilon: float, delta: float, alarm: float) -> Finding:
    """Is there an event that is too likely on our outputs, compared with theirs?"""
    runs = len(table[0].codes) // 2
    quarters = [(_part(ours, *ends), _part(theirs, *ends)) for ends in _split(runs)]
    claim = Claim.of(epsilon, delta)
    proposed = [
        (column, mask)
        for column in table
        for mask in candidates(column.counts(quarters[0][0]), column.counts(quarters[0][1]), claim.factor)
    ]
    column, mask = max(proposed, key=lambda event: _doubt(_counted(event[0], event[1], quarters[1]), claim, runs // 4))
    picked = _counted(column, mask, quarters[1])
    tested = _counted(column, mask, quarters[2])
    size = runs - 2 * (runs // 4)
    refuted = _refuted(picked, runs // 4, tested, size, delta, alarm)
    return Finding(refuted > epsilon, refuted, column.described(mask), tested[0] / size, tested[1] / size, runs)


def _split(runs: int) -> list[tuple[int, int]]:
    """A quarter to propose, a quarter to pick, the rest to test."""
    quarter = runs // 4
    return [(0, quarter), (quarter, 2 * quarter), (2 * quarter, runs)]


def _part(which: slice, start: int, stop: int) -> slice:
    """Runs start .. stop of the outputs that stand at every second place."""
    return slice(which.start + 2 * start, 2 * stop, 2)


def _counted(column: Column, mask: Mask, parts: tuple[slice, slice]) -> tuple[int, int]:
    here, there = (int(column.counts(part)[mask].sum()) for part in parts)
    return here, there


def _doubt(counts: tuple[int, int], claim: Claim, runs: int) -> float:
    """By how many standard deviations the counts contradict the claim, roughly."""
    here, there = counts
    return (here - claim.factor * there - claim.delta * runs) / math.sqrt(1 + here + claim.factor**2 * there)


def _refuted(
    picked: tuple[int, int], picked_from: int, tested: tuple[int, int], size: int, delta: float, alarm: float
) -> float:
    """The largest epsilon that the tested counts refute, with stakes that the picked counts suggest; 0 if there is
    none."""

    def speaks_against(epsilon: float) -> bool:
        claim = Claim.of(epsilon, delta)
        stakes = claim.stakes((picked[0] + 0.5) / (picked_from + 1), (picked[1] + 0.5) / (picked_from + 1))
        return claim.evidence(*tested, size, stakes) > -math.log(alarm)

    low, high = 0.0, 32.0
    if not speaks_against(low):
        return low
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if speaks_against(middle) else (low, middle)
    return low
