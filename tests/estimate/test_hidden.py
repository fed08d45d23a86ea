"""How many people may have far more than all whom a profile shows."""

import numpy as np
import pytest

from headcount.estimate.counts.hidden import BEYOND, NOBODY, NOBODY_BESIDE_FEW, NUMBERS, Above, max_beside_few


def above(counts: list[float], people: float, far: list[bool] | None = None) -> Above:
    """Bins and a number of people with the same noise."""
    return Above(np.array(counts), 10.0, np.array(far or [True] * len(counts)), people, 10.0)


def test_where_there_is_no_bin_nobody_is_hidden() -> None:
    """Nobody has more than everything."""
    assert above([], 1000.0).maximum() == 0


def test_more_people_beyond_are_more_who_are_hidden() -> None:
    """And without any, hardly more than one deviation of the noise."""
    found = [above([people / 4] * 4, people).maximum() for people in (-20, 0, 10, 20, 40, 80)]
    assert found == sorted(found)
    assert found[1] <= 10
    assert 80 <= found[-1] <= 110


@pytest.mark.parametrize("index", range(4))
def test_people_in_a_bin_are_seen_there(index: int) -> None:
    """Whichever it is, also if the number of people beyond does not include it."""
    counts = [0.0] * 4
    counts[index] = 60.0
    assert above(counts, 0.0, [False] * 4).maximum() >= 60
    assert above(counts, 0.0).maximum() < above(counts, 60.0).maximum()


def test_the_posterior_of_one_bin_is_as_by_hand() -> None:
    """Two measurements of the same number with the same noise are one with half of the variance."""
    chances = np.exp(-((np.append(0, NUMBERS) - 25.0) ** 2) / 100)
    chances *= np.append(NOBODY, np.full(len(NUMBERS), (1 - NOBODY) / len(NUMBERS)))
    beyond = np.array([chances[index:].sum() for index in range(1, len(chances))]) / chances.sum()
    assert above([30.0], 20.0).maximum() == NUMBERS[beyond > BEYOND].max()


def test_huge_numbers_are_no_error() -> None:
    """As noise may be, at a small epsilon."""
    assert above([1e12, -1e12], 1e12).maximum() == NUMBERS[-1]
    assert above([-1e12] * 9, -1e12).maximum() <= 1


@pytest.mark.parametrize("noisy", [-100.0, 0.0, 30.0, 75.0])
def test_beside_few_the_posterior_is_as_by_hand(noisy: float) -> None:
    """One number with Laplace noise."""
    chances = np.exp(-np.abs(np.append(0, NUMBERS) - noisy) / 30)
    chances *= np.append(NOBODY_BESIDE_FEW, np.full(len(NUMBERS), (1 - NOBODY_BESIDE_FEW) / len(NUMBERS)))
    beyond = np.array([chances[index:].sum() for index in range(1, len(chances))]) / chances.sum()
    assert max_beside_few(noisy, 30.0) == max(NUMBERS[beyond > BEYOND], default=0.0)


def test_beside_few_huge_numbers_are_no_error() -> None:
    """As noise may be, at a small epsilon."""
    assert max_beside_few(1e12, 1.0) == NUMBERS[-1]
    assert max_beside_few(-1e12, 1.0) < 10
