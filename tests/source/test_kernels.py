"""Compiled kernels against plain Python and NumPy: the same numbers, orders, counts and releases."""

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.bound import SampledItems
from headcount.bound.pairs import keyed_hash
from headcount.source import contributions, kernels, open_events
from headcount.source.contributions import encoded, streamed
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.engines.duckdb import DuckDB
from headcount.source.kernels import counting, numbering
from headcount.source.kernels.numbering import IntegerNumbering, TextNumbering, TooMany
from headcount.source.scales.axis import even

ROOT = Path(__file__).parents[2]
LENGTHS = (0, 1, 63, 64, 65, 200)
"""Around the block of values that are looked up together."""
TEXTS = st.lists(st.text("ab\0é\U0001f600", max_size=20), max_size=200)
KINDS = st.sampled_from([pa.string(), pa.large_string(), pa.string_view()])


def built(folder: Path, *flags: str) -> Any:
    """The kernels, compiled anew."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    found = hook.compiled(ROOT / hook.KERNELS / "kernels.c", folder / hook.LIBRARY, *flags)
    return found and kernels.loaded(found)


@pytest.fixture(scope="module", params=[(), ("-DBAD_HASH",)], ids=["hashes", "bad hashes"], autouse=True)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every test with hashes as they are, and with hashes that are nearly all equal. HEADCOUNT_KERNELS=installed takes
    the kernels that were installed, and no others: those of a wheel are tried where it was built."""
    installed = os.environ.get("HEADCOUNT_KERNELS") == "installed"
    if installed and request.param:
        pytest.skip("these are in no wheel")
    library = kernels.kernels() if installed else built(tmp_path_factory.mktemp("kernels"), *request.param)
    if installed:
        assert library is not None, "the wheel has no kernels for this machine"
    if library is None:
        pytest.skip("there is no C compiler")
    with patch.object(kernels, "_built", lambda: library):
        yield


def plain_numbers(values: list[Any]) -> list[int]:
    first: dict[Any, int] = {}
    return [first.setdefault(value, len(first)) for value in values]


@settings(deadline=None, max_examples=examples(60))
@given(batches=st.lists(TEXTS, max_size=4), kind=KINDS, start=st.integers(0, 3))
@example(batches=[[""], ["\0"], ["\0\0", ""]], kind=pa.string(), start=0)
@example(batches=[["12345678", "1234567", "123456789", "12345678\0"]], kind=pa.large_string(), start=0)
def test_texts_are_numbered_exactly(batches: list[list[str]], kind: pa.DataType, start: int) -> None:
    """However they come: in slices, with empty ones, with NUL."""
    numbers, found = TextNumbering(), list[int]()
    for batch in batches:
        found += numbers.number(pa.array(["first", "é", *batch], kind)[start:]).tolist()
    every = [text for batch in batches for text in ["first", "é", *batch][start:]]
    assert found == plain_numbers(every)
    distinct = list(dict.fromkeys(every))
    assert numbers.values(np.arange(numbers.count, dtype=np.uint32)).to_pylist() == distinct
    assert [distinct[number] for number in numbers.order] == sorted(distinct, key=str.encode)


@pytest.mark.parametrize("length", LENGTHS)
def test_texts_around_a_block(length: int) -> None:
    texts = [f"text {number % 60}" for number in range(length)]
    assert TextNumbering().number(pa.array(texts, pa.string())).tolist() == plain_numbers(texts)


@pytest.mark.parametrize("many", [5, 70, 3000])
@pytest.mark.parametrize(
    "form", ["{:07d}", "item {:07d}", "a common beginning of {:07d}", "\0{}\0", "{}" + "x" * 100, "x" * 100 + "{}"]
)
def test_texts_in_the_order_of_bytes(form: str, many: int) -> None:
    texts = [form.format(number * 7919 % many) for number in range(many)] + ["a" * size for size in range(80)]
    numbers = TextNumbering()
    numbers.number(pa.array(texts + [text + "\0" for text in texts], pa.string()))
    found = numbers.values(numbers.order).to_pylist()
    assert found == sorted(found, key=str.encode)
    assert len(found) == numbers.count


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=200), max_size=4))
def test_integers_are_numbered_exactly(batches: list[list[int]]) -> None:
    numbers = IntegerNumbering(pa.int64())
    found = [number for batch in batches for number in numbers.number(pa.array(batch, pa.int64())).tolist()]
    every = [value for batch in batches for value in batch]
    assert found == plain_numbers(every)
    assert numbers.values(numbers.order).to_pylist() == sorted(set(every))


