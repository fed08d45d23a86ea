"""Views of all rounds over prefixes by secure sums: the server, with the help of a person who tells."""

from collections.abc import Callable, Iterator
from functools import cache

from audits.views.secure_sum import recorded
from audits.views.view import People, View
from headcount.exact import Integers
from headcount.federated import SecureClient, Total
from headcount.federated.rounds import SecureHeavyHittersPlan, secure_heavy_hitters
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy

TELLS = 2
CROWD = (0, 12)
"""A crowd whose items the server knows is added to the first round: with it, a second one comes about as often as
not."""


@cache
def published() -> SecureHeavyHittersPlan:
    """Two rounds of two counts: of the empty item and what begins with `a`, then of `a` and `aa`."""
    return secure_heavy_hitters(
        "Which?", share="0.9", people=3, minimum=3, honest="2/3", alphabet="a", lengths=[1, 2], candidates=2, epsilon=1
    )


class SameNoise(SystemEntropy):
    """Noise that is the same in all rounds."""

    def __init__(self) -> None:
        self._known: list[Integers] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        if len(self._known) < 2:  # a share is the difference of two numbers
            self._known.append(super().draw(distribution, size))
            return self._known[-1]
        self._known = [*self._known[1:], self._known[0]]
        return self._known[-1]


def seen(people: People, entropy: Callable[[], Entropy]) -> list[int]:
    """What the server sees of both rounds, zeros for one that does not come; then the differences of their sums."""
    clients = [SecureClient(items, entropy=entropy()) for items in people]
    first, view = recorded(published().first, clients, tell=(TELLS,))
    sums = tuple(number + known for number, known in zip(first.sums, CROWD, strict=True))
    round_ = published().next_round([Total(first.round, first.answered, sums)])
    later = recorded(round_, clients, tell=(TELLS,))[1] if round_ else [0] * len(view)
    return [*view, *later, view[0] - later[0], view[1] - later[1]]


def with_noise(entropy: Callable[[], Entropy]) -> Callable[[People], list[int]]:
    """Rounds with people whose noise is of this kind."""
    return lambda people: seen(people, entropy)


def views() -> Iterator[View]:
    """What holds, then a mistake: the noise of both rounds cancels in the difference of their sums."""
    mine, empty = (("a",), (), ()), ((), (), ())
    delta = published().delta
    yield View("server of two rounds, an item or none", with_noise(SystemEntropy), mine, empty, delta=delta)
    same = with_noise(SameNoise)
    yield View("mistake: the same noise in both rounds", same, mine, empty, delta=delta, honest=False)
