"""Charges of a ledger as its readers see them."""

import json
from dataclasses import dataclass

from headcount.account.attribution import Attribution
from headcount.account.chain import Row, parse_amount
from headcount.account.events import Event, from_json
from headcount.account.guarantee import Cost
from headcount.account.relation import relation_of
from headcount.errors import BadParameter


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
    """Privacy events; None if a newer version of headcount wrote them."""
    sealed: bool
    """False if the release was never finished: it can be requested again without a new charge."""
    analyst: str = ""
    """Who made the charge, as stated; empty if nobody said."""
    purpose: str = ""
    """What the release is for, as stated; empty if nobody said."""

    @property
    def title(self) -> str:
        """The description in the plan of the request, else the request itself."""
        try:
            parsed = json.loads(self.request)
        except ValueError:
            return self.request
        return str(parsed["what"]) if isinstance(parsed, dict) and "what" in parsed else self.request


def spend_of(row: Row, sealed: bool) -> Spend:
    """Charge in this row."""
    fields = row.fields()
    try:
        events: tuple[Event, ...] | None = from_json(fields["events"])
    except (BadParameter, ValueError, TypeError, AttributeError):
        events = None
    about = (row.number, fields["at"], fields["request"], fields["dataset"])
    stated = Attribution.from_fields(fields)
    return Spend(*about, parse_amount(fields), relation_of(fields), events, sealed, stated.analyst, stated.purpose)
