"""Views in which each person has at most one row, by construction: the bound is 1, nothing is spent on choosing it."""

from collections.abc import Callable
from typing import Any

import ibis
import pytest

import headcount as hc
from headcount.noise import KeyedEntropy
from headcount.source.views.certificate import ONE_ROW
from headcount.source.views.uniqueness import uniques

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._


def fixed() -> KeyedEntropy:
    return KeyedEntropy(bytes(range(32)))


@pytest.fixture(scope="module")
def con() -> Any:
    connection = ibis.duckdb.connect()
    for text in (
        "visit AS SELECT if(i % 11 = 0, NULL, i % 701) AS person, (hash(i) % 5)::BIGINT AS ward, i AS day "
        "FROM range(3000) t(i)",
        "person AS SELECT i AS person, 'f' AS gender FROM range(701) t(i)",
        "ward AS SELECT i % 5 AS ward, 'w' || i AS name FROM range(10) t(i)",
    ):
        connection.raw_sql(f"CREATE TABLE {text}")
    return connection


def _first(visit: Any, order: str = "day") -> Any:
    return visit.mutate(n=ibis.row_number().over(group_by="person", order_by=order))


View = Callable[[Any, Any, Any], Any]
ONE: dict[str, View] = {
    "group-by": lambda visit, person, ward: visit.group_by("person").agg(n=_.count()),
    "group-by, then more": lambda visit, person, ward: (
        visit.group_by("person").agg(n=_.count()).filter(_.n > 1).mutate(twice=_.n * 2).order_by("n")
    ),
    "renamed": lambda visit, person, ward: visit.group_by("person").agg(n=_.count()).rename(x="n").drop_null("x"),
    "users alone": lambda visit, person, ward: visit.select("person").distinct(),
    "the first row": lambda visit, person, ward: _first(visit).filter(_.n == 0),
    "the first row, at once": lambda visit, person, ward: visit.filter(
        ibis.row_number().over(group_by="person", order_by="day") == 0
    ),
    "a group of one value": lambda visit, person, ward: (
        visit.group_by("person", "ward").agg(n=_.count()).filter(_.ward == 3)
    ),
    "joined with one row": lambda visit, person, ward: (
        visit.group_by("person").agg(n=_.count()).join(_first(person, "gender").filter(_.n == 0).drop("n"), "person")
    ),
    "joined with a public group-by": lambda visit, person, ward: (
        visit.group_by("person").agg(ward=_.ward.max()).left_join(ward.group_by("ward").agg(m=_.name.max()), "ward")
    ),
    "those who are in a list": lambda visit, person, ward: (
        visit.group_by("person").agg(n=_.count()).semi_join(person, "person")
    ),
    "the right side": lambda visit, person, ward: (
        person.group_by("person").agg(k=_.count()).right_join(visit.group_by("person").agg(n=_.count()), "person")
    ),
}
MORE: dict[str, View] = {
    "a group-by with more": lambda visit, person, ward: visit.group_by("person", "ward").agg(n=_.count()),
    "a join with many": lambda visit, person, ward: (
        visit.group_by("person").agg(ward=_.ward.max()).left_join(ward, "ward")
    ),
    "a cross join": lambda visit, person, ward: visit.group_by("person").agg(n=_.count()).cross_join(ward),
    "rows of people": lambda visit, person, ward: visit.group_by("person").agg(n=_.count()).join(visit, "person"),
    "a union": lambda visit, person, ward: visit.select("person").distinct().union(visit.select("person").distinct()),
    "places alone": lambda visit, person, ward: _first(visit).filter(_.n < 2),
    "a place of other rows": lambda visit, person, ward: visit.mutate(
        n=ibis.row_number().over(group_by=["person", "ward"], order_by="day")
    ).filter(_.n == 0),
    "a place, computed": lambda visit, person, ward: _first(visit).mutate(n=_.n % 2).filter(_.n == 0),
    "the rank of a row": lambda visit, person, ward: visit.filter(
        ibis.rank().over(group_by="person", order_by="ward") == 0
    ),
    "distinct rows": lambda visit, person, ward: visit.select("person", "ward").distinct(),
    "rows of one ward": lambda visit, person, ward: visit.filter(_.ward == 3),
}


def _view(con: Any, expression: View) -> Any:
    found = expression(*map(con.table, ("visit", "person", "ward")))
    public = ["ward"] if "ward" in {leaf.name for leaf in found.op().find(ibis.expr.operations.DatabaseTable)} else []
    return hc.view(found, user="person", public=public)


def _most(con: Any, view: Any, user: str) -> int:
    rows = view.certified(user)[1].group_by(user).agg(n=_.count())
    return int(rows.n.max().execute())


@pytest.mark.parametrize("name", ONE)
def test_one_row_each_is_seen_in_the_expression(con: Any, name: str) -> None:
    view = _view(con, ONE[name])
    user = view.people()[-1]
    assert view.certified(user)[0].one_row
    assert _most(con, view, user) == 1


