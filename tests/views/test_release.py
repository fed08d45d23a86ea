"""Views from outside: a plan, a release, a ledger; equal to the release of the rows themselves."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest

import headcount as hc
from headcount.account import Ledger
from headcount.errors import BadParameter, HeadcountError, NotATable, TableChanged
from headcount.noise import KeyedEntropy
from headcount.release.report.facts import Facts
from headcount.release.report.view import view_section
from headcount.source.engines.duckdb import DuckDB
from headcount.source.engines.registry import built_in
from headcount.source.views.certificate import certify
from headcount.source.views.dialects.registry import DIALECTS

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._


@pytest.fixture
def con() -> Any:
    connection = ibis.duckdb.connect()
    for text in (
        "person AS SELECT i AS person_id, if(i % 2 = 0, 'f', 'm') AS gender FROM range(900) t(i)",
        "drug_era AS SELECT hash(i) % 900 AS person_id, (hash(7 * i) % 6)::BIGINT AS concept_id, "
        "DATE '2024-01-01' + (hash(3 * i) % 300)::INT AS start, (i % 40)::VARCHAR AS days FROM range(5000) t(i)",
        "concept AS SELECT i AS concept_id, 'class ' || (i % 3) AS class FROM range(5) t(i)",
    ):
        connection.raw_sql(f"CREATE TABLE {text}")
    connection.raw_sql("ALTER TABLE drug_era ALTER person_id TYPE BIGINT")
    return connection


def drugs(con: Any) -> Any:
    joined = con.table("drug_era").join(con.table("person"), "person_id")
    return joined.left_join(con.table("concept"), "concept_id").mutate(days=_.days.cast("int64"))


def view(con: Any) -> Any:
    return hc.view(drugs(con), user="person_id", public=["concept"])


ASKED: dict[str, Any] = {"user": "person_id", "by": ["class", "gender"], "epsilon": 1}


def test_the_plan_says_what_was_proved(con: Any) -> None:
    text = " ".join(str(hc.plan("histogram", view(con), **ASKED)).split())
    for sentence in (
        "The table is a view of drug_era (private, people by person_id), person (private, people by person_id) and "
        "concept (declared public).",
        "headcount checked that each of its rows depends on one person's rows only (a join on the user, a join with a "
        "public table).",
        "A value that cannot be computed (a cast, an overflow) counts as missing. Rows without person_id are left out.",
        "You promise: concept holds nothing about these people.",
        "You promise: numbers and names typed into the view are public.",
    ):
        assert sentence in text


@pytest.mark.parametrize("job", ["histogram", "total", "quantiles"])
def test_a_release_of_a_view_is_that_of_its_rows(con: Any, job: str) -> None:
    """Byte for byte, under the same noise: what is released is the same, by whatever road the rows come."""
    asked: dict[str, dict[str, Any]] = {
        "histogram": {"by": ["class", "gender"]},
        "total": {"sum": "days", "bound": 40},
        "quantiles": {"value": "days", "range": (0, 40)},
    }
    proved = view(con)
    rows = con.create_table("rows", proved.certified("person_id")[1])
    found = [
        hc.plan(job, hc.table(data, name="drugs"), user="person_id", epsilon=1, **asked[job])
        .release(entropy=KeyedEntropy(bytes(range(32))))
        .table
        for data in (proved, rows)
    ]
    assert found[0].equals(found[1])


def test_an_expression_without_declarations_is_proved_with_the_users_column(con: Any) -> None:
    drug = con.table("drug_era")
    gaps = drug.mutate(gap=drug.start.delta(drug.start.lag(), unit="day").over(group_by="person_id", order_by="start"))
    longest = gaps.group_by("person_id").agg(longest=_.gap.max())
    plan = hc.plan("histogram", longest, user="person_id", by="longest", bins=[0, 30, 100, 400], epsilon=1)
    assert plan.certificate is not None
    assert plan.certificate.steps == {"a window per user": 1, "a group-by per user": 1}
    exact = longest.longest.execute().dropna()
    release = plan.release()
    assert abs(sum(release.to_pandas()["count"]) - len(exact)) < 200


def test_a_value_that_cannot_be_computed_is_missing(con: Any) -> None:
    """One person's row must not decide whether there is a release."""
    con.raw_sql("UPDATE drug_era SET days = 'x' WHERE person_id = 17")
    plan = hc.plan("total", view(con), user="person_id", sum="days", bound=40, epsilon=1)
    assert len(plan.release().table) == 1


def test_a_base_table_needs_no_certificate(con: Any) -> None:
    table = con.table("drug_era").filter(_.concept_id > 1)
    assert hc.plan("histogram", table, user="person_id", by="concept_id", epsilon=1).certificate is None


