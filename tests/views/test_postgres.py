"""Views on Postgres mean what they mean on DuckDB, no row makes them fail, and what has no such form is refused."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ibis
import pytest

from headcount.errors import NotATable
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.views.dialects.postgres import POSTGRES
from headcount.source.views.dialects.postgres_rules import VALUES as RULES
from headcount.source.views.view import View
from tests.views.test_writing import METRIC, ROWS, VALUE, WINDOW

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
COLUMNS = "u INT, i INT, j INT, f DOUBLE PRECISION, s TEXT, d DATE, ts TIMESTAMP, m DECIMAL(18, 2), b BOOL"
W = "SELECT 1 AS k, u, {i} AS i, j, f, s, d, ts, m, b FROM t"
HOSTILE = (
    "(1, 2147483647, 0, 'Infinity', '%\\_', 'infinity', 'infinity', 'NaN', true)",
    "(1, 2147483647, 0, 'Infinity', '%\\_', 'infinity', 'infinity', 'NaN', true)",
    "(1, -2147483648, -1, '-Infinity', '', '-infinity', '-infinity', 9999999999999999.99, false)",
    "(1, -2147483648, -1, 'NaN', ' ', '4713-01-01 BC', '4713-01-01 00:00:00 BC', -9999999999999999.99, NULL)",
    "(2, 0, -2147483648, '-0', 'ß\U0001f600', '5874897-12-31', '294276-12-31 23:59:59.999999', 0, NULL)",
    "(2, 1, 1, 1e308, '9999-99-99', '0001-01-01', '0001-01-01 00:00:00', 0.01, true)",
    "(2, -1, 3, 5e-324, E'\\t\\n', '9999-12-31', '9999-12-31 23:59:59.999999', -0.01, false)",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
)
REFUSED = {
    *("Floor", "Ceil", "Round", "Sqrt", "Ln", "Exp", "Lowercase", "Uppercase", "StringConcat", "EndsWith"),
    *("StringReplace", "StringSQLILike", "DateAdd", "DateSub", "TimestampAdd", "TimestampSub", "Median", "Quantile"),
}
"""Operations of DuckDB that Postgres does not have."""
ALSO_REFUSED = {"DateDelta", "TimestampDelta", "Cast", "TryCast"}
"""Refused as DuckDB's tests write them: by other units than days, of floating-point numbers, of text."""


def tables(connection: Any, execute: Callable[[str], Any], rows: tuple[str, ...]) -> Any:
    """The tables of test_writing.py."""
    execute(f"CREATE TABLE t ({COLUMNS})")
    execute(f"INSERT INTO t VALUES {', '.join(rows)}")
    execute(f"CREATE TABLE w AS {W.format(i='i')} UNION ALL {W.format(i='i + 10' if rows is ROWS else 'i')}")
    return connection


@pytest.fixture(scope="module")
def databases(postgres: Any) -> Iterator[Callable[[str], Any]]:
    """Opens databases of their own."""
    opened: list[Any] = []

    def database(name: str) -> Any:
        postgres.con.execute(f"CREATE DATABASE {name}")
        opened.append(ibis.postgres.connect(host=postgres.con.info.host, user="postgres", database=name))
        return opened[-1]

    postgres.con.rollback()
    before, postgres.con.autocommit = postgres.con.autocommit, True
    yield database
    for each in opened:
        each.disconnect()
    postgres.con.autocommit = before


@pytest.fixture(scope="module")
def con(databases: Any) -> Any:
    connection = databases("plain")
    connection.con.autocommit = True
    return tables(connection, connection.con.execute, ROWS)


@pytest.fixture(scope="module")
def hostile(databases: Any) -> Any:
    connection = databases("hostile")
    connection.con.autocommit = True
    return tables(connection, connection.con.execute, HOSTILE)


@pytest.fixture(scope="module")
def duck() -> Any:
    connection = ibis.duckdb.connect()
    return tables(connection, connection.raw_sql, ROWS)


def of_value(make: Callable[[Any], Any], con: Any) -> tuple[Any, str]:
    t = con.table("t")
    return t.select("u", x=make(t)), "u"


def of_metric(make: Callable[[Any], Any], con: Any) -> tuple[Any, str]:
    w = con.table("w")
    return w.group_by("k").agg(x=make(w)), "k"


def of_window(make: Callable[[Any], Any], con: Any) -> tuple[Any, str]:
    w = con.table("w").filter(_.i.notnull())
    return w.select("k", "i", x=make(w)), "k"


def of_relation(make: Callable[[Any, Any], Any], con: Any) -> tuple[Any, str]:
    t = con.table("t")
    return make(t, t.filter(t.i.notnull()).view()), "u"


