"""The project's own audit: every file of mechanisms is found, and the command says what it found."""

import subprocess
import sys
from pathlib import Path

import pytest

from audits.__main__ import main, options
from audits.registry import FOLDER, families, specimens

ROOT = Path(__file__).parents[2]
PARTS = {"honest", "wrong", "enumerations"}
WITHOUT_ENUMERATION = {"classic", "weighted_twice"}
"""Mistakes alone; and a whole release, whose parts are enumerated in `weighted`."""


def test_every_file_is_a_family() -> None:
    names = [family.__name__.rpartition(".")[2] for family in families()]
    assert names == sorted(path.stem for path in FOLDER.iterdir() if path.suffix == ".py" and path.stem != "__init__")
    assert all(PARTS & vars(family).keys() for family in families())
    assert {name for name, family in zip(names, families(), strict=True) if not hasattr(family, "enumerations")} == (
        WITHOUT_ENUMERATION
    )


def test_names_are_told_apart() -> None:
    names = [each.name for each in specimens()]
    assert len(set(names)) == len(names) > 60


def test_one_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    """Only those with the name, honest ones and mistakes."""
    assert main(["--only", "keys in order of rows", "--runs", "2000"]) == 0
    found = capsys.readouterr().out
    assert len(found.splitlines()) == 2
    assert "flagged" in found


def test_too_few_runs_do_not_find_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    """What is not found is called wrong, and the command fails."""
    assert main(["--only", "noise / 1.1", "--runs", "400"]) == 1
    assert "passed: WRONG" in capsys.readouterr().out


def test_a_word_that_is_in_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        options(["--only", "nobody's"])
    assert refused.value.code == 2
    assert "no mechanism has this in its name. Fix: --only weighted" in capsys.readouterr().err


def test_as_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "audits", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "--only" in done.stdout
