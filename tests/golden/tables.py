"""The tables that requests are about: public, the same on every machine, made of whole numbers alone."""

from datetime import date, timedelta
from functools import cache
from typing import Any

import pyarrow as pa

PEOPLE = 500
ITEMS = 40
MULTIPLIER, INCREMENT, MODULUS = 6364136223846793005, 1442695040888963407, 2**64
"""Of a linear congruential generator (Knuth, MMIX): no library's generator, which may change with its version."""


class Stream:
    """A fixed stream of whole numbers."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, limit: int) -> int:
        """The next number, from 0 up to but without the limit."""
        self._state = (self._state * MULTIPLIER + INCREMENT) % MODULUS
        return (self._state >> 33) % limit

    def skewed(self, limit: int) -> int:
        """The same with small numbers much more common than large ones."""
        return min(self.below(limit), self.below(limit), self.below(limit))


def _row(person: int, stream: Stream) -> dict[str, Any]:
    item = stream.skewed(ITEMS)
    return {
        "person": person,
        "item": f"item {item:02d}" if item else "été",
        "city": ("Rome", "Oslo", "Lima", "Quito")[stream.skewed(4)],
        "minutes": stream.skewed(600) / 4,
        "day": date(2024, 1, 1) + timedelta(days=stream.below(60)),
        "price": stream.skewed(5000) / 100,
    }


@cache
def visits() -> pa.Table:
    """People with few rows and with many, common and rare items, numbers, days and amounts."""
    stream = Stream(7)
    sizes = [1 + stream.skewed(20) + 60 * (person % 100 == 0) for person in range(PEOPLE)]
    return pa.Table.from_pylist([_row(person, stream) for person, size in enumerate(sizes) for _ in range(size)])


@cache
def odd() -> pa.Table:
    """The same rows with gaps and odd values in them; people are known by text."""
    rows, strange = visits().to_pylist(), (None, float("nan"), float("inf"), -1e300)
    for index, row in enumerate(rows):
        row["person"] = None if row["person"] % 50 == 7 else f"p{row['person']}"
        row["item"] = (None, "", "item 01 ", "ITEM 01")[index // 41 % 4] if index % 41 == 0 else row["item"]
        row["minutes"] = strange[index // 53 % 4] if index % 53 == 0 else row["minutes"]
        row["price"] = (None, -5.0, 1e300)[index // 59 % 3] if index % 59 == 0 else row["price"]
    return pa.Table.from_pylist(rows)


TABLES = {"visits": visits, "odd": odd}
