"""Where nobody may hold the table: a stream whose memory may be seized, a shuffler, a secure sum (Corollary 3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from experiments.parts import Part
from experiments.report import Setting, Table
from experiments.sampling.part import DELTA, EPSILON
from experiments.shape.tables import sample_tables
from experiments.shape.ways import EM, ESTIMATORS, PAPER, Cells, Shapes, errors, noisy_cells, summary
from headcount.account.curves.shuffling import best, messages
from headcount.estimate.shape.kernel import Kernel, convolved, laplace, shares
from headcount.exact import Integers
from headcount.noise import discrete_laplace, negative_binomial
from headcount.stream import Counter

SIZES = (10_000, 100_000)
RUNS = 20
SCALE = 2 / EPSILON
"""Of a trusted curator's noise: one person is replaced."""
HONEST = Fraction(4, 5)
"""The part of all people whose shares of noise are counted on, in a secure sum."""
SHUFFLED = best(EPSILON, DELTA, neighbours="replace")
STREAM = "a stream, its memory seized once"
DIGEST = {(STREAM, 10_000): ("4,975", "1,613"), (STREAM, 100_000): ("24,902", "10,101")}
"""The paper's estimator, and EM."""
NOTES = (
    f"*Models*: Zipf 1, D = n, epsilon 1, one person (in a stream: one event) replaced, over {RUNS} tables. *A "
    "stream*: the product's `stream.Counter`, which has noise from the start and fresh noise at the end, so that one "
    "seized state and the shape may both be seen. The paper's Corollary 3 is about one of the two: that costs no "
    "more than a trusted curator.",
    f"*A shuffler*: delta 1e-6. Of epsilon the noise alone takes {float(2 / SHUFFLED.scale):g}; the rest is kept by "
    f"pairs of messages that cancel, about {messages(SHUFFLED):,.0f} messages for each cell in all. Once they have "
    "cancelled, a cell is its count and discrete Laplace noise, exactly, and that is what is drawn here, not the "
    "messages. *A secure sum* needs no pairs: shares of noise add up to a trusted curator's. Here only "
    f"{float(HONEST):.0%} of the shares were counted on, and all of them came, so there is more noise.",
)


@dataclass(frozen=True)
class Model:
    """Who sees what."""

    kernel: Kernel
    """The law of the noise on a cell."""
    shapes: Callable[[Integers], Shapes]

    @property
    def deviation(self) -> float:
        """Of the noise."""
        away = np.arange(-self.kernel.reach, self.kernel.reach + 1)
        return float(np.sqrt(away**2 @ self.kernel.weights))


def part(setting: Setting) -> Part:
    """All models."""
    sizes, runs = (SIZES[:1], 3) if setting.quick else (SIZES, RUNS)
    tables = {people: sample_tables("zipf 1", people, people, setting.seed, runs) for people in sizes}
    rows = tuple((name, f"{model.deviation:.2f}", *_cells(name, tables)) for name, model in MODELS.items())
    beside = (f"n = {people:,}: {way}" for people in sizes for way in ESTIMATORS)
    return Part((Table("Error (l1) by model", ("model", "deviation of noise", *beside), rows),), NOTES)


def _cells(name: str, tables: Mapping[int, Sequence[Integers]]) -> list[str]:
    found = {people: errors(some, MODELS[name].shapes) for people, some in tables.items()}
    return [
        summary(each[way], digest)
        for people, each in found.items()
        for way, digest in zip((PAPER, EM), DIGEST.get((name, people), ("", "")), strict=True)
    ]


def curator(totals: Integers) -> Shapes:
    """Estimate from a trusted curator's noisy counts."""
    return both_estimators(noisy_cells(totals))


def stream(totals: Integers) -> Shapes:
    """Estimate from a counter that reads one event at a time."""
    counter = Counter(np.arange(len(totals)), epsilon=EPSILON, neighbours="replace")
    counter.add(np.repeat(np.arange(len(totals)), totals))
    return {way: counter.shape(estimator=estimator).prevalences for way, estimator in ESTIMATORS.items()}


def shuffler(totals: Integers) -> Shapes:
    """Estimate from the sums of a shuffler's messages of +1 and -1."""
    return both_estimators(Cells(totals + discrete_laplace(SHUFFLED.scale, len(totals)), MODELS["a shuffler"].kernel))


def secure_sum(totals: Integers) -> Shapes:
    """Estimate from a secure sum in which more noise shares arrive than were assumed."""
    up, down = (negative_binomial(1 / HONEST, SCALE, len(totals)) for _ in range(2))
    return both_estimators(Cells(totals + up - down, MODELS["a secure sum"].kernel))


def both_estimators(noisy: Cells) -> Shapes:
    """Estimate by the paper's estimator and by EM."""
    return {way: noisy.estimate(way) for way in ESTIMATORS}


_ONCE = laplace(float(SCALE))
MODELS = {
    "a trusted curator": Model(_ONCE, curator),
    STREAM: Model(convolved(_ONCE, _ONCE), stream),
    "a shuffler": Model(laplace(float(SHUFFLED.scale)), shuffler),
    "a secure sum": Model(shares(float(SCALE), float(1 / HONEST)), secure_sum),
}
