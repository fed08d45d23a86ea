"""Where a value lies in its interval: inside, or near an end for a reason that docs/explanation/promises.md gives."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.estimate.shape.properties import Estimate
from headcount.noise import KeyedEntropy
from headcount.release import Shape

SEEDS = range(1, 6)
EDGE = 0.05


def table(power: float) -> pa.Table:
    """People with five items of 60, which are all alike or not."""
    random, weights = np.random.default_rng(1), np.arange(1.0, 61) ** -power
    items = random.choice(60, 5000, p=weights / weights.sum())
    return pa.table({"user": np.arange(5000) // 5, "item": items, "x": random.lognormal(2, 1, 5000).round(2)})


TABLES = {"alike": table(0), "Zipf": table(1.1)}
JOBS: dict[str, dict[str, Any]] = {
    "histogram": {"by": "item", "delta": 1e-6},
    "heavy_hitters": {"by": "item", "share": 0.01, "delta": 1e-6},
    "total": {},
    "aggregate": {"by": "item", "delta": 1e-6, "metrics": ["people", "events", "sum(x)", "mean(x)"]},
}


def releases(job: str, kind: str, **more: Any) -> Iterator[Any]:
    plan = hc.plan(job, TABLES[kind], user="user", epsilon=1, **more)
    return (plan.release(entropy=KeyedEntropy(bytes([1, seed]) * 16)) for seed in SEEDS)


def index(value: float, low: float, high: float) -> float:
    """0 at the lower end, 1 at the upper."""
    return (value - low) / max(high - low, 1e-12)


def indices(release: hc.Release) -> Iterator[float]:
    """Of all values of a table that are not cut at 0."""
    rows, names = release.table.to_pylist(), release.table.column_names
    for low in (name for name in names if name.endswith("low")):
        value, high = names[names.index(low) - 1], low.removesuffix("low") + "high"
        yield from (index(row[value], row[low], row[high]) for row in rows if row[low] > 0)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("job", JOBS)
def test_a_value_lies_inside_its_interval(job: str, kind: str) -> None:
    found = [each for release in releases(job, kind, **JOBS[job]) for each in indices(release)]
    assert found
    assert EDGE < min(found) <= max(found) < 1 - EDGE


PROPERTIES: list[Callable[[Shape], Estimate]] = [
    lambda shape: shape.entropy(),
    lambda shape: shape.entropy(of="source"),
    lambda shape: shape.coverage(500),
]


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("mechanism", ["staircase", "buckets"])
def test_a_property_of_a_shape_lies_inside_its_interval(mechanism: str, kind: str) -> None:
    found = [
        index(each.value, each.low, each.high)
        for release in releases("shape", kind, by="item", bound=1, mechanism=mechanism)
        for each in (of(release) for of in PROPERTIES)
    ]
    assert EDGE < min(found) <= max(found) < 1 - EDGE


NEAR_LOWER_END: dict[str, tuple[str, Callable[[Shape], Estimate]]] = {
    "items of buckets": ("buckets", lambda shape: shape.distinct()),
    "support": ("staircase", lambda shape: shape.support_size(min_share=0.001)),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("statistic", NEAR_LOWER_END)
def test_a_value_near_its_lower_end_is_nearer_to_the_truth_than_the_middle(statistic: str, kind: str) -> None:
    """What is surely there bounds an interval below; what noise or the draw of people may hide widens it upwards."""
    mechanism, of = NEAR_LOWER_END[statistic]
    found = [of(release) for release in releases("shape", kind, by="item", bound=1, mechanism=mechanism)]
    assert all(each.low <= each.value <= each.high for each in found)
    off = np.mean([abs(each.value - 60) for each in found])
    assert off <= np.mean([abs((each.low + each.high) / 2 - 60) for each in found])
