"""The tables of a view are stored ones, and nothing else is ever taken for one of them."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibis
import pytest
from ibis.expr import operations as ops
from sqlglot import parse_one

import headcount as hc
from headcount.errors import HeadcountError, NotATable
from headcount.source import open_events
from headcount.source.views import leaves
from headcount.source.views.references import check_references
from headcount.source.views.refusals import Refused
from headcount.source.views.sql import check_sql

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
STORED = [("memory", "main", "v")]
ROWS = "(1, 5), (1, 6), (2, 7), (NULL, 8)"


def store(**tables: str) -> Any:
    connection = ibis.duckdb.connect()
    for name, columns in tables.items():
        connection.raw_sql(f"CREATE TABLE {name} ({columns})")
    return connection


def rows(view: Any) -> list[tuple[Any, ...]]:
    """Rows of a view as a job reads them."""
    table = open_events(view, ["u", "x"]).table()
    return sorted(ibis.get_backend(table).con.execute(ibis.to_sql(table)).fetchall(), key=repr)


def nested(table: Any) -> Any:
    """A view of which Ibis makes parts with names of their own."""
    pairs = table.filter(_.x > 5).join(table.view(), "u").select("u", "x")
    return pairs.union(pairs.filter(_.x > 6)).distinct()


@pytest.mark.parametrize("name", [f"t{number}" for number in range(16)])
def test_no_part_of_the_query_is_taken_for_a_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ibis calls the parts t0, t1, ...: a table has its full name."""
    con = store(**{name: "u BIGINT, x INT", "visits": "u BIGINT, x INT"})
    with pytest.raises(NotATable, match="a name that Ibis or headcount gives"):
        hc.view(nested(con.table(name)), user="u")
    monkeypatch.setattr(leaves, "OURS", re.compile("never"))
    con.raw_sql(f"INSERT INTO {name} VALUES {ROWS}; INSERT INTO visits VALUES {ROWS}")
    found = [rows(hc.view(nested(con.table(each)), user="u")) for each in (name, "visits")]
    assert found == [[(1, 6), (2, 7)]] * 2


@pytest.mark.parametrize("name", ["T4", "ibis_visits", "Headcount_1", "IBIS_CACHED_x"])
def test_names_that_ibis_gives_are_refused(name: str) -> None:
    con = store(**{name: "u BIGINT, x INT"})
    with pytest.raises(NotATable, match="a name that Ibis or headcount gives"):
        hc.view(con.table(name).distinct(), user="u")


@pytest.mark.parametrize("name", ["a b", 'a"b', "a.b", "a'b", "é", "1a", "a-b"])
def test_odd_names_of_tables_are_refused(name: str) -> None:
    con = ibis.duckdb.connect()
    con.create_table(name, schema={"u": "int64", "x": "int32"})
    with pytest.raises(HeadcountError, match="letters, digits"):
        hc.view(con.table(name).distinct(), user="u")


@pytest.mark.parametrize("name", ['a"b', "a'b", "a\\b", "a;b", "a\nb", "{{a}}", "$a"])
def test_odd_names_of_columns_are_refused(name: str) -> None:
    con = store(v="u BIGINT, x INT")
    with pytest.raises(HeadcountError, match=r"the name .* of a column"):
        hc.view(con.table("v").mutate(**{name: _.x}).distinct(), user="u")


