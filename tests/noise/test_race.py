"""A race has the law of the loop that defines it.

The loop is enumerated and compared with a formula. The fast sampler is followed in its parts along every sequence of
words of a few bits: a tick, a member, and then whole races, tick by tick and word by word. Large numbers of runs and
extreme races with words of 64 bits come last.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from headcount.audit.choices import Enumerated, EnumeratedWords, Fixed, Path, Replayed, Undecided, explore
from headcount.exact import Integers, ball, ends, precision
from headcount.noise import Entropy, SystemEntropy
from headcount.noise import race as sampler
from headcount.noise.race import Race, run

Order = tuple[int, ...]
Masses = dict[Order, Fraction]

REJECTED = 1e-9
"""The p-value of a failure."""
NEARLY = Fraction(1, 2**150)
"""How far the formula's chances may be off."""
ONE, HALF, NOTHING = Fraction(1), Fraction(1, 2), Fraction(1, 10**300)


def race_of(scores: list[int], rate: Fraction, stop: int, factor: Fraction = ONE) -> Race:
    """A race of items of these scores."""
    different, members = np.unique(np.array(scores, dtype=np.int64), return_counts=True)
    return Race(rate, different[::-1], members[::-1], stop, factor)


def weights(race: Race) -> list[Fraction]:
    """What an item of each score weighs, and last the stop."""
    scores = [*race.scores.tolist(), race.stop]
    with precision(256):
        items = [ends(ball(race.rate * (score - max(scores))).exp())[0] for score in scores]
    return [*items[:-1], items[-1] * race.factor]


def stated(race: Race, maximum: int) -> Masses:
    """The chance of every order, by the formula."""
    *different, stop = weights(race)
    items = np.repeat(np.arange(len(different)), race.members).tolist()
    chances: Masses = defaultdict(Fraction)

    def follow(order: Order, chance: Fraction) -> None:
        rest = [index for index in range(len(items)) if index not in order]
        if not rest or len(order) == maximum:
            chances[order] += chance
            return
        total = stop + sum(different[items[index]] for index in rest)
        chances[order] += chance * stop / total
        for index in rest:
            follow((*order, index), chance * different[items[index]] / total)

    follow((), ONE)
    return chances


def decided(follow: Callable[[Path], Iterable[int]]) -> tuple[Masses, Fraction]:
    """The mass of each result, and the mass still open."""
    found: Masses = defaultdict(Fraction)
    for result, weight in explore(lambda path: tuple(follow(path))):
        if not isinstance(result, Undecided):
            found[result] += weight
    return found, 1 - sum(found.values(), start=Fraction(0))


def same(found: Masses, still_open: Fraction, distribution: Masses) -> bool:
    """Whether the law's chances are among those that what is open may lead to."""
    return set(found) <= set(distribution) and all(
        found.get(order, 0) - NEARLY <= chance <= found.get(order, 0) + still_open + NEARLY
        for order, chance in distribution.items()
    )


def off(race: Race, by: Fraction = Fraction(101, 100)) -> Race:
    """A race that is a little off."""
    return Race(race.rate * by, race.scores, race.members, race.stop, race.factor * by)


TINY = [
    (race_of([0, 0], HALF, 0), 2),
    (race_of([2, 0], HALF, 1), 1),
    (race_of([3, 1, 0], ONE, 2, Fraction(2, 3)), 2),
    (race_of([1, 1, 0], Fraction(1, 3), 0, Fraction(5)), 9),
    (race_of([2, 2, 1, 1], Fraction(1, 3), 3, HALF), 2),
    (race_of([5, 0], Fraction(20), 4, Fraction(5 * 10**8)), 2),
]


@pytest.mark.parametrize(("race", "maximum"), TINY)
def test_the_loop_is_the_formula(race: Race, maximum: int) -> None:
    found, still_open = decided(lambda path: Enumerated(path, NEARLY / 8).race(race, maximum).tolist())
    assert still_open < NEARLY
    assert same(found, still_open, stated(race, maximum))
    assert not same(found, still_open, stated(off(race), maximum))


