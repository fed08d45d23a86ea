"""A job that is registered has a command with options and help: no file of the command line knows any job."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

from headcount.cli import _run, app
from headcount.cli.job import command, option_names
from headcount.exact import Number
from headcount.job import Job
from headcount.jobs import JOBS
from headcount.jobs.calls.calls import job_function
from headcount.jobs.calls.described import parameters_of
from headcount.jobs.histogram import Histogram
from headcount.jobs.registry import FUNCTIONS, columns_read
from headcount.release import Release
from headcount.wording import first_sentence
from headcount.wording.parameter import WHAT, Typed

VISITS = pa.table({"user": [1, 2, 3, 4], "song": ["a", "b", "a", "b"], "country": ["FR", "DE", "FR", "IT"]})
SUMMARY = "Count people per item between two tides."


def parse_tides(name: str, value: Any, before: Any) -> tuple[str, str]:
    """Two tides."""
    first, last = value
    return first, last


@job_function
def tides(
    data: Any,
    *,
    user: str,
    by: str,
    of: str = "country",
    tides: Any = ("ebb", "flood"),
    epsilon: Number | None = None,
    neighbours: str = "add-remove",
    ledger: Any = None,
) -> Release:
    """Count people per item between two tides. No other job does.

    data: a table.
    user: the column that tells people apart.
    by: the column that makes an item.
    of: a column that is read as well. It has no other use.
    tides: the first and the last tide, which are public.
    epsilon: the privacy budget of this release.
    """
    raise NotImplementedError


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A job of its own file: what a new one brings, and nothing else."""
    before = dict(Job._KINDS)

    @dataclass(frozen=True, kw_only=True)
    class Tides(Histogram):
        """People per item between two tides."""

        name: ClassVar[str] = "tides"
        examples: ClassVar[tuple[str, ...]] = ("--user user --by song --tides ebb..flood --epsilon 1",)
        of: Annotated[str, lambda name, value, before: value, Typed(panel=WHAT)] = "country"
        tides: Annotated[
            tuple[str, str],
            parse_tides,
            Typed(panel=WHAT, notation="As ebb..flood.", parse=lambda typed, before: tuple(typed.split(".."))),
        ] = ("ebb", "flood")

        @property
        def own_columns(self) -> tuple[str, ...]:
            return (*super().own_columns, self.of)

    monkeypatch.setitem(JOBS, "tides", SUMMARY)
    monkeypatch.setitem(FUNCTIONS, "tides", tides)
    yield
    Job._KINDS.clear()
    Job._KINDS.update(before)


def run(*arguments: str) -> int:
    """Run the command line here; its exit code."""
    before, sys.argv = sys.argv, ["headcount", *arguments]
    try:
        _run()
    except SystemExit as left:
        return int(left.code or 0)
    finally:
        sys.argv = before
    return 0


@pytest.mark.usefixtures("registered")
def test_a_new_job_has_a_command_with_its_options_and_help() -> None:
    options = signature(command("tides")).parameters
    assert {"user", "by", "of", "tides", "epsilon", "ledger", "out"} <= set(options)
    (option,) = options["tides"].annotation.__metadata__
    assert option.help == "The first and the last tide, which are public. As ebb..flood."
    assert option.rich_help_panel == WHAT
    assert {"of", "tides"} <= set(option_names("tides"))


@pytest.mark.usefixtures("registered")
def test_a_new_job_is_shown_and_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(VISITS, "visits.parquet")
    assert run("--help") == 0
    assert SUMMARY in capsys.readouterr().out
    assert run("tides", "--help") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "headcount tides visits.parquet --user user --by song --tides ebb..flood --epsilon 1" in shown
    example = ("--user", "user", "--by", "song", "--tides", "ebb..flood", "--epsilon", "1", "--dry-run", "--json")
    assert run("tides", "visits.parquet", *example) == 0
    assert json.loads(capsys.readouterr().out)["parameters"]["tides"] == ["ebb", "flood"]


@pytest.mark.usefixtures("registered")
def test_a_job_says_which_columns_it_reads() -> None:
    """By whatever name a parameter has them."""
    assert columns_read("tides", {"user": "user", "by": ["song"], "of": "price"}) == ("user", "song", "price")
    conditions = {"user": "u", "by": "a", "metrics": ["mean(x)"], "where": {"c": "FR"}, "epsilon": 1}
    assert columns_read("aggregate", conditions) == ("u", "a", "x", "c")


@pytest.mark.every_case
@pytest.mark.parametrize("job", JOBS)
def test_a_summary_is_the_first_clause_of_a_docstring(job: str) -> None:
    assert first_sentence(FUNCTIONS[job].__doc__ or "").startswith(JOBS[job].rstrip("."))


@pytest.mark.parametrize("name", app.OTHERS)
def test_so_is_that_of_another_command(name: str, tmp_path: Path) -> None:
    module = __import__(f"headcount.cli.{name}", fromlist=[name])
    function, summary = app.OTHERS[name]
    text = (module.__doc__ if function == "app" else getattr(module, function).__doc__) or ""
    assert first_sentence(text).startswith(summary.rstrip("."))


@pytest.mark.every_case
@pytest.mark.parametrize("job", JOBS)
def test_help_in_other_words_than_the_docstring_begins_it(job: str) -> None:
    """Where the text is written twice, as Python and a shell write a value differently, it begins with the same."""
    parameters = parameters_of(FUNCTIONS[job]).values()
    own = {each.name: each.text.replace('"', "") for each in parameters if each.typed.help}
    helps = {each.name: each.typed.help.rstrip(".") for each in parameters if each.typed.help}
    assert "where" in own
    assert {name: text for name, text in own.items() if not text.casefold().startswith(helps[name].casefold())} == {}


def test_a_fraction_and_a_small_default_are_shown_as_they_are_typed(tmp_path: Path) -> None:
    assert "1e-6" in headcount("histogram", "--help", cwd=tmp_path).stdout
    assert parameters_of(FUNCTIONS["histogram"])["epsilon"].number == "number"
    assert Fraction in parameters_of(FUNCTIONS["histogram"])["epsilon"].kinds