@settings(deadline=None, max_examples=examples(60))
@given(
    sizes=st.lists(st.integers(1, 70), max_size=30),
    items=st.integers(1, 40),
    left_out=st.booleans(),
    seed=st.integers(0),
    threads=st.integers(1, 4),
)
def test_counting_and_adding_as_numpy_does(
    sizes: list[int], items: int, left_out: bool, seed: int, threads: int
) -> None:
    """On any number of threads."""
    random = np.random.default_rng(seed)
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int64)
    numbers = random.integers(0, items, offsets[-1]).astype(np.uint32)
    flags, unused = random.random(items) < 0.5, random.random(offsets[-1]) < 0.3 if left_out else None
    pairs, values = (offsets, numbers, flags, unused), random.integers(0, 2**24, (2, len(sizes)))
    one, other = np.zeros((2, items), dtype=np.int64)
    with patch.multiple(counting, THREADS=threads, MIN_PAIRS=10):
        counted = counting.count_flagged(*pairs)
        counting.add_to_items(one, *pairs, *values)
    for found, plain in zip(counted, counting.plain_count_flagged(*pairs), strict=True):
        assert found.tolist() == plain.tolist()
    counting.plain_add_to_items(other, *pairs, *values)
    assert one.tolist() == other.tolist()


def test_c_is_given_no_index_outside_of_an_array() -> None:
    """NumPy would refuse it too; C would write there."""
    offsets, numbers, flags = np.array([0, 2]), np.array([0, 1], dtype=np.uint32), np.zeros(2, dtype=bool)
    unused, totals, one = np.zeros(2, dtype=bool), np.zeros(2, dtype=np.int64), np.ones(1, dtype=np.int64)
    counting.add_to_items(totals, offsets, numbers, flags, unused, one, one)
    assert totals.tolist() == [1, 1]
    wrong: list[tuple[Any, Any, Any, Any]] = [
        (offsets, numbers, flags[:1], None),
        (offsets, numbers, flags, unused[:1]),
        (offsets, numbers[:1], flags, None),
        (offsets - 1, numbers, flags, None),
    ]
    for pairs in wrong:
        with pytest.raises(IndexError):
            counting.count_flagged(*pairs)
        with pytest.raises(IndexError):
            counting.add_to_items(totals, *pairs, one, one)
    for added, shown, other in ((totals[:1], one, one), (totals, one[:0], one), (totals, one, one[:0])):
        with pytest.raises(IndexError):
            counting.add_to_items(added, offsets, numbers, flags, None, shown, other)


def unaligned(kind: pa.DataType) -> pa.Array:
    """1, 2, 3 in a buffer where they begin at an odd place."""
    bytes_ = pa.array([1, 2, 3], pa.int64()).cast(kind).buffers()[1].to_pybytes()
    return pa.Array.from_buffers(kind, 3, [None, pa.py_buffer(b"\0" + bytes_)[1:]])


@pytest.mark.parametrize("kind", [pa.int64(), pa.int32(), pa.float64(), pa.timestamp("us")], ids=str)
def test_arrow_arrays_may_begin_anywhere(kind: pa.DataType) -> None:
    """C reads numbers where they are aligned; what is not is copied, or refused."""
    given = numbering._integers(unaligned(kind))
    assert given.flags.aligned
    assert IntegerNumbering(kind).number(unaligned(kind)).tolist() == [0, 1, 2]


def test_c_is_given_no_unaligned_numbers() -> None:
    offsets = np.frombuffer(bytes(17), dtype=np.uint8)[1:].view(np.int64)
    with pytest.raises(ctypes.ArgumentError):
        counting.count_flagged(offsets, np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=bool), None)


