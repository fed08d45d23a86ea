"""Amounts and cells of public scales: the same as SQL and as an expression of Ibis, bit for bit."""

import struct
from decimal import Decimal
from math import inf, nan, nextafter
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot
from sqlglot import exp

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.source import contributions, kernels, open_events
from headcount.source.contributions.contributions import Contributions
from headcount.source.contributions.derived import labelled, placed
from headcount.source.contributions.plain import PlainContributions
from headcount.source.engines.kinds import NUMBERS, kind_named
from headcount.source.engines.registry import engine_of
from headcount.source.engines.scan import Scan
from headcount.source.engines.sql_values import SqlValue
from headcount.source.frames.pandas_columns import Role
from headcount.source.scales.amounts import Numbers, plain_number
from headcount.source.scales.axis import Axis, between, spaced

AXES = {
    "even": spaced((0, 1000), 16, "even"),
    "narrow": spaced((-0.3, 0.1), 7, "even"),
    "log": spaced((0.1, 1e6), 50, "log"),
    "both signs": spaced((-1000, 1e5), 64, "log"),
    "edges": between([-1.5, 0, 0.1, 0.3, 7, 1e300]),
    "many": between([*range(400)]),
    "dropped": Axis((0.0, 10.0, 100.0), 2, clamped=False),
    "tiny": spaced((0, 5e-310), 2, "even"),
}
ENDS = sorted({edge for axis in AXES.values() for edge in axis.points.tolist()[:20]})
NEAR = [each for end in ENDS for each in (nextafter(end, -inf), end, nextafter(end, inf))]
STRANGE = [None, nan, -nan, inf, -inf, -0.0, 0.0, 5e-324, 1.7976931348623157e308, -1e300, 1e12, 2.0**53 + 2, 0.1]
WORDS = [
    "1",
    " 2.5\t",
    "-0",
    "1e400",
    "-1e-400",
    "nan",
    "inf",
    "-Infinity",
    "1_000",
    "0x10",
    "",
    "+.5",
    "5.",
    "1d",
    "é",
]


def whole(bits: int, *, signed: bool) -> pa.Array:
    """Integers of a width, with the least and the largest."""
    ends = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] if signed else [0, 2**bits - 1]
    return pa.array([*ends, None, 0, 1, 2, 99, 100, ends[1] - 1], getattr(pa, f"{'' if signed else 'u'}int{bits}")())


