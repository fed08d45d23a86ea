"""Test vectors for clients in other languages. `python -m tests.federated.vectors` writes them."""

import json
from base64 import b64encode
from dataclasses import replace
from fractions import Fraction
from hashlib import shake_256
from pathlib import Path
from typing import Any

import numpy as np

from headcount.account.curves import sampling
from headcount.account.events import SampleThreshold
from headcount.exact import Integers, round_up, written
from headcount.federated import (
    Client,
    Invitation,
    Report,
    Result,
    Round,
    SecureClient,
    SecureRound,
    ShapeRound,
    Shares,
    Tally,
    Total,
)
from headcount.federated.listed.extension import Extension
from headcount.federated.rounds import (
    HeavyHittersPlan,
    QuantilesPlan,
    RangesPlan,
    RoundsAnalyst,
    SecureHeavyHittersPlan,
)
from headcount.federated.rounds.plan import RoundsPlan
from headcount.federated.sample import random_sequence, truncation_delta
from headcount.federated.schema import Digested, Message
from headcount.federated.secure import SumInbox, SumKeys, SumMasked, SumPartners, SumShares, SumSurvivors, SumUnmask
from headcount.federated.secure.vectors import residues, to_text
from headcount.federated.shape.client import bucket_of
from headcount.federated.step import Scale
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.finite import Bernoulli, Uniform

PATH = Path(__file__).parents[2] / "docs" / "reference" / "vectors.json"
ID, TICKET, KEY = "00112233445566778899aabbccddeeff", "f" * 32, bytes(range(32))
DELTA = Fraction("0.000001")
ROUND = Round(ID, "Which songs? ☕🎵", Fraction("0.2"), 14, 2, "add-remove", Fraction(1), DELTA)
INVITING = Round(ID, "Which?", Fraction(1, 7), 14, 1, "replace", Fraction(1), DELTA, 20_000, 3_200)
BROKEN = Round(ID, "Which?", Fraction("0.9"), 2, 1, "add-remove", Fraction(1, 3), DELTA)
EAGER = Round(ID, "Which?", Fraction("0.75"), 100, 3, "add-remove", Fraction(3), Fraction("0.01"))
INSIDERS = replace(ROUND, threshold=17, insiders=2)
SHARED = replace(ROUND, rate=Fraction("0.1"), threshold=20, insiders=1, sites_per_person=2)
NOT_FOR_INSIDERS = replace(ROUND, insiders=2)
SHAPE = ShapeRound(
    *(ID, "Which song?", 1000, Fraction("0.9"), 2000, "0f" * 16, Fraction(1), Fraction(0), Fraction(0)),
    *("add-remove", Fraction(1), Fraction(0), "secure-sum"),
)
SECURE = SecureRound(
    *(ID, "Which song?", ("blue", "Ω🎵"), 1, 40, 36, Fraction("0.9"), "laplace", Fraction(1), 1, 12, 40, 20),
    *("add-remove", Fraction(1), Fraction(0)),
)
SITES = replace(SECURE, spread=Fraction(2), bits=18, people=1000, sites=40, sites_per_person=2)
WEAK = replace(SECURE, spread=Fraction("0.9"))
TREE_OF_SUMS = replace(SECURE, keys=("",), spread=Fraction(3), bits=14, step=Extension(0, (1, 2, 4), "abΩ🎵", 300))
UNKNOWN = SecureHeavyHittersPlan(TREE_OF_SUMS, Fraction("0.05"))
EXTENDED = replace(TREE_OF_SUMS, keys=("a", "🎵"), step=Extension(1, (1, 2, 4), "abΩ🎵", 300))
PUBLIC, BOX, SHARE = ("0f" * 32, "f0" * 32), b64encode(bytes(range(82))).decode(), "00" + "0f" * 32
NUMBERS = to_text(residues(np.array([-1, 17]), SECURE.terms), SECURE.terms)
PROMISE: dict[str, Any] = {"neighbours": "add-remove", "epsilon": Fraction(1), "delta": DELTA}
TERMS: dict[str, Any] = {"id": ID, "asks": "Which?", "rate": Fraction("0.1"), "threshold": 14, "items": 2, **PROMISE}
WORDS = HeavyHittersPlan(**TERMS, lengths=(1, 3), share=Fraction("0.01"), people=20_000)
SCALE = Scale((0.0, 0.1, 1e-7 + 1, 1000.0), 64, True)
MEDIAN = QuantilesPlan(**TERMS, scale=SCALE, q=(Fraction("0.5"), Fraction("0.9")), method="search")
TREE = replace(MEDIAN, items=1, method="tree")
COUNTED = RangesPlan(
    **{**TERMS, "items": 1}, scale=Scale((-10.0, 0.0, 2.5), 2, False), ranges=((-10.0, 2.5), (0.0, 2.5))
)
PLANS = WORDS, MEDIAN, TREE, COUNTED
FIRST = tuple(RoundsAnalyst(plan).publish() for plan in PLANS)
LATER = RoundsAnalyst(WORDS, [Result(FIRST[0].digest, (("Ω", 20), ("q", 14)))]).publish()
TYPED = {
    "items": (LATER, ["quince", "Ω🎵𝄞x", "Ωmega", "apple", "q"]),
    "a number": (FIRST[1], ["x", "0.1", "nan"]),
    "one of several numbers": (FIRST[2], ["-3", "0.05", "1e3", "700."]),
    "outside": (FIRST[3], ["2.5", "-11"]),
    "an edge": (FIRST[3], ["0"]),
    "for insiders": (replace(FIRST[3], insiders=1), ["0"]),
}
MESSAGES: tuple[Message, ...] = (
    ROUND,
    INVITING,
    BROKEN,
    INSIDERS,
    SHARED,
    NOT_FOR_INSIDERS,
    Invitation(INVITING.digest, 17, TICKET),
    Report(ROUND.digest, TICKET, ()),
    Report(ROUND.digest, TICKET, ("quince", 'Ω\n\0\x7f "\\/🎵')),
    Result(ROUND.digest, (("b", 20), ("a", 17), ("é", 17))),
    *PLANS,
    *FIRST,
    LATER,
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
    SITES,
    UNKNOWN,
    TREE_OF_SUMS,
    EXTENDED,
)
REPORT = Report(ROUND.digest, TICKET, ()).to_json()
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
PRICES = [
    SampleThreshold(Fraction("0.2"), 14, 1, "add-remove", Fraction(1)),
    SampleThreshold(Fraction("0.7"), 30, 1, "add-remove", Fraction(1)),
    SampleThreshold(Fraction(1, 7), 14, 3, "add-remove", Fraction(1)),
    SampleThreshold(Fraction(1, 7), 14, 1, "replace", Fraction("0.5")),
]
BYTES = shake_256(b"headcount test vectors").digest(96)
INVITATION = Invitation(INVITING.digest, 17, TICKET)


