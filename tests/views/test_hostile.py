"""What a hostile reader tried: rows with two owners, constants that fail once there is a row, frames without an order,
types that nobody tested."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import ibis
import pytest
from ibis.expr import operations as ops

from headcount.errors import HeadcountError, NotATable
from headcount.source.views.view import View

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
LINKED: dict[str, Any] = {"user": {"orders": "c"}, "links": {"lines.o": "orders.o"}}
OWN: dict[str, Any] = {"user": "u"}
TABLES = {
    "orders": "o BIGINT, c BIGINT, x INT",
    "lines": "o BIGINT, p BIGINT, q INT",
    "v": "u BIGINT, d DATE, ts TIMESTAMP, i INT, f DOUBLE, s VARCHAR, m DECIMAL(18, 2), wide DECIMAL(38, 30)",
    "odd": "u BIGINT, k INT, a TIMESTAMP_S, b HUGEINT, c TIME, d INTERVAL, e INT[], f ENUM('x', 'y'), h JSON",
}


@pytest.fixture
def con() -> Any:
    connection = ibis.duckdb.connect()
    for name, columns in TABLES.items():
        connection.raw_sql(f"CREATE TABLE {name} ({columns})")
    return connection


def rows(con: Any, view: View, user: str) -> list[tuple[Any, ...]]:
    """Rows of the view as it is run."""
    return sorted(con.con.execute(ibis.to_sql(view.certified(user)[1])).fetchall(), key=repr)


def lines_of(con: Any, person: int) -> list[tuple[Any, ...]]:
    """What views by a link say of a person."""
    orders, lines = con.table("orders"), con.table("lines")
    counted = lines.group_by("o").agg(n=_.count())
    views = [
        orders.join(lines, "o"),
        lines.left_join(orders, "o").select("c", "q"),
        orders.left_join(counted, "o"),
        orders.semi_join(lines.filter(_.q > 1), "o"),
        orders.anti_join(lines, "o"),
        orders.filter(_.o.isin(lines.o)),
        orders.join(lines, "o").group_by("c", "o").agg(n=_.count()).join(lines, "o"),
    ]
    found = [(view.columns.index("c"), rows(con, View(view, **LINKED), "c")) for view in views]
    return [row for place, listed in found for row in listed if row[place] == person]


def test_a_key_that_two_people_claim_changes_nobody_elses_rows(con: Any) -> None:
    """Person 2 has an order with the key of person 1's. Person 1 has the same rows without it."""
    con.raw_sql("INSERT INTO orders VALUES (7, 1, 0), (8, 3, 0); INSERT INTO lines VALUES (7, 0, 1), (7, 0, 2)")
    before = [lines_of(con, person) for person in (1, 3)]
    con.raw_sql("INSERT INTO orders VALUES (7, 2, 0), (8, 2, 0), (NULL, 2, 0)")
    assert [lines_of(con, person) for person in (1, 3)] == before
    assert lines_of(con, 2)


