"""What a shape's mechanisms measure: by brute force over all small tables, and without noise."""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.strategies import shaped

from headcount.account.events import Neighbours
from headcount.audit.choices import Fixed
from headcount.bound import Bounded, SampledItems
from headcount.exact import Integers
from headcount.mechanism import Buckets, NoisyStaircase, Staircase
from headcount.mechanism.shape.contribution_limit import (
    COUNT_SHARE,
    MAX_CONTRIBUTIONS,
    SAFETY_SCALES,
    ContributionLimit,
    limit_contributions,
)
from headcount.mechanism.shape.staircase import MAX_STEPS, laplace_event, staircase, steps_for
from headcount.noise import NoiseDistribution

ONE = Fraction(1)
BOTH: list[Neighbours] = ["add-remove", "replace"]
ITEMS = 5
"""In the tables of which all are looked at."""
OTHERS = np.array(list(product(range(3), repeat=ITEMS)), dtype=np.int64)
"""All tables of items that nobody, one or two people have."""


@cache
def measured(steps: int) -> Integers:
    """Rows and columns of all tables with up to three people for an item, by the table's place in order."""
    tables = product(range(4), repeat=ITEMS)
    return np.array([np.concatenate(staircase(np.array(table), steps, steps)) for table in tables])


def of(tables: Integers, steps: int) -> Integers:
    """Rows and columns of each of these tables."""
    numbers: Integers = measured(steps)[tables @ 4 ** np.arange(ITEMS)[::-1]]
    return numbers


def persons(bound: int) -> Integers:
    """Everybody who has at most so many items, each once."""
    everybody = (person for person in product(range(2), repeat=ITEMS) if sum(person) <= bound)
    return np.array(list(everybody), dtype=np.int64)


def of_totals(totals: Integers, bound: int = 1) -> Bounded:
    """So many people of the items 0, 1, 2, ..."""
    items = pa.table({"item0": pa.array(np.arange(len(totals)), pa.int64())})
    return Bounded(items, totals, SampledItems(bound).sensitivity)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("bound", [1, 2])
def test_the_sensitivity_of_a_staircase_is_attained(neighbours: Neighbours, bound: int) -> None:
    """What is paid for is the most by which all numbers together change: over all people and all others, at up to three
    rows and columns. With two of each it is attained."""
    paid = laplace_event(ONE, SampledItems(bound), neighbours).sensitivity
    worst = [largest_change(steps, bound, neighbours) for steps in (1, 2, 3)]
    assert max(worst) == worst[1] == paid


def largest_change(steps: int, bound: int, neighbours: Neighbours) -> int:
    """The most by which a person, added or replaced, changes rows and columns, added up."""
    with_ = [of(OTHERS + person, steps) for person in persons(bound)]
    without = with_ if neighbours == "replace" else with_[:1]
    return max(int(np.abs(one - other).sum(axis=1).max()) for one, other in product(with_, without))


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_every_box_is_in_one_number_at_most(steps: int) -> None:
    """One more person for an item changes one number, by one; or none, if the box is below all rows and beyond all
    columns. From the root of all boxes on, there is room for every one."""
    for item in np.eye(ITEMS, dtype=np.int64):
        change = of(OTHERS + item, steps) - of(OTHERS, steps)
        assert change.min() == 0
        assert change.sum(axis=1).max() == 1
    total = OTHERS.sum(axis=1)
    held = np.array([many < (steps + 1) ** 2 for many in total.tolist()])
    assert (of(OTHERS, steps).sum(axis=1) == total)[held].all()


