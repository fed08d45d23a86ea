"""People per month, weekday or age band: on a short public list nobody is bounded, and nobody has to say so."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.test_commands import headcount
from tests.golden.tables import TABLES

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.bound.selection.profile import FromProfile
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.mechanism import Clipped, Correlated
from headcount.mechanism.known.correlated import round_half_to_even
from headcount.mechanism.known.strategy import SHORT_LIST, KnownItemsStrategy, ShortListStrategy
from headcount.mechanism.sums import sum_quantile
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace
from headcount.planner import Plan

FEW = 300
"""People, each of whom has every item; each row is there twice."""


def everybody(items: int) -> pa.Table:
    """A table in which everybody has every item."""
    return pa.table({"user": np.repeat(np.arange(FEW), 2 * items), "item": np.tile(np.arange(items), 2 * FEW)})


def planned(items: int, **more: Any) -> Plan:
    plan: Plan = hc.plan(
        "histogram", everybody(items), user="user", by="item", keys=list(range(items)), **{"epsilon": 1, **more}
    )
    return plan


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("items", [1, 2, 12, SHORT_LIST])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_everybody_counts_in_full(items: int, neighbours: str, delta: float) -> None:
    """Whatever the noise: no bound is selected, nothing is cut, and intervals are for the true counts."""
    plan = planned(items, neighbours=neighbours, delta=delta)
    release = plan.release(entropy=Fixed(0))
    assert plan.selection is None
    assert release.table["count"].to_pylist() == [FEW] * items
    assert release.about.estimand == "true"
    assert "headcount cuts nothing." in " ".join(release.explain().split())
    assert (release.about.chosen, release.about.unseen) == ("", "")


@pytest.mark.parametrize("items", [3, 8, 12, SHORT_LIST])
def test_noise_has_a_common_number_only_if_people_are_added_or_removed(items: int) -> None:
    assert isinstance(planned(items).mechanism, Correlated)
    assert isinstance(planned(items, neighbours="replace").mechanism, Clipped)
    assert planned(items).error < 0.9 * planned(items, neighbours="replace").error


@pytest.mark.parametrize(
    ("items", "delta", "deviation"),
    [(6, 0, 6.3093), (12, 0, 11.026), (26, 0, 21.615), (12, 1e-6, 9.44902634), (30, 1e-6, 13.69723076)],
)
def test_known_deviations(items: int, delta: float, deviation: float) -> None:
    """Computed beforehand, from the formulas alone (the discrete ones by an independent program)."""
    assert planned(items, delta=delta).mechanism.deviation == pytest.approx(deviation, rel=1e-4)


def test_intervals_are_as_wide_as_the_noise() -> None:
    """The plan's error, in halves, on both sides; rounded outwards."""
    plan = planned(12)
    table = plan.release(entropy=Fixed(0)).table
    assert set(table["low"].to_pylist()) == {FEW - int(np.ceil(plan.error))}
    assert set(table["high"].to_pylist()) == {FEW + int(np.ceil(plan.error))}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DiscreteGaussian(Fraction(277)), DiscreteGaussian(Fraction(80))),
        (DiscreteGaussian(Fraction(1, 50)), DiscreteGaussian(Fraction(1, 30))),
        (DiscreteLaplace(Fraction(9)), DiscreteLaplace(Fraction(4))),
        (DiscreteLaplace(Fraction(2)), DiscreteLaplace(Fraction(2))),
    ],
)
def test_the_quantile_of_a_sum_is_that_of_its_law(one: Any, other: Any) -> None:
    """By convolution; and the next smaller one would not do, unless noise is far below 1."""

    def weights(distribution: Any) -> Any:
        k = np.arange(-400, 401)
        exponent = (
            k**2 / (2 * float(distribution.variance))
            if isinstance(distribution, DiscreteGaussian)
            else abs(k) / float(distribution.scale)
        )
        return np.exp(-exponent) / np.exp(-exponent).sum()

    distribution = np.convolve(weights(one), weights(other))
    beyond = [distribution[np.abs(np.arange(-800, 801)) > width].sum() for width in range(200)]
    width = sum_quantile(one, other, EXACT_MISS_RATE)
    assert beyond[width] <= 0.05
    assert width <= next(k for k, miss in enumerate(beyond) if miss <= 0.05) + (beyond[2] < 0.05)


