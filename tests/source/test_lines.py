"""One line of a file touches no other: CSV and JSON lines with a broken line anywhere, cut into blocks anywhere."""

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from tests.tables import released

from headcount.source.events import open_events
from headcount.source.files import blocks, delimited
from headcount.source.files.delimited import Dialect
from headcount.source.reading import progress

Row = tuple[str | None, ...]


def rows(path: Path, separator: str = ",", width: int = 2) -> Counter[Row]:
    """All records of a CSV, as often as they are there."""
    found: Counter[Row] = Counter()
    for batch in delimited.parsed(
        blocks.blocks(io.BytesIO(path.read_bytes())), Dialect(separator, width), range(width)
    ):
        found.update(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    return found


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Read in blocks of so many bytes, with records of at most 1,000."""

    def small(size: int) -> None:
        monkeypatch.setattr(blocks, "BLOCK", size)
        for module in (blocks, delimited):
            monkeypatch.setattr(module, "LONGEST", 1000)

    return small


HONEST = [
    '{},"a, b"',
    "{},a",
    '{},"say ""hi"""',
    '{},""',
    '{},","',
    '{},"x\ny"',
    "{},",
    "{}, é ",
    '"{}","\r\n z"',
    "{},x;y\tz",
]
"""Records of others. No quote can stay open before the first one: `"a` neither closes it nor is doubled."""
SIGNS = ['"', '""', ",", "\r", "\0", "\x1f", "a", "m,", 'm,"', '",', "\u2028", " ", "\\", "'", "\ufeff", "é", ";", "\t"]


def poisoned(chance: Random) -> bytes:
    """A line that may hold anything but a line feed, whether it is text or not."""
    text = "".join(chance.choices(SIGNS, k=chance.randrange(9))).encode()
    return text.replace(b"'", b"\xff\xe2") if chance.random() < 0.5 else text


def honest(number: int, chance: Random, end: str) -> list[bytes]:
    """One of each kind."""
    ends = [chance.choice(["\n", "\r\n"]) if end == "mixed" else end for _ in HONEST]
    return [(line.format(number) + each).encode() for line, each in zip(HONEST, ends, strict=True)]


@pytest.mark.slow(but=["4194304-\\n", "3000-\\r\\n", "4194304-mixed"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "mixed"])
@pytest.mark.parametrize("size", [1 << 22, 3000, 250])
def test_a_line_of_a_csv_touches_no_other(tmp_path: Path, cut: Callable[[int], None], end: str, size: int) -> None:
    """Every record but the broken one is read as before, wherever it stands and wherever the file is cut."""
    chance, path = Random(size), tmp_path / "t.csv"
    groups = [honest(number, chance, end) for number in range(1_200)]
    cut(size)
    path.write_bytes(b"user,item\n" + b"".join(map(b"".join, groups)))
    before = rows(path)
    assert before.total() == len(HONEST) * len(groups)
    for group in groups:
        group.insert(chance.randint(1, len(group)), poisoned(chance) + chance.choice([b"\n", b"\r\n"]))
    path.write_bytes((b"user,item\n" + b"".join(map(b"".join, groups))).removesuffix(b"\n"))
    after = rows(path)
    assert before - after == Counter()
    assert (after - before).total() <= len(groups)


VALUES = ["a", "", ",", '"', "\n", "7,a\n8,a\n", '"a"', " ", "é", "\u2028", ";", "x\x00y", "\t", "'", '",\n"', "\ufeff"]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_csv_of_a_library_is_read_exactly(
    tmp_path: Path, cut: Callable[[int], None], separator: str, end: str
) -> None:
    """Whatever its values are: also line ends, and what looks like records of others."""
    chance, path = Random(19), tmp_path / "t.csv"
    for number in range(60):
        quoting: Any = csv.QUOTE_ALL if number % 2 else csv.QUOTE_MINIMAL  # which leaves carriage returns as they are
        values = [*VALUES, "\r", "\r\n"] if number % 2 else VALUES
        table = [["".join(chance.choices(values, k=chance.randrange(4))) for _ in range(3)] for _ in range(9)]
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows([["a", "b", "c"], *table])
        path.write_bytes(text.getvalue().encode())
        cut(chance.choice([1 << 22, 16, 100]))
        assert rows(path, separator, 3) == Counter(tuple(value or None for value in row) for row in table)