@pytest.mark.parametrize("many", [1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 99, 100, 101])
def test_no_box_is_lost(many: int) -> None:
    """Rows and columns of any table with so many boxes tell all of its counts: also if as many items as can be have one
    more person than there are columns."""
    (rows, columns), side = steps_for(many), int(np.sqrt(many))
    square, above = np.full(side, side), np.full(many // (columns + 1), columns + 1)
    assert len(above) <= rows
    tables: list[Integers] = [
        np.array([many]),
        np.ones(many, np.int64),
        np.append(square, np.ones(many - side**2, np.int64)),
        np.append(above, np.ones(many - above.sum(), np.int64)),
    ]
    chance = np.random.default_rng(many)
    tables += [chance.multinomial(many, chance.dirichlet(np.ones(many))) for _ in range(50)]
    for table in tables:
        beyond, at_least = staircase(table, rows, columns)
        counts = np.repeat(np.arange(1, columns + 1), at_least - np.append(at_least[1:], 0))[::-1]
        counts[: np.count_nonzero(beyond)] += beyond[beyond > 0]
        assert counts.tolist() == sorted(table[table > 0], reverse=True)


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_as_many_numbers_whatever_the_table(steps: int) -> None:
    """How many items there are, and how large they are, is not seen by how many numbers there are."""
    tables: list[list[int]] = [[], [0, 0], [1], [9] * 20, list(range(30)), [1000]]
    for table in tables:
        rows, columns = staircase(np.array(table, dtype=np.int64), steps, steps + 1)
        assert (len(rows), len(columns)) == (steps, steps + 1)
        assert rows.dtype == columns.dtype == np.int64


def test_there_are_never_too_many_steps() -> None:
    assert [steps_for(many) for many in (-5, 0, 1, 3, 4, 5, 10**6)] == [(5, 1)] * 4 + [(8, 1)] * 2 + [(3002, 333)]
    assert steps_for(MAX_CONTRIBUTIONS) == (MAX_STEPS, MAX_STEPS)


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_staircase_without_noise_and_with_the_same_everywhere(neighbours: Neighbours) -> None:
    """Eight rows and a column; no item is shown."""
    made = shaped(ONE, 1, neighbours, None, method="staircase", people=4)
    for noise in (0, 3, -3):
        noisy = made.run(of_totals(np.array([1, 0, 3, 1, 2, 2])), Fixed(noise))
        assert isinstance(noisy, NoisyStaircase)
        assert (len(noisy.items), len(noisy.values)) == (0, 0)
        assert (noisy.rows - noise).tolist() == [2, 1, 1, 0, 0, 0, 0, 0]
        assert (noisy.columns - noise).tolist() == [5]


@pytest.mark.parametrize(("cells", "people", "rows", "columns"), [(None, 100, 44, 4), (3, 100, 3, 4), (None, 1, 5, 1)])
def test_as_many_rows_as_items_and_as_many_columns_as_people(
    cells: int | None, people: int, rows: int, columns: int
) -> None:
    """By public numbers alone: the same whatever the table."""
    made = shaped(ONE, 2, "add-remove", cells, method="staircase", people=people)
    for totals in ([], [1, 0, 3], [99] * 50):
        noisy = made.run(of_totals(np.array(totals, dtype=np.int64), bound=2), Fixed(0))
        assert isinstance(noisy, NoisyStaircase)
        assert (len(noisy.rows), len(noisy.columns)) == (rows, columns)
        assert (noisy.cells, noisy.max_count, noisy.people) == (cells or 2 * people, people, people)


def test_a_size_is_public_or_counted() -> None:
    assert limit_contributions(ONE, 3, people=100) == (ContributionLimit(300, people=100), ONE)
    assert limit_contributions(ONE, 3, people=2**62) == (ContributionLimit(MAX_CONTRIBUTIONS, people=2**62), ONE)
    limit, left = limit_contributions(ONE, 3, people=None)
    assert limit.event is not None
    assert limit.event.sensitivity / limit.event.scale == COUNT_SHARE == 1 - left


@pytest.mark.parametrize("total", [0, 5, 10**6])
def test_a_size_is_never_below_1(total: int) -> None:
    """Whatever the noise; and seven scales are added to it. A public one does not depend on what there is."""
    counted, _ = limit_contributions(ONE, 1, people=None)
    assert SAFETY_SCALES == 7
    assert counted.draw(total, Fixed(0)) == total + 7 * 50
    assert counted.draw(total, Fixed(-(10**9))) == 1
    assert counted.draw(total, Fixed(2**62)) == MAX_CONTRIBUTIONS
    assert [ContributionLimit(max_items).draw(total, Fixed(99)) for max_items in (0, 1, 8)] == [1, 1, 8]


class Keys(Fixed):
    """No noise, and another key each time; it remembers how many."""

    def __init__(self, first: int = 0) -> None:
        super().__init__(0)
        self.asked = first
        self.sizes: list[int] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self.sizes.append(size)
        return super().draw(distribution, size)

    def secret(self) -> bytes:
        self.asked += 1
        return self.asked.to_bytes(32, "big")


@pytest.mark.parametrize("buckets", [2, 3, 64, 10_000])
def test_hashing_keeps_all_totals(buckets: int) -> None:
    """All buckets are there, each with the sum of its items: as if every item were hashed alone."""
    made = shaped(ONE, 1, "add-remove", None, method="buckets", buckets=buckets)
    totals = np.array([5, 0, 1, 1, 7, 2, 1, 3], dtype=np.int64)
    noisy = made.run(of_totals(totals), Keys())
    assert (len(noisy.items), len(noisy.values)) == (0, buckets)
    alone = [made.run(of_totals(totals * (np.arange(8) == item)), Keys()).values for item in range(8)]
    assert [np.count_nonzero(each) for each in alone] == np.minimum(totals, 1).tolist()
    assert np.sum(alone, axis=0).tolist() == noisy.values.tolist()
    assert noisy.values.sum() == totals.sum()


def test_a_fresh_key_for_every_run() -> None:
    """One is asked for each time; and items fall elsewhere by another one, in the same place by the same."""
    made = shaped(ONE, 1, "add-remove", None, method="buckets", buckets=1000)
    totals, entropy = of_totals(np.arange(1, 20)), Keys()
    first, second = (made.run(totals, entropy).values.tolist() for _ in range(2))
    assert entropy.asked == 2
    assert first != second == made.run(totals, Keys(first=1)).values.tolist()


def test_every_bucket_gets_noise() -> None:
    """Also those that nobody is in. Two for each contribution, as they are counted; of a list each item has its
    own."""
    totals = of_totals(np.array([2, 0, 1]))
    counted = shaped(ONE, 1, "add-remove", None, method="buckets")
    public = shaped(ONE, 1, "add-remove", None, method="buckets", people=9)
    listed = shaped(ONE, 1, "add-remove", 3, method="buckets")
    drawn = []
    for made in (counted, public, listed):
        entropy = Keys()
        made.run(totals, entropy)
        drawn.append(entropy.sizes)
    assert drawn == [[1, 2 * (3 + 350)], [18], [3]]
    assert listed.run(totals, Fixed(5)).values.tolist() == [7, 5, 6]
    assert len(listed.run(totals, Fixed(5)).items) == 0


def test_all_numbers_have_noise_of_their_own() -> None:
    """Eight rows and a column are nine draws at once; if contributions are counted, with one draw before."""
    made = shaped(ONE, 1, "add-remove", None, method="staircase", people=4)
    counted = shaped(ONE, 1, "add-remove", None, method="staircase")
    for each, sizes in ((made, [9]), (counted, [1, 62])):
        entropy = Keys()
        each.run(of_totals(np.array([2, 1])), entropy)
        assert entropy.sizes == sizes


@pytest.mark.parametrize(
    ("asked", "cells", "kind", "events"),
    [
        ({"method": "auto"}, 8, Staircase, 2),
        ({"method": "staircase", "people": 5}, None, Staircase, 1),
        ({"method": "buckets"}, None, Buckets, 2),
        ({"method": "buckets", "people": 5}, None, Buckets, 1),
        ({"method": "buckets", "buckets": 9}, 8, Buckets, 1),
        ({"method": "buckets"}, 8, Buckets, 1),
    ],
)
def test_which_way_is_taken(asked: dict[str, Any], cells: int | None, kind: type, events: int) -> None:
    """By what was asked and is known. Only a public list is not hashed."""
    made: Staircase | Buckets = shaped(ONE, 1, "replace", cells, **asked)
    assert isinstance(made, kind)
    assert len(made.events) == events
    if isinstance(made, Buckets):
        assert made.hashed == (cells is None or asked.get("buckets") is not None)
