"""Sampling rates and thresholds of equal privacy cost, beside the paper's; and the composition of several levels."""

from fractions import Fraction
from itertools import product

from experiments.parts import Part
from experiments.pictures import Panel, Series
from experiments.report import Setting, Table, number
from experiments.sampling.part import DELTA, EPSILON
from headcount.account.calibration import rates
from headcount.account.events import SampleThreshold
from headcount.errors import BadParameter

EPSILONS, DELTAS = ("0.1", "0.5", "1", "2"), ("1e-6", "1e-8")
THETAS = (5, 10, 15, 20, 30, 50, 100)
PLOTTED_THETAS = (4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 34, 40, 50, 65, 80, 100, 130, 160, 200)
LEVELS = (1, 2, 5, 10, 20)
DIGEST = {
    20: {
        "composed": (".3500", ".317", ".265", ".218", ".171"),
        "basic composition": ("-", ".208", ".0920", ".0475", ".0241"),
        "one level each": ("-", ".175", ".0700", ".0350", ".0175"),
    },
    50: {
        "composed": (".5950", ".542", ".442", ".359", ".279"),
        "basic composition": ("-", ".401", ".193", ".103", ".053"),
        "one level each": ("-", ".297", ".119", ".059", ".030"),
    },
}
"""By theta: the largest rates for each number of `LEVELS`."""
NOTES = (
    "*The largest p for a theta*, in brackets theta/p: about the count that is shown every other time. One person "
    "added or removed. *Gain*: how many times as many people are in the sample, at the least theta/p, as by the "
    "paper's rule, which ends at epsilon 1.",
    "*Several levels* with new coins for each, as of a tree or of a search. *Composed*: the exact losses of all "
    "levels together, as the product has it. *Basic composition*: each level has epsilon/L and delta/L, by the exact "
    "delta. *One level each*: everybody is in one level only, drawn at random, so that a level has p/L. *The paper*: "
    "its rule, with basic composition and a theta of its own. In brackets: our notes on the paper.",
)


def part(setting: Setting) -> Part:
    """The curves for one level, and rates for several."""
    thetas = THETAS[1::2] if setting.quick else THETAS
    columns = (
        "epsilon",
        "delta",
        "paper: theta, p (theta/p)",
        *(f"theta {theta}" for theta in thetas),
        "least theta/p",
        "gain",
    )
    deltas = DELTAS[:1] if setting.quick else DELTAS
    rows = tuple(_costs(epsilon, delta, thetas) for epsilon, delta in product(EPSILONS, deltas))
    tables = [Table("The largest p for a theta", columns, rows)]
    levels = LEVELS[:3] if setting.quick else LEVELS
    tables += [_levels(theta, levels) for theta in DIGEST]
    plotted = PLOTTED_THETAS[5::4] if setting.quick else PLOTTED_THETAS
    return Part(tuple(tables), NOTES, (*(_curves(delta, plotted) for delta in deltas), _composed(levels)))


def _costs(epsilon: str, delta: str, thetas: tuple[int, ...]) -> tuple[str, ...]:
    event, best = paper_rule(epsilon, delta), rates.best(epsilon, delta)
    paper = "-" if event is None else f"{event.threshold}, {_cell(event)}"
    gain = "-" if event is None else f"{float(best.rate / event.rate):.1f}"
    found = [_cell(_largest(epsilon, delta, theta)) for theta in thetas]
    return (epsilon, delta, paper, *found, f"{best.threshold}: {_cell(best)}", gain)


def paper_rule(epsilon: str, delta: str) -> SampleThreshold | None:
    """The paper's rate and threshold; None where its rule does not apply (epsilon above 1)."""
    try:
        return rates.paper(epsilon, delta)
    except BadParameter:
        return None


def _largest(epsilon: str, delta: str, theta: int) -> SampleThreshold:
    rate = rates.largest_rate(epsilon, delta, threshold=theta)
    return SampleThreshold(rate, theta, 1, "add-remove", Fraction(epsilon))


def _cell(event: SampleThreshold) -> str:
    return f"{number(float(event.rate))} ({visible_count(event):,.0f})"


def visible_count(event: SampleThreshold) -> float:
    """The count that is shown with probability about 1/2."""
    return event.threshold / float(event.rate)


def _curves(delta: str, thetas: tuple[int, ...]) -> Panel:
    lines = [
        Series(f"epsilon {epsilon}", thetas, [visible_count(_largest(epsilon, delta, theta)) for theta in thetas], "-")
        for epsilon in EPSILONS
    ]
    events = [event for epsilon in EPSILONS if (event := paper_rule(epsilon, delta))]
    points = Series(
        "the paper: .1, .5, 1", [each.threshold for each in events], [visible_count(each) for each in events], "D"
    )
    return Panel(f"Count that appears, delta {delta}", "theta", "theta / p", (*lines, points), "xy")


def _levels(theta: int, levels: tuple[int, ...]) -> Table:
    digest = DIGEST[theta]
    rows = [
        (
            str(many),
            *(f"{number(rate)} ({digest[way][index]})" for way, rate in rates_by_composition(theta, many).items()),
            f"{(event := rates.paper(EPSILON, DELTA, items=many)).threshold}, {number(float(event.rate))}",
        )
        for index, many in enumerate(levels)
    ]
    title = f"Several levels: the largest p at epsilon 1, delta 1e-6, theta {theta}"
    return Table(title, ("levels", *digest, "the paper: theta, p"), tuple(rows))


def rates_by_composition(theta: int, levels: int) -> dict[str, float]:
    """The largest sampling rate of each of `levels` levels, by method of composition."""
    return {
        "composed": float(rates.largest_rate(EPSILON, DELTA, threshold=theta, items=levels)),
        "basic composition": float(rates.largest_rate(EPSILON / levels, DELTA / levels, threshold=theta)),
        "one level each": float(rates.largest_rate(EPSILON, DELTA, threshold=theta)) / levels,
    }


def _composed(levels: tuple[int, ...]) -> Panel:
    found = [rates_by_composition(20, many) for many in levels]
    lines = [Series(way, levels, [each[way] for each in found]) for way in found[0]]
    paper = [float(rates.paper(EPSILON, DELTA, items=many).rate) for many in levels]
    return Panel("Largest p, theta 20", "levels", "p", (*lines, Series("the paper", levels, paper)), "xy")
