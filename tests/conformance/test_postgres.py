"""What is Postgres's own: settings, snapshots, values that would fail, what is no table, and what is left behind."""

import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest
from ibis.expr.operations import SQLQueryResult
from tests.conformance.engines import Put, Seeded, on_postgres, people

import headcount as hc
from headcount.errors import BadParameter, LedgerError, NotATable, UnknownColumn
from headcount.source import open_events
from headcount.source.engines.postgres import Postgres
from headcount.source.engines.registry import engine_of, to_arrow

ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 2, "bound": 2}
PROMISE = "each row belongs to one person"


@pytest.fixture(scope="module")
def put(postgres: Any) -> Put:
    return on_postgres(postgres)


@pytest.fixture(scope="module")
def events(put: Put) -> Any:
    return put(people())


@pytest.fixture(scope="module")
def named(postgres: Any, events: Any) -> str:
    """The name of the table, and others made of it."""
    name = str(events.get_name())
    for sql in (
        f"CREATE VIEW {name}_view AS SELECT * FROM {name}",
        f"CREATE VIEW {name}_chance AS SELECT *, random() AS x FROM {name}",
        f"CREATE VIEW {name}_few AS SELECT * FROM {name} LIMIT 9",
        f"CREATE VIEW {name}_now AS SELECT * FROM {name} WHERE day < now()",
        f"CREATE VIEW {name}_nested AS SELECT * FROM {name}_chance",
        f"CREATE MATERIALIZED VIEW {name}_stored AS SELECT * FROM {name}",
        f"CREATE TEMP TABLE {name}_temporary AS SELECT * FROM {name}",
    ):
        postgres.con.execute(sql)
    return name


def table_of(data: Any, **asked: Any) -> pa.Table:
    """A release's table, always with the same chance."""
    return hc.plan("histogram", hc.table(data, name="events"), **{**ASKED, **asked}).release(entropy=Seeded()).table


def test_any_settings_of_a_session(postgres: Any, events: Any) -> None:
    """They change nothing, and are not changed."""
    odd = {
        "TimeZone": "Asia/Tokyo",
        "DateStyle": "German, DMY",
        "extra_float_digits": "-5",
        "transform_null_equals": "on",
        "standard_conforming_strings": "off",
    }
    with postgres.con.transaction(force_rollback=True):
        for name, value in odd.items():
            postgres.con.execute("SELECT set_config(%s, %s, false)", (name, value))
        assert table_of(events) == table_of(people())
        assert table_of(events, by="day", per="week") == table_of(people(), by="day", per="week")
        for name, value in odd.items():
            assert postgres.con.execute("SELECT current_setting(%s)", (name,)).fetchone() == (value,)


def test_text_compares_byte_by_byte(events: Any) -> None:
    """Whatever the collation of the database is: the order of items and their equality are those of their bytes."""
    table = open_events(events, ["user", "item"]).table()
    connection = ibis.get_backend(table).con
    with engine_of(table).reserve(table, None):
        found = connection.execute(f"SELECT pg_collation_for(column1) FROM {table.get_name()} LIMIT 1").fetchone()
        with engine_of(table).materialise(table) as kept:
            stored = connection.execute(f"SELECT pg_collation_for(column1) FROM {kept.get_name()} LIMIT 1").fetchone()
    assert found == stored == ('"C"',)


def test_one_snapshot(postgres: Any, put: Put) -> None:
    """Rows that come while a table is read are not seen, and neither are those of a transaction that is still open."""
    data = put(pa.table({"user": [1, 2], "item": ["a", "b"]}))
    table = open_events(data, ["user", "item"]).table()
    with engine_of(table).reserve(table, None):
        assert len(to_arrow(table)) == 2
        postgres.con.execute(f"INSERT INTO {data.get_name()} VALUES (3, 'c')")
        assert len(to_arrow(table)) == 2
    assert len(to_arrow(open_events(data, ["user", "item"]).table())) == 3