def test_halves_are_rounded_without_a_bias() -> None:
    halves = np.arange(-9, 10)
    assert round_half_to_even(halves).tolist() == np.rint(halves / 2).astype(int).tolist()


def test_errors_of_differences_are_told() -> None:
    plan = planned(12)
    assert isinstance(plan.mechanism, Correlated)
    said = plan.release(entropy=Fixed(0)).explain()
    assert "one common number that is the same for all items" in " ".join(said.split())
    assert "It cancels in the difference of two counts" in " ".join(said.split())
    assert plan.mechanism.difference_deviation == pytest.approx(11.77, abs=0.01)
    assert "Expected error (95%): 18.5 people." in str(plan)


def test_lists_of_several_columns() -> None:
    """12 months of two cities are 24 items; of three they are too many for it."""
    visits = {"user": "person", "by": ["city", "day"], "per": {"day": "month"}, "dates": ("2024-01-01", "2024-12-31")}
    for cities, kind in ((["Rome", "Oslo"], ShortListStrategy), (["Rome", "Oslo", "Lima"], KnownItemsStrategy)):
        plan = hc.plan("histogram", TABLES["visits"](), keys={"city": cities}, epsilon=1, **visits)
        assert type(plan.strategy) is kind


@pytest.mark.parametrize(
    "more",
    [
        {"bound": hc.ChosenBound(share=0.1)},
        {"bound": hc.ChosenBound(grid=[1, 2])},
        {"debias": None},
        {"count": "events"},
    ],
)
def test_whoever_asks_for_a_bound_gets_one(more: dict[str, Any]) -> None:
    assert planned(12, **more).selection is not None


def test_a_profile_decides_about_a_longer_list() -> None:
    """Everybody has all 60 items: a bound would need more noise than none. If all have one, it does not."""
    full = planned(60).release(entropy=Fixed(0))
    assert isinstance(planned(60).selection, FromProfile)
    assert full.table["count"].to_pylist() == [FEW] * 60
    assert "Here no bound is needed" in " ".join(full.explain().split())
    assert (full.about.estimand, full.about.unseen) == ("true", "")
    assert ", no bound (noise is smaller without one)\n" in str(full)
    single = pa.table({"user": np.arange(6000), "item": np.arange(6000) % 60})
    plan = hc.plan("histogram", single, user="user", by="item", keys=list(range(60)), epsilon=1)
    one = plan.release(entropy=Fixed(0))
    assert "Each person counts once for each item, and at most once in all." in " ".join(one.explain().split())
    assert ", bound 1 (chosen)\n" in str(one)


def test_by_name() -> None:
    """No bound on a long list; a profile on a short one; and an error that is wanted."""
    assert isinstance(planned(100, mechanism="correlated").mechanism, Correlated)
    assert isinstance(planned(12, bound="profile").selection, FromProfile)
    wanted = planned(12, mechanism="correlated", epsilon=None, target_error=5)
    assert wanted.error <= 5 < planned(12, epsilon=wanted.cost.epsilon * Fraction(9, 10)).error


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("user,answer\n" + "".join(f"{user},{answer}\n" for user in range(50) for answer in "ynm"))
    asked = ["histogram", str(file), "--user", "user", "--by", "answer", "--keys", "y,n,m", "--epsilon", "1"]
    shown = headcount(*asked, "--mechanism", "correlated", "--dry-run", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "one common number that is the same for all answers" in " ".join(shown.stdout.split())
