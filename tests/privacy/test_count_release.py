"""Count release on tiny data: the lemmas of its proof by formula over random neighbours, then the real loop with every
draw. Never above the price, and attained; and versions that are known to be wrong are seen by the same checks.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from audits.mechanisms.count_release import found_in, on_people, ranked
from audits.specimen import People
from headcount.account import ZcdpFilter
from headcount.account.curves import zcdp
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Adaptive, Neighbours, Selection
from headcount.audit import Laws, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import TopItems
from headcount.exact import Integers
from headcount.mechanism import CountRelease
from headcount.mechanism.topk.levels import Level
from headcount.mechanism.topk.search import Search
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.race import Race

BOTH: list[Neighbours] = ["add-remove", "replace"]
ONE = Fraction(1)
Counts = Mapping[str, int]
Bend = Callable[[Race, Level], Race]


def as_it_is(race: Race, level: Level) -> Race:
    return race


def without_margin(race: Race, level: Level) -> Race:
    return replace(race, stop=race.stop - level.margin)


def margin_of_one(race: Race, level: Level) -> Race:
    return replace(race, stop=race.stop - level.margin + 1)


def without_next(race: Race, level: Level) -> Race:
    return replace(race, stop=level.margin)


def without_most(race: Race, level: Level) -> Race:
    return replace(race, factor=race.factor / level.max_items)


def without_factor(race: Race, level: Level) -> Race:
    return replace(race, factor=Fraction(1))


WRONG: list[tuple[Neighbours, Bend]] = [
    ("add-remove", without_margin),
    ("replace", margin_of_one),
    ("add-remove", without_next),
    ("replace", without_next),
    ("add-remove", without_most),
    ("replace", without_most),
    ("add-remove", without_factor),
]
"""What a bottom may lack."""


class Asked(Entropy):
    """Remembers the race that it is asked for; the bottom comes first."""

    def __init__(self) -> None:
        self.races: list[Race] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        raise AssertionError("only races are asked for")

    def secret(self) -> bytes:
        return bytes(32)

    def race(self, race: Race, max_items: int) -> Integers:
        self.races.append(race)
        return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Weights:
    """What is listed, and the bottom, by weight."""

    items: dict[str, float]
    bottom: float

    def given_no(self, bad: set[str]) -> "Weights":
        """What the proof says the race is, given that nothing bad comes before the bottom."""
        good = {item: weight for item, weight in self.items.items() if item not in bad}
        return Weights(good, self.bottom + sum(self.items[item] for item in bad))

    def orders(self) -> dict[tuple[str, ...], float]:
        """The chance of every order of items before the bottom."""
        return dict(self._after((), 1.0))

    def _after(self, order: tuple[str, ...], chance: float) -> Iterator[tuple[tuple[str, ...], float]]:
        left = {item: weight for item, weight in self.items.items() if item not in order}
        total = self.bottom + sum(left.values())
        yield order, chance * self.bottom / total
        for item, weight in left.items():
            yield from self._after((*order, item), chance * weight / total)


def weights(often: Counts, level: Level, bend: Bend = as_it_is) -> Weights:
    """Of the race that the real search asks for, relative to its largest score."""
    bounded, asked = ranked({item: many for item, many in often.items() if many}, TopItems(level.max_items)), Asked()
    Search(bounded, ZcdpFilter(10**6, 1), None).select(level, 1, asked)
    race, rate = bend(asked.races[0], level), float(level.rate)
    scores = np.repeat(race.scores, race.members).tolist()
    top = max([*scores, race.stop])
    listed = bounded.items["item0"].to_pylist()
    items = {item: exp(rate * (score - top)) for item, score in zip(listed, scores, strict=True)}
    scale = exp(rate * (top - max([0, *often.values()])))  # the same unit for both neighbours
    return Weights(
        {item: weight * scale for item, weight in items.items()},
        float(race.factor) * exp(rate * (race.stop - top)) * scale,
    )


@dataclass(frozen=True)
class Compared:
    """Two neighbours at one level."""

    found: float
    """The chance that something is found which only one of them lists; the larger of both."""
    width: float
    """The range of the log-ratios of what comes next, given that nothing such is found; the widest of all prefixes."""
    gap: float
    """How far the law given that is from what the proof says."""


def compared(one: Counts, other: Counts, level: Level, bend: Bend = as_it_is) -> Compared:
    both = [weights(often, level, bend) for often in (one, other)]
    bad = set(both[0].items) ^ set(both[1].items)
    found, gap, clean = [], [], []
    for each in both:
        orders = each.orders()
        without = {order: chance for order, chance in orders.items() if not bad & set(order)}
        sure = sum(without.values())
        said = each.given_no(bad & set(each.items)).orders()
        found.append(1 - sure)
        gap.append(max(abs(chance / sure - said[order]) for order, chance in without.items()))
        clean.append(said)
    return Compared(max(found), widest(*clean), max(gap))


def widest(one: dict[tuple[str, ...], float], other: dict[tuple[str, ...], float]) -> float:
    """The widest range of log-ratios of the next selection, after any prefix."""
    both = [next_ones(distribution) for distribution in (one, other)]
    ranges = []
    for prefix, chances in both[0].items():
        logs = [log(chance / both[1][prefix][item]) for item, chance in chances.items()]
        ranges.append(max(logs) - min(logs))
    return max(ranges)


def next_ones(distribution: dict[tuple[str, ...], float]) -> dict[tuple[str, ...], dict[str, float]]:
    """After each prefix, the mass of each next item; the bottom is the empty text."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for order, chance in distribution.items():
        for index, item in enumerate((*order, "")):
            masses = found.setdefault(order[:index], {})
            masses[item] = masses.get(item, 0.0) + chance
    return found


