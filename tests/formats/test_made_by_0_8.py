"""Ledgers and releases that version 0.8.0 made are readable, sound, and can be charged.

In 0.8, made by 0.8.0 on visits.csv: plans.db.gz (a histogram and a profile, whose releases lie beside it, and a
total that was charged and never finished), mixed.db.gz (a total for add-remove, one for replace), public.db.gz (a
distribution with public sizes), own.db.gz (charges of one's own, one sealed, one not), told.db.gz (one whose event is
for replace); and all of their heads.
"""

import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import headcount as hc
from headcount.account import Charge, Cost, Ledger
from headcount.errors import LedgerError
from headcount.release import Release

MADE = Path(__file__).with_name("0.8")
HEADS = json.loads((MADE / "heads.json").read_text())
ONE = Cost(Fraction(1), Fraction(0))
ASKED: dict[str, Any] = {"user": "user", "epsilon": 1, "bound": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for packed in MADE.glob("*.db.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    return tmp_path


@pytest.mark.parametrize("name", HEADS)
def test_they_are_sound(folder: Path, name: str) -> None:
    assert Ledger(folder / f"{name}.db").verify(HEADS[name]) == HEADS[name]


@pytest.mark.parametrize("name", ["histogram", "profile"])
def test_their_releases_can_be_loaded_and_were_sealed(folder: Path, name: str) -> None:
    release = Release.load(MADE / f"{name}.parquet")
    assert release.table.num_rows > 2
    assert release.summary()
    assert Ledger(folder / "plans.db").verify(release.about.head, release.content) == HEADS["plans"]


@pytest.mark.parametrize(
    ("name", "neighbours"),
    [
        ("plans", "add-remove"),
        ("mixed", "add-remove and replace"),
        ("public", "replace-same-size"),
        ("own", "add-remove"),
        ("told", "replace"),
    ],
)
def test_their_neighbours_are_those_of_their_charges(folder: Path, name: str, neighbours: str) -> None:
    assert Ledger(folder / f"{name}.db").neighbours == neighbours


def test_they_can_be_charged(folder: Path) -> None:
    """For nothing that they sealed, as nobody knows of which data that was."""
    ledger = Ledger(folder / "plans.db")
    assert [spend.sealed for spend in ledger.spends()] == [True, True, False]
    assert ledger.spent.epsilon == 3
    release = hc.histogram(MADE / "visits.csv", by="word", **ASKED, ledger=ledger)
    assert release.fresh
    assert hc.histogram(MADE / "visits.csv", by="word", **ASKED, ledger=ledger).content == release.content
    again = Ledger(folder / "plans.db")
    assert again.verify(HEADS["plans"], release.content)
    assert again.spent.epsilon == 4
    assert again.neighbours == "add-remove"
    with pytest.raises(LedgerError, match="this one is for 'replace'"):
        hc.total(MADE / "visits.csv", **ASKED, neighbours="replace", ledger=ledger)


def test_charges_of_ones_own_are_found_again(folder: Path) -> None:
    ledger = Ledger(folder / "own.db")
    assert (
        ledger.publish(Charge("people per word", ONE), lambda head, secret: b"another").content == b"the release of 0.8"
    )
    assert ledger.spent.epsilon == 2


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_one_that_mixes_neighbours_takes_no_more_charges(folder: Path, neighbours: Any) -> None:
    ledger = Ledger(folder / "mixed.db")
    assert [spend.neighbours for spend in ledger.spends()] == ["add-remove", "replace"]
    assert ledger.tighter() is None
    with pytest.raises(LedgerError, match=r"charges for several kinds of neighbours .*, which do not add up"):
        hc.total(MADE / "visits.csv", **ASKED, neighbours=neighbours, ledger=ledger)
    assert ledger.spent.epsilon == 2
