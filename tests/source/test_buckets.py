"""The bucket of an item: the published hash, whatever the table is made of, and all buckets alike."""

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.effort import examples

from headcount.source.scales.buckets import LONG, ROWS, buckets_of, siphash

KEY = bytes(range(32))
MANY = 2**40
"""So many buckets that different items have different ones."""
MASK = 2**64 - 1
GOLDEN = [438, 836, 601, 964]
GOLDEN_PAIRS = [78, 83]


def found(values: Any, *, buckets: int = MANY, key: bytes = KEY, kind: pa.DataType | None = None) -> list[int]:
    hashed: list[int] = buckets_of(pa.table({"item": pa.array(values, kind)}), key, buckets).tolist()
    return hashed


def one_by_one(text: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 as its paper writes it."""
    v0, v1, v2, v3 = (
        key[index % 2] ^ start
        for index, start in enumerate((0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573))
    )
    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) % 256])
    words = [int.from_bytes(padded[index : index + 8], "little") for index in range(0, len(padded), 8)]
    for word, rounds in [*((word, 2) for word in words), (None, 4)]:
        if word is None:
            v2 ^= 0xFF
        else:
            v3 ^= word
        for _ in range(rounds):
            v0, v2 = (v0 + v1) & MASK, (v2 + v3) & MASK
            v1, v3 = turned(v1, 13) ^ v0, turned(v3, 16) ^ v2
            v0 = turned(v0, 32)
            v2, v0 = (v2 + v1) & MASK, (v0 + v3) & MASK
            v1, v3 = turned(v1, 17) ^ v2, turned(v3, 21) ^ v0
            v2 = turned(v2, 32)
        if word is not None:
            v0 ^= word
    return v0 ^ v1 ^ v2 ^ v3


def turned(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) & MASK


def hashed(messages: list[bytes], key: bytes) -> list[int]:
    lengths = np.array([len(message) for message in messages], dtype=np.int64)
    data = np.frombuffer(b"".join(messages), np.uint8)
    hashes: list[int] = siphash(data, lengths.cumsum() - lengths, lengths, np.frombuffer(key, "<u8")).tolist()
    return hashes


def test_the_published_vectors() -> None:
    """Of the reference implementation: the key 00 .. 0f, the messages (), 00, 00 01, ..."""
    found = hashed([bytes(range(length)) for length in range(64)], bytes(range(16)))
    assert found[15] == 0xA129CA6149BE45E5  # the one in the paper
    said = {0: "310e0edd47db6f72", 1: "fd67dc93c539f874", 2: "5a4fa9d909806c0d", 63: "724506eb4c328a95"}
    assert {index: found[index].to_bytes(8, "little").hex() for index in said} == said


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.binary(max_size=70), max_size=8), st.binary(min_size=16, max_size=16))
def test_all_at_once_is_one_by_one(messages: list[bytes], key: bytes) -> None:
    words = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    with np.errstate(all="raise"):
        assert hashed(messages, key) == [one_by_one(message, words) for message in messages]


def test_lengths_of_more_than_a_byte() -> None:
    messages = [bytes(length) for length in (LONG, 0, 255, 256, 257, 1000)]
    words = 0x0706050403020100, 0x0F0E0D0C0B0A0908
    assert hashed(messages, bytes(range(16))) == [one_by_one(message, words) for message in messages]


def test_it_never_changes() -> None:
    """These buckets are kept in states and told by releases: another version must find the same."""
    assert found(["apple", "pear", "", "Ω"], buckets=1000) == GOLDEN
    pairs = pa.table({"one": ["a", "ab"], "two": [1, 2]})
    assert buckets_of(pairs, KEY, 1000).tolist() == GOLDEN_PAIRS


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "20", "-3"], pa.large_string()),
        (["1", "20", "-3"], pa.string_view()),
        (["1", "20", "-3"], pa.dictionary(pa.int8(), pa.string())),
        ([1, 20, -3], pa.int8()),
        ([1, 20, -3], pa.int64()),
        ([1, 20, -3], pa.decimal128(38, 0)),
    ],
    ids=str,
)
def test_an_item_is_its_text(values: list[Any], kind: pa.DataType) -> None:
    assert found(values, kind=kind) == found(["1", "20", "-3"])


def test_days_moments_and_truth() -> None:
    assert found([date(2024, 1, 31)]) == found(["2024-01-31"])
    assert found([True, False]) == found(["true", "false"])
    moment = datetime(2024, 1, 31, 5, 6, 7, tzinfo=UTC)
    abroad = moment.astimezone(timezone(timedelta(hours=5)))
    plain = found([moment.replace(tzinfo=None)])
    assert found([moment]) == found([abroad]) == plain == found(["2024-01-31 05:06:07.000000"])
    assert found([moment.replace(tzinfo=None)], kind=pa.timestamp("s")) == plain
    assert found([1706677567000000001], kind=pa.timestamp("ns")) == plain
    assert len({*plain, *found([moment + timedelta(microseconds=1)]), *found([date(2024, 1, 31)])}) == 3


def test_several_columns_are_kept_apart() -> None:
    rows = [("a", "bc"), ("ab", "c"), ("abc", ""), ("", "abc"), ("1:a", ""), ("", "1:a"), ("a1:", "b"), ("a", "1:b")]
    table = pa.table({"one": [row[0] for row in rows], "two": [row[1] for row in rows]})
    assert len(set(buckets_of(table, KEY, MANY).tolist())) == len(rows)
    assert buckets_of(table.select(["one"]), KEY, MANY).tolist() == found([row[0] for row in rows])


def test_only_the_row_counts() -> None:
    """Not its place, its batch, its company."""
    values = [f"item {index}" for index in range(2 * ROWS + 5)] + ["x" * (LONG + 1), "", "y" * LONG]
    whole = found(values)
    table = pa.table({"item": pa.chunked_array([values[:7], [], values[7:9000], values[9000:]], pa.string())})
    assert buckets_of(table, KEY, MANY).tolist() == whole
    assert buckets_of(table.slice(5000, 60_000), KEY, MANY).tolist() == whole[5000:65_000]
    assert found(values[::-1]) == whole[::-1]
    assert [found([value])[0] for value in values[-3:]] == whole[-3:]
    assert found([]) == []


def test_long_texts_differ() -> None:
    values = ["x" * (LONG + more) for more in range(4)] + ["x" * LONG + "y", "y" + "x" * LONG]
    assert len(set(found(values))) == len(values)


def test_all_buckets_have_the_same_chance() -> None:
    """200,000 items that are much alike: even in 100 buckets, and not if a bucket had 1.1 times the chance."""
    numbers = np.arange(200_000)
    counts = np.bincount(found(numbers, buckets=100), minlength=100)
    assert stats.chisquare(counts).pvalue > 1e-7
    uneven = np.where(np.arange(100) < 50, 1.05, 0.95) * counts.sum() / 100
    assert stats.chisquare(counts, uneven).pvalue < 1e-9


def test_keys_are_independent() -> None:
    """The same items under two keys: every pair of buckets alike. A key has any length."""
    numbers = np.arange(100_000)
    one, other = (np.array(found(numbers, buckets=10, key=key)) for key in (b"", b"\0"))
    assert stats.chisquare(np.bincount(10 * one + other, minlength=100)).pvalue > 1e-7


def test_items_meet_as_often_as_by_chance() -> None:
    """30,000 items in a million buckets: 450 pairs meet, give or take 21."""
    met = 30_000 - len(set(found(np.arange(30_000), buckets=1_000_000)))
    assert abs(met - 446) < 5.5 * 21


def test_pandas_is_not_imported() -> None:
    code = (
        "import sys, pyarrow as pa, pyarrow.csv as c, io; from headcount.source.scales.buckets import buckets_of;"
        "alone = c.ReadOptions(use_threads=False);"  # a thread may outlive the interpreter
        "t = c.read_csv(io.BytesIO(b'a,b\\nx,1\\ny,2\\n'), alone); assert len(buckets_of(t, b'k', 10)) == 2;"
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
