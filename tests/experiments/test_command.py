"""The command line of the experiments: what runs, what is refused and how, interruptions; and what the docs name."""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests import process
from tests.cli.test_names import HOSTILE, assert_plain

from experiments import EXPERIMENTS, experiment
from experiments.__main__ import run
from headcount.errors import BadParameter

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "experiments" / "__main__.py"
PATHS = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
QUICKEST = "bounding-table2"
FIX = 'Fix: make reproduce NAME=bounding-table1 MORE="--quick --out reproduced"'


def test_a_process_writes_table_and_picture(tmp_path: Path) -> None:
    """From any folder, and without the folder of real tables."""
    finished = process.run(SCRIPT, QUICKEST, "--quick", "--out", "found/here", cwd=tmp_path, env=PATHS)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.splitlines() == [f"wrote found/here/{QUICKEST}.{kind}" for kind in ("md", "png", "svg")]
    assert sorted(path.suffix for path in (tmp_path / "found" / "here").iterdir()) == [".md", ".png", ".svg"]


def test_without_a_folder_the_table_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([QUICKEST, "--quick", "--data", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("## Table 2")
    assert printed.err == ""


def test_make_runs_the_same_command() -> None:
    """Without NAME the command itself answers, with all names."""
    for variables, command in (
        (["NAME=shape"], "python -m experiments shape"),
        (["NAME=shape", "MORE=--quick --out a"], "python -m experiments shape --quick --out a"),
        ([], "python -m experiments"),
    ):
        recipe = ["make", "--no-print-directory", "--dry-run", "--assume-old=.venv/ready", "reproduce", *variables]
        environment = {name: value for name, value in os.environ.items() if name not in ("NAME", "MORE", "MAKEFLAGS")}
        shown = subprocess.run(recipe, cwd=ROOT, capture_output=True, text=True, check=True, env=environment).stdout
        assert shown.strip().removeprefix(".venv/bin/") == command


def test_help_names_every_experiment_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == 0
    assert f"One of {', '.join(EXPERIMENTS)}." in re.sub(r"- ", "-", text)
    assert all(option in text for option in ("--out", "--data", "--quick"))


LISTED = f"there are {', '.join(EXPERIMENTS)}. Fix: make reproduce NAME=bounding-table1"
REFUSED = {
    "no name": ([], f"no experiment is named; {LISTED}"),
    "an empty name": ([""], f"no experiment is named; {LISTED}"),
    "an unknown name": (["bounding-table9"], f"'bounding-table9': no such experiment; {LISTED}"),
    "an option alone": (["--quick"], f"no experiment is named; {LISTED}"),
    "an unknown option": ([QUICKEST, "--quik"], f"unrecognized arguments: --quik. {FIX}"),
    "two names": ([QUICKEST, "shape"], f"unrecognized arguments: shape. {FIX}"),
    "no value": ([QUICKEST, "--out"], f"argument --out: expected one argument. {FIX}"),
    "a file for --out": ([QUICKEST, "--out", "file"], "file: not a folder. Fix: --out reproduced"),
    "a folder in a file": ([QUICKEST, "--out", "file/a/b"], "file/a/b: not a folder. Fix: --out reproduced"),
    "a file for --data": ([QUICKEST, "--data", "file"], "file: not a folder. Fix: --data ../shared/data"),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_is_one_line_with_a_fix(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    arguments, message = REFUSED[mistake]
    assert run(arguments) == 2
    assert capsys.readouterr() == ("", f"reproduce: {message}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is computed."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert run([QUICKEST, "--out", str(locked)]) == 2
    assert run([QUICKEST, "--out", str(locked / "below")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert "cannot be written to. Fix: --out reproduced" in lines[0]
    assert "cannot be created (Permission denied). Fix: --out reproduced" in lines[1]


@pytest.mark.parametrize(
    "arguments",
    [(HOSTILE,), (QUICKEST, f"--{HOSTILE}"), (QUICKEST, HOSTILE), (QUICKEST, f"--quick={HOSTILE}")]
    + [(QUICKEST, option, HOSTILE) for option in ("--out", "--data")],
    ids=["name", "option", "second", "value", "out", "data"],
)
def test_mistakes_show_names_without_escapes(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(HOSTILE).touch()
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert_plain(printed.out + printed.err)
    assert len(printed.err.splitlines()) == 1


def test_names_of_folders_are_shown_without_escapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["count-release", "--data", HOSTILE]) == 0
    assert run([QUICKEST, "--quick", "--out", HOSTILE]) == 0
    printed = capsys.readouterr()
    assert "No tables in " in printed.out
    assert_plain(printed.out + printed.err)


@pytest.mark.slow(one_in=2)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_progress_on_a_terminal_and_a_signal_that_ends_it(number: int, code: int, tmp_path: Path) -> None:
    """A bar names the experiment and its step; a signal ends the command with one line and nothing written."""
    ours, theirs = pty.openpty()
    command = [sys.executable, str(SCRIPT), "bounding-known", "--out", "found"]
    with heeded(number):
        child = subprocess.Popen(command, cwd=tmp_path, env=PATHS, stdout=subprocess.PIPE, stderr=theirs)
    with child:
        os.close(theirs)
        shown = _read(ours, until="bounding-known: ")
        child.send_signal(number)
        shown += _read(ours)
        assert child.stdout is not None
        assert child.stdout.read() == b""
    os.close(ours)
    assert child.returncode == code
    assert re.search(r"bounding-known: [0-9,]+ people, [0-9,]+ items", shown)
    assert shown.rstrip().endswith("reproduce: interrupted: the experiment is not finished")
    assert "Traceback" not in shown
    assert list((tmp_path / "found").iterdir()) == []


@contextmanager
def heeded(number: int) -> Iterator[None]:
    """A signal that children do not ignore, however the tests were started."""
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)


def _read(terminal: int, until: str = "\0") -> str:
    shown = ""
    while until not in shown:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        shown += more.decode(errors="replace")
    return shown


def test_an_unknown_name_is_refused_in_python_too() -> None:
    with pytest.raises(BadParameter, match="no such experiment"):
        experiment("table1")


def test_documented_commands_exist() -> None:
    """Every page names experiments that there are, each experiment is on a page, and no page has the old command."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text() for page in pages)
    assert set(re.findall(r"make reproduce NAME=([\w-]+)", text)) == set(EXPERIMENTS)
    assert "headcount reproduce" not in text
