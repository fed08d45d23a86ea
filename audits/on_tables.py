"""Tables of many people, read and bounded as in a release: the neighbours on which a whole release is attacked.

Everybody in the crowd has four of sixteen items, so all of these are shown. What differs between the neighbours is one
person, who adds as much as one can in some way.
"""

from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import numpy as np
import pyarrow as pa

from audits.specimen import ONE, Pair, People
from headcount.account.events import Neighbours
from headcount.bound import BoundedRounds, Split
from headcount.bound.boundings.shown import PublicItems
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.statistics import Sizes
from headcount.exact import Floats, Integers
from headcount.mechanism import Noisy, NoisyTwice
from headcount.source import Contributions, contributions, open_events
from headcount.source.contributions.contributions import ReadPlan

B = TypeVar("B", bound=BoundedRounds)
LETTERS = "abcdefghijklmnop"
FOUR = tuple("abcd")
CROWD: People = tuple(tuple(sorted((LETTERS * 2)[first : first + 4])) for first in range(16)) * 15
"""Each of sixteen items has sixty people."""
SLOW = 20
"""The factor by which there are fewer runs than of other specimens."""
PEOPLE: dict[str, tuple[Neighbours, tuple[tuple[str, ...], ...]]] = {
    "one more": ("add-remove", (FOUR,)),
    "an own item": ("add-remove", (("a", "own"),)),
    "own items alone": ("add-remove", (tuple(f"own {number}" for number in range(8)),)),
    "every item": ("add-remove", (tuple(LETTERS),)),
    "another": ("replace", (tuple(LETTERS), FOUR)),
}
"""The person who is there or not; or the two of whom one is."""


def pair_of(people: tuple[tuple[str, ...], ...]) -> Pair:
    """The crowd and the person who is there or not; or with one of the two."""
    left, right = ((person,) for person in people) if len(people) > 1 else (people, ())
    return CROWD + left, CROWD + right


def released(noisy: Noisy, unit: int) -> dict[str, object]:
    """What one person may show in: the list, one count, the sum of all, and the same of the second measurement; in
    whole people, as an audit learns more from values that occur again."""
    items = noisy.items["item0"].to_pylist()
    found: dict[str, object] = {"items": items, **_one_and_all("first", noisy.values / unit)}
    if isinstance(noisy, NoisyTwice):
        again = noisy.second
        found |= {"bound again": again.bound_squared, "clipped": round(float(again.clipped.values[0]))}
        found |= _one_and_all("again", again.totals.values)
    return found


def _one_and_all(name: str, values: Floats) -> dict[str, object]:
    return {f"{name}, one": np.rint(values[:1]).tolist(), f"{name}, all": round(float(values.sum()))}


def read(people: People) -> Contributions:
    """What people did, on an engine."""
    rows = [(number, item) for number, person in enumerate(people) for item in person]
    table = pa.table({"user": [user for user, _ in rows], "item": [item for _, item in rows]})
    return contributions(open_events(table, ["user", "item"]).table(), [None], events=False, keys=None)


@lru_cache(maxsize=64)
def sizes(people: People) -> Sizes:
    """How many items people have."""
    with read(people).read(ReadPlan(encoded=True)) as pairs:
        return FromProfile(ONE, "add-remove", 1).look(pairs)


def remembering(bounded: B) -> B:
    """The same, each look at a list of items being computed once."""

    @lru_cache(maxsize=10_000)
    def spread(mask: bytes, split: Split) -> Integers:
        return bounded.spread(np.frombuffer(mask, dtype=bool), split)

    @lru_cache(maxsize=10_000)
    def look_again(mask: bytes) -> PublicItems:
        return bounded.look_again(np.frombuffer(mask, dtype=bool))

    return replace(
        bounded,
        spread=lambda mask, split: spread(mask.tobytes(), split),
        look_again=lambda mask: look_again(mask.tobytes()),
    )
