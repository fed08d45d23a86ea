"""Columns of one table at the items of another: the same as a join."""

import random

import pyarrow as pa
import pytest

from headcount.source.frames.joined import joined

PARTS = {
    "text": pa.array(["a", "A", "é", "e\u0301", "", "a\0", "ä"]),
    "number": pa.array([-(2**31), -1, 0, 1, 2, 3, 2**31 - 1], pa.int32()),
    "truth": pa.array([True, False], pa.bool_()),
}


def some(names: tuple[str, ...], rows: int, seed: int) -> pa.Table:
    """Different items of some columns, in any order."""
    draws = random.Random(seed)
    items = {tuple(draws.choice(PARTS[name].to_pylist()) for name in names) for _ in range(rows)}
    columns = zip(*sorted(items, key=lambda item: draws.random()), strict=True)
    return pa.table([pa.array(each, PARTS[name].type) for name, each in zip(names, columns, strict=True)], list(names))


@pytest.mark.parametrize("names", [("text",), ("number",), ("text", "number"), ("truth", "text", "number")], ids=str)
def test_it_is_a_join_in_the_order_of_the_keys(names: tuple[str, ...]) -> None:
    for seed in range(20):
        keys, table = some(names, 30, seed), some(names, 30, seed + 100)
        table = pa.concat_tables([table[:3], table[3:]]).append_column("total", pa.array(range(len(table))))
        expected = keys.append_column("place", pa.array(range(len(keys)))).join(table, list(names)).sort_by("place")
        assert joined(keys, table).equals(expected.drop_columns(["place"]))


def test_a_key_with_two_rows_is_a_defect() -> None:
    keys, twice = pa.table({"item0": ["a"]}), pa.table({"item0": ["a", "b", "a"], "total": [1, 2, 3]})
    with pytest.raises(ValueError, match="two rows"):
        joined(keys, twice)


def test_no_rows() -> None:
    keys, none = pa.table({"item0": ["a", "b"]}), pa.table({"item0": pa.array([], pa.string()), "total": [0][:0]})
    assert joined(keys, none)["total"].null_count == 2
    assert len(joined(keys[:0], keys.append_column("total", pa.array([1, 2])))) == 0
