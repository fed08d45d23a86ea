"""How many people a way needs for an error of at most alpha, against the draws of each: the paper's user complexity."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from math import inf, log

import numpy as np

from experiments.distribution.people import sample_people
from experiments.distribution.ways import WAYS, Way, estimate, l1_error, lines
from experiments.parts import Part
from experiments.pictures import Panel
from experiments.report import Setting, Table
from experiments.shape.growth import slope

CELLS = 100
ALPHAS = (0.05, 0.01)
DRAWS = (10, 30, 100, 300, 1_000)
FROM = 100
"""Draws from which on the privacy term dominates."""
STEPS = 2
"""Numbers of people that are tried, in every doubling."""
LEAST, LAST = 25, 30
"""The least number of people, and how many steps there are."""
RUNS = 3
CLAIMS: dict[Way, str] = {"not private": "-1", "laplace": "0", "gaussian": "0", "sample-one": "0"}
"""The claimed exponent of m."""
FALLING = "-1/2"
"""The claimed exponent of m for all other ways."""
NOTES = (
    f"*People needed*: for an error of at most alpha (l1), k = {CELLS}, epsilon 1, delta 1e-6, one person replaced. "
    "Every other item has three times as much as the others: one of the distributions of the paper's lower bound, "
    f"equation (5). (Uniform ones are guessed rightly from nobody.) Numbers of people from {LEAST} on are tried, "
    f"{STEPS} in every doubling, {RUNS} groups of each; between the last with a larger mean error and the first with a "
    f"smaller one it is a line on logarithmic scales. *Power*: the slope of the number against m from {FROM} on, on "
    "logarithmic scales, by least squares. *Claimed*: of the term that privacy brings (Lemma 1, Theorems 1 to 3), "
    "without logarithms.",
    "What it takes without privacy, which falls like 1/m, is in all of these numbers: for few draws they fall by more. "
    "And Theorem 2 has a second term, sqrt(k) / epsilon times logarithms, which does not fall with m at all: below it, "
    "rivals of a tournament would have to be further apart than they can be. *Sparse* pays half of its price for "
    "counting who has an item, and so meets that sooner.",
)


def part(setting: Setting) -> Part:
    """Every way, and how the number falls."""
    draws, alphas, runs = (DRAWS[2::2], ALPHAS[:1], 1) if setting.quick else (DRAWS, ALPHAS, RUNS)
    found = {each: _all(each, alphas, setting.seed, runs) for each in draws}
    shown = {alpha: {way: [found[each][alpha, way] for each in draws] for way in WAYS} for alpha in alphas}
    return Part(
        tuple(_table(alpha, draws, some) for alpha, some in shown.items()),
        NOTES,
        tuple(_panel(alpha, draws, some) for alpha, some in shown.items()),
    )


def _all(draws: int, alphas: Sequence[float], seed: int, runs: int) -> dict[tuple[float, Way], float]:
    """People needed, by alpha and way. `sample-one` keeps one draw of each person, so one draw is enough."""
    error = {way: _error_at(way, 1 if way == "sample-one" else draws, seed, runs) for way in WAYS}
    return {(alpha, way): crossing(error[way], alpha) for alpha, way in product(alphas, WAYS)}


def _error_at(way: Way, draws: int, seed: int, runs: int) -> Callable[[int], float]:
    """The mean error over several groups of people, as a function of the step of the number of people."""

    @cache
    def error(step: int) -> float:
        groups = (sample_people("uneven", CELLS, _people(step), draws, seed, run) for run in range(runs))
        return float(np.mean([l1_error(estimate(people, way), people) for people in groups]))

    return error


def _table(alpha: float, draws: Sequence[int], found: Mapping[Way, Sequence[float]]) -> Table:
    columns = ("way", *(f"m = {each:,}" for each in draws), "power", "claimed")
    rows = tuple(_row(way, draws, several) for way, several in found.items())
    return Table(f"People needed for an error of {alpha} (l1)", columns, rows)


def _panel(alpha: float, draws: Sequence[int], found: Mapping[Way, Sequence[float]]) -> Panel:
    title = f"People needed for an error of {alpha}: k = {CELLS}"
    return Panel(title, "m", "people", lines(draws, found), "xy", "beside")


def _row(way: Way, draws: Sequence[int], found: Sequence[float]) -> tuple[str, ...]:
    there = [(each, people) for each, people in zip(draws, found, strict=True) if each >= FROM and people < inf]
    power = f"{slope(*zip(*there, strict=True)):.2f}" if len(there) > 1 else "-"
    cells = (f"{each:,.0f}" if each < inf else f"over {_people(LAST):,}" for each in found)
    return (way, *cells, power, CLAIMS.get(way, FALLING))


def crossing(error: Callable[[int], float], alpha: float) -> float:
    """The number of people at which an error that falls step by step is alpha; endless if it never is."""
    doubled = next((step for step in range(0, LAST + 1, STEPS) if error(step) <= alpha), None)
    if not doubled:
        return inf if doubled is None else float(LEAST)
    high = next(step for step in range(doubled - STEPS + 1, doubled + 1) if error(step) <= alpha)
    above, below = log(error(high - 1) / alpha), log(alpha / error(high))
    return float(LEAST * 2 ** ((high - below / (above + below)) / STEPS))


def _people(step: int) -> int:
    return round(LEAST * 2 ** (step / STEPS))
