"""Rows that carry the hash of everything before them.

A row's hash covers its own fields and the hash of the row before, in one canonical text. So a row cannot be changed,
removed, moved or put in without breaking every hash after it; and the last hash, the head, stands for the whole
history.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

from headcount.account.cost import Cost
from headcount.exact import written


@dataclass(frozen=True)
class Row:
    """One row of a ledger."""

    number: int
    """0, 1, 2, ... without a gap."""
    kind: str
    """`open` (the first), `reserve` (a charge) or `seal` (its release)."""
    request: str
    """The digest of the request, for finding it; empty in the first row."""
    reserved: int | None
    """In a seal, the number of the charge that paid for it."""
    body: str
    """What the row says, as canonical JSON."""
    hash: str

    @classmethod
    def after(cls, last: Self | None, *, kind: str, request: str, reserved: int | None, body: dict[str, Any]) -> Self:
        """The row that follows `last`."""
        number = last.number + 1 if last else 0
        text = canonical(body)
        return cls(number, kind, request, reserved, text, _hash(last, (number, kind, request, reserved, text)))

    @property
    def head(self) -> str:
        """`number:hash`, to be printed in releases."""
        return f"{self.number}:{self.hash}"

    def says(self) -> dict[str, str]:
        """The body."""
        said: dict[str, str] = json.loads(self.body)
        return said


def _hash(last: Row | None, fields: tuple[object, ...]) -> str:
    before = last.hash if last else ""
    return hashlib.sha256(canonical([before, *fields]).encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON with one spelling: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def money(epsilon_and_delta: Cost, prefix: str = "") -> dict[str, str]:
    """A cost as two fields of a body."""
    return {
        f"{prefix}epsilon": written(epsilon_and_delta.epsilon),
        f"{prefix}delta": written(epsilon_and_delta.delta),
    }


def money_in(row: Row, prefix: str = "") -> Cost:
    """The cost that `money` wrote into a row."""
    said = row.says()
    return Cost(_amount(said[f"{prefix}epsilon"]), _amount(said[f"{prefix}delta"]))


@lru_cache(maxsize=4096)
def _amount(text: str) -> Fraction:
    return Fraction(text)


def faults(rows: Iterable[Row]) -> Iterator[str]:
    """What is wrong with the rows, if they are taken as a whole ledger; nothing for an honest one."""
    last, spent, budget = None, Cost(Fraction(0), Fraction(0)), None
    for number, row in enumerate(rows):
        fields = (row.number, row.kind, row.request, row.reserved, row.body)
        if row.number != number or row.hash != _hash(last, fields):
            yield f"row {number} does not follow from the rows before it"
            return
        budget = budget or money_in(row)
        if row.kind == "reserve":
            spent = plus(spent, money_in(row))
        if number and money_in(row, "spent_") != spent:
            yield f"row {number} does not add up"
        last = row
    if budget is None:
        yield "there are no rows"
    elif spent.epsilon > budget.epsilon or spent.delta > budget.delta:
        yield "more was spent than there was"


def plus(one: Cost, other: Cost) -> Cost:
    """Two costs added up."""
    return Cost(one.epsilon + other.epsilon, one.delta + other.delta)


def minus(one: Cost, other: Cost) -> Cost:
    """What is left of one cost after another."""
    return Cost(one.epsilon - other.epsilon, one.delta - other.delta)
