"""What is said of a view without a proof: verbatim, before any row is read, and never by a value."""

from collections.abc import Callable
from typing import Any

import ibis
import pytest

import headcount as hc
from headcount.errors import BadParameter, HeadcountError, NotATable

from .cases import own

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
PUBLIC = ["concept", "registry"]


@pytest.fixture
def t() -> Any:
    return tables(ibis.duckdb.connect())


def tables(connection: Any) -> Any:
    class Tables:
        con = connection

    for name, columns in {
        "visit": "person_id BIGINT, start DATE, kind BIGINT, price DOUBLE",
        "drug_era": "person_id BIGINT, concept_id BIGINT, start DATE",
        "concept": "concept_id BIGINT, name VARCHAR",
        "registry": "person_id BIGINT, region VARCHAR",
    }.items():
        connection.raw_sql(f"CREATE TABLE {name} ({columns})")
        setattr(Tables, name, connection.table(name))
    connection.raw_sql("CREATE VIEW late AS SELECT * FROM visit ORDER BY start LIMIT 2")
    return Tables


OVER = '.over(group_by="person_id")'
SENTENCES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "limit": (
        lambda t: t.visit.limit(2),
        "step 1 of 1: limit(2): whether a row stays depends on other people's rows. Fix: rows per user: .mutate("
        'n=ibis.row_number().over(group_by="person_id", order_by="start")).filter(_.n < 2)',
    ),
    "mean": (
        lambda t: t.visit.filter(t.visit.kind > t.visit.kind.mean()),
        "mean() of all rows: one number computed from many people's rows. Fix: a number you know (_.kind > 3), or a "
        f"value per user: {OVER}",
    ),
    "all rows": (lambda t: t.visit.mutate(x=t.visit.kind.max()), f"step 1 of 1: max() over all rows. Fix: {OVER}"),
    "strangers": (
        lambda t: t.drug_era.join(t.visit, "start"),
        "inner join of drug_era and visit without their users being equal: one person's rows would meet another's. "
        "Fix: also join on drug_era.person_id == visit.person_id",
    ),
    "strangers of one table": (
        lambda t: t.visit.join(t.visit.view(), "start"),
        "inner join of visit and visit without their users being equal: one person's rows would meet another's. "
        "Fix: also join on other = visit.view(), and visit.person_id == other.person_id",
    ),
    "strangers who stay or go": (
        lambda t: t.drug_era.semi_join(t.visit, "start"),
        "semi join of drug_era and visit without their users being equal: one person's rows would meet another's. "
        "Fix: also join on drug_era.person_id == visit.person_id",
    ),
    "a function without a proof": (
        lambda t: t.visit.mutate(x=_.kind.hash()),
        "step 1 of 1: hash(): headcount has no proof for this operation. Fix: select, mutate, filter, ",
    ),
    "a logarithm": (
        lambda t: t.visit.mutate(x=_.price.log(_.kind)),
        "step 1 of 1: log(): headcount has no proof for this operation. Fix: .ln()",
    ),
    "a text of a moment": (
        lambda t: t.visit.mutate(x=_.start.strftime("%Y")),
        'strftime(): headcount has no proof for this operation. Fix: .truncate("M"), or .year() and .month()',
    ),
    "the last month": (
        lambda t: t.visit.filter(_.start > ibis.today() - ibis.interval(months=1)),
        'ibis.today(): another value each time. Fix: a literal, ibis.date("2026-01-01")',
    ),
    "groups": (
        lambda t: t.drug_era.group_by("concept_id").agg(n=_.count()),
        'group_by("concept_id"): a group mixes the rows of several people. Fix: group_by("person_id", "concept_id"); '
        'or no group_by, and by="concept_id": headcount does the grouping',
    ),
    "dropped": (
        lambda t: t.visit.select("kind"),
        'select("kind"): the user column is dropped. Fix: keep person_id',
    ),
    "float": (
        lambda t: t.visit.group_by("person_id").agg(x=_.price.sum()),
        "sum() of float64: the last digits depend on the order in which the engine adds. Fix: "
        'try_cast("decimal(18, 2)").sum()',
    ),
    "text": (
        lambda t: t.con.sql("SELECT * FROM visit").join(t.visit, "person_id"),
        'SQL text (con.sql): headcount checks Ibis expressions only. Fix: con.table("visits").filter(...)',
    ),
    "not in": (
        lambda t: t.visit.filter(~t.visit.person_id.isin(t.drug_era.person_id)),
        "isin(...) under ~, or as a value: a missing id in the list would drop everybody. Fix: "
        '.semi_join(other, "person_id"), or .anti_join(other, "person_id")',
    ),
    "random": (
        lambda t: t.visit.mutate(x=ibis.random()),
        'ibis.random(): another value each time. Fix: a literal, ibis.date("2026-01-01")',
    ),
    "now": (
        lambda t: t.visit.filter(_.start < ibis.today()),
        'ibis.today(): another value each time. Fix: a literal, ibis.date("2026-01-01")',
    ),
    "mode": (
        lambda t: t.visit.group_by("person_id").agg(x=_.kind.mode()),
        "mode(): ties are decided by the order of rows. Fix: min(), max()",
    ),
    "std": (
        lambda t: t.visit.group_by("person_id").agg(x=_.kind.std()),
        "std(): nothing says that its last digits do not depend on the order of rows. Fix: count, nunique, min, max, "
        "median, quantile, or sum and mean of whole numbers",
    ),
    "function": (
        lambda t: t.visit.mutate(x=own(t.visit.kind)),
        "a function of your own: headcount cannot look into it. Fix: Ibis's own functions, such as ibis.cases",
    ),
    "window key": (
        lambda t: t.visit.mutate(n=_.count().over(group_by=["person_id", own(t.visit.kind)])),
        "a function of your own: headcount cannot look into it.",
    ),
    "view": (
        lambda t: t.con.table("late").join(t.visit, "person_id"),
        "its tables: table 'late' is not one stored table of DuckDB. Fix: for a view, its definition as an Ibis "
        "expression; for a file or a frame, con.create_table('late', ...); for one of several tables of this name, "
        'con.table(\'late\', database=("catalog", "schema"))',
    ),
    "third of three": (
        lambda t: t.visit.filter(_.kind > 1).mutate(x=_.kind + 1).group_by("kind").agg(n=_.count()),
        'step 3 of 3: group_by("kind")',
    ),
    "capitals": (
        lambda t: t.visit.mutate(PERSON_ID=_.kind),
        "columns 'person_id' and 'PERSON_ID' differ in capitals only. Fix: give them different names",
    ),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", SENTENCES)
