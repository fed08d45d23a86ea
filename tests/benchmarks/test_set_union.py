"""The mechanisms for set union that benchmarks compare with: norms, noise and thresholds are those of the papers."""

from fractions import Fraction
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.set_union import (
    ROUND_SHARES,
    Budget,
    Pairs,
    budget,
    even_weights,
    gaussian_delta,
    gaussian_sigma,
    iterated_gaussian,
    policy_gaussian,
    policy_weights,
    read_pairs,
    threshold,
    weighted_gaussian,
)

from headcount.account.curves.gaussian import continuous_delta
from headcount.exact import Floats

EXACT = Budget(sigma=1e-9, threshold=2.5)
"""Next to no noise."""


def pairs(*people: list[int]) -> Pairs:
    """Pairs of people with these items."""
    sizes = [len(items) for items in people]
    every = [item for items in people for item in items]
    return Pairs(np.repeat(np.arange(len(people)), sizes), np.array(every), max(every) + 1)


def many(people: int = 300, items: int = 40) -> Pairs:
    """People with 1 to 30 items, of which the first are common."""
    random = np.random.default_rng(1)
    chances = 1 / np.arange(1, items + 1)
    chosen = [random.choice(items, size, False, chances / chances.sum()) for size in random.integers(1, 31, people)]
    return pairs(*(list(each) for each in chosen), [items - 1])


def without(data: Pairs, person: int) -> Pairs:
    return data.where(data.people != person)


def moved(before: Floats, after: Floats) -> float:
    return float(np.linalg.norm(before - after))


def test_noise_is_exactly_as_large_as_needed() -> None:
    sigma = gaussian_sigma(1, 5e-6)
    squared_mu = Fraction(1 / sigma**2)
    assert gaussian_delta(1, sigma) == pytest.approx(5e-6, rel=1e-6)
    assert float(continuous_delta(Fraction(1), squared_mu)) == pytest.approx(5e-6, rel=1e-6)
    assert gaussian_delta(1, 0.99 * sigma) > 5e-6


@pytest.mark.parametrize("sigma", [0.2, 3.9])
def test_new_items_of_one_person_exceed_the_threshold_with_at_most_delta(sigma: float) -> None:
    """And with delta exactly, for the worst number of items: with little noise one, with much noise all."""
    limit, delta = threshold(sigma, 1e-3, 100), 1e-3
    exceeded = [1 - NormalDist(1 / sqrt(t), sigma).cdf(limit) ** t for t in range(1, 101)]
    assert max(exceeded) == pytest.approx(delta, rel=1e-6)
    assert exceeded.index(max(exceeded)) == (0 if sigma < 1 else 99)


def test_half_of_delta_is_for_the_noise_and_half_for_the_threshold() -> None:
    limits = budget(1, 1e-5, 100)
    assert limits.sigma == gaussian_sigma(1, 5e-6)
    assert limits.threshold == threshold(limits.sigma, 5e-6, 100)
    assert sum(ROUND_SHARES) == pytest.approx(1)


def test_a_person_with_n_items_adds_one_over_the_root_of_n() -> None:
    weights = even_weights(pairs([0], [0, 1, 2, 3], [3]))
    assert weights == pytest.approx([1.5, 0.5, 0.5, 1.5])


def test_a_policy_moves_along_the_gaps_and_stops_at_the_cutoff() -> None:
    assert policy_weights(pairs([0], [0], [0], [0]), 2.5) == pytest.approx([2.5])
    after_one = policy_weights(pairs([0], [0, 1]), 2.0)  # gaps 1 and 2, of norm root of 5
    assert after_one == pytest.approx([1 + 1 / sqrt(5), 2 / sqrt(5)])
    assert policy_weights(pairs([0], [0], [0, 1]), 2.0) == pytest.approx([2, 1])  # nothing is wasted on the full one


def test_one_person_moves_the_weights_by_at_most_one() -> None:
    """Whoever it is, and in the policy whoever comes afterwards; somebody moves them by one."""
    data = many()
    assert 0 < (policy_weights(data, 30.0) > 29.9).sum() < data.domain  # some are at the cutoff, some are not
    for weights in (even_weights, lambda each: policy_weights(each, 30.0)):
        before = weights(data)
        distances = [moved(before, weights(without(data, person))) for person in range(0, 301, 5)]
        assert max(distances) == pytest.approx(1, abs=1e-2)
        assert max(distances) <= 1 + 1e-9


def test_at_most_so_many_items_of_each_person_at_random() -> None:
    data, random = many(), np.random.default_rng(2)
    kept = data.sampled(5, random)
    sizes = np.diff(data.starts)
    assert sorted(np.diff(kept.starts)) == sorted(np.minimum(sizes, 5))
    assert len(set(zip(kept.people.tolist(), kept.items.tolist(), strict=True))) == len(kept.people)
    alone = pairs(list(range(10)))
    chosen = np.concatenate([alone.sampled(5, random).items for _ in range(1000)])
    assert np.bincount(chosen) == pytest.approx([500] * 10, abs=100)


def test_without_noise_those_above_the_threshold_are_shown() -> None:
    data, random = pairs([0], [0], [0], [1], [1], [1, 2]), np.random.default_rng(3)
    assert weighted_gaussian(data, EXACT, 100, random).tolist() == [0, 1]
    assert policy_gaussian(data, EXACT, 100, random).tolist() == [0, 1]
    assert weighted_gaussian(data, Budget(1e-9, 2.8), 100, random).tolist() == [0]


def test_a_round_finds_what_the_common_items_hid() -> None:
    """Everybody has ten common items and one of ten others: without the common ones, the others have weights of 1."""
    data, random = pairs(*([*range(10), 10 + person % 10] for person in range(400))), np.random.default_rng(4)
    at_once = weighted_gaussian(data, budget(1, 1e-5, 100), 100, random)
    in_rounds = iterated_gaussian(data, 1, 1e-5, 100, random)
    assert sorted(at_once) == list(range(10))
    assert sorted(in_rounds) == list(range(20))


def test_pairs_of_a_table_are_distinct(tmp_path: Path) -> None:
    events = {"user_id": [7, 7, 7, 3, None, 3], "item": ["a", "b", "a", "b", "c", None]}
    pq.write_table(pa.table(events), tmp_path / "events.parquet")
    data, names = read_pairs(tmp_path / "events.parquet")
    assert dict(zip(names.to_pylist(), data.counts.tolist(), strict=True)) == {"a": 1, "b": 2}
    assert np.diff(data.starts).tolist() == [1, 2]