ROWS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["", "a", "ab", "b\0"]), st.integers(-2, 2)), max_size=120)
USERS = [pa.int64(), pa.int16(), pa.string(), pa.float64(), pa.timestamp("us"), pa.bool_()]
ITEMS = [["item"], ["place"], ["item", "place"], ["place", "item", "day"]]


def pairs_of(table: pa.Table, by: list[str], *, events: bool, fast: bool) -> tuple[Any, Any]:
    """Every item, and every person's items and counts."""
    read = contributions(open_events(table, ["user", *by]).table(), [None] * len(by), events=events, keys=None)
    with (
        patch.object(kernels, "_built", kernels._built if fast else lambda: None),
        read.read(ReadPlan(encoded=True)) as found,
    ):
        assert found.encoded
        people = users_of(found.encoded)
        had = [
            (people[int(person)], int(item), int(count))
            for chunk in found.encoded
            for person, item, count in zip(chunk.of_pairs(chunk.people), chunk.items, chunk.counts, strict=True)
        ]
        return found.encoded.items.to_pydict(), sorted(had, key=str)


def users_of(pairs: encoded.EncodedPairs) -> dict[int, Any]:
    """Everybody by number."""
    numbers = np.concatenate([np.zeros(0, dtype=np.int64), *(chunk.people for chunk in pairs)])
    with pairs.on_engine(numbers, 0) as everybody:
        listed = everybody.to_pyarrow()
    return dict(zip(*(listed[name].to_pylist() for name in ("person", "user")), strict=True))


def is_streamed(table: pa.Table, by: list[str]) -> bool:
    """True if rows are numbered here, not on the engine."""
    read = contributions(open_events(table, ["user", *by]).table(), [None] * len(by), events=False, keys=None)
    with read.read(ReadPlan(encoded=True)) as found:
        assert found.encoded
        return found.encoded.ids is not None


@pytest.mark.parametrize(
    "user", [pa.int64(), pa.int16(), pa.string(), pa.float64(), pa.timestamp("us"), pa.bool_()], ids=str
)
@pytest.mark.parametrize("by", ITEMS, ids=str)
@settings(deadline=None, max_examples=examples(5))
@given(rows=ROWS, events=st.booleans(), few=st.integers(1, 3), rows_of_partition=st.integers(3, 100))
def test_the_same_pairs_as_the_engine_makes(
    rows: list[tuple[int, str, int]],
    events: bool,
    few: int,
    rows_of_partition: int,
    by: list[str],
    user: pa.DataType,
) -> None:
    """Also partitioned, and in several chunks. A truth value as a person goes the other way."""
    users = [row[0] for row in rows] if user != pa.bool_() else [row[0] > 4 for row in rows]
    people = pa.array(list(map(str, users)), user) if user == pa.string() else pa.array(users).cast(user)
    columns = {"user": people, "item": pa.array([row[1] for row in rows], pa.string())}
    indices = pa.array([row[2] for row in rows], pa.int64())
    table = pa.table({**columns, "place": indices, "day": indices.cast(pa.int32()).cast(pa.date32())})
    with (
        patch.multiple(streamed, BATCH=2048, FEW_BATCHES=few, ROWS_OF_PARTITION=rows_of_partition),
        patch.object(encoded, "PAIRS", 30),
    ):
        found = pairs_of(table, by, events=events, fast=True)
    assert found == pairs_of(table, by, events=events, fast=False)