def test_the_same_view_again_returns_the_sealed_release_and_another_pays(con: Any, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    asked = {**ASKED, "ledger": ledger}
    first = hc.histogram(hc.table(view(con), name="hospital"), **asked)
    assert hc.histogram(hc.table(view(con), name="hospital"), **asked).content == first.content
    assert len(ledger.spends()) == 1
    assert "declared public" in first.explain()
    fewer = hc.view(drugs(con).filter(_.days > 3), user="person_id", public=["concept"])
    hc.histogram(hc.table(fewer, name="hospital"), **asked)
    assert len(ledger.spends()) == 2
    assert len({spend.dataset for spend in ledger.spends()}) == 1
    assert '"public":["concept"]' in ledger.spends()[0].request


def test_the_certificate_stands_in_release_and_report(con: Any, tmp_path: Path) -> None:
    release = hc.histogram(view(con), **ASKED)
    release.save(tmp_path / "r.parquet")
    again = hc.load(tmp_path / "r.parquet")
    assert '"public":["concept"]' in again.about.plan
    for name in ("r.html", "r.yaml"):
        again.report(tmp_path / name)
    text = " ".join((tmp_path / "r.html").read_text().split())
    assert "The table is a view of drug_era (private, people by person_id)" in text
    assert "headcount checked that each of its rows depends on one person" in text
    page = unescape(text)
    assert "<li>drug_era: private, people by person_id</li>" in page
    assert "<li>concept: declared public</li>" in page
    assert "<li>a join on the user</li><li>a join with a public table</li>" in page
    assert "<li>concept holds nothing about these people.</li>" in page
    sql = json.loads(again.about.plan)["view"]["sql"]
    assert f"The SQL as it was run:</p><pre>{' '.join(sql.split())}</pre>" in page


def test_a_plan_shows_the_sql_as_it_is_run(con: Any) -> None:
    plan = hc.plan("histogram", view(con), **ASKED)
    assert plan.certificate is not None
    assert "".join(plan.certificate.sql.split()) in "".join(plan.summary().split())
    assert f"<pre>{plan.certificate.sql}</pre>" in unescape(plan._repr_html_())
    assert "SQL of the view" not in hc.plan("histogram", hc.example(), user="user", by="song", epsilon=1).summary()


@pytest.mark.parametrize("made_up", ["text", {"private": 3, "public": "x", "links": [], "steps": None}, {"sql": "<b>"}])
def test_a_made_up_certificate_does_no_harm_to_the_page(con: Any, made_up: Any) -> None:
    about = hc.histogram(view(con), **ASKED).about
    changed = replace(about, plan=json.dumps({**json.loads(about.plan), "view": made_up}))
    section = view_section(Facts(pa.table({}), changed, (), "", None))
    assert "<b>" not in section
    assert bool(section) == isinstance(made_up, dict)


def test_a_ledger_needs_a_name(con: Any, tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="what the data are called"):
        hc.histogram(view(con), **ASKED, ledger=Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5))


def test_a_plan_from_text_needs_the_same_view(con: Any) -> None:
    plan = hc.plan("histogram", view(con), **ASKED)
    again = hc.Plan.from_json(plan.to_json())
    assert again == plan
    assert len(again.release(view(con)).table) > 0
    fewer = hc.view(drugs(con).filter(_.days > 3), user="person_id", public=["concept"])
    with pytest.raises(BadParameter, match="the data are not the view of the plan"):
        again.release(fewer)


def test_a_certificate_in_a_plan_cannot_be_made_up(con: Any) -> None:
    table = con.table("drug_era")
    plan = hc.plan("histogram", view(con), user="person_id", by="concept_id", epsilon=1)
    with pytest.raises(BadParameter, match="the data are not the view of the plan"):
        hc.Plan.from_json(plan.to_json()).release(table)


def test_a_table_that_became_a_view_since_the_plan_is_not_read(con: Any) -> None:
    plan = hc.plan("histogram", view(con), **ASKED)
    con.raw_sql("ALTER TABLE drug_era RENAME TO before")
    con.raw_sql("CREATE VIEW drug_era AS SELECT * FROM before LIMIT 9")
    with pytest.raises(HeadcountError):
        plan.release()


