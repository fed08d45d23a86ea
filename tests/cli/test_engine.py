"""Options of the engine that reads the file: what is refused, and that every job has them."""

from pathlib import Path

import pytest
from tests.cli.test_commands import headcount

from headcount.jobs import JOBS

WRONG = {
    "memory": (("--memory", "little"), "--memory little: not an amount of memory. Fix: --memory 4GB, --memory 512MB"),
    "least": (("--memory", "1MB"), "--memory 1MB: at least 50MB, at most 1024TiB. Fix: --memory 4GB"),
    "spill": (("--spill", "nowhere"), "--spill nowhere: there is no such folder. Fix: --spill /var/tmp"),
    "engine": (("--engine", "flink"), "--engine flink: unknown. Fix: --engine duckdb, or --engine spark"),
    "master": (("--master", "local[2]"), "--master local[2]: only Spark has one. Fix: --engine spark, or no master"),
    "both": (("--engine", "spark", "--memory", "4GB"), "--memory 4GB: only DuckDB has it. Fix: no memory, or --engine"),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", WRONG)
def test_wrong_values(tmp_path: Path, name: str) -> None:
    """Before anything is looked for."""
    options, message = WRONG[name]
    refused = headcount("profile", "no.csv", "--user", "u", "--by", "i", "--epsilon", "1", *options, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"headcount: {message}")


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("job", JOBS)
def test_every_job_has_them(tmp_path: Path, job: str) -> None:
    told = headcount(job.replace("_", "-"), "--help", cwd=tmp_path).stdout
    for option in ("--engine", "--master", "--memory", "--spill", "--ledger", "--out", "--dry-run", "--json"):
        assert option in told
