"""The command line as a user types it: a process of its own, its output, its exit code."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
import typer
from tests import process

from headcount import Charge, Cost, Ledger
from headcount.account import Part, PartKeys, PartResult
from headcount.account.events import Laplace
from headcount.cli import app
from headcount.source import kernels

COMMAND = Path(sys.executable).with_name("headcount")


def headcount(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Started by a fork, which is quick."""
    return process.run(COMMAND, *arguments, cwd=cwd)


def headcount_alone(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Started by the system, as from a terminal."""
    return subprocess.run([COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)
    ledger.publish(Charge("people per word", Cost(Fraction(1), Fraction("1e-6"))), lambda head, secret: b"the release")
    return ledger


def test_new_show_and_verify(tmp_path: Path) -> None:
    made = headcount_alone("ledger", "new", "visits.db", "--epsilon", "3", "--delta", "1e-5", cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("visits.db: epsilon 3, delta 0.00001\nhead 0:")
    shown = headcount("ledger", "show", "visits.db", cwd=tmp_path)
    assert "spent epsilon 0, delta 0\nleft  epsilon 3, delta 0.00001\n" in shown.stdout
    verified = headcount("ledger", "verify", "visits.db", cwd=tmp_path)
    assert (verified.returncode, verified.stdout) == (0, f"visits.db: sound\n{made.stdout.splitlines()[1]}\n")


def test_a_ledger_for_its_neighbours(tmp_path: Path) -> None:
    made = headcount("ledger", "new", "visits.db", "--epsilon", "3", "--neighbours", "replace", cwd=tmp_path)
    assert made.stdout.startswith("visits.db: epsilon 3, delta 0, for neighbours replace\nhead 0:")
    refused = headcount("ledger", "new", "other.db", "--epsilon", "3", "--neighbours", "odd", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("headcount: --neighbours odd: unknown. Fix: --neighbours add-remove or")
    assert not (tmp_path / "other.db").exists()


def test_show_tells_every_charge(ledger: Ledger, tmp_path: Path) -> None:
    shown = headcount("ledger", "show", "visits.db", cwd=tmp_path).stdout
    assert "people per word" in shown
    assert "sealed" in shown
    assert f"head  {ledger.head}" in shown.splitlines()
    assert "by zCDP: no less than the sum" in shown
    assert "each charge is a row of the ledger, and so is the seal of its release" in shown
    told = json.loads(headcount("ledger", "show", "visits.db", "--json", cwd=tmp_path).stdout)
    assert told["left"] == {"epsilon": "2", "delta": "0.000009"}
    assert told["neighbours"] == "add-remove"
    assert [(charge["what"], charge["dataset"]) for charge in told["charges"]] == [("people per word", "")]


def test_a_request_cannot_paint_the_terminal(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "visits.db", epsilon=3)
    ledger.publish(Charge("[red]x[/blue]\x1b[2J\nfake row", Cost(Fraction(1), Fraction(0))), lambda head, secret: b"")
    shown = headcount("ledger", "show", "visits.db", cwd=tmp_path)
    assert shown.returncode == 0
    assert "[red]x[/blue]" in shown.stdout
    assert "\x1b" not in shown.stdout


def test_parts_of_a_charge_are_listed_under_it(ledger: Ledger, tmp_path: Path) -> None:
    events = (Laplace(Fraction(40), Fraction(1)),)
    days = Charge(
        "people per day", Cost(Fraction(1), Fraction(0)), parts=tuple(Part(f"day {n}", events) for n in range(40))
    )
    for number in range(12):
        ledger.publish_part(days, f"day {number}", lambda head, keys: PartResult(b"", ()))
    with suppress(MemoryError):
        ledger.publish_part(days, "day 30", never_finished)
    shown = headcount("ledger", "show", "visits.db", cwd=tmp_path).stdout
    lines = shown.splitlines()
    charge = next(number for number, line in enumerate(lines) if "people per day" in line)
    assert lines[charge].endswith("12 of 40 parts sealed, 1 not finished")
    assert lines[charge + 1].strip() == "... and 3 earlier parts"
    assert [int(line.split()[0]) for line in lines[charge + 2 : charge + 12]] == [*range(10, 29, 2)]
    assert "  day 30  " in lines[charge + 11]
    assert lines[charge + 11].rstrip().endswith("not finished: ask again, it is paid")
    told = json.loads(headcount("ledger", "show", "visits.db", "--json", cwd=tmp_path).stdout)["charges"][1]["parts"]
    assert [part["sealed"] for part in told] == [True] * 12 + [False] * 28
    assert [part["part"] for part in told if part["row"] and not part["sealed"]] == ["day 30"]
    verified = headcount("ledger", "verify", "visits.db", cwd=tmp_path).stdout
    assert verified.splitlines()[:2] == ["visits.db: sound", "people per day: 12 of 40 parts sealed, 1 not finished"]


def never_finished(head: str, keys: PartKeys) -> PartResult:
    raise MemoryError


def test_a_ledger_is_not_made_twice(ledger: Ledger, tmp_path: Path) -> None:
    again = headcount_alone("ledger", "new", "visits.db", "--epsilon", "3", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == ("headcount: visits.db: there is a file already. Fix: headcount ledger show visits.db\n")


def test_a_rollback_and_an_edit_exit_with_1(ledger: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "visits.db"
    shutil.copy(path, tmp_path / "old.db")
    sealed = ledger.publish(Charge("more", Cost(Fraction(1), Fraction(0))), lambda head, secret: b"more")
    (tmp_path / "release").write_bytes(b"more")
    command = ("ledger", "verify", "visits.db", "--head", sealed.head, "--release", "release")
    assert headcount(*command, cwd=tmp_path).returncode == 0
    shutil.copy(tmp_path / "old.db", path)
    found = headcount(*command, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    assert (
        "a rollback, or the head of another ledger. Fix: keep this file, restore the newest honest copy" in found.stderr
    )
    with sqlite3.connect(path) as edit:
        edit.execute("UPDATE entry SET kind = 'seal' WHERE number = 1")
    found = headcount_alone("ledger", "show", "visits.db", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (1, "")


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new", "new.db", "--epsilon", "-1"), "--epsilon -1: it must be above 0. Fix: --epsilon 3"),
        (("new", "new.db", "--epsilon", "much"), "--epsilon much: a finite number is needed. Fix: --epsilon 3"),
        (("new", "new.db", "--epsilon", "1", "--delta", "2"), "--delta 2: it lies between 0 and 1. Fix: --delta 1e-5"),
        (("show", "none.db"), "headcount ledger new"),
        (("show", "words.csv"), "words.csv: this file is not a ledger, and was left as it is. Fix: "),
        (("verify", "visits.db", "--head", ""), "a head is a number, a colon and a hash of 64 digits"),
    ],
)
def test_wrong_arguments_exit_with_2(ledger: Ledger, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "words.csv").write_text("user,word\n1,a\n" * 100)
    refused = headcount("ledger", *arguments, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr
    assert not (tmp_path / "new.db").exists()


def test_version(tmp_path: Path) -> None:
    note = "" if kernels.kernels() else " (without compiled kernels: slower, same results)"
    assert headcount_alone("--version", cwd=tmp_path).stdout == f"headcount 0.10.0{note}\n"


def test_a_library_for_another_machine_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "source" / "kernels").mkdir(parents=True)
    (tmp_path / "source" / "kernels" / kernels.LIBRARY).write_bytes(b"of another machine")
    monkeypatch.setattr(app, "__file__", str(tmp_path / "cli" / "app.py"))
    with pytest.raises(typer.Exit):
        app._print_version(True)
    assert capsys.readouterr().out == "headcount 0.10.0 (without compiled kernels: slower, same results)\n"


def test_demo(tmp_path: Path) -> None:
    """Plans, releases, plots, and shows the ledger; a second time it asks the same, which costs nothing."""
    for _ in range(2):
        shown = headcount("demo", cwd=tmp_path)
        assert (shown.returncode, shown.stderr) == (0, "")
        for text in (
            "To appear, each song needs about 28 people; about 89 if each of them",
            "people per song, from plays.parquet: ",
            "song 0001",
            "epsilon=1, delta=0.000001 would fit",
            "plays.db: epsilon 2, delta 0.00001, for neighbours add-remove",
            "left  epsilon 1, delta 0.000009",
            "head  2:",
        ):
            assert text in shown.stdout
    made = {path.name for path in (tmp_path / "headcount-demo").iterdir()}
    assert made >= {"plays.parquet", "plays.db", "songs.parquet", "songs.csv", "songs.png", "songs.html"}


MECHANISMS = """
from headcount import noise

def honest(people):
    return len(people) + int(noise.discrete_laplace(1, 1)[0])

def leaking(people):
    return len(people)

not_a_function = 3
"""


def test_audit_of_a_users_function(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MECHANISMS)
    sides = ("--left", "[1, 2]", "--right", "[1]", "--runs", "2000")
    honest = headcount("audit", "mine:honest", *sides, cwd=tmp_path)
    assert honest.returncode == 0
    assert honest.stdout.startswith("not refuted: epsilon 1, delta 0, 2000 runs on each dataset\n")
    leaking = headcount("audit", "mine:leaking", *sides, cwd=tmp_path)
    assert leaking.returncode == 1
    assert leaking.stdout.startswith("REFUTED: ")


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mine:missing",), "Fix: headcount audit mymodule:mechanism"),
        (("nowhere:f",), "Fix: headcount audit mymodule:mechanism"),
        (("mine:not_a_function",), "mine:not_a_function: not a function. Fix: headcount audit mymodule:mechanism"),
        (("mine:honest",), "two datasets are needed, one with a person more. Fix: --left '[1, 2]' --right '[1]'"),
        (("mine:honest", "--left", "1", "--right", "2"), "the function fails on both datasets"),
        (("mine:honest", "--left", "{"), "Fix: --left '[1, 2, 3]' --right '[1, 2]'"),
        (("mine:honest", "--left", "[]", "--right", "[1]", "--epsilon", "nan"), "a finite number is needed"),
    ],
)
def test_audit_refuses(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "mine.py").write_text(MECHANISMS)
    refused = headcount("audit", *arguments, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr


def test_import_is_light() -> None:
    """`import headcount` loads neither NumPy nor SciPy nor the command line: 0.5 s is kept with room (benchmarks)."""
    code = "import sys, headcount; print(sorted({'numpy', 'scipy', 'typer', 'dp_accounting'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
    import headcount

    for name in headcount.__all__:
        assert getattr(headcount, name)
    with pytest.raises(AttributeError, match="headcount has no 'nothing'"):
        headcount.nothing  # noqa: B018
