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

FORMAT = "4"
FORMATS = ("2", "3", FORMAT)
"""Readable formats, of a ledger and of a row. In format 2 (until version 0.8) a charge records neither its neighbours
nor its data; in format 3 (0.9) its data have no nonce, and its row has no format of its own."""
SERVES = "others"
"""In the first row of a ledger that was made to serve others."""
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


_CHARGE_FIELDS_2 = {"at", "request", "dataset", "events", "epsilon", "delta", "spent_epsilon", "spent_delta"}
_CHARGE_FIELDS_3 = {*_CHARGE_FIELDS_2, "neighbours", "data"}
_CHARGE_FIELDS_4 = {*_CHARGE_FIELDS_3, "secret", "nonce", "format"}
CHARGE_FIELDS = {"2": _CHARGE_FIELDS_2, "3": _CHARGE_FIELDS_3, "4": _CHARGE_FIELDS_4}
"""Fields that a charge must have, by the format of its row."""
KNOWN_FIELDS = {
    "open": {"format", "id", "neighbours", "epsilon", "delta", "serves"},
    "reserve": _CHARGE_FIELDS_4 | attribution.FIELDS | {"rows"},
    "seal": {"sha256", "spent_epsilon", "spent_delta"},
}
"""Fields that a row may have, by its kind. One with others was written by a later version: it can be read, as its hash
covers them, but no row is appended to what is not understood."""


@dataclass(frozen=True)
class ChargeRecord:
    """Index entry of a charge in the history."""

    number: int
    head: str
    data: str
    """Keyed digest of the charge's data; empty if no data were given."""
    neighbours: str
    """Neighbouring relation of the charge."""
    nonce: str = ""
    """What makes its digest differ from those of other charges for the same data; empty until version 0.9."""
    secret: str = ""
    """Commitment to its secret; empty if it had none, until version 0.9."""
    rows: str = ""
    """Keyed digest of the charge's rows in any order; empty if only its data have one."""


class Newer(Exception):
    """Only a later version of headcount knows what a row means."""


class Broken(Exception):
    """A row is inconsistent with the rows before it."""


class History:
    """Validated history of the rows read so far: each row is checked against all before it."""

    def __init__(self) -> None:
        self.last: Row | None = None
        self._budget: Units = (0, 0)
        self._spent: Units = (0, 0)
        self.unknown = ""
        """Where a row has a field that this version does not know; empty if none has."""
        self.serves = False
        """True if the ledger was made to serve others."""
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
    def left(self) -> Cost:
        """What may still be spent."""
        return Cost(self.budget.epsilon - self.spent.epsilon, self.budget.delta - self.spent.delta)

    @property
    def head(self) -> str:
        """Head of the last row."""
        assert self.last is not None, "a history that was followed has a last row"
        return self.last.head

    @property
    def neighbours(self) -> str | None:
        """Neighbouring relation of all charges; None if there is none yet. Ledgers of version 0.8 may mix them."""
        return " and ".join(sorted(self._relations)) or None

    def charges(self, request: str, neighbours: str) -> list[ChargeRecord]:
        """Charges with this digest and relation, pending before sealed, oldest first."""
        found = [each for each in self._charges.get(request, ()) if each.neighbours == neighbours]
        return sorted(found, key=lambda each: (each.number not in self._unsealed, each.number))

    def seal_of(self, charge: Row | ChargeRecord) -> str | None:
        """Head of this charge's seal, or None."""
        return self._seal_heads.get(charge.number)

    def is_pending(self, charge: Row | ChargeRecord) -> bool:
        """True if this charge has no seal yet."""
        return charge.number in self._unsealed

    def add(self, row: Row) -> None:
        """Validate and add the next row, or raise `Broken`; `Newer` if only a later version can read it."""
        try:
            fault = self._fault(row, row.fields())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            fault = f"cannot be read ({error})"
        if fault:
            raise Broken(f"row {row.number} {fault}")
        self.last = row

    def _fault(self, row: Row, fields: dict[str, str]) -> str | None:
        if row.number == 0:
            check_format(row, fields)  # before its hash: a later format may be hashed otherwise
        columns = (row.number, row.kind, row.request, row.reserved, row.body)
        expected = self.last.number + 1 if self.last else 0
        if row.number != expected or row.hash != _hash(self.last, columns):
            return "does not follow from the rows before it"
        check_format(row, fields)
        add = {"open": self._add_open, "reserve": self._add_reserve, "seal": self._add_seal}[row.kind]
        if unknown := sorted(set(fields) - KNOWN_FIELDS[row.kind]):
            self.unknown = f"row {row.number} has the field {unknown[0]!r:.40}"
        return add(row, fields)

    def _add_open(self, row: Row, fields: dict[str, str]) -> str | None:
        if row.number:
            return "is not the beginning of a ledger"
        self._format, self._budget = fields["format"], _units(fields)
        if neighbours := fields.get("neighbours", ""):
            self._relations = {check_known(neighbours)}
        self.serves = fields.get("serves") == SERVES
        return None

    def _add_reserve(self, row: Row, fields: dict[str, str]) -> str | None:
        of_format = self._row_format(fields)
        known = [value for name, value in fields.items() if name in KNOWN_FIELDS["reserve"]]
        if not set(fields) >= CHARGE_FIELDS[of_format] or not all(isinstance(value, str) for value in known):
            return "is not a charge"
        price = _units(fields)
        spent = self._spent[0] + price[0], self._spent[1] + price[1]
        if min(price) < 0 or spent[0] > self._budget[0] or spent[1] > self._budget[1]:
            return "spends what there is not"
        if spent != _units(fields, "spent_"):
            return "does not add up"
        if row.request != digest(fields) or row.reserved is not None:
            return "is not the charge that it says"
        kept = {name: fields.get(name, "") for name in ("data", "nonce", "secret", "rows")}
        found = ChargeRecord(row.number, row.head, neighbours=relation_of(fields), **kept)
        if of_format != "2" and self._relations not in (set(), {check_known(found.neighbours)}):
            return "is a charge for other neighbours"
        self._relations.add(found.neighbours)
        self._charges.setdefault(row.request, []).append(found)
        self._spent = spent
        self._unsealed[row.number] = row.request
        return None

    def _row_format(self, fields: dict[str, str]) -> str:
        """Format of a charge, at least that of the ledger. Until 0.9 a row does not say it, and version 0.9 adds rows
        of format 3 to ledgers of format 2."""
        implied = "3" if self._format == "2" and "neighbours" in fields else self._format
        return max(implied, fields.get("format", implied), key=FORMATS.index)

    def _add_seal(self, row: Row, fields: dict[str, str]) -> str | None:
        if _units(fields, "spent_") != self._spent or len(fields["sha256"]) != 64:
            return "does not add up"
        if row.reserved is None or self._unsealed.pop(row.reserved, None) != row.request:
            return "seals nothing that was charged"
        self._seal_heads[row.reserved] = row.head
        return None


def check_format(row: Row, fields: dict[str, str]) -> None:
    """Raise `Newer` if a row is of a format or a kind that this version does not know."""
    if fields.get("format", FORMAT) not in FORMATS:
        raise Newer(f"row {row.number} is of format {fields['format']!r:.20}, and this version reads up to {FORMAT}")
    if row.kind not in KNOWN_FIELDS:
        raise Newer(f"row {row.number} is a {row.kind!r:.40}, which this version does not know")


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
