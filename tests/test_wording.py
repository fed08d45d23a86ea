"""How names and numbers are shown to people."""

import pyarrow as pa
import pytest

import headcount as hc
from headcount.wording import counted_noun, format_number, plural, times

SEVERAL = {
    "song": "songs",
    "country": "countries",
    "City": "Cities",
    "day": "days",
    "address": "addresses",
    "status": "statuses",
    "box": "boxes",
    "branch": "branches",
    "words": "words",
    "person": "people",
    "URL": "URLs",
    "song_id": "values of song_id",
    "songId": "values of songId",
    "été": "values of été",
    "item2": "values of item2",
    "country and day": "values of country and day",
}


@pytest.mark.parametrize("name", SEVERAL)
def test_plurals(name: str) -> None:
    assert plural(name) == SEVERAL[name]


def test_a_plan_speaks_of_countries() -> None:
    told = str(hc.plan("histogram", pa.table({"user": [1], "country": ["FR"]}), user="user", by="country", epsilon=1))
    assert "countries" in told
    assert "countrys" not in told


def test_counts_are_told_with_their_noun() -> None:
    assert [times(count) for count in (1, 2, 1000)] == ["once", "2 times", "1,000 times"]
    assert [counted_noun(count, "sample") for count in (1, 1000)] == ["1 sample", "1,000 samples"]
    assert [format_number(value) for value in (0.12345, 99.95, 100.4, 12345.6)] == ["0.123", "100", "100", "12,346"]