MORE: dict[str, Callable[[Any], Any]] = {
    "whole days": lambda t: t.d.delta(ibis.date("2020-01-01"), unit="day"),
    "whole days of times": lambda t: t.ts.delta(ibis.timestamp("2020-01-01 00:00:00"), unit="day"),
    "large products": lambda t: (t.i.cast("int64") * 10**15 * t.j).cast("decimal(38, 0)"),
    "sums of decimals": lambda t: t.m + t.m * 2,
    "a narrower number": lambda t: t.i.cast("int8"),
    "a narrower decimal": lambda t: t.m.cast("decimal(3, 1)"),
    "a decimal as a number": lambda t: t.m.cast("int32"),
    "a number as text": lambda t: t.i.cast("string"),
    "a decimal as text": lambda t: t.m.cast("string"),
    "a day as text": lambda t: t.d.cast("string"),
    "a time as a day": lambda t: t.ts.cast("date"),
    "a day as a time": lambda t: t.d.cast("timestamp"),
    "a truth as text": lambda t: t.b.cast("string"),
    "floats compared": lambda t: (t.f > 0.5) & (t.f != t.i),
    "days compared with text": lambda t: (t.d >= "2000-01-01") & t.ts.between("1999-01-01", "2025-01-01"),
    "days in a list": lambda t: t.d.isin(["2024-02-29", "2024-02-28"]),
    "a floor of negatives": lambda t: t.i // t.j,
    "the rest of negatives": lambda t: t.i % -4,
    "the start of a year": lambda t: t.d.truncate("Y"),
    "the start of a minute": lambda t: t.ts.truncate("m"),
}
VIEWS: dict[str, Callable[[Any], tuple[Any, str]]] = {
    **{name: partial(of_value, make) for name, make in {**VALUE, **MORE}.items()},
    **{name: partial(of_metric, make) for name, make in METRIC.items()},
    **{name: partial(of_window, make) for name, make in WINDOW.items()},
}
ALLOWED = {name: make for name, make in VIEWS.items() if name.partition(",")[0] not in REFUSED | ALSO_REFUSED}
JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "inner": lambda t, o: t.join(o, "u"),
    "left": lambda t, o: t.left_join(o, "u"),
    "right": lambda t, o: t.right_join(o, "u"),
    "outer": lambda t, o: t.outer_join(o, "u"),
    "semi": lambda t, o: t.semi_join(o, [t.u == o.u, t.i <= o.i]),
    "anti": lambda t, o: t.anti_join(o, [t.u == o.u, t.i <= o.j]),
    "semi, then left": lambda t, o: t.semi_join(o, "u").left_join(t.view(), "u"),
    "a list": lambda t, o: t.filter(t.u.isin(o.u)),
    "distinct": lambda t, o: t.select("u", "s", "d").distinct(),
    "union": lambda t, o: t.select("u", "s", "m").union(t.select("u", "s", "m"), distinct=True),
    "no nulls": lambda t, o: t.drop_null(["i"]),
    "filled": lambda t, o: t.fill_null({"i": 7, "s": "x"}),
    "groups": lambda t, o: t.group_by("u", "s").agg(n=_.count(), x=_.m.sum(), first=_.d.min()),
}


def rows(expression: Any, user: str) -> list[str]:
    """The rows of a view, as they are run and read; equal on engines."""
    found = View(expression, user).certified(user)[1]
    engine = engine_of(found)
    listed = to_arrow(engine.table(found, found.columns)).to_pylist()
    return sorted(repr([_plain(each) for each in row.values()]) for row in listed)


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, int) or hasattr(value, "as_tuple") else value


@pytest.mark.every_case
@pytest.mark.parametrize("name", ALLOWED)
def test_it_means_what_it_means_on_duckdb(name: str, con: Any, duck: Any) -> None:
    assert rows(*ALLOWED[name](con)) == rows(*ALLOWED[name](duck))


@pytest.mark.every_case
@pytest.mark.parametrize("name", JOINED)
def test_joins_and_sets_mean_what_they_mean_on_duckdb(name: str, con: Any, duck: Any) -> None:
    assert rows(*of_relation(JOINED[name], con)) == rows(*of_relation(JOINED[name], duck))


@pytest.mark.every_case
@pytest.mark.parametrize("name", ALLOWED)
def test_no_row_makes_it_fail(name: str, hostile: Any) -> None:
    assert rows(*ALLOWED[name](hostile))


@pytest.mark.every_case
@pytest.mark.parametrize("name", JOINED)
def test_no_row_makes_a_join_fail(name: str, hostile: Any) -> None:
    rows(*of_relation(JOINED[name], hostile))


@pytest.mark.every_case
@pytest.mark.parametrize("name", sorted(VIEWS.keys() - ALLOWED.keys()))
def test_what_has_no_form_that_cannot_fail_is_refused(name: str, con: Any) -> None:
    expression, user = VIEWS[name](con)
    with pytest.raises(NotATable, match=r"the view, step \d of \d: .* on Postgres .* Fix: "):
        View(expression, user).certified(user)


def test_everything_that_is_allowed_has_a_template() -> None:
    """And the other way round, but for what rewriting adds."""
    written = {*POSTGRES.templates, *POSTGRES.values}
    parts_of_others = {"Field", "SortKey", "WindowBoundary", "RowNumber", "MinRank", "DenseRank", "Lag", "Lead", "Cast"}
    assert RULES.keys() ^ written == parts_of_others