def test_a_view_is_proved_once_and_its_tables_are_looked_up_again(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof is about the expression; what can change since is the connection."""
    proofs: list[Any] = []

    def counted(*given: Any) -> Any:
        proofs.append(given)
        return certify(*given)

    monkeypatch.setattr("headcount.source.views.view.certify", counted)
    checked = view(con)
    hc.histogram(checked, **ASKED)
    plan = hc.plan("histogram", checked, **ASKED)
    assert len(proofs) == 1
    con.raw_sql("CREATE MACRO encode(x) AS 'all the same'::BLOB")
    with pytest.raises(HeadcountError):
        plan.release()
    with pytest.raises(NotATable, match=r"a function of your own in place of encode\(\)"):
        hc.plan("histogram", checked, **ASKED)
    con.raw_sql("DROP MACRO encode")
    con.raw_sql("ALTER TABLE person ADD COLUMN age INT")
    with pytest.raises(NotATable, match="table 'person' has other columns than when it was opened"):
        hc.plan("histogram", checked, **ASKED)
    assert len(proofs) == 1


def test_a_function_of_ones_own_in_place_of_the_engines(con: Any) -> None:
    con.raw_sql("CREATE MACRO encode(x) AS 'all the same'::BLOB")
    with pytest.raises(NotATable, match=r"a function of your own in place of encode\(\)"):
        view(con)


def test_a_promise_about_a_proved_view_is_refused(con: Any) -> None:
    with pytest.raises(BadParameter, match="headcount checked this view"):
        hc.plan("histogram", hc.table(view(con), promise="each row belongs to one person"), **ASKED)


def test_settings_that_change_results_are_refused(con: Any) -> None:
    proved = view(con)
    con.raw_sql("SET default_collation = 'NOCASE'")
    with pytest.raises(NotATable, match="default_collation"):
        hc.plan("histogram", proved, **ASKED)


def test_a_column_that_the_view_does_not_have(con: Any) -> None:
    with pytest.raises(HeadcountError, match="there is no column 'klass'"):
        hc.plan("histogram", view(con), **{**ASKED, "by": "klass"})


def test_links(con: Any) -> None:
    con.raw_sql("CREATE TABLE orders AS SELECT i AS key, i % 500 AS customer FROM range(1500) t(i)")
    con.raw_sql("CREATE TABLE lines AS SELECT i % 1500 AS key, (i % 7)::VARCHAR AS part FROM range(4000) t(i)")
    joined = con.table("orders").join(con.table("lines"), "key")
    proved = hc.view(joined, user={"orders": "customer"}, links={"lines.key": "orders.key"})
    plan = hc.plan("histogram", proved, user="customer", by="part", epsilon=1)
    assert "You promise: each key in orders.key belongs to one person." in " ".join(str(plan).split())
    assert len(plan.release().table) == 7


def test_one_budget_whatever_the_view_calls_its_user(con: Any, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    renamed = hc.view(drugs(con).rename(pid="person_id"), user="person_id", public=["concept"])
    hc.histogram(hc.table(view(con), name="hospital"), **ASKED, ledger=ledger)
    hc.histogram(hc.table(renamed, name="hospital"), **{**ASKED, "user": "pid"}, ledger=ledger)
    assert [spend.dataset for spend in ledger.spends()] == ["hospital", "hospital"]


CHANGES = {
    "another column": (
        "ALTER TABLE drug_era ADD COLUMN more INT",
        "table 'drug_era' has other columns than when it was",
    ),
    "no table": ("DROP TABLE drug_era", "table 'drug_era'"),
    "a view": ("ALTER TABLE drug_era RENAME TO old; CREATE VIEW drug_era AS FROM old", "table 'drug_era'"),
    "a function": ("CREATE MACRO encode(x) AS x", "encode"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_tables_that_changed_after_the_plan_are_named(con: Any, name: str) -> None:
    """What is said follows from the catalog, and no memory is asked for."""
    plan = hc.plan("histogram", view(con), **ASKED)
    statement, message = CHANGES[name]
    con.raw_sql(statement)
    with pytest.raises(
        TableChanged, match="the data are not what they were when the plan was made: .*" + message
    ) as no:
        plan.release()
    assert str(no.value).endswith(
        "Nothing was released. Fix: make the plan again; the same table as before finishes a release that was charged"
    )


def test_a_view_on_an_engine_that_cannot_run_it_is_refused(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDB, "certifies", False)
    message = (
        "a view on DuckDB: headcount checks views on DuckDB, Postgres and Spark only. Fix: the tables on DuckDB, or as "
        "files; or no hc.view, but hc.table(expression, promise='each row belongs to one person'), if that is so"
    )
    with pytest.raises(NotATable, match=f"^{re.escape(message)}$"):
        view(con)


def test_an_engine_that_runs_views_has_a_dialect() -> None:
    """The others have none: what has no proof there is not run."""
    found = {engine.name for engine in built_in() if engine.certifies}
    assert found == DIALECTS.keys() == {"duckdb", "postgres", "spark"}