def wait_until_closed(postgres: Any) -> None:
    """Wait until the server has ended all connections of ours; it does so a moment after they are closed."""
    sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'headcount'"
    ends = time.monotonic() + 60
    while postgres.con.execute(sql).fetchone() != (0,):
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_the_ledger_looks_at_the_rows_that_are_read(postgres: Any, put: Put, tmp_path: Path) -> None:
    """Rows that come between the look and the reading are in neither; then the data are others."""
    data = put(pa.table({"user": [1, 2], "item": ["a", "b"]}))
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=9, delta=1e-5)
    plan = hc.plan("histogram", hc.table(data, name="events"), **{**ASKED, "keys": ["a", "b"], "bound": 1})

    def insert(step: str) -> None:
        if step == "reading":
            sql = f"INSERT INTO {data.get_name()} SELECT n, 'a' FROM generate_series(10, 100009) AS n"
            postgres.con.execute(sql)

    release = plan.release(ledger=ledger, progress=insert)
    assert max(release.table["count"].to_pylist()) < 50_000
    with pytest.raises(LedgerError, match="the data changed since"):
        plan.release(ledger=ledger)
    wait_until_closed(postgres)


def odd_rows(odd: Any) -> pa.Table:
    """Twenty people, and one more with an odd value."""
    usual = [f"{index}" for index in range(20)]
    return pa.table({"user": [f"u{index}" for index in range(21)], "x": [*usual, odd]})


@pytest.mark.parametrize(
    "text", ["2024-02-31", "1e400", "-1e400", "1e-400", "1e999999", "1e-999999", "0." + "0" * 400 + "1", "9" * 400, "x"]
)
def test_a_text_makes_nothing_fail(put: Put, text: str) -> None:
    here, there = odd_rows(text).to_pandas(), put(odd_rows(text))
    asked: list[dict[str, Any]] = [
        {"by": "x", "bins": [-1, 5, 10, 1e9]},
        {"by": "x", "bins": ["1900-01-01", "2024-02-01", "2030-01-01"]},
    ]
    for each in asked:
        assert table_of(there, **each) == table_of(here, **each)


@pytest.mark.parametrize("value", [5e-324, 1e-310, -1e308, 1.7e308, float("inf"), float("nan"), -0.0])
def test_a_number_makes_nothing_fail(put: Put, value: float) -> None:
    """As a person, as a number on a scale, in bins and as an amount: nothing overflows or underflows."""
    rows = pa.table({"user": [*map(float, range(20)), value], "x": [*map(float, range(20)), value], "g": ["a"] * 21})
    asked: list[tuple[Any, dict[str, Any]]] = [
        ("quantiles", {"value": "x", "range": (0, 1e10), "cells": 16, "spacing": "even", "bound": 1}),
        ("histogram", {"by": "x", "bins": [0, 1e-311, 10, 1e9], "bound": 1}),
        ("aggregate", {"by": "g", "metrics": ["sum(x)", "mean(x)"]}),
    ]
    there = put(rows)
    for job, each in asked:
        plans = [hc.plan(job, hc.table(data, name="d"), user="user", epsilon=1, **each) for data in (rows, there)]
        assert plans[0].release(entropy=Seeded()).table == plans[1].release(entropy=Seeded()).table


def test_values_that_only_postgres_has(postgres: Any) -> None:
    """Infinite and far dates, decimals that are NaN or too large: dropped like missing ones."""
    postgres.con.execute(
        "CREATE TABLE odd AS SELECT n AS user, CASE n WHEN 1 THEN 'infinity'::date WHEN 2 THEN '200000-01-01' "
        "WHEN 3 THEN '4000-01-01 BC' ELSE '2024-01-05' END AS day, CASE n WHEN 1 THEN '-infinity'::timestamptz "
        "ELSE '2024-01-05 23:30-02' END AS moment, CASE n WHEN 1 THEN 'NaN' ELSE 1.50 END::numeric(10, 2) AS price, "
        "CASE n WHEN 1 THEN 'NaN' WHEN 2 THEN 1e400 WHEN 3 THEN 'Infinity' ELSE 2.5 END::numeric AS wide, "
        "gen_random_uuid() AS id FROM generate_series(1, 9) AS n"
    )
    odd = postgres.table("odd")
    columns = ["user", "day", "moment", "price", "wide", "id"]
    events = open_events(odd, columns)
    assert [str(events.columns[each]) for each in columns[2:]] == [
        *("timestamp('UTC', 6)", "decimal(10, 2)", "float64", "string")
    ]
    found = to_arrow(events.table())
    assert found["column1"].null_count == 3
    assert found["column1"].drop_null().to_pylist() == [date(2024, 1, 5)] * 6
    assert (found["column2"].null_count, found["column3"].null_count, found["column4"].null_count) == (1, 1, 3)
    assert found["column2"].drop_null()[0].as_py().replace(tzinfo=None) == datetime(2024, 1, 6, 1, 30)
    for job, asked in (("histogram", {"by": "day", "per": "month"}), ("total", {"sum": "wide", "bound": 5})):
        names = hc.plan(job, odd, user="user", epsilon=1, **asked).release(entropy=Seeded()).table.column_names
        assert {"low", "high"} < set(names)


