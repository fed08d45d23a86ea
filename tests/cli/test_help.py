"""Help fits a person: options in groups, a sentence each, and examples that run as they are."""

import shlex
from datetime import date
from inspect import signature
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

from headcount.cli.examples import GENERAL, epilog, examples_of
from headcount.cli.job import command
from headcount.jobs import JOBS
from headcount.wording.parameter import ADVANCED, OUTPUT, PANELS, PRIVACY, WHAT

VISITS = pa.table(
    {
        "user": [1, 2, 3, 4],
        "song": ["a", "b", "a", "b"],
        "day": [date(2024, 1, 1)] * 4,
        "country": ["FR", "DE", "FR", "IT"],
        "price": [1.0, 20.0, 300.0, 4.0],
    }
)
OF_JOBS = [(job, example) for job in JOBS for example in examples_of(job)]
LONGEST = 260
"""Letters of the help of one option: three lines."""


def panels(job: str) -> dict[str, str]:
    """The panel of each option."""
    options = list(signature(command(job)).parameters.values())[1:]
    return {each.name: each.annotation.__metadata__[0].rich_help_panel for each in options}


def test_every_job_has_examples() -> None:
    assert all(len(several) in (2, 3) for several in (GENERAL, *map(examples_of, JOBS)))
    assert epilog(()) == ""


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize(("job", "example"), OF_JOBS, ids=[example for _, example in OF_JOBS])
def test_examples_run_as_they_are(tmp_path: Path, job: str, example: str) -> None:
    pq.write_table(VISITS, tmp_path / "visits.parquet")
    name, first, *rest = shlex.split(example)
    assert (name, first) == ("headcount", job.replace("_", "-"))
    planned = headcount(first, *rest, "--dry-run", cwd=tmp_path)
    assert (planned.returncode, planned.stderr) == (0, "")
    assert planned.stdout.endswith("This plan read only the schema and spent nothing.\n")


@pytest.mark.every_case
@pytest.mark.parametrize("job", JOBS)
def test_options_stand_in_groups(job: str) -> None:
    found = panels(job)
    assert list(dict.fromkeys(found.values())) == list(PANELS)
    assert (found["user"], found["epsilon"], found["out"], found["engine"]) == (WHAT, PRIVACY, OUTPUT, ADVANCED)


def test_a_group_is_said_where_the_parameter_is() -> None:
    assert panels("heavy_hitters")["share"] == WHAT
    assert panels("histogram")["mechanism"] == ADVANCED
    assert {panels(job)["bound"] for job in JOBS if "bound" in panels(job)} == {PRIVACY}


@pytest.mark.every_case
@pytest.mark.parametrize("job", JOBS)
def test_help_is_short(job: str) -> None:
    options = list(signature(command(job)).parameters.values())[1:]
    texts = {each.name: each.annotation.__metadata__[0].help for each in options}
    assert {name: text for name, text in texts.items() if not 0 < len(text) <= LONGEST} == {}
    assert {name: text for name, text in texts.items() if name != "master" and "[" in text} == {}


def test_what_a_terminal_shows(tmp_path: Path) -> None:
    shown = headcount("total", "--help", cwd=tmp_path).stdout
    indices = [shown.index(text) for text in (*PANELS, "Examples:", examples_of("total")[0])]
    assert indices == sorted(indices)
    everything = headcount("--help", cwd=tmp_path).stdout
    assert "Statistics" in everything
    assert "headcount demo" in everything