AMOUNTS: dict[str, pa.Array] = {
    **{f"int{bits}": whole(bits, signed=True) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": whole(bits, signed=False) for bits in (8, 16, 32, 64)},
    "double": pa.array([*STRANGE, *NEAR]),
    "float": pa.array(
        [each if each is None or abs(each) < 3e38 or abs(each) == inf else 1.5 for each in STRANGE + NEAR]
    ).cast(pa.float32(), safe=False),
    "decimal": pa.array([Decimal("0.10"), Decimal("-1.50"), None, Decimal("99999999.99")], pa.decimal128(10, 2)),
    "long decimal": pa.array([Decimal("9" * 38), Decimal(-1), None, Decimal(2**53 + 1)], pa.decimal128(38, 0)),
    "fine decimal": pa.array([Decimal("0." + "1" * 30), None, Decimal("0.3")], pa.decimal128(38, 37)),
    "boolean": pa.array([True, None, False]),
    "text": pa.array([*WORDS, None]),
}
"""Amounts of each type that has some."""


def rows_of(amounts: pa.Array) -> pa.Table:
    """Each amount of three people, one of whom is nobody, in two groups, one of which is none, and often enough."""
    users, items = [1, 2, None] * 2, ["a"] * 3 + [None] * 2 + ["b"]
    size = len(amounts)
    return pa.table(
        {
            "user": pa.array([user for user in users for _ in range(size)], pa.int32()),
            "item": [item for item in items for _ in range(size)],
            "amount": pa.concat_arrays([amounts] * len(users)),
        }
    )


def opened(tmp_path: Path, amounts: pa.Array, way: str, *columns: str) -> Scan:
    """Rows of a file or a frame, opened."""
    rows = rows_of(amounts)
    if way == "file":
        pq.write_table(rows, tmp_path / "rows.parquet")
    data = str(tmp_path / "rows.parquet") if way == "file" else rows
    items: list[Role] = ["item"] * (len(columns) - 2)
    events = open_events(data, columns, roles=("person", *items, "number"))
    assert events.scan is not None
    scan = events.scan()
    assert isinstance(scan.counted(1), Scan)
    return scan


def plain(rows: Scan, *items: str, numbers: Numbers | None = None) -> Scan:
    """The events of rows that are counted as they are."""
    found = PlainContributions(rows, items, lambda: pytest.fail("no expression"), None, once=False, numbers=numbers)
    return found.events


def bits(table: Any) -> list[Any]:
    """The rows of a table, sorted; numbers by their bits, but of NaN, which is as good as NULL."""
    rows = engine_of(table).to_arrow(table).to_pylist()
    return sorted(str([_bits(value) for value in row.values()]) for row in rows)


def _bits(value: Any) -> Any:
    if isinstance(value, float):
        return None if value != value else struct.pack(">d", value).hex()
    return value


def expressed(of: Contributions) -> Any:
    """The events as an expression."""
    assert of.events is not None
    return of.events


@pytest.mark.parametrize("way", ["file", "frame"])
@pytest.mark.parametrize("name", AMOUNTS)
def test_amounts_are_those_of_the_expression(tmp_path: Path, name: str, way: str) -> None:
    scan, numbers = opened(tmp_path, AMOUNTS[name], way, "user", "item", "amount"), Numbers((None,))
    found = contributions(scan.table, [None], events=False, keys=None, scales=(None,))
    assert bits(plain(scan, "item0", numbers=numbers)) == bits(expressed(found)) != []
    scan.connection.disconnect()


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", AMOUNTS)
def test_cells_are_those_of_the_expression(tmp_path: Path, name: str, axis: str) -> None:
    scan = opened(tmp_path, AMOUNTS[name], "file", "user", "amount")
    found = contributions(placed(scan.table, AXES[axis]), [None], events=True, keys=None)
    assert bits(plain(placed(scan, AXES[axis]), "item0")) == bits(expressed(found))
    scan.connection.disconnect()


def test_amounts_of_all_rows_are_those_of_the_expression(tmp_path: Path) -> None:
    what = 'it\'s "all"'
    scan, numbers = opened(tmp_path, AMOUNTS["double"], "file", "user", "amount"), Numbers((None,))
    found = contributions(labelled(scan.table, what), [None], events=False, keys=None, scales=(None,))
    assert bits(plain(labelled(scan, what), "item0", numbers=numbers)) == bits(expressed(found)) != []
    scan.connection.disconnect()


def normal(sql: str) -> str:
    """SQL without names of tables, quotes of names, parentheses and layout."""

    def bare(node: Any) -> Any:
        if isinstance(node, exp.Paren):
            return node.this.transform(bare)
        return exp.column(node.name) if isinstance(node, exp.Column) else node

    return str(sqlglot.parse_one(sql, read="duckdb").transform(bare).sql("duckdb"))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(("name", "kind"), [("DOUBLE", "float64"), ("BIGINT", "int64"), ("VARCHAR", "string")])
def test_the_sql_is_that_of_ibis(axis: str, name: str, kind: str) -> None:
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"CREATE TABLE rows (amount {name})")
    column = connection.table("rows")["amount"]
    for of in (AXES[axis].index, plain_number):
        written = ibis.to_sql(of(column).name("found").as_table(), dialect="duckdb")
        assert normal(f"SELECT {of(SqlValue('amount', kind)).sql} AS found FROM rows") == normal(
            written.replace('"found"', "found").replace('"rows" AS "t0"', "rows")
        )


