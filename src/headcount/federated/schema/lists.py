"""Fields with many values: tuples in Python, arrays in JSON. Millions of numbers are checked at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, pairwise
from math import isfinite
from typing import Any

from headcount.federated.schema.kinds import Kind, Text, Whole

Row = tuple[str, int]
LONGEST_DOUBLE = 24
"""Most characters of a float."""


class ListKind(Kind):
    """Tuple of values."""

    def parse(self, name: str, plain: Any) -> Any:
        return tuple(plain) if isinstance(plain, list) else plain


@dataclass(frozen=True)
class Texts(ListKind):
    """Different texts."""

    text: Text
    max_count: int

    @property
    def words(self) -> str:
        each = self.text.words.removeprefix("a string ")
        return f"an array of at most {self.max_count:,} different strings, each {each},"

    @property
    def example(self) -> str:
        return '("apple", "pear")'

    def allows(self, value: Any) -> bool:
        if type(value) is not tuple or len(value) > self.max_count or not all(map(self.text.allows, value)):
            return False
        return len(set(value)) == len(value)


@dataclass(frozen=True)
class Counts(ListKind):
    """Pairs of a text and its count, by descending count, then by text."""

    text: Text
    count: Whole

    @property
    def words(self) -> str:
        return (
            f"an array of [item, count], the largest count first, then by the item's code points; each item once, "
            f"{self.text.words}; each count {self.count.words},"
        )

    @property
    def example(self) -> str:
        return '(("apple", 17),)'

    def parse(self, name: str, plain: Any) -> Any:
        return _tuples(plain)

    def allows(self, value: Any) -> bool:
        if not _are_pairs(value):
            return False
        texts = {text for text, _ in value if self.text.allows(text)}
        counted = all(self.count.allows(count) for _, count in value)
        return counted and len(texts) == len(value) and in_order(value) == value


def in_order(counts: Iterable[Row]) -> tuple[Row, ...]:
    """Sort by descending count, then by item."""
    return tuple(sorted(counts, key=lambda row: (-row[1], row[0])))


@dataclass(frozen=True)
class Wholes(ListKind):
    """Whole numbers in a range, at least one."""

    whole: Whole
    max_count: int

    @property
    def words(self) -> str:
        return f"an array of 1 to {self.max_count:,} numbers, each {self.whole.words},"

    @property
    def example(self) -> str:
        return "(3, 0)"

    def allows(self, value: Any) -> bool:
        whole = type(value) is tuple and set(map(type, value)) == {int} and len(value) <= self.max_count
        return whole and _within(value, self.whole)


@dataclass(frozen=True)
class Doubles(ListKind):
    """Rising 64-bit floats, each as the shortest text that reads as it."""

    max_count: int

    @property
    def words(self) -> str:
        return (
            f"an array of 2 to {self.max_count:,} rising 64-bit floats, each as a string: the shortest decimal that "
            'reads as it, as Python writes it (`"0.5"`, `"1e-07"`),'
        )

    @property
    def example(self) -> str:
        return "(0.0, 1000.0)"

    def parse(self, name: str, plain: Any) -> Any:
        texts = isinstance(plain, list) and all(type(each) is str and len(each) <= LONGEST_DOUBLE for each in plain)
        try:
            return tuple(map(float, plain)) if texts else plain
        except ValueError:
            return plain

    def plain(self, value: Any) -> Any:
        return [repr(each) for each in value]

    def allows(self, value: Any) -> bool:
        if type(value) is not tuple or not 2 <= len(value) <= self.max_count or set(map(type, value)) != {float}:
            return False
        return all(map(isfinite, value)) and all(low < high for low, high in pairwise(value))


@dataclass(frozen=True)
class Many(ListKind):
    """Values of one kind, at least one."""

    kind: Kind
    max_count: int

    @property
    def words(self) -> str:
        return f"an array of 1 to {self.max_count:,} values, each {self.kind.words}"

    @property
    def example(self) -> str:
        return f"({self.kind.example},)"

    def parse(self, name: str, plain: Any) -> Any:
        return tuple(self.kind.parse(name, each) for each in plain) if isinstance(plain, list) else plain

    def plain(self, value: Any) -> Any:
        return [self.kind.plain(each) for each in value]

    def allows(self, value: Any) -> bool:
        return type(value) is tuple and 1 <= len(value) <= self.max_count and all(map(self.kind.allows, value))


@dataclass(frozen=True)
class Pairs(ListKind):
    """Pairs of a bucket and an amount that is not 0, sorted."""

    bucket: Whole
    amount: Whole

    @property
    def words(self) -> str:
        return (
            f"an array of [bucket, amount], sorted; each bucket {self.bucket.words}, each amount {self.amount.words} "
            "but not 0,"
        )

    @property
    def example(self) -> str:
        return "((17, 1),)"

    def parse(self, name: str, plain: Any) -> Any:
        return _tuples(plain)

    def allows(self, value: Any) -> bool:
        if not _are_pairs(value):
            return False
        flat = tuple(chain.from_iterable(value))
        if not set(map(type, flat)) <= {int}:
            return False
        buckets, amounts = flat[::2], flat[1::2]
        fits = _within(buckets, self.bucket) and _within(amounts, self.amount) and 0 not in amounts
        return fits and list(value) == sorted(value)


@dataclass(frozen=True)
class Rows(ListKind):
    """Rows of a number and other values, by the number, which comes once."""

    kinds: tuple[Kind, ...]
    max_count: int

    @property
    def words(self) -> str:
        each = ", ".join(kind.words.rstrip(",") for kind in self.kinds)
        return f"an array of at most {self.max_count:,} arrays [{each}], by the first number, which comes once,"

    @property
    def example(self) -> str:
        return f"(({', '.join(kind.example for kind in self.kinds)}),)"

    def parse(self, name: str, plain: Any) -> Any:
        return _tuples(plain)

    def allows(self, value: Any) -> bool:
        if type(value) is not tuple or len(value) > self.max_count or not all(map(self._allows_row, value)):
            return False
        return all(before[0] < after[0] for before, after in pairwise(value))

    def _allows_row(self, row: Any) -> bool:
        if type(row) is not tuple or len(row) != len(self.kinds):
            return False
        return all(kind.allows(value) for kind, value in zip(self.kinds, row, strict=True))


def _within(numbers: Any, whole: Whole) -> bool:
    return not numbers or (whole.minimum <= min(numbers) and max(numbers) <= whole.maximum)


def _are_pairs(value: Any) -> bool:
    return type(value) is tuple and set(map(type, value)) <= {tuple} and set(map(len, value)) <= {2}


def _tuples(plain: Any) -> Any:
    if not isinstance(plain, list):
        return plain
    return tuple(tuple(each) if isinstance(each, list) else each for each in plain)
