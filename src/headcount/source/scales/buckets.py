"""Buckets of items: a keyed hash of an item's text, the same on every machine, in every version, in every row order.

An item is hashed as its text in a file: 1 and "1" are one item (as in CSV, JSON lines and columns of mixed values), so
are true and "true", and a date and its text 2024-01-31; timestamps are in UTC, to the microsecond. For several columns,
each is hashed by itself, and then their hashes: ("a", "bc") and ("ab", "c") are two items.

The hash is SipHash-2-4 (Aumasson & Bernstein 2012), a pseudorandom function for short inputs and a secret key. It works
on 64-bit words, so that NumPy hashes many texts at once, word by word. A text of more than a kilobyte is first replaced
by its BLAKE2b digest: one long text must not keep all others waiting.
"""

from hashlib import blake2b

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headcount.exact import Integers

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

ROWS = 1 << 15
"""Rows per batch: intermediate arrays stay in the cache."""
LONG = 1 << 10
"""Bytes beyond which a text is replaced by its digest."""
TEXT = pa.large_string()
CONSTANTS = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
"""Initial state of SipHash: "somepseudorandomlygeneratedbytes"."""


def buckets_of(items: pa.Table, key: bytes, buckets: int) -> Integers:
    """Return the bucket, 0 .. buckets - 1, of each row of a table of item columns, in row order.

    No value may be missing. Buckets are uniform up to a relative deviation of buckets / 2^64.

    >>> len(buckets_of(pa.table({"item0": ["apple", "pear"]}), b"secret", 10))
    2
    """
    parts = [_hashed(batch, _words_of(key)) for batch in items.to_batches(max_chunksize=ROWS)]
    hashes = np.concatenate([np.zeros(0, np.uint64), *parts])
    return (hashes % np.uint64(buckets)).astype(np.int64)


def item_text(column: pa.Array) -> pa.Array:
    """Return the text that is hashed for an item column."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return item_text(column.cast(kind.value_type))
    return (column.cast(pa.timestamp("us"), safe=False) if pa.types.is_timestamp(kind) else column).cast(TEXT)


def _hashed(batch: pa.RecordBatch, key: Words) -> Words:
    """Hash of each row: of its text, or of the hashes of its texts."""
    hashes = [siphash(*_shortened(*_bytes_of(item_text(column))), key) for column in batch.columns]
    if len(hashes) == 1:
        return hashes[0]
    side_by_side, width = np.column_stack(hashes).astype("<u8").view(np.uint8).ravel(), 8 * len(hashes)
    return siphash(side_by_side, width * np.arange(len(batch)), np.full(len(batch), width), key)


def _bytes_of(texts: pa.Array) -> tuple[Bytes, Integers, Integers]:
    """Concatenated bytes, start offsets and lengths of texts."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset :][: len(texts) + 1]
    text = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]] if ends[-1] else np.zeros(0, np.uint8)
    return text, ends[:-1] - ends[0], np.diff(ends)


def _shortened(data: Bytes, starts: Integers, lengths: Integers) -> tuple[Bytes, Integers, Integers]:
    """Replace long texts by their digests, which are appended to the data."""
    long = np.flatnonzero(lengths > LONG)
    digests = [blake2b(data[starts[index] :][: lengths[index]].tobytes()).digest() for index in long]
    starts[long] = len(data) + blake2b.MAX_DIGEST_SIZE * np.arange(len(long))
    lengths[long] = blake2b.MAX_DIGEST_SIZE
    return np.append(data, np.frombuffer(b"".join(digests), np.uint8)), starts, lengths


def _words_of(key: bytes) -> Words:
    """Derive two key words from a key of any length."""
    return np.frombuffer(blake2b(key, digest_size=16).digest(), "<u8").astype(np.uint64)


def siphash(data: Bytes, starts: Integers, lengths: Integers, key: Words) -> Words:
    """SipHash-2-4 of each text, given by its start in the data and its length in bytes."""
    longest_first = np.argsort(-lengths)
    starts, lengths = starts[longest_first], lengths[longest_first]
    padded = np.lib.stride_tricks.sliding_window_view(np.append(data, np.zeros(8, np.uint8)), 8)
    state = np.array(CONSTANTS, np.uint64)[:, None] ^ np.tile(key, 2)[:, None] ^ np.zeros(len(lengths), np.uint64)
    for index in range(0, int(lengths.max(initial=-1)) + 1, 8):
        there = int(np.count_nonzero(lengths >= index))  # texts that have a word here, be it the last, of 0 to 7 bytes
        words = padded[starts[:there] + index].view("<u8")[:, 0].astype(np.uint64)
        _mix(state[:, :there], _last(words, lengths[:there], index))
    hashes = np.empty(len(lengths), np.uint64)
    hashes[longest_first] = _finished(state)
    return hashes


def _last(words: Words, lengths: Integers, index: int) -> Words:
    """Words at an offset; the last word of a text holds its remaining bytes, and its length in the highest byte."""
    ending = lengths < index + 8
    bits = (8 * (lengths[ending] - index)).astype(np.uint64)
    words[ending] &= (np.uint64(1) << bits) - np.uint64(1)
    words[ending] |= lengths[ending].astype(np.uint64) << np.uint64(56)
    return words


def _mix(state: Words, words: Words) -> None:
    """Absorb one word per text."""
    state[3] ^= words
    _rounds(state, 2)
    state[0] ^= words


def _finished(state: Words) -> Words:
    state[2] ^= np.uint64(0xFF)
    _rounds(state, 4)
    hashes: Words = np.bitwise_xor.reduce(state)
    return hashes


def _rounds(state: Words, many: int) -> None:
    """Apply SipRound `many` times."""
    one, two, three, four = state
    for _ in range(many):
        _half(one, two, three, four, 13, 16)
        _half(three, two, one, four, 17, 21)


def _half(one: Words, two: Words, three: Words, four: Words, left: int, right: int) -> None:
    """One half of a SipRound."""
    one += two
    three += four
    _turn(two, left)
    _turn(four, right)
    two ^= one
    four ^= three
    _turn(one, 32)


def _turn(words: Words, bits: int) -> None:
    """Rotate every word to the left by `bits`, in place."""
    low = words >> np.uint64(64 - bits)
    words <<= np.uint64(bits)
    words |= low