class Given(Entropy):
    """These bytes: a number below n takes as many as n - 1 has, of which the lowest bits that n - 1 has are the number,
    most significant byte first; one that is too large is left out. A coin falls if a number below its denominator is
    below its numerator."""

    def __init__(self, content: bytes) -> None:
        self.left = content

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return np.array([self._one(distribution) for _ in range(size)], dtype=np.int64)

    def secret(self) -> bytes:
        raise AssertionError("a device has a key of its own")

    def _one(self, distribution: NoiseDistribution) -> int:
        if isinstance(distribution, Bernoulli):
            return int(self._below(distribution.p.denominator) < distribution.p.numerator)
        assert isinstance(distribution, Uniform)
        return self._below(distribution.count)

    def _below(self, count: int) -> int:
        bits = (count - 1).bit_length()
        used, self.left = self.left[: -(-bits // 8)], self.left[-(-bits // 8) :]
        assert len(used) == -(-bits // 8), "no bytes are left"
        drawn = int.from_bytes(used, "big") & ((1 << bits) - 1)
        return drawn if drawn < count else self._below(count)


def vectors() -> dict[str, Any]:
    """Everything that an implementation can be compared with."""
    return {
        "messages": [_message(message) for message in MESSAGES],
        "refused": [{"why": why, "kind": "report", "text": text} for why, text in REFUSED.items()],
        "steps": [_step(what, *each) for what, each in TYPED.items()],
        "extensions": [_extended(round_) for round_ in (TREE_OF_SUMS, EXTENDED)],
        "tickets": [_ticket(round_) for round_ in (ROUND, BROKEN)],
        "buckets": [
            {"key": SHAPE.key, "buckets": SHAPE.buckets, "item": item, "bucket": bucket_of(item, SHAPE)}
            for item in ("", "apple", "Ω🎵")
        ],
        "prices": [_price(event) for event in PRICES],
        "truncated": [_truncated(maximum) for maximum in (2_900, 3_200, 20_000)],
        "coins": [_coin(rate) for rate in (Fraction("0.2"), Fraction(1, 7), Fraction("0.2537359279928"))],
        "sequences": [_sequence(count, size) for count, size in ((5, 3), (3, 3), (1, 4), (300, 4))],
        "answers": [
            _answer(("apple", "pear"), ROUND),
            _answer(("🎵", "\uffee", "é", "é"), EAGER),
            _answer(("fig", "apple", "pear", "plum", "kiwi"), EAGER),
            _answer((), EAGER),
            _answer(("apple", "pear"), INVITING, INVITATION),
        ],
    }


def _price(event: SampleThreshold) -> dict[str, Any]:
    """A price, rounded up: to 12 digits if it is exact, else to 4."""
    digits = 12 if event.items == 1 and event.neighbours == "add-remove" else 4
    parameters = {"rate": written(event.rate), "threshold": event.threshold, "items": event.items}
    found = written(round_up(sampling.delta(event), digits))
    return {**parameters, "neighbours": event.neighbours, "epsilon": written(event.epsilon), "delta": found}


def _truncated(invited: int) -> dict[str, Any]:
    people, rate, epsilon = 20_000, Fraction(1, 7), Fraction(1)
    found = written(round_up(truncation_delta(people, rate, invited, epsilon), 4))
    return {"people": people, "rate": written(rate), "invited": invited, "epsilon": written(epsilon), "delta": found}


def _coin(rate: Fraction) -> dict[str, Any]:
    """Coins that are tossed one after another."""
    entropy = Given(BYTES)
    falls = [bool(each) for each in entropy.draw(Bernoulli(rate), 6)]
    return {"rate": written(rate), "bytes": BYTES.hex(), "falls": falls, "left": len(entropy.left)}


def _sequence(count: int, size: int) -> dict[str, Any]:
    entropy = Given(BYTES)
    order = random_sequence(count, size, entropy)
    return {"count": count, "size": size, "bytes": BYTES.hex(), "order": order, "left": len(entropy.left)}


def _answer(items: tuple[str, ...], round_: Round, invitation: Invitation | None = None) -> dict[str, Any]:
    client = Client(items, key=KEY, entropy=Given(BYTES))
    asked = {"round": round_.to_json(), "invitation": invitation.to_json() if invitation else None}
    report = client.answer(round_, invitation).to_json()
    return {"items": list(items), "key": KEY.hex(), "bytes": BYTES.hex(), **asked, "report": report}


def _message(message: Message) -> dict[str, Any]:
    text = message.to_json()
    promise = (
        {"digest": message.digest, "holds": message.holds}
        if isinstance(message, Round | ShapeRound | SecureRound | RoundsPlan | SecureHeavyHittersPlan)
        else {}
    )
    return {"kind": message.kind, "fields": json.loads(text), "text": text, **promise}


def _step(what: str, round_: Round, items: list[str]) -> dict[str, Any]:
    answers = Client(items, key=KEY)._step_answers(round_)
    about = {"what": what, "key": KEY.hex(), "round": round_.to_json(), "promise": round_.promise}
    return {**about, "items": items, "answers": list(answers)}


def _extended(round_: SecureRound) -> dict[str, Any]:
    """Candidates of a secure sum in a series, and the places of a person's items."""
    items = ["ab", "a", "🎵Ωab", "🎵Ωabb", "axe", "b", ""]
    vector = SecureClient(items, key=KEY)._counts(round_)
    about = {"round": round_.to_json(), "promise": round_.promise, "labels": list(round_.labels)}
    return {"key": KEY.hex(), **about, "items": items, "places": np.flatnonzero(vector).tolist()}


def _ticket(round_: Digested) -> dict[str, str]:
    ticket = Client((), key=KEY)._ticket(round_)  # type: ignore[arg-type]
    return {"key": KEY.hex(), "round": round_.digest, "ticket": ticket}


if __name__ == "__main__":
    PATH.write_text(json.dumps(vectors(), indent=1, ensure_ascii=True) + "\n")
