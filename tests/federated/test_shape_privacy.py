"""What people's shares let out, exactly on tiny populations, and by an audit of what comes out of the shuffler.

All draws of a client are enumerated, so that the law of its messages is known. Clients draw independently, so the law
of all messages is a convolution. It is the one of the proof, and its delta is the price. Clients that get something
wrong (no pairs, shares that are too small, clusters that can be told apart, a wrong sign) are found out.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from headcount.account.composition.cost import native
from headcount.account.curves import shuffling
from headcount.account.events import Laplace, Neighbours, ShuffledLaplace
from headcount.audit import Outcomes, audit, delta
from headcount.audit.choices import Enumerated, Path, Undecided, explore, probabilities
from headcount.exact import Integers
from headcount.federated import Refused, SecureSum, ShapeClient, ShapeRound, Shares, Shuffler
from headcount.federated.shape.client import bucket_of
from headcount.federated.shape.messages import Way
from headcount.noise import NoiseDistribution
from headcount.noise.poisson import LogSeries, Poisson
from tests.federated.people import ID

ONE, HALF = Fraction(1), Fraction(1, 2)
Seen = tuple[int, ...]
"""Messages of +1 in each bucket, then of -1; or, of a secure sum, what they add up to."""


def promised(
    *noise: Fraction,
    people: int,
    epsilon: Fraction,
    buckets: int = 1,
    neighbours: Neighbours = "add-remove",
    honest: Fraction = ONE,
    way: Way = "shuffle",
) -> ShapeRound:
    """A round whose delta is its price: `noise` is the scale, and shape and scale of the pairs."""
    scale, shape, spread = noise if way == "shuffle" else (*noise, Fraction(0), Fraction(0))
    event = ShuffledLaplace(scale, shape, spread, neighbours, epsilon) if way == "shuffle" else Laplace(scale, ONE)
    asked = ID, "Which?", people, honest, buckets, ID, scale, shape, spread, neighbours, epsilon
    return ShapeRound(*asked, native(event).delta, way)


def items(asked: ShapeRound) -> list[str]:
    """An item of every bucket."""
    by_bucket = {bucket_of(str(number), asked): str(number) for number in range(100)}
    return [by_bucket[bucket] for bucket in range(asked.buckets)]


# Every draw of a client


class Rough(Enumerated):
    """Choices whose path has become unlikely are left undecided, all together."""

    def __init__(self, path: Path, minimum: Fraction) -> None:
        super().__init__(path, minimum)
        self._least = minimum

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return distribution.values(np.array([self._one(distribution) for _ in range(size)], dtype=np.int64))

    def _one(self, distribution: NoiseDistribution) -> int:
        left_out = HALF
        while left_out * self._path.weight > self._least:
            left_out /= 4
        weights = probabilities(distribution, left_out)
        choice = self._path.choose(weights)
        if choice == len(weights) - 1:
            raise Undecided
        return choice


def tallied(asked: ShapeRound, messages: Sequence[tuple[int, int]]) -> Seen:
    """What a shuffler, or a secure sum, tells of them."""
    counts = np.zeros((2, asked.buckets), dtype=np.int64)
    for bucket, amount in messages:
        counts[int(amount < 0), bucket] += abs(amount)
    return tuple(counts.ravel().tolist() if asked.way == "shuffle" else (counts[0] - counts[1]).tolist())


@cache
def client_law(asked: ShapeRound, item: str | None, minimum: Fraction) -> dict[Seen, float]:
    """The law of one client's messages, from below."""
    chances: dict[Seen, Fraction] = defaultdict(Fraction)

    def run(path: Path) -> Seen:
        shares = ShapeClient(item, key=bytes(32), entropy=Rough(path, minimum)).answer(asked)
        return tallied(asked, shares.messages)

    for seen, weight in explore(run):
        if not isinstance(seen, Undecided):
            chances[seen] += weight
    return {seen: float(chance) for seen, chance in chances.items()}


def added(one: dict[Seen, float], other: dict[Seen, float]) -> dict[Seen, float]:
    """The law of the messages of both."""
    chances: dict[Seen, float] = defaultdict(float)
    for (first, weight), (second, more) in product(one.items(), other.items()):
        chances[tuple(map(int.__add__, first, second))] += weight * more
    return chances