@settings(deadline=None, max_examples=examples(10))
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 30),
            st.sampled_from("abcd"),
            st.one_of(st.none(), st.sampled_from([0.0, -0.5, 1e300, -1e13, 2.0**-40]), st.floats(allow_nan=True)),
            st.one_of(st.none(), st.integers(-5, 5)),
        ),
        max_size=60,
    ),
    few=st.integers(1, 3),
    single=st.booleans(),
)
@example(rows=[(1, "a", 1.0, 1), (1, "a", 2.0, 2)], few=1, single=True)
def test_the_same_is_measured_of_rows(
    rows: list[tuple[int, str, float | None, int | None]], few: int, single: bool
) -> None:
    """Numbers of events and their sums by pair, and every event's amounts and cells: as without kernels."""
    kinds = [("user", pa.int64()), ("item", pa.string()), ("one", pa.float64()), ("other", pa.int64())]
    columns = list(zip(*rows, strict=True)) or [()] * 4
    table = pa.table({name: pa.array(column, kind) for (name, kind), column in zip(kinds, columns, strict=True)})
    with patch.multiple(streamed, BATCH=2048, FEW_BATCHES=few), patch.object(encoded, "PAIRS", 30):
        found = measured(table, single=single, fast=True)
    assert found == measured(table, single=single, fast=False)


def measured(table: pa.Table, *, single: bool, fast: bool) -> list[Any]:
    """What is measured of the rows of each person and item."""
    rows = open_events(table, table.column_names).table()
    scales = [even((-3, 3), 4), None]
    read = contributions(rows, [None], events=False, keys=None, scales=scales, single=single)
    built = kernels._built if fast else lambda: None
    with patch.object(kernels, "_built", built), read.read(ReadPlan(encoded=True)) as found:
        assert found.encoded
        people = users_of(found.encoded)
        return sorted((people[who], *others) for chunk in found.encoded for who, *others in rows_of(chunk))


def rows_of(chunk: encoded.Chunk) -> Iterator[tuple[Any, ...]]:
    """Person, item, count, number of events, sums, and the events in order, of each pair."""
    assert chunk.rows
    rows = chunk.rows
    events = list(zip(*(column.tolist() for column in rows.columns.values()), strict=True))
    sums = [(each.amounts.tolist(), each.lengths.tolist()) for each in rows.sums]
    ends = np.cumsum(rows.lengths).tolist()
    for pair, who in enumerate(chunk.of_pairs(chunk.people).tolist()):
        own = events[ends[pair] - int(rows.lengths[pair]) : ends[pair]]
        added = [(amounts[pair], lengths[pair]) for amounts, lengths in sums]
        yield who, int(chunk.items[pair]), int(chunk.counts[pair]), int(rows.lengths[pair]), added, sorted(own)


def test_rows_are_read_once() -> None:
    table = pa.table({"user": [1, 1, 2], "item": ["a", "b", "a"]})
    with patch.object(DuckDB, "materialise") as other:
        assert is_streamed(table, ["item"])
    assert not other.called


@pytest.mark.parametrize("limit", ["MAX_NUMBERS", "MAX_TEXT"])
def test_what_is_too_much_goes_another_way(limit: str) -> None:
    table = pa.table({"user": [f"person {number}" for number in range(50)], "item": ["a", "b"] * 25})
    with patch.object(numbering, limit, 20):
        with pytest.raises(TooMany):
            TextNumbering().number(table["user"].combine_chunks())
        found = pairs_of(table, ["item"], events=False, fast=True)
    assert found == pairs_of(table, ["item"], events=False, fast=False)


def test_too_much_text_of_items_goes_another_way() -> None:
    """A text that is a part of many items is listed with each: more bytes than its column has."""
    table = pa.table({"user": [*range(50)], "item": ["a text"] * 50, "place": [*range(50)]})
    assert is_streamed(table, ["item", "place"])
    with patch.object(numbering, "MAX_TEXT", 100):
        assert is_streamed(table, ["item"])
        assert not is_streamed(table, ["item", "place"])


