"""Views on Spark mean what they mean on DuckDB, no row makes them fail, and what has no such form is refused.

Spark takes a second for each query, so that many values are columns of one view here.
"""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import ibis
import pytest

from headcount.errors import NotATable
from headcount.source.engines import spark_session
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.views.dialects.spark import SPARK
from headcount.source.views.dialects.spark_rules import VALUES as RULES
from headcount.source.views.view import View
from tests.views.test_postgres import ALSO_REFUSED, COLUMNS, JOINED, MORE, REFUSED, of_relation
from tests.views.test_writing import METRIC, ROWS, VALUE, WINDOW

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.spark]
_ = ibis._
NOT_THERE = (REFUSED | ALSO_REFUSED | {"Mean", "Mean of truth"}) - {"EndsWith"}
HOSTILE = (
    "(1, 2147483647, 0, 'Infinity', '%\\\\_', '9999-12-31', '9999-12-31 23:59:59.999999', 9999999999999999.99, true)",
    "(1, 2147483647, 0, 'Infinity', '%\\\\_', '9999-12-31', '9999-12-31 23:59:59.999999', 9999999999999999.99, true)",
    "(1, -2147483648, -1, '-Infinity', '', '0001-01-01', '0001-01-01 00:00:00', -9999999999999999.99, false)",
    "(1, -2147483648, -1, 'NaN', ' ', '+12345-01-01', '+12345-01-01 00:00:00', 0, NULL)",
    "(2, 0, -2147483648, '-0', 'ß\U0001f600', '-4713-01-01', '-4713-01-01 00:00:00', 0, NULL)",
    "(2, 1, 1, '1e308', '9999-99-99', '0000-12-31', '0000-12-31 00:00:00', 0.01, true)",
    "(2, -1, 3, '5e-324', '\\t\\n', '2024-02-29', '2024-02-29 10:11:12.5', -0.01, false)",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
)
TYPES = ("INT", "INT", "INT", "DOUBLE", "STRING", "DATE", "TIMESTAMP", "DECIMAL(18, 2)", "BOOLEAN")
NAMES = ("u", "i", "j", "f", "s", "d", "ts", "m", "b")


def allowed(values: dict[str, Callable[[Any], Any]]) -> dict[str, Callable[[Any], Any]]:
    return {name: make for name, make in values.items() if name.partition(",")[0] not in NOT_THERE}


OF_ROWS, OF_GROUPS, OF_WINDOWS = allowed({**VALUE, **MORE}), allowed(METRIC), allowed(WINDOW)


def of_values(con: Any) -> tuple[Any, str]:
    t = con.table("t")
    return t.select("u", **{name: make(t) for name, make in OF_ROWS.items()}), "u"


def of_metrics(con: Any) -> tuple[Any, str]:
    w = con.table("w")
    return w.group_by("k").agg(**{name: make(w) for name, make in OF_GROUPS.items()}), "k"


def of_windows(con: Any) -> tuple[Any, str]:
    w = con.table("w").filter(_.i.notnull())
    return w.select("k", "i", **{name: make(w) for name, make in OF_WINDOWS.items()}), "k"


VIEWS: dict[str, Callable[[Any], tuple[Any, str]]] = {
    "values": of_values,
    "metrics": of_metrics,
    "windows": of_windows,
    **{name: lambda con, make=make: of_relation(make, con) for name, make in JOINED.items()},  # type: ignore[misc]
}
"""Views of many columns, each with its user."""
SAMPLE = ["values", "metrics", "windows", "outer", "semi, then left"]
"""Those that the full tier runs."""


def tables(session: Any, rows: tuple[str, ...], schema: str) -> Any:
    """The tables of test_writing.py, in a schema of their own."""
    other = session.newSession()
    other.sql(f"CREATE DATABASE {schema}")
    other.sql(f"USE {schema}")
    for each in ("datetime", "int96"):
        other.conf.set(f"spark.sql.parquet.{each}RebaseModeInWrite", "CORRECTED")
    listed = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in zip(NAMES, TYPES, strict=True))
    found = other.sql(f"SELECT {listed} FROM VALUES {', '.join(rows)} AS v({', '.join(NAMES)})")
    found.coalesce(1).write.saveAsTable("t")
    again = "i + 10" if rows is ROWS else "i"
    columns = ", ".join(each for each in NAMES if each != "i")
    other.sql(
        f"SELECT 1 AS k, i, {columns} FROM t UNION ALL SELECT 1, CAST({again} AS INT), {columns} FROM t"
    ).coalesce(1).write.saveAsTable("w")
    return ibis.pyspark.connect(other)