def distribution(asked: ShapeRound, people: Sequence[str | None], minimum: Fraction) -> dict[Seen, float]:
    """The law of all messages, from below."""
    return reduce(added, (client_law(asked, item, minimum) for item in people))


# The law of the proof


def bucket_law(asked: ShapeRound, h: int, size: int) -> NDArray[np.float64]:
    """The chances of (U, V) of a bucket with h people."""
    noise = stats.nbinom.pmf(np.arange(size), 1, 1 - exp(-1 / asked.scale))
    pairs = stats.nbinom.pmf(np.arange(size), float(asked.shape), 1 - exp(-1 / asked.spread))
    seen = np.zeros((size, size))
    for z, chance in enumerate(pairs[: size - h]):
        seen[h + z :, z:] += chance * np.outer(noise[: size - h - z], noise[: size - z])
    return seen


def excess(found: dict[Seen, float], asked: ShapeRound, counts: Sequence[int]) -> float:
    """The most by which a chance is above that of the proof: none is, if the law is the same."""
    size = 2 + max(max(seen) for seen in found)
    distributions = [bucket_law(asked, h, size) for h in counts]

    def chance(seen: Seen) -> float:
        pairs = zip(seen[: len(counts)], seen[len(counts) :], strict=True)
        return float(np.prod([one[pair] for one, pair in zip(distributions, pairs, strict=True)]))

    return max(found[seen] - chance(seen) for seen in found)


def scaled(asked: ShapeRound, **factors: str) -> ShapeRound:
    """The same round with other noise."""
    values = {name: getattr(asked, name) * Fraction(factor) for name, factor in factors.items()}
    noise = [values.get(name, getattr(asked, name)) for name in ("scale", "shape", "spread")]
    return promised(*noise, people=asked.people, epsilon=asked.epsilon, buckets=asked.buckets)


TINY = promised(HALF, ONE, HALF, people=2, epsilon=Fraction(5, 2), buckets=2)
THREE = promised(HALF, ONE, HALF, people=3, epsilon=Fraction(5, 2), buckets=2)
LEAST = Fraction(1, 10**5)


@pytest.mark.parametrize("asked", [TINY, THREE], ids=["2 people", "3 people"])
def test_all_messages_have_the_law_of_the_proof(asked: ShapeRound) -> None:
    """All but a little is decided, and nothing is likelier than it should be; other noise is told from it."""
    first, second = items(asked)
    people = [first, None, second][: asked.people]
    found = distribution(asked, people, LEAST)
    counts = [1, people.count(second)]
    assert 1 - sum(found.values()) < 6e-3
    assert excess(found, asked, counts) < 1e-12
    for factors in ({"scale": "0.9"}, {"scale": "1.1"}, {"shape": "1.2"}, {"spread": "0.9"}, {"spread": "1.1"}):
        assert excess(found, scaled(asked, **factors), counts) > 3e-3
    assert excess(found, asked, [2, 0]) > 0.1


def outcomes(found: dict[Seen, float]) -> Outcomes:
    chances: dict[Hashable, Fraction] = {seen: Fraction(chance) for seen, chance in found.items()}
    return Outcomes(chances, 1 - sum(chances.values(), start=Fraction(0)))


def both_ways(asked: ShapeRound, one: Sequence[str | None], other: Sequence[str | None]) -> tuple[float, float]:
    """An interval that holds the exact delta, both ways."""
    first, second = (outcomes(distribution(asked, people, LEAST)) for people in (one, other))
    found = delta(first, second, asked.epsilon), delta(second, first, asked.epsilon)
    return float(max(each.low for each in found)), float(max(each.high for each in found))


def test_exact_delta_of_a_person_who_is_added_or_removed() -> None:
    """One of two people, with an item or without: exactly the price, whatever the other one has."""
    asked = promised(ONE, Fraction(2), ONE, people=2, epsilon=Fraction(6, 5))
    (item,) = items(asked)
    for other in (None, item):
        low, high = both_ways(asked, [item, other], [None, other])
        assert low <= asked.delta <= high
        assert high - low < 0.03
    assert 0.1 < asked.delta < 0.3


