"""Hash chain of ledger rows, and validation of its history.

A row's hash covers its own fields and the hash of the row before, in one canonical text. So a row cannot be changed,
removed, moved or put in without breaking every hash after it; and the last hash, the head, stands for all of them.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from headcount.account import attribution
from headcount.account.guarantee import Cost
from headcount.account.relation import check_known, relation_of
from headcount.exact import written

FORMAT = "3"
FORMATS = ("2", FORMAT)
"""Readable formats. In format 2 (until version 0.8) a charge records neither its neighbours nor its data."""
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
    """`open` (the first), `reserve` (a charge) or `seal` (its release)."""
    request: str
    """The digest of the charge, for finding it; empty in the first row."""
    reserved: int | None
    """In a seal, the number of the charge that paid for it."""
    body: str
    """The row's content, as canonical JSON."""
    hash: str

    @classmethod
    def after(cls, last: Self | None, *, kind: str, request: str, reserved: int | None, body: dict[str, Any]) -> Self:
        """The row that follows `last`."""
        number = last.number + 1 if last else 0
        text = canonical(body)
        return cls(number, kind, request, reserved, text, _hash(last, (number, kind, request, reserved, text)))

    @property
    def head(self) -> str:
        """`number:hash`, to be kept with releases."""
        return f"{self.number}:{self.hash}"

    def fields(self) -> dict[str, str]:
        """Parse the body."""
        fields: dict[str, str] = json.loads(self.body)
        return fields


_CHARGE_FIELDS_0_8 = {"at", "request", "dataset", "events", "epsilon", "delta", "spent_epsilon", "spent_delta"}
_CHARGE_FIELDS = {*_CHARGE_FIELDS_0_8, "neighbours", "data", "secret"}
"""A charge may have those of its attribution, too."""


@dataclass(frozen=True)
class ChargeRecord:
    """Index entry of a charge in the history."""

    number: int
    head: str
    data: str
    """Keyed digest of the charge's data; empty if no data were given."""
    neighbours: str
    """Neighbouring relation of the charge."""


class Broken(Exception):
    """A row is inconsistent with the rows before it."""


