"""Test vectors for clients in other languages. `python -m tests.federated.vectors` writes them."""

import json
from base64 import b64encode
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from headcount.federated import Client, Invitation, Report, Result, Round, SecureRound, ShapeRound, Shares, Tally, Total
from headcount.federated.schema import Digested, Message
from headcount.federated.secure import SumInbox, SumKeys, SumMasked, SumPartners, SumShares, SumSurvivors, SumUnmask
from headcount.federated.secure.vectors import residues, to_text
from headcount.federated.shape.client import bucket_of

PATH = Path(__file__).parents[2] / "docs" / "reference" / "vectors.json"
ID, TICKET, KEY = "00112233445566778899aabbccddeeff", "f" * 32, bytes(range(32))
DELTA = Fraction("0.000001")
ROUND = Round(ID, "Which songs? ☕🎵", Fraction("0.2"), 14, 2, "add-remove", Fraction(1), DELTA)
INVITING = Round(ID, "Which?", Fraction(1, 7), 14, 1, "replace", Fraction(1), DELTA, 20_000, 3_200)
BROKEN = Round(ID, "Which?", Fraction("0.9"), 2, 1, "add-remove", Fraction(1, 3), DELTA)
SHAPE = ShapeRound(
    *(ID, "Which song?", 1000, Fraction("0.9"), 2000, "0f" * 16, Fraction(1), Fraction(0), Fraction(0)),
    *("add-remove", Fraction(1), Fraction(0), "secure-sum"),
)
SECURE = SecureRound(
    *(ID, "Which song?", ("blue", "Ω🎵"), 1, 40, 36, Fraction("0.9"), "laplace", Fraction(1), 1, 12, 40, 20),
    *("add-remove", Fraction(1), Fraction(0)),
)
WEAK = replace(SECURE, spread=Fraction("0.9"))
PUBLIC, BOX, SHARE = ("0f" * 32, "f0" * 32), b64encode(bytes(range(82))).decode(), "00" + "0f" * 32
NUMBERS = to_text(residues(np.array([-1, 17]), SECURE.terms), SECURE.terms)
MESSAGES: tuple[Message, ...] = (
    ROUND,
    INVITING,
    BROKEN,
    Invitation(INVITING.digest, 17, TICKET),
    Report(ROUND.digest, TICKET, ()),
    Report(ROUND.digest, TICKET, ("quince", 'Ω\n\0\x7f "\\/🎵')),
    Result(ROUND.digest, (("b", 20), ("a", 17), ("é", 17))),
    SHAPE,
    Shares(SHAPE.digest, TICKET, ((0, -2), (17, 1))),
    Tally(ID, 3, (1, 0, 2), (0, 5, 1)),
    Total(SHAPE.digest, 950, (1, -5, 1)),
    SECURE,
    WEAK,
    SumKeys(SECURE.digest, TICKET, *PUBLIC, "3c" * 32),
    SumPartners(SECURE.digest, 3, ((0, *PUBLIC), (17, PUBLIC[1], PUBLIC[0]))),
    SumShares(SECURE.digest, TICKET, ((0, BOX), (17, BOX))),
    SumInbox(SECURE.digest, ((17, BOX),)),
    SumMasked(SECURE.digest, TICKET, NUMBERS),
    SumSurvivors(SECURE.digest, 38, ((0,), (17,))),
    SumUnmask(SECURE.digest, TICKET, ((0, SHARE), (17, SHARE))),
)
REPORT = MESSAGES[4].to_json()
REFUSED = {
    "a space": REPORT.replace(":", ": ", 1),
    "a field that there is not": REPORT.replace('"version":1', '"version":1,"why":1'),
    "a field twice": REPORT.replace('"version":1', '"version":1,"version":1'),
    "another version": REPORT.replace('"version":1', '"version":2'),
    "a missing field": REPORT.replace('"items":[],', ""),
    "capital digits": REPORT.replace(TICKET, TICKET.upper()),
    "an item twice": REPORT.replace("[]", '["a","a"]'),
    "a number for text": REPORT.replace("[]", "[1]"),
    "half of a surrogate pair": REPORT.replace("[]", '["\\ud800"]'),
    "a letter that needs no escape": REPORT.replace("[]", '["\\u0061"]'),
    "an item of 4,097 bytes": REPORT.replace("[]", f'["{"x" * 4097}"]'),
}


def vectors() -> dict[str, Any]:
    """Everything that an implementation can be compared with."""
    return {
        "messages": [_message(message) for message in MESSAGES],
        "refused": [{"why": why, "kind": "report", "text": text} for why, text in REFUSED.items()],
        "tickets": [_ticket(round_) for round_ in (ROUND, BROKEN)],
        "buckets": [
            {"key": SHAPE.key, "buckets": SHAPE.buckets, "item": item, "bucket": bucket_of(item, SHAPE)}
            for item in ("", "apple", "Ω🎵")
        ],
    }


def _message(message: Message) -> dict[str, Any]:
    text = message.to_json()
    promise = (
        {"digest": message.digest, "holds": message.holds}
        if isinstance(message, Round | ShapeRound | SecureRound)
        else {}
    )
    return {"kind": message.kind, "fields": json.loads(text), "text": text, **promise}


def _ticket(round_: Digested) -> dict[str, str]:
    ticket = Client((), key=KEY)._ticket(round_)  # type: ignore[arg-type]
    return {"key": KEY.hex(), "round": round_.digest, "ticket": ticket}


if __name__ == "__main__":
    PATH.write_text(json.dumps(vectors(), indent=1, ensure_ascii=True) + "\n")
