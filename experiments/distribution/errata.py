"""Printed statements beside exact values: Algorithms 1 to 5, Lemma 1, Theorems 3, 7 and 8."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, pi, sqrt

import numpy as np
from scipy.special import log_softmax
from scipy.stats import binom

from experiments.parts import Part
from experiments.report import Setting, Table, number
from experiments.sampling.part import DELTA, EPSILON
from headcount.account.calibration import calibrate
from headcount.account.curves import gaussian, zcdp
from headcount.exact import Floats, Integers

M = 10
CHANCES = np.array([0.2, 0.8])
"""Of the hypotheses."""
NEAR = 0.05
"""The alpha of Algorithm 1."""
MANY, FEWER = 60, 40
"""Numbers of people with 2 and with 8 of 10 samples of a symbol."""
EPSILONS = (Fraction(1), Fraction(1, 10), Fraction(67, 10_000))
CONSTANT = 0.317
"""Of Theorem 5, for total variation."""
FEW, SYMBOLS, SAMPLES, ERROR = 100, 1_000, 100, 0.1
SETTING = f"k = {SYMBOLS:,}, m = {SAMPLES}"
ONCE = 1 / (8 * sqrt(min(SYMBOLS, SAMPLES) * log(1 / DELTA)))
"""The epsilon' of Algorithm 5."""
NOTES = (
    f"*Algorithm 1*: {MANY} people with 2 of {M} samples and {FEWER} with 8, or {MANY + 1} and "
    f"{FEWER - 1}; the hypotheses are Bin({M}, .2) and Bin({M}, .8), alpha is {NEAR}. In a cell: the largest logarithm "
    "of the ratio of the chances of a hypothesis under the one and the other data, from the paper's definitions, "
    "exactly. The weight must be exp(epsilon S/2). As printed, exp(S/(2 epsilon)), it is private for 1/epsilon, no "
    "less: who asks for more privacy has less. .0067 is the epsilon' of Algorithm 3 for k = 100.",
    "*What else is printed* (21 to 28): none of these changes the main results. Unless stated otherwise, "
    "epsilon is 1 and delta 1e-6. *Ours*: of the product, which prices all selections together, by rho.",
    "Slips: in Algorithm 3, line 2, log(1/delta) belongs under the root (24). Theorem 7 lacks a factor "
    "sqrt(log(1/delta)) that its own epsilon' brings, and that Theorems 2 and 8 have (25). In our copy the abstract "
    "and Theorems 3 and 8 have k / sqrt(m epsilon alpha), where k / (sqrt(m) epsilon alpha) follows (26).",
)


def part(setting: Setting) -> Part:
    """In less than a second, so the quick version has all of it."""
    rows = tuple(_losses(epsilon) for epsilon in EPSILONS)
    columns = ("requested epsilon", "as printed", "corrected")
    first = Table("Algorithm 1: what one person can change", columns, rows)
    others = tuple((each.where, each.printed, each.effect, each.ours) for each in mistakes())
    return Part((first, Table("What else is printed", ("where", "printed", "what it does", "ours"), others)), NOTES)


def _losses(epsilon: Fraction) -> tuple[str, ...]:
    value = float(epsilon)
    return f"{value:g}", f"{loss(1 / (2 * value)):.1f}", number(loss(value / 2))


def scores(counts: Integers) -> Floats:
    """Of each hypothesis, by the definition: S of Algorithm 1."""
    distributions = binom.pmf(np.arange(M + 1), M, CHANCES[:, None])
    more = distributions[:, None] > distributions[None]
    own, other = (more * distributions[:, None]).sum(axis=2), (more * distributions[None]).sum(axis=2)
    people, seen = counts.sum(), more @ counts
    gamma = np.where(own - other <= 3 * NEAR, people, np.maximum(0, seen - people * (other + 1.5 * NEAR)))
    return np.asarray(gamma.min(axis=1))


