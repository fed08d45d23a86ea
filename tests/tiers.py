"""Which tests are in which tier, by their marks and by what they took: see `conftest.py`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

import pytest

from tests.seconds import recorded


@dataclass(frozen=True)
class Tiers:
    """The tests that were collected."""

    everything: Sequence[pytest.Item]
    quick: frozenset[str]
    """The ids of those in the quick tier: of the full one, those that take least, for some minutes together."""
    full: frozenset[str]
    """The ids of those in the full tier."""
    long: frozenset[str]
    """The ids of those in the long tier: of the same tests by day, those a case of which takes long."""

    @classmethod
    def of(cls, items: Sequence[pytest.Item]) -> Tiers:
        functions = groupby(sorted(items, key=function), key=function)
        day = [item for _, cases in functions for item in _within(_full_cases(list(cases)), recorded())]
        long = frozenset(item.nodeid for item in day if _is_long(item, recorded()))
        full = {item.nodeid: item for item in day if item.nodeid not in long}
        return cls(list(items), frozenset(_cheapest(list(full.values()), recorded())), frozenset(full), long)

    def chosen(self, config: pytest.Config) -> frozenset[str]:
        """The ids of those that the command line asks for."""
        return self.long if config.getoption("--long") else self.full if config.getoption("--all") else self.quick


TIERS = pytest.StashKey[Tiers]()
QUICK_SECONDS = 700.0
"""Recorded seconds of all cases of the quick tier, one after another."""
NOT_RECORDED = 1.0
"""Seconds that a case of a new test is taken to last."""
FUNCTION_SECONDS = 4.0
"""Recorded seconds of all cases of one test in the full tier, but for one case, which always runs."""
LONG_SECONDS = 5.0
"""A test a case of which took longer, as recorded, is in the long tier instead, unless a mark keeps it in the full."""
MANY_CASES, SAMPLED_CASES = 6, 3
"""A test with more cases than this is sampled in the full tier, one case in so many."""


def function(item: pytest.Item) -> str:
    """File and name of a test, without its case."""
    return item.nodeid.partition("[")[0]


def case(item: pytest.Item) -> str:
    """The id of a case; nothing where a test has but one."""
    return item.callspec.id if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ""


def siblings(item: pytest.Item) -> list[str]:
    """The tests that stand for a slow one in the full tier: itself, by some of its cases, or those that it names."""
    named = [mark.kwargs["sibling"] for mark in item.iter_markers("slow") if "sibling" in mark.kwargs]
    return [f"{item.nodeid.partition('::')[0]}::{name}" for name in named] or [function(item)]


def _full_cases(cases: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The cases of one function that are in the full tier: by its marks; without any, of many cases one in three."""
    first = min(cases, key=lambda case: (_is_left_out(case), _digest(case)))
    return [case for case in cases if _is_full(case, len(cases), alone=case is first)]


def _within(cases: Sequence[pytest.Item], seconds: Mapping[str, float]) -> Sequence[pytest.Item]:
    """As many of the cases as there is time for, by their ids; all that a mark asks for."""
    if any(map(_is_kept, cases)):
        return cases
    many = FUNCTION_SECONDS / seconds.get(function(cases[0]), NOT_RECORDED) if cases else 0
    return sorted(cases, key=_digest)[: max(1, int(many))]


def _is_long(item: pytest.Item, seconds: Mapping[str, float]) -> bool:
    return seconds.get(function(item), NOT_RECORDED) > LONG_SECONDS and not _is_kept(item)


def _is_kept(item: pytest.Item) -> bool:
    """Whether a mark keeps a case in the full tier, however long it takes."""
    named = any(case(item) in mark.kwargs.get("but", ()) for mark in item.iter_markers("slow"))
    return named or item.get_closest_marker("every_case") is not None


def _is_full(item: pytest.Item, cases: int, *, alone: bool) -> bool:
    """Whether a case is in the full tier; `alone` says that it stands for its function if no other case does."""
    marks = [mark.kwargs for mark in item.iter_markers("slow")]
    if marks or cases <= MANY_CASES or item.get_closest_marker("every_case"):
        return all(_stays(item, alone=alone, **each) for each in marks)
    return alone or _digest(item) % SAMPLED_CASES == 0


def _is_left_out(item: pytest.Item) -> bool:
    """Whether a case is marked slow by itself, for which the others of its function stand."""
    return any(not mark.kwargs for mark in item.iter_markers("slow"))


def _stays(item: pytest.Item, *, alone: bool, one_in: int = 0, but: Sequence[str] = (), sibling: str = "") -> bool:
    """Whether a test stands for itself, or for others of its file."""
    sampled = one_in > 0 and (alone or _digest(item) % one_in == 0)
    return sampled or case(item) in but or function(item).endswith(f"::{sibling}")


def _cheapest(items: Sequence[pytest.Item], seconds: Mapping[str, float]) -> list[str]:
    """The ids of the cases that take least, as many as there is time for; at least one of each file."""
    ordered = sorted(items, key=lambda item: (seconds.get(function(item), NOT_RECORDED), _digest(item)))
    taken = accumulate(seconds.get(function(item), NOT_RECORDED) for item in ordered)
    first = {item.path: item.nodeid for item in reversed(ordered)}
    within = [item.nodeid for item, total in zip(ordered, taken, strict=True) if total <= QUICK_SECONDS]
    return [*within, *first.values()]


def _digest(item: pytest.Item) -> int:
    """A number that depends on the test's id alone: it samples cases, whatever order they come in."""
    return int.from_bytes(hashlib.sha256(item.nodeid.encode()).digest())