@pytest.fixture(scope="module")
def databases(spark: Any) -> Iterator[Callable[[tuple[str, ...]], Any]]:
    """Makes databases of their own."""
    made: list[str] = []

    def database(rows: tuple[str, ...]) -> Any:
        made.append(f"views{uuid4().hex}")
        return tables(spark, rows, made[-1])

    yield database
    for each in made:
        spark.sql(f"DROP DATABASE {each} CASCADE")


@pytest.fixture(scope="module")
def con(databases: Any) -> Any:
    return databases(ROWS)


@pytest.fixture(scope="module")
def hostile(databases: Any) -> Any:
    return databases(HOSTILE)


@pytest.fixture(scope="module")
def duck() -> Any:
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"CREATE TABLE t ({COLUMNS})")
    connection.raw_sql(f"INSERT INTO t VALUES {', '.join(ROWS)}")
    connection.raw_sql("CREATE TABLE w AS SELECT 1 AS k, * FROM t UNION ALL SELECT 1, * REPLACE (i + 10 AS i) FROM t")
    return connection


def rows(expression: Any, user: str) -> list[str]:
    """The rows of a view, as they are run and read; equal on engines."""
    found = View(expression, user).certified(user)[1]
    engine = engine_of(found)
    listed = to_arrow(engine.table(engine.native(found), found.columns)).to_pylist()
    named = [dict(zip(found.columns, map(_plain, row.values()), strict=True)) for row in listed]
    return sorted(map(repr, named))


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, int) or hasattr(value, "as_tuple") else value


@pytest.mark.slow(but=SAMPLE)
@pytest.mark.parametrize("name", VIEWS)
def test_it_means_what_it_means_on_duckdb(name: str, con: Any, duck: Any) -> None:
    assert rows(*VIEWS[name](con)) == rows(*VIEWS[name](duck))


STRICT = "spark.sql.ansi.enabled"


@pytest.mark.slow(but=SAMPLE)
@pytest.mark.parametrize("name", VIEWS)
def test_no_row_makes_it_fail_strict_or_not(name: str, hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though headcount's session is never strict (ANSI): what Spark may not fail on must not depend on a setting."""
    before = rows(*VIEWS[name](hostile))
    monkeypatch.setitem(spark_session.SETTINGS, STRICT, "true")
    assert rows(*VIEWS[name](hostile)) == before


@pytest.mark.parametrize("name", sorted({**VALUE, **MORE}.keys() - OF_ROWS.keys()))
def test_a_value_that_has_no_form_that_cannot_fail_is_refused(name: str, con: Any) -> None:
    t = con.table("t")
    with pytest.raises(NotATable, match=r"the view, step \d of \d: .* on Spark .* Fix: "):
        View(t.select("u", x={**VALUE, **MORE}[name](t)), "u").certified("u")


@pytest.mark.parametrize("name", sorted(METRIC.keys() - OF_GROUPS.keys()))
def test_a_metric_that_is_not_exact_is_refused(name: str, con: Any) -> None:
    w = con.table("w")
    with pytest.raises(NotATable, match=r"the view, step \d of \d: .* on Spark .* Fix: "):
        View(w.group_by("k").agg(x=METRIC[name](w)), "k").certified("k")


def test_everything_that_is_allowed_has_a_template() -> None:
    """And the other way round, but for what rewriting adds."""
    written = {*SPARK.templates, *SPARK.values}
    parts_of_others = {"Field", "SortKey", "WindowBoundary", "RowNumber", "MinRank", "DenseRank", "Lag", "Lead", "Cast"}
    assert RULES.keys() ^ written == parts_of_others
