"""Views on Spark from outside: releases, settings and functions of the user's, and what a catalog may hold that is not
a stored table."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import ibis
import pytest
from benchmarks.views.databases import SparkDatabases
from benchmarks.views.worlds import NAMED

import headcount as hc
from headcount.errors import HeadcountError, NotATable, TableChanged
from headcount.noise import KeyedEntropy
from headcount.source.engines import spark_views
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.views.view import View

from .cases import CASES, Case

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.spark]
_ = ibis._
TABLES = {
    "person": "id AS person_id, IF(id % 2 = 0, 'f', 'm') AS gender FROM RANGE(300)",
    "drug_era": "id * 7919 % 300 AS person_id, id * 31 % 6 AS concept_id, "
    "DATE_ADD(DATE'2024-01-01', CAST(id * 17 % 300 AS INT)) AS start, CAST(id % 40 AS INT) AS days FROM RANGE(1500)",
    "concept": "id AS concept_id, CONCAT('class ', id % 3) AS class FROM RANGE(5)",
}


@pytest.fixture(scope="module")
def schema(spark: Any) -> Iterator[str]:
    name = f"clinic{uuid4().hex}"
    spark.sql(f"CREATE DATABASE {name}")
    for table, columns in TABLES.items():
        spark.sql(f"SELECT {columns}").coalesce(2).write.saveAsTable(f"{name}.{table}")
    yield name
    spark.sql(f"DROP DATABASE {name} CASCADE")


@pytest.fixture
def con(spark: Any, schema: str) -> Any:
    """A session of its own."""
    session = spark.newSession()
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    session.sql(f"USE {schema}")
    return ibis.pyspark.connect(session)


def sql(con: Any, text: str) -> Any:
    return con._session.sql(text)


def drugs(con: Any) -> Any:
    joined = con.table("drug_era").join(con.table("person"), "person_id")
    return joined.left_join(con.table("concept"), "concept_id")


def view(con: Any) -> Any:
    return hc.view(drugs(con), user="person_id", public=["concept"])


def rows(view: View, user: str = "person_id") -> list[str]:
    """Rows of a view as it is run."""
    found = view.certified(user)[1]
    engine = engine_of(found)
    return sorted(map(repr, to_arrow(engine.table(engine.native(found), found.columns)).to_pylist()))


def released(plan: Any) -> Any:
    return plan.release(entropy=KeyedEntropy(bytes(range(32)))).table


ASKED: dict[str, Any] = {"by": ["class", "gender"], "epsilon": 1, "bound": 3}


def test_a_release_is_that_of_the_view_on_duckdb_and_of_its_rows(con: Any) -> None:
    """Byte for byte, under the same noise."""
    duck = ibis.duckdb.connect()
    for name in TABLES:
        duck.con.register("rows", con.table(name).to_pyarrow())
        duck.raw_sql(f"CREATE TABLE {name} AS FROM rows")
    plans: list[Any] = [
        hc.plan("histogram", hc.table(view(each), name="d"), user="person_id", **ASKED) for each in (con, duck)
    ]
    proved = view(con).certified("person_id")[1]
    engine = engine_of(proved)
    materialised = engine.native(proved).toPandas()
    plans.append(hc.plan("histogram", hc.table(materialised, name="d"), user="person_id", **ASKED))
    first, *others = map(released, plans)
    assert all(first.equals(other) for other in others)
    assert plans[0].certificate == replace(plans[1].certificate, sql=plans[0].certificate.sql)


def test_an_expression_is_proved_without_declarations(con: Any) -> None:
    longest = con.table("drug_era").group_by("person_id").agg(longest=_.days.max())
    plan = hc.plan("histogram", longest, user="person_id", by="longest", bins=[0, 10, 40], epsilon=1)
    assert plan.certificate is not None
    assert plan.certificate.one_row
    assert len(plan.release().table) == 2


def test_ties_do_not_depend_on_where_rows_are_stored(con: Any) -> None:
    first = con.table("drug_era").mutate(n=ibis.row_number().over(group_by="person_id", order_by="concept_id"))
    before = rows(hc.view(first.filter(_.n == 0), user="person_id"))
    sql(con, "SELECT * FROM drug_era").repartition(5, "days").write.saveAsTable("moved")
    moved = con.table("moved").mutate(n=ibis.row_number().over(group_by="person_id", order_by="concept_id"))
    assert rows(hc.view(moved.filter(_.n == 0), user="person_id")) == before
    sql(con, "DROP TABLE moved")


ODD = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.groupByOrdinal": "false",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.legacy.charVarcharAsString": "true",
    "spark.sql.legacy.ctePrecedencePolicy": "LEGACY",
}


def computed(con: Any) -> View:
    """A view with values of many kinds."""
    drugs = con.table("drug_era")
    each = drugs.mutate(
        x=(_.days * 7) // 3,
        y=_.start.truncate("M"),
        z=_.person_id.cast("string").contains("1"),
        w=ibis.cases((_.days > 20, "it's\\%"), else_="b"),
        n=_.start.cast("timestamp").hour() + _.days,
    )
    return hc.view(each.group_by("person_id", "w", "y", "z").agg(n=_.x.sum(), m=_.n.max()), user="person_id")


def test_settings_of_the_users_change_nothing(con: Any) -> None:
    before = rows(computed(con))
    for name, value in ODD.items():
        con._session.conf.set(name, value)
    assert rows(computed(con)) == before
    assert {name: con._session.conf.get(name) for name in ODD} == ODD


def test_functions_of_the_users_are_not_looked_up(con: Any) -> None:
    before = rows(computed(con))
    for name in ("contains", "try_add", "try_multiply", "floor", "date_trunc", "encode", "try_sum", "hour", "nullif"):
        con._session.udf.register(name, lambda *values: None)
    assert rows(computed(con)) == before


def test_names_of_the_users_are_not_looked_up(con: Any, spark: Any) -> None:
    """A temporary view with the name of a table, and views with the names that headcount gives to parts of a query."""
    kept = view(con)
    before = rows(kept)
    for name in ("view0", "view1", "r1", "concept"):
        sql(con, "SELECT 1L AS person_id, 'x' AS gender, 2L AS concept_id, 'x' AS class").createTempView(name)
    with pytest.raises(NotATable, match="table 'concept' is not one stored table of Spark"):
        rows(kept)
    con._session.catalog.dropTempView("concept")
    assert rows(kept) == before


NOT_STORED: dict[str, Callable[[Any], Any]] = {
    "a view": lambda con: sql(con, "CREATE VIEW odd AS SELECT * FROM person"),
    "a view with a limit": lambda con: sql(con, "CREATE VIEW odd AS SELECT * FROM person LIMIT 3"),
    "a temporary view": lambda con: sql(con, "CREATE TEMP VIEW odd AS SELECT * FROM person"),
    "a temporary view of a plan": lambda con: sql(con, "SELECT * FROM person").createTempView("odd"),
    "a temporary view of a table": lambda con: con._session.table("person").createTempView("odd"),
    "a cached query": lambda con: sql(con, "CACHE TABLE odd AS SELECT * FROM person"),
    "a table in CSV": lambda con: sql(con, "CREATE TABLE odd USING CSV AS SELECT * FROM person"),
    "a table in JSON": lambda con: sql(con, "CREATE TABLE odd USING JSON AS SELECT * FROM person"),
    "partitions": lambda con: sql(
        con, "CREATE TABLE odd USING PARQUET PARTITIONED BY (gender) AS SELECT * FROM person"
    ),
    "an option by which old days fail": lambda con: sql(
        con, "CREATE TABLE odd USING PARQUET OPTIONS (datetimeRebaseMode 'EXCEPTION') AS SELECT * FROM person"
    ),
    "text that is padded": lambda con: sql(con, "CREATE TABLE odd (person_id BIGINT, gender CHAR(4)) USING PARQUET"),
}


def drop(con: Any) -> None:
    for kind in ("TABLE", "VIEW"):
        try:
            sql(con, f"DROP {kind} IF EXISTS odd")
        except Exception:  # it is the other
            continue


@pytest.mark.parametrize("name", NOT_STORED)
def test_what_is_not_a_stored_table_is_refused(con: Any, name: str) -> None:
    NOT_STORED[name](con)
    try:
        odd = con.table("odd").select("person_id", "gender")
        with pytest.raises(NotATable, match=r"table 'odd' is not one stored table of Spark"):
            hc.view(odd.mutate(n=_.count().over(group_by="person_id")), user="person_id")
    finally:
        drop(con)


def test_a_table_whose_name_has_capitals_is_refused(con: Any) -> None:
    """Where names have a case, the session that runs the view would read another table of that name."""
    con._session.conf.set("spark.sql.caseSensitive", "true")
    try:
        sql(con, "CREATE TABLE Odd USING PARQUET AS SELECT * FROM person")
        with pytest.raises(NotATable, match=r"table 'Odd' is not one stored table of Spark"):
            hc.view(con.table("Odd").group_by("person_id").agg(g=_.gender.max()), user="person_id")
    finally:
        sql(con, "DROP TABLE IF EXISTS Odd")
        con._session.conf.unset("spark.sql.caseSensitive")


def test_a_table_that_is_cached_is_refused(con: Any) -> None:
    """Its rows are as the session that cached it read them: with other settings, and at another time."""
    odd = con.table("person").group_by("person_id").agg(g=_.gender.max())
    con._session.catalog.cacheTable("person")
    try:
        with pytest.raises(NotATable, match=r"InMemoryRelation. Fix: spark.catalog.uncacheTable"):
            hc.plan("histogram", hc.view(odd, user="person_id"), user="person_id", by="g", epsilon=1)
    finally:
        con._session.catalog.uncacheTable("person")


def test_a_table_that_became_a_view_since_the_plan_is_refused(con: Any) -> None:
    sql(con, "CREATE TABLE odd USING PARQUET AS SELECT * FROM person")
    odd = con.table("odd").group_by("person_id").agg(g=_.gender.max())
    plan = hc.plan("histogram", odd, user="person_id", by="g", epsilon=1)
    drop(con)
    sql(con, "CREATE VIEW odd AS SELECT * FROM person")
    try:
        with pytest.raises(TableChanged, match="table 'odd' is not one stored table of Spark"):
            plan.release()
    finally:
        drop(con)


def test_a_ledger_sees_that_a_table_of_the_view_changed(con: Any, tmp_path: Any) -> None:
    sql(con, "CREATE TABLE odd USING PARQUET AS SELECT * FROM person")
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=9, delta=1e-5)

    def histogram() -> Any:
        odd = con.table("odd").group_by("person_id").agg(g=_.gender.max())
        return hc.histogram(hc.table(odd, name="odd"), user="person_id", by="g", epsilon=1, ledger=ledger)

    try:
        assert histogram().content == histogram().content
        sql(con, "INSERT INTO odd VALUES (1000, 'f')")
        with pytest.raises(HeadcountError, match="the data changed since"):
            histogram()
    finally:
        drop(con)


def test_text_is_valid_from_the_start(con: Any) -> None:
    """Ids that differ in bytes that are no UTF-8 are one id in joins already, as in every table."""
    sql(
        con,
        "CREATE TABLE odd USING PARQUET AS SELECT CAST(x AS STRING) AS person, y FROM VALUES (X'61FF', 1), "
        "(X'61FE', 2), (X'61EFBFBD', 3), (X'61', 4) AS v(x, y)",
    )
    try:
        odd = con.table("odd")
        counted = odd.group_by("person").agg(n=_.y.sum())
        assert rows(hc.view(counted, user="person"), "person") == [
            "{'column0': 'a', 'column1': 4}",
            "{'column0': 'a\ufffd', 'column1': 6}",
        ]
    finally:
        drop(con)


TYPED = (
    "it's",
    "''",
    "\\",
    "\\'",
    "\\u0027 OR 1 = 1",
    "\\047",
    "\\%_",
    '"',
    "`",
    "${spark.app.name}",
    "-- x",
    "/* x */",
    ":x",
    "é😀",
    "",
)


def test_typed_text_and_names_stay_what_they_are(con: Any) -> None:
    columns = [f"x{place}" for place in range(len(TYPED))] + ["a b", "select", "count", "é", "r1"]
    person = con.table("person").filter(_.person_id == 7)
    typed = person.select("person_id", **dict(zip(columns, map(ibis.literal, [*TYPED, *"abcde"]), strict=True)))
    found = hc.view(typed, user="person_id").certified("person_id")[1]
    assert found.columns == ("person_id", *columns)
    frame = engine_of(found).native(found)
    assert tuple(frame.collect()[0]) == (7, *TYPED, *"abcde")


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "text to a number": (lambda t: t.mutate(x=_.gender.cast("int64")), r"step 1 of 1: cast\(\) of string: on Spark"),
    "a sum of floats": (lambda t: t.mutate(x=(_.person_id / 2) + 0.0), r"add\(\) of float64: on Spark"),
    "a mean": (
        lambda t: t.group_by("person_id").agg(x=_.person_id.mean()),
        r"mean\(\) of int64: on Spark .* Fix: _.x.sum\(\) / _.x.count\(\)",
    ),
    "a product of too many digits": (
        lambda t: t.mutate(x=_.person_id.cast("decimal(30, 10)") * _.person_id.cast("decimal(20, 2)")),
        r"multiply\(\) of decimal\(30, 10\) and decimal\(20, 2\): on Spark",
    ),
    "a sum of many digits": (
        lambda t: t.group_by("person_id").agg(x=_.person_id.cast("decimal(28, 0)").sum()),
        r"sum\(\) of decimal\(28, 0\): on Spark",
    ),
    "a pattern with a backslash": (
        lambda t: t.mutate(x=_.gender.like("a\\")),
        "like.* Fix: a pattern without a backslash",
    ),
    "a large divisor": (lambda t: t.mutate(x=_.person_id // _.person_id), "floor_divide.* Fix: a typed divisor"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(con: Any, name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(NotATable, match=message):
        View(make(con.table("person")), "person_id").certified("person_id")


FAILING = {
    "a cast": "CAST(`gender` AS INT)",
    "a sum": "(`person_id` + `person_id`)",
    "a difference": "(`person_id` - 2)",
    "a product": "(`person_id` * `person_id`)",
    "a quotient": "(`person_id` / 0)",
    "a rest": "(`person_id` % `person_id`)",
    "an absolute value": "ABS(`person_id`)",
    "a sign": "(-`person_id`)",
    "an error": "RAISE_ERROR(`gender`)",
    "a condition": "ASSERT_TRUE(`person_id` > 3)",
    "chance": "RAND()",
    "the time": "CURRENT_TIMESTAMP()",
    "a user": "CURRENT_USER()",
    "a sum of floats": "SUM(CAST(`person_id` AS DOUBLE)) OVER (PARTITION BY `person_id`)",
    "a sum that overflows": "SUM(`person_id`) OVER (PARTITION BY `person_id`)",
    "a first row": "FIRST(`gender`) OVER (PARTITION BY `person_id`)",
    "a list": "COLLECT_LIST(`gender`) OVER (PARTITION BY `person_id`)",
    "a pattern of a row": "(`gender` LIKE `gender`)",
    "a regular expression": "RLIKE(`gender`, '[')",
    "a place of a row": "MONOTONICALLY_INCREASING_ID()",
    "a query": "(SELECT MAX(`person_id`) FROM {schema}.`person`)",
    "lower case": "LOWER(`gender`)",
    "a program": "REFLECT('java.util.UUID', 'randomUUID')",
}


@pytest.mark.parametrize("name", FAILING)
def test_the_second_look_refuses_what_can_fail(con: Any, schema: str, name: str) -> None:
    """Whatever the templates are: Spark's own reading of the SQL decides."""
    typed = FAILING[name].format(schema=schema)
    query = f"SELECT `person_id`, {typed} AS `x` FROM `spark_catalog`.`{schema}`.`person`"
    with pytest.raises(NotATable, match="a view that Spark cannot run as it was proved"):
        spark_views.proved(con.table("person"), query, ibis.schema({"person_id": "int64", "x": "string"}))


