"""Questions of secure sums from what an analyst types: checked, with the budget as exact numbers."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import get_args

from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import Number, positive, rational
from headcount.federated.listed.extension import Extension
from headcount.federated.listed.plan import SecureQuestion
from headcount.federated.listed.round import MAX_KEYS, MAX_PARTIES, SecureRound
from headcount.federated.schema import Choice, Texts, Whole
from headcount.federated.terms import ITEM, MAX_EPSILON, MAX_ITEMS, MAX_PEOPLE, MAX_SITES_PER_PERSON
from headcount.noise import Entropy

HONEST_SHARE = MINIMUM_SHARE = Fraction(9, 10)
"""Default share of people who answer; and of these, who add their noise and tell nobody."""


def secure_round(
    entropy: Entropy,
    asks: str,
    *,
    keys: Sequence[str],
    people: int,
    epsilon: Number,
    delta: Number,
    items: int,
    neighbours: Neighbours,
    minimum: int | None,
    honest: Number,
    sites: int | None = None,
    sites_per_person: int = 1,
    step: Extension | None = None,
) -> SecureRound:
    """The round with the least noise for this budget; refused if there is none."""
    _check_keys(keys)
    most = MAX_PARTIES if sites is None else MAX_PEOPLE
    for name, value, limits in (("people", people, (3, most)), ("items", items, (1, MAX_ITEMS))):
        Whole(*limits).check(name, value)
    parties = _parties(people, sites, sites_per_person)
    fewest = ceil(MINIMUM_SHARE * parties) if minimum is None else minimum
    Whole(2, parties).check("minimum", fewest)
    Choice(get_args(Neighbours)).check("neighbours", neighbours)
    cost = _cost(epsilon, delta)
    id_ = entropy.secret()[:16].hex()
    about = id_, asks, tuple(keys), items, people, fewest, _share(honest), neighbours
    return _kept(SecureQuestion(*about, *cost, sites, sites_per_person, step).round())


def _kept(round_: SecureRound) -> SecureRound:
    if not round_.holds:
        raise BadParameter("epsilon, delta: no noise keeps this promise.", fix="epsilon=1, delta=1e-6")
    return round_


def _check_keys(keys: object) -> None:
    if isinstance(keys, str) or not isinstance(keys, Sequence) or not keys:
        raise BadParameter("keys: a list of items is needed.", fix='keys=["blue", "red"]')
    Texts(ITEM, MAX_KEYS).check("keys", tuple(keys))


def _parties(people: int, sites: int | None, sites_per_person: int) -> int:
    """The largest number of those who answer."""
    if sites is not None:
        Whole(3, MAX_PARTIES).check("sites", sites)
    Whole(1, min(sites or 1, MAX_SITES_PER_PERSON)).check("sites_per_person", sites_per_person)
    return people if sites is None else sites


def _cost(epsilon: Number, delta: Number) -> tuple[Fraction, Fraction]:
    typed = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
    if typed[0] > MAX_EPSILON:
        raise BadParameter(f"epsilon={epsilon!r}: at most {MAX_EPSILON}.", fix="epsilon=1")
    if not 0 <= typed[1] < 1:
        raise BadParameter(f"delta={delta!r}: from 0 on, and below 1.", fix="delta=1e-6")
    return typed


def _share(honest: Number) -> Fraction:
    part = rational("honest", honest, fix="honest=0.9")
    if not 0 < part <= 1:
        raise BadParameter(f"honest={honest!r}: a part above 0, and at most 1.", fix="honest=0.9")
    return part