BROKEN = {
    "a carriage return too many": (b"user,item\r\n1,x\r\r\n2,a\r\n2,a\r\n", 1),
    "a quote that is never closed": (b'user,item\n1,"b\n2,a\n3,a\n', 2),
    "a quote that is closed too early": (b'user,item\n1,"b"c\n2,a\n3,a\n', 2),
    "a wide row": (b"user,item\n1,a,x\n2,a\n", 1),
    "a narrow row": (b"user,item\n1\n2,a\n", 1),
    "a line that is too long": (b"user,item\n1," + b"x" * 9_000_000 + b"\n2,a\n", 1),
    "a quote that is open for too long": (b'user,item\n2,a\n1,"' + b"x\n" * 2_000_000 + b'"\n3,a\n', 2),
    "what is no UTF-8": (b"user,item\n\xff1,a\n\xfe1,a\n2,a\n", 2),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_line_is_left_out_alone(tmp_path: Path, case: str) -> None:
    content, people = BROKEN[case]
    (tmp_path / "t.csv").write_bytes(content)
    assert released(tmp_path / "t.csv", keys=["a"]) == {"a": people}


@pytest.mark.parametrize("size", [1 << 22, 1500, 16])
def test_where_a_file_is_cut_changes_nothing(tmp_path: Path, cut: Callable[[int], None], size: int) -> None:
    """Neither a line that is too long, which is left out as a whole, nor a mark (U+FEFF) that begins a block."""
    cut(size)
    marked = [(f"\ufeff{number}", "a") for number in range(200)]
    long = f"1,{'x' * 5000}\n2,{'y' * 997}\n3,{'z' * 998}\n"  # with its end the second one has 1,000 bytes
    (tmp_path / "t.csv").write_text(
        "user,item\n" + long + "".join(f"{user},{item}\n" for user, item in marked) + long[:4000]
    )
    assert rows(tmp_path / "t.csv") == Counter([*marked, ("2", "y" * 997)])


def test_thousands_of_broken_lines_at_once(tmp_path: Path) -> None:
    """None of them opens a quote that another one closes: this alone makes one record of many lines."""
    chance = Random(19)
    broken = [line for line in (poisoned(chance) for _ in range(20_000)) if b'"' not in line][:10_000]
    others = [f'{number},"a, b"\r\n'.encode() for number in range(len(broken))]
    lines = [part for pair in zip(others, (line + b"\n" for line in broken), strict=True) for part in pair]
    (tmp_path / "t.csv").write_bytes(b"user,item\n" + b"".join(lines))
    assert released(tmp_path / "t.csv", keys=["a, b"]) == {"a, b": len(others)}


DEEP = '{"user": ' + "[" * 100_000 + "]" * 100_000 + ', "item": "a"}'
ODD = [
    b'{"user": "\xff", "item": 1}',
    b'{"user": 1, "item": "\x00"}',
    b"\x1f",
    b"\xff\xfe",
    b'{"user": "x\xe2\x80\xa8"}',
]
ODD += [
    b'{"user": 1e400}',
    b'{"user": 1, "user": 2}',
    b'{"user":' + b"9" * 5000 + b"}",
    b'{"user": "\\ud800"}',
    b"{",
    b'"',
]
ODD += [
    DEEP.encode(),
    b"x" * 3_000_000,
    b'{"user": "' + b"y" * 9_000_000 + b'"}',
    b"\r",
    b"",
    b"[1]\r{}\r",
    b'{"user"\x1f:1}',
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_of_a_jsonl_touches_no_other(tmp_path: Path, end: bytes) -> None:
    chance = Random(19)
    odd = [*ODD, *(poisoned(chance) for _ in range(10_000))]
    others = [json.dumps({"user": f"p{number}", "item": "a"}).encode() for number in range(len(odd))]
    lines = [part + end for pair in zip(others, odd, strict=True) for part in pair]
    (tmp_path / "t.jsonl").write_bytes(b"".join(lines))
    assert released(tmp_path / "t.jsonl", keys=["a"]) == {"a": len(others)}


def read(data: Any) -> list[Row]:
    """The rows of a table as the engine sees them."""
    found = open_events(data, ["user", "item"]).table().to_pyarrow()
    return sorted(zip(*(column.to_pylist() for column in found.columns), strict=True))


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "ndjson"])
def test_compressed_lines_are_read(tmp_path: Path, kind: str) -> None:
    content = '{"user": 1, "item": "a"}\n{"user": 2, "item": "a"}\n' if "j" in kind else "user,item\n1,a\n2,a\n"
    plain, packed = tmp_path / f"t.{kind}", tmp_path / f"p.{kind}.gz"
    plain.write_text(content.replace(",", "\t") if kind == "tsv" else content)
    packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    assert read(packed) == read(plain) == [("1", "a"), ("2", "a")]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_mark_at_the_beginning_is_no_text(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(start + b"user,item\n1,a\n")
    (tmp_path / "t.jsonl").write_bytes(start + b'{"user": 1, "item": "a"}\n')
    assert read(tmp_path / "t.csv") == read(tmp_path / "t.jsonl") == [("1", "a")]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The part of the file that was read, as it is on disk."""
    content = b"user,item\n" + b"".join(b"%d,%x\n" % (place, place**3) for place in range(200_000))
    (tmp_path / name).write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    monkeypatch.setattr(blocks, "BLOCK", 1 << 16)
    found = open_events(tmp_path / name, ["user", "item"]).table()
    batches = pa.RecordBatchReader.from_stream(
        blocks.Stream(
            [str(tmp_path / name)],
            ["column0", "column1"],
            partial(delimited.parsed, dialect=Dialect(",", 2), indices=[0, 1]),
        )
    )
    parts = [progress() or -1 for _ in batches]
    assert parts == sorted(parts)
    assert parts[0] < 0.5 < parts[-1] <= 1
    assert progress() is None
    assert found.count().to_pyarrow().as_py() == 200_000


def test_lists_are_no_objects_also_where_columns_are_called_by_numbers(tmp_path: Path) -> None:
    lines = ['{"0": "a", "1": "b"}'] * 3 + ['["n", "x"]'] * 5
    (tmp_path / "e.jsonl").write_text("\n".join(lines))
    events = open_events(str(tmp_path / "e.jsonl"), ["0", "1"])
    assert events.table().count().to_pyarrow().as_py() == 3
