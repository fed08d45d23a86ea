"""Calibration of noise and thresholds to a given epsilon and delta. Every result is checked against its certified
price.

The search works on a decimal grid of 12 digits and returns the least point whose *certified* price fits, so the
noise is never too little, and never more than one part in 10^11 too much.
"""

from bisect import bisect
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt, sqrt
from statistics import NormalDist

from headcount.account.calibration.least import least, rough
from headcount.account.curves import gaussian, threshold, zcdp
from headcount.account.events import (
    Gaussian,
    GaussianThreshold,
    JointRound,
    LaplaceThreshold,
    Neighbours,
    RandomizedThreshold,
    Selections,
    ThresholdRound,
    WeightedThreshold,
)
from headcount.errors import BadParameter
from headcount.exact import Number, ball, ends, positive, precision, rational, round_down, round_up, whole

COIN_PARTS = 1000
"""Probabilities of a threshold's coin are multiples of one in this many."""


def laplace_scale(epsilon: Number, sensitivity: Number) -> Fraction:
    """Scale of discrete Laplace noise for a pure epsilon: exactly sensitivity / epsilon."""
    return _positive("sensitivity", sensitivity) / _positive("epsilon", epsilon)


def analytic_sigma(epsilon: Number, delta: Number, squared_sensitivity: Number = Fraction(1)) -> Fraction:
    """Standard deviation of *continuous* Gaussian noise (Balle & Wang 2018), to compare with."""
    squared = _positive("squared_sensitivity", squared_sensitivity)
    return _analytic_sigma(_positive("epsilon", epsilon), _delta(delta), squared)


@lru_cache(maxsize=64)
def _analytic_sigma(epsilon: Fraction, delta: Fraction, squared: Fraction) -> Fraction:
    def price(sigma: Fraction) -> Fraction:
        return gaussian.continuous_delta(epsilon, squared / sigma**2)

    return least(price, delta, start=Fraction(1))


def gaussian_variance(epsilon: Number, delta: Number, squared_sensitivity: Number, cells: int) -> Fraction:
    """Variance of discrete Gaussian noise on `cells` integers."""
    squared = _positive("squared_sensitivity", squared_sensitivity)
    return _gaussian_variance(_positive("epsilon", epsilon), _delta(delta), squared, cells)


@lru_cache(maxsize=256)  # a plan, its checks and each of its releases need the same
def _gaussian_variance(epsilon: Fraction, delta: Fraction, squared: Fraction, cells: int) -> Fraction:
    def noise(variance: Fraction) -> list[Gaussian]:
        return [Gaussian(variance=variance, squared_sensitivity=squared, cells=cells)]

    def price(variance: Fraction) -> Fraction:
        return gaussian.discrete_delta(epsilon, noise(variance))

    return least(price, delta, squared, _near(epsilon, delta, noise(squared), squared))


def laplace_threshold(
    scale: Fraction, delta: Number, *, bound: int, largest: int, neighbours: Neighbours = "add-remove"
) -> int:
    """Least threshold at which discrete Laplace noise shows items of one person alone with probability at most
    delta."""
    delta = _delta(delta)

    def fits(threshold_: int) -> bool:
        event = LaplaceThreshold(scale, bound=bound, largest=largest, threshold=threshold_, neighbours=neighbours)
        return threshold.laplace_delta(event) <= delta

    return _least_whole(fits, above=largest)


def randomized_threshold(
    scale: Fraction, delta: Number, *, bound: int, largest: int, neighbours: Neighbours = "add-remove"
) -> RandomizedThreshold:
    """The least threshold, with the likeliest coin: it uses up what an integer leaves of delta."""
    delta = _delta(delta)
    minimum = laplace_threshold(scale, delta, bound=bound, largest=largest, neighbours=neighbours)

    def event(parts: int) -> RandomizedThreshold:
        return RandomizedThreshold(scale, bound, largest, minimum, neighbours, Fraction(parts, COIN_PARTS))

    likeliest = bisect(range(1, COIN_PARTS), False, key=lambda parts: threshold.laplace_delta(event(parts)) > delta)
    return event(likeliest)


