"""One estimate for each item of two noisy measurements: a *quiet* one, of which scaling took away much, and an *open*
one with more noise, of which it took away little.

The quiet one is brought to the level of the open one by a ratio that may depend on how common an item is (a line in the
logarithm of its count, fitted to all shown items). What is left between the two, beyond noise, is how much items differ
from each other: it is measured (`spread`) and goes into the weights and into the intervals. Common items then come
mostly from the open measurement, rare ones from the quiet one.
"""

from dataclasses import dataclass

import numpy as np

from headcount.exact import Floats

LINE = 20
"""From so many items on the ratio may depend on how common an item is."""
PRIOR_SPREAD, PRIOR_ITEMS = 0.1, 3.0
"""What is assumed of the spread before the items tell: as much as so many items would."""


@dataclass(frozen=True)
class Measured:
    """Noisy counts with the noise's standard deviation."""

    values: Floats
    deviation: float


@dataclass(frozen=True)
class Lost:
    """How much the open measurement lost of everything, as far as that is known."""

    taken: float
    """How much, with noise; what was taken from one person is counted up to a limit."""
    deviation: float
    """The noise's."""
    kept: float
    """How much it has."""
    usual: float
    """The part that is usually lost: the more noise exceeds it, the less is believed."""
    doubt: float
    """How much of what is believed may be otherwise for an item."""

    @property
    def part(self) -> float:
        """What is believed to be lost, in parts of what is there."""
        seen, noise = max(self.taken, 0.0) / self.kept, self.deviation / self.kept
        return seen * self.usual**2 / (self.usual**2 + noise**2)

    @property
    def unsure(self) -> float:
        """How far off that may be."""
        return float(np.hypot(self.doubt * self.part, min(self.deviation / self.kept, self.usual)))


@dataclass(frozen=True)
class Estimate:
    """Counts, and how far off they may be."""

    counts: Floats
    deviations: Floats
    """Of each count: noise, and what scaling took away differently from item to item."""
    spread: float
    """How much items differ in what the quiet measurement lost, relative to their count."""


def estimated(quiet: Measured, open_: Measured, lost: Lost) -> Estimate:
    """One count for each item."""
    level = np.ones_like(quiet.values) * max(open_.values.sum() / quiet.values.sum(), 1.0)
    spread = PRIOR_SPREAD
    for _ in range(3):
        level = _level(quiet, open_, level, spread)
        spread = _spread(quiet, open_, level)
    counts, deviations = _combined(quiet, open_, level, spread)
    more = 1 + lost.part
    return Estimate(counts * more, np.hypot(deviations, lost.unsure * counts) * more, spread)


def _level(quiet: Measured, open_: Measured, before: Floats, spread: float) -> Floats:
    """The ratio of the open measurement to the quiet one, for each item; `before` is what it was taken for."""
    about = quiet.values * before
    weight = 1 / ((quiet.deviation * before) ** 2 + open_.deviation**2 + (spread * about) ** 2)
    common = np.log(quiet.values) - np.log(quiet.values).mean()
    terms = np.stack([quiet.values, quiet.values * common] if len(common) >= LINE else [quiet.values])
    line = np.linalg.lstsq((terms * weight) @ terms.T, (terms * weight) @ open_.values, rcond=None)[0]
    level: Floats = np.maximum((line @ terms) / quiet.values, 1.0)
    return level


def _spread(quiet: Measured, open_: Measured, level: Floats) -> float:
    """How much items differ, beyond noise: a weighted moment of the differences between the two measurements."""
    about = np.maximum(quiet.values * level, 1)
    noise = (quiet.deviation * level) ** 2 + open_.deviation**2
    weight = about**2 / (noise + (0.05 * about) ** 2) ** 2
    prior = PRIOR_ITEMS * (weight * about**2).mean()
    seen = (weight * ((quiet.values * level - open_.values) ** 2 - noise)).sum() + prior * PRIOR_SPREAD**2
    return float(np.sqrt(max(seen / ((weight * about**2).sum() + prior), 0.0)))


def _combined(quiet: Measured, open_: Measured, level: Floats, spread: float) -> tuple[Floats, Floats]:
    """Both measurements weighed by their variances."""
    raised = quiet.values * level
    counts = raised
    for _ in range(2):
        quiet_weight = 1 / ((quiet.deviation * level) ** 2 + (spread * np.maximum(counts, 1)) ** 2)
        total = quiet_weight + 1 / open_.deviation**2
        counts = (quiet_weight * raised + open_.values / open_.deviation**2) / total
    return counts, 1 / np.sqrt(total)