@pytest.mark.parametrize("name", MORE)
def test_more_rows_are_never_taken_for_one(con: Any, name: str) -> None:
    """Somebody has more: what is not known is not claimed."""
    view = _view(con, MORE[name])
    assert not view.certified("person")[0].one_row
    assert _most(con, view, "person") > 1


ASKED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "histogram": ("histogram", {"by": "ward"}, {"bound": 1}),
    "events": ("histogram", {"by": "ward", "count": "events"}, {"bound": 1}),
    "keys": ("histogram", {"by": "ward", "keys": [0, 1, 2, 3, 4]}, {"bound": 1}),
    "total": ("total", {}, {"bound": 1}),
    "quantiles": ("quantiles", {"value": "day", "range": (0, 3000)}, {"bound": 1}),
    "aggregate": (
        "aggregate",
        {"by": "ward", "keys": [0, 1, 2, 3, 4], "metrics": ["people", "events"]},
        {"bound": {"people": 1, "events": 1}},
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_bound_is_1_without_choosing(con: Any, name: str) -> None:
    """Byte for byte the release of bound=1; nothing is paid for a choice, and intervals are for the true values."""
    job, asked, bound = ASKED[name]
    view = _view(con, ONE["the first row"])
    plan, given = (
        hc.plan(job, hc.table(view, name="visits"), user="person", epsilon=1, **{**asked, **more})
        for more in ({}, bound)
    )
    assert plan.to_json() == given.to_json()
    release = plan.release(entropy=fixed())
    assert release.content == given.release(entropy=fixed()).content
    assert plan.selection is None
    assert ONE_ROW in " ".join(str(plan).split())
    assert ONE_ROW in " ".join(release.explain().split())
    assert release.about.estimand == "true"
    assert f"contains the true {plan.job.quantity} in 95% of cases. " in " ".join(release.explain().split())


@pytest.mark.parametrize("name", ["keys", "aggregate"])
def test_a_table_of_the_same_rows_says_nothing_of_the_kind(con: Any, name: str) -> None:
    """The rows themselves give the same numbers with bound=1; that nobody has more is then not known."""
    job, asked, bound = ASKED[name]
    view = _view(con, ONE["the first row"])
    rows = con.create_table(f"rows_{name}", view.certified("person")[1])
    found = [
        hc.plan(job, hc.table(data, name="visits"), user="person", epsilon=1, **asked, **bound).release(entropy=fixed())
        for data in (view, rows)
    ]
    assert found[0].table.equals(found[1].table)
    assert found[1].about.estimand == "bounded"
    assert ONE_ROW not in found[1].explain()


@pytest.mark.parametrize(
    ("job", "asked"),
    [
        ("histogram", {"by": "ward", "sum": "day"}),
        ("histogram", {"by": "ward", "bound": 3}),
        ("histogram", {"by": "ward", "mechanism": "joint"}),
        ("histogram", {"by": "ward", "bound": hc.ChosenBound(share=0.2), "keys": [1, 2]}),
        ("total", {"sum": "day"}),
        ("aggregate", {"by": "ward", "metrics": ["people", "sum(day)"]}),
        ("aggregate", {"by": "ward", "metrics": ["people"], "keys": [1, 2], "delta": 0}),
    ],
)
def test_what_was_asked_for_stays(con: Any, job: str, asked: dict[str, Any]) -> None:
    """A bound of rows is none of amounts, and what is given stays."""
    view = _view(con, ONE["the first row"])
    plan = hc.plan(job, view, user="person", epsilon=1, **asked)
    assert plan.job == hc.plan(job, con.table("visit"), user="person", epsilon=1, **asked).job


def test_a_wrong_certificate_cuts_rows_and_nothing_else(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person with many rows counts once: the noise is for one row, so no more may be let through."""
    visit = con.table("visit")
    monkeypatch.setattr("headcount.source.views.certificate.uniques", lambda node: {frozenset({"person"})})
    many = hc.view(visit.mutate(x=ibis.row_number().over(group_by="person", order_by="day")), user="person")
    plan = hc.plan("histogram", many, user="person", by="ward", keys=[0, 1, 2, 3, 4], epsilon=100)
    assert plan.certificate is not None
    assert plan.certificate.one_row
    assert sum(plan.release(entropy=fixed()).table["count"].to_pylist()) < 710


def test_a_wanted_error_needs_no_bound(con: Any) -> None:
    view = _view(con, ONE["group-by"])
    plan = hc.plan("histogram", view, user="person", by="n", keys=[1, 2, 3], target_error=10)
    assert plan.error <= 10


def test_joins_with_itself_take_no_exponential_time(con: Any) -> None:
    """Each relation is looked at once, though each step uses the one before twice."""
    table = con.table("visit").group_by("person").agg(n=_.count())
    for _step in range(40):
        table = table.join(table.view().select("person"), "person")
    assert frozenset({"person"}) in uniques(table.op())


def test_copies_of_many_columns_take_no_exponential_time(con: Any) -> None:
    numbered = con.table("visit").mutate(**{f"c{place}": _.day + place for place in range(40)}).distinct()
    copied = numbered.mutate(**{f"d{place}": numbered[f"c{place}"] for place in range(40)})
    assert frozenset(numbered.columns) in uniques(copied.op())
