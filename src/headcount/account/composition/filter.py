"""Privacy filter: a zCDP budget for adaptive work, which admits each step before it is taken, or not at all.

The sum of the zCDP prices of everything admitted never exceeds (rho, delta). Because prices are fixed before each
step and depend on released values only, everything admitted together is delta-approximate rho-zCDP (Whitehouse,
Ramdas, Rogers & Wu 2023, Theorem 1: fully adaptive composition at the price of ordinary composition).
"""

from fractions import Fraction

from headcount.account.composition.cost import zcdp
from headcount.account.events import Event, Neighbours, check_one_kind, neighbours_of
from headcount.errors import BadParameter, BudgetExceeded
from headcount.exact import Number, rational, whole


class ZcdpFilter:
    """Admits events while their zCDP prices fit.

    >>> from headcount.account.events import Selection
    >>> budget = ZcdpFilter(rho="0.01", delta=0)
    >>> budget.admits(Selection(Fraction(1)))
    False
    >>> budget.charge(Selection(Fraction(1, 5)))
    >>> budget.rho_left
    Fraction(1, 200)
    """

    def __init__(self, rho: Number, delta: Number) -> None:
        self.rho_left = _not_negative("rho", rho)
        self.delta_left = _not_negative("delta", delta)
        self._neighbours: Neighbours | None = None

    def admits(self, *events: Event) -> bool:
        """True if all these events together would fit."""
        rho, delta = self._price(events)
        return rho <= self.rho_left and delta <= self.delta_left

    def times(self, *events: Event) -> int:
        """How many times all these events together would fit; they must cost something."""
        rho, delta = self._price(events)
        fits = [left // price for left, price in ((self.rho_left, rho), (self.delta_left, delta)) if price]
        return min(fits)

    def charge(self, *events: Event, times: int = 1) -> None:
        """Subtract `times` the price of these events from the budget, or raise and subtract nothing. Call this before
        their noise is drawn."""
        rho, delta = (whole("times", times, minimum=0, fix="times=1") * price for price in self._price(events))
        if rho > self.rho_left or delta > self.delta_left:
            raise BudgetExceeded(
                f"rho={float(rho):.6g}, delta={float(delta):.3g}: more than the filter has left "
                f"(rho={float(self.rho_left):.6g}, delta={float(self.delta_left):.3g}).",
                fix="stop here, or call `admits` first",
            )
        self.rho_left -= rho
        self.delta_left -= delta
        self._neighbours = self._neighbours or neighbours_of(events)

    def _price(self, events: tuple[Event, ...]) -> tuple[Fraction, Fraction]:
        """zCDP price of all these events, which must be for the same neighbours as those before."""
        check_one_kind(self._neighbours, neighbours_of(events))
        total = zcdp(events)
        return total.rho, total.delta


def _not_negative(name: str, value: Number) -> Fraction:
    number = rational(name, value, fix=f"{name}=0.1")
    if number < 0:
        raise BadParameter(f"{name}={value!r}: a budget is not negative.", fix=f"{name}=0.1")
    return number
