"""Experiment on Ghazi et al. 2022: its own parts, and a small version end to end."""

from fractions import Fraction
from math import exp, log
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.experiments.quick import assert_complete, assert_filled, computed_once, quick_part, quickly, table

from experiments.shape import errata, everything, growth, hashing, models, properties, squares, two_hashes
from experiments.shape.tables import SOURCES, sample_tables
from experiments.shape.ways import (
    CLIP,
    EM,
    PAPER,
    STAIRCASE,
    errors,
    noisy_cells,
    noisy_staircase,
    shapes,
    sorted_distance,
    summary,
)
from headcount.estimate.shape.prevalence import of_counts
from headcount.estimate.shape.properties import Estimate


def rows(module: ModuleType, title: str) -> dict[str, tuple[str, ...]]:
    """The rows of a table of the small version, by their first cell."""
    return {row[0]: row for row in table(quick_part(module.part), title).rows}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", everything.PARTS)
def test_every_part_has_all_cells(name: str) -> None:
    found = quick_part(everything.PARTS[name])
    assert found.tables
    assert found.notes
    assert_filled(found.tables)


@pytest.mark.slow(sibling="test_every_part_has_all_cells")
def test_everything_is_computed_and_plotted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "PARTS", computed_once(everything.PARTS))
    found = quickly("shape")
    assert len(found.tables) == 11
    assert len(found.panels) == 2
    assert_complete(found, tmp_path)


def test_tables_have_all_people_and_follow_from_the_seed() -> None:
    for source in SOURCES:
        one, other = sample_tables(source, 1_000, 4_000, 1, 2)
        assert (one.sum(), other.sum(), len(one)) == (1_000, 1_000, 4_000)
        assert not (one == other).all()
        assert (sample_tables(source, 1_000, 4_000, 1, 2)[1] == other).all()
        assert SOURCES[source](1_000, 4_000).sum() == pytest.approx(1)
    assert np.count_nonzero(SOURCES["uniform"](1_000, 4_000)) == 100
    first, second, *_ = SOURCES["zipf 0.8"](10, 4)
    assert second / first == pytest.approx(0.5**0.8)


def test_how_far_off_is_the_same_by_rows_and_by_columns() -> None:
    """Observation 6 of the paper."""
    random = np.random.default_rng(1)
    for _ in range(20):
        one, other = random.integers(0, 9, 7), random.integers(0, 9, 5)
        padded = np.append(np.sort(other)[::-1], [0, 0])
        assert sorted_distance(of_counts(other), one) == np.abs(np.sort(one)[::-1] - padded).sum()
        every = np.arange(1, 10)
        assert (
            sorted_distance(of_counts(other), one)
            == np.abs(of_counts(one).reached(every) - of_counts(other).reached(every)).sum()
        )
    assert sorted_distance(of_counts(np.array([5, 1])), np.array([0, 2, 1]), power=2) == 9


def test_errors_are_those_of_the_issue() -> None:
    """100,000 people, Zipf 1, epsilon 1, one of them replaced."""
    found = {
        way: float(np.mean(each))
        for way, each in errors(sample_tables("zipf 1", 100_000, 100_000, 1, 6), shapes).items()
    }
    assert found[CLIP] == pytest.approx(84_000, rel=0.02)
    assert found[PAPER] < 7_000
    assert found[EM] < 5_000
    assert found[STAIRCASE] < 450


def test_half_of_epsilon_is_twice_the_noise() -> None:
    table = np.ones(4_000, dtype=np.int64)
    for epsilon, scale in ((Fraction(1), 2), (Fraction(1, 2), 4)):
        assert noisy_staircase(table, epsilon).uncertainty.scale == scale
        noisy = noisy_cells(table, epsilon)
        assert np.std(noisy.noisy) == pytest.approx(models.Model(noisy.kernel, models.curator).deviation, rel=0.2)


def test_a_slope_is_that_of_the_power() -> None:
    sizes = (1_000, 30_000, 1_000_000)
    assert growth.slope(sizes, [3 * n**0.6 for n in sizes]) == pytest.approx(0.6)
    assert summary([90.0, 110.0], "4,129") == "100 ± 14 (4,129)"


def test_only_clipping_grows_as_people_do() -> None:
    slopes = {way: float(row[-1]) for way, row in rows(growth, "Error (l1) against n").items()}
    assert slopes[CLIP] == pytest.approx(1, abs=0.05)
    assert all(0.3 < slopes[way] < 0.85 for way in (PAPER, EM, STAIRCASE))


def test_collisions_must_be_undone() -> None:
    found = errors(sample_tables("zipf 0.8", 100_000, 500_000, 1, 2), lambda totals: hashing.shapes(totals, 100_000))
    for way in (EM, PAPER):
        assert 2 * np.mean(found[way]) < np.mean(found[hashing.UNCORRECTED])


