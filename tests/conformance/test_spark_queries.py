"""A query is not a table, on Spark: by frames, by SQL, by views and by Ibis."""

from collections.abc import Callable, Iterator
from typing import Any

import ibis
import pytest

import headcount as hc
from headcount.errors import NotATable
from headcount.source.engines.spark_sql import spark_backend

pytestmark = pytest.mark.spark

PROMISE = "each row belongs to one person"
ASKED: dict[str, Any] = {"user": "person", "by": "city", "epsilon": 1, "bound": 1}
LIMIT, ALL_ROWS, CAST = "a limit", "a value computed from all rows", "a cast that can fail"
UNORDERED, CHANCE = "row numbers without an order", "another each time"


@pytest.fixture(scope="module")
def visits(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = str(tmp_path_factory.mktemp("visits") / "v.parquet")
    rows = [(row, int(row == 17), "Rome" if row % 2 else "Oslo") for row in range(40)]
    spark.createDataFrame(rows, "person long, hiv int, city string").write.parquet(path)
    frame = spark.read.parquet(path)
    frame.createOrReplaceTempView("visits")
    frame.limit(9).createOrReplaceTempView("few")
    frame.selectExpr("*", "rand() AS x").createOrReplaceTempView("chance")
    yield frame
    for name in ("visits", "few", "chance"):
        spark.catalog.dropTempView(name)


def ansi(frame: Any, spark: Any, *, enabled: bool = True) -> Any:
    """The same files in a session where a cast fails on a wrong value, or gives NULL."""
    other = spark.newSession()
    other.conf.set("spark.sql.ansi.enabled", str(enabled).lower())
    return other.read.parquet(*frame.inputFiles())


def test_rows_that_python_sent_are_a_table(spark: Any) -> None:
    frame = spark.createDataFrame([(1, "a")], ["person", "city"])
    assert hc.plan("histogram", frame, **ASKED).promise == ""
    with pytest.raises(NotATable, match="an RDD"):
        hc.plan("histogram", frame.repartition(2).rdd.map(lambda row: row).toDF(), **ASKED)


ROW_BY_ROW: dict[str, Callable[[Any, Any], Any]] = {
    "files": lambda t, s: t,
    "a plain pattern": lambda t, s: t.filter("city RLIKE 'Ro' AND city LIKE 'R%'"),
    "a temporary view": lambda t, s: s.table("visits"),
    "columns and filters": lambda t, s: t.filter("hiv = 0 AND city LIKE 'R%'").withColumnRenamed("hiv", "x"),
    "SQL": lambda t, s: s.sql("SELECT person, upper(city) AS city, hiv + 1 AS x FROM visits WHERE hiv IN (0, 1)"),
    "a cast to text": lambda t, s: ansi(t, s).selectExpr("*", "cast(hiv AS string) AS x"),
    "a cast to NULL": lambda t, s: ansi(t, s, enabled=False).selectExpr("*", "cast(city AS int) AS x"),
    "try_cast": lambda t, s: ansi(t, s).selectExpr("*", "try_cast(city AS int) AS x"),
    "partitions": lambda t, s: t.repartition(3).coalesce(1).dropna().fillna(0),
    "ibis": lambda t, s: spark_backend()().connect(s).table("visits").filter(ibis._.hiv == 0).mutate(x=ibis._.hiv + 1),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", ROW_BY_ROW)
def test_what_is_row_by_row_is_a_table(visits: Any, spark: Any, name: str) -> None:
    assert hc.plan("histogram", ROW_BY_ROW[name](visits, spark), **ASKED).promise == ""


QUERIES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "any, by Ibis": (
        lambda t, s: (v := spark_backend()().connect(s).table("visits")).mutate(x=(v.hiv == 1).any()),
        "a window",
    ),
    "the most": (lambda t, s: s.sql("SELECT *, (SELECT max(hiv) FROM visits) AS x FROM visits"), ALL_ROWS),
    "a window": (lambda t, s: s.sql("SELECT *, max(hiv) OVER () AS x FROM visits"), "a window"),
    "a group-by": (lambda t, s: t.groupBy("person", "city").count(), "a group-by"),
    "a join": (lambda t, s: t.join(t.select("person"), "person"), "a join"),
    "distinct": (lambda t, s: t.dropDuplicates(["person"]), "distinct rows"),
    "a union": (lambda t, s: t.union(t), "a union"),
    "an order": (lambda t, s: t.orderBy("person"), "an order of rows"),
    "explode": (lambda t, s: s.sql("SELECT *, explode(array(1, 2)) AS x FROM visits"), "explode"),
    "is in": (lambda t, s: s.sql("SELECT * FROM visits WHERE hiv IN (SELECT hiv FROM visits)"), "a subquery"),
    "an error": (lambda t, s: s.sql("SELECT *, raise_error(city) AS x FROM visits"), "the part RaiseError"),
    "a cast of ANSI": (lambda t, s: ansi(t, s).selectExpr("*", "cast(city AS int) AS x"), CAST),
    "a sum of ANSI": (lambda t, s: ansi(t, s).selectExpr("*", "hiv + 1 AS x"), "the function Add, which can fail"),
    "patterns of a column": (lambda t, s: t.filter("city RLIKE city"), "the function RLike, which can fail"),
    "a pattern that is not valid": (
        lambda t, s: t.filter("city = 'Bonn' AND city RLIKE '('"),
        "the function RLike, which can fail",
    ),
    "a month": (lambda t, s: t.selectExpr("*", "add_months(date '2024-01-01', hiv) AS x"), "the function AddMonths"),
    "a cast by a filter": (lambda t, s: ansi(t, s).filter("cast(city AS date) > '2024-01-01'"), CAST),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", QUERIES)
def test_other_queries_need_the_promise(visits: Any, spark: Any, name: str) -> None:
    make, step = QUERIES[name]
    data = make(visits, spark)
    with pytest.raises(NotATable, match=f"a query with {step}") as refused:
        hc.plan("histogram", data, **ASKED)
    assert refused.value.fix.endswith(f'hc.table(data, promise="{PROMISE}")')
    assert hc.plan("histogram", hc.table(data, promise=PROMISE), **ASKED).promise == PROMISE


REFUSED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "a limit": (lambda t, s: t.limit(9), LIMIT),
    "a limit by Ibis": (lambda t, s: spark_backend()().connect(s).table("visits").limit(9), LIMIT),
    "a view with a limit": (lambda t, s: s.table("few"), LIMIT),
    "a limit in a subquery": (lambda t, s: s.sql("SELECT *, (SELECT hiv FROM visits LIMIT 1) AS x FROM visits"), LIMIT),
    "a sample": (lambda t, s: t.sample(0.5, seed=1), "a sample"),
    "now": (lambda t, s: s.sql("SELECT *, now() AS x FROM visits"), "the time of reading"),
    "today": (lambda t, s: s.sql("SELECT * FROM visits WHERE current_date() > '2024-01-01'"), "the time of reading"),
    "chance": (lambda t, s: s.sql("SELECT *, rand() AS x FROM visits"), CHANCE),
    "chance with a seed": (lambda t, s: s.sql("SELECT *, rand(7) AS x FROM visits"), CHANCE),
    "chance in a condition": (lambda t, s: t.filter("rand() < 0.5"), CHANCE),
    "normal chance": (lambda t, s: s.sql("SELECT *, randn() AS x FROM visits"), CHANCE),
    "an identifier": (lambda t, s: s.sql("SELECT *, uuid() AS x FROM visits"), CHANCE),
    "chance in a subquery": (lambda t, s: s.sql("SELECT *, (SELECT rand() FROM few) AS x FROM visits"), CHANCE),
    "a view with chance": (lambda t, s: s.table("chance"), CHANCE),
    "the place in a file": (lambda t, s: t.selectExpr("*", "_metadata.row_index AS x"), UNORDERED),
    "the file's name": (lambda t, s: t.selectExpr("*", "_metadata.file_name AS x"), UNORDERED),
    "a condition on the place": (lambda t, s: t.filter("_metadata.row_index < 9"), UNORDERED),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", REFUSED)
def test_no_promise_covers_chance_time_or_order(visits: Any, spark: Any, name: str) -> None:
    make, step = REFUSED[name]
    for promise in (None, PROMISE):
        with pytest.raises(NotATable, match=step):
            hc.plan("histogram", hc.table(make(visits, spark), promise=promise), **ASKED)
