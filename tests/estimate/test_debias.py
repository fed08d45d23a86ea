"""Counts that are scaled by one ratio, by what was lost of all together."""

from fractions import Fraction

import numpy as np
import pytest

from headcount.estimate.counts.debias import by_ratio, likely_loss
from headcount.noise import SystemEntropy
from headcount.noise.laplace import DiscreteLaplace

COUNTS = np.array([60_000, 40_000])
ENDS = (COUNTS, COUNTS - 3, COUNTS + 3)


def test_an_amount_that_may_be_noise_is_no_loss() -> None:
    """Nothing is left of two deviations; of ten nearly all, and never more than was measured."""
    assert [likely_loss(value, 10.0, 1000.0) for value in (-50.0, 0.0, 10.0, 20.0)] == [0.0, 0.0, 0.0, 0.0]
    assert 95 < likely_loss(100.0, 10.0, 1000.0) <= 100
    assert likely_loss(7.0, 0.0, 1000.0) == 7.0


def test_people_with_one_item_each_keep_their_counts() -> None:
    """3,000 people and the noise of epsilon 1: in about 98 of 100 releases nothing is added."""
    noise = SystemEntropy().draw(DiscreteLaplace(Fraction(4 * 1000, 15)), 2000).tolist()
    assert np.mean([likely_loss(each, 377.0, 3000.0) > 0 for each in noise]) < 0.035


def test_shrinking_moves_counts_and_not_their_intervals() -> None:
    plain, shrunk = (by_ratio(ENDS, 800.0, 400.0, shrunk=each) for each in (False, True))
    assert plain[0].sum() == pytest.approx(100_800, abs=2)
    assert shrunk[0].sum() == 100_000
    assert [end.tolist() for end in plain[1:]] == [end.tolist() for end in shrunk[1:]]


@pytest.mark.parametrize("loss", [0, 400, 800, 1200])
def test_intervals_hold_what_two_items_lost(loss: int) -> None:
    """Half of the loss each, with Laplace noise of a deviation of 400: at most one of twenty misses, also where the
    count itself is shrunk to no loss at all."""
    noise = SystemEntropy().draw(DiscreteLaplace(Fraction(283)), 1000).tolist()
    found = [by_ratio(ENDS, loss + each, 400.0, shrunk=True) for each in noise]
    missed = np.mean([(low > COUNTS + loss / 2) | (COUNTS + loss / 2 > high) for _, low, high in found])
    assert missed < 0.08
    assert all((low <= count).all() and (count <= high).all() for count, low, high in found)


@pytest.mark.parametrize("counts", [[150, 150], [300]], ids=str)
def test_noise_that_exceeds_what_is_usually_lost_hardly_moves_counts(counts: list[int]) -> None:
    """300 people, and a loss of 500 with a deviation of 190: it is noise, as a sample was taken."""
    found, low, high = by_ratio(
        (np.array(counts), np.array(counts) - 3, np.array(counts) + 3), 500.0, 190.0, shrunk=True
    )
    assert (np.maximum(low, counts) <= found).all()
    assert (found <= np.maximum(low + 1, 1.2 * np.array(counts))).all()
    assert (found <= high).all()
