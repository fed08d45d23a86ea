"""Every job beside its plain query: both answer."""

from pathlib import Path

import duckdb
import pytest

from benchmarks import jobs
from headcount.jobs import JOBS

LEFT_OUT = {"profile", "ranges", "total"}
"""Jobs whose reading is that of others."""


@pytest.mark.parametrize("name", jobs.JOBS)
def test_a_job_and_its_plain_query(tmp_path: Path, name: str) -> None:
    path = jobs.with_amounts(1_000, tmp_path)
    query, _ = jobs.JOBS[name]
    assert len(duckdb.connect().sql(query.format(path)).fetchall()) >= (name != "`heavy_hitters`")
    assert min(jobs.measured(path, *jobs.JOBS[name], 1)) > 0


def test_every_job_is_measured() -> None:
    measured = {name.split("`")[1] for name in jobs.JOBS}
    assert measured == {*JOBS} - LEFT_OUT
