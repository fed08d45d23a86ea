"""Experiment on Rogers 2024: its own parts, and a small version end to end."""

from collections import Counter
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from tests.experiments.quick import QUICK, assert_complete, quickly

from experiments import experiment
from experiments.count_release.baseline import NoisyCounts, plume_not_private, threshold
from experiments.count_release.claims import Measured, claims_table
from experiments.count_release.figures import RHOS, measure
from experiments.count_release.methods import DELTA, LEVEL, NAMES, PRINTED, TRUE, VARIANTS, Trial, ranked, trial
from experiments.count_release.tables import Pairs, from_ids, read, synthetic
from experiments.report import Setting
from headcount.account.calibration import calibrate
from headcount.source.frames.arrow_columns import whole_numbers

DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    return synthetic(np.random.default_rng(1), 2_000, 200)


def test_pairs_are_numbered_by_how_common_items_are() -> None:
    found = from_ids(np.array([7, 7, 3, 3, 9, 3]), np.array([5, 5, 5, 2, 5, 2]))
    assert list(zip(found.users.tolist(), found.items.tolist(), strict=True)) == [(3, 1), (3, 0), (7, 0), (9, 0)]
    assert (found.people.tolist(), found.domain) == ([3, 1], 2)
    assert [found.percentile(part) for part in (0.5, 0.67, 1)] == [1, 2, 2]


def test_everybody_keeps_their_bound_evenly(pairs: Pairs) -> None:
    """In all exactly min(size, most) of each person; each item of somebody with the same chance."""
    maximum, random = 5, np.random.default_rng(2)
    several = np.array([pairs.sampled_counts(maximum, random) for _ in range(400)])
    assert (several.sum(axis=1) == np.minimum(pairs.sizes, maximum).sum()).all()
    chances = np.minimum(1, maximum / pairs.sizes[pairs.users])
    expected = np.bincount(pairs.items, weights=chances, minlength=pairs.domain)
    wide = np.sqrt(np.bincount(pairs.items, weights=chances * (1 - chances), minlength=pairs.domain) / 400)
    assert (np.abs(several.mean(axis=0) - expected) <= 6 * wide + 1e-9).all()
    assert (pairs.sampled_counts(10**6, random) == pairs.people).all()


def test_only_what_was_found_is_counted(pairs: Pairs) -> None:
    """Who has much else is counted in full for what was found."""
    found = np.zeros(pairs.domain, dtype=np.bool_)
    found[[3, 8]] = True
    left = pairs.restricted_to(found)
    assert left.people[[3, 8]].tolist() == pairs.people[[3, 8]].tolist()
    assert left.people.sum() == pairs.people[[3, 8]].sum()
    assert left.percentile(1) == 2


def test_the_threshold_is_near_the_exact_one() -> None:
    """The paper's, for continuous noise, is the product's within 2: that is a whole number, for discrete noise."""
    for maximum, rho in ((1, 0.1), (10, 0.5), (100, 0.5)):
        variance = Fraction(maximum) / Fraction(2 * rho)
        exact = calibrate.gaussian_threshold(variance, DELTA, items=maximum, largest=1)
        assert 0 <= exact - threshold(maximum, sqrt(variance), float(DELTA)) <= 2
    assert threshold(10, sqrt(50), 1e-6) == pytest.approx(37.764868)  # printed test vectors
    assert threshold(100, 10, 1e-6) == pytest.approx(57.120012)


def test_noise_is_for_the_root_of_the_bound(pairs: Pairs) -> None:
    """A large rho: everything that two people have is found, and with the largest bound nothing is cut."""
    random = np.random.default_rng(3)
    found = plume_not_private(pairs, 1.0, 10_000.0, 1e-6, random)
    assert found.bounds == (pairs.sizes.max(), pairs.sizes.max())
    assert found.deviation == pytest.approx(sqrt(pairs.sizes.max() / 10_000))
    assert np.abs(found.noisy - found.true).max() <= 6 * found.deviation
    assert len(found.true) >= (pairs.people >= 3).sum()


def test_nothing_may_be_found() -> None:
    few = from_ids(np.arange(3), np.arange(3))
    found = plume_not_private(few, 0.99, 0.01, 1e-6, np.random.default_rng(4))
    assert (len(found.true), found.bounds, len(found.above_threshold.true)) == (0, (1, 0), 0)
    assert np.isnan(Measured((trial(found.true, found.noisy),)).beyond)


def test_far_off_is_more_than_a_tenth() -> None:
    true, noisy = np.array([100, 100, 100, 200]), np.array([110.0, 110.2, 89.0, 219.0])
    assert trial(true, noisy) == Trial(4, 2)
    assert NoisyCounts(true, noisy, 10.0, (1, 1)).above_threshold.true.tolist() == [200]  # from 210 on


def test_the_most_common_items_are_listed_as_the_engine_does(pairs: Pairs) -> None:
    listed = ranked(pairs)
    often = Counter(pairs.items.tolist())
    assert [often[rank] for rank in whole_numbers(listed.items["item0"]).tolist()] == listed.totals.tolist()
    assert (np.diff(listed.totals) <= 0).all()
    assert listed.next == 0


def test_a_small_run_has_the_papers_shape(pairs: Pairs) -> None:
    """More rho, more results; Plume shows the most, most of all with too small a bound; PCR keeps near its target."""
    found = measure(pairs, QUICK)
    assert list(found) == list(RHOS)
    assert all(set(each) == set(NAMES) for each in found.values())
    for name in (*VARIANTS, *TRUE):  # a private percentile may be far off
        assert found["1"][name].results > found["0.1"][name].results
    assert found["1"][TRUE[0]].results > found["1"][PRINTED].results
    assert found["1"][LEVEL].results > found["1"][PRINTED].results
    assert found["1"][PRINTED].beyond < 0.25
    table = claims_table({"here": found})
    assert table.rows[0] == ("Plume without a threshold shows more than PCR", "all", "yes")


@pytest.mark.slow(sibling="test_a_small_run_has_the_papers_shape")
def test_everything_is_computed_and_plotted(tmp_path: Path) -> None:
    assert_complete(quickly("count-release"), tmp_path)


def test_without_tables_it_says_so(tmp_path: Path) -> None:
    found = experiment("count-release")(Setting(tmp_path / "nowhere"), lambda what, done: None)
    assert f"No tables in {tmp_path / 'nowhere'}" in found.markdown()
    assert (found.tables, found.panels) == ((), ())


@pytest.mark.skipif(not (DATA / "online_retail.parquet").is_file(), reason="the real tables are not there")
def test_a_real_table_is_read() -> None:
    found = read("Online Retail", DATA)
    assert found is not None
    assert found.summary("Online Retail") == (
        "Online Retail: 4,339 people, 3,665 items; 50% / 95% / 99% / all of the people have at most "
        "35 / 205 / 354 / 1,787 items"
    )
    assert (len(found.users), int(found.people[0])) == (266_802, 881)
