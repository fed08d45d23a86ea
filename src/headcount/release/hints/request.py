"""Hints before anything is read, from the request and the schema."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

LARGEST_EPSILON, LARGEST_DELTA = 10, 1e-5
"""Above these a promise is commonly called weak."""
LARGE_BOUND = 100
"""From here on a bound that is given, and not selected, is pointed out."""
MORE_THAN_ALL = 2
"""A bound is pointed out if it is this many times the number of all items."""
PERSON = re.compile(r"user|person|people|customer|member|patient|visitor|client|account|e?mail|uuid", re.I)
MOMENT = re.compile(r"timestamp|datetime|_at$", re.I)
"""Names of columns that hold a person, or a moment."""


def request_hints(request: Mapping[str, Any], epsilon: float, delta: float) -> list[str]:
    """Hints from a plan as plain data and its cost."""
    parameters = request.get("parameters")
    known = parameters if isinstance(parameters, dict) else {}
    columns = request.get("columns")
    kinds = columns if isinstance(columns, dict) else {}
    return [*_epsilon(epsilon), *delta_hints(delta), *_swapped(known), *_moments(known, kinds), *_bound(known)]


def _epsilon(epsilon: float) -> list[str]:
    if epsilon <= LARGEST_EPSILON:
        return []
    return [
        f"Epsilon {epsilon:g} is above {LARGEST_EPSILON}: one person may change the odds of a result by a factor of "
        f"e^{epsilon:g}, which by itself protects hardly anybody. Fix: epsilon=1, or other safeguards as well"
    ]


def delta_hints(delta: float) -> list[str]:
    """A hint if delta is large, however many people there are."""
    if delta <= LARGEST_DELTA:
        return []
    return [
        f"Delta is above {LARGEST_DELTA:g}: with a chance of {delta:g} the promise may not hold. Fix: delta=1e-6, "
        "which passes for up to 100,000 people"
    ]


def _swapped(parameters: Mapping[str, Any]) -> list[str]:
    """A hint if an item is named like a person, and a person is not."""
    user, by = parameters.get("user"), _texts(parameters.get("by"))
    like = [column for column in by if PERSON.search(column)]
    if not isinstance(user, str) or PERSON.search(user) or not like:
        return []
    return [f"Are the columns swapped? user={user!r} is who is protected, by={like[0]!r} is what is counted."]


def _moments(parameters: Mapping[str, Any], kinds: Mapping[str, Any]) -> list[str]:
    """A hint for each column of exact times that makes an item as it is."""
    if parameters.get("keys"):
        return []
    cut = {pair[0] for name in ("per", "bins") for pair in _pairs(parameters.get(name))}
    plain = [column for column in _texts(parameters.get("by")) if column not in cut]
    return [
        f"{column!r} holds exact times, which hardly two people share: little can be shown. "
        'Fix: per="day", or bins=[...]'
        for column in plain
        if _is_moment(column, str(kinds.get(column)))
    ]


def _is_moment(column: str, kind: str) -> bool:
    return kind.startswith(("timestamp", "time")) or (kind == "string" and MOMENT.search(column) is not None)


def _bound(parameters: Mapping[str, Any]) -> list[str]:
    """A hint if a bound that is given is far above what most people have, or above what there is."""
    bound, keys = parameters.get("bound"), parameters.get("keys")
    if not isinstance(bound, int) or parameters.get("sum"):
        return []
    others = parameters.get("bins") or parameters.get("dates") or parameters.get("count") != "users"
    if isinstance(keys, list) and bound > MORE_THAN_ALL * len(keys) and not others:
        return [
            f"bound={bound} is far more than the {len(keys):,} items: nobody counts for more. Fix: bound={len(keys)}"
        ]
    if bound < LARGE_BOUND or keys:
        return []
    return [
        f'bound={bound}: noise is made for a person with that much, whatever people have. Fix: bound="auto", which '
        "finds one privately, or a smaller one that is known from elsewhere"
    ]


def amount_of(written: str) -> float:
    """An amount as it is kept; 0 if it is no number, as nobody may have checked it."""
    try:
        return float(Fraction(written))
    except (ValueError, ZeroDivisionError, OverflowError):
        return 0.0


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _pairs(value: Any) -> list[list[Any]]:
    """Columns with what they are cut by, as plain data."""
    return [each for each in value if isinstance(each, list) and each] if isinstance(value, list) else []
