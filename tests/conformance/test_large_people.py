"""People with too many rows for a list, on Spark: their pairs are rows of their own; all else is the same."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.engines import Seeded, kept, on_spark, people
from tests.conformance.test_engines import BOUNDINGS, CHOICES, KEYS, SECRET, Both, drawn, name, rows, told

import headcount as hc
from headcount.bound import Bounding, BoundSelection, ListedItems
from headcount.bound.boundings.draws import Draws, ExactDraws
from headcount.errors import BadParameter, ReadingFailed
from headcount.source.contributions import grouped

pytestmark = [pytest.mark.spark, pytest.mark.slow(sibling="test_releases")]

WAYS: dict[str, dict[str, Any]] = {"users": {}, "events": {"events": True}}
LISTS = 12
"""People in buckets of up to so many rows have lists."""


@pytest.fixture(scope="module")
def there(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return on_spark(spark, tmp_path_factory.mktemp("tables"))(people())


@pytest.fixture(scope="module")
def both(there: Any) -> Iterator[Both]:
    """What each person did, on DuckDB, and on Spark where some people have rows instead of lists."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouped, "MOST_ROWS", LISTS)
        yield {way: (kept(stack, people(), **how), kept(stack, there, **how)) for way, how in WAYS.items()}


@pytest.mark.parametrize("way", WAYS)
def test_some_people_have_rows_and_others_a_list(both: Both, way: str) -> None:
    """Each person has one kind, and is there once; a pair's place is its place in the order of items."""
    here, there = both[way]
    lengths = there.persons.mutate(length=there.persons[grouped.LIST].length())
    longest = rows(lengths.group_by("user").agg(rows=lengths.count(), length=lengths["length"].max()))[1]
    assert {1 in (each["rows"], each["length"]) for each in longest} == {True}
    assert max(each["rows"] for each in longest) > 1
    assert max(each["length"] for each in longest) > 1
    assert rows(grouped.each_once(there.persons).select(*here.persons.columns))[1] == rows(here.persons)[1]
    pairs = rows(there.of(grouped.per_person(there.persons)))[1]
    ordered = sorted(pairs, key=lambda pair: (pair["user"], pair["item0"].encode()))
    assert ordered == sorted(pairs, key=lambda pair: (pair["user"], pair["place"]))
    assert {pair["place"] for pair in pairs if pair["user"] == ordered[0]["user"]} == set(
        range(1, 1 + sum(pair["user"] == ordered[0]["user"] for pair in pairs))
    )


@pytest.mark.parametrize(("what", "bounding"), [each for each in BOUNDINGS if each[0] in WAYS], ids=name)
def test_bounded_counts(both: Both, what: str, bounding: Bounding) -> None:
    keys = KEYS if isinstance(bounding, Draws | ExactDraws | ListedItems) else None
    here, there = (drawn(bounding.bound(each, SECRET, keys)) for each in both[what])
    assert here == there


@pytest.mark.parametrize(("what", "choice"), [each for each in CHOICES if each[0] in WAYS], ids=name)
def test_statistics(both: Both, what: str, choice: BoundSelection[Any]) -> None:
    here, there = (told(choice.look(each)) for each in both[what])
    assert here == there


@pytest.mark.parametrize(
    "asked",
    [{}, {"mechanism": "thresholded", "bound": "auto"}, {"count": "events", "bound": 2}, {"by": ["item", "city"]}],
    ids=str,
)
def test_releases(there: Any, asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes of DuckDB."""
    monkeypatch.setattr(grouped, "MOST_ROWS", LISTS)
    wanted = {"user": "user", "by": "item", "epsilon": 2, **asked}
    found = [
        hc.plan("histogram", hc.table(data, name="events"), **wanted).release(entropy=Seeded()).content
        for data in (people(), there)
    ]
    assert found[0] == found[1]


def test_only_the_largest_buckets_have_rows(there: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouped, "MOST_ROWS", LISTS)
    monkeypatch.setattr(grouped, "MOST_BUCKETS", 2)
    with ExitStack() as stack:
        persons = kept(stack, there).persons
        grouping = persons.mutate(bucket=grouped._bucket(persons)).group_by("user", "bucket")
        found = rows(grouping.agg(rows=lambda each: each.count()))[1]
    assert len({each["bucket"] for each in found if each["rows"] > 1}) == 2


def test_rows_are_rehearsed(there: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What an engine cannot do for people with many rows is refused before a charge, whether or not there are any."""

    def failing(*_pairs: Any, **_said: Any) -> Any:
        raise ReadingFailed("it cannot", fix="another engine")

    monkeypatch.setattr(grouped, "_rows", failing)
    ledger = hc.Ledger(tmp_path / "l.db", epsilon=9, delta=1e-5)
    with pytest.raises(BadParameter, match="not even on no rows"):
        hc.histogram(hc.table(there, name="events"), user="user", by="item", epsilon=1.25, ledger=ledger)
    assert list(ledger.spends()) == []
