"""Several of what a column holds."""

import pyarrow as pa
import pytest

import headcount as hc
from headcount.plural import plural

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
