"""Experiments on Liu et al. 2023: small versions, end to end."""

import re
from pathlib import Path

import numpy as np
import pytest
from tests.experiments.quick import assert_complete, quickly

from experiments import EXPERIMENTS, experiment
from experiments.best import Histograms, best_known
from experiments.bounding import selection
from experiments.bounding.clipping import scaled_counts, shuffle_events
from experiments.bounding.debiasing import release_losses
from experiments.bounding.losses import clipping_loss
from experiments.bounding.paper import BOUNDS, PrintedExponential, PrintedPerturbation, threshold
from experiments.bounding.people import People, heterogeneous, lognormal
from experiments.report import Setting, number
from headcount.bound.selection.by_load import Generalized
from headcount.exact import Integers
from headcount.noise import SystemEntropy
from headcount.noise.distribution import NoiseDistribution
from headcount.noise.finite import Softmax

TABLE1 = "bounding-table1"
DIGEST = np.array([[3, 4], [0, 5], [6, 8], [1, 0]])
"""The four people of the printed test vectors."""


def rows(markdown: str) -> list[list[str]]:
    """The cells of all tables, without the heads."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    heads = {index - 1 for index, line in enumerate(lines) if re.fullmatch(r"[| -]+", line)}
    skipped = heads | {index + 1 for index in heads}
    return [[cell.strip() for cell in line.strip("|").split("|")] for n, line in enumerate(lines) if n not in skipped]


@pytest.mark.slow(but=["bounding-table2", "bounding-figure6"])
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name.startswith("bounding-") and name != TABLE1])
def test_every_experiment_runs(name: str, tmp_path: Path) -> None:
    assert_complete(quickly(name), tmp_path)


def test_table1_is_near_the_paper(tmp_path: Path) -> None:
    """One row: the columns that were reproduced, and the ratio that is promised."""
    found = quickly(TABLE1)
    assert_complete(found, tmp_path)
    ((name, *cells),) = rows(found.markdown())
    assert name == "non-i.i.d. 50"
    best, median, maximum = float(cells[2]), float(cells[12]), float(cells[14])
    assert best == pytest.approx(0.0102, rel=0.25)  # 3 runs
    assert median == pytest.approx(0.706, abs=0.02)
    assert maximum == pytest.approx(0.168, abs=0.01)
    assert float(cells[10]) <= 0.9


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    found = experiment("bounding-table2")(Setting(tmp_path / "nowhere"), lambda what, done: None)
    assert f"No tables in {tmp_path / 'nowhere'}" in found.markdown()
    assert [row[1] for row in rows(found.markdown())] == ["the", "today", "you"]


def test_the_printed_threshold() -> None:
    assert threshold(np.array([1, 10, 100]), 1e-6) == pytest.approx([14.122363, 164.249485, 1872.753356], abs=1e-6)


def test_what_is_left_agrees_with_the_printed_vectors() -> None:
    """Scaled: norms 5, 5, 10, 1; sampled: within every bound, the sum of min(m, C), and h on average."""
    people = Histograms.dense(DIGEST)
    assert scaled_counts(people, np.array([5.0, 10.0])) == pytest.approx(np.array([[7, 13], [10, 17]]))
    bounds = np.array([1, 2, 5, 7, 10, 14])
    random = np.random.default_rng(1)
    several = np.array(
        [shuffle_events(people, random).clipped_counts(bounds) for _ in range(4000)]
    )  # (run, bound, item)
    assert (several.sum(axis=2) == [4, 7, 16, 20, 23, 27]).all()
    expected = [people.left(bound) for bound in bounds]
    assert several.mean(axis=0) == pytest.approx(np.array(expected), abs=0.12)  # more than 6 deviations


def test_the_folded_normal_is_what_noise_does() -> None:
    people = People("four", 4, Histograms.dense(DIGEST))
    bound, random = 5.0, np.random.default_rng(1)
    left = np.concatenate([scaled_counts(people.histograms, np.array([bound]))[0], [0]])  # and an item that nobody has
    noisy = left + 2 * bound * random.normal(size=(200_000, 3))
    measured = np.abs(noisy - [10, 17, 0]).sum(axis=1).mean() / 27
    assert clipping_loss(people, 3, np.array([bound]), 2.0)[0] == pytest.approx(measured, rel=0.01)


class Recorded(SystemEntropy):
    """Remembers what was drawn of."""

    def __init__(self) -> None:
        self.distributions: list[NoiseDistribution] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self.distributions.append(distribution)
        return super().draw(distribution, size)


@pytest.mark.parametrize("kind", [PrintedExponential, Generalized])
def test_many_draws_are_of_the_law_of_one(kind: type[PrintedExponential] | type[Generalized]) -> None:
    people = heterogeneous(20, np.random.default_rng(1), 2_000)
    choice, entropy = selection.unknown_choice(kind, people, BOUNDS[:20]), Recorded()
    statistics = choice.look(people.on_engine())
    choice.draw(statistics, entropy)
    distribution = entropy.distributions[0]
    assert isinstance(distribution, Softmax)
    assert set(distribution.exponents) == set(selection._law(choice, statistics).exponents)


def test_as_printed_is_less_sure() -> None:
    """Algorithm 4's exponent is 2/5 of ours, Algorithm 2's noise at least twice ours."""
    people = lognormal(2_000, 50, np.random.default_rng(1))
    printed = selection.unknown_choice(PrintedExponential, people, BOUNDS)
    assert printed.span == 5 * 1500 * 2**20
    loose = selection.known_choice(PrintedPerturbation.name, people, 50, 5)
    tight = selection.known_choice("output-perturbation", people, 50, 5)
    assert loose.events[0].scale >= 1.9 * tight.events[0].scale  # type: ignore[attr-defined]


def test_the_default_is_near_the_best() -> None:
    people = lognormal(20_000, 1000, np.random.default_rng(1))
    choice = selection.default_choice(people, 1000)
    them = people.histograms
    best = best_known(them.norms, them.ratios, choice.weight)
    chosen = selection.select(choice, choice.look(people.on_engine()), 20) ** 0.5
    assert np.median(chosen) == pytest.approx(best, rel=0.4)


def test_undoing_helps_if_counts_are_poisson() -> None:
    counts = np.random.default_rng(1).poisson(1.0, 100_000)
    people = People("one", 100_000, Histograms.dense(counts[:, np.newaxis]))
    found = release_losses(people, np.array([2] * 20), np.random.default_rng(2))
    assert found.clipped.mean() == pytest.approx(1 - 0.896361676, abs=0.01)  # h_2(1)
    assert found.undone.mean() < 0.02


def test_numbers_are_written_as_in_the_paper() -> None:
    assert [number(0.0124), number(1.5), number(0.00001), number(0.0), number(0.62, 2)] == [
        ".0124",
        "1.5000",
        "1.0e-05",
        ".0000",
        ".62",
    ]
