"""Calibration of sample-and-threshold: the rate and threshold for a given epsilon and delta.

Every result is checked against its certified price. Rates are rounded down to 12 digits. Delta grows with the rate and
falls with the threshold (`sampling`), so either is found as a root.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import exp, inf, log

from headcount.account.curves import sampling
from headcount.account.events import Neighbours, SampleThreshold
from headcount.errors import BadParameter
from headcount.exact import Number, ball, ends, positive, precision, rational, round_down, whole

MIN_RATE = Fraction(1, 10**9)
"""Smallest rate: a lower one would count hardly any report."""
MAX_THRESHOLD = 2**20


def largest_rate(
    epsilon: Number, delta: Number, *, threshold: int, items: int = 1, neighbours: Neighbours = "add-remove"
) -> Fraction:
    """Largest rate that a threshold allows.

    >>> round(float(largest_rate(1, "1e-6", threshold=15)), 6)
    0.270486
    """
    target = _parse_target(epsilon, delta, items, neighbours)
    return _largest_rate(target, whole("threshold", threshold, minimum=2, fix="threshold=20"))


def min_threshold(
    epsilon: Number, delta: Number, *, rate: Number, items: int = 1, neighbours: Neighbours = "add-remove"
) -> int:
    """Least threshold that a rate allows.

    >>> min_threshold(1, "1e-6", rate="0.25")
    14
    """
    target, p = _parse_target(epsilon, delta, items, neighbours), rational("rate", rate, fix="rate=0.1")
    high = 2
    while not target.fits(p, high):
        high *= 2
        if high > MAX_THRESHOLD:
            raise BadParameter(
                f"rate={float(p):g}: no threshold up to {MAX_THRESHOLD:,} is enough.", fix="rate=0.1, or more epsilon"
            )
    return bisect_left(range(high), True, lo=max(2, high // 2), key=lambda threshold: target.fits(p, threshold))


def best(
    epsilon: Number, delta: Number, *, items: int = 1, neighbours: Neighbours = "add-remove", known: int = 0
) -> SampleThreshold:
    """Rate and threshold with the least (threshold + known) / rate: about the count that is shown half of the time, if
    the counts that are shown are larger by `known`, the reports of which a reader knows."""
    target = _parse_target(epsilon, delta, items, neighbours)
    threshold = _best_threshold(target, whole("known", known, minimum=0, fix="known=1"))
    return target.event(_largest_rate(target, threshold), threshold)


def paper(epsilon: Number, delta: Number, *, items: int = 1, neighbours: Neighbours = "add-remove") -> SampleThreshold:
    """Rule of Bharadwaj and Cormode 2022: a threshold of 3 + ln(1/delta), a rate of (1 - e^-epsilon) / threshold. For
    comparison: it samples an eighth of the reports that it could.

    Its proof is for one report, added or removed, and an epsilon of at most 1. More reports share epsilon and delta
    evenly. If a report is replaced, the item that it moves to leaks up to -ln(1 - rate) as well, which is subtracted
    from epsilon."""
    target = _parse_target(epsilon, delta, items, neighbours)
    if (share := target.epsilon / items) > 1:
        raise BadParameter(
            f"epsilon={float(target.epsilon):g}, items={items}: the paper proves its rule for at most 1 each.",
            fix=f"epsilon={items}, or the exact rule",
        )
    with precision(sampling.BITS):
        threshold = int(-(-ends(3 + (items / ball(target.delta)).log())[1] // 1))
        rate = (1 - (-ball(share)).exp()) / threshold
        if neighbours == "replace":
            rate = (1 - (-ball(share)).exp() / (1 - rate)) / threshold
        event = target.event(round_down(ends(rate)[0]), threshold)
    if not target.fits(event.rate, threshold):
        raise ArithmeticError(f"the paper's rule does not hold at {event}")
    return event


@dataclass(frozen=True)
class _Target:
    """Budget to calibrate for, with the number of items and the neighbouring relation."""

    epsilon: Fraction
    delta: Fraction
    items: int
    neighbours: Neighbours

    def event(self, rate: Fraction, threshold: int) -> SampleThreshold:
        return SampleThreshold(rate, threshold, self.items, self.neighbours, self.epsilon)

    def fits(self, rate: Fraction, threshold: int) -> bool:
        return sampling.delta(self.event(rate, threshold)) <= self.delta

    def odds(self, threshold: int, near: float, within: float) -> float:
        """Log odds log(p / (1 - p)) of the largest rate, searched near a guess, with log delta accurate to `within`."""

        def excess(odds: float) -> float:
            price = sampling.delta(self.event(_rate(odds), threshold))
            return log(max(float(price), 1e-300)) - log(self.delta)

        return _root(excess, near, within)


def _parse_target(epsilon: Number, delta: Number, items: int, neighbours: Neighbours) -> _Target:
    within = rational("delta", delta, fix="delta=1e-6")
    if not 0 < within < 1:
        raise BadParameter(
            f"delta={delta!r}: it lies between 0 and 1; a sample without noise needs one.", fix="delta=1e-6"
        )
    whole("items", items, minimum=1, fix="items=10")
    return _Target(positive("epsilon", epsilon, fix="epsilon=1"), within, items, neighbours)


def _rate(odds: float) -> Fraction:
    return Fraction(1 / (1 + exp(-odds)))


@lru_cache(maxsize=256)
def _largest_rate(target: _Target, threshold: int) -> Fraction:
    near = _rate(target.odds(threshold, near=-1.0, within=1e-12))
    miss = Fraction(-2, 10**12)
    while (found := round_down(near * (1 - miss))) >= MIN_RATE and not target.fits(found, threshold):
        miss += max(abs(miss), Fraction(1, 10**12))
    if found < MIN_RATE:
        raise BadParameter(
            f"epsilon={float(target.epsilon):g}, delta={float(target.delta):g}, threshold={threshold}: hardly any "
            "report could be counted.",
            fix=f"threshold={4 * threshold}, or a larger delta",
        )
    return found


@lru_cache(maxsize=256)
def _best_threshold(target: _Target, known: int) -> int:
    """Descend with ever smaller steps."""
    ratio = -4.0  # of odds and threshold, as a logarithm: about the same for all thresholds

    @cache
    def shown(threshold: int) -> float:
        nonlocal ratio
        if threshold < 2:
            return inf
        odds = target.odds(threshold, near=ratio + log(threshold), within=1e-5)
        ratio = odds - log(threshold)
        return (threshold + known) / float(_rate(odds))

    at = max(2, round(-log(target.delta)))
    step = max(1, at // 4)
    while step := step // 2 if (lower := min((at, at - step, at + step), key=shown)) == at else step:
        at = lower
    return at


def _root(rises: Callable[[float], float], near: float, within: float) -> float:
    """Root of a rising function, from below, with a value within `within` of 0, by the Illinois method."""
    width = 0.1
    low, high = near - width, near + width
    at_low, at_high = rises(low), rises(high)
    while at_low > 0 and low > -30:
        width *= 4
        low, high, at_low, at_high = low - width, low, rises(low - width), at_low
    while at_high < 0 and high < 30:
        width *= 4
        low, high, at_low, at_high = high, high + width, at_high, rises(high + width)
    rose = False
    while high - low > 1e-13 and at_low < -within:
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        at = rises(middle)
        if at <= 0:
            low, at_low, at_high, rose = middle, at, at_high / (1 + rose), True
        else:
            high, at_high, at_low, rose = middle, at, at_low / (2 - rose), False
    return low
