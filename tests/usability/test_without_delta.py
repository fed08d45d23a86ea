"""Sums, means and medians of known groups without a delta: from Python and on the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

import headcount as hc
from headcount.errors import HeadcountError
from headcount.exact import Floats
from headcount.noise import KeyedEntropy

PEOPLE, GROUPS = 20_000, 50
RANDOM = np.random.default_rng(17)
ORDERS = pa.table(
    {
        "user": np.arange(PEOPLE),
        "shop": np.arange(PEOPLE) % GROUPS,
        "x": RANDOM.gamma(4, 10, PEOPLE),
    }
)
TRUE = np.bincount(np.arange(PEOPLE) % GROUPS, ORDERS["x"].to_numpy())
KEYS = list(range(GROUPS))


def released(job: str, seed: int = 1, **more: Any) -> hc.Release:
    asked: dict[str, Any] = {"user": "user", "by": "shop", "keys": KEYS, "epsilon": 1, "delta": 0, **more}
    return hc.plan(job, ORDERS, **asked).release(entropy=KeyedEntropy(bytes([seed]) * 32))


def by_shop(release: hc.Release, column: str) -> Floats:
    found = release.to_pandas().set_index("shop").sort_index()[column]
    return np.asarray(found, dtype=np.float64)


def test_sums_of_many_known_groups_need_no_delta() -> None:
    """Intervals hold the truth, and nothing of delta is charged."""
    release = released("histogram", sum="x")
    assert release.cost.delta == 0
    assert [event.name for event in release.cost.events] == ["laplace"] * 3
    low, high = by_shop(release, "low"), by_shop(release, "high")
    assert np.mean((low <= TRUE) & (high >= TRUE)) >= 0.9


def test_whoever_is_in_one_group_has_less_noise_without_a_delta() -> None:
    """About 1.7 times less."""
    errors = {
        delta: np.mean(
            [np.abs(by_shop(released("histogram", seed, sum="x", delta=delta), "sum") - TRUE) for seed in range(1, 4)]
        )
        for delta in (0, 1e-6)
    }
    assert errors[0] < 0.8 * errors[1e-6]


def test_all_statistics_of_known_groups() -> None:
    metrics = ["people", "share", "sum(x)", "mean(x)", "mean(x) per person", "median(x)"]
    release = released("aggregate", metrics=metrics, range=(0, 200), epsilon=10, target_error={"people": 0.05})
    assert release.cost.delta == 0
    assert by_shop(release, "mean(x)") == pytest.approx(TRUE / (PEOPLE / GROUPS), rel=0.1)
    assert by_shop(release, "median(x)") == pytest.approx(36.7, rel=0.3)
    assert by_shop(release, "people") == pytest.approx(PEOPLE / GROUPS, rel=0.2)


def test_the_plan_says_which_noise_there_is() -> None:
    plan = hc.plan("histogram", ORDERS, user="user", by="shop", keys=KEYS, sum="x", epsilon=1, delta=0)
    shown = " ".join(str(plan).split())
    assert "each with Laplace noise" in shown
    assert "epsilon 1, delta 0" in shown


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (
        "histogram",
        {"sum": "x", "bound": 100},
        "delta=0: a bound that is given limits the Euclidean norm of what a person has, which is for Gaussian noise. "
        "Fix: delta=1e-6, or no bound",
    ),
    (
        "aggregate",
        {"metrics": ["sum(x)"], "bound": {"sum(x)": 100}},
        "delta=0: a bound that is given limits the Euclidean norm of what a person has, which is for Gaussian noise. "
        "Fix: delta=1e-6, or no bound",
    ),
    (
        "histogram",
        {"sum": "x", "keys": None},
        "delta=0: items that are not known in advance need a delta above 0. Fix: delta=1e-6, or the list of items: "
        'keys=["apple", "pear"]',
    ),
]


@pytest.mark.parametrize(("job", "more", "message"), REFUSED)
def test_what_needs_a_delta_says_why(job: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(HeadcountError) as refused:
        released(job, **more)
    assert str(refused.value) == message


def test_on_the_command_line(tmp_path: Path) -> None:
    pq.write_table(ORDERS, tmp_path / "orders.parquet")
    asked = ["aggregate", "orders.parquet", "--user", "user", "--by", "shop", "--metric", "sum(x)", "--epsilon", "1"]
    listed = ["--keys", ",".join(map(str, KEYS)), "--delta", "0"]
    shown = headcount(*asked, *listed, cwd=tmp_path)
    assert shown.stdout.startswith(f"sum(x) per shop, from orders.parquet: {GROUPS} rows, epsilon 1, delta 0")
    refused = headcount(*asked, "--delta", "0", cwd=tmp_path)
    assert "--delta 0: groups that are not known in advance need a delta above 0. Fix: --delta 1e-6" in refused.stderr
