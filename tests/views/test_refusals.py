"""What is said of a view without a proof: verbatim, before any row is read, and never by a value."""

import re
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


PROMISE = '; or, if you know that it is so, hc.table(expression, promise="each row belongs to one person")'
FIFTEEN: dict[str, tuple[Callable[[Any], Any], str]] = {
    "1": (
        lambda t: t.visit.limit(2),
        "limit(2): whether a row stays depends on other people's rows. Fix: rows per user: .mutate("
        'n=ibis.row_number().over(group_by="person_id", order_by="start")).filter(_.n < 2)',
    ),
    "2": (
        lambda t: t.visit.filter(t.visit.kind > t.visit.kind.mean()),
        "visit.kind.mean() in a filter: one number computed from many people's rows. Fix: a number you know "
        f'(_.kind > 3), or a mean per user: .mean().over(group_by="person_id"){PROMISE}',
    ),
    "3": (
        lambda t: t.visit.mutate(x=t.visit.kind.max()),
        f'max() over all rows. Fix: .over(group_by="person_id"){PROMISE}',
    ),
    "4": (
        lambda t: t.drug_era.join(t.visit, "start"),
        "inner join of drug_era and visit without their users being equal: one person's rows would meet another's. "
        f"Fix: also join on drug_era.person_id == visit.person_id{PROMISE}",
    ),
    "5, and where public= is written": (
        lambda t: t.drug_era.join(t.concept, "concept_id"),
        "table 'concept': about people, or public? Fix: hc.view(..., public=[\"concept\"]), "
        f'or user={{"concept": "its user column"}}{PROMISE}',
    ),
    "6": (
        lambda t: t.drug_era.group_by("concept_id").agg(n=_.count()),
        'group_by("concept_id"): a group mixes the rows of several people. Fix: group_by("person_id", "concept_id"); '
        f'or no group_by, and by="concept_id": headcount does the grouping{PROMISE}',
    ),
    "7": (
        lambda t: t.visit.select("kind"),
        'select("kind"): the user column is dropped. Fix: keep person_id',
    ),
    "9": (
        lambda t: t.visit.group_by("person_id").agg(x=_.price.sum()),
        "sum() of float64: the last digits depend on the order in which the engine adds. Fix: "
        f'_.price.try_cast("decimal(18, 2)").sum(){PROMISE}',
    ),
    "10, with the whole line of the promise": (
        lambda t: t.con.sql("SELECT * FROM visit"),
        'SQL text (con.sql): headcount checks Ibis expressions only. Fix: con.table("visits").filter(...)' + PROMISE,
    ),
    "11": (
        lambda t: t.visit.filter(~t.visit.person_id.isin(t.drug_era.person_id)),
        "isin(...) under ~: a missing id in the list would drop everybody. Fix: "
        f'.anti_join(other, "person_id"){PROMISE}',
    ),
    "12": (
        lambda t: t.visit.mutate(x=ibis.random()),
        'ibis.random(): another value each time. Fix: a literal, ibis.date("2026-01-01")',
    ),
    "12, time": (
        lambda t: t.visit.mutate(x=ibis.now()),
        'ibis.now(): another value each time. Fix: a literal, ibis.date("2026-01-01")',
    ),
    "13": (
        lambda t: t.visit.group_by("person_id").agg(x=_.kind.mode()),
        "mode(): ties are decided by the order of rows. Fix: min(), max(); or one row per user: "
        '.mutate(n=ibis.row_number().over(group_by="person_id", order_by="start")).filter(_.n == 0)' + PROMISE,
    ),
    "13, any": (
        lambda t: t.visit.group_by("person_id").agg(x=_.kind.arbitrary()),
        "arbitrary(): ties are decided by the order of rows. Fix: min(), max(); or one row per user: "
        '.mutate(n=ibis.row_number().over(group_by="person_id", order_by="start")).filter(_.n == 0)' + PROMISE,
    ),
    "14, which may be SQL's": (
        lambda t: t.visit.mutate(x=own(t.visit.kind)),
        "a function of your own: headcount cannot look into it. Fix: Ibis's own functions, such as ibis.cases"
        + PROMISE,
    ),
    "15, and what else may be a view": (
        lambda t: t.con.table("late").join(t.visit, "person_id"),
        "table 'late' is a view of your database, which headcount cannot look into. Fix: its definition as an Ibis "
        "expression; for a file or a frame, con.create_table('late', ...)",
    ),
}
"""The fifteen sentences by their numbers in the specification (the eighth has a test of its own): word by word, but for
what a key says after its number."""
PLACE = re.compile(r"the view(, step \d+ of \d+|, its tables)?: ")


