"""Experiment on Liu et al. 2020: its own parts, and a small version end to end."""

from collections.abc import Sequence
from math import exp, inf, sqrt
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom, poisson
from tests.experiments.quick import assert_complete, assert_filled, computed_once, quick_part, quickly, table

from experiments.distribution import curve, errata, everything, figure1, grid, theorem5, user_complexity
from experiments.distribution.binomials import l1_distance, poisson_l1_distance, poisson_theorem5_rate, theorem5_rate
from experiments.distribution.people import SOURCES, from_counts, from_draws, sample_people
from experiments.distribution.ways import (
    METHODS,
    WAYS,
    Estimate,
    Way,
    bound_people,
    default_method,
    errors,
    l1_error,
    mechanism_of,
    summary,
)
from headcount.account.events import Neighbours


def rows(module: ModuleType, title: str) -> list[dict[str, str]]:
    """The rows of a table of the small version, by column."""
    found = table(quick_part(module.part), title)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


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
    found = quickly("distribution")
    assert len(found.tables) == 9
    assert len(found.panels) == 4
    assert_complete(found, tmp_path)


def test_distances_are_those_of_all_counts() -> None:
    random = np.random.default_rng(1)
    for m in (1, 2, 7, 50, 400):
        p, q = random.random(20), random.random(20) ** 3
        counts = np.arange(m + 1)[:, None]
        exact = np.abs(binom.pmf(counts, m, p) - binom.pmf(counts, m, q)).sum(axis=0)
        assert l1_distance(m, p, q) == pytest.approx(exact, abs=1e-12)
    a, b = random.random(20) * 9, random.random(20) * 9
    counts = np.arange(200)[:, None]
    exact = np.abs(poisson.pmf(counts, a) - poisson.pmf(counts, b)).sum(axis=0)
    assert poisson_l1_distance(a, b) == pytest.approx(exact, abs=1e-12)


def test_figure_1_begins_with_a_line_and_ends_with_a_root() -> None:
    assert figure1.distances([1])[0] == pytest.approx(0.002)
    assert figure1.distances([20])[0] == pytest.approx(2 * (0.99**20 - 0.989**20))
    few, many = (half.line for half in figure1.HALVES)
    assert (few.r_squared, many.r_squared) > (0.996, 0.9998)
    assert few.slope == pytest.approx(0.0016, rel=0.02)
    assert many.slope == pytest.approx(sqrt(2 / np.pi) * 0.001 / sqrt(0.0105 * 0.9895), rel=0.03)
    line = figure1.fit_line(np.arange(5.0), 3 + 2 * np.arange(5.0))
    assert (line.slope, line.intercept, line.r_squared) == pytest.approx((2, 3, 1))


def test_constants_of_theorem_5() -> None:
    """At the place of the least ratio it is as small as it is told; nowhere on a random set of chances is it less."""
    limit = theorem5.in_the_limit(60)
    assert limit.minimum == pytest.approx(0.63415, abs=2e-5)
    there = np.array(limit.p), np.array(limit.q)
    assert float(poisson_l1_distance(*there) / poisson_theorem5_rate(*there)) == pytest.approx(limit.minimum)
    assert theorem5.extremes(1, 40).minimum == pytest.approx(2)
    minimum = {m: theorem5.extremes(m, 60) for m in (2, 5, 100)}
    assert [each.minimum for each in minimum.values()] == pytest.approx([1, 0.69315, 0.63657], abs=2e-5)
    random = np.random.default_rng(1)
    p, q = random.random(100_000) ** 3, random.random(100_000) ** 3
    for m, each in minimum.items():
        ratio = l1_distance(m, p, q) / theorem5_rate(m, p, q)
        assert each.minimum - 1e-4 < ratio.min()
        assert ratio.max() < 2 + 1e-6
        assert each.greatest == pytest.approx(2, abs=2e-3)


def test_people_draw_what_they_should() -> None:
    for source in SOURCES:
        for cells, each in ((50, 8), (8, 50)):
            people = sample_people(source, cells, 300, each, 1)
            assert (people.many, people.each, people.totals.sum()) == (300, each, 300 * each)
            assert people.counts.min() >= 1
            assert np.add.reduceat(people.counts, people.starts[:-1]).tolist() == [each] * 300
            expected = 300 * each * SOURCES[source](cells)
            assert ((people.totals - expected) ** 2 / expected).sum() < cells + 8 * sqrt(2 * cells)
            assert (sample_people(source, cells, 300, each, 1).indices == people.indices).all()
    assert (
        sample_people("zipf", 50, 9, 8, 1, run=1).counts.tolist() != sample_people("zipf", 50, 9, 8, 1).counts.tolist()
    )
    assert SOURCES["uneven"](4).tolist() == [0.375, 0.125, 0.375, 0.125]


def test_rows_of_draws_and_of_counts_are_the_same_people() -> None:
    items = np.array([[2, 0, 2], [1, 1, 1], [0, 2, 1]])
    table = np.array([np.bincount(row, minlength=3) for row in items])
    for people in (from_draws(items, np.full(3, 1 / 3)), from_counts(table, np.full(3, 1 / 3))):
        assert people.starts.tolist() == [0, 2, 3, 6]
        assert people.indices.tolist() == [0, 2, 1, 0, 1, 2]
        assert people.counts.tolist() == [1, 2, 3, 1, 1, 1]
        assert people.totals.tolist() == [2, 4, 3]
        assert people.one_draw_each().sum() == 3


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_mechanisms_get_what_they_take(neighbours: Neighbours) -> None:
    people = sample_people("zipf", 20, 200, 30, 1)
    for method in METHODS:
        by = mechanism_of(people, method, neighbours)
        bounded = bound_people(people, by.bounding)
        assert bounded.sensitivity == by.bounding.sensitivity
        kept = people.many * (1 if method == "sample-one" else people.each)
        assert bounded.totals.sum() == kept * by.bounding.unit


