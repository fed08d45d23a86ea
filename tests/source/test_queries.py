"""A query is not a table: what is row by row works as before, what is not needs a promise, and chance has none."""

import csv
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.jobs import of_every_job

import headcount as hc
from headcount.account import Ledger
from headcount.errors import BadParameter, NotATable, TableChanged
from headcount.jobs import JOBS
from headcount.release import Release
from headcount.release.published import check_sealed
from headcount.source.queries.patterns import is_simple

PROMISE = "each row belongs to one person"
UNCHECKED = "a query that headcount did not check"
LIMIT, CHANCE, NOW = "a limit", "a random value", "the time of reading"
UNORDERED, SAMPLE, ALL_ROWS = "row numbers without an order", "a sample", "a value computed from all rows"
GUESSED = "CSV or JSON that the engine parses"
UNLIKE = "a comparison in SQL text, of what may be of different types, which can fail"
MISPLACED = "a constant in SQL text that may not fit where it stands, which can fail"
REFUSED = (LIMIT, CHANCE, NOW, UNORDERED, SAMPLE)
"""Steps that no promise covers."""
PEOPLE = 60
ASKED: dict[str, Any] = {"user": "person", "epsilon": 1, "bound": 1}
_ = ibis._


def visits(hiv: int = 0, people: int = PEOPLE) -> pa.Table:
    """People of whom one, number 17, may have it."""
    rows = range(people)
    return pa.table(
        {
            "person": pa.array(rows, pa.int64()),
            "hiv": pa.array([hiv if row == 17 else 0 for row in rows], pa.int64()),
            "city": pa.array(["Rome" if row % 2 else "Oslo" for row in rows], pa.string()),
            "day": pa.array([19_000 + row % 9 for row in rows], pa.date32()),
        }
    )


def on_duckdb(table: pa.Table) -> Any:
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE visits AS SELECT * FROM given")
    connection.execute("CREATE VIEW few AS SELECT * FROM visits LIMIT 2")
    connection.execute("CREATE VIEW rome AS SELECT person, upper(city) AS city FROM visits WHERE city = 'Rome'")
    connection.execute("CREATE VIEW again AS SELECT * FROM rome")
    connection.execute("CREATE VIEW most AS SELECT *, max(hiv) OVER () AS worst FROM visits")
    connection.execute("CREATE TABLE lots (person BIGINT, city VARCHAR, lot DOUBLE AS (random()))")
    return connection


@ibis.udf.scalar.python  # type: ignore[untyped-decorator]
def own(value: int) -> int:
    return value


