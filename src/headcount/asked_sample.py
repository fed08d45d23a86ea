"""How a sample is taken, as typed, checked; and one of several names."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, get_args

from headcount.account.rates import LEAST_RATE, MOST_THRESHOLD
from headcount.errors import BadParameter
from headcount.exact import Number, rational, whole
from headcount.mechanism.sampled.sample_threshold import Rule


def sampling(p: Number | None, theta: int | None, rule: Rule) -> dict[str, Any]:
    """How a sample is taken, as typed, checked."""
    return {
        "p": None if p is None else _chance(p),
        "theta": None if theta is None else _threshold(theta),
        "rule": one_of("rule", rule, get_args(Rule)),
    }


def _threshold(theta: int) -> int:
    least = whole("theta", theta, least=2, fix="theta=15, or no theta")
    if least > MOST_THRESHOLD:
        raise BadParameter(f"theta={theta}: at most {MOST_THRESHOLD:,}.", fix="theta=15, or no theta")
    return least


def _chance(p: Number) -> Fraction:
    chance = rational("p", p, fix="p=0.25, or no p")
    if not 0 < chance < 1:
        raise BadParameter(f"p={p!r}: the chance to be in the sample, more than 0 and less than 1.", fix="p=0.25")
    if not LEAST_RATE <= chance <= 1 - LEAST_RATE:
        raise BadParameter(f"p={p!r}: so near to 0 or 1 that it cannot be meant.", fix="p=0.25")
    return chance


def one_of(name: str, value: Any, known: Sequence[str], more: str = "") -> Any:
    """The value, if it is known."""
    if value not in known:
        names = [f'{name}="{each}"' for each in known]
        raise BadParameter(f"{name}={value!r}: unknown.", fix=" or ".join([*names, more] if more else names))
    return value