@pytest.mark.parametrize("name", [*[name for name, _ in NUMBERS.values()][:8], "decimal(38, 0)", "decimal(38, 38)"])
def test_a_number_answers_as_ibis_does(name: str) -> None:
    kind, known = kind_named(name), ibis.dtype(name)
    for each in ("string", "boolean", "integer", "floating", "decimal", "date", "timestamp", "numeric", "temporal"):
        assert getattr(kind, f"is_{each}")() == getattr(known, f"is_{each}")()
    assert (str(kind), kind == known, kind.to_pyarrow()) == (str(known), True, known.to_pyarrow())


JOBS: dict[str, tuple[str, dict[str, Any]]] = {
    "sum": ("aggregate", {"by": "item", "metrics": ["sum(amount)"]}),
    "mean": ("aggregate", {"by": "item", "metrics": ["mean(amount)", "people(amount)"], "keys": ["a", "b", "z"]}),
    "median": ("aggregate", {"by": "item", "metrics": ["median(amount)", "events"], "range": (0, 100)}),
    "sum of keys": ("histogram", {"by": "item", "sum": "amount", "keys": ["a", "b"]}),
    "total": ("total", {"sum": "amount"}),
    "quantiles": ("quantiles", {"value": "amount", "range": (0, 1e6)}),
    "ranges": ("ranges", {"value": "amount", "ranges": [(0, 10), (5, 100)]}),
}
"""Jobs that read amounts."""


def many(amounts: pa.Array) -> pa.Table:
    """Rows of 400 people."""
    rows = rows_of(amounts).slice(0, 60)
    parts = [rows.set_column(0, "user", pa.array([user] * len(rows), pa.int64())) for user in [*range(399), None]]
    return pa.concat_tables(parts).combine_chunks()


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("name", ["int8", "uint64", "double", "float", "decimal"])
def test_a_release_is_that_of_a_connection(tmp_path: Path, name: str, job: str) -> None:
    """Tables on a user's connection are always read as expressions."""
    rows, connection = many(AMOUNTS[name]), ibis.duckdb.connect()
    pq.write_table(rows, tmp_path / "rows.parquet")
    connection.con.register("given", rows)
    connection.raw_sql("CREATE TABLE rows AS FROM given")
    which, said = JOBS[job]
    found = [
        hc.plan(which, data, user="user", epsilon=8, **said).release(entropy=Fixed(0)).table
        for data in (connection.table("rows"), str(tmp_path / "rows.parquet"), rows)
    ]
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])
    assert len(found[0])


@pytest.mark.parametrize("job", ["sum", "median", "total", "quantiles"])
def test_a_release_is_the_same_without_kernels(monkeypatch: pytest.MonkeyPatch, job: str) -> None:
    rows, (which, said) = many(AMOUNTS["double"]), JOBS[job]
    plan = hc.plan(which, rows, user="user", epsilon=8, **said)
    found = plan.release(entropy=Fixed(0)).table
    monkeypatch.setattr(kernels, "_built", lambda: None)
    assert plan.release(entropy=Fixed(0)).table.equals(found)


@pytest.mark.parametrize("amounts", [["1", "2"], [None, None]])
def test_text_is_refused_as_amounts(amounts: list[str | None]) -> None:
    data = pa.table({"user": [1, 2], "item": ["a", "b"], "amount": pa.array(amounts, pa.string())})
    with pytest.raises(hc.errors.UnknownColumn, match="holds text"):
        hc.plan("aggregate", data, user="user", by="item", metrics=["sum(amount)"], epsilon=1)


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("us"), pa.list_(pa.int8())], ids=str)
def test_dates_are_refused_as_amounts(kind: pa.DataType) -> None:
    data = pa.table({"user": [1, 2], "item": ["a", "b"], "amount": pa.nulls(2, kind)})
    with pytest.raises(hc.errors.UnknownColumn, match="not a number"):
        hc.plan("aggregate", data, user="user", by="item", metrics=["sum(amount)"], epsilon=1)
