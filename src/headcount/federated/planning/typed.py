"""Parameters that all collections have: the number of people, how many of them may be missing, and the price."""

from fractions import Fraction
from math import ceil

from headcount.account.guarantee import Cost
from headcount.errors import BadParameter, shown
from headcount.exact import Number, positive, rational
from headcount.federated.schema import Whole
from headcount.federated.terms import MAX_PEOPLE

FEWEST_ANSWERS = 2
"""Fewest people who answer."""


def part_of(name: str, value: Number, *, fix: str) -> Fraction:
    """A share, also as a percentage.

    >>> part_of("dropouts", "5%", fix="")
    Fraction(1, 20)
    """
    if isinstance(value, str) and value.strip().endswith("%"):
        return rational(name, value.strip()[:-1], fix=fix) / 100
    return rational(name, value, fix=fix)


def missing_parties(parties: int, dropouts: Number, who: str = "people") -> int:
    """The number of people, or sites, who may be missing."""
    Whole(3, MAX_PEOPLE).check(who, parties)
    part = part_of("dropouts", dropouts, fix='dropouts="5%"')
    if not 0 <= part < 1:
        raise BadParameter(
            f"dropouts={shown(dropouts)}: a share of people, from 0 on and below 1.", fix='dropouts="5%"'
        )
    missing = ceil(part * parties)
    if parties - missing < FEWEST_ANSWERS:
        raise BadParameter(f"dropouts={shown(dropouts)}: at least {FEWEST_ANSWERS} must answer.", fix='dropouts="5%"')
    return missing


def cost_of(epsilon: Number, delta: Number) -> Cost:
    """The price, in exact numbers."""
    return Cost(positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6"))