def loss(rate: float) -> float:
    """The largest privacy loss of a weight exp(rate S), on the two tables of the experiment."""
    one, other = (log_softmax(rate * scores(_people(moved))) for moved in (0, 1))
    return float(np.abs(one - other).max())


def _people(moved: int) -> Integers:
    """How many people have each number of samples; some have moved from 8 to 2."""
    counts = np.zeros(M + 1, dtype=np.int64)
    counts[[2, 8]] = MANY + moved, FEWER - moved
    return counts


@dataclass(frozen=True)
class Mistake:
    """Something that is printed."""

    where: str
    printed: str
    effect: str
    """What would happen."""
    ours: str
    """What the product does instead."""


def mistakes() -> tuple[Mistake, ...]:
    """With numbers."""
    return (_hypotheses(), _each(), _small(), *_sparse(), _gaussian())


def _hypotheses() -> Mistake:
    near = sqrt(SAMPLES) * ERROR / (2 * sqrt(SYMBOLS))
    even = 20 * SAMPLES / (CONSTANT * near)
    angles = pi / 2 * 20 * sqrt(SAMPLES) / (CONSTANT * near)
    return Mistake(
        "Algorithm 2 (27)",
        "c is not given; 20 m / (c alpha) hypotheses, evenly spaced",
        f"c = .317 (Theorem 5). For {SETTING}, alpha {ERROR}: {even:,.0f} hypotheses",
        f"evenly spaced in the arcsine of the root of p: {angles:,.0f} would be as near",
    )


def _each() -> Mistake:
    paper = 1 / (4 * sqrt(FEW * log(1 / DELTA)))
    ours = sqrt(8 * float(zcdp.rho(EPSILON, DELTA)) / FEW)
    return Mistake(
        "Algorithm 3",
        "epsilon / (4 sqrt(k log(1/delta))) for each symbol",
        f"k = {FEW}: {number(paper)}",
        f"rho / k for each, which is an epsilon of {number(ours)}: {ours / paper:.1f} times as much",
    )


def _small() -> Mistake:
    lost = exp(-ONCE / 2) * 100
    return Mistake(
        "Algorithm 4 (21)",
        "Laplace noise of scale 1/epsilon on the part of all people who have none",
        f"{SETTING}: the answer is 0 or 1 in {lost:.1f}% of all cases if half have none",
        "the same noise on their number",
    )


def _sparse() -> tuple[Mistake, Mistake]:
    again = ONCE / (4 * sqrt(SYMBOLS * log(1 / DELTA)))
    return (
        Mistake(
            "Algorithm 5, line 2 (22)",
            "one person has min(k, m) symbols",
            "somebody who is replaced changes up to 2m. (The constant 8 leaves room for it: Theorem 8 holds)",
            "min(k, 2m) if somebody is replaced; min(k, m) if added or removed",
        ),
        Mistake(
            "Algorithm 5, line 3 (23)",
            "Dense(D, epsilon', alpha'')",
            f"divides epsilon' = {number(ONCE)} once more ({SETTING}): {again:.1e} for each symbol",
            "Algorithm 2 for each symbol, with epsilon'",
        ),
    )


def _gaussian() -> Mistake:
    printed, ours = 2 * sqrt(log(1.25 / DELTA)), float(calibrate.analytic_sigma(EPSILON, DELTA, 2))
    return Mistake(
        "Lemma 1 (28)",
        "Gaussian noise of deviation 2 sqrt(log(1.25/delta)) m / epsilon",
        f"{printed:.2f} m, {printed / ours:.2f} times what is needed: its delta is {classic(1):.1e}. At an epsilon of "
        f"10, beyond what the Lemma is for, its delta is {classic(10):.1e}: too little noise",
        f"the exact condition: {ours:.2f} m",
    )


def classic(epsilon: int) -> float:
    """The delta that the noise of Lemma 1 has, if it is meant to be 1e-6."""
    squared = Fraction(epsilon**2 / (2 * log(1.25 / DELTA)))
    return float(gaussian.continuous_delta(Fraction(epsilon), squared))