IBIS: dict[str, tuple[Callable[[Any, Any], Any], str | None]] = {
    "a table": (lambda t, con: t, None),
    "a column": (lambda t, con: t.mutate(more=t.hiv / 7 + 1), None),
    "a sum": (lambda t, con: t.mutate(more=t.hiv + 1), "the operation Add, which can fail"),
    "a product": (lambda t, con: t.filter(t.hiv * t.hiv > 1), "the operation Multiply, which can fail"),
    "a number rounded": (lambda t, con: t.mutate(x=(t.hiv / 7).round()), "the operation Round, which can fail"),
    "unlike types": (
        lambda t, con: t.filter(t.day < ibis.timestamp("2026-01-01")),
        "the operation Less, which can fail",
    ),
    "a condition in another": (
        lambda t, con: t.filter((t.hiv == 1) == t.city.identical_to("a")),
        "the operation Equals",
    ),
    "whether a condition is missing": (lambda t, con: t.filter((t.hiv == 1).isnull()), "the operation IsNull, which"),
    "several conditions": (lambda t, con: t.filter((t.hiv == 1) | ~(t.city == "a") & t.city.notnull()), None),
    "unlike cases": (lambda t, con: t.mutate(x=t.hiv.cases((1, t.hiv), else_=0)), None),
    "a pattern": (lambda t, con: t.filter(t.city.re_search("^R"), t.city.re_replace("R", "r") != ""), None),
    "a pattern that is not valid": (
        lambda t, con: t.filter(t.city == "Bonn", t.city.re_replace("(", "r") != ""),
        "the operation RegexReplace, which can",
    ),
    "patterns of a column": (lambda t, con: t.filter(t.city.re_search(t.city)), "the operation RegexSearch, which can"),
    "a month": (lambda t, con: t.mutate(x=t.day.truncate("M")), "the operation DateTruncate, which can fail"),
    "some columns": (lambda t, con: t.select("person", "city"), None),
    "a name": (lambda t, con: t.rename(town="city"), None),
    "a column less": (lambda t, con: t.drop("day"), None),
    "a condition": (lambda t, con: t.filter(t.hiv == 0, t.city.like("R%")), None),
    "text": (lambda t, con: t.mutate(city=t.city.upper().substr(0, 2).concat("!")), None),
    "cases": (lambda t, con: t.mutate(city=ibis.cases((t.hiv == 1, "a"), else_="b")), None),
    "dates": (lambda t, con: t.filter(t.day > "2022-01-08").mutate(month=t.day.month(), year=t.day.year()), None),
    "a cast": (lambda t, con: t.mutate(hiv=t.hiv.cast("string"), tried=t.city.try_cast("int64")), None),
    "a cast to more bits": (lambda t, con: t.mutate(x=(t.hiv == 1).cast("int64"), y=t.hiv.cast("float64")), None),
    "a cast that can fail": (lambda t, con: t.mutate(x=t.city.cast("int64")), "a cast that can fail"),
    "a cast to fewer bits": (lambda t, con: t.mutate(x=t.hiv.cast("int8")), "a cast that can fail"),
    "a root": (lambda t, con: t.mutate(x=t.hiv.sqrt()), "the operation Sqrt, which can fail"),
    "text as a date": (lambda t, con: t.mutate(x=t.city.as_date("%Y")), "the operation StringToDate, which can fail"),
    "a list of values": (lambda t, con: t.filter(t.city.isin(["Rome", "Oslo"])), None),
    "between": (lambda t, con: t.filter(t.hiv.between(0, 1)), None),
    "missing values": (lambda t, con: t.drop_null().fill_null({"hiv": 0}), None),
    "several steps": (lambda t, con: t.filter(_.hiv == 0).mutate(x=_.hiv / 2).select("person", "x", "city"), None),
    "a memtable": (lambda t, con: ibis.memtable(visits()), None),
    "a memtable with a column": (lambda t, con: ibis.memtable(visits()).mutate(x=_.hiv / 2), None),
    "a row-by-row view": (lambda t, con: con.table("rome"), None),
    "a view of a view": (lambda t, con: con.table("again").filter(_.city == "ROME"), None),
    "any": (lambda t, con: t.mutate(found=(t.hiv == 1).any().cast("string")), ALL_ROWS),
    "a mean": (lambda t, con: t.mutate(x=t.hiv - t.hiv.mean()), ALL_ROWS),
    "a filter by the most": (lambda t, con: t.filter(t.hiv == t.hiv.max()), ALL_ROWS),
    "a scalar": (lambda t, con: t.mutate(x=t.hiv.max().as_scalar()), ALL_ROWS),
    "a window": (lambda t, con: t.mutate(x=t.hiv.max().over(group_by="city")), "a window"),
    "a window by person": (lambda t, con: t.mutate(x=t.hiv.max().over(group_by="person")), "a window"),
    "a rank": (lambda t, con: t.mutate(x=ibis.rank().over(order_by="day")), "a window"),
    "a group-by": (lambda t, con: t.group_by("person", "city").agg(x=t.hiv.max()), "a group-by"),
    "one row a person": (lambda t, con: t.distinct(on="person", keep="first"), "a group-by"),
    "a join": (lambda t, con: t.join(t.view(), "person"), "a join"),
    "a left join": (lambda t, con: t.left_join(con.table("rome"), "person"), "a join"),
    "a semi join": (lambda t, con: t.semi_join(con.table("rome"), "person"), "a join"),
    "a cross join": (lambda t, con: t.cross_join(t.view()), "a join"),
    "is in": (lambda t, con: t.filter(t.person.isin(con.table("rome").person)), "a subquery"),
    "distinct": (lambda t, con: t.distinct(), "distinct rows"),
    "a union": (lambda t, con: t.union(t), "a union"),
    "an intersection": (lambda t, con: t.intersect(t), "an intersection"),
    "a difference": (lambda t, con: t.difference(t.filter(t.hiv == 1)), "a difference of tables"),
    "an order": (lambda t, con: t.order_by("day"), "an order of rows"),
    "unnest": (lambda t, con: t.mutate(x=ibis.array([1, 2]).unnest()), "unnest"),
    "a Python function": (lambda t, con: t.mutate(x=own(t.hiv)), "a function of your own"),
    "SQL text": (lambda t, con: con.sql("SELECT * FROM visits"), "SQL text"),
    "SQL text on a table": (lambda t, con: t.sql("SELECT * FROM visits"), "SQL text"),
    "an alias": (lambda t, con: t.alias("other"), "the operation AliasedRelation"),
    "a view with a window": (lambda t, con: con.table("most"), "the view 'most', which holds a value computed from"),
    "a registered frame": (lambda t, con: con.table("given"), "the view 'given', which headcount cannot look into"),
    "a generated column": (lambda t, con: con.table("lots"), "a generated column"),
    "a limit": (lambda t, con: t.limit(500), LIMIT),
    "a head": (lambda t, con: t.head(), LIMIT),
    "a limit inside": (lambda t, con: t.limit(500).filter(_.hiv == 0).join(t, "person"), LIMIT),
    "a view with a limit": (lambda t, con: con.table("few"), f"the view 'few', which holds {LIMIT}"),
    "SQL text with a limit": (lambda t, con: con.sql("SELECT * FROM visits LIMIT 3"), LIMIT),
    "a sample": (lambda t, con: t.sample(0.5), SAMPLE),
    "random": (lambda t, con: t.mutate(x=ibis.random()), CHANCE),
    "a random filter": (lambda t, con: t.filter(ibis.random() < 0.5), CHANCE),
    "uuid": (lambda t, con: t.mutate(x=ibis.uuid()), CHANCE),
    "now": (lambda t, con: t.mutate(x=ibis.now()), NOW),
    "today": (lambda t, con: t.filter(t.day < ibis.today()), NOW),
    "a row number": (lambda t, con: t.mutate(x=ibis.row_number()), UNORDERED),
    "a lag": (lambda t, con: t.mutate(x=t.hiv.lag()), UNORDERED),
    "a row id": (lambda t, con: t.mutate(x=t.rowid()), UNORDERED),
}
"""Expressions, and what in them is not row by row."""
PROVED = (
    *("a cast that can fail", "a cast to fewer bits", "a root", "a window by person", "a group-by", "a join"),
    *("distinct", "a union", "an order", "a sum", "a product", "a number rounded", "a month"),
    *("a condition in another", "whether a condition is missing"),
)
"""Those of which headcount proves that each row is one person's (tests/views)."""
SQL: dict[str, str | None] = {
    "SELECT * FROM visits": None,
    "FROM visits": None,
    "SELECT person, city FROM main.visits AS v WHERE v.hiv > '0' AND city LIKE 'R%'": None,
    "SELECT person, upper(city) AS city, hiv / 2 AS x, CAST(hiv AS VARCHAR) AS y FROM visits": None,
    "SELECT person, CASE WHEN hiv IN ('1', '2') THEN 'a' ELSE coalesce(city, '') END AS city FROM visits": None,
    "SELECT *, DATE '2024-01-01' > day AS x, 2.5 / hiv AS y FROM visits WHERE day > '2024-01-01'": UNLIKE,
    "SELECT *, hiv / 2.5 AS y FROM visits WHERE day > '2024-01-01' AND person <> '-3'": None,
    "SELECT *, CASE WHEN person = '17' AND hiv = '1' THEN 'x' ELSE person END AS y FROM visits": MISPLACED,
    "SELECT *, coalesce(hiv, 'x') AS y FROM visits": MISPLACED,
    "SELECT * FROM visits WHERE day = '2024-02-30'": MISPLACED,
    "SELECT *, CAST(CAST('2024-02-30' AS DATE) AS VARCHAR) AS y FROM visits": MISPLACED,
    "SELECT *, CASE WHEN hiv = '1' THEN CAST('x' AS INT) END AS y FROM visits": UNLIKE,
    "SELECT *, CAST('x' AS INT) AS y FROM visits": MISPLACED,
    "SELECT * EXCLUDE (hiv) FROM (SELECT * FROM visits WHERE hiv BETWEEN '0' AND '1') AS t": None,
    "SELECT * FROM visits WHERE hiv > 0": UNLIKE,
    "SELECT * FROM visits WHERE hiv = person": UNLIKE,
    "SELECT * FROM visits WHERE hiv BETWEEN 0 AND 1": UNLIKE,
    "SELECT * FROM visits WHERE hiv IN (0, 1)": UNLIKE,
    "SELECT * FROM visits WHERE city": UNLIKE,
    "SELECT * FROM visits WHERE city = 'a' OR city": UNLIKE,
    "SELECT *, CASE WHEN city THEN 'a' END AS x FROM visits": UNLIKE,
    "SELECT *, CASE WHEN city = 'a' THEN hiv ELSE person END AS x FROM visits": UNLIKE,
    "SELECT *, coalesce(hiv, person) AS x FROM visits": UNLIKE,
    "SELECT *, hiv + 1 AS x FROM visits": "the function +(), which can fail",
    "SELECT *, date_trunc('month', day) AS x FROM visits": "the function date_trunc(), which can fail",
    "SELECT *, regexp_matches(city, city) AS x FROM visits": "the function regexp_matches(), which can fail",
    "SELECT *, regexp_matches(city, 'R') AS x FROM visits": None,
    "SELECT * FROM visits WHERE regexp_matches(city, '^R.*(a|e)$')": None,
    "SELECT *, regexp_replace(city, '(', '') AS x FROM visits": "the function regexp_replace(), which can fail",
    "WITH v AS (SELECT * FROM visits) SELECT * FROM v": None,
    "SELECT * FROM rome": None,
    "SELECT *, DATE '2024-01-01' AS x, TRY_CAST(city AS INT) AS y FROM visits WHERE true": None,
    "SELECT *, CAST(city AS INT) AS x FROM visits": "a cast that can fail",
    "SELECT *, ln(hiv) AS x FROM visits": "the function ln(), which can fail",
    "SELECT *, left(city, 3) AS x FROM visits": None,
    "SELECT *, left(city, 99999999999) AS x FROM visits": "the function left(), which can fail",
    "SELECT *, substr(city, '99999999999') AS x FROM visits": "the function substr(), which can fail",
    "SELECT *, split_part(city, ',', 2) AS x FROM visits": None,
    "SELECT *, (SELECT max(hiv) FROM visits) AS x FROM visits": ALL_ROWS,
    "SELECT * FROM visits WHERE EXISTS (SELECT 1 FROM visits WHERE hiv = 1)": ALL_ROWS,
    "SELECT *, max(hiv) OVER () AS x FROM visits": ALL_ROWS,
    "SELECT *, max(hiv) OVER (PARTITION BY person) AS x FROM visits": "a window",
    "SELECT person, city, max(hiv) AS x FROM visits GROUP BY ALL": "a group-by",
    "SELECT max(person) AS person, max(city) AS city FROM visits": "the function max()",
    "SELECT v.* FROM visits AS v JOIN rome USING (person)": "a join",
    "SELECT v.* FROM visits AS v, rome": "a join",
    "SELECT * FROM visits UNION ALL SELECT * FROM visits": "a union",
    "SELECT DISTINCT * FROM visits": "distinct rows",
    "SELECT * FROM visits ORDER BY person": "an order of rows",
    "SELECT *, unnest([1, 2]) AS x FROM visits": "the function unnest()",
    "SELECT *, getvariable('x') AS x FROM visits": "the function getvariable()",
    "SELECT *, hiv AS person2 FROM given": "the view 'given'",
    "SELECT range AS person, 'a' AS city FROM range(9)": "the table function range()",
    "WITH few AS (SELECT * FROM few) SELECT * FROM few": f"the view 'few', which holds {LIMIT}",
    "SELECT * FROM (SELECT * FROM visits LIMIT 2) AS t": LIMIT,
    "SELECT * FROM visits USING SAMPLE 10%": SAMPLE,
    "SELECT * FROM visits TABLESAMPLE 10%": SAMPLE,
    "SELECT *, CASE WHEN hiv = 1 THEN random() END AS x FROM visits": CHANCE,
    "SELECT *, now() AS x FROM visits": NOW,
    "SELECT *, current_date AS x FROM visits": NOW,
    "SELECT *, rowid AS x FROM visits": UNORDERED,
    "SELECT * FROM visits QUALIFY row_number() OVER () < 9": UNORDERED,
}
LAZY: dict[str, tuple[Callable[[Any], Any], str | None]] = {
    "a frame": (lambda t: t, None),
    "a filter": (lambda t: t.filter(pl.col("hiv") > 0), "lazy steps that headcount cannot read"),
    "the most": (lambda t: t.with_columns(x=pl.col("hiv").max()), "lazy steps that headcount cannot read"),
    "a window": (lambda t: t.with_columns(x=pl.col("hiv").max().over("city")), "a window"),
    "a join": (lambda t: t.join(t, on="person"), "a join"),
    "a group-by": (lambda t: t.group_by("person", "city").agg(pl.col("hiv").max()), "a group-by"),
    "a union": (lambda t: pl.concat([t, t]), "a union"),
    "distinct": (lambda t: t.unique(), "distinct rows"),
    "an order": (lambda t: t.sort("person"), "an order of rows"),
    "a function": (lambda t: t.map_batches(lambda frame: frame), "lazy steps that headcount cannot read"),
    "a limit": (lambda t: t.limit(9), LIMIT),
    "a limit inside": (lambda t: t.tail(9).join(t, on="person"), LIMIT),
    "a row number": (lambda t: t.with_row_index("n"), UNORDERED),
    "a sample": (lambda t: t.select(pl.all().sample(9)), CHANCE),
    "the first": (lambda t: t.with_columns(x=pl.col("hiv").first()), UNORDERED),
    "the first of a person": (lambda t: t.with_columns(x=pl.col("hiv").last().over("person")), UNORDERED),
    "the row before": (lambda t: t.with_columns(x=pl.col("hiv").shift(1)), UNORDERED),
    "a sum so far": (lambda t: t.with_columns(x=pl.col("hiv").cum_sum()), UNORDERED),
    "the row before, in an order": (
        lambda t: t.sort("person").with_columns(x=pl.col("hiv").shift(1)),
        "an order of rows",
    ),
    "a limit of values": (lambda t: t.select(pl.all().head(9)), LIMIT),
    "a slice of values": (lambda t: t.select(pl.all().slice(1, 9)), LIMIT),
    "some values": (lambda t: t.select(pl.all().gather([1, 2])), LIMIT),
    "one value": (lambda t: t.with_columns(x=pl.col("hiv").get(0)), LIMIT),
    "letters": (
        lambda t: t.with_columns(city=pl.col("city").str.slice(0, 2)),
        "lazy steps that headcount cannot read",
    ),
    "shuffled": (lambda t: t.with_columns(pl.col("hiv").shuffle()), CHANCE),
}
RELATIONS: dict[str, tuple[Callable[[Any, Path], Any], str | None]] = {
    "a table": (lambda con, folder: con.table("visits"), None),
    "a filter": (lambda con, folder: con.table("visits").filter("hiv > 0"), UNLIKE),
    "a filter by text": (lambda con, folder: con.table("visits").filter("hiv > '0'"), None),
    "columns": (lambda con, folder: con.table("visits").project("person, lower(city) AS city"), None),
    "an alias": (lambda con, folder: con.table("visits").set_alias("v").filter("v.hiv > '0'"), None),
    "a view of a table": (lambda con, folder: con.view("rome"), None),
    "parquet": (lambda con, folder: con.read_parquet(str(folder / "v.parquet")), None),
    "csv": (lambda con, folder: con.read_csv(str(folder / "v.csv")).filter("hiv = 0"), GUESSED),
    "a file in SQL": (lambda con, folder: con.sql(f"FROM '{folder / 'v.parquet'}'"), None),
    "csv in SQL": (lambda con, folder: con.sql(f"FROM '{folder / 'v.csv'}'"), GUESSED),
    "places in a file": (
        lambda con, folder: con.sql(f"SELECT *, file_row_number AS x FROM '{folder / 'v.parquet'}'"),
        UNORDERED,
    ),
    "places in a file, as a column": (
        lambda con, folder: con.read_parquet(str(folder / "v.parquet"), file_row_number=True),
        UNORDERED,
    ),
    "files in a list": (
        lambda con, folder: con.sql(f"FROM read_parquet(['{folder / 'v.parquet'}'], union_by_name=true)"),
        None,
    ),
    "pandas": (lambda con, folder: con.from_df(visits().to_pandas()), None),
    "pandas, with a name like a cast": (
        lambda con, folder: con.from_df(visits().to_pandas()).project("person, city AS forecast"),
        None,
    ),
    "pandas, with a constant": (
        lambda con, folder: con.from_df(visits().to_pandas()).filter("city = 'Rome'"),
        "a constant in quotes in SQL text on a data frame",
    ),
    "Arrow": (lambda con, folder: con.from_arrow(visits()), "the table function arrow_scan()"),
    "a view with a limit": (lambda con, folder: con.view("few"), f"the view 'few', which holds {LIMIT}"),
    "a limit": (lambda con, folder: con.table("visits").limit(9), LIMIT),
    "a join": (lambda con, folder: con.table("visits").join(con.view("rome").project("person"), "person"), "a join"),
    "a group-by": (lambda con, folder: con.table("visits").aggregate("person, city", "person, city"), "a group-by"),
    "an order": (lambda con, folder: con.table("visits").order("person"), "an order of rows"),
    "distinct": (lambda con, folder: con.table("visits").distinct(), "distinct rows"),
    "a subquery": (lambda con, folder: con.table("visits").project("*, (SELECT 1) AS x"), ALL_ROWS),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("files")
    pq.write_table(visits(), found / "v.parquet")
    visits().to_pandas().to_csv(found / "v.csv", index=False)
    return found


def check(data: Any, step: str | None) -> None:
    """A table is taken without a word; a query needs the promise, or is refused with it, too."""
    by = "city" if "city" in data.columns else "town"
    if step is None:
        assert hc.plan("histogram", data, by=by, **ASKED).promise == ""
        return
    with pytest.raises(NotATable) as refused:
        hc.plan("histogram", data, by=by, **ASKED)
    assert f"the data are a query with {step}" in str(refused.value)
    if step.endswith(REFUSED):
        assert "No promise covers that." in str(refused.value)
        with pytest.raises(NotATable) as again:
            hc.plan("histogram", hc.table(data, promise=PROMISE), by=by, **ASKED)
        assert str(again.value) == str(refused.value)
    else:
        assert refused.value.fix.endswith(f'hc.table(data, promise="{PROMISE}")')
        assert hc.plan("histogram", hc.table(data, promise=PROMISE), by=by, **ASKED).promise == PROMISE


@pytest.fixture(scope="module")
def database() -> Any:
    return on_duckdb(visits())


@pytest.mark.filterwarnings("ignore")  # of Ibis, about DuckDB
@pytest.mark.parametrize("name", IBIS)
def test_ibis_expressions(name: str, database: Any) -> None:
    connection = ibis.duckdb.from_connection(database)
    make, step = IBIS[name]
    data = make(connection.table("visits"), connection)
    if name in PROVED:
        assert hc.plan("histogram", data, by="city", **ASKED).certificate
        assert hc.plan("histogram", hc.table(data, promise=PROMISE), by="city", **ASKED).promise == PROMISE
    else:
        check(data, step)


@pytest.mark.parametrize("text", SQL)
def test_sql_of_a_relation(text: str, database: Any) -> None:
    check(database.sql(text), SQL[text])


@pytest.mark.filterwarnings("ignore")  # of Ibis, about DuckDB
def test_a_constant_of_a_view_does_not_tell_of_one_person() -> None:
    """Release or failure: whether person 17 has it."""
    connection = on_duckdb(visits(hiv=1))
    person = "CASE WHEN person = '17' AND hiv = '1' THEN 'x' ELSE person END"
    connection.execute(f"CREATE VIEW told AS SELECT city, {person} AS person FROM visits")
    found = ibis.duckdb.from_connection(connection)
    for data in (connection.view("told"), found.table("told")):
        with pytest.raises(NotATable, match="constant in SQL text that may not fit"):
            hc.plan("histogram", data, by="city", **ASKED)


@pytest.mark.parametrize("name", RELATIONS)
def test_relations(name: str, folder: Path, database: Any) -> None:
    make, step = RELATIONS[name]
    check(make(database, folder), step)


@pytest.mark.filterwarnings("ignore")
def test_functions_of_the_users_stand_in_for_duckdbs_in_a_table_too() -> None:
    """A job's own SQL calls functions of DuckDB, on the user's connection."""
    connection = on_duckdb(visits())
    connection.execute("CREATE MACRO decode(x) AS 'the same for all'")
    people = ibis.duckdb.from_connection(connection).table("visits")
    check(people, "a function of your own in place of decode()")
    check(connection.table("visits"), None)  # of a relation only the rows are taken


@pytest.mark.parametrize("types", [["BIGINT"], ["VARCHAR"]], ids=str)
def test_a_function_in_python_for_other_types_stands_in_for_duckdbs(types: list[str]) -> None:
    """DuckDB lists it as its own."""
    connection = on_duckdb(visits())
    connection.create_function("floor", lambda x: 1.0, types, "DOUBLE")
    connection.create_function("my_own", lambda x: 1.0, types, "DOUBLE")
    people = ibis.duckdb.from_connection(connection).table("visits")
    check(people, "a function of your own in place of floor()")
    check(connection.sql("SELECT *, floor(hiv) AS x FROM visits"), "a function of your own in place of floor()")
    with pytest.raises(NotATable, match="in place of floor"):
        hc.view(people.mutate(x=people.hiv.floor()), user="person")


EXTREMES = "(2, 9223372036854775807, 18446744073709551615, '5877642-06-25 (BC)', 'oops', [1])"
FAIL_BY_A_ROW: dict[str, Callable[[Any], Any]] = {
    "a date's difference by a column": lambda t: t.filter(t.d.delta(ibis.date("2020-01-01"), unit=t.s) >= 0),
    "a date's difference in microseconds": lambda t: t.filter(
        t.d.delta(ibis.date("2020-01-01"), unit="microsecond") >= 0
    ),
    "a place in an array by a column": lambda t: t.mutate(z=t.arr[t.i]).filter(_.z.isnull() | (_.z > 0)),
    "bits of two kinds of numbers": lambda t: t.mutate(w=t.u & t.i),
    "the first of two kinds of numbers": lambda t: t.mutate(w=ibis.coalesce(t.i, t.u)),
    "one of two kinds of numbers": lambda t: t.mutate(w=t.i.nullif(t.u)),
    "a number between two of another kind": lambda t: t.mutate(w=t.i.clip(t.u, 5)),
    "a text from far behind its end": lambda t: t.filter(t.s.substr(10**12) != "k"),
    "a text that is no day": lambda t: t.filter(t.d.isin(["2020-01-01", "2026-02-30"])),
    "a text that is no id": lambda t: t.mutate(w=ibis.coalesce(t.s.try_cast("uuid"), "x")),
    "a text for missing ids": lambda t: t.mutate(w=t.s.try_cast("uuid")).fill_null({"w": "x"}),
    "a place far behind a text's end": lambda t: t.filter(t.s.find("a", 2**40) != 9),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", FAIL_BY_A_ROW)
def test_no_row_makes_a_query_fail_that_is_taken_without_a_promise(name: str) -> None:
    """Either it is refused, whatever the rows are; or it is released, whatever they are."""
    outcomes = set()
    for rows in ("(1, 1, 1, '2020-01-01', NULL, [1])", f"(1, 1, 1, '2020-01-01', NULL, [1]), {EXTREMES}"):
        connection = ibis.duckdb.connect()
        connection.raw_sql("CREATE TABLE t (id BIGINT, i BIGINT, u UBIGINT, d DATE, s TEXT, arr INT[])")
        connection.raw_sql(f"INSERT INTO t VALUES {rows}")
        data = FAIL_BY_A_ROW[name](connection.table("t"))
        by = "w" if "w" in data.columns else "i"
        try:
            hc.histogram(data, user="id", by=by, epsilon=1)
            outcomes.add("released")
        except NotATable:
            outcomes.add("refused")
    assert len(outcomes) == 1


@pytest.mark.parametrize("setting", ["integer_division", "old_implicit_casting"])
def test_settings_by_which_a_row_makes_a_query_fail(setting: str) -> None:
    connection = on_duckdb(visits())
    connection.execute(f"SET {setting} = true")
    check(connection.table("visits"), f"a connection with {setting}, which can fail")
    with pytest.raises(NotATable, match=setting):
        hc.plan("histogram", ibis.duckdb.from_connection(connection).table("visits"), by="city", **ASKED)


@pytest.mark.parametrize("name", LAZY)
def test_lazy_polars(name: str) -> None:
    make, step = LAZY[name]
    data = make(pl.DataFrame(visits()).lazy())
    text = str(step)
    if step is None:
        assert hc.plan("histogram", data, by="city", **ASKED).promise == ""
        return
    with pytest.raises(NotATable, match=f"a query with {text}"):
        hc.plan("histogram", data, by="city", **ASKED)
    if step in REFUSED:
        with pytest.raises(NotATable, match="No promise covers"):
            hc.plan("histogram", hc.table(data, promise=PROMISE), by="city", **ASKED)
    else:
        assert hc.plan("histogram", hc.table(data, promise=PROMISE), by="city", **ASKED).promise == PROMISE
        assert hc.plan("histogram", data.collect(), by="city", **ASKED).promise == ""


def test_lazy_files_are_a_table_unless_some_rows_are_left_out(folder: Path) -> None:
    file = folder / "v.parquet"
    assert hc.plan("histogram", pl.scan_parquet(file), by="city", **ASKED).promise == ""
    with pytest.raises(NotATable, match=LIMIT):
        hc.plan("histogram", hc.table(pl.scan_parquet(file, n_rows=9), promise=PROMISE), by="city", **ASKED)
    with pytest.raises(NotATable, match="lazy steps that headcount cannot read"):
        hc.plan("histogram", pl.scan_csv(folder / "v.csv"), by="city", **ASKED)


def test_files_of_ibis_are_tables(folder: Path) -> None:
    connection = ibis.duckdb.connect()
    table = connection.read_parquet(folder / "v.parquet")
    assert hc.plan("histogram", table.filter(_.hiv == 0), by="city", **ASKED).promise == ""
    with pytest.raises(NotATable, match=GUESSED):
        hc.plan("histogram", connection.read_csv(folder / "v.csv"), by="city", **ASKED)
    numbered = connection.read_parquet(folder / "v.parquet", file_row_number=True)
    with pytest.raises(NotATable, match=UNORDERED):
        hc.plan("histogram", hc.table(numbered, promise=PROMISE), by="city", **ASKED)


def test_a_view_of_another_database_does_not_pass_for_a_file() -> None:
    connection = on_duckdb(visits())
    connection.execute("ATTACH ':memory:' AS other")
    maximum = "(SELECT max(hiv) FROM memory.visits)"
    connection.execute(f'CREATE VIEW other."v.parquet" AS SELECT person, {maximum} AS city FROM memory.visits')
    with pytest.raises(NotATable, match="which is not that of one table"):
        hc.plan("histogram", connection.sql('FROM other."v.parquet"'), by="city", **ASKED)


def test_macros_do_not_blind_the_check() -> None:
    connection = on_duckdb(visits())
    for macro in ("lower(a) AS a || (SELECT max(hiv)::VARCHAR FROM visits)", "list(x) AS NULL", "count_star() AS 0"):
        connection.execute(f"CREATE MACRO {macro}")
    with pytest.raises(NotATable, match=r"a function of your own in place of lower"):
        hc.plan("histogram", connection.sql("SELECT person, lower('k') AS city FROM visits"), by="city", **ASKED)


MACROS = {
    "noise(x) AS x || random()": (CHANCE, "SELECT person, noise(city) AS city FROM visits"),
    "twice(x) AS noise(noise(x))": (CHANCE, "SELECT person, twice(city) AS city FROM visits"),
    "noise2(x) AS x, (x, y) AS x || y || uuid()": (CHANCE, "SELECT person, noise2(city, '') AS city FROM visits"),
    "part(n) AS TABLE SELECT * FROM visits LIMIT n": (LIMIT, "SELECT * FROM part(9)"),
    "since(x) AS x || now()": (NOW, "SELECT person, city FROM visits WHERE since(city) > 'a'"),
    "one(x) AS (SELECT city FROM visits LIMIT 1)": (LIMIT, "SELECT person, one(city) AS city FROM visits"),
}


def test_no_promise_covers_chance_inside_a_macro() -> None:
    """It is looked into; a macro without it needs the promise, like any function."""
    connection = on_duckdb(visits())
    connection.execute("CREATE MACRO plain(x) AS x || '!'")
    plain = connection.sql("SELECT person, plain(city) AS city FROM visits")
    check(plain, "the function plain()")
    for macro, (step, text) in MACROS.items():
        connection.execute(f"CREATE MACRO {macro}")
        with pytest.raises(NotATable, match=f"which holds .*{step}: .*No promise covers that"):
            hc.plan("histogram", hc.table(connection.sql(text), promise=PROMISE), by="city", **ASKED)
    assert hc.plan("histogram", hc.table(plain, promise=PROMISE), by="city", **ASKED).promise == PROMISE


def test_no_promise_covers_chance_inside_a_macro_that_ibis_calls() -> None:
    @ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
    def noise(x: str) -> str:  # type: ignore[empty-body]
        """A macro below."""

    connection = on_duckdb(visits())
    connection.execute("CREATE MACRO noise(x) AS x || random()")
    table = ibis.duckdb.from_connection(connection).table("visits")
    with pytest.raises(NotATable, match=r"the macro noise\(\), which holds a random value"):
        hc.plan("histogram", hc.table(table.mutate(city=noise(table.city)), promise=PROMISE), by="city", **ASKED)


def test_a_view_that_changes_after_the_plan_is_not_read() -> None:
    connection = on_duckdb(visits())
    connection.execute("CREATE VIEW v AS SELECT person, city FROM visits")
    plan = hc.plan("histogram", connection.sql("FROM v"), by="city", **ASKED)
    maximum = "(SELECT max(hiv)::VARCHAR FROM visits)"
    connection.execute(f"CREATE OR REPLACE VIEW v AS SELECT person, {maximum} AS city FROM visits")
    with pytest.raises(
        TableChanged, match=r"not what they were when the plan was made: .* Nothing was released\. Fix: m"
    ):
        plan.release()


def test_a_function_of_ones_own_does_not_pass_for_one_of_duckdbs() -> None:
    connection = on_duckdb(visits())
    relation = connection.sql("SELECT person, upper(city) AS city FROM visits")
    expression = ibis.duckdb.from_connection(connection).table("visits").mutate(city=_.city.upper())
    for data in (relation, expression):
        assert hc.plan("histogram", data, by="city", **ASKED).promise == ""
    connection.execute("CREATE MACRO upper(x) AS (SELECT max(hiv) FROM visits)")
    for data in (relation, expression):
        with pytest.raises(NotATable, match=r"a function of your own in place of upper\(\)"):
            hc.plan("histogram", data, by="city", **ASKED)


def test_a_table_that_became_a_view_since_the_plan_is_not_read() -> None:
    connection = on_duckdb(visits())
    plan = hc.plan("histogram", ibis.duckdb.from_connection(connection).table("visits"), by="city", **ASKED)
    connection.execute("ALTER TABLE visits RENAME TO before")
    connection.execute("CREATE VIEW visits AS SELECT * FROM before LIMIT 9")
    with pytest.raises(TableChanged, match="not what they were when the plan was made"):
        plan.release()


DOORS: dict[str, Callable[[Any], Any]] = {
    "ibis": lambda con: (t := ibis.duckdb.from_connection(con).table("visits")).mutate(
        found=(t.hiv == 1).any().cast("string")
    ),
    "relation": lambda con: con.sql("SELECT *, CAST((SELECT max(hiv) FROM visits) AS VARCHAR) AS found FROM visits"),
    "memtable": lambda con: (t := ibis.memtable(con.sql("FROM visits").to_arrow_table())).mutate(
        found=(t.hiv == 1).any().cast("string")
    ),
    "lazy polars": lambda con: (
        pl.DataFrame(con.sql("FROM visits").to_arrow_table())
        .lazy()
        .with_columns(found=pl.col("hiv").max().cast(pl.String))
    ),
}
"""One person's diagnosis in everybody's rows, by every door."""


@pytest.mark.parametrize("door", DOORS)
def test_neighbours_are_refused_alike(door: str) -> None:
    said = []
    for hiv, people in ((0, PEOPLE), (1, PEOPLE), (1, 17), (0, 0)):
        with pytest.raises(NotATable) as refused:
            hc.histogram(DOORS[door](on_duckdb(visits(hiv, people))), by="found", **ASKED)
        said.append(str(refused.value))
    assert len(set(said)) == 1


def test_nothing_is_read_and_nothing_charged_before_a_refusal(tmp_path: Path) -> None:
    connection, calls = on_duckdb(visits()), []

    def look(value: int) -> int:
        calls.append(value)
        return value

    connection.create_function("look", look, ["BIGINT"], "BIGINT", side_effects=True)
    ledger = Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    for text in (
        "SELECT person, look(hiv) AS city FROM visits",
        "SELECT person, look(hiv) AS city FROM visits LIMIT 9",
    ):
        with pytest.raises(NotATable):
            hc.histogram(hc.table(connection.sql(text), name="visits"), by="city", **ASKED, ledger=ledger)
    assert calls == []
    assert ledger.spends() == ()


@pytest.mark.parametrize(
    "typed", ["", "trust me", "each row belongs to one person.", True, 1, b"x", ["x"], PROMISE[:-1]]
)
def test_only_the_promise_is_taken(typed: Any) -> None:
    for data in (visits(), ibis.memtable(visits()).distinct()):
        with pytest.raises(BadParameter, match=r"^promise=") as refused:
            hc.plan("histogram", hc.table(data, promise=typed), by="city", **ASKED)
        assert refused.value.fix == f'hc.table(data, promise="{PROMISE}")'


@pytest.mark.parametrize("typed", [PROMISE, f"  {PROMISE.upper()}\n"])
def test_capitals_and_spaces_do_not_matter(typed: str) -> None:
    query = ibis.memtable(visits()).distinct()
    assert hc.plan("histogram", hc.table(query, promise=typed), by="city", **ASKED).promise == PROMISE


def test_a_promise_about_a_table_changes_nothing() -> None:
    plans = [hc.plan("histogram", data, by="city", **ASKED) for data in (visits(), hc.table(visits(), promise=PROMISE))]
    assert plans[0].to_json() == plans[1].to_json()
    assert plans[0].charge() == plans[1].charge()
    assert "promise" not in plans[0].to_json()


def query() -> Any:
    table = ibis.duckdb.from_connection(on_duckdb(visits())).table("visits")
    return table.mutate(worst=table.hiv.max().over(group_by="city"))


REQUESTS = of_every_job(
    {
        "histogram": {"by": "city", "keys": ["Rome", "Oslo"]},
        "aggregate": {"by": "city", "keys": ["Rome", "Oslo"], "metrics": ["people"]},
        "top": {"by": "city"},
        "heavy_hitters": {"by": "city", "share": 0.1},
        "total": {},
        "profile": {"by": "city"},
        "quantiles": {"value": "hiv", "range": (0, 9)},
        "ranges": {"value": "hiv", "ranges": [(0, 1), (1, 9)]},
        "shape": {"by": "city"},
        "distribution": {"by": "city", "keys": ["Rome", "Oslo"]},
    },
    item="city",
    number="hiv",
    listed=["Rome", "Oslo"],
)


@pytest.mark.parametrize("job", JOBS)
def test_every_job_takes_the_promise_and_says_so(job: str) -> None:
    asked = {"user": "person", "epsilon": 1, **REQUESTS[job]}
    with pytest.raises(NotATable, match="a window"):
        getattr(hc, job)(query(), **asked)
    release = getattr(hc, job)(hc.table(query(), promise=PROMISE), **asked)
    assert release.about.promise == PROMISE
    assert UNCHECKED in release.summary()
    assert any(UNCHECKED in step for step in release.about.steps)


def test_the_promise_stands_everywhere(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    asked = {**ASKED, "by": "city", "keys": ["Rome"]}
    promised = hc.table(query(), name="visits", promise=PROMISE)
    plan = hc.plan("histogram", promised, **asked)
    assert UNCHECKED in str(plan)
    assert UNCHECKED in plan._repr_html_()
    assert f'"promise":"{PROMISE}"' in plan.to_json()
    assert hc.Plan.from_json(plan.to_json()) == plan
    release = hc.histogram(promised, **asked, ledger=ledger)
    assert UNCHECKED in ledger.spends()[0].title
    assert PROMISE in ledger.spends()[0].request
    for name in ("r.html", "r.yaml"):
        release.report(tmp_path / name)
        text = " ".join((tmp_path / name).read_text().split())
        assert f"{UNCHECKED}. The analyst promised: {PROMISE}." in text
    with release.save(tmp_path / "r.csv").open(newline="") as file:
        assert [row["promise"] for row in csv.DictReader(file)] == [
            f"The table is {UNCHECKED}. The analyst promised: {PROMISE}."
        ]
    assert check_sealed(ledger, tmp_path / "r.csv").startswith("made from a release that was sealed here")
    release.save(tmp_path / "r.parquet")
    assert hc.load(tmp_path / "r.parquet").about.promise == PROMISE
    assert hc.histogram(promised, **asked, ledger=ledger).content == release.content


def test_a_table_has_no_promise_anywhere(tmp_path: Path) -> None:
    release = hc.histogram(visits(), by="city", keys=["Rome"], **ASKED)
    assert release.about.promise == ""
    release.report(tmp_path / "r.html")
    release.report(tmp_path / "r.yaml")
    shown = [release.summary(), *(path.read_text() for path in tmp_path.iterdir()), *release.about.steps]
    assert not [text for text in shown if "did not check" in text]
    assert "promise" not in release.save(tmp_path / "r.csv").read_text()


def test_a_plan_from_text_keeps_its_promise() -> None:
    asked = {**ASKED, "by": "city", "keys": ["Rome"]}
    plan = hc.plan("histogram", hc.table(query(), promise=PROMISE), **asked)
    assert hc.Plan.from_json(plan.to_json()).release(query()).about.promise == PROMISE
    table = hc.plan("histogram", ibis.memtable(visits()), **asked)
    with pytest.raises(NotATable, match="a window"):
        hc.Plan.from_json(table.to_json()).release(query())
    for other in ("trust me", "", None, 1):
        with pytest.raises(BadParameter, match="not a plan"):
            hc.Plan.from_json(plan.to_json().replace(f'"{PROMISE}"', repr(other).replace("'", '"')))


@pytest.mark.parametrize("data", [visits(), pd.DataFrame({"person": [1], "city": ["a"]}), pl.DataFrame(visits())])
def test_frames_are_tables(data: Any) -> None:
    assert isinstance(hc.histogram(data, by="city", **ASKED), Release)


@pytest.mark.parametrize("name", ["of one step", "of two steps"])
def test_a_condition_stays_whole_whatever_is_asked_of_it(name: str) -> None:
    """Ibis merges steps and writes no parentheses: it would compare a text with TRUE, which fails by one row."""
    connection = on_duckdb(visits())
    table = ibis.duckdb.from_connection(connection).table("visits")
    same = table.mutate(same=table.city.identical_to(table.city))
    data = same if name == "of one step" else same.mutate(known=ibis.literal(True) == ibis._.same).rename(old="same")
    column = "same" if name == "of one step" else "known"
    assert hc.total(data, **ASKED, where={column: True}).table.num_rows == 1


def test_every_pattern_of_the_grammar_is_valid() -> None:
    """For the engine that reads it, whatever letters it is drawn from."""
    draw, connection = Random(0), duckdb.connect()
    drawn = ("".join(draw.choices("a0 _-.^$*+?|()[]\\dw,", k=draw.randrange(1, 9))) for _place in range(30_000))
    simple = [each for each in drawn if is_simple(each)]
    assert len(simple) > 500
    for each in simple:
        connection.execute("SELECT regexp_matches('a', ?)", [each])
    assert not any(map(is_simple, ("(", "a**", "a*+", "[z-a]", "(?=a)", "a{1001}", "\\1", "[[:x:]]", "a" * 201)))
