"""The SQL that headcount writes: each template means what Ibis means, and the text has one reading."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import ibis
import pytest

from headcount.errors import NotATable
from headcount.source.engines.duckdb import DuckDB
from headcount.source.views.refusals import Refused
from headcount.source.views.sql import check_sql
from headcount.source.views.view import View
from headcount.source.views.writing import TEMPLATES, VALUES

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
ROWS = (
    "(1, 5, 3, 2.345, ' Straße ', '2024-02-29', '2024-02-29 10:11:12.5', 1.5, true)",
    "(2, -7, 2, -0.5, 'a%b', '1999-12-31', '1999-12-31 23:59:59', -2.25, false)",
    "(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
)
VALUE: dict[str, Callable[[Any], Any]] = {
    "Add": lambda t: t.i + t.j,
    "Subtract": lambda t: t.i - 1,
    "Multiply": lambda t: t.i * 2,
    "Divide": lambda t: t.i / t.j,
    "FloorDivide": lambda t: t.i // 4,
    "Modulus": lambda t: t.i % 3,
    "Negate": lambda t: -t.i,
    "Abs": lambda t: t.i.abs(),
    "Floor": lambda t: t.f.floor(),
    "Ceil": lambda t: t.f.ceil(),
    "Round": lambda t: t.f.round(2),
    "Round, to a whole number": lambda t: t.f.round(),
    "Sqrt": lambda t: t.j.sqrt(),
    "Ln": lambda t: t.j.ln(),
    "Exp": lambda t: t.f.exp(),
    "IsNan": lambda t: t.f.isnan(),
    "IsInf": lambda t: t.f.isinf(),
    "Lowercase": lambda t: t.s.lower(),
    "Uppercase": lambda t: t.s.upper(),
    "Strip": lambda t: t.s.strip(),
    "LStrip": lambda t: t.s.lstrip(),
    "RStrip": lambda t: t.s.rstrip(),
    "StringLength": lambda t: t.s.length(),
    "Substring": lambda t: t.s.substr(1, 3),
    "Substring, to the end": lambda t: t.s.substr(2),
    "StrRight": lambda t: t.s.right(2),
    "StringConcat": lambda t: t.s + "'" + t.s,
    "StringContains": lambda t: t.s.contains("%"),
    "StartsWith": lambda t: t.s.startswith("a"),
    "EndsWith": lambda t: t.s.endswith("b"),
    "StringReplace": lambda t: t.s.replace("a", "xy"),
    "StringSQLLike": lambda t: t.s.like("a%"),
    "StringSQLILike": lambda t: t.s.ilike("A%"),
    "ExtractYear": lambda t: t.d.year(),
    "ExtractQuarter": lambda t: t.d.quarter(),
    "ExtractMonth": lambda t: t.d.month(),
    "ExtractDay": lambda t: t.d.day(),
    "ExtractHour": lambda t: t.ts.hour(),
    "ExtractMinute": lambda t: t.ts.minute(),
    "ExtractSecond": lambda t: t.ts.second(),
    "DayOfWeekIndex": lambda t: t.d.day_of_week.index(),
    "DateTruncate": lambda t: t.d.truncate("M"),
    "TimestampTruncate": lambda t: t.ts.truncate("W"),
    "DateDelta": lambda t: t.d.delta(ibis.date("2020-01-01"), unit="month"),
    "TimestampDelta": lambda t: t.ts.delta(ibis.timestamp("2020-01-01 00:00:00"), unit="hour"),
    "DateAdd": lambda t: t.d + ibis.interval(days=3),
    "DateSub": lambda t: t.d - ibis.interval(months=3),
    "TimestampAdd": lambda t: t.ts + ibis.interval(hours=3),
    "TimestampSub": lambda t: t.ts - ibis.interval(seconds=3),
    "Between": lambda t: t.i.between(1, 5),
    "InValues": lambda t: t.i.isin([5, 6]),
    "InValues, none": lambda t: ~t.i.isin([]),
    "Coalesce": lambda t: ibis.coalesce(t.i, t.j, 0),
    "Greatest": lambda t: ibis.greatest(t.i, t.j),
    "Least": lambda t: ibis.least(t.i, t.j),
    "IfElse": lambda t: t.b.ifelse(t.i, t.j),
    "SearchedCase": lambda t: ibis.cases((t.i > 1, "a"), (t.i < 0, "b"), else_="c"),
    "SimpleCase": lambda t: t.i.cases((5, "five"), (-7, "minus"), else_="else"),
    "NullIf": lambda t: t.i.nullif(5),
    "IdenticalTo": lambda t: t.i.identical_to(t.j),
    "Equals": lambda t: t.i == 5,
    "NotEquals": lambda t: t.i != 5,
    "Greater": lambda t: t.i > -7,
    "GreaterEqual": lambda t: t.i >= -7,
    "Less": lambda t: t.i < 5,
    "LessEqual": lambda t: t.i <= 5,
    "And": lambda t: t.b & (t.i > 1),
    "Or": lambda t: t.b | (t.i > 1),
    "Not": lambda t: ~t.b,
    "IsNull": lambda t: t.i.isnull(),
    "NotNull": lambda t: t.i.notnull(),
    "Cast": lambda t: t.f.cast("decimal(18, 2)"),
    "TryCast": lambda t: t.s.try_cast("date"),
    "Cast of a time": lambda t: t.ts.date(),
    "Literal": lambda t: ibis.literal("a'b\\"),
    "Literal, a number": lambda t: ibis.literal(-1e300),
    "Literal, a day": lambda t: ibis.date("2026-01-01"),
    "Literal, a time": lambda t: ibis.timestamp("2026-01-01 10:00:00"),
    "Literal, of fewer digits": lambda t: t.ts > ibis.literal("2020-01-01 10:00:00.5", "timestamp(3)"),
    "Literal, of no digits": lambda t: t.ts > ibis.literal("2020-01-01 10:00:00", "timestamp(0)"),
    "Greater, a typed moment": lambda t: t.ts > "2020-01-01 10:00:00.123456",
    "InValues, typed moments": lambda t: t.ts.isin(["2020-01-01T10:00:00", "2020-02-01 10:00:00.5", "2024-02-29"]),
    "Between, typed moments": lambda t: t.ts.between("1999-01-01 00:00:00", ibis.timestamp("2025-01-01 00:00:00.25")),
    "Equals, typed texts": lambda t: (t.i > 0) & (ibis.literal("2020-01-01T10:00:00") == "2020-01-01 10:00:00"),
    "Literal, missing": lambda t: ibis.null("int64"),
}
METRIC: dict[str, Callable[[Any], Any]] = {
    "Count": lambda t: t.i.count(),
    "CountStar": lambda t: t.count(where=t.i > 0),
    "CountDistinct": lambda t: t.i.nunique(),
    "Sum": lambda t: t.i.sum(where=t.j > 0),
    "Sum of truth": lambda t: t.b.sum(),
    "Mean": lambda t: t.j.mean(),
    "Mean of truth": lambda t: t.b.mean(),
    "Min": lambda t: t.s.min(),
    "Max": lambda t: t.d.max(),
    "Any": lambda t: (t.i > 2).any(),
    "All": lambda t: (t.i > 2).all(),
    "Median": lambda t: t.j.median(),
    "Quantile": lambda t: t.j.quantile(0.3),
}
WINDOW: dict[str, Callable[[Any], Any]] = {
    "RowNumber": lambda t: ibis.row_number().over(group_by="k", order_by="i"),
    "MinRank": lambda t: ibis.rank().over(group_by="k", order_by=ibis.desc("i")),
    "DenseRank": lambda t: ibis.dense_rank().over(group_by="k", order_by="i"),
    "Lag": lambda t: t.i.lag().over(group_by="k", order_by="i"),
    "Lead": lambda t: t.i.lead(2).over(group_by="k", order_by="i"),
    "the partition": lambda t: t.i.sum().over(group_by="k"),
    "a running sum": lambda t: t.i.sum().over(ibis.cumulative_window(group_by="k", order_by="i")),
    "some rows": lambda t: t.i.min().over(ibis.window(group_by="k", order_by="i", rows=(-1, 0))),
}


@pytest.fixture(scope="module")
def table() -> Any:
    connection = ibis.duckdb.connect()
    connection.raw_sql(
        "CREATE TABLE t (u INT, i INT, j INT, f DOUBLE, s TEXT, d DATE, ts TIMESTAMP, m DECIMAL(18, 2), b BOOL)"
    )
    connection.raw_sql(f"INSERT INTO t VALUES {', '.join(ROWS)}")
    connection.raw_sql("CREATE TABLE w AS SELECT 1 AS k, * FROM t UNION ALL SELECT 1, * REPLACE (i + 10 AS i) FROM t")
    return connection


def rows(connection: Any, expression: Any) -> list[str]:
    found = connection.con.execute(ibis.to_sql(expression)).fetchall()
    return sorted(repr([_day(each) for each in row]) for row in found)


def _day(value: Any) -> Any:
    """Ibis leaves days that it computes as times, and typed numbers as decimals."""
    value = datetime(value.year, value.month, value.day) if type(value) is date else value
    return float(value) if isinstance(value, int) or hasattr(value, "as_tuple") else value


def check(connection: Any, expression: Any, user: str) -> None:
    _certificate, run = View(expression, user).certified(user)
    assert rows(connection, run) == rows(connection, expression)


@pytest.mark.every_case
@pytest.mark.parametrize("name", VALUE)
def test_a_value_means_what_ibis_means(name: str, table: Any) -> None:
    t = table.table("t")
    check(table, t.select("u", x=VALUE[name](t)), "u")


@pytest.mark.every_case
@pytest.mark.parametrize("name", METRIC)
def test_a_metric_means_what_ibis_means(name: str, table: Any) -> None:
    w = table.table("w")
    check(table, w.group_by("k").agg(x=METRIC[name](w)), "k")


@pytest.mark.every_case
@pytest.mark.parametrize("name", WINDOW)
def test_a_window_means_what_ibis_means(name: str, table: Any) -> None:
    w = table.table("w").filter(_.i.notnull())
    check(table, w.select("k", "i", x=WINDOW[name](w)), "k")


def test_every_template_is_compared_with_ibis() -> None:
    compared = {name.partition(",")[0] for name in (*VALUE, *METRIC, *WINDOW)}
    assert {*TEMPLATES, *VALUES} - compared == {"InSubquery", "WindowFunction"}


RELATION: dict[str, Callable[[Any, Any], Any]] = {
    "inner": lambda t, w: t.join(w, t.u == w.u),
    "left": lambda t, w: t.left_join(w.filter(w.i > 0), "u"),
    "right": lambda t, w: t.right_join(w, [t.u == w.u, t.i < w.i]).drop("u").rename(u="u_right"),
    "outer": lambda t, w: t.filter(t.i > 0).outer_join(w, "u").filter(_.u.notnull()),
    "semi": lambda t, w: t.semi_join(w.filter(w.i > 10), "u"),
    "anti": lambda t, w: t.anti_join(w.filter(w.i > 10), "u"),
    "semi within a chain": lambda t, w: t.semi_join(w.filter(w.i > 0), "u").left_join(w, "u"),
    "itself": lambda t, w: (lambda o: t.join(o, [t.u == o.u, t.i >= o.i]))(t.view()),
    "a union": lambda t, w: t.select("u", "i").union(w.select("u", "i")),
    "a union of different rows": lambda t, w: t.select("u", "j").union(w.select("u", "j"), distinct=True),
    "different rows": lambda t, w: w.select("u", "j").distinct(),
    "rows without missing values": lambda t, w: t.drop_null(["i", "s"]),
    "rows with some value": lambda t, w: t.drop_null(["i", "s"], how="all"),
    "filled": lambda t, w: t.fill_null({"i": 5}),
    "fewer columns": lambda t, w: t.drop("s"),
    "a list": lambda t, w: t.filter(t.u.isin(w.filter(w.i > 10).u)),
    "one relation twice": lambda t, w: (lambda g: t.join(g, "u").join(g.view(), "u"))(
        w.group_by("u").agg(n=w.count())
    ).select("u", "n"),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", RELATION)
def test_a_step_means_what_ibis_means(name: str, table: Any) -> None:
    check(table, RELATION[name](table.table("t"), table.table("w")), "u")


NESTED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "equality with a NULL-safe one": (
        lambda t: t.b == t.i.identical_to(t.j),
        lambda t: t.mutate(c=t.i.identical_to(t.j)).mutate(x=_.b == _.c),
    ),
    "a condition in a list": (
        lambda t: (t.i == t.j).isin([True, False]),
        lambda t: t.mutate(c=t.i == t.j).mutate(x=_.c.isin([True, False])),
    ),
    "a condition that is missing": (
        lambda t: (t.i == t.j).isnull(),
        lambda t: t.mutate(c=t.i == t.j).mutate(x=_.c.isnull()),
    ),
    "a negation in an equality": (
        lambda t: (~t.b) == (t.i > 1),
        lambda t: t.mutate(c=~t.b, e=t.i > 1).mutate(x=_.c == _.e),
    ),
    "either in both": (
        lambda t: (t.b | (t.i > 1)) & (t.j > 2),
        lambda t: t.mutate(c=t.b | (t.i > 1)).mutate(x=_.c & (_.j > 2)),
    ),
    "a difference of differences": (
        lambda t: t.i - (t.j - (-t.i)),
        lambda t: t.mutate(c=-t.i).mutate(e=_.j - _.c).mutate(x=_.i - _.e),
    ),
    "like in an equality": (
        lambda t: t.s.like("a%") == t.b,
        lambda t: t.mutate(c=t.s.like("a%")).mutate(x=_.c == _.b),
    ),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", NESTED)
def test_an_operator_in_another_means_what_two_steps_mean(name: str, table: Any) -> None:
    at_once, in_steps = NESTED[name]
    t = table.table("t")
    views = [View(each.select("u", "x"), "u").certified("u")[1] for each in (t.mutate(x=at_once(t)), in_steps(t))]
    assert rows(table, views[0]) == rows(table, views[1])  # Ibis itself reads both wrong


def test_the_sql_of_a_view_is_part_of_the_sql_of_a_job(table: Any) -> None:
    t = table.table("t")
    certificate, run = View(t.filter(t.i > 1), "u").certified("u")
    assert certificate.sql in table.compile(run.filter(_.i < 3).group_by("u").agg(n=_.count()))


def test_sql_that_would_be_another_text_in_a_job_is_refused() -> None:
    with pytest.raises(Refused, match="changed as a part of another query"):
        check_sql("WITH v AS (SELECT 1 AS a) SELECT r.a AS a FROM v AS r WHERE r.a IS NOT NULL", {})


def test_sql_that_can_fail_is_refused() -> None:
    """Whoever wrote it."""
    for text in ("LN(1)", "(1 + LN(2))", "TRY((LN(1) + 2))", "TRY(REGEXP_MATCHES('a', 'a'))", "CAST(LN(1) AS TEXT)"):
        with pytest.raises(Refused, match="headcount has no proof"):
            check_sql(f'SELECT {text} AS "a"', {})


def test_a_view_has_the_columns_that_the_engine_finds(table: Any) -> None:
    t = table.table("t")
    assert DuckDB().text_table(t, "SELECT TRUE AS a", ibis.schema({"a": "boolean"})).columns == ("a",)
    for schema in ({"a": "string"}, {"b": "boolean"}, {"a": "boolean", "b": "boolean"}):
        with pytest.raises(NotATable, match="in another way"):
            DuckDB().text_table(t, "SELECT TRUE AS a", ibis.schema(schema))


def test_a_template_names_all_arguments(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later Ibis may have one more."""
    monkeypatch.setitem(TEMPLATES, "Between", "({arg} > {lower_bound})")
    t = table.table("t")
    with pytest.raises(NotATable, match="with other arguments than usual"):
        View(t.filter(t.i.between(1, 2)), "u").certified("u")


REFUSED: dict[str, Callable[[Any], Any]] = {
    "a negative place": lambda t: t.s.substr(-1),
    "a text with a line break": lambda t: t.s == "a\nb",
    "infinity": lambda t: t.f > float("inf"),
    "a time as a number": lambda t: t.ts.cast("int64"),
    "a day as a number": lambda t: t.d.try_cast("int64"),
    "a number as a time": lambda t: t.i.cast("timestamp"),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, table: Any) -> None:
    t = table.table("t")
    with pytest.raises(NotATable):
        View(t.select("u", x=REFUSED[name](t)), "u").certified("u")