BY_KEY: dict[str, Callable[[Any, Any], Any]] = {
    "orders by their key alone": lambda o, lines: o.semi_join(lines, "o").join(o.view(), "o"),
    "a window by a key": lambda o, lines: o.semi_join(lines, "o").mutate(n=_.count().over(group_by="o")),
    "groups by a key of people": lambda o, lines: o.join(lines, "o").join(o.group_by("o").agg(n=_.count()), "o"),
    "lines that have an order": lambda o, lines: lines.semi_join(o, "o").join(o, "o"),
    "lines that have none": lambda o, lines: lines.anti_join(o, "o").join(o, "o"),
    "lines in a list of orders": lambda o, lines: lines.filter(lines.o.isin(o.o)).join(o, "o"),
    "a key that is computed": lambda o, lines: o.mutate(o=_.o + 1).join(lines, "o"),
    "the largest key": lambda o, lines: o.group_by("c").agg(o=_.o.max()).join(lines, "o"),
    "a key that is filled": lambda o, lines: o.fill_null({"o": 1}).join(lines, "o"),
    "people in a list of keys": lambda o, lines: o.filter(o.c.isin(lines.o)),
    "another column as a key": lambda o, lines: o.join(lines, o.c == lines.o),
    "a window by the key after the join": lambda o, lines: (lambda k: o.join(k, o.o == k.k))(
        lines.rename(k="o")
    ).mutate(n=_.count().over(group_by="k")),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", BY_KEY)
def test_a_key_is_no_person(name: str, con: Any) -> None:
    said = "mixes|users being equal|dropped|missing id|everybody who has|list of users"
    with pytest.raises(NotATable, match=f"step .* ({said})"):
        View(BY_KEY[name](con.table("orders"), con.table("lines")), **LINKED).certified("c")


@pytest.mark.parametrize(
    "declared",
    [
        {"user": {"orders": "c", "lines": "p"}, "links": {"lines.o": "orders.o"}},
        {"user": {"orders": "c"}, "links": {"lines.o": "orders.o", "lines.p": "orders.x"}},
        {"user": {"orders": "c"}, "links": {"lines.o": "orders.o", "lines.p": "orders.o"}},
        {"user": {"orders": "c"}, "links": {"orders.x": "orders.o"}},
    ],
)
def test_a_table_has_one_owner(declared: dict[str, Any], con: Any) -> None:
    with pytest.raises(HeadcountError, match="two owners"):
        View(con.table("orders").join(con.table("lines"), "o"), **declared).people()


def test_a_chain_of_links_ends_at_the_person(con: Any) -> None:
    con.raw_sql("CREATE TABLE parts (p BIGINT, w INT)")
    con.raw_sql("INSERT INTO orders VALUES (1, 5, 0), (2, 6, 0); INSERT INTO lines VALUES (1, 10, 0), (2, 20, 0)")
    con.raw_sql("INSERT INTO parts VALUES (10, 7), (20, 8), (30, 9)")
    orders, lines, parts = (con.table(name) for name in ("orders", "lines", "parts"))
    links = {"lines.o": "orders.o", "parts.p": "lines.p"}
    for joined in (parts.join(lines, "p").join(orders, "o"), orders.join(lines, "o").join(parts, "p")):
        view = View(joined.select("c", "w"), {"orders": "c"}, links=links)
        assert rows(con, view, "c") == [(5, 7), (6, 8)]


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a frame without an order": (
        lambda t: t.mutate(x=_.i.sum().over(ibis.window(group_by="u", preceding=2, following=0))),
        "sum\\(\\) over some rows of a window without an order",
    ),
    "a running sum without an order": (
        lambda t: t.mutate(x=_.i.sum().over(ibis.cumulative_window(group_by="u"))),
        "without an order",
    ),
    "a range of values": (
        lambda t: t.mutate(x=_.i.sum().over(ibis.window(group_by="u", order_by="i", range=(None, 0)))),
        "ranges of values",
    ),
    "a default of another type": (
        lambda t: t.mutate(x=_.i.lag(1, default=10**12).over(group_by="u", order_by="d")),
        "lag\\(\\) with a default",
    ),
    "an offset by a column": (lambda t: t.mutate(x=_.i.lag(t.i).over(group_by="u", order_by="d")), "by a column"),
    "an offset below nothing": (lambda t: t.mutate(x=_.i.lag(-1).over(group_by="u", order_by="d")), "by a column"),
    "the median of dates": (lambda t: t.group_by("u").agg(x=_.d.median()), "median\\(\\) of date"),
    "the median of decimals": (lambda t: t.group_by("u").agg(x=_.m.median()), "median\\(\\) of decimal"),
    "a quantile that there is not": (lambda t: t.group_by("u").agg(x=_.i.quantile(-0.5)), "quantile"),
    "dates next to numbers": (
        lambda t: t.filter(ops.InValues(t.i.op(), (t.d.op(),)).to_expr()),
        "int32 and date side by side",
    ),
    "a constant that is computed": (
        lambda t: t.filter((t.i > 0) | (t.i < ibis.literal("x").as_date("%Y").year())),
        "a constant that is computed",
    ),
    "a day beside a number": (
        lambda t: t.filter(ops.InValues(t.i.op(), (ibis.literal("2026-01-01").op(),)).to_expr()),
        "int32 and string side by side",
    ),
    "a day of a week": (lambda t: t.filter(t.d.isin(["2026-W01-1"])), "date and string side by side"),
    "a day that there is not": (lambda t: t.filter(t.d.isin(["2026-02-30"])), "date and string side by side"),
    "a day without its zeros": (lambda t: t.filter(t.d.isin(["20260-1-01"])), "date and string side by side"),
    "a text for missing ids": (
        lambda t: t.mutate(x=_.s.try_cast("uuid")).fill_null({"x": "y"}),
        "uuid and string side by side",
    ),
    "a number for missing decimals that cannot hold it": (
        lambda t: t.fill_null({"wide": 10**12}),
        r"decimal\(38, 30\) and int64 side by side",
    ),
    "a number of too many bits for missing numbers": (
        lambda t: t.fill_null({"f": 2**64 - 1}),
        "with a value of another type",
    ),
    "a pattern of a row": (lambda t: t.filter(t.s.re_search(t.s)), "regex_search\\(\\): headcount has no proof"),
    "a replacement of a row": (lambda t: t.mutate(x=t.s.replace("a", t.s)), "string_replace\\(\\) by a column"),
    "a join by floating-point numbers": (
        lambda t: (lambda o: t.join(o, [t.u == o.u, t.f < o.f]))(t.view()),
        "a join by 'f', which holds float64",
    ),
    "a window by floating-point numbers": (
        lambda t: t.mutate(n=_.count().over(group_by=["u", "f"])),
        "a window by groups of 'f', which holds float64",
    ),
    "a rank by floating-point numbers": (
        lambda t: t.mutate(n=ibis.rank().over(group_by="u", order_by=ibis.desc("f"))),
        r"rank\(\) by values of 'f', which holds float64",
    ),
    "different floating-point numbers": (
        lambda t: t.group_by("u").agg(n=_.f.nunique()),
        r"nunique\(\) of 'f', which holds float64",
    ),
    "a long time": (lambda t: t.mutate(x=t.d + ibis.interval(months=2**31 - 1)), "a constant of type interval"),
    "a number next to which Ibis adds": (lambda t: t.mutate(x=_.s.substr(2**63 - 1)), "in a calculation"),
    "a number that a narrow decimal cannot hold": (
        lambda t: t.mutate(x=(t.wide > 10**12) & (t.wide < 10**12)),
        "side by side",
    ),
    "an odd type": (lambda t: t.mutate(x=t.d.delta(t.d, unit="day").as_interval("D")), "no proof"),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, con: Any) -> None:
    make, message = REFUSED[name]
    with pytest.raises(HeadcountError, match=message):
        View(make(con.table("v")), **OWN).certified("u")


