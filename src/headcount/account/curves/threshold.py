"""Price of thresholds: the probability that an item of one person alone is shown, and the resulting delta.

An item is shown if its count plus noise is *at least* the threshold. One person may have items that nobody else has;
for a neighbour without that person those items do not exist, so showing one of them is the event that delta pays for.
Proofs: docs/proofs/thresholds.md.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, singledispatch
from math import erfc, isqrt, sqrt

from flint import arb

from headcount.account.curves import gaussian
from headcount.account.events import (
    Event,
    Gaussian,
    GaussianThreshold,
    JointRound,
    LaplaceThreshold,
    Neighbours,
    RandomizedThreshold,
    ThresholdRound,
    WeightedThreshold,
    neighbours_of,
)
from headcount.exact import ball, ends, gaussian_sum, gaussian_total, precision

BITS = 192
MAX_SUMMED_VARIANCE = 10_000
"""Up to this variance the tail of a discrete Gaussian is summed; above, it is bounded by the continuous tail."""


def changed_people(neighbours: Neighbours) -> int:
    """Number of people whose contributions differ between neighbours."""
    return 2 if neighbours == "replace" else 1


def laplace_tail(scale: Fraction, k: int) -> arb:
    """P(Z >= k) for discrete Laplace noise Z."""
    q = ball(-1 / scale).exp()
    return q**k / (1 + q) if k >= 1 else 1 - q ** (1 - k) / (1 + q)


@lru_cache(maxsize=1024)
def gaussian_tail(variance: Fraction, k: int) -> arb:
    """P(Z >= k) for discrete Gaussian noise Z, or an upper bound for a large variance.

    The density is convex beyond one standard deviation, so there each term is at most the integral around it, and the
    sum of all weights is at least that of the continuous law (Poisson summation)."""
    with precision(BITS):
        if variance <= MAX_SUMMED_VARIANCE:
            total = gaussian_total(variance)
            return gaussian_sum(k, 1, variance) / total if k >= 1 else 1 - gaussian_sum(1 - k, 1, variance) / total
        middle = Fraction(2 * k - 1, 2)
        return (
            (ball(middle) / (2 * ball(variance)).sqrt()).erfc() / 2 if middle > 0 and middle**2 > variance else arb(1)
        )


def mean_tail(variance: Fraction) -> Callable[[int], arb]:
    """Upper bound on P(Z >= k), for each k, for a weighted mean Z, of this variance, of independent discrete Gaussian
    noise; at the current precision.

    Each of the noises is stochastically at most continuous noise of its variance plus 1, and so is their mean."""
    width = (2 * ball(variance)).sqrt()
    return lambda k: (arb(k - 1) / width).erfc() / 2


def laplace_delta(event: LaplaceThreshold) -> Fraction:
    """Upper bound on the delta, at epsilon = people * bound / scale.

    The probability p of showing an item of one person alone is largest when they add as much as possible to each item,
    or 1 to each (a sum of convex functions). Then delta = p, unless p is so large that *not* showing is informative as
    well."""
    with precision(BITS):
        p = _any_shown(event)
        rest = 1 - (1 - p) * ball(1 / event.scale).exp()
        return min(Fraction(1), ends(p + rest.nonnegative_part())[1])


def _any_shown(event: LaplaceThreshold) -> arb:
    alone = 1 - laplace_shown_probability(event, 1)
    full = 1 - laplace_shown_probability(event, event.largest)
    many_small = 1 - alone**event.bound
    few_large = 1 - full ** ball(Fraction(event.bound, event.largest))
    return many_small.max(few_large)


def laplace_shown_probability(event: LaplaceThreshold, count: int) -> arb:
    """The probability that an item with this count is shown."""
    short = event.threshold - count
    coin = ball(event.coin) if isinstance(event, RandomizedThreshold) else arb(0)
    return (1 - coin) * laplace_tail(event.scale, short) + coin * laplace_tail(event.scale, short - 1)


def gaussian_shown_probability(event: GaussianThreshold, items: int) -> arb:
    """Upper bound on the probability that one of `items` items of one person alone is shown."""
    return 1 - (1 - gaussian_tail(event.variance, event.threshold - event.largest)) ** items


@lru_cache(maxsize=256)  # what was calibrated is looked at again before it is drawn
def round_shown_probability(event: ThresholdRound) -> arb:
    """Upper bound on the probability that an item of one person alone is shown by this round's threshold."""
    with precision(BITS):
        return _max_shown(event, event.mean_variance, mean_tail(event.mean_variance), CLOSE)


def _max_shown(
    event: WeightedThreshold | ThresholdRound, variance: Fraction, tail: Callable[[int], arb], far: float
) -> arb:
    """Upper bound on the probability that one of a person's items is shown, given the tail of the noise.

    An item with a share y of a person's squares, y >= 1/items, adds at most the root of y * squared_sensitivity. So the
    probability that it is shown is at most y times the maximum over n = 1/y, taken in blocks of 5%."""
    blocks = blocks_of_squares(event.squared_sensitivity, event.items)
    maximum = arb(0)
    for most, short in _largest([(most, event.threshold - adds) for most, adds in blocks], variance, far):
        maximum = maximum.max(ball(most) * tail(short))
    return maximum


FAR, CLOSE = 16.0, 1.001
"""A block that is smaller than another by more than this factor, in floating point, is not the largest. The tails of
discrete noise of a large variance are within a factor of 8 of what is computed; those of a mean, within rounding."""
SMALLEST = 1e-290
"""Floating point has nearly all its digits from here on."""