@pytest.mark.every_case
@pytest.mark.parametrize("number", FIFTEEN)
def test_fifteen_sentences(number: str, t: Any) -> None:
    make, sentence = FIFTEEN[number]
    with pytest.raises(NotATable) as refused:
        hc.view(make(t), user="person_id")
    assert PLACE.sub("", str(refused.value), count=1) == sentence


SENTENCES: dict[str, tuple[Callable[[Any], Any], str]] = {
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
    "std": (
        lambda t: t.visit.group_by("person_id").agg(x=_.kind.std()),
        "std(): nothing says that its last digits do not depend on the order of rows. Fix: count, nunique, min, max, "
        "median, quantile, or sum and mean of whole numbers",
    ),
    "window key": (
        lambda t: t.visit.mutate(n=_.count().over(group_by=["person_id", own(t.visit.kind)])),
        "a function of your own: headcount cannot look into it.",
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


def test_the_eighth_sentence(t: Any) -> None:
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
    assert str(refused.value).removesuffix(PROMISE) == (
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


OBJECTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a path": (lambda t: "visits.csv", 'hc.tables({"visits": "visits.parquet"}, user=...), for files'),
    "a named table": (
        lambda t: hc.table(t.visit, name="visits"),
        'what hc.table was given, and the name around the view: hc.table(hc.view(expression, ...), name="visits")',
    ),
    "several": (
        lambda t: [hc.table(t.visit), t.drug_era],
        'one expression that joins them: hc.view(visit.join(person, "person_id"), ...)',
    ),
    "a view": (lambda t: hc.view(t.visit, user="person_id"), "hc.view(expression, ...) once"),
    "a number": (lambda t: 7, 'con.table("visits"), with con = ibis.duckdb.connect("my.db")'),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_other_things_than_expressions(name: str, t: Any) -> None:
    make, fix = OBJECTS[name]
    with pytest.raises(NotATable) as refused:
        hc.view(make(t), user="person_id")
    assert str(refused.value).endswith(f": not an Ibis expression. Fix: {fix}")


def test_a_list_of_tables_is_no_data(t: Any) -> None:
    """Nor a dictionary of them; paths are."""
    for several in ([t.visit, t.drug_era], [hc.table(t.visit)], hc.table([t.visit, t.drug_era]), {"a": t.visit}):
        with pytest.raises(NotATable) as refused:
            hc.plan("histogram", several, user="person_id", by="kind", epsilon=1)
        assert str(refused.value).endswith(
            'several tables. Fix: one expression: hc.view(visit.join(person, "person_id"), ...); '
            "or files: hc.tables({...}, user=...)"
        )
    with pytest.raises(HeadcountError, match=r"public: hc.table\(\) is for data. Fix: public=\[con.table\(...\)\]"):
        hc.view(t.visit, user="person_id", public=[hc.table(t.concept)])
    with pytest.raises(HeadcountError, match=r'Fix: hc.tables\({"visits": "visits.parquet"}, user="person"\)'):
        hc.tables([hc.table(t.visit)], user="person_id")  # type: ignore[arg-type]


def test_tables_of_several_connections(t: Any) -> None:
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
