"""A sealed answer is returned for the same data only: for others it is a new question, and refused until it is paid."""

import hmac
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.account import Charge, Cost, Ledger
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.errors import BadParameter, BudgetExceeded, DataChanged, LedgerError, ReadingFailed
from headcount.source import identified, open_events
from headcount.source.engines.limits import Limits
from tests.platforms import posix_only

ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "bound": 1, "keys": ["a", "b"]}
JANUARY: dict[str, list[Any]] = {"user": [1, 2, 3, 4], "item": ["a", "b", "a", "a"]}
FEBRUARY: dict[str, list[Any]] = {"user": [1, 2, 3, 4], "item": ["b", "b", "b", "a"]}
CHANGED = "the data changed since this request was charged"
PROMISE = "each row belongs to one person"


def on_duckdb(rows: dict[str, list[Any]]) -> Any:
    connection = duckdb.connect()
    connection.register("arrow", pa.table(rows))
    connection.execute("CREATE TABLE visits AS SELECT * FROM arrow")
    return connection


KINDS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": lambda rows: pl.DataFrame(rows).lazy(),
    "pyarrow": pa.table,
    "relation": lambda rows: on_duckdb(rows).table("visits"),
    "ibis": lambda rows: ibis.duckdb.from_connection(on_duckdb(rows)).table("visits"),
}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)


