"""What is run is the rewritten view: byte-exact, without ties, without errors by rows, without rows of nobody."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import duckdb
import ibis
import pyarrow as pa
import pytest
from ibis.common.annotations import ValidationError
from ibis.common.exceptions import IbisError

from headcount.errors import NotATable
from headcount.source.views.view import View
from tests import effort

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._


def rows(view: View, user: str) -> list[tuple[Any, ...]]:
    """Rows of the view as it is run."""
    _certificate, table = view.certified(user)
    connection = ibis.get_backend(view.expression).con
    return sorted(connection.execute(ibis.to_sql(table)).fetchall(), key=repr)


def store(**tables: str) -> Any:
    connection = ibis.duckdb.connect()
    for name, text in tables.items():
        connection.raw_sql(f"CREATE TABLE {name} {text}")
    return connection


def test_ids_are_compared_byte_by_byte() -> None:
    """Else Ann would see what ANN has."""
    con = store(m="(u VARCHAR COLLATE NOCASE)", n="(u VARCHAR, y INT)")
    con.raw_sql("INSERT INTO m VALUES ('ann'); INSERT INTO n VALUES ('ANN', 5), ('ann', 6)")
    assert len(con.con.execute("SELECT * FROM m JOIN n USING (u)").fetchall()) == 2
    assert rows(View(con.table("m").join(con.table("n"), "u"), "u"), "u") == [("ann", 6)]


def test_a_collation_that_a_table_got_since_the_proof_is_seen() -> None:
    con = store(m="(u VARCHAR)", n="(u VARCHAR, y INT)")
    con.raw_sql("INSERT INTO m VALUES ('ann'); INSERT INTO n VALUES ('ANN', 5), ('ann', 6)")
    view = View(con.table("m").join(con.table("n"), "u"), "u")
    assert "DECODE" not in view.certified("u")[0].sql  # text without a collation is compared as it is
    con.raw_sql("ALTER TABLE m ALTER u TYPE VARCHAR COLLATE NOCASE")
    assert rows(view, "u") == [("ann", 6)]


def test_duckdb_stores_no_text_that_is_not_utf_8() -> None:
    """So text needs no decoding where no column has a collation."""
    parts = [None, pa.py_buffer(b"\0\0\0\0\3\0\0\0"), pa.py_buffer(b"a\xffb")]
    given = pa.table({"s": pa.Array.from_buffers(pa.string(), 1, parts)})
    con = store(m="(s VARCHAR)")
    con.con.register("given", given)
    for text in ("INSERT INTO m FROM given", "CREATE TABLE n AS FROM given"):
        with pytest.raises(duckdb.InvalidInputException):
            con.raw_sql(text)
    assert con.raw_sql("SELECT count(*) FROM m").fetchall() == [(0,)]


def test_a_text_of_a_group_does_not_depend_on_the_order_of_rows() -> None:
    con = store(m="(u INT, s VARCHAR COLLATE NOCASE)")
    con.raw_sql("INSERT INTO m VALUES (1, 'a'), (1, 'A')")
    grouped = con.table("m").group_by("u", "s").agg(n=_.count())
    assert rows(View(grouped, "u"), "u") == [(1, "A", 1), (1, "a", 1)]


def test_rows_without_a_user_are_left_out_at_the_end() -> None:
    con = store(m="(u INT, k INT)", p="(k INT)")
    con.raw_sql("INSERT INTO m VALUES (1, 1); INSERT INTO p VALUES (1), (2)")
    view = View(con.table("p").left_join(con.table("m"), "k").select("u", "k"), "u", public=["p"])
    assert rows(view, "u") == [(1, 1)]


@pytest.mark.slow(sibling="test_ties_are_broken_by_all_columns")
def test_two_threads_give_the_same_rows_twice_and_without_one_person() -> None:
    con = ibis.duckdb.connect(threads=2)
    con.raw_sql("SELECT setseed(0.5)")
    con.raw_sql(
        "CREATE TABLE w AS SELECT (random() * 20000)::BIGINT u, (random() * 3)::INT d, i FROM range(3000000) t(i)"
    )
    con.raw_sql("CREATE TABLE w7 AS SELECT * FROM w WHERE u <> 7")
    found = [_latest(con.table(name)) for name in ("w", "w", "w7")]
    assert found[0] == found[1]
    assert {user: row for user, row in found[0].items() if user != 7} == found[2]


def _latest(table: Any) -> dict[int, Any]:
    ranked = table.mutate(
        n=ibis.row_number().over(group_by="u", order_by="d"), b=_.i.lag().over(group_by="u", order_by="d")
    )
    return {row[0]: row for row in rows(View(ranked.filter(_.n == 1).select("u", "i", "b"), "u"), "u")}


def test_ties_are_broken_by_all_columns() -> None:
    con = store(w="(u BIGINT, d INT, f DOUBLE)")
    orders = ("(1, 1, '5'), (1, 1, '-0.0')", "(1, 1, '-0.0'), (1, 1, '5')")
    found = []
    for listed in orders:
        con.raw_sql(f"DELETE FROM w; INSERT INTO w VALUES {listed}")
        w = con.table("w")
        views = [
            w.mutate(n=ibis.row_number().over(group_by="u", order_by="d")).filter(_.n == 0),
            w.group_by("u").agg(x=_.f.max(), y=_.f.median()),
            w.mutate(x=_.f.min().over(group_by="u")).select("u", "x"),
        ]
        found.append([repr(rows(View(view, "u"), "u")) for view in views])
    assert found[0] == found[1]


def test_where_missing_values_stand_in_an_order_is_no_setting_of_the_connection() -> None:
    """Else a certificate would name rows of one kind, and the release be about others."""
    con = store(m="AS SELECT i % 5 AS u, if(i % 3 = 0, NULL, i) AS x, if(i % 2 = 0, NULL, i) AS y FROM range(60) t(i)")
    for order in (_.x, _.x.desc(), _.u):  # of the last, rows that tie are ordered by x and y
        first = con.table("m").mutate(n=ibis.row_number().over(group_by="u", order_by=order)).filter(_.n == 0)
        view = View(first, "u")
        con.raw_sql("RESET default_null_order")
        before = rows(view, "u")
        assert None not in [x for _u, x, _y, _n in before]
        for setting in ("nulls_first", "nulls_last", "nulls_first_on_asc_last_on_desc"):
            con.raw_sql(f"SET default_null_order = '{setting}'")
            assert rows(view, "u") == before


def test_columns_of_types_that_views_cannot_have_may_be_dropped() -> None:
    con = store(m="AS SELECT 1 AS u, [1, 2] AS listed, {'a': 1} AS nested, 5 AS x")
    dropped = con.table("m").drop("listed", "nested").filter(_.x > 1)
    assert rows(View(dropped, "u"), "u") == [(1, 5)]
    with pytest.raises(NotATable, match="column 'nested' holds struct"):
        View(con.table("m").drop("listed"), "u").certified("u")


def test_a_value_of_too_many_operations_is_refused() -> None:
    """With a sentence, before any row is read."""
    con = store(m="(u BIGINT, x BIGINT)")
    value = con.table("m").x
    for _place in range(400):
        value = value + 1
    with pytest.raises(NotATable, match=r"a value has too many operations .* Fix: a step of its own for some of them"):
        View(con.table("m").mutate(y=value), "u").certified("u")


def test_there_is_no_negative_zero() -> None:
    """DuckDB makes 0.0 of -0.0 wherever it sorts by it."""
    con = store(w="(u BIGINT, f DOUBLE, g REAL)")
    con.raw_sql("INSERT INTO w VALUES (1, '-0.0', '-0.0')")
    w = con.table("w")
    for view in (w, w.mutate(f=-_.f), w.mutate(f=_.f * -1.0), w.mutate(f=(_.f - 0.3).round())):
        assert "-0.0" not in repr(rows(View(view, "u"), "u"))


def test_nan_has_no_sign() -> None:
    """It shows as text, and two that are equal and unlike would tie."""
    con = store(w="(u BIGINT, d INT, f DOUBLE, g REAL)")
    con.raw_sql("INSERT INTO w VALUES (1, 1, '-nan', '-nan'), (1, 2, 'nan', 'nan')")
    w = con.table("w")
    window = {"group_by": "u", "order_by": "d"}
    for view in (
        w.mutate(s=_.f.cast("string"), t=_.g.cast("string")),
        w.mutate(s=(-_.f).lag().over(**window).cast("string")),
    ):
        found = repr(rows(View(view, "u"), "u"))
        assert "'nan'" in found
        assert "-nan" not in found


def test_the_larger_of_two_zeros_does_not_depend_on_the_order_of_rows() -> None:
    """1 / -0.0 is not 1 / 0.0."""
    con, found = store(w="(u BIGINT, f DOUBLE, g DOUBLE)"), []
    for listed in ("(1, 0, 1), (1, 0, -1)", "(1, 0, -1), (1, 0, 1)"):
        con.raw_sql(f"DELETE FROM w; INSERT INTO w VALUES {listed}")
        divided = con.table("w").group_by("u").agg(x=1.0 / (_.f * _.g).max(), y=1.0 / (_.f * _.g).min())
        found.append(rows(View(divided, "u"), "u"))
    assert found[0] == found[1]


def test_a_sum_that_does_not_fit_is_missing() -> None:
    """DuckDB adds with 128 bits."""
    con = store(w="(u BIGINT, i BIGINT)")
    con.raw_sql("INSERT INTO w VALUES (1, 9223372036854775807), (1, 1), (2, 5)")
    w = con.table("w")
    assert rows(View(w.group_by("u").agg(x=_.i.sum() // 4), "u"), "u") == [(1, None), (2, 1)]
    windowed = w.mutate(x=_.i.sum().over(group_by="u") // 4).select("u", "x")
    assert rows(View(windowed, "u"), "u") == [(1, None), (1, None), (2, 1)]


SHAPES: dict[str, Callable[[Any, Any], Any]] = {
    "mutate": lambda t, v: t.mutate(v=v),
    "filter": lambda t, v: t.filter(v if v.type().is_boolean() else v.notnull()),
    "aggregate": lambda t, v: t.group_by("u").agg(v=v.max(), n=v.nunique()),
    "sum": lambda t, v: t.group_by("u").agg(v=v.sum() * 3),
    "window": lambda t, v: t.mutate(v=v.max().over(group_by="u"), w=t.i.sum().over(group_by="u") + 1),
    "order": lambda t, v: t.mutate(n=ibis.row_number().over(group_by="u", order_by=v)),
    "join": lambda t, v: (lambda o: t.join(o, [t.u == o.u, v == v]).mutate(z=t.i + t.i))(t.view()),
    "twice": lambda t, v: t.mutate(v=v, w=v.cast("string"), x=ibis.coalesce(v, v), y=v + 1, z=v.isin(list(range(20)))),
    "nested": lambda t, v: t.mutate(v=v).filter(_.u >= 0).group_by("u").agg(x=_.v.count(), y=_.i.sum() + _.j.sum()),
}
HOSTILE = {
    "i": ("9223372036854775807", "-9223372036854775808", "0", "-1", "NULL", "1"),
    "j": ("2147483647", "-2147483648", "0", "NULL", "5"),
    "s": ("'x'", "''", "'('", "'2024-13-45'", "NULL", "'1e400'", "'9999999999999999999999'"),
    "d": ("'infinity'::DATE", "'-infinity'::DATE", "'0001-01-01'::DATE", "'9999-12-31'::DATE", "NULL"),
    "m": ("9999999999999999.99", "-9999999999999999.99", "0", "NULL"),
    "f": ("'nan'::DOUBLE", "'inf'::DOUBLE", "-1e308", "1e308", "0", "-1", "NULL"),
}
UNBUILT = (NotATable, duckdb.BinderException, IbisError, ValidationError, TypeError, AttributeError, ValueError)
"""What a random value raises if there is no such expression, or no proof."""
KINDS = "(u BIGINT, i BIGINT, j INT, s VARCHAR, d DATE, m DECIMAL(18, 2), f DOUBLE)"


def hostile(draw: Random) -> str:
    """Rows of three people, full of values on which functions fail."""
    return ", ".join(
        f"({place % 3}, {', '.join(draw.choice(each) for each in HOSTILE.values())})" for place in range(12)
    )


def value(draw: Random, t: Any, depth: int) -> Any:
    """A random value of one row."""

    def number() -> Any:
        return (
            value(draw, t, depth - 1) if depth else draw.choice([t.i, t.j, t.m, t.f, ibis.literal(draw.choice([0, 7]))])
        )

    makes: list[Callable[[], Any]] = [
        lambda: number() + number(),
        lambda: number() * number(),
        lambda: number() / number(),
        lambda: number() // number(),
        lambda: number() % number(),
        lambda: number().abs(),
        lambda: -number(),
        lambda: number().sqrt(),
        lambda: number().ln(),
        lambda: number().cast(draw.choice(["int8", "int32", "decimal(10,2)", "string", "float64"])),
        lambda: t.s.cast(draw.choice(["int64", "date", "float64", "timestamp", "decimal(9,3)"])),
        lambda: t.s.length() * number(),
        lambda: t.d.year() * number(),
        lambda: t.d + ibis.interval(days=3),
        lambda: t.d.delta(ibis.date("2024-01-01"), unit="day"),
        lambda: t.s.re_search(t.s),
        lambda: t.d.truncate("M"),
        lambda: t.s.as_timestamp("%Y-%m-%d"),
        lambda: number() ** number(),
        lambda: ibis.date(t.j, t.j, t.j),
        lambda: t.s.substr(t.j, t.j),
        lambda: (number() > number()).ifelse(number(), number()),
        lambda: ibis.coalesce(number(), number()),
        lambda: t.s.cast("date") == t.d,
    ]
    return draw.choice(makes)()


def test_no_row_makes_a_view_fail() -> None:
    """Values that cannot be computed are missing; the views as written fail."""
    draw, con, counts = Random(3), store(t=KINDS), Counter[str]()
    for _place in range(effort.examples(600)):
        con.raw_sql(f"DELETE FROM t; INSERT INTO t VALUES {hostile(draw)}")
        shape = draw.choice(list(SHAPES))
        try:
            expression = SHAPES[shape](con.table("t"), value(draw, con.table("t"), draw.randrange(3)))
            table = View(expression, "u").certified("u")[1]
            con.con.execute(ibis.to_sql(table.limit(0)))  # what the schema alone refuses
        except UNBUILT:
            continue
        counts["views"] += 1
        con.con.execute(ibis.to_sql(table)).fetchall()
        counts["fail as written"] += _fails(con, expression)
    assert counts["views"] >= effort.examples(600) // 4
    assert counts["fail as written"] > 0


def _fails(con: Any, expression: Any) -> bool:
    try:
        con.con.execute(ibis.to_sql(expression)).fetchall()
    except duckdb.Error:
        return True
    return False
