"""A histogram without its labels: the number of items by number of people."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from headcount.account.events import Event
from headcount.estimate.shape.table import MAX_BUCKETS
from headcount.release import pictures
from headcount.release.about import About
from headcount.release.plain import is_number, is_positive, is_whole, parse_object, refuse
from headcount.release.views.layout import Layout
from headcount.release.views.view import View

COLUMNS = ("count", "low", "high", "items", "at_least", "at_least_low", "at_least_high")
MAX_STEPS = 2**24
"""Limit on rows and columns of a staircase, which has about the square root of all contributions."""
MAX_SHARES = 2**20
"""Limit on the shape of noise that people added up, as a multiple of what one release needs."""
STAIRCASE = {"rows", "columns", "scale"}
"""Parameters of a staircase of version 0.8; later ones have more."""
INTERVAL = {"low", "high", "listed"}
"""The interval of its number of items, and the length of the public list, of version 0.9; later ones have the number of
people, if it is public."""
BUCKETS = {"cells", "hashed", "noise", "empty", "enough"}
"""Parameters of buckets of version 0.10; later ones say how many are certain."""


class ShapeView(View):
    """Counts by rank; no item is named."""

    def check_about(self, about: About, events: Sequence[Event]) -> None:
        """Refuse parameters of the uncertainty that cannot be."""
        plain = parse_object(about.measured, "measured")
        if not (_is_staircase(plain) if plain.keys() >= STAIRCASE else _are_buckets(plain)):
            refuse("measured")

    def check_rows(self, table: pa.Table, about: About) -> None:
        """Refuse counts that do not fall, and an `at_least` that is not the running sum of `items`."""
        counts, items, at_least = (table[name].to_pylist() for name in ("count", "items", "at_least"))
        total = 0
        for place, (count, several, there) in enumerate(zip(counts, items, at_least, strict=True)):
            total += several
            if count < 1 or several < 1 or there != total or (place and count >= counts[place - 1]):
                refuse("counts that do not fall")
        if total >= 2**62 or sum(count * several for count, several in zip(counts, items, strict=True)) >= 2**62:
            refuse("more than there can be")

    def picture(self, table: pa.Table, about: About, options: "pictures.Options") -> "pictures.Scene":
        """Counts by rank, with their confidence band."""
        return pictures.curve.ranks(table, about, options)

    def chart(self, table: pa.Table, about: About, most: int) -> "pictures.Marks":
        """Counts by rank."""
        return pictures.vega.ranks, table


def _is_staircase(plain: dict[str, Any]) -> bool:
    sound = all(is_whole(plain[name], MAX_STEPS) for name in ("rows", "columns")) and is_positive(plain["scale"])
    return sound and (plain.keys() == STAIRCASE or _has_interval(plain))


def _has_interval(plain: dict[str, Any]) -> bool:
    known = plain.keys() - {"people"} == STAIRCASE | INTERVAL
    numbers = (plain[name] for name in ("listed", "people") if name in plain)
    public = known and all(number is None or is_whole(number, 2**62) for number in numbers)
    return public and all(is_number(plain[end]) and plain[end] >= 0 for end in ("low", "high"))


def _are_buckets(plain: dict[str, Any]) -> bool:
    if plain.keys() - {"certain"} != BUCKETS:
        return False
    sound = is_whole(plain["cells"], MAX_BUCKETS) and is_whole(plain["enough"], MAX_BUCKETS)
    sound = sound and is_whole(plain.get("certain", 0), plain["cells"]) and isinstance(plain["hashed"], bool)
    return sound and is_number(plain["empty"]) and 0 <= plain["empty"] <= 1 and _is_noise(plain["noise"])


def _is_noise(plain: Any) -> bool:
    """True for one or two pairs of a scale and a shape."""
    pairs = plain if isinstance(plain, list) and 1 <= len(plain) <= 2 else [None]
    return all(
        isinstance(pair, list) and len(pair) == 2 and all(map(is_positive, pair)) and pair[1] <= MAX_SHARES
        for pair in pairs
    )


SHAPE = ShapeView("shape", Layout(columns=COLUMNS))
