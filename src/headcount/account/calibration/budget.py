"""Parse budgets: epsilon and delta; rho, converted to epsilon; the least epsilon for a target error."""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, TypeVar

from headcount.account.curves import zcdp
from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.exact import Number, positive, rational, round_down

MIN_EPSILON, MAX_EPSILON = Fraction(1, 10**6), Fraction(100)
"""Range of valid epsilons."""
MIN_DELTA = Fraction(1, 10**30)
"""Below it prices are not computed finely enough for a threshold to fit (192 bits end at 1e-58), which with a selected
bound would show only after the selection was drawn; and a ledger stores no more decimal places."""
EPSILONS = 6 * 900
"""Number of epsilons of three digits, from 0.0001 to 99.9."""


def budget(epsilon: Number, delta: Number) -> Cost:
    """Parse and validate epsilon and delta."""
    typed = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
    if not MIN_EPSILON <= typed[0] <= MAX_EPSILON:
        raise BadParameter(f"epsilon={epsilon!r}: it lies between 0.000001 and 100.", fix="epsilon=1")
    if not 0 <= typed[1] < 1:
        raise BadParameter(f"delta={delta!r}: it lies between 0 and 1.", fix="delta=1e-6")
    if 0 < typed[1] < MIN_DELTA:
        raise BadParameter(f"delta={delta!r}: it is 0, or at least 1e-30.", fix="delta=1e-6")
    return Cost(*typed)


def epsilon_of_rho(rho: Number, delta: Number) -> Fraction:
    """Convert rho to an epsilon of 12 digits whose rho, with half of delta, is not above this one."""
    paid, half = positive("rho", rho, fix="rho=0.1"), rational("delta", delta, fix="delta=1e-6") / 2
    if not Fraction(1, 10**12) <= paid <= 50:
        raise BadParameter(f"rho={rho!r}: it lies between 1e-12 and 50.", fix="rho=0.1")
    epsilon = zcdp.epsilon(paid, half)
    while epsilon > 0 and zcdp.rho(epsilon, half) > paid:
        epsilon = round_down(epsilon - epsilon / 10**12)
    if epsilon <= 0:
        raise BadParameter("rho: too small for this delta.", fix="rho=0.1")
    return epsilon


class WithError(Protocol):
    """An object that knows its expected error in advance."""

    @property
    def error(self) -> float:
        """Bound on the error of 19 of 20 counts."""


Candidate = TypeVar("Candidate", bound=WithError)


def min_epsilon(target: Number, build: Callable[[Fraction], Candidate]) -> Candidate:
    """Build a candidate with the least epsilon, of three digits, whose error is at most the target. The error must fall
    as epsilon grows."""
    wanted = positive("target_error", target, fix="target_error=10")
    low, high = -1, EPSILONS - 1
    if build(_epsilon(high)).error > wanted:
        raise BadParameter(f"target_error={target}: no epsilon is enough for that.", fix="target_error=10")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if build(_epsilon(middle)).error <= wanted else (middle, high)
    return build(_epsilon(high))


def _epsilon(index: int) -> Fraction:
    """The epsilon of three digits at this place, from the smallest on."""
    decade, digits = divmod(index, 900)
    return (100 + digits) * Fraction(10) ** (decade - 6)