DATED: dict[str, Callable[[Any], Any]] = {
    "a day": lambda t: t.filter(t.d >= "2026-01-01"),
    "a day of a time": lambda t: t.filter(t.ts >= "2026-01-01"),
    "between days": lambda t: t.filter(t.d.between("2026-01-01", "2026-03-31")),
    "one of some days": lambda t: t.filter(t.d.isin(["2026-01-01", "2026-03-31"])),
    "a time": lambda t: t.filter(t.ts > ibis.timestamp("2026-01-01 10:00:00")),
    "another time": lambda t: t.mutate(x=ibis.coalesce(t.ts, ibis.timestamp("2026-01-01 10:00:00"))),
}


@pytest.mark.parametrize("name", DATED)
def test_days_and_times_beside_dates(name: str, con: Any) -> None:
    view = View(DATED[name](con.table("v")), **OWN)
    assert rows(con, view, "u") == []
    con.raw_sql("INSERT INTO v (u, d, ts) VALUES (1, '2026-01-01', '2026-01-02'), (1, 'infinity', '-infinity')")
    assert rows(con, view, "u")


def test_columns_of_odd_types_are_left_aside(con: Any) -> None:
    odd = con.table("odd")
    con.raw_sql("INSERT INTO odd (u, k, f) VALUES (1, 2, 'x'), (1, 2, 'x')")
    assert rows(con, View(odd.select("u", "k", "f").distinct(), **OWN), "u") == [(1, 2, "x")]
    for used in (odd.filter(_.k > 1), odd.select("u", x=odd.a.year()), odd.mutate(n=_.count().over(group_by="u"))):
        with pytest.raises(HeadcountError, match="which views cannot have"):
            View(used, **OWN).certified("u")


def test_a_number_that_does_not_fit_its_type_is_missing(con: Any) -> None:
    """Ibis takes 128 bits for a decimal of 38 digits."""
    con.raw_sql("INSERT INTO odd (u, b) VALUES (1, 170141183460469231731687303715884105727), (2, 5)")
    con.raw_sql("INSERT INTO odd (u, b) VALUES (1, 170141183460469231731687303715884105726)")
    assert rows(con, View(con.table("odd").select("u", "b").distinct(), **OWN), "u") == [(1, None), (2, Decimal(5))]


