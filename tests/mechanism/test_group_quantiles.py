"""Medians of groups over decades, as one asks for them: a group unlike the others has its own, and a median that is
hardly known is said to be so. The noise is the same each time."""

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.noise import KeyedEntropy
from headcount.release import Release

SEEDS = range(1, 5)
UNLIKE = 3


def amounts(people: int) -> pa.Table:
    """Four rows of each person in groups of unequal sizes; values of one group are 50 times those of the others."""
    random = np.random.default_rng(5)
    weights = 1 / np.arange(1, 13)
    group = random.choice(12, 4 * people, p=weights / weights.sum())
    value = random.lognormal(3, 1, len(group)) * np.where(group == UNLIKE, 50, 1)
    return pa.table({"user": np.repeat(np.arange(people), 4), "group": group, "x": value})


def medians(table: pa.Table, seed: int) -> Release:
    plan = hc.plan(
        *("aggregate", table),
        user="user",
        by="group",
        metrics="median(x)",
        range=(0.01, 1e6),
        epsilon=1,
        keys=range(12),
    )
    return plan.release(entropy=KeyedEntropy(bytes([seed]) * 32))


@pytest.fixture(scope="module")
def many() -> list[dict[str, list[float]]]:
    """Releases of 6,000 people, by group."""
    table = amounts(6_000)
    return [medians(table, seed).table.sort_by("group").to_pydict() for seed in SEEDS]


def test_a_group_unlike_the_others_has_a_median_of_its_own(many: list[dict[str, list[float]]]) -> None:
    """Its values lie where the others have next to none: an interval that reaches to the end of the range knows
    nothing of them."""
    true = 50 * np.exp(3)
    for release in many:
        value, low, high = (release[f"median(x){end}"][UNLIKE] for end in ("", "_low", "_high"))
        assert low <= true <= high
        assert true / 2 < value < 2 * true
        assert high / low < 10


def test_the_others_keep_theirs(many: list[dict[str, list[float]]]) -> None:
    true = np.exp(3)
    for release in many:
        values = np.delete(release["median(x)"], UNLIKE)
        assert np.median(np.abs(np.log(values / true))) < 0.25


def test_medians_that_are_hardly_known_are_said_to_be_so() -> None:
    """Of 100 people in twelve groups, over eight decades."""
    release = medians(amounts(100), 1)
    hint = [each for each in release.hints if "hardly known" in each]
    low, high = (np.array(release[f"median(x){end}"]) for end in ("_low", "_high"))
    wide = int((high - low > 6 * np.minimum(release["median(x)"], np.sqrt(low * high))).sum())
    assert wide > 3
    assert hint == [
        f"{wide} of 12 values of median(x) are hardly known: their intervals are more than 6 times as wide as what "
        'lies in the middle. Read them as "not known". Fix: coarser groups with more people each, a narrower range, or '
        "epsilon=2"
    ]
    assert "are hardly known" in " ".join(str(release).split())
    assert "are hardly known" in release.exported(".html").decode()


def test_medians_that_are_known_have_no_hint() -> None:
    assert not any("hardly known" in each for each in medians(amounts(6_000), 1).hints)


def test_quantiles_that_are_hardly_known_are_said_to_be_so() -> None:
    """Of ten people, over eight decades; not if values may be negative, as 0 is no measure of them then."""
    table = pa.table({"user": range(10), "x": np.geomspace(0.1, 1e5, 10)})
    for ends, said in (((0.01, 1e6), True), ((-100, 100), False)):
        plan = hc.plan("quantiles", table, user="user", value="x", q=[0.5], range=ends, epsilon=1, bound=1)
        hints = plan.release(entropy=KeyedEntropy(bytes([1]) * 32)).hints
        assert any("1 of 1 quantiles are hardly known" in each for each in hints) == said
