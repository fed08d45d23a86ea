"""What a release says of tails: negative amounts, amounts of both signs, amounts near 0, and given bounds beside chosen
ones."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.noise.entropy import KeyedEntropy

PEOPLE = 3_000


def heavy(sign: float, people: int = PEOPLE) -> pa.Table:
    """Amounts of which a few people have most."""
    random = np.random.default_rng(5)
    amounts = sign * np.exp(random.normal(3, 2, people))
    return pa.table(
        {
            "user": np.arange(people),
            "x": amounts,
            "y": np.abs(amounts),
            "group": [str(each % 3) for each in range(people)],
        }
    )


def keyed(seed: int) -> KeyedEntropy:
    """The same chance every time."""
    return KeyedEntropy(bytes([seed + 1]) * 32)


def total(data: pa.Table, seed: int = 1, epsilon: float = 4) -> Any:
    return hc.plan("total", data, user="user", sum="x", epsilon=epsilon).release(entropy=keyed(seed))


@pytest.mark.parametrize("seed", range(3))
def test_negative_amounts_have_a_tail_below(seed: int) -> None:
    """A sum of negative amounts may be further from 0, as one of positive amounts may."""
    above, below = total(heavy(1), seed), total(heavy(-1), seed)
    assert above.about.estimand == below.about.estimand == "modelled"
    assert above.about.too_small["sum"] > 0 > below.about.too_small["sum"]
    assert "at least about this" in str(above)
    assert "The total is uncertain: it may be off by up to" in " ".join(str(below).split())
    assert "at least" not in below.about.interval
    assert "off by at most" in below.unseen


def test_amounts_that_are_all_zero_leave_a_release_that_can_be_opened(tmp_path: Path) -> None:
    data = heavy(0)
    for entropy in (Fixed(0), keyed(1)):
        release = hc.plan("total", data, user="user", sum="x", epsilon=1).release(entropy=entropy)
        opened = hc.load(release.save(tmp_path / "release.parquet"))
        assert all(abs(part) <= 100 for part in opened.about.too_small.values())


def test_no_total_is_beyond_what_amounts_can_be() -> None:
    """Noise hides a hundred people: their amounts are not known, but each is at most a million millions."""
    few = heavy(1, people=100)
    for seed in range(10):
        row = total(few, seed, epsilon=0.1).table.to_pylist()[0]
        assert row["low"] <= row["sum"] <= row["high"]


def test_a_given_bound_is_named_beside_a_tail() -> None:
    asked: dict[str, Any] = {"user": "user", "by": "group", "keys": ["0", "1", "2"], "epsilon": 1}
    plan = hc.plan("aggregate", heavy(1), metrics=["sum(x)", "sum(y)"], bound={"sum(x)": 5}, **asked)
    release = plan.release(entropy=keyed(1))
    assert release.about.too_small
    assert release.about.estimand == "bounded"
    assert "after" in release.about.interval
    assert "sum(y) may be too small" in release.about.interval
