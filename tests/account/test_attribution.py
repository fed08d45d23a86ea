"""Who made a charge, and what for: in the chain, never in the identity of the charge."""

import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headcount as hc
from headcount import Charge, Cost, Ledger
from headcount.account.ledger.record.chain import Row, digest
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.errors import BadParameter, LedgerTampered
from headcount.wording.typed import LONGEST
from tests.account.test_ledger import append, charged

MADE_BY_0_8 = Path(__file__).parents[1] / "formats" / "0.8"
ONE = Cost(Fraction(1), Fraction(0))
COUNT = Charge("people per word", ONE)
ADA: dict[str, Any] = {"analyst": "Ada Lovelace", "purpose": "weekly report"}
PLAYS = pa.table({"listener": range(200), "song": [f"song {user % 2}" for user in range(200)]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Ledger(tmp_path / "visits.db", epsilon=5, delta=1e-5)
    return tmp_path / "visits.db"


def work(head: str, secret: bytes) -> bytes:
    return secret


def fails(head: str, secret: bytes) -> bytes:
    raise MemoryError


def stated(path: Path) -> list[tuple[str, str]]:
    return [(spend.analyst, spend.purpose) for spend in Ledger(path).spends()]


def test_a_charge_records_who_makes_it_and_what_for(path: Path) -> None:
    ledger = Ledger(path, **ADA)
    assert (ledger.analyst, ledger.purpose) == ("Ada Lovelace", "weekly report")
    ledger.publish(COUNT, work)
    Ledger(path).publish(Charge("another", ONE), work)
    Ledger(path, purpose="größte Wörter & <b>").publish(Charge("a third", ONE), work)
    assert stated(path) == [("Ada Lovelace", "weekly report"), ("", ""), ("", "größte Wörter & <b>")]
    Ledger(path).verify()


def test_every_job_takes_such_a_ledger(path: Path) -> None:
    hc.total(hc.table(PLAYS, name="plays"), user="listener", epsilon=1, count="users", ledger=Ledger(path, **ADA))
    assert stated(path) == [("Ada Lovelace", "weekly report")]


def test_the_same_request_for_another_purpose_is_the_same_charge(path: Path) -> None:
    """One draw of noise, and what was stated first stays."""
    first = Ledger(path, **ADA).publish(COUNT, work, data=lambda: b"rows")
    others: tuple[dict[str, Any], ...] = ({}, {"purpose": "a second look"}, {**ADA, "analyst": "Bob"})
    for other in others:
        repeat = Ledger(path, **other).publish(COUNT, work, data=lambda: b"rows")
        assert (repeat.content, repeat.fresh) == (first.content, False)
    assert stated(path) == [("Ada Lovelace", "weekly report")]
    Ledger(path, analyst="Bob").publish(COUNT, work, again=True, data=lambda: b"rows")
    assert stated(path) == [("Ada Lovelace", "weekly report"), ("Bob", "")]


@pytest.mark.parametrize("again", [False, True])
def test_a_charge_that_was_not_finished_keeps_what_was_stated(path: Path, again: bool) -> None:
    with pytest.raises(MemoryError):
        Ledger(path, **ADA).publish(COUNT, fails)
    (file,) = path.parent.glob("visits.db.secret-*")
    secret = file.read_bytes()
    assert Ledger(path, analyst="Bob", purpose="other").publish(COUNT, work, again=again).content == secret
    assert stated(path) == [("Ada Lovelace", "weekly report")]


def test_a_charge_without_them_has_no_such_fields(path: Path) -> None:
    Ledger(path).publish(COUNT, work)
    with SqliteStore.at(path).reading() as transaction:
        _, charge, _ = transaction.rows()
    assert set(charge.fields()) == set(charged("x", 1, 1))


def test_ledgers_of_version_0_8_take_them(tmp_path: Path) -> None:
    heads = json.loads((MADE_BY_0_8 / "heads.json").read_text())
    path = tmp_path / "own.db"
    path.write_bytes(gzip.decompress((MADE_BY_0_8 / "own.db.gz").read_bytes()))
    Ledger(path, **ADA).publish(Charge("new", ONE), work)
    assert Ledger(path).verify(heads["own"])
    assert stated(path) == [("", ""), ("", ""), ("Ada Lovelace", "weekly report")]


# forged


def forge(path: Path, change: dict[str, str | None]) -> None:
    """Change the fields of the first charge and its own hash, as anybody with the file could."""
    with SqliteStore.at(path).writing() as transaction:
        first, charge, *_ = transaction.rows()
        fields = {name: value for name, value in {**charge.fields(), **change}.items() if value is not None}
        row = Row.after(first, kind="reserve", request=charge.request, reserved=None, body=fields)
        transaction.connection.execute("UPDATE entry SET body = ?, hash = ? WHERE number = 1", (row.body, row.hash))


@pytest.mark.parametrize("change", [{"analyst": "Bob"}, {"purpose": "other"}, {"purpose": None}, {"analyst": None}])
def test_an_edit_is_found_by_the_rows_after_it(path: Path, change: dict[str, str | None]) -> None:
    Ledger(path, **ADA).publish(COUNT, work)
    forge(path, change)
    with pytest.raises(LedgerTampered, match="row 2 does not follow from the rows before it"):
        Ledger(path)


def test_they_cannot_be_added_later(path: Path) -> None:
    Ledger(path).publish(COUNT, work)
    forge(path, {"purpose": "an honest one"})
    with pytest.raises(LedgerTampered, match="row 2 does not follow"):
        Ledger(path)


@pytest.mark.parametrize("extra", [{"analyst": 5}, {"purpose": None}, {"purpose": ["x"]}])
def test_a_row_with_something_else_is_no_charge(path: Path, extra: Any) -> None:
    body = {**charged("forged", 1, 1), **extra}
    append(path, "reserve", digest(body), None, body)
    with pytest.raises(LedgerTampered, match="row 1 is not a charge"):
        Ledger(path)


# bad input


@pytest.mark.parametrize("name", ["analyst", "purpose"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a text is needed"),
        ("  ", "a text is needed"),
        (5, "a text is needed"),
        (b"Ada", "a text is needed"),
        (["Ada"], "a text is needed"),
        ("Ada\nrow 7", "one line without control characters"),
        ("Ada\x1b[2J", "one line without control characters"),
        ("Ada\x00", "one line without control characters"),
        ("Ada\u202eabc", "one line without control characters"),
        ("Ada\ud800", "one line without control characters"),
        ("x" * (LONGEST + 1), f"501 characters; at most {LONGEST} are kept"),
    ],
)
def test_bad_texts_are_refused(tmp_path: Path, name: str, text: Any, message: str) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(BadParameter, match=message) as refusal:
        Ledger(path, epsilon=1, **{name: text})
    assert str(refusal.value).endswith(f"Fix: {refusal.value.fix}")
    assert refusal.value.fix.startswith(f'{name}="')
    assert str(refusal.value).isprintable()
    assert not path.exists()


def test_the_longest_text(path: Path) -> None:
    Ledger(path, purpose="é" * LONGEST).publish(COUNT, work)
    assert stated(path) == [("", "é" * LONGEST)]
