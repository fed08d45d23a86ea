"""What thresholds cost: the chance that an item which only one person has is shown, and the delta that follows.

An item is shown if its count plus noise is *at least* the threshold. One person may hold items that nobody else has;
for a neighbour without that person those items do not exist, so showing one of them is the event that delta pays for.
Proofs: docs/proofs/thresholds.md.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from flint import arb

from headcount.account import gaussian
from headcount.account.events import Gaussian, GaussianThreshold, LaplaceThreshold, Neighbours
from headcount.exact import ball, ends, gaussian_sum, precision

BITS = 192
SUMMED = 10_000
"""Up to this variance the tail of a discrete Gaussian is summed; above, it is bounded by the continuous tail."""


def people(neighbours: Neighbours) -> int:
    """How many people's contributions differ between neighbours."""
    return 2 if neighbours == "replace" else 1


def laplace_tail(scale: Fraction, k: int) -> arb:
    """P(Z >= k) for discrete Laplace noise Z."""
    q = ball(-1 / scale).exp()
    return q**k / (1 + q) if k >= 1 else 1 - q ** (1 - k) / (1 + q)


@lru_cache(maxsize=64)
def gaussian_total(variance: Fraction) -> arb:
    """The sum of all weights exp(-k^2 / (2 variance))."""
    with precision(BITS):
        return 1 + 2 * gaussian_sum(1, 1, variance)


@lru_cache(maxsize=1024)
def gaussian_tail(variance: Fraction, k: int) -> arb:
    """P(Z >= k) for discrete Gaussian noise Z; for a large variance an upper bound of it.

    The density is convex beyond one standard deviation, so there each term is at most the integral around it, and the
    sum of all weights is at least that of the continuous law (Poisson summation)."""
    with precision(BITS):
        if variance <= SUMMED:
            total = gaussian_total(variance)
            return gaussian_sum(k, 1, variance) / total if k >= 1 else 1 - gaussian_sum(1 - k, 1, variance) / total
        middle = Fraction(2 * k - 1, 2)
        return (
            (ball(middle) / (2 * ball(variance)).sqrt()).erfc() / 2 if middle > 0 and middle**2 > variance else arb(1)
        )


def laplace_delta(event: LaplaceThreshold) -> Fraction:
    """An upper bound of the delta, at epsilon = people * bound / scale.

    The chance p of showing an item of one person alone is largest when they put as much as possible on each item, or
    1 on each (a sum of convex functions). Then delta = p, unless p is so large that *not* showing tells something as
    well."""
    with precision(BITS):
        p = _any_shown(event)
        rest = 1 - (1 - p) * ball(1 / event.scale).exp()
        return min(Fraction(1), ends(p + rest.nonnegative_part())[1])


def _any_shown(event: LaplaceThreshold) -> arb:
    alone = 1 - laplace_tail(event.scale, event.threshold - 1)
    full = 1 - laplace_tail(event.scale, event.threshold - event.largest)
    many_small = 1 - alone**event.bound
    few_large = 1 - full ** ball(Fraction(event.bound, event.largest))
    return many_small.max(few_large)


def gaussian_shown(event: GaussianThreshold, items: int) -> arb:
    """An upper bound of the chance that one of so many items of one person alone is shown."""
    return 1 - (1 - gaussian_tail(event.variance, event.threshold - event.largest)) ** items


def gaussian_delta(epsilon: Fraction, event: GaussianThreshold) -> Fraction:
    """An upper bound of the delta at this epsilon: the largest over how many of a person's items are theirs alone.

    With k such items: p the chance that one is shown, g the price of the noise on the others. Forth: p + (1 - p)
    g(epsilon - log(1 - p)). Back: g(epsilon + log(1 - p)). If a person is replaced, the other's items count with
    their worst."""
    return min(Fraction(1), max(_delta_between(epsilon, event, low, high) for low, high in _blocks(event.items)))


def _delta_between(epsilon: Fraction, event: GaussianThreshold, low: int, high: int) -> Fraction:
    """An upper bound for every k in low .. high: p grows with k, the noise's price falls with k, delta grows with
    both."""
    with precision(BITS):
        p, worst = gaussian_shown(event, high), gaussian_shown(event, event.items)
        if not worst < 1:
            return Fraction(1)
        missed = (1 - p).log()
        other = (1 - worst).log() if event.neighbours == "replace" else arb(0)
        forth, back = ends(ball(epsilon) - missed + other)[0], ends(ball(epsilon) + missed)[0]
    noise = shared_noise(event, low)
    chance = ends(p)[1]
    return max(chance + (1 - chance) * gaussian.discrete_delta(forth, noise), gaussian.discrete_delta(back, noise))


def shared_noise(event: GaussianThreshold, alone: int) -> list[Gaussian]:
    """The Gaussian event on the items that both neighbours have, if `alone` of one person's items are theirs alone."""
    cells = people(event.neighbours) * event.items - alone
    if cells == 0:
        return []
    return [Gaussian(variance=event.variance, squared_sensitivity=Fraction(event.largest**2 * cells), cells=cells)]


def _blocks(items: int) -> Iterator[tuple[int, int]]:
    """0 .. items in blocks: one by one up to 50, then 2% at a time, and the last one alone."""
    low = 0
    while low < items:
        high = max(low, min(items - 1, low + low // 50))
        yield low, high
        low = high + 1
    yield items, items