def test_exact_delta_of_a_person_who_is_replaced() -> None:
    asked = promised(HALF, ONE, HALF, people=2, epsilon=Fraction(9, 2), buckets=2, neighbours="replace")
    first, second = items(asked)
    low, high = both_ways(asked, [first, second], [second, second])
    assert low <= asked.delta <= high * 1.02
    assert high - low < 0.4 * high  # what is undecided counts e^epsilon times


def test_a_secure_sum_is_pure() -> None:
    """What it tells has the law of discrete Laplace noise, and a delta of 0."""
    asked = promised(HALF, people=2, epsilon=Fraction(2), way="secure-sum", buckets=2)
    first, _ = items(asked)
    found = distribution(asked, [first, None], LEAST)
    p = exp(-2)
    for seen, chance in found.items():
        exact = np.prod([(1 - p) / (1 + p) * p ** abs(number) for number in np.subtract(seen, (1, 0))])
        assert chance <= exact + 1e-12
    assert 1 - sum(found.values()) < 3e-3
    low, high = both_ways(asked, [first, None], [None, None])
    assert asked.delta == low == 0
    assert high < 0.03


def test_more_answers_than_are_counted_on_cost_no_more() -> None:
    """Three people answer a round that counts on two of them: their messages add to what is priced."""
    asked = promised(HALF, Fraction(2), HALF, people=3, epsilon=Fraction(5, 2), honest=Fraction(2, 3))
    (item,) = items(asked)
    assert asked.needed == 2
    low, high = both_ways(asked, [item, None, None], [None] * 3)
    assert low <= high < asked.delta * Fraction(95, 100)


# What real clients send to a real shuffler, many times


class NoPairs(ShapeClient):
    """Wrong: noise alone."""

    def _share(self, asked: ShapeRound, shape: Fraction, scale: Fraction) -> Integers:
        return super()._share(asked, shape, scale)[: None if scale == asked.scale else 0]


class TooSmall(ShapeClient):
    """Wrong: shares for half as many people again as there are."""

    def _share(self, asked: ShapeRound, shape: Fraction, scale: Fraction) -> Integers:
        return super()._share(asked, shape * Fraction(2, 3), scale)


class WrongSign(ShapeClient):
    """Wrong: noise that should be taken is added."""

    def _draw_messages(self, asked: ShapeRound) -> tuple[Integers, Integers]:
        item = np.zeros(int(self._item is not None), dtype=np.int64)
        noise = [self._share(asked, asked.share, asked.scale) for _ in range(2)]
        pairs = self._share(asked, asked.share * asked.shape, asked.spread)
        added = np.concatenate([item, *noise, pairs])
        return np.append(added, pairs), np.repeat([1, -1], [len(added), len(pairs)])


class Clusters(ShapeClient):
    """Wrong: a cluster of noise goes as one message, which tells its size."""

    def sizes(self, asked: ShapeRound) -> tuple[list[int], list[int]]:
        up, down = (self._cluster_sizes(asked.share, asked.scale) for _ in range(2))
        pairs = self._cluster_sizes(asked.share * asked.shape, asked.spread)
        return [1] * (self._item is not None) + up + pairs, down + pairs

    def _cluster_sizes(self, shape: Fraction, scale: Fraction) -> list[int]:
        clusters = int(self._entropy.draw(Poisson(shape, scale), 1)[0])
        return [int(size) for size in self._entropy.draw(LogSeries(scale), clusters)]


def shuffled(asked: ShapeRound, people: Sequence[str | None], client: type[ShapeClient]) -> Seen:
    """What comes out of the shuffler, and the sum of each bucket, which anybody would look at."""
    shuffler = Shuffler(asked)
    for item in people:
        shuffler.add(client(item).answer(asked))
    tally = shuffler.close()
    return *tally.added, *tally.taken, *tally.noisy.tolist()


def told_apart(asked: ShapeRound, runs: int, client: type[ShapeClient] = ShapeClient) -> bool:
    """Whether an audit tells one person's item from none, or from another."""
    *_, last = all_items = items(asked)
    others = [last] * (asked.people - 1)
    other = None if asked.neighbours == "add-remove" else last
    return audit(
        lambda item: shuffled(asked, [item, *others], client),
        *(all_items[0], other),
        epsilon=asked.epsilon,
        delta=asked.delta,
        runs=runs,
    ).flagged


