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
    query, job = jobs.JOBS[name]
    queries = [query, *([jobs.WITH_PEOPLE[name]] if name in jobs.WITH_PEOPLE else [])]
    for each in queries:
        assert len(duckdb.connect().sql(each.format(path)).fetchall()) >= (name != "`heavy_hitters`")
    times = jobs.measured(path, [*map(jobs.plain, queries), job], 1)
    assert min(map(min, times)) > 0
    assert jobs.line(1_000, name, times).count("|") == 13


def test_sums_by_person_are_sums(tmp_path: Path) -> None:
    """The queries that look at people and bound nobody give what the plain ones do."""
    path = jobs.with_amounts(1_000, tmp_path)
    for name in ("`histogram`, events", "`aggregate`, sums"):
        plain, people = (
            sorted(duckdb.connect().sql(each.format(path)).fetchall())
            for each in (jobs.JOBS[name][0], jobs.WITH_PEOPLE[name])
        )
        assert plain == people


def test_every_job_is_measured() -> None:
    measured = {name.split("`")[1] for name in jobs.JOBS}
    assert measured == {*JOBS} - LEFT_OUT
