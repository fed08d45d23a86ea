"""Which files are read, and by which names: several at once, what separates them, odd columns, and clear refusals."""

import gzip
import os
import socket
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount
from tests.tables import released

import headcount as hc
from headcount.errors import HeadcountError, NotATable, ReadingFailed
from headcount.source import contributions
from headcount.source.events import open_events
from headcount.source.scales.amounts import GRID, LARGEST_AMOUNT

CSV = "user,item\n1,a\n2,a\n"


def read(data: Any, *columns: str) -> list[tuple[Any, ...]]:
    """These columns as the engine sees them."""
    found = open_events(data, columns or ("user", "item")).table().to_pyarrow()
    return sorted(zip(*(column.to_pylist() for column in found.columns), strict=True))


NAMES = ["person", "Person_1", 'a"b', "a.b", "*", "a\0b", "a", "", "column0", "c0", "'; --", "^a$", "person_1_1"]


def test_a_column_of_a_parquet_file_is_the_one_of_its_name(tmp_path: Path) -> None:
    """Among decoys: whatever a name means to an engine, the column is found by its place."""
    pq.write_table(pa.table([[f"value of {name!r}"] for name in NAMES], names=NAMES), tmp_path / "t.parquet")
    for name in NAMES:
        assert read(tmp_path / "t.parquet", name, "c0") == [(f"value of {name!r}", "value of 'c0'")]


