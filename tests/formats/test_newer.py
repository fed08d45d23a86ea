"""What a later version wrote is called newer, never changed from outside, and nothing is ever written to it."""

import json
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.account import Charge, Cost, Ledger, Part
from headcount.account.events import Laplace
from headcount.account.ledger.record.chain import Row, digest
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.errors import BadParameter, LedgerTampered, LedgerTooNew, ReleaseTooNew
from headcount.release.about import KEY
from tests.account.test_ledger import append, charged

pytestmark = pytest.mark.every_case

ONE = Cost(Fraction(1), Fraction(0))
COUNT = Charge("people per word", ONE)
UPGRADE = "Fix: pip install --upgrade headcount, and leave the file as it is"


def work(head: str, secret: bytes) -> bytes:
    return b"the release"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Ledger(tmp_path / "visits.db", epsilon=5, delta=1e-5).publish(COUNT, work)
    return tmp_path / "visits.db"


def opened_as(path: Path, change: dict[str, str]) -> None:
    """Make the opening row that of a later version, with a right hash."""
    with SqliteStore.at(path).writing() as transaction:
        transaction.connection.execute("DELETE FROM content")
        first = transaction.row(0)
        assert first is not None
        row = Row.after(None, kind="open", request="", reserved=None, body={**first.fields(), **change})
        transaction.connection.execute("DELETE FROM entry")
        transaction.append(row)


def charge(**fields: Any) -> Callable[[Path], None]:
    body = {**charged("later", 1, 2), **fields}
    return lambda path: append(path, "reserve", digest(body), None, body)


def with_another_table(path: Path) -> None:
    opened_as(path, {"format": "6"})
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE unit (number INTEGER PRIMARY KEY)")


def hashed_otherwise(path: Path) -> None:
    opened_as(path, {"format": "6"})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE entry SET hash = 'sha3:0'")


LATER: dict[str, Callable[[Path], None]] = {
    "a format of the ledger": lambda path: opened_as(path, {"format": "6"}),
    "a format that is no number": lambda path: opened_as(path, {"format": "6.1"}),
    "another table": with_another_table,
    "another hash": hashed_otherwise,
    "a format of a charge": charge(format="6"),
    "a kind of row": lambda path: append(path, "refund", "", None, {"epsilon": "-1"}),
    "a kind of row with a format": lambda path: append(path, "unit", "", None, {"format": "6"}),
}


@pytest.mark.parametrize("what", LATER)
def test_a_later_ledger_is_not_opened_and_left_as_it_is(path: Path, what: str) -> None:
    open_before = Ledger(path)
    LATER[what](path)
    content = path.read_bytes()
    with pytest.raises(LedgerTooNew, match="written by a newer headcount") as refused:
        Ledger(path)
    assert str(refused.value).endswith(UPGRADE)
    assert "restore" not in str(refused.value)
    if not what.startswith(("a format of the", "a format that", "another")):
        with pytest.raises(LedgerTooNew):
            open_before.publish(Charge("b", ONE), work)
    assert path.read_bytes() == content


def test_a_field_that_is_unknown_hinders_no_reading(path: Path) -> None:
    charge(reason="x", parts=["a", "b"])(path)
    ledger = Ledger(path)
    assert ledger.verify() == ledger.head
    assert ledger.spent.epsilon == 2
    assert [spend.sealed for spend in ledger.spends()] == [True, False]
    assert ledger.publish(COUNT, work).content == b"the release"
    assert Ledger(path, serves=True).publish(COUNT, work).content == b"the release"


@pytest.mark.parametrize("again", [False, True])
def test_a_ledger_with_an_unknown_field_is_not_written_to(path: Path, again: bool) -> None:
    charge(reason="x")(path)
    content = path.read_bytes()
    message = r"row 3 has the field 'reason': it can be read here, not written.*nothing was spent"
    with pytest.raises(LedgerTooNew, match=message):
        Ledger(path).publish(COUNT if again else Charge("b", ONE), work, again=again)
    assert path.read_bytes() == content


def test_a_release_is_not_sealed_behind_an_unknown_field(path: Path) -> None:
    """A later version writes while this one works: its release is not lost, as the charge can be finished later."""
    ledger = Ledger(path)
    body = {**charged("later", 1, 3), "reason": "x"}

    def meanwhile(head: str, secret: bytes) -> bytes:
        append(path, "reserve", digest(body), None, body)
        return b"late"

    with pytest.raises(LedgerTooNew):
        ledger.publish(Charge("b", ONE), meanwhile)
    assert [spend.sealed for spend in Ledger(path).spends()] == [True, False, False]


def test_a_version_that_knows_no_parts_refuses_a_charge_in_parts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its format says so before anything of it is read; a ledger without parts stays in format 4."""
    events = (Laplace(Fraction(1), Fraction(1)),)
    Ledger(path).reserve(Charge("days", ONE, parts=(Part("day", events),)))
    monkeypatch.setattr("headcount.account.ledger.record.formats.FORMATS", ("2", "3", "4"))
    with pytest.raises(LedgerTooNew, match="row 3 is of format '5', and this version reads up to 4"):
        Ledger(path)
    Ledger(path.with_name("other.db"), epsilon=1).publish(COUNT, work)
    assert Ledger(path.with_name("other.db")).spent == ONE


def test_parts_in_a_charge_of_format_4_are_an_unknown_field(path: Path) -> None:
    """Only format 5 says what they mean."""
    charge(parts='[["a","[]"]]')(path)
    assert [(spend.part_names, spend.sealed) for spend in Ledger(path).spends()] == [((), True), ((), False)]
    with pytest.raises(LedgerTooNew, match="has the field 'parts'"):
        Ledger(path).publish(Charge("b", ONE), work)


def test_an_unknown_field_hides_no_forgery(path: Path) -> None:
    charge(reason="x", epsilon="0")(path)
    with pytest.raises(LedgerTampered, match="row 3 does not add up"):
        Ledger(path)


def test_no_charge_is_of_an_earlier_format_than_its_ledger(path: Path) -> None:
    """Rows of version 0.8 may be for any neighbours: in a later ledger they are no way around that."""
    body = {name: text for name, text in charged("old", 1, 2).items() if name not in ("neighbours", "data", "secret")}
    append(path, "reserve", digest(body), None, {**body, "format": "2"})
    with pytest.raises(LedgerTampered, match="row 3 is not a charge"):
        Ledger(path)


# Releases and plans


def test_a_release_of_a_later_version(tmp_path: Path) -> None:
    release = hc.total(hc.example(people=50), user="user", epsilon=1, count="users")
    about = {**json.loads(release._file.schema.metadata[KEY]), "version": "0.99.0", "later": "x"}
    marked = release.table.replace_schema_metadata({KEY: json.dumps(about).encode()})
    pq.write_table(marked, tmp_path / "r.parquet")
    with pytest.raises(ReleaseTooNew) as refused:
        hc.load(tmp_path / "r.parquet")
    assert str(refused.value) == (
        "this release was made by headcount 0.99.0: this version does not know its field 'later'. "
        "Fix: pip install --upgrade headcount"
    )


def test_a_plan_of_a_later_version() -> None:
    plain = json.loads(hc.plan("total", pa.table({"user": [1]}), user="user", epsilon=1, count="users").to_json())
    with pytest.raises(BadParameter, match=r"made by a newer version of headcount\. Fix: pip install --upgrade"):
        hc.Plan.from_json(json.dumps({**plain, "headcount": 99}))