class History:
    """Validated history of the rows read so far: each row is checked against all before it."""

    def __init__(self) -> None:
        self.last: Row | None = None
        self._budget: Units = (0, 0)
        self._spent: Units = (0, 0)
        self._format = ""
        self._relations: set[str] = set()
        self._charges: dict[str, list[ChargeRecord]] = {}
        """All charges, by digest: no index of the file decides whether noise is drawn again."""
        self._unsealed: dict[int, str] = {}
        """Pending charges by number, with their digests."""
        self._seal_heads: dict[int, str] = {}
        """Heads of all seals, by the number of the charge."""

    @property
    def budget(self) -> Cost:
        """The total budget."""
        return _cost(self._budget)

    @property
    def spent(self) -> Cost:
        """The sum of all charges."""
        return _cost(self._spent)

    @property
    def neighbours(self) -> str | None:
        """Neighbouring relation of all charges; None if there is none yet. Ledgers of version 0.8 may mix them."""
        return " and ".join(sorted(self._relations)) or None

    def charges(self, request: str, neighbours: str) -> list[ChargeRecord]:
        """Charges with this digest and relation, pending before sealed, oldest first."""
        found = [each for each in self._charges.get(request, ()) if each.neighbours == neighbours]
        return sorted(found, key=lambda each: (each.number not in self._unsealed, each.number))

    def seal_of(self, charge: Row) -> str | None:
        """Head of this charge's seal, or None."""
        return self._seal_heads.get(charge.number)

    def is_pending(self, charge: Row) -> bool:
        """True if this charge has no seal yet."""
        return charge.number in self._unsealed

    def add(self, row: Row) -> None:
        """Validate and add the next row, or raise `Broken`."""
        try:
            fault = self._fault(row, row.fields())
        except (ValueError, KeyError, TypeError) as error:
            fault = f"cannot be read ({error})"
        if fault:
            raise Broken(f"row {row.number} {fault}")
        self.last = row

    def _fault(self, row: Row, fields: dict[str, str]) -> str | None:
        columns = (row.number, row.kind, row.request, row.reserved, row.body)
        expected = self.last.number + 1 if self.last else 0
        if row.number != expected or row.hash != _hash(self.last, columns):
            return "does not follow from the rows before it"
        return {"open": self._add_open, "reserve": self._add_reserve, "seal": self._add_seal}[row.kind](row, fields)

    def _add_open(self, row: Row, fields: dict[str, str]) -> str | None:
        if row.number or fields["format"] not in FORMATS:
            return "is not the beginning of a ledger that this version can read"
        self._format, self._budget = fields["format"], _units(fields)
        if neighbours := fields.get("neighbours", ""):
            self._relations = {check_known(neighbours)}
        return None

    def _add_reserve(self, row: Row, fields: dict[str, str]) -> str | None:
        old = self._format != FORMAT and set(fields) == _CHARGE_FIELDS_0_8
        known = old or set(fields) - attribution.FIELDS == _CHARGE_FIELDS
        if not known or not all(isinstance(value, str) for value in fields.values()):
            return "is not a charge"
        price = _units(fields)
        spent = self._spent[0] + price[0], self._spent[1] + price[1]
        if min(price) < 0 or spent[0] > self._budget[0] or spent[1] > self._budget[1]:
            return "spends what there is not"
        if spent != _units(fields, "spent_"):
            return "does not add up"
        if row.request != digest(fields) or row.reserved is not None:
            return "is not the charge that it says"
        found = ChargeRecord(row.number, row.head, fields.get("data", ""), relation_of(fields))
        if not old and self._relations not in (set(), {check_known(found.neighbours)}):
            return "is a charge for other neighbours"
        self._relations.add(found.neighbours)
        self._charges.setdefault(row.request, []).append(found)
        self._spent = spent
        self._unsealed[row.number] = row.request
        return None

    def _add_seal(self, row: Row, fields: dict[str, str]) -> str | None:
        if _units(fields, "spent_") != self._spent or len(fields["sha256"]) != 64:
            return "does not add up"
        if row.reserved is None or self._unsealed.pop(row.reserved, None) != row.request:
            return "seals nothing that was charged"
        self._seal_heads[row.reserved] = row.head
        return None


def _hash(last: Row | None, columns: tuple[object, ...]) -> str:
    before = last.hash if last else ""
    return hashlib.sha256(canonical([before, *columns]).encode()).hexdigest()


def digest(body: dict[str, str]) -> str:
    """Digest that identifies a charge: the request and its full price."""
    parts = [body["request"], body["dataset"], body["epsilon"], body["delta"], body["events"]]
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def canonical(value: Any) -> str:
    """Serialise to canonical JSON: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def amount(cost: Cost, prefix: str = "") -> dict[str, str]:
    """Encode a cost as two fields of a body."""
    return {f"{prefix}epsilon": written(cost.epsilon), f"{prefix}delta": written(cost.delta)}


def parse_amount(fields: dict[str, str], prefix: str = "") -> Cost:
    """Parse the cost that `amount` wrote into a body."""
    return _cost(_units(fields, prefix))


def _cost(units: Units) -> Cost:
    return Cost(Fraction(units[0], 10**PLACES), Fraction(units[1], 10**PLACES))


def _units(fields: dict[str, str], prefix: str = "") -> Units:
    """Parse a cost in integer units of the last decimal place."""
    return _unit(fields[f"{prefix}epsilon"]), _unit(fields[f"{prefix}delta"])


def _unit(text: str) -> int:
    if not _AMOUNT.fullmatch(text):
        raise ValueError(f"{text} is not an amount")
    whole, _, places = text.partition(".")
    return int(whole + places.ljust(PLACES, "0"))
