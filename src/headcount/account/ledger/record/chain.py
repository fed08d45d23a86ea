"""Hash chain of ledger rows, and the digests and amounts in them.

A row's hash covers its own fields and the hash of the row before, in one canonical text. So a row cannot be changed,
removed, moved or put in without breaking every hash after it; and the last hash, the head, stands for all of them.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from headcount.account.guarantee import Cost
from headcount.exact import written

PLACES = 30
"""Most decimal places of an amount: sums stay short and exact."""

_AMOUNT = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,30})?")

Units = tuple[int, int]
"""Epsilon and delta in integer units of the last decimal place."""


@dataclass(frozen=True)
class Row:
    """One row of a ledger."""

    number: int
    """0, 1, 2, ... without a gap."""
    kind: str
    """`open` (the first), `reserve` (a charge), `part` (the beginning of a part) or `seal` (a release)."""
    request: str
    """The digest of the charge or the part, for finding it; empty in the first row."""
    reserved: int | None
    """In a seal, the number of the charge or the part whose release it is."""
    body: str
    """The row's content, as canonical JSON."""
    hash: str

    @classmethod
    def after(cls, last: Self | None, *, kind: str, request: str, reserved: int | None, body: dict[str, Any]) -> Self:
        """The row that follows `last`."""
        number = last.number + 1 if last else 0
        text = canonical(body)
        return cls(number, kind, request, reserved, text, row_hash(last, (number, kind, request, reserved, text)))

    @property
    def head(self) -> str:
        """`number:hash`, to be kept with releases."""
        return f"{self.number}:{self.hash}"

    def fields(self) -> dict[str, str]:
        """Parse the body."""
        fields: dict[str, str] = json.loads(self.body)
        return fields


def row_hash(last: Row | None, columns: tuple[object, ...]) -> str:
    """Hash of a row that follows `last`."""
    before = last.hash if last else ""
    return hashlib.sha256(canonical([before, *columns]).encode()).hexdigest()


def digest(body: dict[str, str]) -> str:
    """Digest that identifies a charge: the request and its full price, and its parts if it has any."""
    price = [body["request"], body["dataset"], body["epsilon"], body["delta"], body["events"]]
    parts = [body["parts"]] if "parts" in body else []
    return hashlib.sha256(canonical(price + parts).encode()).hexdigest()


def part_digest(charge: str, name: str) -> str:
    """Digest that identifies a part: that of its charge, and its name."""
    return hashlib.sha256(canonical([charge, name]).encode()).hexdigest()


def canonical(value: Any) -> str:
    """Serialise to canonical JSON: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def amount(cost: Cost, prefix: str = "") -> dict[str, str]:
    """Encode a cost as two fields of a body."""
    return {f"{prefix}epsilon": written(cost.epsilon), f"{prefix}delta": written(cost.delta)}


def parse_amount(fields: dict[str, str], prefix: str = "") -> Cost:
    """Parse the cost that `amount` wrote into a body."""
    return as_cost(units(fields, prefix))


def as_cost(amounts: Units) -> Cost:
    """Convert integer units to a cost."""
    return Cost(Fraction(amounts[0], 10**PLACES), Fraction(amounts[1], 10**PLACES))


def units(fields: dict[str, str], prefix: str = "") -> Units:
    """Parse a cost in integer units of the last decimal place."""
    return _unit(fields[f"{prefix}epsilon"]), _unit(fields[f"{prefix}delta"])


def _unit(text: str) -> int:
    if not _AMOUNT.fullmatch(text):
        raise ValueError(f"{text} is not an amount")
    whole, _, decimals = text.partition(".")
    return int(whole + decimals.ljust(PLACES, "0"))
