"""Enumerate small datasets, and the pairs that differ by one person.

A dataset is a tuple of people; a person is whatever they contributed, in the form that the mechanism under test
reads."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import TypeVar

from headcount.account.events import Neighbours

Person = TypeVar("Person")


def datasets(kinds: Sequence[Person], maximum: int) -> Iterator[tuple[Person, ...]]:
    """Every dataset of up to `maximum` people, each of one of the kinds (the order of people does not matter)."""
    for size in range(maximum + 1):
        yield from combinations_with_replacement(kinds, size)


def pairs(
    kinds: Sequence[Person], maximum: int, neighbours: Neighbours
) -> Iterator[tuple[tuple[Person, ...], tuple[Person, ...]]]:
    """Every unordered pair of neighbours among those datasets."""
    common: Iterable[tuple[Person, ...]] = datasets(kinds, maximum - 1)
    if neighbours == "add-remove":
        return (((*others, person), others) for others, person in product(common, kinds))
    return (
        ((*others, kinds[one]), (*others, kinds[other]))
        for others in common
        for other in range(len(kinds))
        for one in range(other)
    )
