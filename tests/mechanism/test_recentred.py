"""A mean about the last estimate, in rounds: near, quick, and with intervals that hold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headcount.account.composition.compose import covers
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.boundings.draws import BoundedDraws, Draws
from headcount.mechanism.distribution.recentred import Recentred, calibrated
from headcount.noise import SystemEntropy

BUDGET = Cost(Fraction(1), Fraction(1, 10**6))
BOTH: tuple[Neighbours, ...] = ("add-remove", "replace")


def zipf(cells: int) -> np.ndarray[Any, Any]:
    weights = 1 / np.arange(1, cells + 1)
    return np.asarray(weights / weights.sum())


def people(counts: np.ndarray[Any, Any], max_total: int) -> BoundedDraws:
    """People's counts, a row for each, as arrays."""
    _, cells = counts.shape
    person, indices = np.nonzero(counts)
    starts = np.append(0, np.cumsum((counts > 0).sum(axis=1)))
    return Draws(max_total, max_total).of(
        pa.table({"item0": np.arange(cells)}), starts, indices, counts[person, indices]
    )


def told(made: Recentred, drawn: BoundedDraws) -> list[np.ndarray[Any, Any]]:
    """The shares, and the ends of their intervals, as they are released."""
    columns = made.estimate(made.run(drawn, SystemEntropy())).by_name
    return [columns[name] for name in ("share", "low", "high")]


def off(made: Recentred, shares: np.ndarray[Any, Any], many: int) -> float:
    """How far off all shares are together, a mean of three."""
    rng, max_total = np.random.default_rng(3), made.bounding.max_total
    found = [told(made, people(rng.multinomial(max_total, shares, many), max_total))[0] for _ in range(3)]
    return float(np.mean([np.abs(each - shares).sum() for each in found]))


@pytest.mark.parametrize("neighbours", BOTH)
def test_it_costs_what_was_asked_for(neighbours: Neighbours) -> None:
    made = calibrated(BUDGET, Draws(100, 100), neighbours, 1000)
    assert covers(BUDGET, made.events)
    assert not covers(Cost(Fraction(999, 1000), BUDGET.delta), made.events)
    assert len(made.events) == 8


def test_noise_falls_with_the_root_of_the_samples() -> None:
    """16 times as many samples: a quarter of the error; with noise on counts it would stay as it is."""
    few, many = (
        off(calibrated(BUDGET, Draws(max_total, max_total), "replace", 100), zipf(100), 3000) for max_total in (25, 400)
    )
    assert few / many == pytest.approx(4, rel=0.35)


@pytest.mark.slow(but=["100-100-2000-replace-0.054", "100-400-2000-replace-0.027"])
@pytest.mark.parametrize(
    ("cells", "max_total", "many", "neighbours", "minimum"),
    [
        (100, 100, 2000, "replace", 0.054),
        (100, 400, 2000, "replace", 0.027),
        (100, 100, 1000, "replace", 0.101),
        (1000, 100, 10_000, "replace", 0.091),
        (1000, 100, 10_000, "add-remove", 0.055),
    ],
)
def test_nearer_than_a_radius_that_is_not_measured(
    cells: int, max_total: int, many: int, neighbours: Neighbours, minimum: float
) -> None:
    """The errors of a mean whose distances follow from theory alone."""
    assert off(calibrated(BUDGET, Draws(max_total, max_total), neighbours, cells), zipf(cells), many) < 1.1 * minimum


@pytest.mark.parametrize("alike", [1e9, 30.0, 1.0])
def test_intervals_hold_however_different_people_are(alike: float) -> None:
    """Each person draws from a distribution of their own: Dirichlet about the one that is to be found."""
    rng, shares = np.random.default_rng(4), zipf(50)
    own = rng.dirichlet(alike * shares, 4000) if alike < 1e8 else np.tile(shares, (4000, 1))
    made, hold = calibrated(BUDGET, Draws(60, 60), "add-remove", 50), []
    drawn = people(rng.multinomial(60, own / own.sum(axis=1, keepdims=True)), 60)
    for _ in range(4):
        _, low, high = told(made, drawn)
        hold.append(((low <= shares) & (shares <= high)).mean())
    assert np.mean(hold) > 0.87


def test_a_person_unlike_all_others_hardly_matters() -> None:
    """A million draws of one item, by one person."""
    counts = np.random.default_rng(5).multinomial(50, zipf(30), 2000)
    counts[0] = 0
    counts[0, -1] = 10**6
    made = calibrated(BUDGET, Draws(50, 50), "add-remove", 30)
    shares, _, _ = told(made, people(counts, 50))
    assert np.abs(shares - zipf(30)).sum() < 0.03