def test_types_that_cannot_be_read(postgres: Any) -> None:
    postgres.con.execute("CREATE TABLE kinds AS SELECT 1 AS user, ARRAY[1] AS several, '1 day'::interval AS span")
    for column in ("several", "span"):
        with pytest.raises(UnknownColumn, match=f"column '{column}' is of a kind that cannot be read"):
            hc.plan("histogram", postgres.table("kinds"), user="user", by=column, epsilon=1)


def text(backend: Any, name: str, sql: str) -> Any:
    """What `backend.sql` makes of it, which sends statements of its own."""
    return SQLQueryResult(sql, backend.table(name).schema(), backend).to_expr()


TABLES: dict[str, Callable[[Any, str], Any]] = {
    "columns": lambda b, n: b.table(n).select("user", "item"),
    "a filter": lambda b, n: (t := b.table(n)).filter(t.city == "Rome", t.item.notnull()),
    "capitals": lambda b, n: (t := b.table(n)).mutate(item=t.item.upper()),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_is_row_by_row_is_a_table(postgres: Any, named: str, name: str) -> None:
    assert hc.plan("histogram", TABLES[name](postgres, named), **ASKED).promise == ""


PROMISED: dict[str, tuple[Callable[[Any, str], Any], str]] = {
    "a view": (lambda b, n: b.table(f"{n}_view"), "the view"),
    "a stored view": (lambda b, n: b.table(f"{n}_stored"), "a materialized view"),
    "SQL": (lambda b, n: text(b, n, f"SELECT * FROM {n}"), "SQL text"),
    "arithmetic": (lambda b, n: (t := b.table(n)).mutate(amount=t.amount * t.amount), "the operation Multiply"),
    "a cast": (lambda b, n: (t := b.table(n)).mutate(x=t.item.try_cast("int64")), "the operation TryCast"),
    "a group-by": (lambda b, n: (t := b.table(n)).group_by("item").agg(user=t.user.max()), "a group-by"),
}


@pytest.mark.parametrize("name", PROMISED)
def test_other_queries_need_the_promise(postgres: Any, named: str, name: str) -> None:
    make, step = PROMISED[name]
    with pytest.raises(NotATable, match=f"a query with {step}"):
        hc.plan("histogram", make(postgres, named), **ASKED)
    assert hc.plan("histogram", hc.table(make(postgres, named), promise=PROMISE), **ASKED).promise == PROMISE


REFUSED: dict[str, tuple[Callable[[Any, str], Any], str]] = {
    "a limit": (lambda b, n: b.table(n).limit(9), "a limit"),
    "a view with a limit": (lambda b, n: b.table(f"{n}_few"), "a limit"),
    "a view with chance": (lambda b, n: b.table(f"{n}_chance"), "a random value"),
    "a view of such a view": (lambda b, n: b.table(f"{n}_nested"), "a random value"),
    "SQL of such a view": (lambda b, n: text(b, n, f"SELECT * FROM {n}_nested"), "a random value"),
    "a view with the time": (lambda b, n: b.table(f"{n}_now"), "the time of reading"),
    "a sample": (lambda b, n: text(b, n, f"SELECT * FROM {n} TABLESAMPLE SYSTEM (50)"), "a sample"),
    "a clock": (lambda b, n: text(b, n, f"SELECT * FROM {n} WHERE clock_timestamp() > day"), "the time of reading"),
    "a temporary table": (lambda b, n: b.table(f"{n}_temporary"), "not that of a table that other connections see"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_promise_covers_chance_time_or_order(postgres: Any, named: str, name: str) -> None:
    make, step = REFUSED[name]
    for promise in (None, PROMISE):
        with pytest.raises(NotATable, match=step):
            hc.plan("histogram", hc.table(make(postgres, named), promise=promise), **ASKED)


def test_row_security_needs_the_promise(postgres: Any, put: Put) -> None:
    data = put(people())
    postgres.con.execute("CREATE ROLE reader")
    for sql in (
        f"ALTER TABLE {data.get_name()} ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY own ON {data.get_name()} USING (city = 'Rome')",
        f"GRANT SELECT ON {data.get_name()} TO reader",
        "SET ROLE reader",
    ):
        postgres.con.execute(sql)
    try:
        with pytest.raises(NotATable, match="row security"):
            hc.plan("histogram", data, **ASKED)
        found = to_arrow(open_events(data, ["city"], promise=PROMISE).table())
        assert set(found["column0"].to_pylist()) == {"Rome"}
    finally:
        postgres.con.execute("RESET ROLE")


def test_names_of_columns_mean_nothing(postgres: Any) -> None:
    odd = ['a"b', "select", "x'; DROP TABLE t; --", "per%cent %s", "A"]
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in odd)
    postgres.con.execute(f"CREATE TABLE names ({listed.replace(',', ' text,')} text)")
    postgres.con.execute("INSERT INTO names VALUES ('u', 'i', 'j', 'k', 'l')")
    for column in odd[1:]:
        keys = list("ijkl")
        plan = hc.plan("histogram", postgres.table("names"), user=odd[0], by=column, epsilon=1, bound=1, keys=keys)
        assert len(plan.release(entropy=Seeded()).table) == 4


def test_a_ledger_sees_whether_the_rows_are_the_same(put: Put, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=9, delta=1e-5)
    asked: dict[str, Any] = {**ASKED, "keys": ["a", "b"], "ledger": ledger}
    rows = {"user": ["a", None, "b", "b"], "item": [None, "a", "b", "a"]}
    kinds = pa.schema({"user": pa.string(), "item": pa.string()})
    first = hc.histogram(hc.table(put(pa.table(rows, kinds)), name="events"), **asked)
    moved = {name: column[::-1] for name, column in rows.items()}
    assert hc.histogram(hc.table(put(pa.table(moved, kinds)), name="events"), **asked).content == first.content
    for other in (
        {**rows, "user": [None, "a", "b", "b"], "item": ["a", None, "b", "b"]},
        {name: [*column, column[2], column[2]] for name, column in rows.items()},
    ):
        with pytest.raises(LedgerError, match="the data changed since"):
            hc.histogram(hc.table(put(pa.table(other, kinds)), name="events"), **asked)


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def unknown_function(text: str) -> str:  # type: ignore[empty-body]
    """No function of Postgres."""


@pytest.mark.parametrize("asked", [{"bound": 2}, {"by": "day", "per": "week"}])
def test_what_the_engine_cannot_do_is_not_charged(
    events: Any, asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=9, delta=1e-5)
    plan = hc.plan("histogram", hc.table(events, name="events"), **{**ASKED, **asked})
    monkeypatch.setattr(Postgres, "sha256", lambda self, text: unknown_function(text))
    monkeypatch.setattr(Postgres, "moment", lambda self, value: unknown_function(value.cast("string")))
    with pytest.raises(BadParameter, match="its engine cannot run this request"):
        plan.release(ledger=ledger)
    assert len(ledger.spends()) == 0


def test_nothing_is_left_behind(postgres: Any, events: Any) -> None:
    table_of(events, keys=["item 1"])
    wait_until_closed(postgres)
    sql = "SELECT count(*) FROM pg_class WHERE relname LIKE 'headcount%'"
    assert postgres.con.execute(sql).fetchone() == (0,)