def gaussian_threshold(variance: Fraction, delta: Number, *, items: int, largest: int) -> int:
    """Least threshold at which discrete Gaussian noise shows items of one person alone with probability at most delta.

    This is the delta of delta-approximate zCDP. For an (epsilon, delta) that noise and threshold share, see
    `joint_gaussian`."""
    delta = _delta(delta)

    def fits(threshold_: int) -> bool:
        event = GaussianThreshold(variance, items, largest, threshold_, "add-remove")
        with precision(threshold.BITS):
            return ends(threshold.gaussian_shown_probability(event, items))[1] <= delta

    return _least_whole(fits, above=largest)


def joint_gaussian(
    epsilon: Number, delta: Number, *, items: int, largest: int, neighbours: Neighbours = "add-remove"
) -> GaussianThreshold:
    """Variance and threshold that *share* delta instead of splitting it: what a person alone puts on new items
    is missing from the items that everybody sees, so the two prices never add up in full."""
    epsilon, delta = _positive("epsilon", epsilon), _delta(delta)
    cells = threshold.changed_people(neighbours) * whole("items", items, minimum=1, fix="items=10")
    shift = _replacement_shift(delta, neighbours)
    if epsilon + shift <= 0:
        raise BadParameter(
            f"delta={float(delta)}: too large for this epsilon if a person is replaced.", fix="delta=1e-6"
        )
    variance = gaussian_variance(epsilon + shift, delta, Fraction(largest**2 * cells), cells)
    minimum = gaussian_threshold(variance, delta, items=items, largest=largest)

    def fits(threshold_: int) -> bool:
        event = GaussianThreshold(variance, items, largest, threshold_, neighbours)
        return threshold.gaussian_delta(epsilon, event) <= delta

    return GaussianThreshold(variance, items, largest, _least_whole(fits, above=minimum - 1), neighbours)


def gaussians(epsilon: Number, delta: Number, parts: Sequence[tuple[Fraction, Fraction, int]]) -> list[Gaussian]:
    """Calibrate several discrete Gaussian events, composed: each part is its share of the price, its squared
    sensitivity, and the number of cells that a person can change."""
    return list(_gaussians(_positive("epsilon", epsilon), _delta(delta), tuple(parts)))


@lru_cache(maxsize=64)  # the rounds of every table have the same
def _gaussians(
    epsilon: Fraction, delta: Fraction, parts: tuple[tuple[Fraction, Fraction, int], ...]
) -> tuple[Gaussian, ...]:
    def noise(variance: Fraction) -> tuple[Gaussian, ...]:
        return tuple(Gaussian(round_up(variance * squared / share), squared, cells) for share, squared, cells in parts)

    def price(variance: Fraction) -> Fraction:
        return gaussian.discrete_delta(epsilon, noise(variance))

    near = _near(epsilon, delta, noise(Fraction(1)), Fraction(1))
    return noise(least(price, delta, Fraction(1), near))


def _near(epsilon: Fraction, delta: Fraction, noise: Sequence[Gaussian], start: Fraction) -> Fraction | None:
    """The variance, about, for which this noise has this price, if it is in proportion to its variance at the start."""
    known = [(float(each.variance / start), float(each.squared_sensitivity), each.cells) for each in noise]

    def price(variance: float) -> float:
        scaled = [(variance * size, squared, cells) for size, squared, cells in known]
        return gaussian.rough_delta(float(epsilon), scaled)

    return rough(price, delta, start)


def selections(
    epsilon: Number, delta: Number, count: int, beside: Sequence[tuple[Fraction, Fraction, int]] = ()
) -> tuple[Selections, list[Gaussian]]:
    """Calibrate selections, of which one person changes at most `count`, and additional Gaussian noise: each part of
    `beside` is its share of rho, its squared sensitivity, and the number of cells that a person can change. Without a
    delta, or for small counts, selections are priced by basic composition."""
    epsilon, delta = _positive("epsilon", epsilon), rational("delta", delta, fix="delta=1e-6")
    whole("count", count, minimum=1, fix="count=10")
    if not delta and beside:
        raise BadParameter("delta=0: the count of people has Gaussian noise.", fix="delta=1e-6")
    plain = round_down(epsilon / count)
    if not delta:
        return Selections(plain, count), []
    rho = zcdp.rho(epsilon, _delta(delta))
    rest = 1 - sum((share for share, _, _ in beside), start=Fraction(0))
    noise = [Gaussian(round_up(squared / (2 * share * rho)), squared, cells) for share, squared, cells in beside]
    joint = round_down(_root(8 * rest * rho / count))
    return Selections(joint if beside else max(joint, plain), count), noise


