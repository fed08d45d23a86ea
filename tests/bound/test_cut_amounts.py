"""Amounts of public items, each cut to [0, cut]: the same by number and on the engine, and by plain arithmetic."""

from collections import defaultdict
from math import floor, isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.groups import LISTED, SECRET, Rows, contributed

from headcount.bound import CutAmounts, attained
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.scales.amounts import GRID, LARGEST_AMOUNT

BOTH = pytest.mark.parametrize("encoded", [True, False], ids=["by number", "on the engine"])
amounts = st.one_of(
    st.sampled_from([None, float("nan"), -0.0, 1e300, -1e300, 1 / GRID, -1e-9, 1e12, -1e12]),
    st.floats(-1e13, 1e13),
    st.integers(-300, 9_000).map(lambda number: number / 100),
)
rows_of = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abcd"), amounts), min_size=1, max_size=25)
boundings = st.builds(
    CutAmounts, st.just(4), st.sampled_from([1, 7, 50, 10**6, 10**12]), st.just(2), bits=st.integers(2, 28)
)


def bounded(rows: Rows, bounding: CutAmounts, *, encoded: bool) -> list[int]:
    with contributed(rows, LISTED).read(ReadPlan(encoded=encoded)) as read:
        found = bounding.bound(read, SECRET, LISTED)
    assert found.items.equals(LISTED)
    totals: list[int] = found.totals.tolist()
    return totals


def by_hand(rows: Rows, bounding: CutAmounts) -> list[int]:
    """In units: each person's sum of an item, cut, in whole parts."""
    sums: dict[tuple[int, str], int] = defaultdict(int)
    for user, item, amount in rows:
        if amount is not None and not isnan(amount):
            sums[user, item] += floor(min(max(amount, -LARGEST_AMOUNT), LARGEST_AMOUNT) * GRID)
    part = round(bounding.amount_of_part * GRID)
    cut = {key: min(max(total, 0), bounding.cut * GRID) // part for key, total in sums.items()}
    return [2 * sum(each for (_, item), each in cut.items() if item == key) for key in LISTED["item0"].to_pylist()]


@given(rows_of, boundings)
@settings(max_examples=examples(60), deadline=None)
def test_amounts_are_cut_alike_everywhere(rows: Rows, bounding: CutAmounts) -> None:
    expected = by_hand(rows, bounding)
    assert [bounded(rows, bounding, encoded=encoded) for encoded in (True, False)] == [expected, expected]


@BOTH
def test_what_is_negative_missing_or_too_much(encoded: bool) -> None:
    """Rows of one item are added before they are cut; whoever has less than nothing takes nothing from others."""
    rows: Rows = [(1, "a", 5.0), (1, "a", -2.0), (2, "a", -90.0), (3, "a", None), (1, "b", 80.0), (2, "b", 49.5)]
    halves = 2 * GRID
    assert bounded(rows, CutAmounts(4, 50, 2), encoded=encoded) == [3 * halves, 99 * halves + halves // 2, 0, 0]


@pytest.mark.parametrize("cut", [1, 50, 10**6, 10**12])
@BOTH
def test_a_person_attains_what_noise_is_for(cut: int, encoded: bool) -> None:
    """One with more than the cut of everything; all the others add no more to any item."""
    bounding, rich = CutAmounts(3, cut, 2), [(1, item, 1e300) for item in "abc"]
    with contributed([*rich, (2, "a", -1e300), (3, "b", cut * 2.0)]).read(ReadPlan(encoded=encoded)) as read:
        assert attained(bounding.kept(read, SECRET)) == bounding.sensitivity
    assert bounding.sensitivity.largest == 2 * bounding.parts < 2**29
    assert bounding.parts * bounding.amount_of_part == pytest.approx(cut, rel=1e-8)
    assert bounding.limit == cut


def test_small_cuts_keep_every_digit_and_large_ones_eight() -> None:
    """A part is 1/1024 up to a cut of 262,143; beyond, it is less than one in 2^27 of the cut."""
    assert CutAmounts(3, 262_143, 2).amount_of_part == 1 / GRID
    assert CutAmounts(3, 262_144, 2).amount_of_part == 2 / GRID
    assert CutAmounts(3, 10**12, 2).amount_of_part <= 10**12 / 2**27


def test_a_longer_list_than_noise_is_for_is_refused() -> None:
    rows: Rows = [(1, "a", 1.0)]
    with contributed(rows, LISTED).read() as read:
        with pytest.raises(AssertionError, match="no more items"):
            CutAmounts(3, 5, 2).bound(read, SECRET, LISTED)
        with pytest.raises(AssertionError, match="public"):
            CutAmounts(4, 5, 2).bound(read, SECRET, None)


def test_rows_of_other_items_do_not_count() -> None:
    rows: Rows = [(1, "elsewhere", 9.0), (1, "a", 1.0)]
    assert bounded(rows, CutAmounts(4, 50, 2), encoded=True) == [2 * GRID, 0, 0, 0]
