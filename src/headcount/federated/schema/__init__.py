"""Schema of messages and states: what each field may hold is declared once, and checked, written, parsed and documented
from there.

    kinds.py    what a field may hold: a number in a range, text, a choice
    lists.py    fields with many values
    record.py   Record: frozen data with one spelling; Message: a record with a kind and a version

docs/reference/messages.md is generated from it.
"""

from headcount.federated.schema.kinds import Base64, Choice, Hex, Kind, Optional, Ratio, Text, Truth, Whole
from headcount.federated.schema.lists import Counts, Pairs, Rows, Texts, Wholes
from headcount.federated.schema.record import VERSION, Digested, Message, Record

__all__ = [
    "VERSION",
    "Base64",
    "Choice",
    "Counts",
    "Digested",
    "Hex",
    "Kind",
    "Message",
    "Optional",
    "Pairs",
    "Ratio",
    "Record",
    "Rows",
    "Text",
    "Texts",
    "Truth",
    "Whole",
    "Wholes",
]