def test_errors_are_those_of_the_digest() -> None:
    """Laplace, Gaussian and Kolmogorov-Smirnov near it, recentred below it; what is foreseen is nearly so."""
    groups = [sample_people("zipf", 100, 2_000, 100, 1, run) for run in range(4)]
    ways: Sequence[Way] = ("not private", "laplace", "gaussian", "ks", "recentred")
    found = {way: float(np.mean(each)) for way, each in errors(groups, ways).items()}
    digest = grid.DIGEST["zipf", 100, 2_000, 100]
    assert digest["sparse"] == ".413"
    for way in ways[:3]:
        assert found[way] == pytest.approx(float(digest[way]), rel=0.3)
    assert found["ks"] == pytest.approx(float(digest["ks"]), rel=0.6)
    assert found["recentred"] < float(digest["recentred"])
    method, foreseen = default_method(100, 2_000, 100)
    assert method == "recentred"
    assert found["recentred"] == pytest.approx(foreseen, rel=0.25)
    assert default_method(100, 100, 100)[0] == "laplace"


def test_a_person_who_is_added_needs_less_noise_than_one_who_is_replaced() -> None:
    groups = [sample_people("zipf", 100, 2_000, 100, 1, run) for run in range(4)]
    ways: Sequence[Way] = ("laplace", "recentred")
    added, replaced = errors(groups, ways, "add-remove"), errors(groups, ways)
    assert all(np.mean(added[way]) < 0.8 * np.mean(replaced[way]) for way in ways)


def test_off_adds_all_differences_up() -> None:
    people = sample_people("uniform", 4, 10, 3, 1)
    assert l1_error(Estimate(*[np.array([1.0, 0, 0, 0])] * 3), people) == 1.5
    assert summary([0.02, 0.04], ".05") == ".0300 (.05)"
    assert summary([0.02, 0.02, 1.94]) == ".6600, median .0200"


def test_the_number_of_people_is_read_off_a_line() -> None:
    assert user_complexity.crossing(lambda step: 10 / (25 * 2 ** (step / 2)), 0.01) == pytest.approx(1_000)
    assert user_complexity.crossing(lambda step: (10 / (25 * 2 ** (step / 2))) ** 0.5, 0.1) == pytest.approx(1_000)
    assert user_complexity.crossing(lambda step: 0.2, 0.1) == inf
    assert user_complexity.crossing(lambda step: 0.0, 0.1) == 25


def test_fewer_people_are_needed_for_a_larger_error() -> None:
    few, many = (
        user_complexity.crossing(user_complexity._error_at("laplace", 100, 1, 1), alpha) for alpha in (0.4, 0.1)
    )
    assert 100 < 2 * few < many < 10_000


@pytest.mark.slow(sibling="test_fewer_people_are_needed_for_a_larger_error")
def test_more_draws_help_only_who_compares_people() -> None:
    powers = {
        row["way"]: float(row["power"]) for row in rows(user_complexity, "People needed for an error of 0.05 (l1)")
    }
    assert list(powers) == list(WAYS)
    assert all(abs(powers[way]) < 0.3 for way in ("laplace", "gaussian", "sample-one"))
    assert all(-0.9 < powers[way] < -0.2 for way in ("recentred", "auto"))
    assert powers["not private"] < -0.7


def test_auto_is_about_the_best_of_its_choices() -> None:
    for row in rows(curve, f"Error (l1) against s, zipf, m = {curve.DRAWS}"):
        assert float(row["auto"]) < 2 * float(row["laplace"].split()[0])


def test_algorithm_1_as_printed_is_private_for_one_over_epsilon() -> None:
    for epsilon in (1.0, 0.1, 0.0067):
        assert 0.99 / epsilon < errata.loss(1 / (2 * epsilon)) <= 1 / epsilon + 1e-9
        assert errata.loss(epsilon / 2) <= epsilon


def test_a_score_changes_by_one_at_most() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        people = random.multinomial(30, np.full(errata.M + 1, 1 / (errata.M + 1)))
        gone, new = random.choice(np.flatnonzero(people)), random.integers(0, errata.M + 1)
        moved = people.copy()
        moved[[gone]] -= 1
        moved[[new]] += 1
        assert np.abs(errata.scores(people) - errata.scores(moved)).max() <= 1 + 1e-9


def test_what_else_is_printed() -> None:
    assert errata.classic(1) == pytest.approx(3.2e-9, rel=0.01)
    assert errata.classic(10) > 1e-6
    found = {row["where"]: row for row in rows(errata, "What else is printed")}
    assert "7.49 m, 1.25 times" in found["Lemma 1 (28)"]["what it does"]
    assert "6.6 times" in found["Algorithm 3"]["ours"]
    assert f"{100 * exp(-errata.ONCE / 2):.1f}%" in found["Algorithm 4 (21)"]["what it does"]