def write(path: Path, rows: dict[str, list[Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.table(rows), path)
    elif path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    else:
        pd.DataFrame(rows).to_json(path, orient="records", lines=True)
    return path


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", KINDS)
def test_another_frame_is_not_answered_with_the_first_ones_release(ledger: Ledger, kind: str) -> None:
    first = hc.histogram(hc.table(KINDS[kind](JANUARY), name="visits"), **ASKED, ledger=ledger)
    assert hc.histogram(hc.table(KINDS[kind](JANUARY), name="visits"), **ASKED, ledger=ledger).content == first.content
    with pytest.raises(LedgerError, match=CHANGED) as refused:
        hc.histogram(hc.table(KINDS[kind](FEBRUARY), name="visits"), **ASKED, ledger=ledger)
    assert "hc.plan(...).release(ledger=ledger, again=True)" in refused.value.fix
    assert 'hc.table(data, name="visits-May")' in refused.value.fix
    assert len(ledger.spends()) == 1
    assert hc.histogram(hc.table(KINDS[kind](FEBRUARY), name="February"), **ASKED, ledger=ledger).fresh
    assert ledger.spent.epsilon == 2


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
def test_files_of_one_name_in_two_folders_are_two(ledger: Ledger, tmp_path: Path, ending: str) -> None:
    january, february = (
        write(tmp_path / month / f"v{ending}", rows) for month, rows in [("jan", JANUARY), ("feb", FEBRUARY)]
    )
    release = hc.histogram(january, **ASKED, ledger=ledger)
    with pytest.raises(LedgerError, match=CHANGED):
        hc.histogram(february, **ASKED, ledger=ledger)
    assert hc.histogram(january, **ASKED, ledger=ledger).content == release.content


def test_a_file_that_grew_is_refused_and_paid_for_with_again(ledger: Ledger, tmp_path: Path) -> None:
    path = write(tmp_path / "visits.csv", JANUARY)
    first = hc.histogram(path, **ASKED, ledger=ledger)
    small = path.read_text()
    path.write_text(small + "5,b\n")
    with pytest.raises(LedgerError, match=CHANGED):
        hc.histogram(path, **ASKED, ledger=ledger)
    second = hc.plan("histogram", path, **ASKED).release(ledger=ledger, again=True)
    assert second.fresh
    assert hc.histogram(path, **ASKED, ledger=ledger).content == second.content
    path.write_text(small)
    assert hc.histogram(path, **ASKED, ledger=ledger).content == first.content
    assert len(ledger.spends()) == 2


def test_files_of_a_pattern_are_the_same_under_other_names(ledger: Ledger, tmp_path: Path) -> None:
    write(tmp_path / "days" / "1.csv", JANUARY)
    write(tmp_path / "days" / "2.csv", FEBRUARY)
    asked, days = {**ASKED, "ledger": ledger}, hc.table(tmp_path / "days" / "*.csv", name="days")
    release = hc.histogram(days, **asked)
    (tmp_path / "days" / "1.csv").rename(tmp_path / "days" / "3.csv")
    assert hc.histogram(days, **asked).content == release.content
    write(tmp_path / "days" / "4.csv", JANUARY)
    with pytest.raises(LedgerError, match=CHANGED):
        hc.histogram(days, **asked)


def test_a_charge_that_was_never_sealed_is_for_its_data_too(ledger: Ledger) -> None:
    plan = hc.plan("histogram", hc.table(pa.table(JANUARY), name="visits"), **ASKED)

    def stop(step: str) -> None:
        if step == "reading":
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        plan.release(ledger=ledger, progress=stop)
    assert [spend.sealed for spend in ledger.spends()] == [False]
    with pytest.raises(LedgerError, match=CHANGED):
        plan.release(pa.table(FEBRUARY), ledger=ledger)
    assert plan.release(ledger=ledger).fresh
    assert [spend.sealed for spend in ledger.spends()] == [True]


@pytest.mark.parametrize("kind", [each for each in KINDS if each != "ibis"])
def test_data_without_a_name_are_refused_by_a_ledger_alone(ledger: Ledger, kind: str) -> None:
    plan = hc.plan("histogram", KINDS[kind](JANUARY), **ASKED)
    assert plan.release().fresh
    with pytest.raises(
        BadParameter, match=r'a ledger needs to know what the data are called\. Fix: hc\.table\(data, name="visits"\)'
    ):
        plan.release(ledger=ledger)
    with pytest.raises(BadParameter, match="a ledger needs to know"):
        hc.Plan.from_json(plan.to_json()).release(KINDS[kind](JANUARY), ledger=ledger)
    assert ledger.spends() == ()


def fingerprint(rows: dict[str, list[Any]], kind: str = "pyarrow") -> bytes:
    return identified(open_events(KINDS[kind](rows), ["user", "item"]), Limits())[0]


BASE: dict[str, list[Any]] = {"user": [1, 2, None, 3], "item": ["a", None, "b", "a"]}


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_and_the_other_columns_do_not_matter(kind: str) -> None:
    moved = {name: [*reversed(column)] for name, column in BASE.items()}
    assert fingerprint(BASE, kind) == fingerprint(moved, kind) == fingerprint({**BASE, "beside": [1, 2, 3, 4]}, kind)


@pytest.mark.parametrize(
    "other",
    [
        {"user": [1, 2, None], "item": ["a", None, "b"]},
        {"user": [1, 2, None, 3, 3], "item": ["a", None, "b", "a", "a"]},
        {"user": [1, 2, None, 3, 3, 3], "item": ["a", None, "b", "a", "a", "a"]},
        {"user": [1, 2, None, 3], "item": ["a", None, "b", "A"]},
        {"user": [1, 2, None, 3], "item": [None, "a", "b", "a"]},
        {"user": [1, 2, 0, 3], "item": ["a", None, "b", "a"]},
        {"user": [1, 2, None, 3], "item": ["a", "", "b", "a"]},
        {"user": [], "item": []},
    ],
)
def test_every_changed_cell_and_every_row_matters(other: dict[str, list[Any]]) -> None:
    schema = pa.schema({"user": pa.int64(), "item": pa.string()})
    one, two = (pa.table(rows, schema=schema) for rows in (BASE, other))
    first, second = (identified(open_events(each, ["user", "item"]), Limits())[0] for each in (one, two))
    assert first != second


def test_a_frame_is_converted_once(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    from headcount.source.frames import frames

    converted: list[int] = []
    read = frames._Pandas.read

    def counted(self: Any, indices: Any, roles: Any) -> list[pa.ChunkedArray]:
        converted.append(len(indices))
        return read(self, indices, roles)

    monkeypatch.setattr(frames._Pandas, "read", counted)
    hc.histogram(hc.table(pd.DataFrame(JANUARY), name="visits"), **ASKED, ledger=ledger)
    assert converted == [2]


def test_rows_that_cannot_be_read_charge_nothing_and_are_not_quoted(ledger: Ledger) -> None:
    rows = on_duckdb(JANUARY).sql("SELECT error('person ' || user) AS user, item FROM visits")
    with pytest.raises(ReadingFailed) as refused:
        hc.histogram(hc.table(rows, name="visits", promise=PROMISE), **ASKED, ledger=ledger)
    assert "person" not in str(refused.value)
    assert ledger.spends() == ()


def test_what_is_refused_in_any_case_is_refused_before_any_row_is_read(ledger: Ledger) -> None:
    rows = on_duckdb(JANUARY).sql("SELECT error('read') AS user, item FROM visits")
    with pytest.raises(BudgetExceeded):
        hc.histogram(hc.table(rows, name="visits", promise=PROMISE), **{**ASKED, "epsilon": 9}, ledger=ledger)


# The digest that a ledger keeps, and its key

CHARGE = Charge("people per word", Cost(Fraction(1), Fraction(0)))


def publish(ledger: Ledger, data: bytes | None, charge: Charge = CHARGE, *, again: bool = False) -> bytes:
    given = None if data is None else lambda: data
    return ledger.publish(charge, lambda head, secret: head.encode(), data=given, again=again).content


def test_charges_of_ones_own_may_say_their_data(ledger: Ledger) -> None:
    first = publish(ledger, b"")
    assert publish(ledger, b"") == first
    for other in (b"x", None):
        with pytest.raises(LedgerError, match=CHANGED if other else "nobody can tell if the data are the same"):
            publish(ledger, other)
    second = publish(ledger, b"x", again=True)
    assert (publish(ledger, b""), publish(ledger, b"x")) == (first, second)


def kept(ledger: Ledger, field: str) -> list[str]:
    with SqliteStore.at(ledger.path).reading() as transaction:
        return [row.fields()[field] for row in transaction.rows() if row.kind == "reserve"]


def kept_data(ledger: Ledger) -> list[str]:
    return kept(ledger, "data")


def test_what_is_kept_tells_nothing_without_the_key(ledger: Ledger, tmp_path: Path) -> None:
    """Neither which data it was, nor that two requests or two ledgers were about the same."""
    other = Ledger(tmp_path / "other.db", epsilon=3)
    publish(ledger, b"data")
    publish(ledger, b"data", Charge("another", CHARGE.cost))
    publish(other, b"data")
    found = [digest for each in (ledger, other) for digest in kept_data(each)]
    assert len({digest.partition(":")[2] for digest in found}) == 3
    assert len({digest.partition(":")[0] for digest in found}) == 2, "the key is part of it"
    key = Path(f"{ledger.path}.key")
    assert len(key.read_bytes()) == 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_bytes() not in ledger.path.read_bytes()


def test_what_is_kept_tells_nothing_of_a_second_charge_for_the_same_request(ledger: Ledger) -> None:
    """Neither that the data were the same, nor that they changed: every charge has a nonce."""
    for data in (b"data", b"data", b"other"):
        publish(ledger, data, again=True)
    assert len(set(kept_data(ledger))) == 3
    assert all(len(nonce) == 32 for nonce in kept(ledger, "nonce")), "random enough never to be equal"
    assert publish(ledger, b"data") != publish(ledger, b"other")
    with pytest.raises(DataChanged):
        publish(ledger, b"a third")
    assert len(ledger.spends()) == 3


def test_a_new_draw_does_not_finish_a_charge_for_other_data(ledger: Ledger) -> None:
    """Two charges, two secrets, and each release is for the data of its own charge."""
    secrets = dict[bytes, bytes]()

    def ask(data: bytes, *, stop: bool = False, again: bool = False) -> bytes:
        def work(head: str, secret: bytes) -> bytes:
            secrets.setdefault(data, secret)
            if stop:
                raise KeyboardInterrupt
            return data + secret

        return ledger.publish(CHARGE, work, data=lambda: data, again=again).content

    with suppress(KeyboardInterrupt):
        ask(b"first", stop=True)
    second = ask(b"second", again=True)
    assert len(ledger.spends()) == 2
    assert secrets[b"first"] != secrets[b"second"]
    assert second == b"second" + secrets[b"second"]
    assert ask(b"first") == b"first" + secrets[b"first"]
    assert ask(b"second") == second
    assert len(ledger.spends()) == 2


@pytest.mark.parametrize("other", [b"y" + bytes(99), bytes(99) + b"y", bytes(99), bytes(101)])
def test_every_byte_of_what_stands_for_the_data_matters(ledger: Ledger, other: bytes) -> None:
    publish(ledger, bytes(100))
    with pytest.raises(DataChanged):
        publish(ledger, other)


@posix_only
def test_the_key_is_on_disk_before_it_is_used(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it were lost, nobody could ask for what was charged with it."""
    synced, fsync, digested = list[str](), os.fsync, hmac.digest

    def noted(file: int) -> None:
        fsync(file)
        synced.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")

    def used(key: bytes, message: bytes, kind: str) -> bytes:
        assert synced[:2] == ["file", "folder"]
        return digested(key, message, kind)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(hmac, "digest", used)
    publish(ledger, b"data")
    assert len(synced) >= 4, "those of the secret as well"


@posix_only
def test_the_key_is_for_its_owner_alone_whatever_the_umask(ledger: Ledger) -> None:
    before = os.umask(0)
    try:
        publish(ledger, b"data")
    finally:
        os.umask(before)
    key = Path(f"{ledger.path}.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o644)
    publish(ledger, b"data")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_lost_key_is_told_apart_from_changed_data(ledger: Ledger) -> None:
    release = publish(ledger, b"data")
    key = Path(f"{ledger.path}.key")
    lost = key.read_bytes()
    key.unlink()
    with pytest.raises(LedgerError, match=r"visits\.db\.key is missing: nobody can tell"):
        publish(ledger, b"data")
    assert not key.exists()
    key.write_bytes(bytes(32))
    with pytest.raises(LedgerError, match=r"visits\.db\.key is not the key that this request was charged with"):
        publish(ledger, b"data")
    key.write_bytes(lost)
    assert publish(ledger, b"data") == release
    key.write_bytes(b"short")
    with pytest.raises(LedgerError, match="not the key of a ledger"):
        publish(ledger, b"data")
    key.unlink()
    key.symlink_to(ledger.path)
    with pytest.raises(LedgerError):
        publish(ledger, b"data")


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("ending", [".parquet", ".json", ".csv", ".html"])
def test_the_digest_is_in_no_release(ledger: Ledger, tmp_path: Path, ending: str) -> None:
    plan = hc.plan("histogram", hc.table(pa.table(JANUARY), name="visits"), **ASKED)
    written = plan.release(ledger=ledger).save(tmp_path / f"release{ending}").read_bytes()
    (digest,) = kept_data(ledger)
    for part in digest.split(":"):
        assert part.encode() not in written
        assert part not in plan.to_json()


# Files that were only written again

ROWS: dict[str, list[Any]] = {
    "user": [1, 2, 3, 4, None],
    "item": ["a", "b", "a", None, "b"],
    "price": [1.5, 2.0, 0.0, 9.0, 1.0],
}
MOVED = {name: [*reversed(column)] for name, column in ROWS.items()}


def rewrite(path: Path, rows: dict[str, list[Any]], **options: Any) -> Path:
    pq.write_table(pa.table(rows), path, **options)
    return path


REWRITTEN: dict[str, Callable[[Path], object]] = {
    "another compression": lambda path: rewrite(path, ROWS, compression="gzip"),
    "another order": lambda path: rewrite(path, MOVED),
    "other row groups": lambda path: rewrite(path, ROWS, row_group_size=2),
    "no dictionary": lambda path: rewrite(path, ROWS, use_dictionary=False, write_statistics=False),
    "one more column": lambda path: rewrite(path, {**ROWS, "city": [*"RRROO"]}),
    "another column changed": lambda path: rewrite(path, {**ROWS, "price": [1.5] * 5}),
}


@pytest.mark.parametrize("how", REWRITTEN)
def test_a_file_that_was_only_written_again_is_the_same(ledger: Ledger, tmp_path: Path, how: str) -> None:
    path = rewrite(tmp_path / "visits.parquet", ROWS)
    first, before = hc.histogram(path, **ASKED, ledger=ledger), path.read_bytes()
    REWRITTEN[how](path)
    assert path.read_bytes() != before
    assert hc.histogram(path, **ASKED, ledger=ledger).content == first.content
    assert len(ledger.spends()) == 1


def test_rows_may_move_between_the_files_of_a_pattern(ledger: Ledger, tmp_path: Path) -> None:
    asked, table = {**ASKED, "ledger": ledger}, pa.table(ROWS)
    first = hc.histogram(hc.table(rewrite(tmp_path / "visits-0.parquet", ROWS), name="visits"), **asked)
    for number in range(4):
        pq.write_table(table.slice(number, 1), tmp_path / f"visits-{number}.parquet")
    with pytest.raises(DataChanged):
        hc.histogram(hc.table(tmp_path / "visits-*.parquet", name="visits"), **asked)
    pq.write_table(table.slice(4), tmp_path / "visits-4.parquet")
    assert hc.histogram(hc.table(tmp_path / "visits-*.parquet", name="visits"), **asked).content == first.content


OTHERS: dict[str, dict[str, list[Any]]] = {
    "a person less": {name: column[1:] for name, column in ROWS.items()},
    "a row twice": {name: [*column, column[0]] for name, column in ROWS.items()},
    "another item": {**ROWS, "item": ["a", "b", "b", None, "b"]},
    "items of two people swapped": {**ROWS, "item": ["b", "a", "a", None, "b"]},
    "a value instead of none": {**ROWS, "item": ["a", "b", "a", "", "b"]},
}


@pytest.mark.parametrize("other", OTHERS)
def test_one_changed_cell_of_a_file_is_seen(ledger: Ledger, tmp_path: Path, other: str) -> None:
    path = rewrite(tmp_path / "visits.parquet", ROWS)
    hc.histogram(path, **ASKED, ledger=ledger)
    rewrite(path, OTHERS[other])
    with pytest.raises(DataChanged, match=f"^{CHANGED}: its release is about the data as they were"):
        hc.histogram(path, **ASKED, ledger=ledger)
    assert len(ledger.spends()) == 1


def test_the_columns_of_conditions_are_among_those_that_are_compared(ledger: Ledger, tmp_path: Path) -> None:
    path = rewrite(tmp_path / "visits.parquet", ROWS)
    asked = {**ASKED, "ledger": ledger, "where": {"price": (1, None)}}
    hc.histogram(path, **asked)
    rewrite(path, {**ROWS, "price": [1.5] * 5})
    with pytest.raises(DataChanged):
        hc.histogram(path, **asked)


def test_text_files_are_compared_by_their_bytes(ledger: Ledger, tmp_path: Path) -> None:
    path = write(tmp_path / "visits.csv", JANUARY)
    hc.histogram(path, **ASKED, ledger=ledger)
    write(path, {name: [*reversed(column)] for name, column in JANUARY.items()})
    with pytest.raises(DataChanged, match=rf"{CHANGED} \(of a file, its bytes\)"):
        hc.histogram(path, **ASKED, ledger=ledger)


def ask(ledger: Ledger, data: bytes, rows: bytes, *, again: bool = False, stop: bool = False) -> bytes:
    def work(head: str, secret: bytes) -> bytes:
        if stop:
            raise KeyboardInterrupt
        return secret

    return ledger.publish(CHARGE, work, data=lambda: data, rows=lambda: rows, again=again).content


def test_a_charge_that_was_not_finished_is_for_the_same_bytes_alone(ledger: Ledger) -> None:
    """Its secret meets no data but those that it was charged for; what is sealed may be returned for equal rows."""
    with suppress(KeyboardInterrupt):
        ask(ledger, b"file", b"rows", stop=True)
    with pytest.raises(DataChanged, match=r"not finished, and the file was written again since, with the same rows"):
        ask(ledger, b"written again", b"rows")
    with pytest.raises(DataChanged, match="the data changed since"):
        ask(ledger, b"another file", b"other rows")
    first = ask(ledger, b"file", b"rows")
    assert ask(ledger, b"written again", b"rows") == first
    with suppress(KeyboardInterrupt):
        ask(ledger, b"file", b"rows", again=True, stop=True)
    assert ask(ledger, b"written again", b"rows", again=True) != first
    assert len(ledger.spends()) == 3


def test_rows_are_looked_at_for_a_new_charge_and_for_other_bytes_alone(ledger: Ledger) -> None:
    looks: list[bytes] = []

    def look(data: bytes, *, again: bool = False) -> None:
        def rows() -> bytes:
            looks.append(data)
            return b""

        ledger.publish(CHARGE, lambda head, secret: secret, data=lambda: data, rows=rows, again=again)

    for data, again in ((b"file", False), (b"file", False), (b"other", False), (b"file", True)):
        look(data, again=again)
    assert looks == [b"file", b"other", b"file"]


def test_what_is_kept_of_rows_tells_nothing_without_the_key(ledger: Ledger) -> None:
    for data in (b"data", b"data", b"rowsdata"):
        ask(ledger, data, b"data", again=True)
    digests = [*kept(ledger, "rows"), *kept_data(ledger)]
    assert len({digest.partition(":")[2] for digest in digests}) == 6


@pytest.mark.parametrize("changed", [False, True])
def test_the_operators_log_compares_bytes_alone(
    ledger: Ledger, tmp_path: Path, changed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Rows would be read only if the bytes differ: whoever asks could tell by the time that takes."""
    path = rewrite(tmp_path / "visits.parquet", ROWS)
    hc.histogram(path, **ASKED, ledger=ledger)
    if changed:
        rewrite(path, MOVED)
    with caplog.at_level("INFO", "headcount"):
        hc.histogram(path, **ASKED, ledger=Ledger(ledger.path, serves=True))
    assert ("the data are not those of its charge" in caplog.text) is changed
