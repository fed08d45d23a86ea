"""What follows from a shape: how many different items, how even, what more people would have (section 5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.parts import Part
from experiments.report import Setting, Table
from experiments.shape.tables import SOURCES, drawn
from experiments.shape.ways import EM, PAPER, STAIRCASE, cells, staircase
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.properties import Estimate, Properties
from headcount.estimate.shape.uncertainty import Uncertainty
from headcount.exact import Floats, Integers

PEOPLE, QUICK = 100_000, 5_000
RUNS = 100
WAYS = (STAIRCASE, EM, PAPER)
KINDS = ("zipf 1", "zipf 1.3", "uniform")
LARGE = 100
"""From here on it is no entropy."""
NOTES = (
    f"*What follows*: n = {PEOPLE:,}, D = n, epsilon 1, one person replaced, {RUNS} tables with a release of each. In "
    "a cell: mean and standard deviation of how far the estimate is above the truth, and which part of the intervals "
    "hold it, of which 95% should. *Of the table*: the truth is that of each table. *Of the source*: that of the "
    "distribution that people were drawn from. *Among 2n people*: support coverage. *Items that could be there*: "
    "support size, with the smallest chance told.",
)


@dataclass(frozen=True)
class Known:
    """What an estimate may know, and what decides the truth about the source."""

    people: int
    chances: Floats
    """Of each item; of these an estimate may know the smallest."""

    @property
    def smallest(self) -> float:
        """The least chance of an item that could be there."""
        return float(self.chances[self.chances > 0].min())


@dataclass(frozen=True)
class Asked:
    """Something that follows from a shape."""

    estimate: Callable[[Properties, Known], Estimate]
    truth: Callable[[Integers, Known], float]


def entropy(chances: Floats) -> float:
    """In nats."""
    there = chances[chances > 0]
    return float(-(there * np.log(there)).sum())


ASKED = {
    "different items, of the table": Asked(
        lambda shape, known: shape.distinct(),
        lambda totals, known: float(np.count_nonzero(totals)),
    ),
    "entropy, of the table": Asked(
        lambda shape, known: shape.entropy(),
        lambda totals, known: entropy(totals / totals.sum()),
    ),
    "entropy, of the source": Asked(
        lambda shape, known: shape.source_entropy(),
        lambda totals, known: entropy(known.chances),
    ),
    "different items among 2n people, of the source": Asked(
        lambda shape, known: shape.coverage(2 * known.people),
        lambda totals, known: float(-np.expm1(2 * known.people * np.log1p(-known.chances)).sum()),
    ),
    "items that could be there, of the source": Asked(
        lambda shape, known: shape.support_size(known.smallest),
        lambda totals, known: float(np.count_nonzero(known.chances)),
    ),
}


@dataclass(frozen=True)
class Beside:
    """An estimate beside the truth."""

    truth: float
    estimate: Estimate

    @property
    def off(self) -> float:
        """How far it is above the truth."""
        return float(self.estimate.value - self.truth)

    @property
    def holds(self) -> bool:
        """Whether the interval does."""
        return bool(self.estimate.low <= self.truth <= self.estimate.high)


def part(setting: Setting) -> Part:
    """Some distributions."""
    people, runs = (QUICK, 3) if setting.quick else (PEOPLE, RUNS)
    return Part(tuple(_table(source, people, runs, setting.seed) for source in KINDS), NOTES)


def _table(source: str, people: int, runs: int, seed: int) -> Table:
    known = Known(people, SOURCES[source](people, people))
    found = [answers(totals, known) for totals in drawn(source, people, people, seed, runs)]
    rows = tuple(_row(name, [each[name] for each in found]) for name in ASKED)
    return Table(f"What follows: {source}", ("what", "truth (mean)", *WAYS), rows)


def answers(totals: Integers, known: Known) -> dict[str, dict[str, Beside]]:
    """By what is asked, and by way."""
    stairs, noisy = staircase(totals), cells(totals)
    shapes = {STAIRCASE: _properties(stairs.found(), stairs.uncertain)}
    shapes |= {way: _properties(noisy.found(way), noisy.uncertain) for way in (EM, PAPER)}
    return {name: _answered(asked, shapes, totals, known) for name, asked in ASKED.items()}


def _properties(found: Prevalence, off: Uncertainty) -> Properties:
    return Properties(found, found.total, off)


def _answered(asked: Asked, shapes: Mapping[str, Properties], totals: Integers, known: Known) -> dict[str, Beside]:
    truth = asked.truth(totals, known)
    return {way: Beside(truth, asked.estimate(shape, known)) for way, shape in shapes.items()}


def _row(name: str, found: Sequence[Mapping[str, Beside]]) -> tuple[str, ...]:
    truth = float(np.mean([each[STAIRCASE].truth for each in found]))
    return (name, f"{truth:,.{_digits(truth)}f}", *(_told([each[way] for each in found]) for way in WAYS))


def _told(several: Sequence[Beside]) -> str:
    off, digits = [each.off for each in several], _digits(several[0].truth)
    mean = round(float(np.mean(off)), digits) + 0.0  # not -0
    holds = np.mean([each.holds for each in several])
    return f"{mean:,.{digits}f} ± {np.std(off, ddof=1):,.{digits}f}, {holds:.0%}"


def _digits(truth: float) -> int:
    """Of an entropy three; numbers of items are whole."""
    return 0 if truth >= LARGE else 3
