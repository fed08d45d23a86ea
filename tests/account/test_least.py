"""The least number whose price is low enough: what bisection finds that looks at every number."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from headcount.account.calibration.least import MARGIN, Falling, least, rough
from headcount.account.curves.gaussian import continuous_delta, discrete_delta, rough_delta
from headcount.account.events import Gaussian
from headcount.exact import round_up

PRICES: dict[str, Callable[[Fraction], Fraction]] = {
    "inverse": lambda number: 1 / number,
    "steep": lambda number: Fraction(1, 2 ** min(int(number * 100), 3000)),
    "step": lambda number: Fraction(number < Fraction(1234567, 1000)),
    "gaussian": lambda number: continuous_delta(Fraction(1), 1 / number),
    "jagged": lambda number: 1 / round_up(number) + Fraction(int(number * 10**9) % 7, 10**23),
}


def by_bisection(price: Callable[[Fraction], Fraction], most: Fraction, start: Fraction) -> Fraction:
    """The same, without looking for the place first."""
    high = start
    while price(high) > most:
        high *= 2
    while price(high / 2) <= most:
        high /= 2
    low = high / 2
    while high - low > high / 10**12:
        middle = round_up((low + high) / 2, digits=14)
        low, high = (low, middle) if price(middle) <= most else (middle, high)
    return round_up(high)


@pytest.mark.parametrize("most", [Fraction(1, 10), Fraction(1, 10**6), Fraction(3, 10**9)], ids=str)
@pytest.mark.parametrize("start", [Fraction(1), Fraction(2**48), Fraction(1, 1000)], ids=str)
@pytest.mark.parametrize("name", PRICES)
def test_it_is_what_bisection_finds(name: str, start: Fraction, most: Fraction) -> None:
    found = least(PRICES[name], most, start)
    assert PRICES[name](found) <= most
    if name == "jagged":
        assert abs(found * most - 1) < Fraction(1, 10**10)
    else:
        assert found == by_bisection(PRICES[name], most, start)


def test_a_smooth_price_is_looked_at_half_as_often() -> None:
    looks = list[Fraction]()

    def price(number: Fraction) -> Fraction:
        looks.append(number)
        return continuous_delta(Fraction(1), 1 / number)

    least(price, Fraction(1, 10**6), Fraction(1))
    assert len(looks) < 30


@pytest.mark.parametrize(
    ("factor", "looks_at_most"), [(1, 12), (Fraction(11, 10), 32), (100, 32), (Fraction(1, 100), 32)]
)
def test_a_guess_saves_looks_and_changes_nothing(factor: Fraction, looks_at_most: int) -> None:
    looks, most = list[Fraction](), Fraction(1, 10**6)

    def price(number: Fraction) -> Fraction:
        looks.append(number)
        return continuous_delta(Fraction(1), 1 / number)

    place = least(price, most, Fraction(1))
    looks.clear()
    assert least(price, most, Fraction(1), place * factor) == place
    assert len(looks) <= looks_at_most


def test_a_number_near_the_place_is_looked_at() -> None:
    """A price that rises by its last digits is found out."""
    falling = Falling(lambda number: 1 / number, Fraction(1))
    assert falling.fits(Fraction(1))
    assert falling.fits(Fraction(2))
    falling = Falling(lambda number: Fraction(2 if number == 1 + Fraction(1, 10**12) else 1), Fraction(1))
    assert falling.fits(Fraction(1))
    assert not falling.fits(1 + Fraction(1, 10**12))


def test_what_is_returned_is_looked_at() -> None:
    """Also if every other number says that it is enough."""
    most = Fraction(10**15, 3141592653589793)
    first = least(PRICES["inverse"], most, Fraction(1))
    found = least(lambda number: Fraction(1) if number == first else 1 / number, most, Fraction(1))
    assert first < found < first * (1 + Fraction(1, 10**10))


@pytest.mark.parametrize("start", [Fraction(1), Fraction(2**48), Fraction(1, 1000)], ids=str)
@pytest.mark.parametrize("most", [Fraction(1, 10), Fraction(3, 10**9)], ids=str)
def test_a_guess_in_floating_point_is_near(start: Fraction, most: Fraction) -> None:
    found = rough(lambda number: 1 / number, most, start)
    assert found is not None
    assert abs(found * most - 1) < Fraction(1, 10**14)


def test_what_floating_point_cannot_tell_is_no_guess() -> None:
    def price(number: float) -> float:
        raise ValueError

    assert rough(price, Fraction(1, 10), Fraction(1)) is None
    assert rough(lambda number: 1 / (number - number), Fraction(1, 10), Fraction(1)) is None


@pytest.mark.parametrize(("epsilon", "delta"), [("0.1", "1e-6"), ("1", "1e-6"), ("8", "1e-9")])
@pytest.mark.parametrize("squared", [Fraction(100), Fraction(2**48)], ids=str)
def test_the_rough_price_of_noise_is_near_the_certified_one(squared: Fraction, epsilon: str, delta: str) -> None:
    """So near that a search has both sides of the place with its first two looks."""
    parts = [(share, squared, cells) for share, cells in ((Fraction(9), 100), (Fraction(1), 2))]

    def noise(variance: Fraction) -> list[Gaussian]:
        return [Gaussian(variance * share, squared, cells) for share, squared, cells in parts]

    def price(variance: float) -> float:
        return rough_delta(
            float(epsilon), [(variance * float(share), float(squared), n) for share, squared, n in parts]
        )

    near = rough(price, Fraction(delta), squared)
    assert near is not None
    below, above = (discrete_delta(Fraction(epsilon), noise(near * (1 + side))) for side in (-MARGIN, MARGIN))
    assert above <= Fraction(delta) < below