def test_columns_that_a_reader_would_call_another_way(tmp_path: Path) -> None:
    """DuckDB calls the second column `User_1`, and the third one `User_1_1`."""
    table = pa.table([["right"], ["wrong"], ["decoy"]], names=["user", "User", "User_1"])
    pq.write_table(table, tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", "User_1") == [("decoy",)]
    with pytest.raises(HeadcountError, match="no column 'User_1_1'"):
        read(tmp_path / "t.parquet", "User_1_1")
    for name in ("user", "User"):
        with pytest.raises(HeadcountError, match="which differ in capitals only"):
            read(tmp_path / "t.parquet", name)


def test_names_that_cannot_be_asked_for(tmp_path: Path) -> None:
    """Before anything is charged."""
    (tmp_path / "t.jsonl").write_text('{"user": 1}\n')
    with pytest.raises(NotATable, match=r"not a table that can be read as .jsonl"):
        read(tmp_path / "t.jsonl", "us\0er")


def test_folders_are_no_columns(tmp_path: Path) -> None:
    (tmp_path / "user=5").mkdir()
    pq.write_table(pa.table({"user": [1, 2], "item": ["a", "a"]}), tmp_path / "user=5" / "t.parquet")
    assert read(str(tmp_path / "*" / "*.parquet")) == [(1, "a"), (2, "a")]


def test_files_may_have_their_columns_in_any_order(tmp_path: Path) -> None:
    pq.write_table(pa.table({"user": [1], "item": ["a"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"x": [0.5], "item": ["b"], "user": [2]}), tmp_path / "2.parquet")
    assert read(str(tmp_path / "*.parquet")) == [(1, "a"), (2, "b")]


def test_a_list_of_files_is_one_table(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(CSV)
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"user,item\n2,a\n3,a\n"))
    paths = [tmp_path / "1.csv", str(tmp_path / "2*.gz")]
    assert released(paths, keys=["a"]) == {"a": 3}
    plan = hc.plan("histogram", paths, user="user", by="item", epsilon=1)
    assert plan.dataset == "1.csv, 2*.gz"
    with pytest.raises(NotATable, match=r"1.csv: a file that is there twice. Fix: each file once"):
        read([*paths, str(tmp_path / "*.csv")])
    pq.write_table(pa.table({"user": [1], "item": ["a"]}), tmp_path / "3.parquet")
    with pytest.raises(NotATable, match=r"files of several kinds: .csv, .parquet. Fix: files of one kind"):
        read([*paths, tmp_path / "3.parquet"])


def test_several_files_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(CSV)
    (tmp_path / "2.csv").write_text(CSV)
    asked = ("--user", "user", "--by", "item", "--keys", "a", "--bound", "1", "--epsilon", "1", "--dry-run")
    done = headcount("histogram", "1.csv", "2.csv", *asked, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("people per item, from 1.csv, 2.csv\n")


@pytest.mark.parametrize(("separator", "name"), [(";", "t.csv"), ("\t", "t.csv"), ("\t", "t.tsv"), (",", "t.csv")])
def test_the_header_tells_what_separates(tmp_path: Path, separator: str, name: str) -> None:
    text = separator.join(("user", "item")) + "\n" + separator.join(("1", "a|b")) + f'\n2{separator}"x{separator},y"\n'
    (tmp_path / name).write_text(text)
    assert read(tmp_path / name) == [("1", "a|b"), ("2", f"x{separator},y")]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "t.csv",
            b"user,item\r1,a\r2,a\r",
            "holds a carriage return: lines end with a line feed. Fix: tr '\\r' '\\n' <",
        ),
        ("t.csv", CSV.encode("utf-16"), "its first line is UTF-16, or no text. Fix: iconv -f UTF-16 -t UTF-8 t.csv"),
        ("t.csv", "prénom,item\n1,a\n".encode("latin-1"), "its first line is not UTF-8. Fix: iconv -f LATIN1 -t UTF-8"),
        ("t.csv", gzip.compress(CSV.encode(), mtime=0), "compressed by gzip. Fix: gunzip it, or call it t.csv.gz"),
        ("t.csv.gz", CSV.encode(), "not compressed by gzip. Fix: t.csv, if that is what it is"),
        ("t.csv.zip", b"PK", "compressed. Fix: unpack it (gunzip, unzip, ...): t.csv"),
        ("t.parquet.gz", gzip.compress(b"", mtime=0), "compressed. Fix: unpack it (gunzip, unzip, ...): t.parquet"),
        (
            "t.json",
            b"[]",
            "JSON that is not line by line. Fix: a file that ends in .jsonl, with an object on each line",
        ),
        ("t.csv", b'"user,item\n1,a\n', "does not give each column a name of its own"),
        ("t.csv", b"user" * 300_000 + b",item\n1,a\n", "longer than"),
    ],
    ids=["returns", "utf-16", "latin-1", "gzip", "no gzip", "zip", "packed parquet", "json", "open quote", "long"],
)
def test_files_are_refused_with_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, said: str
) -> None:
    """By the first line and the name, before a ledger is charged: no row decides."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(NotATable) as refused:
        read(name)
    assert said in str(refused.value)
    assert str(refused.value).startswith(f"{name}: ")


def test_what_is_not_utf8_in_a_row_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("user,item\n1,été\n2,a\n".encode("latin-1"))
    (tmp_path / "t.jsonl").write_bytes('{"user": "1", "item": "été"}\n{"user": 2, "item": "a"}\n'.encode("latin-1"))
    assert read(tmp_path / "t.csv") == read(tmp_path / "t.jsonl") == [("1", "\ufffdt\ufffd"), ("2", "a")]


@pytest.mark.parametrize("cut", [20, 4])
def test_a_broken_gzip_is_a_reading_failure(tmp_path: Path, cut: int) -> None:
    packed = gzip.compress(b'{"user": "1", "item": "a"}\n')
    (tmp_path / "t.jsonl.gz").write_bytes(packed[:-cut] + (b"" if cut == 20 else b"\0\0\0\0"))
    with pytest.raises(ReadingFailed, match="the rows could not be read to their end"):
        released(tmp_path / "t.jsonl.gz", keys=["a"])


def test_what_is_no_regular_file_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "pipe.csv")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s.jsonl"))
        for name in ("pipe.csv", "link.parquet", "s.jsonl", "pi*.csv"):
            with pytest.raises(NotATable, match="a pipe, a device or a socket, not a regular file"):
                read(str(tmp_path / name))
    with pytest.raises(NotATable, match="not a regular file"):
        hc.load(tmp_path / "pipe.csv")
    with pytest.raises(NotATable, match="not a regular file"):
        hc.stream.Counter.load(tmp_path / "pipe.csv")
    (tmp_path / "t.csv").write_text(CSV)
    asked = ("--user", "user", "--by", "item", "--keys-file", "pipe.csv", "--epsilon", "1")
    assert "not a regular file" in headcount("histogram", "t.csv", *asked, cwd=tmp_path).stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_the_right_to_read_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(CSV)
    (tmp_path / "t.csv").chmod(0)
    with pytest.raises(NotATable, match=r"no rights to read it. Fix: chmod u\+r"):
        read(tmp_path / "t.csv")


def test_no_rights_as_the_system_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where tests are run by root."""
    (tmp_path / "t.csv").write_text(CSV)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(NotATable, match=r"no rights to read it. Fix: chmod u\+r"):
        read(tmp_path / "t.csv")


AMOUNTS = ["1.5", " 2 ", "1e1", "-1", "ten", "", "nan", "0x10", "1_000", "inf"]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_amounts_may_be_text(tmp_path: Path, kind: str) -> None:
    """What is no number is left out; what is beyond the largest amount counts as that."""
    data = tmp_path / f"t.{kind}"
    if kind == "csv":
        data.write_text("user,item,price\n" + "".join(f"{index},a,{text}\n" for index, text in enumerate(AMOUNTS)))
    else:
        lines = (f'{{"user": {index}, "item": "a", "price": "{text}"}}\n' for index, text in enumerate(AMOUNTS))
        data.write_text("".join(lines) + '{"user": 99, "item": "a", "price": 2.5}\n')
    plan = hc.plan("histogram", data, user="user", by="item", sum="price", epsilon=1)
    assert plan.columns["price"] == "string"
    table = open_events(data, ["user", "item", "price"]).table()
    found = contributions(table, [None], events=False, keys=None, amounts=True).table.to_pyarrow()
    people, amounts = (found[name].to_pylist() for name in ("user", "amount"))
    added = {int(person): amount / GRID for person, amount in zip(people, amounts, strict=True)}
    assert added == {0: 1.5, 1: 2, 2: 10, 3: 0, 9: LARGEST_AMOUNT, **({99: 2.5} if kind == "jsonl" else {})}
