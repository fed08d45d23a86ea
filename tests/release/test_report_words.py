"""What a report says is true of the release: limits, intervals, open points, and delta beside the number of people."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.release.test_report import facts_of, read

import headcount as hc
from headcount.release.report.checklist import checklist
from headcount.release.report.delta import delta_sentences, delta_warnings
from headcount.release.report.limits import INCLUDED, NOTHING_CUT, PRIVATE

ORDERS = pa.table(
    {
        "customer": [row // 3 for row in range(6000)],
        "country": [f"country {row // 3 % 4}" for row in range(6000)],
        "price": [float(row % 50) for row in range(6000)],
    }
)
METRICS: dict[str, Any] = {"by": "country", "metrics": ["people", "sum(price)", "mean(price)"]}
LIMIT, CHOICE = "Is there a limit on what one person adds?", "How was that limit chosen?"
PRIVATELY, GIVEN = "From the data, privately", "It was given: bound="
KEYS: dict[str, Any] = {"keys": ["country 0", "country 1"]}
LIMITS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "aggregate": ("aggregate", METRICS, PRIVATE, PRIVATELY),
    "aggregate of a list": ("aggregate", {**METRICS, "keys": ["country 1"]}, PRIVATE, PRIVATELY),
    "aggregate, bound given": (
        "aggregate",
        {"by": "country", "metrics": "sum(price)", "bound": {"sum(price)": 90}},
        "were given",
        GIVEN,
    ),
    "sum": ("total", {"sum": "price"}, PRIVATE, PRIVATELY),
    "sums of items": ("histogram", {"by": "country", "sum": "price"}, PRIVATE, PRIVATELY),
    "people": ("total", {"count": "users"}, NOTHING_CUT, "It follows from the question."),
    "rows": ("total", {"bound": 3}, "counts at most 3 times. The intervals do not include what that", GIVEN),
    "chosen": ("histogram", {"by": "country"}, INCLUDED, PRIVATELY),
    "given": ("histogram", {"by": "country", "bound": 2}, "at most 2 times in all", GIVEN),
    "known, chosen": (
        "histogram",
        {"by": "country", **KEYS},
        "headcount cuts nothing.",
        "It follows from the question.",
    ),
    "known, given": ("histogram", {"by": "country", **KEYS, "bound": 5}, NOTHING_CUT, GIVEN),
    "weighted": ("histogram", {"by": "country", "mechanism": "weighted"}, "counts as 1", PRIVATELY),
    "top": ("top", {"by": "country", "k": 2}, "No limit on the number of items.", "There is none to choose."),
    "profile": ("profile", {"by": "country"}, NOTHING_CUT, "It follows from the question."),
    "quantiles": ("quantiles", {"value": "price", "range": (0, 50), "bound": 2}, "at most 2 times in all", GIVEN),
    "shape": ("shape", {"by": "country"}, "at most once in all", "It follows from the question."),
}


@pytest.mark.parametrize("kind", LIMITS)
def test_limits_are_those_of_the_release(kind: str) -> None:
    job, arguments, limit, choice = LIMITS[kind]
    release = getattr(hc, job)(ORDERS, user="customer", epsilon=1, **arguments)
    lines = {line.question: line for line in checklist(facts_of(release))}
    assert limit in lines[LIMIT].answer
    assert lines[CHOICE].answer.startswith(choice)
    assert lines[CHOICE].open == (choice == GIVEN)
    assert lines[LIMIT].answer.startswith("No" if kind == "top" else "Yes. ")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of three statistics of each country."""
    release = hc.aggregate(ORDERS, user="customer", epsilon=1, **METRICS)
    return read(release.report(tmp_path_factory.mktemp("report") / "r.html"))


def test_a_page_says_what_its_numbers_are(text: str) -> None:
    for words in (
        PRIVATE,
        "Each interval by itself should hold in about 19 of 20 cases. That was measured on other tables, not proved",
        "A few people (up to ",
        "counts and sums would be too small, means wrong. The intervals cover that only as far as it can be estimated",
        "mean(price) is per row: a person with many rows counts many times.",
    ):
        assert words in text
    true = "The intervals are for the true values, which anyone with all rows could compute."
    doubts = "Values are at least about this: ", "Values are uncertain: "
    assert any(words in text for words in (true, *doubts))  # as the noise was
    wrong = ("one or two may miss", "go unseen", "This may fail", "Why you may look", "everything is included")
    for words in (*wrong, "people_low people_high"):
        assert words not in text.partition("Two worlds")[0]


@pytest.mark.parametrize(
    ("arguments", "proved"),
    [({"bound": 2}, True), ({**KEYS, "bound": 5}, True), ({}, False), ({"mechanism": "weighted"}, False)],
)
def test_how_many_intervals_may_miss_is_said_only_where_it_is_proved(
    arguments: dict[str, Any], proved: bool, tmp_path: Path
) -> None:
    """With a bound that is given, intervals follow from the law of the noise; with one that is chosen, coverage was
    measured."""
    release = hc.histogram(ORDERS, user="customer", by="country", epsilon=1, **arguments)
    assert release.table.num_rows > 1
    words = read(release.report(tmp_path / "r.html"))
    assert ("one or two may miss" in words) == proved
    assert ("measured on other tables, not proved" in words) != proved


def test_open_points_stand_at_the_top_and_their_number_is_right(text: str) -> None:
    start = text.index("Before you approve: ")
    assert start < text.index("The numbers")
    assert f"Before you approve: {text.count('For you to answer.')} points" in text
    assert "Analyst. Not recorded." in text[start:]


def test_each_statistic_is_one_column_with_its_interval(text: str) -> None:
    assert "country people sum(price) mean(price) country " in text


def test_delta_is_compared_with_the_people_that_are_shown() -> None:
    release = hc.aggregate(ORDERS, user="customer", epsilon=1, **METRICS)
    facts = facts_of(release)
    assert facts.people is not None
    assert str(facts.people) == f"about {sum(release['people'].to_pylist()):,}"
    assert delta_warnings(facts) == []
    assert delta_sentences(facts)[1].startswith(f"With {facts.people} people (the groups shown, added up")
    assert facts_of(hc.aggregate(ORDERS, user="customer", by="country", metrics="events", epsilon=1)).people is None


def test_a_mean_per_person_is_not_one_of_rows(tmp_path: Path) -> None:
    release = hc.aggregate(ORDERS, user="customer", by="country", metrics="mean(price) per person", epsilon=1)
    assert "counts many times" not in read(release.report(tmp_path / "r.html"))
