"""Shapes on tiny data: real bounding by the engine, then every draw of the noise, that on the number of contributions
as well.

The exact delta over all neighbours of both kinds is 0 at epsilon, and it is not at nine tenths of it. Where too many
draws would be needed for that, the largest ratio of the chances of anything that can be seen is: its logarithm is never
above epsilon, and somewhere it is what the changes of all numbers cost. What must not be done is done here, too.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import log
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from audits.mechanisms.shape import (
    KEY,
    NoiseOnDifferences,
    Shaping,
    exact_delta,
    mistakes,
    on_people,
    shown,
    without_common_noise,
)
from audits.specimen import People, Run
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Laplace, Neighbours
from headcount.audit import Laws, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded
from headcount.mechanism import Staircase
from headcount.mechanism.shape.contribution_limit import ContributionLimit, limit_contributions
from headcount.mechanism.shape.strategy import Method
from headcount.noise import Entropy
from tests.strategies import shaped

from .test_mechanisms import BOTH, bounded
from .test_sampled import kept

Pairs = list[tuple[People, People]]
ONE = Fraction(1)
ADDED: Neighbours = "add-remove"
FINELY, COARSELY = Fraction(1, 10**4), Fraction(1, 10**3)
CROWD: People = (("a",), ("a", "b"), ("c",), ("d",), ("e",))
"""More items than there are rows: the last ones are in columns."""
KINDS: People = (("a",), ("a", "b", "c"), ("x", "y"), ("z",))
"""Some have more items than the bound."""
FULL: dict[int, People] = {1: (("a",), ("z",)), 2: (("a", "b", "c"), ("x", "y"))}
"""Two who have all that the bound allows: of popular items, and of new ones."""
EVERYBODY: People = tuple({*CROWD, *KINDS, ("b",)})


@dataclass(frozen=True)
class Told(ContributionLimit):
    """A number of contributions that is shown, too: as the proof has it."""

    drawn: list[int] = field(default_factory=list, compare=False)
    """What was drawn last."""

    def draw(self, total: int, entropy: Entropy) -> int:
        self.drawn[:] = [super().draw(total, entropy)]
        return self.drawn[0]


def on_rows(mechanism: Shaping) -> Run[People]:
    """Everything that is seen of people whom the engine has bounded."""
    left = kept(mechanism.bounding, EVERYBODY, 3)
    size = mechanism.limit if isinstance(mechanism, Staircase) else mechanism.buckets

    @lru_cache(maxsize=64)
    def totals(people: People) -> Bounded:
        mine = (left[kind, copy] for kind, many in Counter(people).items() for copy in range(many))
        often = Counter(item for items in mine for item in items)
        items = pa.array(sorted(often), pa.string())
        counts = np.array([often[item] for item in items.to_pylist()], dtype=np.int64)
        return Bounded(pa.table({"item0": items}), counts, mechanism.bounding.sensitivity)

    def run(people: People, entropy: Entropy) -> list[object]:
        numbers = shown(mechanism.run(totals(people), entropy))
        return [*numbers, *size.drawn] if isinstance(size, Told) else numbers

    return run


def crowded(kinds: People, neighbours: Neighbours) -> Pairs:
    """One of these more, or another of them, alone and in a crowd."""
    few = list(pairs(kinds, 1, neighbours))
    return few + [(CROWD + one, CROWD + other) for one, other in few]


def largest_loss(made: Shaping, people: Pairs, key: bytes = KEY, left_out: Fraction = FINELY) -> float:
    """The largest ratio of the chances of what may be seen on both, as far as it is enumerated: its logarithm."""
    losses = [0.0]
    for pair in people:
        distributions = Laws(without_common_noise(on_rows, made, pair, key), left_out)
        first, second = (distributions.of(data).chances for data in pair)
        losses += [abs(log(first[seen] / second[seen])) for seen in first.keys() & second.keys()]
    return max(losses)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("people", [1, 4], ids=["one step", "two steps"])
def test_a_staircase_of_a_public_size(neighbours: Neighbours, people: int) -> None:
    """Pure: delta is 0; and at nine tenths of the epsilon it is not, so the noise is not more than needed."""
    epsilon = 2 * changed_people(neighbours) * ONE
    made = shaped(epsilon, 1, neighbours, None, method="staircase", people=people)
    everybody = crowded(KINDS, neighbours)
    assert exact_delta(on_rows, made, everybody, epsilon, FINELY).high < Fraction(1, 1000)
    assert exact_delta(on_rows, made, everybody, epsilon * 9 / 10, FINELY).low > Fraction(1, 200)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("bound", [1, 2])
def test_buckets_of_a_public_list(neighbours: Neighbours, bound: int) -> None:
    """Of two items, every draw on both: the same. Who is replaced changes at most two numbers of two, whatever the
    bound."""
    epsilon = 2 * bound * ONE
    made = shaped(epsilon, bound, neighbours, 2, method="buckets")

    def run(people: People, entropy: Entropy) -> list[object]:
        return shown(made.run(bounded(people, made.bounding, False, True), entropy))

    distributions, everybody = Laws(run, FINELY), list(pairs((("a",), ("b",), ("a", "b"), ("z",)), 1, neighbours))
    assert distributions.worst_delta(everybody, epsilon).high < Fraction(1, 1000)
    attained = epsilon / bound if neighbours == "replace" else epsilon
    assert distributions.worst_delta(everybody, attained * 9 / 10).low > Fraction(1, 200)


@pytest.mark.parametrize("neighbours", BOTH)
def test_buckets_by_many_keys(neighbours: Neighbours) -> None:
    """If two items share a bucket, nothing changes when one takes the place of the other; else what is paid for."""
    epsilon = 4 * changed_people(neighbours) * ONE
    made = shaped(epsilon, 1, neighbours, None, method="buckets", buckets=3)
    people: Pairs = [((("a",),), () if neighbours == ADDED else (("b",),))]
    losses = {round(largest_loss(made, people, bytes([number])) / float(epsilon), 9) for number in range(12)}
    assert losses == ({1.0} if neighbours == ADDED else {0.0, 1.0})


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(
    "way", [{"method": "staircase", "people": 2}, {"method": "buckets", "buckets": 8}], ids=["staircase", "8"]
)
def test_two_items_of_a_person(neighbours: Neighbours, way: dict[str, Any]) -> None:
    """Two boxes are added, or two are taken away and two are added: that is what is paid for."""
    epsilon = 8 * changed_people(neighbours) * ONE
    made = shaped(epsilon, 2, neighbours, None, **way)
    assert largest_loss(made, crowded(FULL[2], neighbours)) == pytest.approx(float(epsilon), rel=1e-12)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("bound", [1, 2])
@pytest.mark.parametrize("way", ["staircase", "buckets"])
def test_a_size_that_is_counted(neighbours: Neighbours, bound: int, way: Method) -> None:
    """With little noise, so that there are few rows and buckets. The loss is that of the number of contributions and of
    all others together, at the worst of all changes. If somebody is added, it is all that is paid for; hardly anything
    is seen on one side alone then."""
    first, then = 4 * bound * ONE, 4 * bound * changed_people(neighbours) * ONE
    made = counting(way, Told(None, Laplace(bound / first, Fraction(bound))), then, bound, neighbours)
    assert compose.covers(Cost(first + then, 0 * ONE), made.events)
    people = crowded(FULL[bound], neighbours)[-1:]
    loss = largest_loss(made, people, left_out=COARSELY if (way, neighbours) == ("buckets", "replace") else FINELY)
    assert loss == pytest.approx(float(worst_of(first, then, bound, neighbours)), rel=1e-12)
    if neighbours == ADDED:
        assert worst_of(first, then, bound, neighbours) == first + then
        assert exact_delta(on_rows, made, people, first + then, FINELY).high < Fraction(1, 10)


def counting(way: Method, size: ContributionLimit, epsilon: Fraction, bound: int, neighbours: Neighbours) -> Shaping:
    """A staircase or buckets of that size, with noise for epsilon."""
    made = shaped(epsilon, bound, neighbours, None, method=way, people=1)
    return replace(made, limit=size) if isinstance(made, Staircase) else replace(made, buckets=size)


def worst_of(first: Fraction, then: Fraction, bound: int, neighbours: Neighbours) -> Fraction:
    """What it costs that a person's boxes come and another's go: by their number, and each of them."""
    gone = range(bound + 1) if neighbours == "replace" else [0]
    max_items = changed_people(neighbours) * bound
    changes = product(range(bound + 1), gone)
    return max(first * abs(come - go) / bound + then * (come + go) / max_items for come, go in changes)


@pytest.mark.parametrize("neighbours", BOTH)
def test_as_people_get_it(neighbours: Neighbours) -> None:
    """With the size counted for a fiftieth of epsilon: all of it is used up if somebody is added; if somebody is
    replaced, all that is left, as the number does not change then."""
    epsilon = 4 * changed_people(neighbours) * ONE
    made = shaped(epsilon, 1, neighbours, None, method="auto")
    assert isinstance(made, Staircase)
    told = replace(made, limit=Told(None, made.limit.event))
    people: Pairs = [((*CROWD, ("z",)), CROWD if neighbours == ADDED else (*CROWD, ("a",)))]
    used = epsilon if neighbours == ADDED else epsilon * 98 / 100
    assert largest_loss(told, people, left_out=COARSELY) == pytest.approx(float(used), rel=1e-12)
    assert exact_delta(on_rows, made, people, epsilon, COARSELY).high < Fraction(1, 10)


@pytest.mark.parametrize("bound", [1, 3])
def test_the_number_of_contributions(bound: int) -> None:
    """A person changes it by the bound at most, replaced or not. Pure, for the price that is taken from epsilon."""
    size, left = limit_contributions(50 * ONE, bound, None)
    assert left == 49
    distributions = Laws(size.draw, FINELY)
    people = [(many, many + more) for many in range(4) for more in range(1, bound + 1)]
    assert distributions.worst_delta(people, 50 - left).high < Fraction(1, 1000)
    assert distributions.worst_delta(people, (50 - left) * 9 / 10).low > Fraction(1, 200)


def test_a_box_in_a_row_and_in_a_column() -> None:
    """Twice what was paid for: a new item is the first row, and in the first column."""
    epsilon, people = 2 * ONE, [((("a",),), ())]
    twice, _, _ = mistakes(epsilon, ADDED)
    assert exact_delta(on_people, twice, people, epsilon, FINELY).low > ONE / 2
    assert exact_delta(on_people, twice, people, 2 * epsilon, FINELY).high < Fraction(1, 1000)


def test_rows_by_the_true_number() -> None:
    """A ninth person is seen by a third row, whatever the noise."""
    _, true, _ = mistakes(ONE, ADDED)
    people: Pairs = [((("a",),) * 8, (("a",),) * 9)]
    assert exact_delta(on_people, true, people, 4 * ONE, FINELY).low > Fraction(9, 10)


def test_noise_only_on_buckets_in_use() -> None:
    """Somebody with an item of their own is seen by a bucket more, whatever the noise."""
    _, _, in_use = mistakes(ONE, ADDED)
    run, people = on_people(in_use), [((("a",), ("b",)), (("a",),))]

    def at_a_key(people: People, entropy: Entropy) -> object:
        return run(people, NoiseOnDifferences(entropy, range, KEY))

    assert worst_delta(at_a_key, people, 4, FINELY).low > Fraction(9, 10)
