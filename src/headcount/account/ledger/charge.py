"""Charges to a ledger, and validation of their amounts.

Amounts are decimals as typed. A charge covers the price of its events, those of all of its parts included, or is
refused before anything is spent.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from headcount.account.composition import compose
from headcount.account.events import Event, to_json
from headcount.account.guarantee import Cost
from headcount.account.ledger.parts import Part, merged, write_parts
from headcount.account.ledger.record.chain import PLACES, amount
from headcount.account.relation import Relation, relation_for
from headcount.errors import BadParameter, BudgetExceeded
from headcount.exact import Number, positive, rational, written


@dataclass(frozen=True)
class Charge:
    """Request to spend budget for one release, or for several that are its parts."""

    request: str
    """All that determines the release except randomness: dataset and parameters, as canonical text. Never data."""
    cost: Cost
    """Epsilon and delta, as typed."""
    events: tuple[Event, ...] = ()
    """Privacy events of the release; the cost must cover their price. If there are parts: of what they share."""
    dataset: str = ""
    """Name of the data. Charges for all datasets about the same people add up in one ledger."""
    neighbours: Relation | Literal[""] = ""
    """Neighbouring relation of the cost; by default that of the events, else add-remove."""
    parts: tuple[Part, ...] = ()
    """Releases that are sealed one by one under this price; none if it is for one release (parts.py)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "events", _event_tuple(self.events))
        object.__setattr__(self, "parts", _part_tuple(self.parts))
        object.__setattr__(self, "neighbours", relation_for(self.neighbours, self.all_events))
        _check_charge(self)

    @property
    def all_events(self) -> tuple[Event, ...]:
        """Events of the charge and of all of its parts."""
        return (*self.events, *(event for part in self.parts for event in part.events))

    def body(self) -> dict[str, str]:
        """Encode the charge as fields of a row."""
        return {
            "request": self.request,
            "dataset": self.dataset,
            "neighbours": self.neighbours,
            "events": to_json(self.events),
            **amount(self.cost),
            **({"parts": write_parts(self.parts)} if self.parts else {}),
        }


def typed_budget(epsilon: Number | None, delta: Number | None) -> Cost | None:
    """Parse the total budget; None if none was given."""
    if epsilon is None and delta is None:
        return None
    if epsilon is None:
        raise BadParameter(f"delta={delta!r} without epsilon: a budget has both.", fix="epsilon=3, delta=1e-5")
    typed = Cost(
        positive("epsilon", epsilon, fix="epsilon=3"),
        rational("delta", 0 if delta is None else delta, fix="delta=1e-5"),
    )
    if not 0 <= typed.delta < 1:
        raise BadParameter(f"delta={delta!r}: it lies between 0 and 1.", fix="delta=1e-5")
    _check_decimal(typed)
    return typed


def _event_tuple(events: object) -> tuple[Event, ...]:
    if not isinstance(events, tuple | list) or not all(isinstance(event, Event) for event in events):
        raise BadParameter(
            f"events={events!r:.80}: a tuple of events is needed.", fix="events=(Selection(Fraction(1)),)"
        )
    return tuple(events)


def _part_tuple(parts: object) -> tuple[Part, ...]:
    if not isinstance(parts, tuple | list) or not all(isinstance(part, Part) for part in parts):
        raise BadParameter(f"parts={parts!r:.80}: a tuple of parts is needed.", fix='parts=(Part("day 1", events),)')
    names = Counter(part.name for part in parts)
    if names and max(names.values()) > 1:
        raise BadParameter(
            f"parts: {names.most_common(1)[0][0]!r:.80} is listed twice.", fix="a name of its own for each part"
        )
    return tuple(parts)


def _check_charge(charge: Charge) -> None:
    for name, text in (("request", charge.request), ("dataset", charge.dataset)):
        if not isinstance(text, str) or any("\ud800" <= char <= "\udfff" for char in text):
            raise BadParameter(f"{name}={text!r}: it must be text.", fix=f'{name}="people per word"')
    parts = (charge.cost.epsilon, charge.cost.delta) if isinstance(charge.cost, Cost) else (None,)
    if not all(isinstance(part, Fraction) for part in parts):
        raise BadParameter(f"cost={charge.cost!r:.80}: two fractions.", fix='Cost(Fraction(1), Fraction("1e-6"))')
    _check_decimal(charge.cost)
    if charge.cost.epsilon < 0 or charge.cost.delta < 0:
        raise BadParameter(f"{format_cost(charge.cost)}: a spend is not negative.", fix="epsilon=1, delta=1e-6")


def _check_decimal(typed: Cost) -> None:
    """Require decimals of at most 30 places, below a billion: their sums stay exact."""
    for name, value in (("epsilon", typed.epsilon), ("delta", typed.delta)):
        if (value * 10**PLACES).denominator != 1 or abs(value) >= 10**9:
            raise BadParameter(
                f"{name}: a ledger keeps decimals of at most {PLACES} places, below a billion.",
                fix=f'{name}="0.333333" for a third, {name}=3',
            )


def check_covered(charge: Charge) -> None:
    """Raise if the typed cost does not cover the price of the events, those of all parts together."""
    if charge.all_events and not _is_covered(charge):
        raise BadParameter(
            f"{format_cost(charge.cost)}: less than the price of the noise that will be drawn.",
            fix="more noise (headcount.account.calibration.calibrate), or a larger epsilon",
        )


@lru_cache(maxsize=64)
def _is_covered(charge: Charge) -> bool:
    return compose.covers(charge.cost, merged(charge.all_events) if charge.parts else charge.events)


def check_enough(cost: Cost, left: Cost) -> None:
    """Raise if the cost exceeds what is left."""
    if cost.epsilon > left.epsilon or cost.delta > left.delta:
        fits = Cost(min(cost.epsilon, left.epsilon), min(cost.delta, left.delta))
        raise BudgetExceeded(
            f"this release costs {format_cost(cost)}; the ledger has {format_cost(left)} left. Nothing was spent.",
            fix=_fitting_cost(cost, fits),
        )


def _fitting_cost(cost: Cost, fits: Cost) -> str:
    if not fits.epsilon:
        return "nothing is left: no more releases about these people"
    rest = ", if it needs no delta (items known in advance)" if cost.delta and not fits.delta else ""
    return f"{format_cost(fits)} would fit{rest}"


def format_cost(cost: Cost) -> str:
    """Format a cost as one would type it."""
    return f"epsilon={written(cost.epsilon)}, delta={written(cost.delta)}"