@pytest.mark.parametrize(
    "table", ["`person` LIMIT 3", "`person` TABLESAMPLE (3 ROWS)", "VALUES (1L, 'f') AS v(`person_id`, `gender`)"]
)
def test_the_second_look_refuses_what_is_no_table(con: Any, schema: str, table: str) -> None:
    name = table if table.startswith("VALUES") else f"`spark_catalog`.`{schema}`.{table}"
    with pytest.raises(NotATable, match="a view that Spark cannot run as it was proved"):
        spark_views.proved(
            con.table("person"),
            f"SELECT `person_id`, `gender` FROM {name}",
            ibis.schema({"person_id": "int64", "gender": "string"}),
        )


def test_the_second_look_refuses_other_types(con: Any, schema: str) -> None:
    query = f"SELECT `person_id` FROM `spark_catalog`.`{schema}`.`person`"
    with pytest.raises(NotATable, match="would read in another way"):
        spark_views.proved(con.table("person"), query, ibis.schema({"person_id": "int32"}))


@pytest.fixture(scope="module")
def shop(spark: Any) -> Iterator[SparkDatabases]:
    found = SparkDatabases(NAMED, 5, 1, spark)
    yield found
    found.close()


@pytest.mark.slow(one_in=10)
@pytest.mark.parametrize("case", [case for case in CASES if case.proved], ids=lambda case: case.name)
def test_a_proved_view_mixes_nobody(case: Case, shop: SparkDatabases) -> None:
    expression = case.make(SimpleNamespace(connection=shop.connection, late=None, **shop.tables))
    try:
        found = View(expression, **shop.declarations(expression)).certified(case.user)
    except NotATable as refused:
        assert "on Spark" in str(refused)  # noqa: PT017
        return
    assert shop.violation(found[1], case.user) == ""