@pytest.mark.parametrize(("length", "rows"), [(2000, 1000), (20, 1536)], ids=["texts", "slots"])
def test_what_memory_has_no_room_for_goes_another_way(length: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine puts aside what does not fit; a table of numbers cannot."""
    monkeypatch.setattr(
        DuckDB, "memory", lambda *_: streamed.NUMBERED_PART * 2048 * numbering.IntegerNumbering.slot_bytes
    )

    def events(length: int, rows: int) -> pa.Table:
        return pa.table({"user": [f"{k % 20:0{length}d}" for k in range(rows)], "item": [0] * rows})

    assert is_streamed(events(20, 1535), ["item"])
    assert not is_streamed(events(length, rows), ["item"])


def test_a_failed_allocation_goes_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(numbering, "_longer", fails)
    assert not is_streamed(MANY, ["item"])


def test_a_batch_of_too_much_text_goes_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB fails if a batch has more than 2 GiB of text."""
    table = pa.table({"user": [1, 1, 2], "item": ["a", "b", "a"]})

    def fails(engine: DuckDB, rows: Any, size: int) -> Iterator[pa.RecordBatch]:
        yield from engine.to_arrow(rows.limit(2)).to_batches()
        raise OSError("Arrow Appender")

    monkeypatch.setattr(DuckDB, "batches", fails)
    assert pairs_of(table, ["item"], events=True, fast=True) == pairs_of(table, ["item"], events=True, fast=False)


IDS: list[list[Any]] = [[*range(-3, 3)], ["", "a", "\0", "é", "a" * 100, "1"], [0.5, -1.0, 1e300, 2.0, 3.25, 1e-9]]


@pytest.mark.parametrize("few", [0, 100], ids=["by a query", "one by one"])
@pytest.mark.parametrize("ids", IDS, ids=["integers", "text", "fractions"])
def test_the_same_items_are_kept(ids: list[Any], few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a person is hashed."""
    monkeypatch.setattr(keyed_hash, "FEW_PEOPLE", few)
    rows = pa.table({"user": [each for each in ids for _ in range(9)], "item": [f"{k}" for k in range(9)] * len(ids)})
    read = contributions(open_events(rows, ["user", "item"]).table(), [None], events=False, keys=None)
    with read.read() as pairs:
        expected = SampledItems(4).bound(pairs, b"secret" * 6, None)
    with read.read(ReadPlan(encoded=True)) as numbers:
        assert numbers.encoded
        assert numbers.encoded.ids is not None
        found = SampledItems(4).bound(numbers, b"secret" * 6, None)
    assert found.items.to_pydict() == expected.items.to_pydict()
    assert found.totals.tolist() == expected.totals.tolist()


MANY = pa.table({"user": [k % 400 for k in range(4000)], "item": [f"item {k % 7 * (k % 3)}" for k in range(4000)]})


SAID: list[dict[str, Any]] = [
    {},
    {"mechanism": "weighted"},
    {"count": "events"},
    {"mechanism": "thresholded", "bound": 2},
    {"mechanism": "rounds"},
]


@pytest.mark.parametrize("said", SAID, ids=str)
def test_the_same_release(said: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, **said}
    fast = hc.plan("histogram", MANY, **asked).release(entropy=Fixed(0)).content
    with patch.object(kernels, "_built", lambda: None):
        assert hc.plan("histogram", MANY, **asked).release(entropy=Fixed(0)).content == fast


def test_the_same_release_from_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks that are mapped from a file: under sanitizers, nothing is read where it is not aligned."""
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "mechanism": "rounds"}
    whole = hc.plan("histogram", MANY, **asked).release(entropy=Fixed(0)).content
    monkeypatch.setattr(encoded, "PAIRS", 50)
    monkeypatch.setattr(encoded, "HELD_PART", 2**62)
    monkeypatch.setattr(streamed, "FEW_BATCHES", 1)
    assert hc.plan("histogram", MANY, **asked).release(entropy=Fixed(0)).content == whole


def test_the_order_of_rows_does_not_show() -> None:
    """Numbers are given as rows come; nothing of that is left."""
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1}
    order = np.random.default_rng(1).permutation(len(MANY))
    found = [hc.plan("histogram", rows, **asked).release(entropy=Fixed(0)) for rows in (MANY, MANY.take(order))]
    assert found[0].table.equals(found[1].table)
    assert len(found[0])


def test_a_library_of_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kernels, "VERSION", 0)
    assert built(tmp_path) is None


def test_what_is_no_library_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "kernels.bin").write_text("")
    assert kernels.loaded(tmp_path / "kernels.bin") is None
    assert kernels.loaded(tmp_path / "none") is None
