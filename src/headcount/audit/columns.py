"""Outputs as columns of codes, and the events that an audit tries on them.

A feature of the outputs becomes a column: its values, numbers in order, are coded 0, 1, 2, ...; the last code says
that the feature is absent. An event is a set of codes: values up to a limit, from a limit on, one value, or all
values that looked too likely. Counting is then adding up a histogram of codes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.audit.evidence import Claim, plausible_epsilon
from headcount.audit.outputs import Feature

Facts = Sequence[dict[str, Feature]]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]

MAX_FEATURES = 400
"""The number of features tried: those that occur most often."""
ABSENT, OTHER = "absent", "something else"


@dataclass(frozen=True)
class Column:
    """One feature of all outputs."""

    name: str
    labels: tuple[Any, ...]
    """What each code stands for; the last two are `ABSENT` and `OTHER`."""
    codes: NDArray[np.int64]
    """One code for each output."""

    def counts(self, which: slice) -> Counts:
        """Histogram of the codes of these outputs."""
        return np.bincount(self.codes[which], minlength=len(self.labels)).astype(np.int64)

    def describe(self, mask: Mask) -> str:
        """Describe an event in words."""
        inside = [label for label, within in zip(self.labels, mask, strict=True) if within]
        shown = [label if label in (ABSENT, OTHER) else f"{label!r:.60}" for label in inside]
        if len(shown) <= 3:
            return f"{self.name} is {' or '.join(shown) or 'nothing'}"
        return f"{self.name} is one of {len(shown)} values from {shown[0]} to {shown[-1]}"


def columns(facts: Facts, known: int) -> list[Column]:
    """The columns of the features that are most frequent among the first `known` outputs.

    Values that come up only later are one code, the last: the outputs that test an event have no part in making it."""
    frequent = Counter(name for fact in facts[:known] for name in fact).most_common(MAX_FEATURES)
    return [_column(name, [fact.get(name, ABSENT) for fact in facts], known) for name, _ in frequent]


def _column(name: str, values: list[Any], known: int) -> Column:
    present = set(values[:known]) - {ABSENT}
    numeric = all(isinstance(value, Real) for value in present)
    labels = (*(sorted(present) if numeric else present), ABSENT, OTHER)
    code = {label: index for index, label in enumerate(labels)}
    return Column(name, labels, np.array([code.get(value, code[OTHER]) for value in values], dtype=np.int64))


def candidates(ours: Counts, theirs: Counts, claim: Claim) -> Iterator[Mask]:
    """Events that look most suspicious in these counts: up to a value, from a value, one value, all too likely, and
    never theirs."""
    indices, runs = np.arange(len(ours)), int(ours.sum())
    values = indices < len(ours) - 2  # not the codes for absent and something else, which have no place in an order
    up_to = plausible_epsilon(np.cumsum(ours * values), np.cumsum(theirs * values), runs, claim.delta)
    from_on = plausible_epsilon(
        np.cumsum((ours * values)[::-1]), np.cumsum((theirs * values)[::-1]), runs, claim.delta
    )[::-1]
    yield (indices <= int(np.argmax(up_to))) & values
    yield (indices >= int(np.argmax(from_on))) & values
    yield indices == int(np.argmax(plausible_epsilon(ours, theirs, runs, claim.delta)))
    yield ours > claim.factor * theirs
    yield (ours > 0) & (theirs == 0)
