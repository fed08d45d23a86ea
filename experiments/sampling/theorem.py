"""Theorem 1 and the example after Lemma 2: stated values beside exact ones."""

from fractions import Fraction
from itertools import product
from math import exp, expm1

import numpy as np
from scipy import special

from experiments.parts import Part
from experiments.pictures import Panel, Series
from experiments.report import Setting, Table, number
from experiments.sampling.part import EPSILON, SYSTEM, THETA, as_bounded, probability_text
from headcount.account.calibration import rates
from headcount.account.curves import sampling
from headcount.account.events import Neighbours, SampleThreshold
from headcount.bound import SampledItems
from headcount.mechanism import Sampled

EPSILONS, DELTAS = ("0.1", "0.5", "1"), ("1e-6", "1e-8")
TIGHT = Fraction(1, 10**8)
"""The delta of the paper's example."""
SHARE = 1_000
"""How many people have the item of the paper's example."""
RATE = Fraction(-expm1(-1) / THETA)
"""Of the paper's example: (1 - 1/e) / 20."""
GUARANTEES = (
    "epsilon",
    "delta",
    "theta",
    "p",
    "delta by the paper's formula",
    "true delta, one added or removed",
    "true delta, one replaced",
)
MISSED = ("how p and theta follow", "p", "theta", "in the sample, on average", "Lemma 2", "exact", "drawn: missed")
NOTES = (
    "*Theorem 1*: theta = 3 + ln(1/delta), rounded up, and p = (1 - e^-epsilon)/theta. The formula is "
    "exp(-(theta-1)²/(theta+1)), from its proof. True deltas are upper bounds, for p and theta as the paper has "
    "them: of one person added or removed exact to 40 digits, of one replaced composed of a report that goes and one "
    "that comes. That hardly costs more here, as p is small. The theorem ends at epsilon 1.",
    "The last line is the paper's example, of which it says that theta = 20 gives a delta of 1e-8. Its own formula "
    "says 3.4e-8: theta would have to be 22.",
    "*The example after Lemma 2*: epsilon 1, theta 20; an item of 1,000 among 1,000,000 people is said to be missed "
    "with a chance below 1e-7. With the paper's own p it is missed once in a hundred cases. The second line is how "
    "the example may have been meant (m = n/theta instead of (1 - 1/e) n/theta): not below 1e-7 either. With p by "
    "the exact delta, for 1e-8, it is so by far. *Exact* is the chance of less than theta in the sample; *drawn* is "
    "how many such items the product's mechanism did not show.",
)


def part(setting: Setting) -> Part:
    """Guarantees, and how often an item is missed."""
    return Part((_guarantees(), _missed(2_000 if setting.quick else 50_000)), NOTES, (_panel(),))


def formula(theta: int) -> float:
    """The delta that the proof of Theorem 1 arrives at."""
    return exp(-((theta - 1) ** 2) / (theta + 1))


def _guarantees() -> Table:
    events = [(delta, rates.paper(epsilon, delta)) for epsilon, delta in product(EPSILONS, DELTAS)]
    events.append(("said: 1e-8", SampleThreshold(RATE, THETA, 1, "add-remove", EPSILON)))
    return Table("Theorem 1", GUARANTEES, tuple(_guarantee(delta, event) for delta, event in events))


def _guarantee(delta: str, event: SampleThreshold) -> tuple[str, ...]:
    epsilon, theta, p = event.epsilon, event.threshold, event.rate
    kinds: tuple[Neighbours, ...] = ("add-remove", "replace")
    true = [float(sampling.delta(SampleThreshold(p, theta, 1, kind, epsilon))) for kind in kinds]
    return (
        f"{float(epsilon):g}",
        delta,
        str(theta),
        number(float(p)),
        *map(probability_text, (formula(theta), *true)),
    )


def _panel() -> Panel:
    """Plot delta by the formula and exactly, against the threshold, at epsilon 1."""
    thetas = range(4, 31)
    events = [SampleThreshold(Fraction(-expm1(-1) / theta), theta, 1, "add-remove", EPSILON) for theta in thetas]
    lines = (
        Series("by the paper's formula", thetas, [formula(theta) for theta in thetas], "-"),
        Series("exact, with the paper's p", thetas, [float(sampling.delta(event)) for event in events], "-"),
    )
    return Panel("Theorem 1: delta at epsilon 1", "theta", "delta", lines, "y")


def _missed(items: int) -> Table:
    best = rates.best(EPSILON, TIGHT)
    ways = {
        "as in Theorem 1": (RATE, THETA),
        "m = n/theta": (Fraction(1, THETA), THETA),
        "exact: the largest p for this theta": (rates.largest_rate(EPSILON, TIGHT, threshold=THETA), THETA),
        "exact: the best theta": (best.rate, best.threshold),
    }
    rows = tuple((name, *_miss(p, theta, items)) for name, (p, theta) in ways.items())
    return Table(f"An item of 1,000 among a million people is missed; drawn: {items:,} such items", MISSED, rows)


def _miss(p: Fraction, theta: int, items: int) -> tuple[str, ...]:
    mean = SHARE * float(p)
    bound, exact = exp(-((mean - theta) ** 2) / (2 * mean)), float(special.bdtr(theta - 1, SHARE, float(p)))
    mechanism = Sampled(SampledItems(1), SampleThreshold(p, theta, 1, "add-remove", EPSILON))
    shown = len(mechanism.run(as_bounded(np.full(items, SHARE), mechanism.bounding), SYSTEM).values)
    return (
        number(float(p)),
        str(theta),
        f"{mean:.1f}",
        probability_text(bound),
        probability_text(exact),
        f"{items - shown:,}",
    )
