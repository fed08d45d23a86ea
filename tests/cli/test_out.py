"""Files that a command is to write: what cannot be written is refused before the ledger is charged."""

from pathlib import Path

import pytest
from tests.cli.test_commands import headcount

import headcount as hc
from headcount.errors import BadParameter

KINDS = ("parquet", "csv", "json", "html", "yaml", "png")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with a table and a ledger."""
    (tmp_path / "songs.csv").write_text("user,song\n" + "".join(f"{index},{index % 3}\n" for index in range(999)))
    hc.Ledger(tmp_path / "songs.db", epsilon=3, delta=1e-5)
    return tmp_path


ASKED = ("histogram", "songs.csv", "--user", "user", "--by", "song", "--epsilon", "1", "--ledger", "songs.db")


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_names_as_long_as_a_disk_allows_are_written(folder: Path) -> None:
    """Also if a name that is derived from one would be too long; letters of several bytes count as these."""
    names = [f"{'x' * (255 - len(kind) - 1)}.{kind}" for kind in KINDS]
    names.append(f"{'é' * 125}.csv")
    run = headcount(*ASKED, *(word for name in names for word in ("--out", name)), cwd=folder)
    assert run.returncode == 0, run.stderr
    assert set(names) < names_in(folder)
    assert not [name for name in names_in(folder) if name.startswith(".")]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (f"{'x' * 252}.csv", "cannot be written (File name too long). Fix: a shorter name"),
        (f"{'é' * 126}.csv", "cannot be written (File name too long). Fix: a shorter name"),
        (f"{'x' * 300}/r.csv", "there is no such folder. Fix: mkdir -p "),
        ("songs.csv/r.csv", "there is no such folder. Fix: mkdir -p songs.csv"),
        ("nowhere/r.csv", "there is no such folder. Fix: mkdir -p nowhere"),
        ("folder.csv", "folder.csv: a folder. Fix: folder.csv/release.csv"),
        ("r.xlsx", "unknown kind of file. Fix: "),
    ],
    ids=["too long", "too long in bytes", "long folder", "file as folder", "no folder", "folder", "kind"],
)
def test_what_cannot_be_written_is_refused_before_the_charge(folder: Path, name: str, words: str) -> None:
    (folder / "folder.csv").mkdir()
    before = names_in(folder)
    run = headcount(*ASKED, "--out", "first.csv", "--out", name, cwd=folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert names_in(folder) == before
    assert not hc.Ledger(folder / "songs.db").spends()


@pytest.mark.parametrize("kind", KINDS)
def test_in_python_a_name_that_cannot_be_is_one_error_whatever_is_written(tmp_path: Path, kind: str) -> None:
    release = hc.histogram(hc.example(people=99), user="user", by="song", epsilon=1)
    for name in (f"{'x' * 300}.{kind}", f"nowhere/r.{kind}", f"a\0b.{kind}"):
        with pytest.raises(BadParameter, match=r"cannot be written|not a path") as refused:
            release.save(tmp_path / name)
        assert "Fix: " in str(refused.value)
    assert not any(tmp_path.iterdir())
