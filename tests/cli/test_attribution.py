"""`--analyst` and `--purpose` beside `--ledger`: in the ledger's listing, in a report, and refused where nothing keeps
them."""

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import headcount

from headcount.account import Ledger

ADA = ("--analyst", "Ada Lovelace", "--purpose", "weekly report")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)
    (tmp_path / "visits.csv").write_text("user\n" + "\n".join(map(str, range(100))))
    return tmp_path


def total(folder: Path, *options: str) -> tuple[int, str]:
    typed = ("visits.csv", "--user", "user", "--count", "users", "--epsilon", "1", *options)
    done = headcount("total", *typed, cwd=folder)
    return done.returncode, done.stderr


def test_a_listing_and_a_report_say_them(folder: Path) -> None:
    assert total(folder, "--ledger", "visits.db", *ADA, "--out", "r.html", "--out", "r.yaml") == (0, "")
    head, charge = headcount("ledger", "show", "visits.db", cwd=folder).stdout.splitlines()[1:3]
    assert head.split() == ["row", "when", "what", "dataset", "analyst", "purpose", "epsilon", "delta", "release"]
    assert "Ada Lovelace" in charge
    assert "weekly report" in charge
    shown = json.loads(headcount("ledger", "show", "visits.db", "--json", cwd=folder).stdout)
    assert [(each["analyst"], each["purpose"]) for each in shown["charges"]] == [("Ada Lovelace", "weekly report")]
    assert "Ada Lovelace (as stated at the charge)" in (folder / "r.html").read_text()
    assert 'intended_use: "weekly report"' in (folder / "r.yaml").read_text()


def test_a_retry_keeps_what_was_stated(folder: Path) -> None:
    assert total(folder, "--ledger", "visits.db", *ADA) == (0, "")
    code, message = total(folder, "--ledger", "visits.db", "--analyst", "Bob")
    assert (code, message.startswith("sealed before")) == (0, True)
    assert [spend.analyst for spend in Ledger(folder / "visits.db").spends()] == ["Ada Lovelace"]


def test_a_listing_without_them_has_no_columns_for_them(folder: Path) -> None:
    assert total(folder, "--ledger", "visits.db") == (0, "")
    assert "analyst" not in headcount("ledger", "show", "visits.db", cwd=folder).stdout
    (charge,) = json.loads(headcount("ledger", "show", "visits.db", "--json", cwd=folder).stdout)["charges"]
    assert (charge["analyst"], charge["purpose"]) == (None, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ADA, "--analyst 'Ada Lovelace': nothing records it without a ledger. Fix: --ledger visits.db"),
        (("--purpose", "x", "--dry-run"), "--purpose x: nothing records it without a ledger. Fix: --ledger visits.db"),
        (("--ledger", "visits.db", "--purpose", ""), "a text is needed. Fix: --purpose 'weekly report'"),
        (("--ledger", "visits.db", "--analyst", "A\x1b"), "characters. Fix: --analyst 'Ada Lovelace'"),
    ],
)
def test_what_cannot_be_kept_is_refused(folder: Path, options: tuple[str, ...], message: str) -> None:
    code, found = total(folder, *options)
    assert code == 2
    assert message in found
    assert "\x1b" not in found
    assert Ledger(folder / "visits.db").spends() == ()