@dataclass(frozen=True)
class Pair:
    """Neighbours, and a level to look at them by."""

    one: Counts
    other: Counts
    level: Level


def random_pairs(neighbours: Neighbours, many: int) -> Iterator[Pair]:
    """Few items with small counts, so that there are ties; often more items than are listed."""
    chance = random.Random(7)

    def person() -> set[str]:
        return {item for item in "abcde" if chance.random() < 0.6}

    for _ in range(many):
        common = {item: chance.choice([0, 0, 1, 1, 2, 2, 3, 6]) for item in "abcde"}
        one, other = person(), person() if neighbours == "replace" else set()
        level = level_of(
            neighbours,
            rate=Fraction(chance.choice(["0.01", "0.1", "0.7", "2"])),
            chance=Fraction(chance.choice(["0.5", "0.2", "0.01"])),
            max_items=chance.randint(1, 4),
        )
        first, second = ({item: common[item] + (item in mine) for item in common} for mine in (one, other))
        yield Pair(first, second, level)


def level_of(neighbours: Neighbours, *, rate: Fraction, chance: Fraction, max_items: int) -> Level:
    return Level(rate, chance, Fraction(0), max_items, neighbours, each_pays=False)


def claimed(level: Level) -> float:
    """The range that a selection is charged for."""
    (selection,) = level.selected
    assert isinstance(selection, Selection)
    return float(selection.epsilon)


@pytest.mark.parametrize("neighbours", BOTH)
def test_the_lemmas_by_formula(neighbours: Neighbours) -> None:
    """1,000 random neighbours: what only one lists is found with a chance of at most chance / (1 + chance), given that
    it is not the law is that of the good items with a heavier bottom, and one selection has the range that is paid."""
    tightest = [0.0, 0.0]
    for pair in random_pairs(neighbours, 1000):
        seen, limit = compared(pair.one, pair.other, pair.level), float(pair.level.chance / (1 + pair.level.chance))
        assert seen.gap < 1e-12
        assert seen.found <= limit * (1 + 1e-9)
        assert seen.width <= claimed(pair.level) + 1e-9
        tightest = np.maximum(tightest, [seen.found / limit, seen.width / claimed(pair.level)]).tolist()
    assert min(tightest) > 0.99


