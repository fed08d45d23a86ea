"""What a privacy event is: frozen data whose fields are checked, and the neighbours that events state."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

from headcount.errors import BadParameter
from headcount.exact import rational, whole

Neighbours = Literal["add-remove", "replace"]


@dataclass(frozen=True)
class Event:
    """Base class of events. It rejects invalid field values, which would have a wrong price."""

    name: ClassVar[str]
    """The name under which ledgers and releases keep it."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, field.type, getattr(self, field.name))


def _check(name: str, kind: Any, value: Any) -> None:
    if kind is Fraction:
        rational(name, value, fix=f"{name}=Fraction(1)")
        if (
            not isinstance(value, Fraction)
            or value < 0
            or (value == 0 and name in ("scale", "variance", "mean_variance"))
        ):
            raise BadParameter(f"{name}={value!r}: a fraction above 0 is needed.", fix=f"{name}=Fraction(1)")
        if name == "delta" and value > 1:
            raise BadParameter(f"{name}={value!r}: it is at most 1.", fix="delta=Fraction(1, 10**6)")
        if name == "rate" and not 0 < value < 1:
            raise BadParameter(f"{name}={value!r}: it lies between 0 and 1.", fix="rate=Fraction(1, 10)")
        if name == "coin" and value >= 1:
            raise BadParameter(f"{name}={value!r}: it is below 1.", fix="coin=Fraction(1, 10)")
    elif kind is int:
        whole(name, value, minimum=1, fix=f"{name}=1")
    elif value not in get_args(Neighbours):
        raise BadParameter(f"{name}={value!r}: unknown.", fix=f'{name}="add-remove" or {name}="replace"')


def neighbours_of(events: Iterable[Event]) -> Neighbours | None:
    """Neighbouring relation that the events state; None if none does. Prices for different relations do not add up."""
    relations = [each for event in events if (each := getattr(event, "neighbours", None))]
    check_one_kind(*relations)
    return relations[0] if relations else None


def check_one_kind(*neighbours: Neighbours | None) -> None:
    """Raise if the relations differ; None is compatible with all."""
    if len({*neighbours} - {None}) > 1:
        raise BadParameter("events for add-remove and for replace: their prices do not add up.", fix="one kind of them")
