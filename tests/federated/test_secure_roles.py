"""Rounds of a secure sum: what they promise, who refuses what, and the release that they end in."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headcount as hc
from headcount.account import Ledger
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, BudgetExceeded, DataChanged, MissingPackage
from headcount.federated import Refused, SecureAnalyst, SecureClient, SecureRound, SecureServer, Total
from headcount.federated.listed.release import statements
from headcount.federated.secure.partners import MAX_FAILURE
from headcount.federated.transport import SecureMemoryTransport, collect_sum
from tests.federated.people import ID

needs_cryptography = pytest.mark.skipif(find_spec("cryptography") is None, reason="needs headcount[secure]")
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "federated.md"
KEYS = ["blue", "red", "green"]


def publish(analyst: SecureAnalyst | None = None, **typed: Any) -> SecureRound:
    stated = {"keys": KEYS, "people": 30, "epsilon": 1, **typed}
    return (analyst or SecureAnalyst()).publish("Which song?", **stated)


def total_of(asked: SecureRound, *counts: int, answered: int | None = None) -> Total:
    return Total(asked.digest, answered or asked.people, tuple(count * asked.unit for count in counts))


# a whole round


@needs_cryptography
def test_a_round_counts_those_who_answer() -> None:
    analyst = SecureAnalyst()
    asked = publish(analyst, epsilon=20, people=40)
    people = [SecureClient(["blue", "other"]) for _ in range(25)]
    people += [SecureClient(["red"]) for _ in range(10)] + [SecureClient(()) for _ in range(5)]
    release = analyst.read(collect_sum(asked, SecureMemoryTransport(people)))
    assert [row["item"] for row in release] == ["blue", "red", "green"]
    for row, true in zip(release, (25, 10, 0), strict=True):
        assert abs(row["count"] - true) <= 2
        assert row["low"] <= row["count"] <= row["high"]


class DropsOut(SecureMemoryTransport):
    """People who are gone from a step on."""

    def __init__(self, clients: list[SecureClient], gone: tuple[int, ...]) -> None:
        super().__init__(clients)
        self._gone = list(gone)

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        gone = self._gone.pop(0)
        yield from super().exchange(dict(list(messages.items())[gone:]))


@needs_cryptography
@pytest.mark.parametrize("gone", [(2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 1)])
def test_people_may_drop_out_at_every_step(gone: tuple[int, ...]) -> None:
    analyst = SecureAnalyst()
    asked = publish(analyst, epsilon=20)
    total = collect_sum(asked, DropsOut([SecureClient(["blue"]) for _ in range(30)], gone))
    assert total.answered == 30 - sum(gone[:2])
    assert abs(analyst.read(total)["count"][0].as_py() - total.answered) <= 2


@needs_cryptography
@pytest.mark.parametrize("gone", [(4, 0, 0), (0, 4, 0)])
def test_too_few_people_open_nothing(gone: tuple[int, ...]) -> None:
    with pytest.raises(Refused, match="26 people answered, and 27 must"):
        collect_sum(publish(), DropsOut([SecureClient(["blue"]) for _ in range(30)], gone))


class Hostile(SecureMemoryTransport):
    """Good answers, each twice, among others that are none."""

    def join(self, round_: SecureRound) -> Iterator[str]:
        yield from ("", "null", "[" * 10_000, total_of(round_, 1, 2, 3).to_json())
        for text in super().join(round_):
            yield from (text, text, text.replace('"version":1', '"version":2'))

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        for text in super().exchange(messages):
            yield from (text, text.replace('"version":1', '"version":2'), text)


@needs_cryptography
def test_bad_answers_are_dropped_and_good_ones_count_once() -> None:
    total = collect_sum(publish(epsilon=20), Hostile([SecureClient(["blue"]) for _ in range(30)]))
    assert total.answered == 30
    assert abs(total.sums[0] - 30) <= 2


# the client


def numbers(client: SecureClient, asked: SecureRound) -> list[int]:
    return [int(number) for number in client._numbers(asked, client._counts(asked))]


def test_a_client_holds_itself_to_the_bound() -> None:
    """Whatever a person has: ones and zeros, at most `items` of them, of listed items alone; no noise here."""
    for items in (1, 2, 3):
        asked = publish(items=items)
        mine = SecureClient(["blue", "red", "green", "unlisted", "blue"], entropy=Fixed())
        assert sum(numbers(mine, asked)) == items * asked.unit
        assert set(numbers(mine, asked)) <= {0, asked.unit}
    assert numbers(SecureClient(["unlisted"], entropy=Fixed()), publish()) == [0, 0, 0]


def test_which_of_many_items_take_part_is_even() -> None:
    asked = publish()
    found = np.sum([SecureClient(KEYS)._counts(asked) for _ in range(3000)], axis=0)
    assert found.sum() == 3000
    assert all(abs(count - 1000) < 6.5 * 26 for count in found)


@needs_cryptography
def test_a_client_answers_once_and_within_its_budget() -> None:
    asked = publish()
    client = SecureClient(["blue"], epsilon="1.5")
    client.join(asked)
    with pytest.raises(Refused, match="has answered this round"):
        client.join(asked)
    with pytest.raises(Refused, match="budget does not allow"):
        client.join(publish())
    with pytest.raises(Refused, match="did not join"):
        client.answer(total_of(publish(), 1, 2, 3))
    key = bytes(range(32))
    again = [SecureClient(["blue"], key=key).join(asked).ticket for _ in range(2)]
    assert again[0] == again[1]


def test_a_client_refuses_a_round_that_does_not_keep_its_promise() -> None:
    asked = publish()
    for broken in (replace(asked, spread=asked.spread / 2), replace(asked, bits=4), replace(asked, delta=Fraction(0))):
        if broken.holds:
            continue
        with pytest.raises(Refused, match="does not keep its promise"):
            SecureClient(["blue"]).join(broken)
        with pytest.raises(Refused, match="does not keep its promise"):
            SecureServer(broken)


@pytest.mark.parametrize("items", ["blue", 7, [1], [None]])
def test_bad_items(items: Any) -> None:
    with pytest.raises(BadParameter, match="items"):
        SecureClient(items)


# the round


def test_a_round_says_what_it_promises() -> None:
    asked = SecureAnalyst().publish(
        "Which songs?", keys=[f"song {n}" for n in range(1000)], people=1000, epsilon=1, items=20
    )
    assert str(asked) == (
        "Which songs?\n"
        "  people   up to 1,000, with at most 20 items each; who answers is not hidden\n"
        "  promise  epsilon 1, delta 1e-06, for whether a person has any items, and which\n"
        "  noise    21 a count (standard deviation), on 1,000 items\n"
        "  sees     the server sees masked numbers and their sum: 15 bits for each item\n"
        "  answers  900 are needed, else nothing is opened: 100 of 1,000 people may be missing\n"
        "  honest   810 of these must add noise and tell nobody: 90 may not\n"
        "  masks    each person with 66 others, of whom 42 restore a secret"
    )


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(("items", "noise"), [(1, "laplace"), (40, "gaussian")])
def test_the_quieter_noise_is_taken_and_keeps_the_promise(neighbours: Neighbours, items: int, noise: str) -> None:
    asked = publish(keys=[f"{n}" for n in range(200)], people=100, items=items, neighbours=neighbours)
    assert asked.noise == noise
    assert asked.holds
    assert isinstance(asked.events[-1], Laplace if noise == "laplace" else Gaussian)
    assert asked.change.total == items * (1 + (neighbours == "replace"))
    assert SecureRound.from_json(asked.to_json()) == asked
    if noise == "gaussian":
        assert asked.spread >= 8
        assert asked.unit & (asked.unit - 1) == 0


@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_no_two_groups_of_partners_restore_both_secrets(delta: Any) -> None:
    """If one half heard that a person dropped out and the other one that their vector came, neither is enough."""
    asked = publish(delta=delta, people=300)
    partners = min(asked.partners, asked.people - 1)
    assert 2 * asked.threshold > partners
    assert not replace(asked, threshold=partners // 2).holds
    trusted = publish(delta=delta, people=300, honest=1, minimum=300)
    few = replace(trusted, partners=partners + partners % 2, threshold=partners // 2 + 1)
    half = replace(few, threshold=partners // 2)
    assert half.failure <= MAX_FAILURE  # what else there is to check would let it pass
    assert (few.holds, half.holds) == (True, False)


def test_without_a_delta_everybody_is_a_partner() -> None:
    asked = publish(delta=0, people=300)
    assert (asked.partners, asked.delta, asked.failure) == (300, Fraction(0), Fraction(0))
    assert asked.noise == "laplace"
    assert publish(people=300).partners < 100
    assert 0 < publish(people=300).delta < Fraction(1, 2**40)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"keys": []}, "keys: a list"),
    ({"keys": "blue"}, "keys: a list"),
    ({"keys": ["a", "a"]}, "keys: an array"),
    ({"keys": [1]}, "keys: an array"),
    ({"people": 2}, "people"),
    ({"people": 2**40}, "people"),
    ({"items": 0}, "items"),
    ({"minimum": 31}, "minimum"),
    ({"minimum": 1}, "minimum"),
    ({"epsilon": 0}, "epsilon"),
    ({"epsilon": 21}, "epsilon=21: at most 20"),
    ({"delta": 1}, "delta"),
    ({"delta": -1}, "delta"),
    ({"honest": 0}, "honest=0"),
    ({"honest": "1.1"}, "honest"),
    ({"honest": "0.2", "people": 10}, "the others could open the sum"),
    ({"minimum": 10}, "the others could open the sum"),
    ({"neighbours": "none"}, "neighbours"),
    ({"people": 2000, "delta": 0}, "too small for more than 1,000 people"),
    ({"epsilon": "0.0001", "delta": 0, "people": 100}, "cannot be drawn in shares without a delta"),
]


@pytest.mark.parametrize(("typed", "why"), WRONG, ids=lambda each: str(each)[:40])
def test_what_cannot_be_published(typed: dict[str, Any], why: str) -> None:
    with pytest.raises(BadParameter, match=why) as refusal:
        publish(**typed)
    assert "Fix: " in str(refusal.value)


def test_fields_that_contradict_each_other() -> None:
    asked = publish()
    for wrong in ({"keys": ()}, {"partners": 3}, {"minimum": 31}, {"unit": 2}, {"spread": Fraction(3000)}):
        with pytest.raises(BadParameter):
            replace(asked, **wrong)
    with pytest.raises(BadParameter, match=r"honest=0\.03, minimum=27: at least 2 people are counted on\. Fix: "):
        replace(asked, honest=Fraction("0.03"))


# the release


def test_the_release_is_like_any_other(tmp_path: Path) -> None:
    analyst = SecureAnalyst()
    asked = publish(analyst)
    release = analyst.read(total_of(asked, 20, -3, 25, answered=28))
    assert release["item"].to_pylist() == ["green", "blue", "red"]
    assert release["count"].to_pylist() == [25, 20, 0]
    assert release.cost.epsilon == 1
    assert release.cost.events == asked.events
    for kind in ("parquet", "csv", "json", "html", "yaml", "svg"):
        assert release.save(tmp_path / f"songs.{kind}").stat().st_size > 50
    assert hc.load(tmp_path / "songs.parquet").content == release.content
    assert "The round that people answered" in (tmp_path / "songs.html").read_text()
    assert 'model_name: "Federated"' in (tmp_path / "songs.yaml").read_text()
    assert json.loads(release.to_json())["rows"][0]["item"] == "green"
    assert release.about.dataset == '28 answers to "Which song?"'


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_it_explains_itself(neighbours: Neighbours) -> None:
    analyst = SecureAnalyst()
    asked = publish(analyst, items=2, neighbours=neighbours)
    text = " ".join(analyst.read(total_of(asked, 20, 3, 25, answered=29)).explain().split())
    changes = {"add-remove": "adding or removing all items of", "replace": "replacing all items of"}
    for said in (
        "1. People keep their items. 29 people answered. At most 2 items of each person can take part",
        "All shares add up to discrete Laplace noise with a standard deviation of",
        "The server sees masked numbers and the noisy sum. With fewer than 27 answers the protocol opens nothing.",
        f"5. Privacy: {changes[neighbours]} any one person who answers",
        "if at least 25 people who answered add their noise and tell nobody; it is also for what each of these sees.",
    ):
        assert said in text
    assert [each.kind for each in statements(asked, 29)] == [
        *("bounding", "mechanism", "mechanism", "interval", "guarantee")
    ]


def test_intervals_grow_with_the_noise_of_everybody() -> None:
    analyst = SecureAnalyst()
    asked = publish(analyst, epsilon="0.1", people=100, honest="0.7", minimum=80)
    few, many = (analyst.read(total_of(asked, 50, 60, 70, answered=count)) for count in (80, 100))
    widths = [row["high"] - row["low"] for row in few], [row["high"] - row["low"] for row in many]
    assert all(narrow < wide for narrow, wide in zip(*widths, strict=True))


def test_results_that_are_not_of_the_round() -> None:
    analyst = SecureAnalyst()
    asked = publish(analyst)
    for wrong in (total_of(asked, 1, 2), total_of(asked, 1, 2, 3, answered=26), total_of(asked, 1, 2, 3, answered=31)):
        with pytest.raises(Refused, match="not have the items or the answers"):
            analyst.read(wrong)
    with pytest.raises(Refused, match="not of a round of this analyst"):
        SecureAnalyst().read(total_of(asked, 1, 2, 3))


def test_a_ledger_is_charged_before_there_is_a_round(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "songs.db", epsilon=2, delta="1e-5")
    analyst = SecureAnalyst(ledger=ledger)
    asked = publish(analyst, people=300)
    assert ledger.left.epsilon == 1
    assert ledger.left.delta == Fraction("1e-5") - asked.delta
    assert ledger.spends()[0].events == asked.events
    result = total_of(asked, 20, 3, 25, answered=290)
    first, second = (SecureAnalyst([asked], ledger=tmp_path / "songs.db").read(result) for _ in range(2))
    assert (first.fresh, second.fresh) == (True, False)
    assert first.content == second.content
    with pytest.raises(DataChanged):
        analyst.read(total_of(asked, 21, 3, 25, answered=290))
    with pytest.raises(BudgetExceeded):
        publish(analyst, epsilon="1.5")


@pytest.mark.skipif(find_spec("cryptography") is not None, reason="cryptography is here")
def test_without_cryptography_the_package_is_named() -> None:
    with pytest.raises(MissingPackage, match="headcount\\[secure\\]"):
        SecureClient(["blue"]).join(publish())


def test_two_rounds_are_two_digests() -> None:
    one, other = publish(), publish()
    assert one.id != other.id != ID
    assert one.digest != other.digest


@needs_cryptography
def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    section = PAGE.read_text().partition("## A secure sum of a public list")[2]
    code, output = re.findall(r"```(?:py)?\n(.*?)```", section, re.DOTALL)[:2]
    exec(code, {})
    printed = capsys.readouterr().out
    assert printed.startswith(output)
    assert 'people per item, from 95 answers to "Which song?": 3 rows' in printed