NOT_STORED: dict[str, str] = {
    "a view that computes": "CREATE VIEW w AS SELECT u, -x AS x FROM v",
    "a view of plain columns": "CREATE VIEW w AS SELECT * FROM v",
    "a view with a limit": "CREATE VIEW w AS SELECT * FROM v LIMIT 2",
    "a temporary view": "CREATE TEMP VIEW w AS SELECT u, x FROM v",
    "a generated column": "CREATE TABLE w (u BIGINT, y INT, x INT AS (y * y))",
    "two tables of one name": "CREATE TABLE w (u BIGINT, x INT); CREATE TEMP TABLE w (u BIGINT, x INT)",
    "a table and a view": "CREATE TABLE w (u BIGINT, x INT); CREATE TEMP VIEW w AS SELECT u, x + 1 AS x FROM v",
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", NOT_STORED)
@pytest.mark.parametrize("public", [False, True])
def test_a_table_that_is_not_stored_is_refused(name: str, public: bool) -> None:
    con = store(v="u BIGINT, x INT")
    con.raw_sql(NOT_STORED[name])
    joined = con.table("v").left_join(con.table("w").select("x"), "x") if public else con.table("w")
    with pytest.raises(NotATable, match=r"table 'w' is (not one stored table of DuckDB|a view of your database)"):
        hc.view(joined.distinct(), user={"v": "u"} if public else "u", public=["w"] if public else ())


def test_a_name_that_no_table_has_is_no_file_and_no_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    con = store(v="u BIGINT, x INT")
    monkeypatch.chdir(tmp_path)
    con.raw_sql("COPY (SELECT 1 AS u, 2 AS x) TO 'w.parquet'")
    frame = con.table("v").to_pyarrow()
    for name in ("w.parquet", "frame"):
        leaf = ops.DatabaseTable(name=name, schema=ibis.schema({"u": "int64", "x": "int32"}), source=con)
        with pytest.raises(NotATable, match="is not one stored table"):
            hc.view(leaf.to_expr().distinct(), user="u")
    assert len(frame) == 0


def test_tables_in_memory_and_files_and_cached_queries_are_refused(tmp_path: Path) -> None:
    con = store(v="u BIGINT, x INT")
    path = tmp_path / "v.parquet"
    con.raw_sql(f"COPY v TO '{path}'")
    cached = con.table("v").mutate(found=_.x.max()).cache()
    for table, message in (
        (ibis.memtable({"u": [1], "x": [2]}), "a table in Python's memory"),
        (con.read_parquet(path), "a name that Ibis or headcount gives"),
        (cached, "a name that Ibis or headcount gives"),
        (con.read_parquet(path, table_name="w"), "is a view of your database"),
    ):
        with pytest.raises(NotATable, match=message):
            hc.view(table.distinct(), user="u")


def test_a_cached_query_is_no_table_for_jobs_either() -> None:
    con = store(v="u BIGINT, x INT")
    cached = con.table("v").mutate(found=_.x.max()).cache()
    with pytest.raises(NotATable, match=r"a table that \.cache\(\) made of a query"):
        hc.plan("histogram", cached, user="u", by="found", epsilon=1)


def test_a_table_of_a_schema_and_one_under_two_names() -> None:
    con = store(v="u BIGINT, x INT")
    con.raw_sql("CREATE SCHEMA s; CREATE TABLE s.v (u BIGINT, x INT); INSERT INTO s.v VALUES (1, 3)")
    with pytest.raises(NotATable, match="is not one stored table"):
        hc.view(con.table("v").distinct(), user="u")
    assert rows(hc.view(con.table("v", database=("memory", "s")).distinct(), user="u")) == [(1, 3)]
    other = con.table("V", database=("memory", "s"))
    with pytest.raises(NotATable, match="under two names"):
        hc.view(con.table("v", database=("memory", "s")).join(other, "u"), user="u")


@pytest.mark.parametrize(
    "change",
    ["ALTER TABLE v ALTER u TYPE VARCHAR", "ALTER TABLE v ADD COLUMN y INT", "ALTER TABLE v RENAME x TO z"],
)
def test_a_table_that_has_changed_is_refused(change: str) -> None:
    con = store(v="u BIGINT, x INT")
    table = con.table("v")
    con.raw_sql(change)
    with pytest.raises(HeadcountError, match="other columns than when it was opened"):
        hc.view(table.distinct(), user="u")


def test_a_table_that_became_a_view_after_the_plan() -> None:
    con = store(v="u BIGINT, x INT", w="u BIGINT, x INT")
    plan = hc.plan("histogram", hc.view(con.table("w").distinct(), user="u"), user="u", by="x", epsilon=1)
    con.raw_sql("DROP TABLE w; CREATE VIEW w AS SELECT u, x * x AS x FROM v")
    with pytest.raises(HeadcountError):
        plan.release()


CAPTURED: dict[str, str] = {
    "a part by the name of a table": 'WITH "v" AS (SELECT 1 AS "u") SELECT "t0"."u" FROM "v" AS "t0", "v2" AS "t1"',
    "a table without its schema": 'SELECT "t0"."u" FROM "v" AS "t0"',
    "a table of another schema": 'SELECT "t0"."u" FROM "memory"."other"."v" AS "t0"',
    "a file": 'SELECT "t0"."u" FROM \'v.parquet\' AS "t0"',
    "a function": 'SELECT "t0"."u" FROM read_parquet(\'v.parquet\') AS "t0"',
    "two parts of one name": 'WITH "a" AS (SELECT 1), "A" AS (SELECT 2) SELECT "a"."u" FROM "memory"."main"."v" AS "a"',
    "an alias twice": 'SELECT "t0"."u" FROM "memory"."main"."v" AS "t0", "memory"."main"."v" AS "T0"',
    "a column without its table": 'SELECT "u" FROM "memory"."main"."v" AS "t0"',
    "a column of an outer query": 'SELECT "t0"."u" FROM "memory"."main"."v" AS "t0" WHERE "t0"."u" IN '
    '(SELECT "t0"."u" FROM "memory"."main"."v" AS "t1")',
    "columns in the place of others": 'SELECT * REPLACE (1 AS "u") FROM "memory"."main"."v" AS "t0"',
    "two windows": 'SELECT ROW_NUMBER() OVER (PARTITION BY "t0"."u" ORDER BY "t0"."x") AS "a", SUM("t0"."x") OVER '
    '(PARTITION BY "t0"."u" ORDER BY "t0"."u") AS "b" FROM "memory"."main"."v" AS "t0"',
}


@pytest.mark.parametrize("name", CAPTURED)
def test_names_in_the_sql_that_could_stand_for_something_else(name: str) -> None:
    with pytest.raises(Refused):
        check_references(parse_one(CAPTURED[name], read="duckdb"), STORED)


def test_a_column_can_be_dropped() -> None:
    con = store(v="u BIGINT, x INT, f DOUBLE, a INT, b INT, c INT, d INT, e INT, g INT, h INT")
    con.raw_sql("INSERT INTO v (u, x) VALUES (1, 2), (1, 2)")
    assert rows(hc.view(con.table("v").drop("f").distinct(), user="u")) == [(1, 2)]


def test_names_in_the_sql_that_stand_for_what_they_should() -> None:
    check_references(
        parse_one(
            'WITH "t1" AS (SELECT "t0"."u" FROM "memory"."main"."v" AS "t0") SELECT "t2"."u", MAX("t2"."u") OVER '
            '(PARTITION BY "t2"."u") AS "a", RANK() OVER (ORDER BY "t2"."u") AS "b" FROM "t1" AS "t2"',
            read="duckdb",
        ),
        STORED,
    )


ONE_WINDOW_A_STEP: dict[str, Callable[[Any], Any]] = {
    "two orders": lambda v: v.mutate(
        a=ibis.row_number().over(group_by="u", order_by="x"),
        b=ibis.row_number().over(group_by="u", order_by=ibis.desc("x")),
    ),
    "two functions of one order": lambda v: v.mutate(
        a=ibis.row_number().over(group_by="u", order_by="x"), b=_.x.lag().over(group_by="u", order_by="x")
    ),
    "two partitions": lambda v: v.mutate(
        a=ibis.row_number().over(group_by=["u", "x"], order_by="y"), b=_.y.lag().over(group_by="u", order_by="y")
    ),
    "in a filter": lambda v: v.filter(
        ibis.row_number().over(group_by="u", order_by="x") < 3,
        ibis.row_number().over(group_by="u", order_by="y") < 3,
    ),
    "with one that is no place": lambda v: v.mutate(
        a=ibis.row_number().over(group_by="u", order_by="x"),
        b=_.x.max().over(group_by="u"),
        c=ibis.rank().over(group_by="u", order_by="y"),
        d=_.y.sum().over(ibis.cumulative_window(group_by="u", order_by="y")),
    ),
}


@pytest.mark.parametrize("name", ONE_WINDOW_A_STEP)
def test_windows_of_several_orders_give_the_same_rows_however_identical_rows_are_sorted(name: str) -> None:
    """Places of identical rows are paired by all results before, not by a sort."""
    found = []
    for disabled in ("", "statistics_propagation,top_n,column_lifetime"):
        con = store(v="u BIGINT, x INT, y INT")
        con.raw_sql("INSERT INTO v SELECT i % 3, i % 2, 7 FROM range(6000) t(i) ORDER BY hash(i)")
        con.raw_sql(f"SET disabled_optimizers = '{disabled}'")
        table = hc.view(ONE_WINDOW_A_STEP[name](con.table("v")), user="u").certified("u")[1]
        listed = con.con.execute(ibis.to_sql(table)).fetchall()
        con.raw_sql("DELETE FROM v WHERE u = 2")
        fewer = con.con.execute(ibis.to_sql(table)).fetchall()
        found += [sorted(row for row in each if row[0] != 2) for each in (listed, fewer)]
    assert found[0]
    assert all(each == found[0] for each in found)


def test_identical_rows_are_paired_by_the_results_before() -> None:
    con = store(v="u BIGINT, x INT, y INT")
    con.raw_sql("INSERT INTO v SELECT 1, 2, 3 FROM range(5000)")
    table = hc.view(ONE_WINDOW_A_STEP["two orders"](con.table("v")), user="u").certified("u")[1]
    assert all(row[3] == row[4] for row in con.con.execute(ibis.to_sql(table)).fetchall())


def test_a_view_is_checked_at_once_with_its_sql() -> None:
    """What cannot be written is refused by hc.view, not by the job after it."""
    con = store(v="u BIGINT, d DATE")
    with pytest.raises(NotATable, match="a time in quarters"):
        hc.view(con.table("v").mutate(y=_.d + ibis.interval(quarters=1)), user="u")


def test_the_sql_of_a_table_without_its_full_name_is_refused() -> None:
    con = store(v="u BIGINT, x INT")
    leaf = con.table("v").op()
    with pytest.raises(Refused):
        check_sql('SELECT "t0"."u" AS "u" FROM "v" AS "t0"', {leaf: con.table("v", database=("memory", "main")).op()})


def test_errors_can_be_caught_by_name() -> None:
    """Whatever else was imported."""
    text = "import headcount as hc; hc.errors.NotATable"
    subprocess.run([sys.executable, "-c", text], check=True)
