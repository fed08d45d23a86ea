"""pandas: what one person's cell is decides nothing about anybody else's.

Every kind of cell for the crowd, beside every kind of cell for one person, in columns of every type that pandas makes
of them: everybody else is read as if that person were not there.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal, localcontext
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import released

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.source.frames import pandas_columns
from headcount.source.frames.cells import text_of
from headcount.source.scales.binning import MOMENT, NUMBER


class Colour(Enum):
    RED = 1


class Loud:
    """It has no text."""

    def __str__(self) -> str:
        raise ValueError("no")


EAST = timezone(timedelta(hours=2))
KINDS: dict[str, list[Any]] = {
    "text": ["apple", "pear", "", "é", "5", "b'apple'"],
    "surrogates": ["\ud800", "a\udfffb"],
    "bytes": [b"apple", b"pear", b""],
    "bytes that are no text": [b"\xff", b"apple\xfe"],
    "bytearrays": [bytearray(b"apple"), bytearray(b"\xff")],
    "views of bytes": [memoryview(b"apple"), memoryview(b"\xff")],
    "bytes of NumPy": [np.bytes_(b"apple"), np.bytes_(b"\xff")],
    "integers": [5, 7, -1, 0, 2**53],
    "integers of NumPy": [np.int64(5), np.int64(7)],
    "long integers": [2**63, 2**70, 10**400, 10**5000],
    "booleans": [True, False],
    "floats": [5.0, 0.5, -0.0, 1e300, 1e-7, 0.1, float("inf")],
    "short floats": [np.float32(5), np.float32(0.1)],
    "decimals": [Decimal("5.00"), Decimal("0.1"), Decimal("1e40") + 1, Decimal("-0")],
    "odd decimals": [Decimal("sNaN"), Decimal("NaN"), Decimal("1e1000000")],
    "fractions": [Fraction(5), Fraction(1, 3), Fraction(10**400, 3)],
    "complex": [5 + 0j, 2j],
    "nothing": [None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT")],
    "days": [date(2024, 1, 31), date(1, 1, 1), date(9999, 12, 31)],
    "moments": [datetime(2024, 1, 31), datetime(2024, 1, 31, 12, 30, 0, 5), datetime(1700, 1, 1)],
    "moments of pandas": [pd.Timestamp("2024-01-31"), pd.Timestamp("2024-01-31 12:30:00.000000005")],
    "moments of NumPy": [np.datetime64("2024-01-31"), np.datetime64("2024-01-31T12:30:15", "s")],
    "moments of zones": [datetime(2024, 1, 31, 1, tzinfo=EAST), datetime(2024, 1, 31, tzinfo=UTC)],
    "clocks": [time(12, 30)],
    "durations": [timedelta(days=1), pd.Timedelta(days=1), np.timedelta64(1, "D")],
    "periods": [pd.Period("2024-01", "M"), pd.Period("2024-02", "M")],
    "intervals": [pd.Interval(0, 10), pd.Interval(10, 20)],
    "tuples": [(1, 2), ("a",)],
    "lists": [[1, 2], {"a": 1}, {1}, np.array([1, 2])],
    "objects": [object(), lambda: None, Colour.RED, UUID(int=5), Loud()],
    "scalars of Arrow": [pa.scalar("apple"), pa.scalar(5), pa.scalar(None, pa.string())],
}
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "objects": lambda cells: pd.Series(cells, dtype=object),
    "inferred": pd.Series,
    "categories": lambda cells: pd.Series(pd.Categorical(cells)),
    "categories of objects": lambda cells: pd.Series(pd.Categorical(pd.Series(cells, dtype=object))),
    "converted": lambda cells: pd.Series(cells).convert_dtypes(),
    "converted to Arrow": lambda cells: pd.Series(cells).convert_dtypes(dtype_backend="pyarrow"),
}
ROLES = ("person", "item", "number", "moment")


def column(cells: list[Any], kind: str) -> Any:
    """A column of these cells, or None if pandas makes none."""
    try:
        return COLUMNS[kind](cells)
    except Exception:
        return None


def read(column: Any, role: Any, rows: slice = slice(None)) -> list[Any]:
    """What rows are for this role: a person by the first row that is the same one, a number or a moment by value."""
    found: list[Any] = pandas_columns.read(column, role).to_pylist()[rows]
    if role == "person":
        return [None if cell is None or cell != cell else found.index(cell) for cell in found]
    if role == "item":
        return found
    return [cell if cell is None else (_number if role == "number" else _moment)(cell) for cell in found]


def _number(cell: Any) -> float | None:
    if isinstance(cell, str):
        known = re.match(NUMBER, cell)
        return float(known[1]) if known else None
    return None if cell != cell else float(cell)


def _moment(cell: Any) -> datetime | None:
    if isinstance(cell, str):
        known = re.match(MOMENT, cell)
        return datetime.fromisoformat(known[1]) if known else None
    moment = cell if isinstance(cell, datetime) else datetime.combine(cell, time())
    return moment.replace(tzinfo=None)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("crowd", KINDS)
def test_one_cell_decides_nothing_for_others(crowd: str, kind: str) -> None:
    cells = KINDS[crowd]
    alone = column(cells, kind)
    here = {role: read(alone, role) for role in ROLES if alone is not None}
    for number, one in enumerate(each for several in KINDS.values() for each in several[-2:]):
        first = number % 2  # before the crowd, or after it
        beside = column([one, *cells] if first else [*cells, one], kind)
        for role in here if beside is not None else ():
            assert read(beside, role, slice(first, first + len(cells))) == here[role], (one, role)


def test_one_true_does_not_rename_the_ones_of_others() -> None:
    """Categories keep the first of equal values."""
    for crowd, one in (([0, 1, 5], False), ([True, False], 0), ([Decimal(1)], True), ([1.0], True)):
        alone, beside = read(pd.Series(pd.Categorical(crowd)), "item"), pd.Series(pd.Categorical([one, *crowd]))
        assert read(beside, "item", slice(1, None)) == alone


CROWD = 300


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("one", [b"\xff", 7, object(), "\ud800"], ids=["bytes", "a number", "an object", "no text"])
@pytest.mark.parametrize("crowd", [b"apple", memoryview(b"apple")], ids=["bytes", "views of bytes"])
def test_an_item_of_everybody_stays_theirs(crowd: Any, one: Any) -> None:
    cells = pd.Series([crowd] * CROWD + [one], dtype=object)
    assert released(pd.DataFrame({"user": range(CROWD + 1), "item": cells}), keys=["apple"]) == {"apple": CROWD}


def test_a_person_written_in_two_ways_stays_one() -> None:
    """Ids half text, half bytes: one whose id is 7 does not make two people of everybody."""
    users = [name for index in range(CROWD) for name in (f"u{index}", f"u{index}".encode())]
    for more in ([], [7], [b"\xff"]):
        frame = pd.DataFrame({"user": pd.Series([*users, *more], dtype=object), "item": "a"})
        assert released(frame, keys=["a"], bound=1) == {"a": CROWD + len(more)}


def test_what_has_no_value_of_its_own_is_no_item() -> None:
    cells = pd.Series([object(), lambda: None, [object()], Loud(), "a"], dtype=object)
    plan = hc.plan(
        "histogram", pd.DataFrame({"user": range(5), "item": cells}), user="user", by="item", epsilon=1, bound=1
    )
    assert plan.release(entropy=Fixed(1000)).table["item"].to_pylist() == ["a"]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("one", [None, "x", 5.5, True, 2j], ids=repr)
@pytest.mark.parametrize("kind", ["inferred", "categories"])
def test_one_cell_does_not_change_the_type_of_a_release(kind: str, one: Any) -> None:
    """An integer more or less among integers, and one cell that pandas makes another type of."""

    def release(cells: list[Any], **more: Any) -> Any:
        frame = pd.DataFrame({"user": cells, "item": column(cells, kind)})
        plan = hc.plan("histogram", frame, user="user", by="item", epsilon=1, bound=1, **more)
        return plan, plan.release(entropy=Fixed(1000)).table

    crowd = [5] * 40 + [7] * 40
    (before, plain), (after, odd) = release([*crowd, 5]), release([*crowd, one])
    assert plain.schema == odd.schema
    assert before.to_json() == after.to_json()
    assert {"5", "7"} <= set(odd["item"].to_pylist())
    for keys in ([5], ["5"]):
        assert release([*crowd, one], keys=keys)[1]["item"].to_pylist() == keys


def test_where_and_sums_read_the_same_cells() -> None:
    """Conditions, amounts and scales too: one missing value or one text changes nothing for others."""
    for one in (None, "x"):
        cells = [1] * 60 + [0] * 40 + [one]
        frame = pd.DataFrame({"user": range(101), "flag": pd.Series(cells), "day": "2024-01-31"})
        for value in (1, "1", (1, 9)):
            plan = hc.plan("total", frame, user="user", where={"flag": value}, bound=1, epsilon=1)
            assert plan.release(entropy=Fixed(0)).table["count"].to_pylist() == [60]
        plan = hc.plan("histogram", frame, user="user", by="day", sum="flag", bound=1, epsilon=1, delta="1e-6")
        assert plan.release(entropy=Fixed(0)).table["sum"].to_pylist()[0] == pytest.approx(60, rel=0.01)


@given(st.lists(st.one_of(st.floats(), st.integers(-(2**53), 2**53).map(float)), max_size=20))
@settings(deadline=None)
def test_floats_all_at_once_are_floats_one_by_one(cells: list[float]) -> None:
    assert pandas_columns.read(pd.Series(cells, dtype="float64"), "item").to_pylist() == [*map(text_of, cells)]


@given(st.lists(st.datetimes(), max_size=20), st.sampled_from([None, UTC, EAST]))
@settings(deadline=None)
def test_moments_all_at_once_are_moments_one_by_one(cells: list[datetime], zone: Any) -> None:
    zoned = [cell.replace(tzinfo=zone) for cell in cells if 2 < cell.year < 9998]
    column = pd.Series(pd.array(zoned, dtype=pd.ArrowDtype(pa.timestamp("us", zone and str(zone)))))
    assert pandas_columns.read(column, "item").to_pylist() == [*map(text_of, zoned)]


def test_numbers_by_value_whatever_the_precision() -> None:
    """Equal numbers are one person, all of their digits count, and no setting changes that."""
    with localcontext(prec=3):
        ones = [2**60, 2.0**60, Decimal(2**60), Fraction(2**60), complex(2**60), np.float64(2**60)]
        assert {text_of(each) for each in ones} == {str(2**60)}
        assert text_of(Decimal(10**30 + 1)) == str(10**30 + 1) != text_of(Decimal(10**30))
        assert {text_of(each) for each in (0, 0.0, -0.0, Decimal("-0.00"))} == {"0"}


SAMPLED: dict[str, Any] = {"user": "user", "by": "item", "mechanism": "thresholded", "bound": 1, "epsilon": 1}
"""One item of each person is kept, drawn by a hash of their id."""


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("one", [0.5, None, "somebody"])
@pytest.mark.parametrize("first", [1, 2**52 + 1])
def test_an_id_changes_nothing_of_what_is_kept_of_others(first: int, one: Any) -> None:
    """One more person makes the column one of floats or objects; with the same secret, everybody else keeps the same
    items. Ids beyond 2^52 once had all the same hash then."""
    users = [first + number for number in range(200)]
    crowd = pd.DataFrame({"user": users * 2, "item": ["a"] * 200 + ["b"] * 200})
    other = pd.concat([crowd, pd.DataFrame({"user": [one], "item": ["c"]})], ignore_index=True)
    assert crowd["user"].dtype != other["user"].dtype
    counts = [
        hc.plan("histogram", frame, **SAMPLED).release(entropy=Fixed()).table["count"].to_pylist()
        for frame in (crowd, other)
    ]
    assert counts[0] == counts[1]
    assert 60 < counts[0][0] < 140


def test_long_ids_of_floats_draw_each_for_themselves() -> None:
    users = [float(2**53 + 2 * number) for number in range(200)]
    table = pa.table({"user": pa.array(users * 2, pa.float64()), "item": ["a"] * 200 + ["b"] * 200})
    counts = hc.plan("histogram", table, **SAMPLED).release(entropy=Fixed()).table["count"].to_pylist()
    assert (len(counts), sum(counts)) == (2, 200)
    assert min(counts) > 60


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    "keys",
    [
        [datetime(2024, 1, 1)],
        [pd.Timestamp("2024-01-01")],
        [np.datetime64("2024-01-01", "ns")],
        [date(2024, 1, 1)],
        ["2024-01-01"],
    ],
)
def test_moments_as_keys_are_read_as_cells_are(keys: list[Any]) -> None:
    frame = pd.DataFrame({"user": range(50), "day": pd.to_datetime(["2024-01-01"] * 50)})
    for data in (frame, pa.Table.from_pandas(frame)):
        asked: dict[str, Any] = {"user": "user", "by": "day", "keys": keys, "bound": 1, "epsilon": 1}
        release = hc.plan("histogram", data, **asked).release(entropy=Fixed())
        assert release.table["count"].to_pylist() == [50]


def test_keys_of_more_than_64_bits_come_back_as_text(tmp_path: Any) -> None:
    """They could not be written after the noise was drawn and paid for."""
    (tmp_path / "k.csv").write_text(f"user,item\n1,{2**64 - 1}\n2,7\n")
    ledger = hc.Ledger(tmp_path / "l.db", epsilon=1)
    release = hc.histogram(
        str(tmp_path / "k.csv"), user="user", by="item", keys=[2**64 - 1, 7], bound=1, epsilon=1, ledger=ledger
    )
    assert set(release.table["item"].to_pylist()) == {str(2**64 - 1), "7"}
