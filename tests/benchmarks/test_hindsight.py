"""OpenDP's best bound in hindsight: the thresholds of the search are those that OpenDP tells, and it finds the best."""

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.peers.hindsight import Setting, search, settings, simulated_good
from benchmarks.set_union import Pairs

TOLD = {
    Setting("gaussian", 1): 25,
    Setting("gaussian", 12): 89,
    Setting("gaussian", 50): 187,
    Setting("gaussian", 400): 559,
    Setting("laplace", 1): 14,
    Setting("laplace", 12): 188,
}
"""Thresholds that `summarize` of OpenDP 0.16.0 tells, at epsilon 1 and delta 1e-6, a quarter of it for a Gaussian's."""


@pytest.mark.parametrize("setting", TOLD, ids=str)
def test_thresholds_are_those_that_opendp_tells(setting: Setting) -> None:
    assert setting.threshold == TOLD[setting]


def test_every_bound_up_to_what_people_have() -> None:
    bounds = [setting.bound for setting in settings(50) if setting.noise == "gaussian"]
    assert bounds[0] == 1
    assert bounds[-1] == 50
    assert max(high / low for low, high in pairwise(bounds[5:])) < 1.25
    assert {str(setting) for setting in settings(1)} == {"gaussian, 1", "laplace, 1"}


def test_good_items_are_shown_and_at_most_a_tenth_off() -> None:
    truth = np.array([2_000, 2_000, 20, 0])
    counts = np.array([1_990, 1_500, 20, 0])
    assert simulated_good(counts, truth, Setting("gaussian", 1), np.random.default_rng(5)) == 1


def test_the_best_bound_is_what_everybody_has() -> None:
    """2,000 people with 7 of 50 items each: a smaller bound takes too much away, a larger one is only noise."""
    random = np.random.default_rng(6)
    items = np.concatenate([random.choice(50, 7, replace=False) for _ in range(2_000)])
    crowd = Pairs(np.repeat(np.arange(2_000), 7), items, 51)
    one = Pairs(np.full(51, 2_000), np.arange(51), 51)
    both = Pairs(np.concatenate([crowd.people, one.people]), np.concatenate([crowd.items, one.items]), 51)
    best, good = search(both, random)
    assert best.bound == 7
    assert good == pytest.approx(50, abs=5)


@pytest.mark.parametrize(
    ("setting", "variance"), [(Setting("gaussian", 4), 4 * 4.5886**2), (Setting("laplace", 2), 7.835)]
)
def test_noise_is_whole_numbers_of_the_right_variance(setting: Setting, variance: float) -> None:
    drawn = setting.draw(100_000, np.random.default_rng(7))
    assert (drawn == np.rint(drawn)).all()
    assert drawn.mean() == pytest.approx(0, abs=0.1)
    assert drawn.var() == pytest.approx(variance, rel=0.03)
