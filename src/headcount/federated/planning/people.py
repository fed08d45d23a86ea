"""Made-up people: what they have follows from their number alone, and is nobody's.

A few items are far more common than others: item k is as common as 1 / k, nearly, as words and songs are.
"""

from collections.abc import Sequence

import numpy as np

People = Sequence[Sequence[str]]
"""The items of each person."""
ITEMS = 1_000
"""Number of different items, if there is no list."""
LENGTH = 9
"""Number of characters of an item."""
GOLDEN, SILVER = 0.6180339887, 0.4142135624
CONSONANTS, VOWELS = "bdfghklmnprstvwz", "aeiou"


def names(count: int) -> list[str]:
    """Names of items that begin differently: `bada 0000`, `dada 0001`.

    >>> names(2)
    ['baba 0000', 'daba 0001']
    """
    return [f"{_syllables(number)} {number:04}" for number in range(count)]


def _syllables(number: int) -> str:
    first, rest = number % 16, number // 16
    return CONSONANTS[first] + VOWELS[rest % 5] + CONSONANTS[rest // 5 % 16] + VOWELS[rest // 80 % 5]


def with_items(people: int, keys: Sequence[str], items: int = 1) -> People:
    """People with this many items each, of these."""
    steps = np.arange(people)[:, None] * GOLDEN + np.arange(items) * SILVER
    places = np.floor(len(keys) ** (steps % 1)).astype(int).clip(1, len(keys)) - 1
    return [[keys[place] for place in sorted(set(row))] for row in places.tolist()]


def with_numbers(people: int, low: float, high: float) -> People:
    """People with a number each, spread evenly from `low` to `high`."""
    return [[repr(each)] for each in (low + (high - low) * (np.arange(people) * GOLDEN % 1)).tolist()]