AUDITED = promised(Fraction(5, 4), Fraction(12), Fraction(3), people=1, epsilon=ONE)


def test_the_audit_passes_what_the_shuffler_tells() -> None:
    assert float(AUDITED.delta) == pytest.approx(0.0034575, rel=1e-4)
    assert not told_apart(AUDITED, runs=3_000)
    two, replaced = (Fraction(5, 4), Fraction(12), Fraction(3)), (Fraction(5, 2), Fraction(6), Fraction(2))
    assert not told_apart(promised(*two, people=2, epsilon=ONE), runs=1_500)
    assert not told_apart(promised(*replaced, people=2, epsilon=ONE, buckets=2, neighbours="replace"), runs=1_500)


def test_the_audit_finds_out_that_there_are_no_pairs() -> None:
    assert told_apart(AUDITED, 800, NoPairs)


def test_the_audit_finds_out_a_wrong_sign() -> None:
    assert told_apart(AUDITED, 2_000, WrongSign)


@pytest.mark.slow(sibling="test_the_audit_finds_out_that_there_are_no_pairs")
def test_the_audit_finds_out_shares_that_are_too_small() -> None:
    """The noise alone takes all of epsilon here, so that none of it can be missed."""
    assert told_apart(promised(ONE, Fraction(12), Fraction(3), people=1, epsilon=ONE), 10_000, TooSmall)


@pytest.mark.slow(sibling="test_the_audit_finds_out_that_there_are_no_pairs")
def test_the_audit_finds_out_clusters_that_tell_their_size() -> None:
    """Noise in clusters of 1 is rare: the difference of messages of +1 and of -1 hides the item far less."""

    def alone(item: str | None) -> Seen:
        up, down = (sizes.count(1) for sizes in Clusters(item).sizes(AUDITED))
        return up, down, up - down

    assert audit(alone, "a", None, epsilon=AUDITED.epsilon, delta=AUDITED.delta, runs=12_000).flagged


def test_a_shuffler_takes_no_clusters() -> None:
    shuffler = Shuffler(AUDITED)
    with pytest.raises(Refused, match="an amount that the round has not"):
        shuffler.add(Shares(AUDITED.digest, ID, ((0, 3),)))


# Many people


@pytest.mark.parametrize("way", ["shuffle", "secure-sum"])
def test_the_noise_of_many_people_has_its_width_in_every_bucket(way: Way) -> None:
    """Nobody has an item: the sums have mean 0, the promised deviation, and no bucket has another one's."""
    noise = (Fraction(5, 4), Fraction(6), Fraction(2)) if way == "shuffle" else (Fraction(5, 4),)
    people, buckets = 200, 4_000
    asked = promised(*noise, people=people, epsilon=ONE, buckets=buckets, honest=Fraction(4, 5), way=way)
    middle = Shuffler(asked) if way == "shuffle" else SecureSum(asked)
    for _ in range(people):
        middle.add(ShapeClient(None).answer(asked))
    noisy = middle.close().noisy
    fourth = 6 + 1 / 1.7215**2  # the kurtosis of discrete Laplace noise; of more shares it is less
    assert abs(noisy.mean()) < 6 * asked.deviation / sqrt(buckets)
    assert abs(noisy.var() / asked.deviation**2 - 1) < 6 * sqrt(fourth / buckets)
    assert abs(stats.pearsonr(*noisy.reshape(2, -1)).statistic) < 6 / sqrt(buckets / 2)
    assert asked.deviation == pytest.approx(1.7215 * sqrt(5 / 4), rel=1e-3)


def test_messages_are_as_many_as_the_round_says() -> None:
    asked = promised(Fraction(5, 4), Fraction(20), Fraction(9), people=1000, epsilon=ONE, buckets=2000)
    many = [len(ShapeClient("a").answer(asked).messages) for _ in range(300)]
    assert asked.messages == pytest.approx(1 + 2 * shuffling.messages(asked.event), rel=1e-12)  # type: ignore[arg-type]
    assert abs(np.mean(many) - asked.messages) < 6 * np.std(many) / sqrt(300)
    assert np.std(many) > sqrt(asked.messages)