def test_noise_is_that_of_each_model() -> None:
    """2p / (1 - p)^2, twice, of the shuffler's scale, and over the part that is counted on."""

    def variance(scale: float) -> float:
        p = exp(-1 / scale)
        return 2 * p / (1 - p) ** 2

    right = [variance(2), 2 * variance(2), variance(float(models.SHUFFLED.scale)), variance(2) / 0.8]
    assert [each.deviation for each in models.MODELS.values()] == pytest.approx(np.sqrt(right))


def test_em_is_needed_where_noise_is_drawn_twice() -> None:
    tables = sample_tables("zipf 1", 10_000, 10_000, 1, 10)
    stream, shuffler, held = (errors(tables, shapes) for shapes in (models.stream, models.shuffler, models.curator))
    assert 1.5 * np.mean(stream[EM]) < np.mean(stream[PAPER])
    assert np.mean(held[EM]) < np.mean(stream[EM]) < 2_500
    assert np.mean(shuffler[EM]) < 1_800
    assert np.mean(errors(tables, models.secure_sum)[EM]) < 1_600


def test_squares_are_least_on_the_staircase() -> None:
    found = errors(sample_tables("zipf 1", 10_000, 10_000, 1, 5), squares.shapes, power=2)
    for loss in squares.LOSSES:
        assert np.mean(found[f"{STAIRCASE}, {loss}"]) < np.mean(found[f"{EM}, {loss}"]) < np.mean(found[CLIP]) / 4


def test_two_hashes_cost_more_than_collisions() -> None:
    """Twice the noise on every bucket, where hardly any two large items meet: twice to eight times the error."""
    tables = sample_tables("uniform", 2_000, 2_000, 1, 32)
    one, two = (
        np.mean([sorted_distance(way(table, 8_000), table, power=2) for table in tables])
        for way in (two_hashes.one_hash, two_hashes.two_hashes)
    )
    assert 1.1 * one < two


def test_of_two_tables_that_without_a_collision_is_taken() -> None:
    """Two items of 500 in 3 buckets: apart in two of three tables, so together in both in one of nine."""
    totals = np.array([500, 500])
    met = [two_hashes.two_hashes(totals, 3).largest_first.max(initial=0) > 900 for _ in range(60)]
    assert np.mean(met) < 0.5


@pytest.mark.parametrize("p", errata.CHANCES)
def test_the_variance_is_the_exact_one(p: float) -> None:
    x = p / (1 - p) ** 2
    for tau in range(-4, 4):
        inner = x**2 * (1 - p) + (1 + x) ** 2 * p * (1 - p) + p**2
        assert errata.variance(p, tau) == pytest.approx(p ** max(tau, -1 - tau) / (1 + p) * inner)


def test_lemma_10_is_false_below_the_diagonal() -> None:
    assert errata.variance(0.1, -1) == pytest.approx(0.12482853)
    assert errata.bound(0.1, -1) == pytest.approx(0.04149, abs=1e-5)
    for p, *cells_ in rows(errata, "Lemma 10").values():
        assert [cell.startswith("**") for cell in cells_] == [float(p) < 0.5] * 2 + [False] * 2


def test_what_follows_is_set_beside_the_truth() -> None:
    totals, known = np.array([2, 0, 1, 1]), properties.Known(4, np.array([0.5, 0.0, 0.25, 0.25]))
    true = [prop.truth(totals, known) for prop in properties.PROPERTIES.values()]
    among = 1 - 0.5**8 + 2 * (1 - 0.75**8)
    assert true == pytest.approx([3, 1.5 * log(2), 1.5 * log(2), among, 3])
    assert known.smallest == 0.25
    found = properties.Comparison(3.0, Estimate(5.0, 3.0, 6.0))
    assert (found.error, found.covered) == (2, True)
    assert not properties.Comparison(2.0, Estimate(5.0, 3.0, 6.0)).covered


@pytest.mark.slow(sibling="test_what_follows_is_set_beside_the_truth")
def test_intervals_of_a_staircase_hold_the_truth() -> None:
    """Of 60 releases nearly all: fewer than 45 by chance once in ten million cases."""
    known = properties.Known(5_000, SOURCES["zipf 1"](5_000, 5_000))
    found = [properties.compare_estimates(totals, known) for totals in sample_tables("zipf 1", 5_000, 5_000, 1, 60)]
    for name in ("different items, of the table", "entropy, of the table"):
        assert sum(each[name][STAIRCASE].covered for each in found) >= 45
        off = [each[name][STAIRCASE].error for each in found]
        assert abs(np.mean(off)) < 0.05 * found[0][name][STAIRCASE].truth