def _root(value: Fraction) -> Fraction:
    """Square root, rounded down to 20 digits."""
    return Fraction(isqrt(value.numerator * value.denominator * 10**40), value.denominator * 10**20)


SQUARED = 2**48
"""Squared l2 norm of one person's contribution to weighted counts, in units: the same for every bound."""


def weighted(
    epsilon: Number,
    delta: Number,
    *,
    items: int,
    beside: Sequence[tuple[Fraction, int]] = (),
    neighbours: Neighbours = "add-remove",
) -> tuple[WeightedThreshold, list[Gaussian]]:
    """Calibrate weighted counts with a threshold, and additional measurements: each part of `beside` is its share of
    the noise's price, and the number of cells that a person can change. Every measurement has units of its own, of
    which one person adds 2^24 (l2)."""
    epsilon, delta = _positive("epsilon", epsilon), _delta(delta)
    changed = threshold.changed_people(neighbours)

    def noise(variance: Fraction) -> list[Gaussian]:
        return [
            Gaussian(round_up(variance / share), Fraction(SQUARED * min(changed, cells)), changed * cells)
            for share, cells in beside
        ]

    rest = 1 - sum((share for share, _ in beside), start=Fraction(0))
    shift = _replacement_shift(delta, neighbours)
    noise_delta = delta * (1 - Fraction(3, 2 * threshold.SQUARE_BLOCKS))  # after own items that are a small share

    def every(variance: Fraction) -> list[Gaussian]:
        return [Gaussian(variance / rest, Fraction(SQUARED * changed), changed * items), *noise(variance)]

    def price(variance: Fraction) -> Fraction:
        return gaussian.discrete_delta(epsilon + shift, every(variance))

    start = Fraction(SQUARED)
    variance = least(price, noise_delta, start, _near(epsilon + shift, noise_delta, every(start), start))
    event = _weighted(epsilon, delta, round_up(variance / rest), items, noise(variance), neighbours)
    return event, noise(variance)


