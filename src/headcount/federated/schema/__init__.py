"""Schema of messages and states: what each field may hold is declared once, and checked, written, parsed and documented
from there.

    kinds.py    what a field may hold: a number in a range, text, a choice
    lists.py    fields with many values
    record.py   Record: frozen data with one spelling; Message: a record with a kind and a version

docs/reference/messages.md is generated from it.
"""

from headcount.federated.schema.kinds import Added, Base64, Choice, Hex, Kind, Optional, Ratio, Text, Truth, Whole
from headcount.federated.schema.lists import Counts, Doubles, Many, Pairs, Rows, Texts, Wholes
from headcount.federated.schema.record import VERSION, Digested, Message, Nested, Record

__all__ = [
    "VERSION",
    "Added",
    "Base64",
    "Choice",
    "Counts",
    "Digested",
    "Doubles",
    "Hex",
    "Kind",
    "Many",
    "Message",
    "Nested",
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
