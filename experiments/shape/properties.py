"""What follows from a shape: how many different items, how even, what more people would have (section 5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.parts import Part
from experiments.report import Setting, Table
from experiments.shape.tables import SOURCES, sample_tables
from experiments.shape.ways import EM, PAPER, STAIRCASE, noisy_cells, noisy_staircase
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.properties import Estimate, Properties
from headcount.estimate.shape.uncertainty import Uncertainty
from headcount.exact import Floats, Integers

PEOPLE, QUICK = 100_000, 5_000
RUNS = 100
WAYS = (STAIRCASE, EM, PAPER)
KINDS = ("zipf 1", "zipf 1.3", "uniform")
LARGE = 100
"""Values from here on are numbers of items, not entropies."""
NOTES = (
    f"*What follows*: n = {PEOPLE:,}, D = n, epsilon 1, one person replaced, {RUNS} tables with a release of each. In "
    "a cell: mean and standard deviation of how far the estimate is above the truth, and which part of the intervals "
    "hold it, of which 95% should. *Of the table*: the truth is that of each table. *Of the source*: that of the "
    "distribution that people were drawn from. *Among 2n people*: support coverage. *Items that could be there*: "
    "support size, given the smallest probability.",
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
class Property:
    """A property of a distribution or table, estimated from a shape."""

    estimate: Callable[[Properties, Known], Estimate]
    truth: Callable[[Integers, Known], float]


def entropy(chances: Floats) -> float:
    """In nats."""
    there = chances[chances > 0]
    return float(-(there * np.log(there)).sum())


PROPERTIES = {
    "different items, of the table": Property(
        lambda shape, known: shape.distinct(),
        lambda totals, known: float(np.count_nonzero(totals)),
    ),
    "entropy, of the table": Property(
        lambda shape, known: shape.entropy(),
        lambda totals, known: entropy(totals / totals.sum()),
    ),
    "entropy, of the source": Property(
        lambda shape, known: shape.source_entropy(),
        lambda totals, known: entropy(known.chances),
    ),
    "different items among 2n people, of the source": Property(
        lambda shape, known: shape.coverage(2 * known.people),
        lambda totals, known: float(-np.expm1(2 * known.people * np.log1p(-known.chances)).sum()),
    ),
    "items that could be there, of the source": Property(
        lambda shape, known: shape.support_size(known.smallest),
        lambda totals, known: float(np.count_nonzero(known.chances)),
    ),
}


@dataclass(frozen=True)
class Comparison:
    """An estimate beside the truth."""

    truth: float
    estimate: Estimate

    @property
    def error(self) -> float:
        """The signed error."""
        return float(self.estimate.value - self.truth)

    @property
    def covered(self) -> bool:
        """True if the interval contains the truth."""
        return bool(self.estimate.low <= self.truth <= self.estimate.high)


def part(setting: Setting) -> Part:
    """Some distributions."""
    people, runs = (QUICK, 3) if setting.quick else (PEOPLE, RUNS)
    return Part(tuple(_table(source, people, runs, setting.seed) for source in KINDS), NOTES)


def _table(source: str, people: int, runs: int, seed: int) -> Table:
    known = Known(people, SOURCES[source](people, people))
    found = [compare_estimates(totals, known) for totals in sample_tables(source, people, people, seed, runs)]
    rows = tuple(_row(name, [each[name] for each in found]) for name in PROPERTIES)
    return Table(f"What follows: {source}", ("what", "truth (mean)", *WAYS), rows)


def compare_estimates(totals: Integers, known: Known) -> dict[str, dict[str, Comparison]]:
    """Compare every property's estimate with the truth: by property, then by way."""
    stairs, noisy = noisy_staircase(totals), noisy_cells(totals)
    shapes = {STAIRCASE: _properties(stairs.estimate(), stairs.uncertainty)}
    shapes |= {way: _properties(noisy.estimate(way), noisy.uncertainty) for way in (EM, PAPER)}
    return {name: _compare(prop, shapes, totals, known) for name, prop in PROPERTIES.items()}


def _properties(found: Prevalence, uncertainty: Uncertainty) -> Properties:
    return Properties(found, found.total, uncertainty)


def _compare(prop: Property, shapes: Mapping[str, Properties], totals: Integers, known: Known) -> dict[str, Comparison]:
    truth = prop.truth(totals, known)
    return {way: Comparison(truth, prop.estimate(shape, known)) for way, shape in shapes.items()}


def _row(name: str, found: Sequence[Mapping[str, Comparison]]) -> tuple[str, ...]:
    truth = float(np.mean([each[STAIRCASE].truth for each in found]))
    return (name, f"{truth:,.{_digits(truth)}f}", *(_cell([each[way] for each in found]) for way in WAYS))


def _cell(several: Sequence[Comparison]) -> str:
    errors, digits = [each.error for each in several], _digits(several[0].truth)
    mean = round(float(np.mean(errors)), digits) + 0.0  # not -0
    coverage = np.mean([each.covered for each in several])
    return f"{mean:,.{digits}f} ± {np.std(errors, ddof=1):,.{digits}f}, {coverage:.0%}"


def _digits(truth: float) -> int:
    """Of an entropy three; numbers of items are whole."""
    return 0 if truth >= LARGE else 3
