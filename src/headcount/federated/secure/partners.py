"""Who shares secrets with whom: a ring in random order, on which everybody's partners are the nearest.

Of n people who begin, at least m are *counted on*: their vectors come, and they tell nobody their secrets. The server
may know the secrets of all others, whose places are independent of the order, which is drawn afterwards. Then it learns
the sum of the vectors of those m, and nothing else about them, unless

- those m are not connected by being partners: then at least `partners / 2` places in a row are of others, which has a
  chance of at most n ((n - m) / n)^(partners / 2);
- or one of them has `threshold` partners among the others, who could restore both secrets: n times the tail of a
  hypergeometric law (Bell et al. 2020, section 3.3, with the random ring of their experiments).

The threshold is above half of the partners, so that no two groups of them, with different lists of who answered,
restore both secrets of a person. Both bounds rise with n, so that they are computed for as many people as there can be.
If everybody is everybody's partner, there is no chance: the threshold is above the number of all others.
"""

from bisect import bisect
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb

MAX_PARTNERS = 1000
MAX_FAILURE = Fraction(1, 2**40)
"""Largest chance that the server can learn more than the sum."""
MAX_UNFINISHED = Fraction(1, 10**6)
"""Largest chance that a sum ends without a result although enough people answer, if dropouts are at random."""


def partners_of(number: int, joined: int, partners: int) -> list[int]:
    """The partners of a person by their place on the ring of all who joined."""
    if joined - 1 <= partners:
        return [other for other in range(joined) if other != number]
    half = partners // 2
    return sorted((number + step) % joined for step in (*range(-half, 0), *range(1, half + 1)))


@lru_cache(maxsize=256)
def failure(people: int, counted_on: int, partners: int, threshold: int) -> Fraction:
    """A bound on the chance that the server can learn more than the sum of those who are counted on."""
    others = people - counted_on
    if min(people, partners + 1) - counted_on >= threshold:  # all others may be partners of one person
        return Fraction(1)
    if people - 1 <= partners:
        return Fraction(0)
    apart = Fraction(others, people) ** (partners // 2)
    return min(Fraction(1), people * (apart + _tail(people - 1, others, partners, threshold)))


@lru_cache(maxsize=256)
def unfinished(people: int, minimum: int, partners: int, threshold: int) -> Fraction:
    """A bound on the chance that some secret cannot be restored, if people drop out at random and `minimum` stay."""
    if people - 1 <= partners:
        return Fraction(minimum - 1 < threshold)
    return min(Fraction(1), people * _tail(people - 1, people - minimum, partners, partners - threshold + 1))


@lru_cache(maxsize=256)
def arrangement(people: int, minimum: int, counted_on: int) -> tuple[int, int] | None:
    """The fewest partners and the least threshold that are safe and end; None if there are none."""
    for partners in _numbers_of_partners(people):
        threshold = _least_threshold(people, counted_on, partners)
        if threshold and unfinished(people, minimum, partners, threshold) <= MAX_UNFINISHED:
            return partners, threshold
    return None if people > MAX_PARTNERS else everybody(people, minimum, counted_on)


def everybody(people: int, minimum: int, counted_on: int) -> tuple[int, int] | None:
    """Everybody is everybody's partner: their number, made even, and the least threshold; None if too few stay."""
    threshold = max(2, people - counted_on + 1, (people - 1) // 2 + 1)
    return (people - people % 2, threshold) if threshold <= minimum - 1 else None


def _least_threshold(people: int, counted_on: int, partners: int) -> int:
    """The least threshold above half of these partners that is safe with them; 0 if there is none."""
    found = range(partners // 2 + 1, partners + 1)
    place = bisect(found, False, key=lambda each: failure(people, counted_on, partners, each) <= MAX_FAILURE)
    return found[place] if place < len(found) else 0


def _numbers_of_partners(people: int) -> Iterator[int]:
    """Numbers to try, each a tenth more than the one before, and fewer than everybody."""
    partners = 2
    while partners < min(people - 1, MAX_PARTNERS):
        yield partners
        partners += max(2, partners // 20 * 2)


def _tail(people: int, others: int, draws: int, least: int) -> Fraction:
    """The chance that at least `least` of the drawn people are of the others."""
    return _tails(people, others, draws)[max(least, 0)] if least <= draws else Fraction(0)


@lru_cache(maxsize=256)
def _tails(people: int, others: int, draws: int) -> tuple[Fraction, ...]:
    """The chances that at least 0, 1, ..., `draws` of the drawn people are of the others."""
    ways = list(accumulate(reversed(list(_ways(people, others, draws)))))
    return tuple(Fraction(each, comb(people, draws)) for each in reversed(ways))


def _ways(people: int, others: int, draws: int) -> Iterator[int]:
    """In how many ways 0, 1, ..., `draws` of the drawn people are of the others."""
    return (comb(others, found) * comb(people - others, draws - found) for found in range(draws + 1))
