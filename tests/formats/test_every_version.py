"""What every version wrote can be read: its ledger is sound, shown, charged, and returns what it sealed; its releases
are loaded. Which version wrote which format is in docs/reference/formats.md; `make.py` made the files."""

import gzip
import json
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import headcount as hc
from headcount.account import Charge, Cost, Ledger, PartKeys, PartResult
from headcount.account.ledger.record.formats import FORMATS
from headcount.errors import BadParameter, DataChanged, LedgerError
from headcount.planner import FORMAT
from headcount.source.identity import of_files
from tests.formats.make import JOBS
from tests.formats.make_parts import WEEK

MADE = Path(__file__).parent
VERSIONS = sorted(folder.name for folder in MADE.iterdir() if (folder / "visits.db.gz").exists())
NEW = Charge("new", Cost(Fraction(1), Fraction(0)))


@pytest.fixture(params=VERSIONS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The files of a version, with its ledger unpacked."""
    made = MADE / request.param
    for file in made.iterdir():
        (tmp_path / {"key": "visits.db.key"}.get(file.name, file.name)).write_bytes(file.read_bytes())
    (tmp_path / "visits.db").write_bytes(gzip.decompress((made / "visits.db.gz").read_bytes()))
    return tmp_path


def formats_of(path: Path) -> set[str]:
    """Formats that the rows of a ledger state."""
    with sqlite3.connect(path) as connection:
        rows = [json.loads(body) for (body,) in connection.execute("SELECT body FROM entry")]
    return {row["format"] for row in rows if "format" in row}


def test_there_is_a_ledger_of_every_format(tmp_path: Path) -> None:
    found = set[str]()
    for packed in MADE.glob("*/*.db.gz"):
        (tmp_path / "unpacked.db").write_bytes(gzip.decompress(packed.read_bytes()))
        found |= formats_of(tmp_path / "unpacked.db")
    assert found == set(FORMATS)


def test_ledgers_are_sound_and_can_be_charged(folder: Path) -> None:
    ledger, heads = Ledger(folder / "visits.db"), json.loads((folder / "heads.json").read_text())
    assert ledger.verify(heads["visits"]) == heads["visits"]
    assert [spend.sealed for spend in ledger.spends()] == [True] * len(JOBS) + [False]
    assert ledger.spent.epsilon == Fraction(heads["spent"])
    assert ledger.publish(NEW, lambda head, secret: b"new", data=lambda: b"data").fresh
    assert Ledger(folder / "visits.db").verify(heads["visits"])


@pytest.mark.parametrize("serves", [False, True])
def test_ledgers_return_what_they_sealed_for_the_data_of_then(folder: Path, serves: bool) -> None:
    ledger, data = Ledger(folder / "visits.db", serves=serves), of_files([str(folder / "visits.csv")])
    for name, spend in zip(JOBS, ledger.spends(), strict=False):
        asked: Any = (spend.request, spend.cost, spend.events, spend.dataset, spend.neighbours)
        sealed = ledger.publish(Charge(*asked), lambda head, secret: b"", data=lambda: data)
        assert sealed.content == (folder / f"{name}.parquet").read_bytes()
        if not serves:
            with pytest.raises(DataChanged):
                ledger.publish(Charge(*asked), lambda head, secret: b"", data=lambda: b"other data")


def test_a_charge_in_parts_returns_what_it_sealed(tmp_path: Path) -> None:
    path = tmp_path / "parts.db"
    path.write_bytes(gzip.decompress((MADE / "0.10.parts" / "parts.db.gz").read_bytes()))
    heads = json.loads((MADE / "0.10.parts" / "heads.json").read_text())
    ledger = Ledger(path)
    assert ledger.verify(heads["parts"]) == heads["parts"]
    (spend,) = ledger.spends()
    assert spend.state == "2 of 3 parts sealed, 1 not finished"
    assert ledger.spent.epsilon == 1
    for day in ("Monday", "Tuesday"):
        assert ledger.publish_part(WEEK, day, part_work).content == f"noise of {day}".encode()
    with pytest.raises(LedgerError, match="the secret of row 1 is missing"):
        ledger.publish_part(WEEK, "Wednesday", part_work)
    assert ledger.publish(NEW, lambda head, secret: b"new").fresh


def part_work(head: str, keys: PartKeys) -> PartResult:
    return PartResult(b"another draw", ())


@pytest.mark.parametrize("name", JOBS)
def test_releases_are_loaded_and_belong_to_their_ledger(folder: Path, name: str) -> None:
    release = hc.load(folder / f"{name}.parquet")
    assert len(release)
    assert release.summary()
    assert release.explain()
    assert release.report(folder / "r.html", ledger=folder / "visits.db").exists()


def test_plans_of_this_format_are_read_and_others_refused_with_a_clear_line(folder: Path) -> None:
    text = (folder / "plan.json").read_text()
    if json.loads(text)["headcount"] == FORMAT:
        assert hc.Plan.from_json(text).to_json() == text
    else:
        with pytest.raises(BadParameter, match=r"made by another version of headcount\. Fix: make it again: hc\.plan"):
            hc.Plan.from_json(text)