@pytest.mark.parametrize("neighbours", BOTH)
def test_the_range_needs_what_is_added_to_the_rate(neighbours: Neighbours) -> None:
    """Somebody brings so many new items that even the next one has a person: then the bottom is heavier by a factor of
    nearly 1 + chance, on top of what its score adds."""
    level = level_of(neighbours, rate=Fraction(1, 1000), chance=ONE / 2, max_items=400)
    new = {f"item {number}": 1 for number in range(401)}
    one, other = ({"good": 5}, {"good": 5 if neighbours == "add-remove" else 4, **new})
    both = [weights(often, level) for often in (one, other)]
    first, second = (each.given_no(set(each.items) - {"good"}) for each in both)
    width = log(first.items["good"] / second.items["good"]) - log(first.bottom / second.bottom)
    assert float(level.margin * level.rate) * 100 < width <= claimed(level)
    assert width > 0.99 * claimed(level)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("neighbours", "bend"), WRONG)
def test_a_bottom_that_is_too_light_fails_by_formula(neighbours: Neighbours, bend: Bend) -> None:
    excess = [
        compared(pair.one, pair.other, pair.level, bend).found / float(pair.level.chance / (1 + pair.level.chance))
        for pair in random_pairs(neighbours, 300)
    ]
    assert max(excess) > 1.2


KINDS = [("a",), ("b",), ("a", "b"), ("c", "d")]
"""Two people with c and d, of whom one is replaced by somebody with a and b, move every item of the list out of it."""
CROWDS: list[People] = [(), (("a", "b"),) * 2, (("a",), ("a", "b"), ("a", "b", "c"))]
EPSILONS = [Fraction(0), ONE / 2, ONE, Fraction(2), Fraction(4), Fraction(20)]
EXACTLY = Fraction(1, 10**12)


def neighbouring(
    neighbours: Neighbours, kinds: list[tuple[str, ...]] = KINDS, max_items: int = 2
) -> list[tuple[People, People]]:
    """Tiny datasets, alone and in crowds."""
    few = list(pairs(kinds, max_items, neighbours))
    return [(crowd + one, crowd + other) for crowd in CROWDS for one, other in few]


def price(mechanism: CountRelease, epsilon: Fraction) -> Fraction:
    return mechanism.event.delta + zcdp.delta(mechanism.event.rho, epsilon)


class Bent(Entropy):
    """Draws as another does, but in a race that is bent."""

    def __init__(self, inner: Entropy, bend: Bend, level: Level) -> None:
        self._inner, self._bend, self._level = inner, bend, level

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return self._inner.draw(distribution, size)

    def secret(self) -> bytes:
        return self._inner.secret()

    def race(self, race: Race, max_items: int) -> Integers:
        return self._inner.race(self._bend(race, self._level), max_items)


def two_levels(neighbours: Neighbours, max_items: int, rho: str) -> CountRelease:
    return found_in(
        (Fraction("0.7"), Fraction("1.4")),
        max_items=max_items,
        chance=ONE / 10,
        variance=Fraction(0),
        rho=Fraction(rho),
        neighbours=neighbours,
    )


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("max_items", "rho"), [(1, "0.1"), (1, "0.8"), (2, "0.3"), (2, "0.8"), (3, "0.3")])
def test_items_alone(neighbours: Neighbours, max_items: int, rho: str) -> None:
    """One or two levels, cut off by the budget or not: at every epsilon within the price; and what delta pays for does
    happen."""
    mechanism = two_levels(neighbours, max_items, rho)
    distributions = Laws(on_people(mechanism), EXACTLY)
    for epsilon in EPSILONS:
        exact = distributions.worst_delta(neighbouring(neighbours), epsilon)
        assert exact.high <= price(mechanism, epsilon) + 20 * EXACTLY
    if rho == "0.8":
        assert exact.low > 1 - (1 + mechanism.levels[0].chance) ** -2 - 20 * EXACTLY


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("neighbours", "bend"), WRONG)
def test_a_bottom_that_is_too_light_fails_exactly(neighbours: Neighbours, bend: Bend) -> None:
    mechanism = two_levels(neighbours, 1 if bend is without_next else 2, "0.8")
    run = on_people(mechanism)

    def bent(people: People, entropy: Entropy) -> object:
        return run(people, Bent(entropy, bend, mechanism.levels[0]))

    epsilon = Fraction(20)
    assert worst_delta(bent, neighbouring(neighbours), epsilon, EXACTLY).low > price(mechanism, epsilon)