def _largest(blocks: Sequence[tuple[Fraction, int]], variance: Fraction, far: float) -> Sequence[tuple[Fraction, int]]:
    """The blocks among which the maximum is: a look in floating point leaves most of them out."""
    if variance <= MAX_SUMMED_VARIANCE:
        return blocks
    width = sqrt(2 * variance)
    sizes = [float(most) * erfc((short - 1) / width) for most, short in blocks]
    if max(sizes) < SMALLEST:
        return blocks
    most = max(sizes) / far
    return [block for block, size in zip(blocks, sizes, strict=True) if size >= most]


@lru_cache(maxsize=64)
def blocks_of_squares(squared: Fraction, items: int) -> Sequence[tuple[Fraction, int]]:
    """For each block of n = 1/y, y a share of squares: the largest n, and the most that an item adds."""
    blocks, low, high = [], 64, 0  # parts of 1/64
    while high < 64 * items:
        high = min(low * 21 // 20, 64 * items)
        blocks.append((Fraction(high, 64), isqrt(64 * squared.numerator // (low * squared.denominator))))
        low = high
    return blocks


SQUARE_BLOCKS = 64
"""Number of blocks for the share of a person's squares that is theirs alone."""


def gaussian_delta(epsilon: Fraction, event: Event, beside: Sequence[Gaussian] = ()) -> Fraction:
    """Upper bound on the delta at this epsilon of the event and additional Gaussian noise: the maximum over how much of
    a person's contribution is theirs alone.

    In each case: p the probability that any of that part is shown, g the price of the noise on the rest. Forth:
    p + (1 - p) g(epsilon - log(1 - p)). Back: g(epsilon + log(1 - p)). If a person is replaced, the other's items count
    with their worst case."""
    return _gaussian_delta(epsilon, event, tuple(beside))


@lru_cache(maxsize=64)  # what was calibrated is looked at again before it is drawn
def _gaussian_delta(epsilon: Fraction, event: Event, beside: tuple[Gaussian, ...]) -> Fraction:
    with precision(BITS):
        worst = shown_probability(event)
        if not worst < 1:
            return Fraction(1)
        other = (1 - worst).log() if neighbours_of([event]) == "replace" else arb(0)
        priced = [(p, [*noise, *beside]) for p, noise in cases(event)]
        return min(Fraction(1), max(_delta_of(epsilon, p, other, noise) for p, noise in priced))


def _delta_of(epsilon: Fraction, p: arb, other: arb, noise: list[Gaussian]) -> Fraction:
    with precision(BITS):
        missed = (1 - p).log()
        forth, back = ends(ball(epsilon) - missed + other)[0], ends(ball(epsilon) + missed)[0]
        chance = ends(p)[1]
    return max(chance + (1 - chance) * gaussian.discrete_delta(forth, noise), gaussian.discrete_delta(back, noise))


@singledispatch
def shown_probability(event: Event) -> arb:
    """Upper bound on the probability that an item of one person alone is shown."""
    raise TypeError(f"{type(event).__name__} has no threshold with Gaussian noise")


@shown_probability.register
def _(event: GaussianThreshold) -> arb:
    return gaussian_shown_probability(event, event.items)


@shown_probability.register
def weighted_shown_probability(event: WeightedThreshold) -> arb:
    """Upper bound on the probability that an item of one person alone is shown, if all of their items are theirs
    alone."""
    return _max_shown(event, event.variance, lambda k: gaussian_tail(event.variance, k), FAR)


def shares_delta(event: Event) -> bool:
    """True if the event's Gaussian noise and its threshold can share a delta (`gaussian_delta`)."""
    return cases.dispatch(type(event)) is not cases.dispatch(object)


@singledispatch
def cases(event: Event) -> Iterator[tuple[arb, list[Gaussian]]]:
    """Yield for each block of cases an upper bound of p, and the noise at its most expensive: p grows with the part
    that is a person's alone, the noise's price falls with it, delta grows with both."""
    raise TypeError(f"{type(event).__name__} has no threshold with Gaussian noise")


@cases.register
def _(event: GaussianThreshold) -> Iterator[tuple[arb, list[Gaussian]]]:
    for low, high in _blocks(event.items):
        yield gaussian_shown_probability(event, high), shared_noise(event, low)


@cases.register
def _(event: WeightedThreshold) -> Iterator[tuple[arb, list[Gaussian]]]:
    worst = weighted_shown_probability(event)
    for part in range(SQUARE_BLOCKS):
        yield worst * (part + 1) / SQUARE_BLOCKS, weighted_noise(event, Fraction(part, SQUARE_BLOCKS))
    yield worst, weighted_noise(event, Fraction(1))


def weighted_noise(event: WeightedThreshold | ThresholdRound, alone: Fraction) -> list[Gaussian]:
    """Gaussian event on the items that both neighbours have, if this share of a person's squares is theirs alone."""
    squared = event.squared_sensitivity * (changed_people(event.neighbours) - alone)
    cells = event.cells if isinstance(event, JointRound) else event.items
    return [Gaussian(event.variance, squared, changed_people(event.neighbours) * cells)] if squared else []


def shared_noise(event: GaussianThreshold, alone: int) -> list[Gaussian]:
    """Gaussian event on the items that both neighbours have, if `alone` of one person's items are theirs alone."""
    cells = changed_people(event.neighbours) * event.items - alone
    if cells == 0:
        return []
    return [Gaussian(variance=event.variance, squared_sensitivity=Fraction(event.largest**2 * cells), cells=cells)]


def _blocks(items: int) -> Iterator[tuple[int, int]]:
    """Yield 0 .. items in blocks: one by one up to 50, then 2% at a time, and the last one alone."""
    low = 0
    while low < items:
        high = max(low, min(items - 1, low + low // 50))
        yield low, high
        low = high + 1
    yield items, items
