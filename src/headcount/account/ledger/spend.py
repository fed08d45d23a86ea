"""Charges of a ledger as its readers see them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.account.events import Event, from_json
from headcount.account.guarantee import Cost
from headcount.account.ledger.attribution import Attribution
from headcount.account.ledger.parts import merged, read_parts
from headcount.account.ledger.record.chain import Row, parse_amount
from headcount.account.ledger.record.formats import PARTS_FORMAT
from headcount.account.relation import relation_of
from headcount.errors import BadParameter
from headcount.wording import counted_noun


@dataclass(frozen=True)
class SpendPart:
    """A part of a charge that was begun."""

    number: int
    """The part's row."""
    at: str
    """Time of its beginning, for people only; nothing depends on it."""
    name: str
    sealed: bool
    """False if it was never finished: it can be requested again, for the same data."""


@dataclass(frozen=True)
class Spend:
    """One charge in the ledger."""

    number: int
    """The charge's row."""
    at: str
    """Time of the charge, for people only; nothing depends on it."""
    request: str
    """The request, as canonical text."""
    dataset: str
    """Name of the data."""
    cost: Cost
    """What was paid."""
    neighbours: str
    """Neighbouring relation of the cost."""
    events: tuple[Event, ...] | None
    """Privacy events, of all parts together; None if a newer version of headcount wrote them."""
    sealed: bool
    """False if the release, or one of its parts, was never finished: it can be requested again without a new charge."""
    analyst: str = ""
    """Who made the charge, as stated; empty if nobody said."""
    purpose: str = ""
    """What the release is for, as stated; empty if nobody said."""
    part_names: tuple[str, ...] = ()
    """Names of all parts that were paid for; none if it is a charge for one release."""
    parts: tuple[SpendPart, ...] = ()
    """Parts that were begun, in order."""

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of the charge and of its parts."""
        return self.number, *(part.number for part in self.parts)

    @property
    def state(self) -> str:
        """How far the release is, in words."""
        if not self.part_names:
            return "sealed" if self.sealed else "not finished"
        sealed = sum(part.sealed for part in self.parts)
        unfinished = len(self.parts) - sealed
        rest = f", {unfinished} not finished" if unfinished else ""
        return f"{sealed} of {counted_noun(len(self.part_names), 'part')} sealed{rest}"

    @property
    def title(self) -> str:
        """The description in the plan of the request, else the request itself."""
        try:
            parsed = json.loads(self.request)
        except ValueError:
            return self.request
        return str(parsed["what"]) if isinstance(parsed, dict) and "what" in parsed else self.request


def spends_in(rows: Sequence[Row]) -> tuple[Spend, ...]:
    """Charges among these rows, with their parts."""
    sealed = {row.reserved for row in rows}
    parts: dict[str, list[SpendPart]] = {}
    for row in rows:
        if row.kind == "part":
            fields = row.fields()
            part = SpendPart(row.number, fields["at"], fields["part"], row.number in sealed)
            parts.setdefault(fields["charge"], []).append(part)
    charges = [row for row in rows if row.kind == "reserve"]
    return tuple(_spend(row, row.number in sealed, tuple(parts.get(str(row.number), ()))) for row in charges)


def _spend(row: Row, sealed: bool, begun: tuple[SpendPart, ...]) -> Spend:
    """Charge in a row. One in parts is sealed if all of them are."""
    fields = row.fields()
    names = tuple(name for name, _ in json.loads(fields["parts"])) if fields.get("format") == PARTS_FORMAT else ()
    is_sealed = sum(part.sealed for part in begun) == len(names) if names else sealed
    about = (row.number, fields["at"], fields["request"], fields["dataset"])
    stated = Attribution.from_fields(fields)
    price = (parse_amount(fields), relation_of(fields), _events(fields))
    return Spend(*about, *price, is_sealed, stated.analyst, stated.purpose, names, begun)


def _events(fields: dict[str, str]) -> tuple[Event, ...] | None:
    """Events of a charge and of its parts; None if one of them is not known here."""
    try:
        shared = from_json(fields["events"])
        parts = read_parts(fields["parts"]) if fields.get("format") == PARTS_FORMAT else ()
        return merged((*shared, *(event for part in parts for event in part.events))) if parts else shared
    except (BadParameter, ValueError, TypeError, AttributeError):
        return None
