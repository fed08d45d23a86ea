"""`--serves`: everything that the command shows is the same, whether the file changed since the charge or not."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.test_commands import headcount

from headcount.account import Ledger
from headcount.account.ledger.stores.sqlite import SqliteStore

ROWS = "user,word\n" + "".join(f"{user},{'ab'[user % 2]}\n" for user in range(100))
CHANGES: dict[str, Callable[[str], str]] = {
    "the same": str,
    "one more": lambda rows: rows + "100,a\n",
    "one other word": lambda rows: rows.replace("99,b", "99,a"),
}
TYPED = ("visits.csv", "--user", "user", "--by", "word", "--keys", "a,b", "--bound", "1", "--epsilon", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ledger with one charge, sealed."""
    made = tmp_path / "made"
    made.mkdir()
    Ledger(made / "visits.db", epsilon=3, delta=1e-5)
    (made / "visits.csv").write_text(ROWS)
    done = headcount("histogram", *TYPED, "--ledger", "visits.db", "--serves", cwd=made)
    assert (done.returncode, done.stderr) == (0, "")
    return made


def seen(made: Path, change: str, *options: str) -> tuple[object, ...]:
    """Code, both outputs, the files that are written, and the ledger's head, in a copy of the folder."""
    folder = made.with_name("run")
    shutil.copytree(made, folder)
    (folder / "visits.csv").write_text(CHANGES[change]((folder / "visits.csv").read_text()))
    out = ("--out", "r.parquet", "--out", "r.html")
    done = headcount("histogram", *TYPED, "--ledger", "visits.db", *options, *out, cwd=folder)
    files = {each.name: each.read_bytes() for each in folder.glob("r.*")}
    view = done.returncode, done.stdout, done.stderr, files, Ledger(folder / "visits.db").head
    shutil.rmtree(folder)
    return view


def seen_alike(made: Path, *options: str) -> tuple[object, ...]:
    views = [seen(made, change, "--serves", *options) for change in CHANGES]
    assert all(view == views[0] for view in views)
    return views[0]


def test_a_sealed_answer_is_served_whatever_the_file_is_now(folder: Path) -> None:
    code, _, message, files, _ = seen_alike(folder)
    assert (code, message) == (0, "sealed before: no new noise, no new charge\n")
    assert isinstance(files, dict)
    assert set(files) == {"r.parquet", "r.html"}


@pytest.mark.slow(sibling="test_a_sealed_answer_is_served_whatever_the_file_is_now")
def test_a_release_that_was_not_finished_is_refused_whatever_the_file_is_now(folder: Path) -> None:
    with SqliteStore.at(
        folder / "visits.db"
    ).writing() as transaction:  # as if the process had been killed before the seal
        charge = transaction.row(1)
        assert charge is not None
        transaction.connection.execute("DELETE FROM entry WHERE number = 2")
        transaction.connection.execute("DELETE FROM content")
        transaction.connection.execute("UPDATE head SET head = ?", (charge.head,))
    code, shown, message, files, head = seen_alike(folder)
    assert (code, shown, files, head) == (5, "", {}, charge.head)
    assert message == (
        "headcount: this request was charged, and its release is not finished. Nothing was drawn, nothing was spent. "
        "Fix: ask again later; if it was interrupted, whoever runs the ledger can finish it, with --no-serves\n"
    )


@pytest.mark.slow(sibling="test_a_sealed_answer_is_served_whatever_the_file_is_now")
def test_a_new_draw_is_refused(folder: Path) -> None:
    code, shown, message, files, _ = seen_alike(folder, "--again")
    assert (code, shown, files) == (2, "", {})
    assert str(message).startswith("headcount: --again: only whoever runs the ledger draws again, and this one serves")


def test_without_it_a_changed_file_has_an_exit_code_of_its_own(folder: Path) -> None:
    views = {change: seen(folder, change) for change in CHANGES}
    assert {change: view[0] for change, view in views.items()} == dict.fromkeys(CHANGES, 4) | {"the same": 0}
    assert str(views["one more"][2]).startswith("headcount: the data changed since this request was charged")


@pytest.mark.parametrize("option", ["--serves", "--no-serves"])
def test_only_a_ledger_serves(folder: Path, option: str) -> None:
    done = headcount("histogram", *TYPED, option, cwd=folder)
    assert done.returncode == 2
    assert done.stderr == f"headcount: {option}: only a ledger serves others. Fix: --ledger visits.db\n"


def test_a_ledger_that_is_made_to_serve_shows_it_and_serves_without_the_option(tmp_path: Path) -> None:
    """Only --no-serves opens it as its operator does."""
    new = headcount("ledger", "new", "visits.db", "--epsilon", "3", "--delta", "1e-5", "--serves", cwd=tmp_path)
    assert new.stdout.startswith("visits.db: epsilon 3, delta 0.00001, serves others\n")
    (tmp_path / "visits.csv").write_text(ROWS)
    asked = ("histogram", *TYPED, "--ledger", "visits.db")
    assert headcount(*asked, cwd=tmp_path).returncode == 0
    (tmp_path / "visits.csv").write_text(CHANGES["one more"](ROWS))
    assert headcount(*asked, cwd=tmp_path).returncode == 0
    assert headcount(*asked, "--no-serves", cwd=tmp_path).returncode == 4
    refused = headcount(*asked, "--again", cwd=tmp_path).stderr
    assert 'open it as its operator: Ledger("visits.db", serves=False)' in refused
    shown = headcount("ledger", "show", "visits.db", cwd=tmp_path).stdout
    assert shown.startswith("visits.db: epsilon 3, delta 0.00001, for neighbours add-remove, serves others\n")
    assert '"serves": true' in headcount("ledger", "show", "visits.db", "--json", cwd=tmp_path).stdout
