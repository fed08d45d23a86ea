"""Everything that a schema can tell is told before anything is charged: a column of any type is refused by the plan, or
it is read whatever its rows are."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tests.tables import released

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import UnknownColumn

LARGE = 2**63 - 1


def runs(values: list[Any]) -> pa.Array:
    return pa.RunEndEncodedArray.from_arrays(pa.array([2, 4], pa.int32()), pa.array(values))


def counted(values: list[int], kind: pa.DataType) -> pa.Array:
    """Values by their bits."""
    return pa.array(values, pa.int64()).view(kind) if kind.bit_width == 64 else pa.array(values, pa.int32()).view(kind)


def texts(values: list[bytes], kind: pa.DataType) -> pa.Array:
    """Text that nobody has looked at."""
    wide = kind == pa.large_string()
    offsets = np.cumsum([0, *map(len, values)], dtype=np.int64 if wide else np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(pa.large_string() if wide else pa.string(), len(values), buffers)


MOMENTS = [0, 1, -1, LARGE, -LARGE - 1]
READ: dict[str, pa.Array] = {
    "runs of text": runs(["a", None]),
    "runs of numbers": runs([1, 2]),
    "runs of categories": runs(["a", "b"]),
    "text": pa.array(["a", None]),
    "large text": pa.array(["a", None], pa.large_string()),
    "views of text": pa.array(["a", None, "x" * 100], pa.string_view()),
    "categories": pa.array(["a", None]).dictionary_encode(),
    "categories of numbers": pa.array([1, None]).dictionary_encode(),
    "categories of days": pa.array([date(2024, 1, 1), None]).dictionary_encode(),
    "categories of moments": pa.array([datetime(2024, 1, 1), None]).dictionary_encode(),
    "nothing": pa.nulls(2),
    "integers": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "short integers": pa.array([-128, 127, None], pa.int8()),
    "decimals": pa.array([Decimal(10) ** 37, None], pa.decimal128(38, 0)),
    "days": pa.array([0, 2**31 - 1, -(2**31)], pa.int32()).view(pa.date32()),
    "days in milliseconds": counted(MOMENTS, pa.date64()),
    "booleans": pa.array([True, None]),
}
for unit in ("s", "ms", "us", "ns"):
    for zone in (None, "UTC", "Europe/Paris", "+02:00", "Nowhere/There"):
        READ[f"moments in {unit} of {zone}"] = counted(MOMENTS, pa.timestamp(unit, zone))
PEOPLE_ONLY = {
    "floats": pa.array([0.5, float("nan"), float("inf"), -0.0, None]),
    "half floats": pa.array(np.array([0.5, np.nan, np.inf], dtype=np.float16)),
    "categories of floats": pa.array([0.5, None]).dictionary_encode(),
}
if hasattr(pa, "decimal32"):
    READ["short decimals"] = pa.array([Decimal("1.5"), None], pa.decimal32(5, 2))
    READ["middling decimals"] = pa.array([Decimal("1.5"), None], pa.decimal64(15, 2))
REFUSED: dict[str, pa.Array] = {
    "bytes": pa.array([b"a"]),
    "large bytes": pa.array([b"a"], pa.large_binary()),
    "views of bytes": pa.array([b"a"], pa.binary_view()),
    "bytes of one length": pa.array([b"a"], pa.binary(1)),
    "long decimals": pa.array([Decimal(1)], pa.decimal256(50, 2)),
    "rounded decimals": pa.array([Decimal(100)], pa.decimal128(5, -2)),
    "lists": pa.array([[1]]),
    "large lists": pa.array([[1]], pa.large_list(pa.int64())),
    "lists of one length": pa.array([[1]], pa.list_(pa.int64(), 1)),
    "views of lists": pa.array([[1]], pa.list_view(pa.int64())),
    "structures": pa.array([{"a": 1}]),
    "maps": pa.array([[(1, 2)]], pa.map_(pa.int64(), pa.int64())),
    "unions": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
    "dense unions": pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]),
    "durations": pa.array([timedelta(1)]),
    "clocks": pa.array([time(1)]),
    "short clocks": pa.array([1], pa.time32("s")),
    "intervals": pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    "an extension": pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "x", "y"), pa.array([1])),
    "categories of bytes": pa.array([b"a"]).dictionary_encode(),
    "categories of clocks": pa.array([time(1)]).dictionary_encode(),
    "runs of bytes": runs([b"a", b"b"]),
    "runs of lists": pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([[1]])),
}


def read(data: Any) -> None:
    """To the end, as people and as items."""
    rows = hc.plan("histogram", data, user="user", by="item", epsilon=1, bound=1, delta="1e-6")
    rows.release(entropy=Fixed(1000))


def both(values: pa.Array) -> pa.Table:
    return pa.table({"user": values, "item": values})


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", READ)
def test_what_the_plan_accepts_is_read(kind: str) -> None:
    read(both(READ[kind]))


@pytest.mark.parametrize("kind", PEOPLE_ONLY)
def test_people_may_be_floats(kind: str) -> None:
    read(pa.table({"user": PEOPLE_ONLY[kind], "item": ["a"] * len(PEOPLE_ONLY[kind])}))
    binned = pa.table({"user": range(len(PEOPLE_ONLY[kind])), "item": PEOPLE_ONLY[kind]})
    assert released(binned, bins=[0, 1]) == {"[0, 1]": 1 + (kind == "floats")}


@pytest.mark.parametrize("role", ["user", "item"])
@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_is_refused_by_the_plan(kind: str, role: str) -> None:
    table = pa.table({"user": range(len(REFUSED[kind])), "item": ["a"] * len(REFUSED[kind])})
    odd = table.set_column(["user", "item"].index(role), role, REFUSED[kind])
    for more in ({}, {"bins": [0, 1]} if role == "item" else {}, {"bins": ["2024-01-01", "2025-01-01"]}):
        if role == "item" or not more:
            with pytest.raises(UnknownColumn):
                hc.plan("histogram", odd, user="user", by="item", epsilon=1, bound=1, **more)


def test_every_type_is_here() -> None:
    """Arrow's own list of types."""
    known = {each.type.id for each in (*READ.values(), *PEOPLE_ONLY.values(), *REFUSED.values())}
    left = {name for name in dir(pa.lib) if name.startswith("Type_") and getattr(pa.lib, name) not in known}
    widths = {f"Type_{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)} | {"Type_FLOAT"}
    assert left <= widths | {"Type_LARGE_LIST_VIEW", "Type_INTERVAL_MONTHS", "Type_INTERVAL_DAY_TIME"}


POLARS: dict[str, tuple[Any, list[Any], bool]] = {
    "categories": (pl.Categorical, ["a", None], True),
    "a list of categories": (pl.Enum(["a", "b"]), ["a", None], True),
    "decimals": (pl.Decimal(38, 2), [Decimal("1.5"), None], True),
    "nothing": (pl.Null, [None, None], True),
    "days": (pl.Date, [date(9999, 12, 31), None], True),
    "moments": (pl.Datetime("ns"), [datetime(2024, 1, 1), None], True),
    "zoned moments": (pl.Datetime("ms", "Europe/Paris"), [datetime(2024, 1, 1), None], True),
    "integers": (pl.UInt64, [2**64 - 1, None], True),
    "booleans": (pl.Boolean, [True, None], True),
    "objects": (pl.Object, [object(), None], False),
    "long integers": (pl.Int128, [2**126, None], False),
    "structures": (pl.Struct({"a": pl.Int64}), [{"a": 1}, None], False),
    "arrays": (pl.Array(pl.Int64, 1), [[1], None], False),
    "lists": (pl.List(pl.Int64), [[1], None], False),
    "bytes": (pl.Binary, [b"a", None], False),
    "durations": (pl.Duration, [timedelta(1), None], False),
    "clocks": (pl.Time, [time(1), None], False),
}


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("kind", POLARS)
def test_polars(kind: str) -> None:
    of, values, accepted = POLARS[kind]
    series = pl.Series(values, dtype=of)
    check(pl.DataFrame({"user": series, "item": series}), accepted)


def check(data: Any, accepted: bool) -> None:
    if accepted:
        read(data)
    else:
        with pytest.raises(UnknownColumn):
            hc.plan("histogram", data, user="user", by="item", epsilon=1, bound=1)


DUCKDB: dict[str, tuple[list[str], bool]] = {
    "HUGEINT": (["170141183460469231731687303715884105727", "-170141183460469231731687303715884105728", "5"], True),
    "UBIGINT": (["18446744073709551615"], True),
    "DECIMAL(38, 0)": (["9" * 38], True),
    "DECIMAL(4, 1)": (["5.5"], True),
    "ENUM ('a', 'b')": (["a"], True),
    "BOOLEAN": (["true"], True),
    "DATE": (["infinity", "-infinity", "5000000-01-01", "2024-01-01"], True),
    "TIMESTAMP": (["infinity", "290000-01-01", "2024-01-01"], True),
    "TIMESTAMP_S": (["infinity", "290000-01-01", "2024-01-01"], True),
    "TIMESTAMP_MS": (["infinity", "290000-01-01", "2024-01-01"], True),
    "TIMESTAMP_NS": (["infinity", "-infinity", "2024-01-01 00:00:00.000000001"], True),
    "TIMESTAMPTZ": (["infinity", "2024-01-01"], True),
    "VARCHAR": (["a", "\x00"], True),
    "TIME": (["12:00:00"], False),
    "TIMETZ": (["12:00:00+01"], False),
    "INTERVAL": (["1 day"], False),
    "BLOB": (["a"], False),
    "BIT": (["0101"], False),
    "BIGNUM": (["5"], False),
    "INTEGER[]": (["[1]"], False),
    "INTEGER[1]": (["[1]"], False),
    "STRUCT(a INTEGER)": (["{'a': 1}"], False),
    "MAP(INTEGER, INTEGER)": (["{1=2}"], False),
}
EITHER = {
    "UHUGEINT": "5",
    "UUID": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "JSON": "[1]",
    "UNION(a INTEGER, b VARCHAR)": "1",
}
"""As text by a relation, refused of an Ibis table; or not even known to every DuckDB."""


def of_duckdb(kind: str, values: list[str]) -> Any:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (user {kind}, item {kind})")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [[value, value] for value in values])
    connection.execute("INSERT INTO t VALUES (NULL, NULL)")
    return connection


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("kind", DUCKDB)
def test_duckdb(kind: str) -> None:
    values, accepted = DUCKDB[kind]
    connection = of_duckdb(kind, values)
    check(connection.sql("SELECT * FROM t"), accepted)
    check(ibis.duckdb.from_connection(connection).table("t"), accepted)


@pytest.mark.parametrize("kind", EITHER)
def test_kinds_that_one_reader_knows(kind: str) -> None:
    connection = of_duckdb(kind, [EITHER[kind]])
    for data in (connection.sql("SELECT * FROM t"), ibis.duckdb.from_connection(connection).table("t")):
        try:
            hc.plan("histogram", data, user="user", by="item", epsilon=1, bound=1)
        except UnknownColumn:
            continue
        read(data)


def test_integers_of_128_bits_do_not_wrap_around() -> None:
    """Those of 39 digits are nobody: in Arrow 2^128 - 1 would be -1."""
    large = ["340282366920938463463374607431768211455", "99999999999999999999999999999999999999", "5"]
    table = of_duckdb("UHUGEINT", large).sql("SELECT user, 'a' AS item FROM t")
    assert released(table, keys=["a"], bound=1) == {"a": 2}


BROKEN = [b"apple", b"app\xffle", b"\xf0\x9f\x98", b"apple", b"\xed\xa0\x80"]
REPAIRED = [cell.decode("utf-8", "replace") for cell in BROKEN]
CODES = pa.array([0, 1, 2, 3, 4], pa.int8())


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary", "chunks"])
def test_a_text_that_is_no_utf8_is_repaired_alone(kind: str) -> None:
    """Invalid bytes are U+FFFD, as in Spark; everybody else is read."""
    cells = texts(BROKEN, pa.large_string() if kind == "large_string" else pa.string())
    made: dict[str, Any] = {
        "string_view": lambda: cells.cast(pa.string_view()),
        "dictionary": lambda: pa.DictionaryArray.from_arrays(CODES, cells),
        "chunks": lambda: pa.chunked_array([cells.slice(3), cells.slice(0, 3)]),
    }
    table = pa.table({"user": range(5), "item": made[kind]() if kind in made else cells})
    assert released(table, keys=["apple", *dict.fromkeys(REPAIRED[1:3])]) == {
        "apple": 2,
        REPAIRED[1]: 1,
        REPAIRED[2]: 1,
    }
    swapped = pa.table({"user": table["item"], "item": ["a"] * 5})
    assert released(swapped, keys=["a"]) == {"a": len(set(REPAIRED))}


def test_a_text_that_is_no_utf8_on_an_engine_of_the_user() -> None:
    """In a DuckDB that reads Arrow: a relation repairs it, for Ibis it is missing; everybody else is read."""
    connection = duckdb.connect()
    connection.register("t", pa.table({"user": range(5), "item": texts(BROKEN, pa.string())}))
    keys, promise = ["apple", REPAIRED[1]], "each row belongs to one person"
    assert released(hc.table(connection.sql("FROM t"), promise=promise), keys=keys) == {"apple": 2, REPAIRED[1]: 1}
    table = ibis.duckdb.from_connection(connection).table("t")
    assert released(hc.table(table, promise=promise), keys=keys) == {"apple": 2, REPAIRED[1]: 0}


def test_one_broken_text_among_many() -> None:
    cells = [b"apple"] * 20_000 + [b"\xff"] + [b"apple"] * 20_000
    table = pa.table({"user": range(len(cells)), "item": texts(cells, pa.string())})
    assert released(table, keys=["apple", "\ufffd"], bound=1) == {"apple": 40_000, "\ufffd": 1}
    polars = pl.DataFrame(table.slice(0, 20_000))
    assert released(polars, keys=["apple"], bound=1) == {"apple": 20_000}
