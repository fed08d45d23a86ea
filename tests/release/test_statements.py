"""Reports find the steps of a release by their kind: whatever their words are, every kind is shown in its place."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import ibis
import pyarrow as pa
import pytest
from tests.release.test_report import facts_of, read
from tests.release.test_report_words import LIMIT, LIMITS, METRICS, ORDERS

import headcount as hc
from headcount.release import About, Release, open_release, pack
from headcount.release.report.checklist import checklist
from headcount.release.report.meaning import NOT_PROVED
from headcount.release.size import NotARelease
from headcount.source.queries.step import PROMISE
from headcount.wording.statement import Kind

KEYS = [f"country {number}" for number in range(4)]
HEAVY = pa.table({"customer": range(3000), "price": [1.0] * 2990 + [3000.0] * 10})
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    **{kind: (job, arguments) for kind, (job, arguments, _, _) in LIMITS.items()},
    "ratio": ("histogram", {"by": "country", "keys": KEYS, "count": "events"}),
    "distribution": ("distribution", {"by": "country", "keys": KEYS}),
    "heavy hitters": ("heavy_hitters", {"by": "country", "share": 0.1, "people": "count"}),
}
INTERVALS: tuple[Kind, ...] = ("interval", "measured interval", "uncut interval")


def released(job: str, arguments: dict[str, Any]) -> Release:
    found: Release = getattr(hc, job)(ORDERS, user="customer", epsilon=1, **arguments)
    return found


def reworded(release: Release) -> About:
    """The same with other words for every step: a number that occurs nowhere else."""
    return replace(release.about, steps=tuple(f"Step no. 77{index:02}." for index in range(len(release.about.steps))))


@pytest.mark.parametrize("name", ASKED)
def test_a_report_shows_each_step_in_its_place_whatever_its_words(name: str, tmp_path: Path) -> None:
    about = reworded(release := released(*ASKED[name]))
    words = dict(zip(about.kinds, about.steps, strict=True))
    facts = facts_of(release, steps=about.steps)
    page = read(Release(pack(release.table, about), fresh=True).report(tmp_path / "r.html"))
    answers = {line.question: line.answer for line in checklist(facts)}
    assert ("bounding" not in words) or words["bounding"] in answers[LIMIT]
    assert [page.count(words[kind]) for kind in INTERVALS if kind in words] == [2]  # above the numbers, and in the list
    assert all(step in page for step in about.steps)
    assert (NOT_PROVED in page) == ("measured interval" in words and bool(about.interval))
    assert facts.stated == words["guarantee"]


def test_every_kind_of_step_occurs_and_is_shown(tmp_path: Path) -> None:
    """Also those of a query, of a view, of a long tail, and of what intervals cannot hold."""
    query = ibis.memtable(ORDERS).group_by("customer", "country").agg(price=lambda rows: rows["price"].sum())
    promised = hc.histogram(hc.table(query, promise=PROMISE, name="orders"), user="customer", by="country", epsilon=1)
    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TABLE orders AS SELECT i % 900 AS customer, i % 3 AS country FROM range(2000) t(i)")
    proved = connection.table("orders").group_by("customer").agg(country=lambda rows: rows["country"].max())
    viewed = hc.histogram(proved, user="customer", by="country", epsilon=1)
    heavy = hc.total(HEAVY, user="customer", sum="price", epsilon=1)
    found = [promised, viewed, heavy, *(released(*asked) for asked in ASKED.values())]
    for release in found:
        page = read(release.report(tmp_path / "r.html"))
        assert all(step in page for step in release.about.steps)
    assert {kind for release in found for kind in release.about.kinds} == set(get_args(Kind))


def test_means_are_described_as_measured(tmp_path: Path) -> None:
    about = released("aggregate", METRICS).about
    assert about.kinds[-1] == "guarantee"
    assert about.steps_of("measured interval")
    assert about.steps_of("interval") == []


@pytest.mark.parametrize("kinds", [("reading",), ("no such kind",) * 9])
def test_kinds_that_do_not_fit_are_refused(kinds: tuple[str, ...]) -> None:
    release = released("total", {"bound": 1})
    with pytest.raises(NotARelease):
        open_release(pack(release.table, replace(release.about, kinds=kinds)), fresh=False)


def test_releases_without_kinds_are_read_by_their_words() -> None:
    """As versions up to 0.10 wrote them."""
    release = released("histogram", {"by": "country", "bound": 2})
    before = facts_of(release, kinds=())
    assert before.about.steps_of("bounding") == release.about.steps_of("bounding") != []
    assert before.about.steps_of(*INTERVALS) == release.about.steps_of(*INTERVALS) != []
    assert before.stated == release.about.guarantee
    assert replace(release.about, steps=(), kinds=()).steps_of("reading", "guarantee") == []
