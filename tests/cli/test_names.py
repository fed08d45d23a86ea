"""Names are other people's text: whatever files, columns and items are called, a terminal sees no command of theirs."""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount.cli import _run

HOSTILE = "\x1b[2J\x1b]0;t\x07\x9b31m\u202eevil\u2066\r\n\x7f\u2028\x85\tFAKE"
"""Escapes, single-byte escapes, a bell, turned writing, ends of lines."""
USER, ITEM, NUMBER = f"user{HOSTILE}", f"item{HOSTILE}", f"number{HOSTILE}"
FILE, LEDGER = f"plays{HOSTILE}.parquet", f"ledger{HOSTILE}.db"
BY = ("--by", ITEM, "--epsilon", "1")
VALUE = ("--value", NUMBER, "--epsilon", "1")
JOBS: dict[str, tuple[str, ...]] = {
    "histogram": BY,
    "aggregate": (*BY, "--metric", "people", "--metric", f"sum({NUMBER})"),
    "top": (*BY, "--k", "2"),
    "heavy-hitters": BY,
    "quantiles": (*VALUE, "--range", "0..10"),
    "ranges": (*VALUE, "--ranges", "0..5,5..10"),
    "shape": BY,
    "distribution": (*BY, "--keys", f'apple,"{HOSTILE}"'),
    "profile": BY,
    "total": ("--epsilon", "1", "--where", f'{ITEM}="{HOSTILE}"'),
}
MISTAKES = [
    ("histogram", FILE, "--user", f"nobody{HOSTILE}", *BY),
    ("histogram", FILE, "--user", USER, "--by", HOSTILE, "--epsilon", "1"),
    ("histogram", FILE, "--user", USER, "--by", NUMBER, "--epsilon", "1"),
    ("histogram", f"none{HOSTILE}", "--user", USER, *BY),
    ("histogram", f"none{HOSTILE}.csv", "--user", USER, *BY),
    ("histogram", FILE, "--user", USER, *BY, "--mechanism", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, "--bound", HOSTILE),
    ("histogram", FILE, "--user", USER, "--by", ITEM, "--epsilon", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, "--keys", f"{HOSTILE},{HOSTILE}"),
    ("histogram", FILE, "--user", USER, *BY, "--keys-file", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, "--bins", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, "--sum", ITEM),
    ("histogram", FILE, "--user", USER, *BY, "--ledger", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, "--out", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, "--out", f"{HOSTILE}/none/r.csv"),
    ("histogram", FILE, "--user", USER, *BY, "--engine", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, "--spill", HOSTILE),
    ("histogram", FILE, "--user", USER, *BY, f"--{HOSTILE}"),
    ("total", FILE, "--user", USER, "--epsilon", "1", "--where", HOSTILE),
    ("total", FILE, "--user", USER, "--epsilon", "1", "--where", f"{ITEM}={HOSTILE}"),
    ("quantiles", FILE, "--user", USER, "--value", ITEM, "--range", HOSTILE, "--epsilon", "1"),
    ("ledger", "show", HOSTILE),
    ("ledger", "show", FILE),
    ("ledger", "new", HOSTILE, "--epsilon", HOSTILE),
    ("ledger", "verify", HOSTILE, "--release", HOSTILE),
    ("ledger", HOSTILE),
    (HOSTILE,),
    ("audit", HOSTILE),
    ("audit", f"json:{HOSTILE}"),
    ("demo", "--folder", f"{FILE}/{HOSTILE}"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table whose file, columns and items have such names."""
    people = 3000
    columns = {USER: range(people), ITEM: [HOSTILE] * people, NUMBER: [1.5] * people}
    pq.write_table(pa.table(columns), tmp_path / FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(*arguments: str) -> int:
    """Run the command line here; its exit code."""
    before, sys.argv = sys.argv, ["headcount", *arguments]
    try:
        _run()
    except SystemExit as left:
        return int(left.code or 0)
    finally:
        sys.argv = before
    return 0


def assert_plain(text: str) -> None:
    """Nothing but lines of visible characters, and none of them begins as a name says."""
    assert {char for char in text if not char.isprintable()} <= {"\n"}
    assert not any(line.startswith("FAKE") for line in text.splitlines())


@pytest.mark.every_case
@pytest.mark.parametrize("job", JOBS)
def test_every_job_shows_names_without_escapes(job: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = (job, FILE, "--user", USER, *JOBS[job])
    for options in (("--dry-run",), ("--dry-run", "--json"), (), ("--json",)):
        assert typed(*asked, *options) == 0
        told = capsys.readouterr()
        assert_plain(told.out + told.err)
        if "--json" in options:
            assert HOSTILE in json.loads(told.out)["dataset"]


def test_ledgers_show_names_without_escapes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("ledger", "new", LEDGER, "--epsilon", "3", "--delta", "1e-5") == 0
    assert typed("histogram", FILE, "--user", USER, *BY, "--ledger", LEDGER, "--out", f"{HOSTILE}.parquet") == 0
    for command in (("show", LEDGER), ("show", LEDGER, "--json"), ("verify", LEDGER)):
        assert typed("ledger", *command) == 0
    assert typed("histogram", FILE, "--user", USER, *BY[:2], "--epsilon", "5", "--ledger", LEDGER) == 3
    told = capsys.readouterr()
    assert_plain(told.out + told.err)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake[0].encode("unicode_escape").decode())
def test_mistakes_are_told_without_escapes(
    mistake: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(*mistake) in (1, 2)
    told = capsys.readouterr()
    assert told.err
    assert_plain(told.out + told.err)
