"""Quantiles by OpenDP 0.16, some releases after another: every person has one row, and neighbours differ in one.

    .venv-opendp/bin/python quantiles_opendp.py VALUES POINTS HOW RUNS OUT Q...

VALUES and POINTS, which rise, are .npy files. So is OUT, with a row for each run: the seconds of CPU that building and
calling took, then the answers. HOW:

exponential: `make_private_quantile` chooses one of the points for each quantile. All have one scale, and so errors of
one size: the least that OpenDP itself says is within the budget. That is in pure epsilon (permute-and-flip), or in zCDP
with bounded range (Gumbel noise), whichever has the smaller scale: pure epsilon for up to 5 quantiles.

tree: counts between the points, as a tree of the recommended fan-out, with Laplace noise, made consistent; quantiles
are interpolated. Gaussian noise gave errors 3 times as large: in L2, too, OpenDP 0.16 charges a person's change of the
tree with the number of layers, and not with its root.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import opendp.prelude
from numpy.typing import NDArray

dp: Any = opendp.prelude
EPSILON, DELTA = 1.0, 1e-6
SCALES = (0.5, 1e5)
Floats = NDArray[np.float64]


def within(measurement: Any) -> bool:
    """Whether OpenDP says that this is within epsilon and delta for a person."""
    if measurement.output_measure == dp.max_divergence():
        return bool(measurement.map(1) <= EPSILON)
    epsilon, delta = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(measurement), DELTA).map(1)
    return bool(epsilon <= EPSILON and delta <= DELTA)


def minimum(made: Callable[[float], Any]) -> float:
    """The least scale that is within the budget."""
    return float(dp.binary_search(lambda scale: within(made(scale)), bounds=SCALES))


def space() -> tuple[Any, Any]:
    """Any number of values; neighbours differ by one that is added or removed."""
    return dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()


def chosen(measure: Any, points: list[float], parts: list[float], scale: float) -> Any:
    """One of the points for each part."""
    each = [dp.m.make_private_quantile(*space(), measure, points, part, scale) for part in parts]
    return dp.c.make_composition(each)


def exponential(points: list[float], parts: list[float], rows: int) -> Any:
    """The measurement that chooses among the points; the scale does not depend on how many they are."""
    measures = dp.max_divergence(), dp.zero_concentrated_divergence()
    scales = [minimum(partial(chosen, measure, points[:2], parts)) for measure in measures]
    scale, measure = min(zip(scales, measures, strict=True), key=lambda pair: pair[0])
    return chosen(measure, points, parts, scale)


def tree(points: list[float], parts: list[float], rows: int) -> Any:
    """The measurement by a tree of counts."""
    leaves, fan_out = len(points) - 1, dp.t.choose_branching_factor(rows)
    bins = space() >> dp.t.then_find_bin(points[1:-1])
    counts = bins >> dp.t.then_count_by_categories(list(range(leaves)), null_category=False)
    layers = counts >> dp.t.then_b_ary_tree(leaves, fan_out)
    noisy = layers >> dp.m.then_laplace(minimum(lambda scale: layers >> dp.m.then_laplace(scale)))
    return noisy >> dp.t.make_consistent_b_ary_tree(fan_out) >> dp.t.make_quantiles_from_counts(points, parts)


def timed(make: Callable[..., Any], values: Floats, points: Floats, parts: list[float]) -> list[float]:
    """The seconds of CPU of one release, and its answers."""
    started = time.process_time()
    measurement = make(points.tolist(), parts, len(values))
    assert within(measurement)
    answers = measurement(values)
    return [time.process_time() - started, *answers]


def main(values: str, points: str, how: str, runs: str, out: str, *parts: str) -> None:
    """Release, and write what came out."""
    make = {"exponential": exponential, "tree": tree}[how]
    asked = np.load(values), np.load(points), [float(part) for part in parts]
    np.save(out, np.array([timed(make, *asked) for _ in range(int(runs))]))


if __name__ == "__main__":
    dp.enable_features("contrib")
    main(*sys.argv[1:])