def test_sentences(name: str, t: Any) -> None:
    make, sentence = SENTENCES[name]
    expression = make(t)
    with pytest.raises(NotATable) as refused:
        hc.view(expression, user="person_id")
    assert sentence in str(refused.value)
    assert str(refused.value).startswith(("the view, ", "the view: "))


def test_a_table_that_is_neither_private_nor_public(t: Any) -> None:
    with pytest.raises(NotATable) as refused:
        hc.view(t.drug_era.join(t.concept, "concept_id"), user="person_id")
    assert str(refused.value).endswith(
        "table 'concept': about people, or public? Fix: hc.view(..., public=[\"concept\"]), "
        'or user={"concept": "its user column"}'
    )


def test_a_user_of_a_public_table(t: Any) -> None:
    counted = t.drug_era.group_by("person_id").agg(n=_.count())
    view = hc.view(t.registry.left_join(counted, "person_id"), user={"drug_era": "person_id"}, public=["registry"])
    with pytest.raises(NotATable) as refused:
        hc.plan("histogram", view, user="person_id", by="n", epsilon=1)
    assert str(refused.value) == (
        "the view: user='person_id' comes from the public table 'registry': a person without private rows would have a "
        "row. Fix: user='person_id_right', or start from the private table"
    )


def test_ids_of_other_types(t: Any) -> None:
    t.con.raw_sql("CREATE TABLE stay (person_id UBIGINT, ward VARCHAR)")
    with pytest.raises(NotATable) as refused:
        hc.view(t.visit.join(t.con.table("stay"), "person_id"), user="person_id")
    assert str(refused.value) == (
        "the view, step 1 of 1: users person_id and person_id hold int64 and uint64: not the same ids. Fix: "
        '.mutate(person_id=_.person_id.cast("string")) on both sides before the join'
    )
    both = [each.mutate(person_id=_.person_id.cast("string")) for each in (t.visit, t.con.table("stay"))]
    assert hc.view(both[0].join(both[1], "person_id"), user="person_id").people() == ["person_id"]


def test_bad_declarations(t: Any) -> None:
    joined = t.drug_era.join(t.visit, "person_id")
    for wrong, sentence in (
        ({"user": {"visits": "person_id"}}, "there is no table 'visits' in the view. Fix: one of "),
        ({"user": {"visit": "person"}}, "table 'visit' has no column 'person'."),
        ({"user": {"visit": "price"}}, "visit.price holds float64: not an id. Fix: whole numbers, text or UUIDs"),
        ({"user": "person_id", "public": ["registry"]}, "there is no table 'registry' in the view."),
        ({"user": "person_id", "public": [t.visit.limit(1)]}, "an expression that is not a table of the view"),
        ({"user": {"visit": "person_id"}, "public": ["visit"]}, "declared both private and public"),
        ({"user": {}, "links": {"visit.kind": "drug_era.concept_id"}}, "'drug_era' is no private table"),
        ({"user": "person_id", "links": {"visit": "drug_era.concept_id"}}, "names no column"),
        ({"user": "person_id", "links": {"visit.kind": "drug_era.start"}}, "holds date: not an id"),
    ):
        with pytest.raises(HeadcountError) as refused:
            hc.view(joined, **wrong)
        assert sentence in str(refused.value), wrong


def test_other_things_than_expressions_of_one_connection(t: Any) -> None:
    with pytest.raises(NotATable, match="not an Ibis expression"):
        hc.view("visits.csv", user="person_id")
    other = tables(ibis.duckdb.connect())
    with pytest.raises(BadParameter, match="several connections"):
        hc.view(t.visit.join(other.drug_era, "person_id"), user="person_id")


def test_a_job_says_what_to_write_and_keeps_the_promise_as_the_way_out(t: Any) -> None:
    with pytest.raises(NotATable) as refused:
        hc.plan("histogram", t.drug_era.join(t.visit, "start"), user="person_id", by="kind", epsilon=1)
    assert str(refused.value) == (
        "the data are a query with a join: one person's data may be in other people's rows. headcount found no proof. "
        "The view, step 1 of 1: inner join of drug_era and visit without their users being equal: one person's rows "
        "would meet another's. Fix: also join on drug_era.person_id == visit.person_id; or, if you know that it is so, "
        'hc.table(data, promise="each row belongs to one person")'
    )


def test_no_message_depends_on_rows(t: Any) -> None:
    """The same before and after there are some."""

    def message() -> str:
        with pytest.raises(HeadcountError) as refused:
            hc.view(t.drug_era.join(t.visit, "start").mutate(x=_.kind.cast("int8")), user="person_id")
        return str(refused.value)

    before = message()
    t.con.raw_sql("INSERT INTO visit SELECT 1, DATE '2024-01-01', 9223372036854775807, 1.5")
    assert message() == before
