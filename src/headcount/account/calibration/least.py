"""The least number whose certified price is low enough, for a price that falls as the number grows.

Bisection decides, on a decimal grid of 12 digits. A price takes up to a millisecond, and bisection would look at 50:
so the place where the price is met is looked for first. Bisection by a simpler price ends at two numbers; if the
certified price tells them apart, that is the end. Else the place is looked for on a logarithmic scale, and what was
seen there answers for numbers that are clearly below or above. What is returned has been looked at itself.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import exp, log

from headcount.exact import round_up

MAX_LOOKS = 12
"""Most looks for the place where the price is met; a smooth price takes some five."""
TOLERANCE = 1e-13
"""Relative distance of two looks at which they are at that place."""
MARGIN = Fraction(1, 10**11)
"""Relative distance from that place within which every number is looked at: parts of a price are rounded, so it may
rise by its last digits."""


class Falling:
    """A price that falls as a number grows, and earlier looks at it."""

    def __init__(self, price: Callable[[Fraction], Fraction], most: Fraction) -> None:
        self._price, self._most = cache(price), most
        self._too_low = Fraction(0)
        self._fits: Fraction | None = None

    def look(self, number: Fraction) -> Fraction:
        """The price of a number; it is remembered for numbers that are clearly above, or below."""
        found = self._price(number)
        if found <= self._most:
            self._fits = min(number * (1 + MARGIN), self._fits or number * 2)
        else:
            self._too_low = max(number * (1 - MARGIN), self._too_low)
        return found

    def fits(self, number: Fraction) -> bool:
        """True if the price of a number is low enough, from earlier looks if these are enough."""
        if self._fits is not None and number >= self._fits:
            return True
        return number > self._too_low and self.look(number) <= self._most

    def look_around(self, place: Fraction) -> None:
        """Look at numbers on both sides of a place, close to it."""
        for side in (1 - MARGIN, 1 + MARGIN):
            self.look(place * side)

    def narrow(self, low: Fraction, high: Fraction) -> None:
        """Look around the place between two numbers where the price is met, unless earlier looks did."""
        if self._fits is None or self._fits > self._too_low * (1 + 5 * MARGIN):
            self.look_around(Fraction(self._met(low, high)))

    def _met(self, low: Fraction, high: Fraction) -> float:
        """The place where the price is met, about: the secant method on logarithms."""
        (x, y), (last_x, last_y) = ((log(each), self._gap(each)) for each in (low, high))
        for _ in range(MAX_LOOKS):
            if y == last_y or abs(x - last_x) < TOLERANCE:
                break
            new = min(max(x - y * (x - last_x) / (y - last_y), log(low)), log(high))
            x, y, last_x, last_y = new, self._gap(Fraction(exp(new))), x, y
        return exp(x)

    def _gap(self, number: Fraction) -> float:
        """How far the price is above the one that is allowed, on a logarithmic scale."""
        return log(max(self.look(number), self._most / 2**40) / self._most)


def least(
    price: Callable[[Fraction], Fraction], most: Fraction, start: Fraction, near: Fraction | None = None
) -> Fraction:
    """The least number on the 12-digit grid whose price is at most `most`. `near` is a guess, which saves looks."""
    falling = Falling(price, most)
    rounded = round_up(_guessed(falling, start, near) or _found(falling, start, near))
    while price(rounded) > most:  # rounding inside a price may make it non-monotone in its last digits
        rounded = round_up(rounded + rounded / 10**11)
    return rounded


def _guessed(falling: Falling, start: Fraction, near: Fraction | None) -> Fraction | None:
    """The number at which bisection ends if the guess is right: its price is low enough, and that of the one before is
    not. None if the guess is not that good."""
    if near is None:
        return None
    low, high = _bisected(lambda number: number >= near, start)
    return high if falling.fits(high) and not falling.fits(low) else None


def _found(falling: Falling, start: Fraction, near: Fraction | None) -> Fraction:
    """The number that bisection ends at."""
    if near is not None:
        falling.look_around(near)
    low, high = _around(falling.fits, start)
    falling.narrow(low, high)
    return _bisected(falling.fits, high)[1]


def _bisected(fits: Callable[[Fraction], bool], start: Fraction) -> tuple[Fraction, Fraction]:
    """Two numbers, a part in 10^12 apart, of which only the second fits."""
    low, high = _around(fits, start)
    while high - low > high / 10**12:
        middle = round_up((low + high) / 2, digits=14)
        low, high = (low, middle) if fits(middle) else (middle, high)
    return low, high


def _around(fits: Callable[[Fraction], bool], start: Fraction) -> tuple[Fraction, Fraction]:
    """A number that does not fit, and twice that, which does."""
    high = start
    while not fits(high):
        high *= 2
    while fits(high / 2):
        high /= 2
    return high / 2, high


def rough(price: Callable[[float], float], most: Fraction, start: Fraction) -> Fraction | None:
    """The place where a simpler price, in floating point, is met; None if floating point cannot tell."""
    try:
        high = float(start)
        while price(high) > most:
            high *= 2
        while price(high / 2) <= most:
            high /= 2
        return Fraction(_between(price, float(most), high / 2, high))
    except (ArithmeticError, ValueError):
        return None


def _between(price: Callable[[float], float], most: float, low: float, high: float) -> float:
    """The place between two numbers, as precisely as floating point has it."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if price(middle) > most else (low, middle)
    return high
