"""Formats of a ledger's rows: which fields they have, and what only a later version can read.

A row is written in the earliest format that can say it. So a ledger without charges in parts stays readable by versions
that do not know parts; one with them is refused there as newer, by the number of the format in the charge's row.
"""

from headcount.account.ledger import attribution
from headcount.account.ledger.record.chain import Row

FORMAT = "4"
PARTS_FORMAT = "5"
"""Format of a charge in parts."""
FORMATS = ("2", "3", FORMAT, PARTS_FORMAT)
"""Readable formats, of a ledger and of a row. In format 2 (until version 0.8) a charge records neither its neighbours
nor its data; in format 3 (0.9) its data have no nonce, and its row has no format of its own; in format 5 it lists its
parts, and each of them has a row and a seal."""
SERVES = "others"
"""In the first row of a ledger that was made to serve others."""

_CHARGE_FIELDS_2 = {"at", "request", "dataset", "events", "epsilon", "delta", "spent_epsilon", "spent_delta"}
_CHARGE_FIELDS_3 = {*_CHARGE_FIELDS_2, "neighbours", "data"}
_CHARGE_FIELDS_4 = {*_CHARGE_FIELDS_3, "secret", "nonce", "format"}
_CHARGE_FIELDS_5 = {*_CHARGE_FIELDS_4, "parts"}
CHARGE_FIELDS = {"2": _CHARGE_FIELDS_2, "3": _CHARGE_FIELDS_3, "4": _CHARGE_FIELDS_4, "5": _CHARGE_FIELDS_5}
"""Fields that a charge must have, by the format of its row."""
PART_FIELDS = {"at", "charge", "part", "nonce", "data", "spent_epsilon", "spent_delta"}
"""Fields that a part must have."""
_CHARGE = _CHARGE_FIELDS_4 | attribution.FIELDS | {"rows"}
_CHARGE_IN_PARTS = _CHARGE | {"parts"}
_KNOWN_FIELDS = {
    "open": {"format", "id", "neighbours", "epsilon", "delta", "serves"},
    "reserve": _CHARGE,
    "part": PART_FIELDS | {"rows"},
    "seal": {"sha256", "spent_epsilon", "spent_delta"},
}


class Newer(Exception):
    """Only a later version of headcount knows what a row means."""


def check_format(row: Row, fields: dict[str, str]) -> None:
    """Raise `Newer` if a row is of a format or a kind that this version does not know."""
    if fields.get("format", FORMAT) not in FORMATS:
        last = FORMATS[-1]
        raise Newer(f"row {row.number} is of format {fields['format']!r:.20}, and this version reads up to {last}")
    if row.kind not in _KNOWN_FIELDS:
        raise Newer(f"row {row.number} is a {row.kind!r:.40}, which this version does not know")


def known_fields(row: Row, fields: dict[str, str]) -> set[str]:
    """Fields that a row may have. One with others was written by a later version: it can be read, as its hash covers
    them, but no row is appended to what is not understood."""
    in_parts = row.kind == "reserve" and fields.get("format") == PARTS_FORMAT
    return _CHARGE_IN_PARTS if in_parts else _KNOWN_FIELDS[row.kind]
