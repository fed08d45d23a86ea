"""Stated bounds beside exact values: Lemma 10, Corollary 13 and its footnote."""

from math import exp, log

import numpy as np

from experiments.parts import Part
from experiments.report import Setting, Table, number
from headcount.estimate.shape.kernel import laplace, variances

CHANCES = (0.1, 0.2, 0.3, exp(-0.5))
AWAY = (-2, -1, 0, 1)
"""tau = h - r: how far a count is above the r that it is compared with."""
NOTES = (
    "*Lemma 10*, equation (3), says that f(h' - r) has a variance of at most 4 p^(|tau|+1) (p / (1-p)^3 + 1 - p), "
    "tau = h - r. For tau < 0 that is false if p is small (bold): the variance is symmetric about tau = -1/2, not 0. "
    "With max(tau, -1-tau) for |tau| it is right, and Theorem 9 holds with a factor of at most 1/p more under its "
    "root, which is no more than a constant for any epsilon up to one.",
    "*Corollary 13*: B = n sqrt(log n) is above the 4n of Theorem 12 only for log n > 16, so from n = 8.9 million on.",
    "*Footnote 7*: with B = n sqrt(epsilon^2.5 log n), as printed, the bound has epsilon^-1.875, not epsilon^-1.25; "
    "B = n epsilon^2.5 sqrt(log n) gives what is claimed, for epsilon from log^-0.2 n on.",
    "Slips: in Theorem 12 log n belongs under the first root, as Corollary 13 has it; the right side of equation (4) "
    "is about the true shape; the proof of Theorem 17 ends with .44 where .2 follows.",
)


def part(setting: Setting) -> Part:
    """The variance of f, exactly, beside the paper's bound."""
    columns = ("p", *(f"h - r = {tau}: variance (bound)" for tau in AWAY))
    rows = tuple((f"{p:.4g}", *(_cell(p, tau) for tau in AWAY)) for p in CHANCES)
    return Part((Table("Lemma 10", columns, rows),), NOTES)


def _cell(p: float, tau: int) -> str:
    exact, stated = variance(p, tau), bound(p, tau)
    cell = f"{number(exact, 5)} ({number(stated, 5)})"
    return f"**{cell}**" if exact > stated else cell


def variance(p: float, tau: int) -> float:
    """Of f(h' - r), by the product's operator: c(v) = 1[v >= r], h = r + tau."""
    r = 10
    return float(variances(laplace(-1 / log(p)), lambda v: (v >= r).astype(np.float64), np.array([r + tau]))[0])


def bound(p: float, tau: int) -> float:
    """Equation (3)."""
    return 4 * p ** (abs(tau) + 1) * (p / (1 - p) ** 3 + 1 - p)
