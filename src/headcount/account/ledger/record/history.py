"""History of a ledger: its rows, each checked against all before it.

A charge is pending until its release is sealed; a charge in parts, until every part is. A part is begun once, by a row
of its own that names the charge which paid for it, and sealed once.
"""

import json
from dataclasses import dataclass

from headcount.account.guarantee import Cost
from headcount.account.ledger.record.chain import Row, Units, as_cost, digest, part_digest, row_hash, units
from headcount.account.ledger.record.formats import (
    CHARGE_FIELDS,
    FORMATS,
    PART_FIELDS,
    SERVES,
    check_format,
    known_fields,
)
from headcount.account.relation import check_known, relation_of


@dataclass(frozen=True)
class ChargeRecord:
    """Index entry of a charge, or of a part of one, in the history."""

    number: int
    head: str
    data: str
    """Keyed digest of its data; empty if no data were given."""
    neighbours: str
    """Neighbouring relation of the charge."""
    nonce: str = ""
    """What makes its digest differ from those of other charges for the same data; empty until version 0.9."""
    secret: str = ""
    """Commitment to its secret; empty if it had none, until version 0.9, and in a part."""
    rows: str = ""
    """Keyed digest of its rows in any order; empty if only its data have one."""
    parts: tuple[str, ...] = ()
    """Names of the parts that it paid for; empty if it is for one release."""
    part: str = ""
    """Name of the part; empty if it is a charge."""


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
        self._parts: dict[str, ChargeRecord] = {}
        """All parts that were begun, by digest."""
        self._part_names: dict[int, str] = {}
        """Their names, by number."""
        self._paid_by: dict[int, tuple[str, ChargeRecord]] = {}
        """Charge of each charge and each part that was begun, by number, with its digest."""
        self._unsealed: dict[int, str] = {}
        """Pending charges and parts by number, with their digests."""
        self._left: dict[int, set[str]] = {}
        """Parts that are not sealed, by the number of the charge."""
        self._seal_heads: dict[int, str] = {}
        """Heads of all seals, by the number of the charge or part."""

    @property
    def budget(self) -> Cost:
        """The total budget."""
        return as_cost(self._budget)

    @property
    def spent(self) -> Cost:
        """The sum of all charges."""
        return as_cost(self._spent)

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

    def parts(self, request: str, neighbours: str) -> list[ChargeRecord]:
        """The part with this digest and relation, if it was begun."""
        found = self._parts.get(request)
        return [found] if found and found.neighbours == neighbours else []

    def charge_of(self, row: Row | ChargeRecord) -> ChargeRecord:
        """Charge that paid for a part; of a charge, itself."""
        return self._paid_by[row.number][1]

    def completes(self, row: Row | ChargeRecord) -> bool:
        """True if nothing of a charge is pending once this row, the charge or one of its parts, is sealed."""
        return self._left[self.charge_of(row).number] <= {self._part_names.get(row.number, "")}

    def seal_of(self, charge: Row | ChargeRecord) -> str | None:
        """Head of the seal of a charge or part, or None."""
        return self._seal_heads.get(charge.number)

    def is_pending(self, charge: Row | ChargeRecord) -> bool:
        """True if a charge or part has no seal yet; if it is in parts, as long as one of them has none."""
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
        if row.number != expected or row.hash != row_hash(self.last, columns):
            return "does not follow from the rows before it"
        check_format(row, fields)
        if unknown := sorted(set(fields) - known_fields(row, fields)):
            self.unknown = f"row {row.number} has the field {unknown[0]!r:.40}"
        kinds = {"open": self._add_open, "reserve": self._add_reserve, "part": self._add_part, "seal": self._add_seal}
        return kinds[row.kind](row, fields)

    def _add_open(self, row: Row, fields: dict[str, str]) -> str | None:
        if row.number:
            return "is not the beginning of a ledger"
        self._format, self._budget = fields["format"], units(fields)
        if neighbours := fields.get("neighbours", ""):
            self._relations = {check_known(neighbours)}
        self.serves = fields.get("serves") == SERVES
        return None

    def _add_reserve(self, row: Row, fields: dict[str, str]) -> str | None:
        of_format = self._row_format(fields)
        if not set(fields) >= CHARGE_FIELDS[of_format] or not _is_text(row, fields):
            return "is not a charge"
        price = units(fields)
        spent = self._spent[0] + price[0], self._spent[1] + price[1]
        if min(price) < 0 or spent[0] > self._budget[0] or spent[1] > self._budget[1]:
            return "spends what there is not"
        if spent != units(fields, "spent_"):
            return "does not add up"
        if row.request != digest(fields) or row.reserved is not None:
            return "is not the charge that it says"
        names = _part_names(fields) if of_format == "5" else ()
        kept = {name: fields.get(name, "") for name in ("data", "nonce", "secret", "rows")}
        found = ChargeRecord(row.number, row.head, neighbours=relation_of(fields), parts=names, **kept)
        if of_format != "2" and self._relations not in (set(), {check_known(found.neighbours)}):
            return "is a charge for other neighbours"
        if names and self._charges.get(row.request):
            return "is a second charge for the same parts"
        self._relations.add(found.neighbours)
        self._charges.setdefault(row.request, []).append(found)
        self._spent = spent
        self._begin(row, row.request, found)
        self._left[row.number] = set(names)
        return None

    def _row_format(self, fields: dict[str, str]) -> str:
        """Format of a charge, at least that of the ledger. Until 0.9 a row does not say it, and version 0.9 adds rows
        of format 3 to ledgers of format 2."""
        implied = "3" if self._format == "2" and "neighbours" in fields else self._format
        return max(implied, fields.get("format", implied), key=FORMATS.index)

    def _add_part(self, row: Row, fields: dict[str, str]) -> str | None:
        if not set(fields) >= PART_FIELDS or not _is_text(row, fields):
            return "is not a part"
        if units(fields, "spent_") != self._spent:
            return "does not add up"
        of_charge, charge = self._paid_by.get(int(fields["charge"]), ("", None))
        if charge is None or fields["charge"] != str(charge.number) or row.reserved is not None:
            return "is a part of no charge"
        if fields["part"] not in charge.parts:
            return "is a part that nobody paid for"
        if row.request != part_digest(of_charge, fields["part"]) or row.request in self._parts:
            return "is a part that was begun before"
        kept = {name: fields.get(name, "") for name in ("data", "nonce", "rows", "part")}
        self._parts[row.request] = ChargeRecord(row.number, row.head, neighbours=charge.neighbours, parts=(), **kept)
        self._part_names[row.number] = fields["part"]
        self._begin(row, of_charge, charge)
        return None

    def _begin(self, row: Row, request: str, charge: ChargeRecord) -> None:
        """A charge, or a part of one, is pending from here on."""
        self._unsealed[row.number] = row.request
        self._paid_by[row.number] = request, charge

    def _add_seal(self, row: Row, fields: dict[str, str]) -> str | None:
        if units(fields, "spent_") != self._spent or len(fields["sha256"]) != 64:
            return "does not add up"
        number = row.reserved
        if number is None or self._left.get(number) or self._unsealed.pop(number, None) != row.request:
            return "seals nothing that was charged"
        self._seal_heads[number] = row.head
        if part := self._parts.get(row.request):
            self._seal_part(part)
        return None

    def _seal_part(self, part: ChargeRecord) -> None:
        """Take a sealed part from those that are left; with the last of them, its charge is no longer pending."""
        charge = self.charge_of(part)
        self._left[charge.number].remove(part.part)
        if not self._left[charge.number]:
            del self._unsealed[charge.number]


def _is_text(row: Row, fields: dict[str, str]) -> bool:
    """True if all fields that are known are text."""
    known = known_fields(row, fields)
    return all(isinstance(value, str) for name, value in fields.items() if name in known)


def _part_names(fields: dict[str, str]) -> tuple[str, ...]:
    """Names of the parts of a charge."""
    names = tuple(name for name, _ in json.loads(fields["parts"]))
    if not names or len({*names}) < len(names) or not all(isinstance(name, str) and name for name in names):
        raise ValueError("its parts have no names of their own")
    return names