@pytest.mark.slow(but=["add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_the_loop_of_the_paper(neighbours: Neighbours) -> None:
    """Every selection pays for its chance: delta for three of them, so that it is delta which ends the loop."""
    loop = two_levels(neighbours, 2, "0.8")
    levels = tuple(replace(level, each_pays=True) for level in loop.levels)
    mechanism = replace(loop, levels=levels, event=Adaptive(loop.event.rho, 3 * levels[0].chance))
    distributions = Laws(on_people(mechanism), EXACTLY)
    for epsilon in EPSILONS:
        assert (
            distributions.worst_delta(neighbouring(neighbours), epsilon).high
            <= price(mechanism, epsilon) + 20 * EXACTLY
        )


@pytest.mark.parametrize("neighbours", BOTH)
def test_with_counts(neighbours: Neighbours) -> None:
    """Every order of up to two items, every draw of their noise."""
    mechanism = found_in((ONE,), max_items=2, chance=ONE / 20, variance=ONE, rho=Fraction(2), neighbours=neighbours)
    left_out = Fraction(1, 1000)
    distributions, few = Laws(on_people(mechanism), left_out), neighbouring(neighbours, [("a",), ("a", "b")], 1)
    for epsilon in (ONE, Fraction(3), Fraction(6)):
        assert distributions.worst_delta(few, epsilon).high <= price(mechanism, epsilon) + 4 * left_out


@pytest.mark.parametrize("neighbours", BOTH)
def test_the_noise_of_a_count_is_needed(neighbours: Neighbours) -> None:
    """One item that nearly everybody has: the exact delta is not far below what the budget pays for the count, and
    half of the noise would be seen."""
    crowd: People = (("a",),) * 80
    few = [(crowd + one, crowd + other) for one, other in pairs([("a",), ("b",)], 1, neighbours)]
    rho = Fraction("0.51")
    mechanism = found_in((ONE / 5,), max_items=2, chance=ONE / 1000, variance=ONE, rho=rho, neighbours=neighbours)
    louder = found_in(
        (ONE / 5,), max_items=2, chance=ONE / 1000, variance=ONE / 4, rho=Fraction(9), neighbours=neighbours
    )
    exact, loud = (worst_delta(on_people(each), few, 1, Fraction(1, 10**4)) for each in (mechanism, louder))
    assert price(mechanism, ONE) / 4 < exact.low
    assert exact.high <= price(mechanism, ONE) < loud.low


@pytest.mark.slow(but=["replace"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_refined_counts(neighbours: Neighbours) -> None:
    """Up to three measurements of one item, the later ones only if the earlier ones were rough."""
    told = found_in((ONE,), max_items=1, chance=ONE / 20, variance=ONE / 2, rho=Fraction("1.3"), neighbours=neighbours)
    mechanism, left_out = replace(told, variant="refined", target=ONE), Fraction(1, 1000)
    distributions, few = Laws(on_people(mechanism), left_out), neighbouring(neighbours, [("a",), ("b",)], 1)
    for epsilon in (ONE, Fraction(2), Fraction(4)):
        assert distributions.worst_delta(few, epsilon).high <= price(mechanism, epsilon) + 6 * left_out


def test_ranks_move_by_one_at_most() -> None:
    """The count at every rank, and so that of the next item, moves by 0 or 1 if a person is added, by 1 at most if one
    is replaced."""
    chance = random.Random(3)
    moved: dict[Neighbours, set[int]] = {"add-remove": set(), "replace": set()}
    for _ in range(300):
        common = Counter({item: chance.randint(0, 4) for item in "abcdef"})
        for neighbours in BOTH:
            mine = [Counter(item for item in "abcdef" if chance.random() < 0.5) for _ in range(2)]
            sides = [common + mine[0], common + mine[1] if neighbours == "replace" else common]
            for max_items in range(1, 6):
                one, other = (ranked(side, TopItems(max_items)).next for side in sides)
                moved[neighbours].add(one - other)
    assert moved == {"add-remove": {0, 1}, "replace": {-1, 0, 1}}
    assert [changed_people(neighbours) for neighbours in BOTH] == [1, 2]