def _weighted(
    epsilon: Fraction, delta: Fraction, variance: Fraction, items: int, beside: list[Gaussian], neighbours: Neighbours
) -> WeightedThreshold:
    """The event with the least threshold on a grid of 1/256 standard deviations."""
    step = max(1, isqrt(int(variance)) // 256)

    def event(steps: int) -> WeightedThreshold:
        return WeightedThreshold(variance, Fraction(SQUARED), items, steps * step, neighbours)

    def hides(steps: int) -> bool:
        with precision(threshold.BITS):
            return ends(threshold.weighted_shown_probability(event(steps)))[1] <= delta

    def fits(steps: int) -> bool:
        return threshold.gaussian_delta(epsilon, event(steps), beside) <= delta

    minimum = _least_hiding(hides, step, delta, variance, items)  # far quicker to check
    return event(_least_whole(fits, above=minimum - 1))


ROUNDS_NOISE_SHARE, EARLY_ROUNDS_SHARE = Fraction(60, 100), Fraction(15, 100)
"""Share of delta for the noise of all rounds; and, of what is left for their thresholds, that of all but the last."""


def rounds(
    epsilon: Number,
    delta: Number,
    *,
    items: int,
    weights: Sequence[int],
    beside: Sequence[tuple[Fraction, int]] = (),
    neighbours: Neighbours = "add-remove",
    cells: int | None = None,
) -> tuple[list[ThresholdRound], list[Gaussian]]:
    """Calibrate rounds of weighted counts, whose noisy counts are averaged by `weights`, and additional measurements
    as in `weighted`. A round's price of noise is proportional to its weight, so the mean has the least variance. If
    shown items are counted as well, a person adds to up to `cells` of all."""
    epsilon, delta = _positive("epsilon", epsilon), _delta(delta)
    changed = threshold.changed_people(neighbours)
    rest = (1 - sum((share for share, _ in beside), start=Fraction(0))) / sum(weights)
    own = [(rest * weight, Fraction(SQUARED * changed), changed * (cells or items)) for weight in weights]
    others = [(share, Fraction(SQUARED * min(changed, cells)), changed * cells) for share, cells in beside]
    noise = gaussians(epsilon, delta * ROUNDS_NOISE_SHARE, [*own, *others])
    left = delta * (1 - ROUNDS_NOISE_SHARE)
    early = left * EARLY_ROUNDS_SHARE / max(len(weights) - 1, 1)
    found = []
    for index in range(1, len(weights) + 1):
        part = early if index < len(weights) else left - early * (index - 1)
        found.append(_round(part, noise[:index], weights[:index], items, neighbours, cells))
    return found, noise[len(weights) :]


def _round(
    delta: Fraction,
    noise: Sequence[Gaussian],
    weights: Sequence[int],
    items: int,
    neighbours: Neighbours,
    cells: int | None,
) -> ThresholdRound:
    """The last of these rounds with the least threshold on a grid of 1/256 standard deviations."""
    squares = sum((weight**2 * each.variance for weight, each in zip(weights, noise, strict=True)), start=Fraction(0))
    mean_variance = round_up(squares / sum(weights) ** 2)
    step = max(1, isqrt(int(mean_variance)) // 256)

    def event(steps: int) -> ThresholdRound:
        stated = noise[-1].variance, mean_variance, Fraction(SQUARED), items, steps * step, neighbours
        return ThresholdRound(*stated) if cells is None else JointRound(*stated, cells)

    def hides(steps: int) -> bool:
        with precision(threshold.BITS):
            return round_up(ends(threshold.round_shown_probability(event(steps)))[1]) <= delta

    return event(_least_hiding(hides, step, delta, mean_variance, items))


def _least_hiding(hides: Callable[[int], bool], step: int, delta: Fraction, variance: Fraction, items: int) -> int:
    """The least number of steps above one person's weight that hides their own items."""
    lowest, near = isqrt(SQUARED) // step, ceil(_needed(delta, variance, items) / step) - 1
    return _least_whole(hides, above=near if near > lowest and not hides(near) else lowest)


def _needed(delta: Fraction, variance: Fraction, items: int) -> float:
    """The threshold that hides a person's own items but for delta, about: where to begin the search; 0 if floating
    point has no number as small as delta."""
    noise = NormalDist(sigma=sqrt(variance))
    blocks = threshold.blocks_of_squares(Fraction(SQUARED), items)
    shares = [(float(delta / parts), adds) for parts, adds in blocks]
    return max(adds + 1 - noise.inv_cdf(share) if share else 0.0 for share, adds in shares)


def _replacement_shift(delta: Fraction, neighbours: Neighbours) -> Fraction:
    """Change of epsilon, not above 0, for the other person's own items if a person is replaced: log(1 - delta)."""
    with precision(threshold.BITS):
        return ends(ball(1 - delta).log())[0] if neighbours == "replace" else Fraction(0)


def _positive(name: str, value: Number) -> Fraction:
    return positive(name, value, fix=f"{name}=1")


def _delta(value: Number) -> Fraction:
    if not 0 < (delta := rational("delta", value, fix="delta=1e-6")) < 1:
        raise BadParameter(f"delta={value!r}: it lies between 0 and 1.", fix="delta=1e-6")
    return delta


def _least_whole(fits: Callable[[int], bool], above: int) -> int:
    """Least integer greater than `above` that fits."""
    step = 1
    while not fits(above + step):
        step *= 2
        if step > 2**62:
            raise ArithmeticError(f"nothing above {above} fits")
    low, high = above + step // 2, above + step  # low does not fit, or is `above` itself
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
