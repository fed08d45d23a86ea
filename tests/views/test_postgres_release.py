"""Views on Postgres from outside: releases, one snapshot, and what a database may hold that is not a stored table."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import ibis
import pytest
from benchmarks.views.__main__ import Tally, judge
from benchmarks.views.databases import PostgresDatabases
from benchmarks.views.generator import Generator
from benchmarks.views.worlds import LETTERS, NAMED

import headcount as hc
from headcount.errors import NotATable, TableChanged
from headcount.noise import KeyedEntropy
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.views.view import View
from tests import effort

from .cases import CASES, Case

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
TABLES = (
    "person AS SELECT i::bigint AS person_id, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS gender "
    "FROM generate_series(0, 899) AS t(i)",
    "drug_era AS SELECT (i * 7919 % 900)::bigint AS person_id, (i * 31 % 6)::bigint AS concept_id, "
    "DATE '2024-01-01' + i * 17 % 300 AS start, i % 40 AS days FROM generate_series(0, 4999) AS t(i)",
    "concept AS SELECT i::bigint AS concept_id, 'class ' || (i % 3) AS class FROM generate_series(0, 4) AS t(i)",
)


@pytest.fixture
def con(postgres: Any) -> Iterator[Any]:
    """Tables in a schema that is there for one test."""
    connection = ibis.postgres.connect(host=postgres.con.info.host, user="postgres", database="postgres")
    connection.con.autocommit = True
    connection.con.execute("DROP SCHEMA IF EXISTS clinic CASCADE; CREATE SCHEMA clinic; SET search_path = clinic")
    for each in TABLES:
        connection.con.execute(f"CREATE TABLE {each}")
    yield connection
    connection.disconnect()


def drugs(con: Any) -> Any:
    joined = con.table("drug_era").join(con.table("person"), "person_id")
    return joined.left_join(con.table("concept"), "concept_id")


def view(con: Any) -> Any:
    return hc.view(drugs(con), user="person_id", public=["concept"])


def rows(view: View, user: str = "person_id") -> list[str]:
    """Rows of a view as it is run."""
    found = view.certified(user)[1]
    return sorted(map(repr, to_arrow(engine_of(found).table(found, found.columns)).to_pylist()))


ASKED: dict[str, dict[str, Any]] = {
    "histogram": {"by": ["class", "gender"]},
    "total": {"sum": "days", "bound": 40},
    "quantiles": {"value": "days", "range": (0, 40)},
}


@pytest.mark.parametrize("job", ["histogram", "total", "quantiles"])
def test_a_release_is_that_of_the_same_view_on_duckdb(con: Any, job: str) -> None:
    """Byte for byte, under the same noise."""
    duck = ibis.duckdb.connect()
    for name in ("person", "drug_era", "concept"):
        duck.con.register("rows", con.table(name).to_pyarrow())
        duck.raw_sql(f"CREATE TABLE {name} AS FROM rows")
    plans: list[Any] = [
        hc.plan(job, hc.table(view(each), name="d"), user="person_id", epsilon=1, **ASKED[job]) for each in (con, duck)
    ]
    found = [plan.release(entropy=KeyedEntropy(bytes(range(32)))).table for plan in plans]
    assert found[0].equals(found[1])
    assert plans[0].certificate == replace(plans[1].certificate, sql=plans[0].certificate.sql)


def test_an_expression_is_proved_without_declarations(con: Any) -> None:
    longest = con.table("drug_era").group_by("person_id").agg(longest=_.days.max())
    plan = hc.plan("histogram", longest, user="person_id", by="longest", bins=[0, 10, 40], epsilon=1)
    assert plan.certificate is not None
    assert plan.certificate.one_row
    assert len(plan.release().table) == 2


def test_one_snapshot(con: Any) -> None:
    """All tables of a view are read as they were at one moment."""
    proved = view(con).certified("person_id")[1]
    table = engine_of(proved).table(proved, ["person_id", "class"])
    with engine_of(table).reserve(table, None):
        before = len(to_arrow(table))
        con.con.execute("DELETE FROM person")
        assert len(to_arrow(table)) == before > 0


NOT_STORED: dict[str, str] = {
    "a view": "CREATE VIEW odd AS SELECT * FROM person",
    "a view with a limit": "CREATE VIEW odd AS SELECT * FROM person LIMIT 3",
    "a materialized view": "CREATE MATERIALIZED VIEW odd AS SELECT * FROM person",
    "a temporary table": "CREATE TEMP TABLE odd AS SELECT * FROM person",
    "a table with children": "CREATE TABLE odd AS SELECT * FROM person; CREATE TABLE more () INHERITS (odd)",
    "a child": "CREATE TABLE odd () INHERITS (person)",
    "a partition": "CREATE TABLE whole (person_id bigint, gender text) PARTITION BY LIST (gender); "
    "CREATE TABLE odd PARTITION OF whole DEFAULT",
    "row security": "CREATE TABLE odd AS SELECT * FROM person; ALTER TABLE odd ENABLE ROW LEVEL SECURITY; "
    "ALTER TABLE odd FORCE ROW LEVEL SECURITY; ALTER ROLE reader NOSUPERUSER; GRANT ALL ON SCHEMA clinic TO reader; "
    "GRANT ALL ON ALL TABLES IN SCHEMA clinic TO reader; SET ROLE reader",
    "a domain": "CREATE DOMAIN code AS text CHECK (length(value) < 9); "
    "CREATE TABLE odd (person_id bigint, gender code)",
    "a type that Ibis takes for text": "CREATE TABLE odd (person_id bigint, gender name)",
    "a column computed when it is read": "CREATE TABLE odd (person_id bigint, gender text, "
    "x bigint GENERATED ALWAYS AS (person_id / (person_id - 5)) VIRTUAL)",
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", NOT_STORED)
def test_what_is_not_a_stored_table_is_refused(con: Any, name: str) -> None:
    con.con.execute("DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object THEN END $$")
    con.con.execute(NOT_STORED[name])
    odd = con.table("odd").select("person_id", "gender")
    with pytest.raises(NotATable, match=r"table 'odd' is (not one stored table|a view of your)|column|user column"):
        hc.view(odd.mutate(n=_.count().over(group_by="person_id")), user="person_id")


def test_partitions_are_stored(con: Any) -> None:
    con.con.execute(
        "CREATE TABLE whole (person_id bigint, gender text) PARTITION BY LIST (gender); "
        "CREATE TABLE odd PARTITION OF whole DEFAULT; INSERT INTO whole SELECT * FROM person"
    )
    assert len(rows(hc.view(con.table("whole").distinct(), user="person_id"))) == 900


def test_a_table_that_became_a_view_since_the_plan_is_refused(con: Any) -> None:
    plan = hc.plan("histogram", view(con), user="person_id", by="gender", epsilon=1)
    con.con.execute("ALTER TABLE person RENAME TO old; CREATE VIEW person AS SELECT * FROM old")
    with pytest.raises(TableChanged, match="table 'person' is a view of your database"):
        plan.release()


SHADOWS = (
    "CREATE FUNCTION strpos(varchar, text) RETURNS int LANGUAGE sql AS 'SELECT 1/0'",
    "CREATE FUNCTION wrong(varchar, varchar) RETURNS bool LANGUAGE sql AS 'SELECT true'",
    "CREATE OPERATOR = (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = wrong)",
    "CREATE FUNCTION wrong(int, bigint) RETURNS bool LANGUAGE sql AS 'SELECT true'",
    "CREATE FUNCTION wrong(numeric, int) RETURNS bool LANGUAGE sql AS 'SELECT true'",
    "CREATE OPERATOR = (LEFTARG = numeric, RIGHTARG = int, FUNCTION = wrong)",
    "CREATE FUNCTION round(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
    "CREATE AGGREGATE max(varchar) (SFUNC = textcat, STYPE = text)",
)


def test_functions_and_operators_of_the_users_are_not_looked_up(con: Any) -> None:
    """Though they would fit better than those of Postgres."""
    con.con.execute("ALTER TABLE person ALTER gender TYPE varchar(5)")

    def found() -> list[str]:
        person = con.table("person")
        texts = person.mutate(x=_.gender.contains("f"), y=_.gender == "m", z=_.person_id % 7)
        other = person.select("person_id", g="gender")
        again = texts.join(other, [texts.person_id == other.person_id, texts.gender == other.g])
        return rows(hc.view(again.group_by("person_id", "x", "y", "z").agg(m=_.g.max()), user="person_id"))

    before = found()
    for each in SHADOWS:
        con.con.execute(each)
    assert found() == before


def test_a_cast_that_takes_the_place_of_one_of_postgres_is_refused(con: Any) -> None:
    con.con.execute("CREATE FUNCTION as_number(varchar) RETURNS int LANGUAGE sql AS 'SELECT 1/0'")
    con.con.execute("CREATE CAST (varchar AS int) WITH FUNCTION as_number(varchar) AS IMPLICIT")
    try:
        with pytest.raises(NotATable, match="the cast of character varying to integer, which is not Postgres's"):
            view(con)
    finally:
        con.con.execute("DROP CAST (varchar AS int)")


def test_text_is_compared_byte_by_byte_everywhere(con: Any) -> None:
    """Whatever the collation of the database is: each text of the view has the collation "C"."""
    con.con.execute("ALTER TABLE person ADD pad char(4) DEFAULT 'a'")
    person = con.table("person")
    texts = person.mutate(
        x=_.gender.substr(0, 1),
        y=ibis.cases((_.gender == "f", "F"), else_="M"),
        z=_.person_id.cast("string"),
        first=_.gender.min().over(group_by="person_id"),
        last=ibis.coalesce(_.gender.lag().over(group_by="person_id", order_by="gender"), "none"),
    )
    typed = texts.filter(ibis.cases((_.gender == "f", "F"), else_="M") < "G")
    sql = hc.view(typed, user="person_id").certified("person_id")[0].sql
    for each in "fFMG":
        assert sql.count(f"'{each}'") == sql.count(f"(CAST('{each}' AS TEXT) COLLATE \"C\")") > 0
    columns = ("gender", "pad", "x", "y", "z", "first", "last")
    listed = ", ".join(f'pg_collation_for("{each}")' for each in columns)
    assert con.con.execute(f"SELECT DISTINCT {listed} FROM ({sql}) AS q").fetchall() == [('"C"',) * len(columns)]


def test_ties_do_not_depend_on_where_rows_are_stored(con: Any) -> None:
    first = con.table("drug_era").mutate(n=ibis.row_number().over(group_by="person_id", order_by="concept_id"))
    kept = hc.view(first.filter(_.n == 0), user="person_id")
    before = rows(kept)
    con.con.execute("CREATE TABLE moved AS SELECT * FROM drug_era ORDER BY days DESC, start; TRUNCATE drug_era")
    con.con.execute("INSERT INTO drug_era SELECT * FROM moved")
    assert rows(kept) == before


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "text to a number": (lambda t: t.mutate(x=_.gender.cast("int64")), r"step 1 of 1: cast\(\) of string: on Postgres"),
    "a sum of floats": (lambda t: t.mutate(x=(_.person_id / 2) + 0.0), r"add\(\) of float64: on Postgres"),
    "a long name": (lambda t: t.mutate(**{"x" * 64: 1}), "which Postgres cuts off. Fix: at most 63 letters"),
    "an outer join by less": (
        lambda t: (lambda o: t.outer_join(o, [t.person_id == o.person_id, t.gender < o.gender]))(t.view()),
        "outer join by more than equal columns on Postgres",
    ),
    "a semi join before a right join": (
        lambda t: t.semi_join(t.view(), "person_id").right_join(t.select("person_id"), "person_id"),
        "one step",
    ),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", REFUSED)
def test_refused(con: Any, name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(NotATable, match=message):
        View(make(con.table("person")), "person_id").certified("person_id")


def test_columns_of_other_types_are_left_aside(con: Any) -> None:
    con.con.execute("ALTER TABLE person ADD j jsonb, ADD r real, ADD n numeric, ADD z timestamptz, ADD a int[]")
    person = con.table("person")
    assert len(rows(hc.view(person.select("person_id", "gender").distinct(), user="person_id"))) == 900
    assert len(rows(hc.view(person.drop(*"rnzja").distinct(), user="person_id"))) == 900
    for column in "rnzja":
        with pytest.raises(NotATable, match=r"which views (on Postgres )?cannot have"):
            hc.view(person.select("person_id", column).filter(_[column].notnull()), user="person_id")


@pytest.fixture(scope="module")
def shop(postgres: Any) -> Iterator[PostgresDatabases]:
    found = PostgresDatabases(NAMED, 5, 4, postgres.con.info.host)
    yield found
    found.close()


def of_shop(case: Case, shop: PostgresDatabases) -> View:
    expression = case.make(SimpleNamespace(connection=shop.connection, late=None, **shop.tables))
    return View(expression, **shop.declarations(expression))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("case", [case for case in CASES if case.proved], ids=lambda case: case.name)
def test_a_proved_view_mixes_nobody(case: Case, shop: PostgresDatabases) -> None:
    try:
        found = of_shop(case, shop).certified(case.user)
    except NotATable as refused:
        assert "on Postgres" in str(refused)  # noqa: PT017
        return
    assert shop.violation(found[1], case.user) == ""


def test_no_proved_random_view_mixes_people(postgres: Any) -> None:
    databases, tally = PostgresDatabases(LETTERS, 7, 3, postgres.con.info.host), Tally()
    generator = Generator(databases.tables, 7)
    for _place in range(effort.examples(60)):
        judge(generator.expression(), databases, tally)
    databases.close()
    assert tally.violations == []
    assert tally.counts["carriers checked"] >= effort.examples(60) // 8
