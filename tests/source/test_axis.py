"""A public scale: every value has a cell, and the cells are where they are said to be."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headcount.source import open_events
from headcount.source.contributions.derived import placed
from headcount.source.scales.axis import Axis, Spacing, between, spaced

SCALES: dict[str, tuple[Any, int, Spacing]] = {
    "even": ((0, 1000), 64, "even"),
    "even, below 0": ((-3, 7), 10, "auto"),
    "log": ((1, 1000), 2**14, "auto"),
    "log, from 0": ((0, 10**6), 2**14, "auto"),
    "log, from 0 to little": ((0, 0.5), 100, "log"),
    "log, fewer cells than doublings": ((1, 10**9), 5, "log"),
    "log, two cells": ((0, 10**300), 2, "log"),
    "log, all numbers": ((1e-300, 1e300), 1000, "log"),
    "log, not even doubled": ((3, 5), 7, "log"),
    "log, both signs": ((-(10**6), 10**5), 2**14, "auto"),
    "log, both signs, four cells": ((-(10**6), 10), 4, "log"),
    "log, below 0": ((-(10**6), -1), 2**14, "auto"),
    "log, up to 0": ((-(10**6), 0), 100, "auto"),
}


@pytest.mark.parametrize(("ends", "cells", "spacing"), SCALES.values(), ids=SCALES)
def test_cells_cover_the_range(ends: Any, cells: int, spacing: Spacing) -> None:
    points = spaced(ends, cells, spacing).points
    assert (len(points), points[0], points[-1]) == (cells + 1, *ends)
    assert (np.diff(points) > 0).all()


@pytest.mark.parametrize("ends", [(1, 10**6), (0, 10**6)], ids=str)
def test_a_cell_is_a_small_part_of_its_value(ends: Any) -> None:
    """Of 2^14 cells over 20 doublings each is at most 1/780 of what it holds, above the first section."""
    points = spaced(ends, 2**14, "log").points
    low, width = points[:-1][points[:-1] >= 1], np.diff(points)[points[:-1] >= 1]
    assert (width / low).max() < 1 / 700


axes = pytest.mark.parametrize(
    "axis", [*(spaced(*scale) for scale in SCALES.values()), between([0, 1, 2, 5, 10, 100])], ids=[*SCALES, "edges"]
)


def on_engine(axis: Axis, values: np.ndarray) -> list[int | None]:
    """The cell of each value."""
    table = pa.table({"user": np.arange(len(values)), "value": values})
    found = placed(open_events(table, ["user", "value"]).table(), axis).to_pyarrow().sort_by("column0")["column1"]
    cells: list[int | None] = found.to_pylist()
    return cells


@axes
def test_a_value_is_placed_in_its_cell(axis: Axis) -> None:
    """Beside an edge, rounding may decide."""
    points = axis.points
    values = np.concatenate([(points[:-1] + points[1:]) / 2, [points[0] - 1, points[-1] + 1e300, np.nan]])
    assert on_engine(axis, values) == [*range(axis.cells), 0, axis.cells - 1, None]


@axes
def test_a_cell_in_numpy_is_that_on_an_engine(axis: Axis) -> None:
    """Also beside edges, where rounding decides."""
    points = axis.points
    beside = [np.nextafter(points, end) for end in (-np.inf, np.inf)]
    values = np.concatenate([points, *beside, points / 3, [-0.0, 5e-324, 1e308, -1e308, np.inf, -np.inf]])
    assert axis.find(values).tolist() == on_engine(axis, values)
