"""A release file of a few bytes that stands for more than memory holds is refused within little memory."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.release.test_forged import release_of, said

import headcount as hc
from headcount.release.about import KEY
from headcount.release.size import check_size

LOAD = """
import resource, sys
import headcount as hc
from headcount.errors import NotATable
import headcount.release.release, pyarrow.parquet

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
before = most()
try:
    hc.load(sys.argv[1])
except NotATable as refused:
    print(refused)
print(most() - before)
"""
MAX_MB = 400
LONG = "x" * 100_000
PREFIXES = {"use_dictionary": False, "column_encoding": {"item": "DELTA_BYTE_ARRAY", "count": "PLAIN"}}
BOMBS: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "dictionary": (
        lambda: pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, np.int32)), pa.array([LONG])),
        1,
        {},
    ),
    "prefixes": (lambda: pa.array([f"{LONG}{index:04}" for index in range(3000)]), 1, PREFIXES),
    "compression": (lambda: pa.array([LONG] * 1000), 3, {"use_dictionary": False}),
    "runs": (lambda: pa.array(np.zeros(1_000_000, np.int64)), 45, {}),
    "lists": (lambda: pa.array([[0] * 50_000_000], pa.list_(pa.int8())), 1, {}),
}
"""Columns of items, how often they are written, and how."""


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are kept by Linux")
@pytest.mark.slow(but=["dictionary", "compression", "runs"])
@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_does_not_fill_memory(kind: str, tmp_path: Path) -> None:
    """It is refused long before all of it is decoded."""
    make, times, options = BOMBS[kind]
    column = make()
    table = pa.table({"item": column, "count": pa.array(np.ones(len(column), np.int64))})
    schema = table.schema.with_metadata({KEY: json.dumps(said(release_of("histogram")))})
    path = tmp_path / "r.parquet"
    with pq.ParquetWriter(path, schema, compression="zstd", store_schema=False, **options) as writer:
        for _ in range(times):
            writer.write_table(table.cast(schema))
    assert path.stat().st_size < 500_000
    run = subprocess.run([sys.executable, "-c", LOAD, path], capture_output=True, text=True, timeout=300)
    why = "a column of lists" if kind == "lists" else "far more in it than a file of its size can hold"
    refusal, megabytes = run.stdout.splitlines()
    assert refusal == f"{path}: not a release ({why}). Fix: a .parquet file from release.save(...)", run.stderr
    assert int(megabytes) < MAX_MB


def test_a_release_that_compresses_well_is_no_forgery(tmp_path: Path) -> None:
    """Known items that nobody has."""
    few = pa.table({"user": [1], "item": ["item 0"]})
    keys = [f"item {index}" for index in range(100_000)]
    release = hc.histogram(few, user="user", by="item", keys=keys, epsilon=10, bound=1)
    check_size(release.content)
    assert hc.load(release.save(tmp_path / "r.parquet")).content == release.content
