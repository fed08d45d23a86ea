"""Views of rounds with a trusted aggregator: what an analyst sees of all rounds of a plan."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from audits.views.view import People, View
from headcount.exact import Integers
from headcount.federated import Client
from headcount.federated.rounds import HeavyHittersPlan, RoundsAnalyst, heavy_hitters
from headcount.federated.transport import MemoryTransport, collect
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy

ITEMS = ("x", "xa", "xb")
OTHERS: People = (("xa",),) * 30
"""Their prefix is seen in nearly every run."""


@cache
def published() -> HeavyHittersPlan:
    """Two rounds: prefixes of one character, then whole items."""
    return heavy_hitters("Which?", share="0.1", people=31, lengths=[1], epsilon=1, delta="0.02")


class SameCoins(SystemEntropy):
    """Coins that fall the same way in all rounds."""

    def __init__(self) -> None:
        self._known: Integers | None = None

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        if self._known is None or len(self._known) != size:
            self._known = super().draw(distribution, size)
        return self._known


def seen(transport: MemoryTransport) -> list[int]:
    """The counts of both rounds, 0 if hidden, and how many have a prefix and none of the items that are shown."""
    analyst = RoundsAnalyst(published())
    round_: Any = analyst.publish()
    while round_ is not None:
        round_ = analyst.next(collect(round_, transport))
    found = {item: count for result in analyst.results for item, count in result.counts}
    counts = [found.get(item, 0) for item in ITEMS]
    return [*counts, counts[0] - sum(counts[1:])]


def with_coins(entropy: Callable[[], Entropy]) -> Callable[[People], list[int]]:
    """Rounds with people whose coins are of this kind."""
    return lambda people: seen(MemoryTransport([Client(items, entropy=entropy()) for items in people]))


def views() -> Iterator[View]:
    """What holds, then mistakes: one coin for both rounds tells whether the only person with an item is there."""
    delta, own = published().delta, (("xb",),)
    fresh, same = with_coins(SystemEntropy), with_coins(SameCoins)
    yield View("analyst of two rounds, an item of one person", fresh, OTHERS + own, OTHERS, delta=delta)
    yield View("analyst of two rounds, a common item", fresh, OTHERS, OTHERS[1:], delta=delta)
    yield View("mistake: one coin for both rounds", same, OTHERS + own, OTHERS, delta=delta, honest=False)