TICKS = [
    *(race for race, _ in TINY),
    race_of([100, 30, 30, 0], Fraction(1, 20), 150, Fraction(1, 7)),
    race_of([10**9, 10**9 - 1, 0], ONE, 10**9 - 2),
    race_of([10, 9, 3, 3, 2], ONE, 8),
    race_of([3, 3, 3, 0], Fraction(9), 4, Fraction(1, 1000)),
]


def ticked(race: Race, bits: int) -> tuple[Masses, Fraction]:
    """The mass of a tick of each group, of the stop (-1) and of nobody (none)."""

    def follow(path: Path) -> list[int]:
        words = EnumeratedWords(path, bits, depth=24 // bits)
        groups, stopped = sampler._Slots(sampler._Field(race), bits).ticks(1, words)
        return [*groups.tolist(), *[-1] * stopped]

    return decided(follow)


def assert_by_weight(found: Masses, still_open: Fraction, race: Race) -> None:
    """The masses of a tick are proportional to the weights, as far as they are decided."""
    *items, stop = weights(race)
    distribution = {
        (group,): item * int(many) for group, (item, many) in enumerate(zip(items, race.members, strict=True))
    }
    distribution[(-1,)] = stop
    total, somebody = (
        sum(distribution.values()),
        1 - found.get((), Fraction(0)),
    )  # with what is open, which may be nobody's
    assert set(found) <= {(), *distribution}
    for slot, weight in distribution.items():
        assert found.get(slot, 0) <= somebody * weight / total + NEARLY
        assert found.get(slot, 0) + still_open >= (somebody - still_open) * weight / total - NEARLY


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize(("unit", "reach"), [(62, 43), (8, 6)])
@pytest.mark.parametrize("bits", [2, 4])
@pytest.mark.parametrize("race", TICKS)
def test_a_tick_has_exactly_the_chance_of_its_weight(
    race: Race, bits: int, unit: int, reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights of 8 bits (and exp(-6), which is less than 2^-8) make groups far and bounds loose: it must not matter."""
    monkeypatch.setattr(sampler, "UNIT_BITS", unit)
    monkeypatch.setattr(sampler, "REACH", reach)
    found, still_open = ticked(race, bits)
    assert still_open < Fraction(1, 2**16)
    assert_by_weight(found, still_open, race)
    with pytest.raises(AssertionError):
        assert_by_weight(found, still_open, off(race))


@pytest.mark.parametrize("race", TICKS)
def test_bounds_hold_and_are_close(race: Race) -> None:
    """With words of 64 bits: what is sure is below the weight, the slot above, and hardly any number is between."""
    slots = sampler._Slots(sampler._Field(race), 64)
    widths, sure = np.diff(slots._edges, prepend=0).tolist(), (slots._certain_ends - slots._starts).tolist()
    with precision(256):
        real = [ends(slots._weight(slot) * 2**64)[0] / 2**64 * Fraction(2) ** slots._shift for slot in range(len(sure))]
    assert all(low <= weight <= width for low, weight, width in zip(sure, real, widths, strict=True))
    assert sum(widths) - sum(sure) < sum(widths) >> 45


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 8])
@pytest.mark.parametrize("bits", [1, 2, 3, 5])
def test_members_are_alike(count: int, bits: int) -> None:
    found, still_open = decided(
        lambda path: sampler._uniform_below(np.array([count]), EnumeratedWords(path, bits, 12 // bits)).tolist()
    )
    assert set(found) == {(member,) for member in range(count)}
    assert len(set(found.values())) == 1
    assert still_open < Fraction(1, 16)


def ticks_of_path(path: Path) -> Callable[[sampler._Slots, int, object], tuple[Integers, bool]]:
    """Ticks as they ought to be, each a choice of the path."""

    def ticks(slots: sampler._Slots, size: int, _: object) -> tuple[Integers, bool]:
        *items, stop = weights(slots._field._race)
        groups = np.flatnonzero(slots._field.left)
        masses = [*(items[group] * int(slots._field.left[group]) for group in groups), stop]
        chosen = [path.choose([mass / sum(masses) for mass in masses]) for _ in range(size)]
        before = chosen[: [*chosen, len(groups)].index(len(groups))]
        return groups[np.array(before, dtype=np.int64)], len(before) < size

    return ticks


def members_of_path(path: Path) -> Callable[[Integers, object], Integers]:
    """Members as they ought to be."""
    return lambda counts, _: np.array([path.choose([Fraction(1, int(n))] * int(n)) for n in counts], dtype=np.int64)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("race", "maximum"), TINY)
@pytest.mark.parametrize("batch", [1, 3])
def test_ticks_make_a_race(race: Race, maximum: int, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given ticks and members, whatever the batch: repeats are ignored, places are right, the stop ends it."""
    monkeypatch.setattr(sampler, "MIN_BATCH", batch)

    def follow(path: Path) -> list[int]:
        monkeypatch.setattr(sampler._Slots, "ticks", ticks_of_path(path))
        monkeypatch.setattr(sampler, "_uniform_below", members_of_path(path))
        return list(run(race, maximum, SystemEntropy()).tolist())

    found, still_open = decided(follow)
    assert still_open < NEARLY
    assert same(found, still_open, stated(race, maximum))
    assert not same(found, still_open, stated(off(race), maximum))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("scores", "maximum", "batch", "gap"),
    [([2, 1], 1, 1, Fraction(1, 10)), ([2, 1], 2, 2, HALF), ([0, 0], 2, 1, HALF)],
)
def test_words_make_a_race(
    scores: list[int], maximum: int, batch: int, gap: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it, as far as six words of two bits go."""
    monkeypatch.setattr(sampler, "MIN_BATCH", batch)
    race = race_of(scores, HALF, stop=scores[1])
    found, still_open = decided(lambda path: run(race, maximum, EnumeratedWords(path, 2, 6)).tolist())
    assert still_open < gap
    assert same(found, still_open, stated(race, maximum))
    assert not same(found, still_open, stated(off(race, Fraction(8)), maximum))


RUNS = 8_000


def p_value(orders: Counter[Order], distribution: Masses) -> float:
    """The chi-squared test of many orders, in cells of at least 50 expected."""
    runs = orders.total()
    expected = {order: float(chance * runs) for order, chance in distribution.items() if chance * runs >= 50}
    rest = runs - sum(expected.values()), runs - sum(orders[order] for order in expected)
    cells = [*((mean, orders[order]) for order, mean in expected.items()), rest]
    return float(stats.chi2.sf(sum((seen - mean) ** 2 / mean for mean, seen in cells), len(cells) - 1))


def test_many_races_have_the_law_and_not_one_of_a_rate_that_is_off() -> None:
    race = race_of([6, 3, 3, 0], Fraction(7, 10), 0)
    orders = Counter(tuple(SystemEntropy().race(race, 2).tolist()) for _ in range(RUNS))
    assert p_value(orders, stated(race, 2)) > REJECTED
    for rate in (race.rate * 115 / 100, race.rate * 85 / 100):
        assert p_value(orders, stated(race_of([6, 3, 3, 0], rate, 0), 2)) < REJECTED


def test_one_large_race_tells_a_rate_that_is_off_by_a_twentieth() -> None:
    """Two groups so large that it hardly matters who has rung: an item of the first rings with chance e / (1 + e)."""
    rings, members = 300_000, np.array([10**9, 10**9])
    order = SystemEntropy().race(Race(ONE, np.array([1, 0]), members, -1000, ONE), rings)
    assert len(np.unique(order)) == rings
    first = int((order < 10**9).sum())
    assert normal(first, rings, 1.0) > REJECTED
    assert normal(first, rings, 1.05) < REJECTED > normal(first, rings, 0.95)


def normal(seen: int, runs: int, rate: float) -> float:
    """The chance to be so far off the mean."""
    chance = 1 / (1 + np.exp(-rate))
    return float(2 * stats.norm.sf(abs(seen - runs * chance) / np.sqrt(runs * chance * (1 - chance))))


def test_members_of_a_group_ring_in_any_order() -> None:
    """All of a million ring, each once; the first and the last of them come from everywhere alike."""
    order = SystemEntropy().race(race_of([7] * 10**6, ONE, 7, NOTHING), 10**6)
    assert np.array_equal(np.sort(order), np.arange(10**6))
    for part in (order[:100_000], order[-100_000:]):
        assert evenly(part // 10_000) > REJECTED
        assert evenly(part % 100) > REJECTED
        assert evenly(part * 99 // 1_000_000) < REJECTED


def evenly(cells: Integers) -> float:
    return float(stats.chisquare(np.bincount(cells, minlength=100)).pvalue)


class Silent(SystemEntropy):
    """Without words."""

    def words(self, count: int) -> "np.typing.NDArray[np.uint64]":
        raise AssertionError("nothing is to be drawn")


@pytest.mark.parametrize("entropy", [Silent(), Replayed([])])
def test_nothing_is_drawn_where_nothing_can_ring(entropy: Entropy) -> None:
    none = np.zeros(0, dtype=np.int64)
    for race, maximum in ((race_of([3, 2], ONE, 1), 0), (Race(ONE, none, none, 0, ONE), 5)):
        order = entropy.race(race, maximum)
        assert order.dtype == np.int64
        assert order.tolist() == []


BILLION = 10**9
SURE = [
    (race_of([BILLION, 0, -BILLION], Fraction(50), -2 * BILLION, Fraction(10**12)), [0, 1, 2]),
    (race_of([BILLION, 0, -BILLION], Fraction(50), BILLION // 2), [0]),
    (race_of([BILLION, 0], Fraction(1, 10**6), -BILLION, Fraction(10**12)), [0, 1]),
    (race_of([BILLION, 0], Fraction(1, 10**6), BILLION, Fraction(10**300)), []),
    (race_of([1, 0], Fraction(1, 10**12), 0, Fraction(10**30)), []),
    (race_of([0], Fraction(50), BILLION), []),
    (race_of([0], Fraction(50), -BILLION), [0]),
    (race_of([*range(0, 300 * 50, 50)], ONE, -1, NOTHING), [*range(300)]),
    (race_of([-5, -6], Fraction(100), -7, NOTHING), [0, 1]),
]


@pytest.mark.parametrize(("race", "order"), SURE)
def test_extreme_races_end_as_they_must(race: Race, order: list[int]) -> None:
    """Anything else has a chance of less than 300 exp(-50)."""
    assert SystemEntropy().race(race, 1000).tolist() == order
    assert SystemEntropy().race(race, 1).tolist() == order[:1]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("rate", [Fraction(1, 10**6), Fraction(1, 100), Fraction(3), Fraction(50)])
def test_all_ring_once_if_the_stop_weighs_nothing(rate: Fraction) -> None:
    scores = np.arange(1500)[::-1] ** 2
    race = Race(rate, scores, 1 + np.arange(1500) % 3, -(10**9), NOTHING)
    order = SystemEntropy().race(race, 10_000)
    assert sorted(order.tolist()) == list(range(3000))


def test_forms_for_evidence_run_the_loop() -> None:
    race = race_of([4, 2, 2], ONE, 1)
    assert Fixed(0).race(race, 9).tolist() == [0, 1, 2]
    assert Replayed([1, 1, 1, 0]).race(race, 2).tolist() == [2, 1]
    assert Replayed([0, 0, 1]).race(race, 9).tolist() == [0]
    with pytest.raises(Undecided):
        Replayed([0, 0]).race(race, 9)