def test_a_median_does_not_depend_on_where_nan_stands(con: Any) -> None:
    found = []
    for listed in ("'nan', '1', '2', '3'", "'1', '3', 'nan', '2'"):
        con.raw_sql(f"DELETE FROM v; INSERT INTO v (u, f) SELECT 1, unnest([{listed}])::DOUBLE")
        found.append(rows(con, View(con.table("v").group_by("u").agg(x=_.f.median()), **OWN), "u"))
    assert found == [[(1, 2.0)], [(1, 2.0)]]


def test_a_running_sum_is_the_same_whatever_the_order_of_rows(con: Any) -> None:
    """Two rows of one day: the order of the table must not decide which comes first."""
    found = []
    for listed in ("(1, 5, 'a'), (1, 7, 'b')", "(1, 7, 'b'), (1, 5, 'a')"):
        con.raw_sql(f"DELETE FROM v; INSERT INTO v (u, i, s) VALUES {listed}")
        running = con.table("v").mutate(x=_.i.sum().over(ibis.cumulative_window(group_by="u", order_by="d")))
        found.append(rows(con, View(running.select("s", "x", "u"), **OWN), "u"))
    assert found[0] == found[1]


TWICE: dict[str, Callable[[Any], Any]] = {
    "in two columns": lambda t: t.mutate(x=t.f.ln(), y=t.f.ln() + 1),
    "in one column": lambda t: t.mutate(x=t.f.ln() / t.f.ln()),
    "in a filter": lambda t: t.filter((t.i + 1 > 0) | (t.i + 1 < -5)),
    "in a long list": lambda t: t.filter((t.i + 1).isin(list(range(40)))),
    "in a case": lambda t: t.mutate(x=ibis.cases((t.i + 1 > 0, t.i + 1), (t.i + 1 < 0, (t.i + 1) * 2), else_=0)),
    "in a group-by": lambda t: t.group_by("u", k=t.i + 1).agg(x=(t.i + 1).max(), y=((t.i + 1) * 3).sum()),
    "in a window": lambda t: t.mutate(x=(t.i + 1).max().over(group_by="u"), y=(t.i + 1).min().over(group_by="u")),
    "in a join": lambda t: (lambda o: t.join(o, [t.u == o.u, t.i + 1 < o.i + 1, t.i + 1 > o.i * 2]))(t.view()),
    "with dates": lambda t: t.mutate(x=t.d + ibis.interval(days=9), y=(t.d + ibis.interval(days=9)).year()),
    "with casts": lambda t: t.mutate(x=t.s.cast("int32") + 1, y=t.s.cast("int32") * 2, z=t.d.cast("timestamp")),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", TWICE)
def test_a_part_that_occurs_twice_does_not_fail(name: str, con: Any) -> None:
    """DuckDB computes it once, before the TRY around it."""
    con.raw_sql("INSERT INTO v SELECT 1, 'infinity', 'infinity', 2147483647, -1, '(', 1, 1 FROM range(3)")
    con.raw_sql("INSERT INTO v SELECT 2, '5881580-07-10', '2024-01-01', -2147483648, 0, '9999999999', 0, 0")
    rows(con, View(TWICE[name](con.table("v")), **OWN), "u")


def test_a_text_cannot_grow_without_limit(con: Any) -> None:
    table = con.table("v").select("u", "s")
    assert View(table.mutate(x=_.s + " " + _.s), **OWN).certified("u")
    for _step in range(8):
        table = table.mutate(s=_.s + _.s)
    longer = con.table("v").mutate(x=_.s.replace("a", "b" * 200))
    for grown in (table, longer):
        with pytest.raises(NotATable, match="texts that grow"):
            View(grown, **OWN).certified("u")


def test_a_public_number_is_a_column_first(con: Any) -> None:
    table, public = con.table("v"), con.table("lines")
    with pytest.raises(NotATable, match="a subquery of a public table as one value"):
        View(table.filter(table.i > public.q.max()), "u", public=["lines"]).certified("u")
    joined = table.cross_join(public.agg(maximum=_.q.max())).filter(_.i > _.maximum)
    assert View(joined, "u", public=["lines"]).certified("u")
