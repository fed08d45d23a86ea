"""Items shown and missing mass: what a line of the table says, and when the target is met."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.missing_mass import Found, cells, line, mean_found


def test_the_mass_of_items_that_are_not_shown() -> None:
    counts = np.array([60, 30, 10])
    found = mean_found(counts, lambda: np.array([0, 2]), 2)
    assert (found.shown, found.missing) == pytest.approx((2, 0.3))
    assert mean_found(counts, lambda: np.array([], dtype=np.int64), 1) == Found(0, 1)


@pytest.mark.parametrize(
    ("rounds", "met"), [((95, 0.21), "yes"), ((120, 0.1), "yes"), ((94, 0.2), "no"), ((100, 0.22), "no")]
)
def test_the_target_is_both_items_and_mass_of_the_best_peer(rounds: tuple[float, float], met: str) -> None:
    peers = {"one": Found(100, 0.3), "another": Found(90, 0.2)}
    told = cells({"headcount, rounds": Found(*rounds)}, peers)
    assert told["target met"] == met
    assert told["one"] == "100 / 0.3000"


def test_a_line_from_end_to_end(tmp_path: Path) -> None:
    """Ten items of 1,000 people, and of each person one of their own: everybody finds the ten. Others are found with a
    chance of up to 1% a release, five of them never."""
    people = np.repeat(np.arange(1_000), 2)
    items = np.where(np.arange(2_000) % 2, people % 10, 1_000 + people)
    path = tmp_path / "crowd.parquet"
    pq.write_table(pa.table({"user_id": people, "item": pa.array(items).cast(pa.string())}), path)
    told = line(path, 1)
    name, *found = list(told.values())[:-3]
    assert name == "crowd"
    assert len(found) == 7
    assert all(10 <= int(cell.partition(" / ")[0]) < 15 for cell in found)
    assert all(0.497 < float(cell.partition(" / ")[2]) <= 0.5 for cell in found)
