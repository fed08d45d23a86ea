"""Items in the same bucket, told apart: the mean of hashing, and its inverse."""

import numpy as np
import pytest
import scipy

from headcount.estimate.shape.prevalence import Prevalence, of_counts
from headcount.estimate.shape.unhash import LONGEST, MIN_EMPTY_SHARE, _parts, undo_collisions
from headcount.exact import Floats

SMALL = of_counts(np.array([5, 3, 3, 2, 1, 1, 1]))


def expected_loads(prevalence: Prevalence, cells: int) -> Floats:
    """Gamma_r for r = 1 .. total: expected number of buckets, of at least 3, with a load of at least r."""
    size = int(scipy.fft.next_fast_len(prevalence.total + 1))
    logarithm = np.zeros(size)  # on a circle longer than the largest load
    logarithm[0] = prevalence.distinct * np.log1p(-1 / cells)
    for i, part in enumerate(_parts(cells), start=1):
        np.add.at(logarithm, prevalence.counts * i % size, prevalence.items * part)
    pi = scipy.fft.ifft(np.exp(scipy.fft.fft(logarithm))).real[: prevalence.total + 1]
    loads: Floats = cells * pi[:0:-1].cumsum()[::-1]
    return loads


def loads_of(gamma: Floats) -> Floats:
    """How many buckets have 1, 2, .. people."""
    return -np.diff(gamma, append=0.0)


def at_least(prevalence: Prevalence, last: int) -> list[int]:
    return [int(each) for each in prevalence.reached(np.arange(1, last + 1))]


def test_a_small_table() -> None:
    """Gamma of Ghazi et al. 2022 for n = (5, 3, 3, 2, 1, 1, 1) and 40 buckets; backwards, all is as it was."""
    gamma = expected_loads(SMALL, 40)
    known = [
        6.49633626001,
        3.919131356934,
        2.993980878906,
        1.209197294922,
        1.075338526123,
        0.168812128662,
        0.077284765381,
    ]
    assert gamma[:7] == pytest.approx(known, abs=1e-11)
    assert gamma.sum() == pytest.approx(16)
    steps = undo_collisions(np.arange(1, 17), loads_of(gamma), 40)
    assert steps.at(np.arange(1, 17)) == pytest.approx(at_least(SMALL, 16), abs=1e-11)


@pytest.mark.parametrize("cells", [3, 4, 40, 1000])
def test_one_item_is_alone(cells: int) -> None:
    gamma = expected_loads(of_counts(np.array([3])), cells)
    assert gamma == pytest.approx([1, 1, 1], abs=1e-12)


def test_the_mean_is_that_of_hashing() -> None:
    """By 20,000 tables of buckets."""
    rng, sizes = np.random.default_rng(0), SMALL.largest_first
    indices = rng.integers(0, 12, (20_000, len(sizes)))
    loads = np.zeros((20_000, 12))
    for item, size in enumerate(sizes):
        loads[np.arange(20_000), indices[:, item]] += size
    seen = np.array([(loads >= r).sum(axis=1).mean() for r in range(1, 17)])
    assert expected_loads(SMALL, 12) == pytest.approx(seen, abs=0.05)


@pytest.mark.parametrize(("people", "items", "cells"), [(2000, 3000, 4000), (30_000, 20_000, 40_000), (5000, 50, 200)])
def test_what_is_crowded_is_undone(people: int, items: int, cells: int) -> None:
    shares = 1 / np.arange(1, items + 1)
    shape = of_counts(np.random.default_rng(1).multinomial(people, shares / shares.sum()))
    gamma = expected_loads(shape, cells)
    steps = undo_collisions(np.arange(1, len(gamma) + 1), loads_of(gamma), cells)
    last = int(shape.counts[-1])
    assert steps.at(np.arange(1, last + 1)) == pytest.approx(at_least(shape, last), abs=1e-7 * shape.distinct)


def test_large_counts_stay() -> None:
    """Items of more people than the series is long stay as they are; how many small ones they hide is counted."""
    counts = np.append(np.repeat([1, 2], [500, 200]), [LONGEST + 7, 10**9, 10**9])
    steps = undo_collisions(of_counts(counts).counts, of_counts(counts).items.astype(np.float64), 3000)
    assert steps.at(np.array([LONGEST + 1, LONGEST + 7, LONGEST + 8, 10**9, 10**9 + 1])) == pytest.approx(
        [3, 3, 2, 2, 0], abs=0.01
    )
    assert 700 < steps.at(np.array([1]))[0] - 3 < 900


def test_no_collisions_nothing_to_undo() -> None:
    steps = undo_collisions(SMALL.counts, SMALL.items.astype(np.float64), 10**12)
    assert steps.at(np.arange(1, 7)) == pytest.approx([7, 4, 3, 1, 1, 0], abs=1e-6)


@pytest.mark.parametrize(("loads", "cells"), [([], 10), ([1], 1), ([1, 2], 2), ([4, 4, 4], 3)])
def test_what_cannot_be_undone_stays(loads: list[int], cells: int) -> None:
    shape = of_counts(np.array(loads, dtype=np.int64))
    steps = undo_collisions(shape.counts, shape.items.astype(np.float64), cells)
    assert 1 - len(loads) / cells <= MIN_EMPTY_SHARE or not loads
    assert steps.at(np.arange(1, 6)).tolist() == at_least(shape, 5)
