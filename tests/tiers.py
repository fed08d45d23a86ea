"""Which tests are in which tier, by their marks: see `conftest.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Tiers:
    """The tests that were collected."""

    everything: Sequence[pytest.Item]
    quick: frozenset[str]
    """The ids of those in the quick tier."""

    @classmethod
    def of(cls, items: Sequence[pytest.Item]) -> Tiers:
        places: Counter[str] = Counter()
        cases = Counter(map(function, items))
        quick = set()
        for item in items:
            if _is_quick(item, places[function(item)], cases[function(item)]):
                quick.add(item.nodeid)
            places[function(item)] += 1
        return cls(list(items), frozenset(quick))


TIERS = pytest.StashKey[Tiers]()
MANY_CASES, SAMPLED_CASES = 6, 3
"""A test with more cases than this is sampled in the quick tier, one case in so many."""


def function(item: pytest.Item) -> str:
    """File and name of a test, without its case."""
    return item.nodeid.partition("[")[0]


def case(item: pytest.Item) -> str:
    """The id of a case; nothing where a test has but one."""
    return item.callspec.id if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ""


def siblings(item: pytest.Item) -> list[str]:
    """The tests that stand for a slow one in the quick tier: itself, by some of its cases, or those that it names."""
    named = [mark.kwargs["sibling"] for mark in item.iter_markers("slow") if "sibling" in mark.kwargs]
    return [f"{item.nodeid.partition('::')[0]}::{name}" for name in named] or [function(item)]


def _is_quick(item: pytest.Item, place: int, cases: int) -> bool:
    """Whether a test, of this place among the cases of its function, is in the quick tier: by its marks; without any,
    of a function with many cases one in three."""
    marks = [mark.kwargs for mark in item.iter_markers("slow")]
    if marks or cases <= MANY_CASES or item.get_closest_marker("every_case"):
        return all(_stays(item, place, **each) for each in marks)
    return place % SAMPLED_CASES == 0


def _stays(item: pytest.Item, place: int, one_in: int = 0, but: Sequence[str] = (), sibling: str = "") -> bool:
    """Whether a test stands for itself, or for others of its file."""
    return case(item) in but or (one_in > 0 and place % one_in == 0) or function(item).endswith(f"::{sibling}")
