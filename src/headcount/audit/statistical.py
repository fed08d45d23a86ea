"""A black-box audit: does a mechanism keep the (epsilon, delta) that it claims, as far as its outputs show?

The mechanism runs many times on two neighbouring datasets. A quarter of the outputs proposes events that
distinguish the two, a second quarter picks the best of them, and the other half tests that one: does its frequency
contradict P(event) <= e^epsilon Q(event) + delta? The test is an e-value (evidence.py) on outputs that had no part in
the choice, so a mechanism that keeps its claim is flagged with probability at most `alarm`, for any number of runs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from headcount.audit.columns import Column, Mask, candidates, columns
from headcount.audit.evidence import Bet, Claim, plausible_epsilon
from headcount.audit.outputs import features, observe
from headcount.errors import BadParameter
from headcount.exact import Number, rational, whole

Data = TypeVar("Data")

ALARM = 1e-6
"""The default probability of a false alarm."""
MAX_EPSILON = 32
"""The largest epsilon that an audit can refute."""


@dataclass(frozen=True)
class Finding:
    """The result of an audit."""

    flagged: bool
    """True if the claim is refuted; wrongly so with probability at most `alarm`."""
    epsilon: float
    """The largest epsilon, at the claimed delta, that the tested event refutes; 0 if it refutes none."""
    event: str
    """The event that best distinguishes the two datasets, in words."""
    left: float
    """Its frequency on the left dataset."""
    right: float
    """Its frequency on the right dataset."""
    runs: int
    """Number of runs on each dataset."""


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
    if not 0 < alarm < 1:
        raise BadParameter(f"alarm={alarm!r}: a chance between 0 and 1 is needed.", fix="alarm=1e-6")
    whole("runs", runs, minimum=400, fix="runs=100_000")
    table = columns(_observed(run, left, right, runs, progress), known=4 * (runs // 4))
    one, other = slice(0, None, 2), slice(1, None, 2)
    findings = [_one_way(table, one, other, *claimed, alarm / 2), _one_way(table, other, one, *claimed, alarm / 2)]
    findings[1] = replace(findings[1], left=findings[1].right, right=findings[1].left)
    return max(findings, key=lambda finding: finding.epsilon)


def _claimed(epsilon: Number, delta: Number) -> tuple[float, float]:
    exact = rational("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=0")
    if exact[0] < 0 or not 0 <= exact[1] < 1:
        raise BadParameter(f"epsilon={epsilon!r}, delta={delta!r}: not a privacy claim.", fix="epsilon=1, delta=0")
    if exact[0] > MAX_EPSILON:
        raise BadParameter(
            f"epsilon={epsilon!r}: more than {MAX_EPSILON} cannot be detected from outputs.", fix="epsilon=1"
        )
    return float(exact[0]), float(exact[1])


def _observed(
    run: Callable[[Data], Any], left: Data, right: Data, runs: int, progress: Callable[[int], None]
) -> list[dict[str, Any]]:
    """Features of the outputs: left, right, left, right, ... so that a change of the machine affects both alike."""
    facts = []
    for done in range(runs):
        facts += [features(observe(lambda: run(left))), features(observe(lambda: run(right)))]
        if done % 1000 == 0:
            progress(done)
    return facts


def _one_way(table: list[Column], ours: slice, theirs: slice, epsilon: float, delta: float, alarm: float) -> Finding:
    """Search for an event that is too likely on our outputs, compared with theirs, and test it."""
    runs = len(table[0].codes) // 2
    quarter, size = runs // 4, runs - 2 * (runs // 4)
    proposing, picking, testing = [(_part(ours, *ends), _part(theirs, *ends)) for ends in _split(runs)]
    proposed = [
        (column, mask)
        for column in table
        for mask in candidates(column.counts(proposing[0]), column.counts(proposing[1]), Claim.of(epsilon, delta))
    ]
    column, mask = max(
        proposed, key=lambda event: float(plausible_epsilon(*_counted(event[0], event[1], picking), quarter, delta))
    )
    bets = _bets(_counted(column, mask, picking), quarter, epsilon, delta)
    here, there = _counted(column, mask, testing)
    shown = _refuted(here, there, size, delta, bets, alarm)
    return Finding(shown >= epsilon, max(0.0, shown), column.describe(mask), here / size, there / size, runs)


def _split(runs: int) -> list[tuple[int, int]]:
    """A quarter to propose, a quarter to pick, the rest to test."""
    quarter = runs // 4
    return [(0, quarter), (quarter, 2 * quarter), (2 * quarter, runs)]


def _part(which: slice, start: int, stop: int) -> slice:
    """Runs start .. stop of the outputs at every second place."""
    return slice(which.start + 2 * start, 2 * stop, 2)


def _counted(column: Column, mask: Mask, parts: tuple[slice, slice]) -> tuple[int, int]:
    here, there = (int(column.counts(part)[mask].sum()) for part in parts)
    return here, there


def _bets(picked: tuple[int, int], runs: int, epsilon: float, delta: float) -> list[Bet]:
    """Half of the capital on stakes against the claim, the rest on stakes against other epsilons, up to the estimated
    one."""
    p, q = (picked[0] + 0.5) / (runs + 1), (picked[1] + 0.5) / (runs + 1)
    estimate = max(0.0, math.log(max(p - delta, 1e-9) / q))
    targets = [(0.5, epsilon), *((0.5 / 16, estimate * part / 16) for part in range(16))]
    return [(capital, Claim.of(target, delta).stakes(p, q)) for capital, target in targets]


def _refuted(here: int, there: int, size: int, delta: float, bets: list[Bet], alarm: float) -> float:
    """The largest epsilon that the tested counts refute with these bets; less than 0 if there is none.

    A mixture of e-values is one. With fixed stakes each falls as epsilon grows, so there is one such limit, and it is
    above a true claim with probability at most `alarm`."""
    low, high = -1e-4, float(MAX_EPSILON)
    while high - low > 1e-4:
        middle = (low + high) / 2
        against = Claim.of(middle, delta).evidence(here, there, size, bets) > -math.log(alarm)
        low, high = (middle, high) if against else (low, middle)
    return low
