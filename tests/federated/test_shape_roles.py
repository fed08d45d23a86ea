"""A shape from people who keep their data, from outside: what each side does for the others, and what it refuses."""

import copy
import json
import pickle
import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headcount as hc
from headcount.account.composition.compose import covers
from headcount.account.guarantee import Cost
from headcount.account.ledger.record.chain import canonical
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, HeadcountError
from headcount.federated import (
    Refused,
    SecureSum,
    ShapeAnalyst,
    ShapeClient,
    ShapeRound,
    Shares,
    Shuffler,
    Tally,
    Total,
)
from headcount.federated.schema import Message
from headcount.federated.shape.client import bucket_of
from headcount.federated.shape.messages import MAX_BUCKETS, MAX_MESSAGES, MAX_SCALE, MIN_SCALE, Way, _format_bytes
from headcount.release import Shape
from tests.effort import examples
from tests.federated.people import ID

WAYS: tuple[Way, ...] = ("shuffle", "secure-sum")
KEY = bytes(range(32))
PEOPLE = 1_000


def favourites(people: int = PEOPLE) -> list[str]:
    """One song a person; a few are far more liked than others."""
    indices = np.floor(300 ** ((np.arange(people) * 0.6180339887) % 1)).astype(int)
    return [f"song {index:03}" for index in indices]


def middle(asked: ShapeRound) -> Shuffler | SecureSum:
    return Shuffler(asked) if asked.way == "shuffle" else SecureSum(asked)


def whole_round(analyst: ShapeAnalyst, asked: ShapeRound, songs: list[str], *, text: bool) -> Shape:
    """From a published round to its shape, with messages as objects or as text."""
    there = ShapeRound.from_json(asked.to_json()) if text else asked
    between = middle(there)
    for song in songs:
        shares = ShapeClient(song).answer(there)
        between.add(Shares.from_json(shares.to_json()) if text else shares)
    result = between.close()
    return analyst.read(type(result).from_json(result.to_json()) if text else result)


@pytest.mark.parametrize("text", [False, True], ids=["objects", "text"])
@pytest.mark.parametrize("way", WAYS)
def test_a_round_tells_the_shape(way: Way, text: bool) -> None:
    """At epsilon 8 there is hardly any noise, and the shape is near the truth. The hash is always the same one."""
    analyst, songs = ShapeAnalyst(entropy=Fixed()), favourites()
    asked = analyst.publish("Which song?", people=PEOPLE, epsilon=8, way=way)
    found = whole_round(analyst, asked, songs, text=text)
    true = np.sort(list(Counter(songs).values()))[::-1]
    told = found.counts
    size = max(len(true), len(told))
    off = np.abs(np.pad(told, (0, size - len(told))) - np.pad(true, (0, size - len(true)))).sum()
    assert found.about.dataset == f'{PEOPLE:,} answers to "Which song?"'
    assert off < 0.2 * PEOPLE
    assert abs(int(told[0]) - int(true[0])) < 30


# What is read


def test_a_plan_reads_well() -> None:
    asked = ShapeAnalyst().publish("Which song do you like most?", people=100_000, epsilon=1)
    assert str(asked) == (
        "Which song do you like most?\n"
        "  people      100,000, with one item each, or none; who answers is not hidden\n"
        "  promise     epsilon 1, delta 1e-06, for whether a person has an item, and which\n"
        "  noise       1.8 a bucket (standard deviation), 200,000 buckets\n"
        "  each sends  711 messages to a shuffler on average, about 7.9 kB of text, not encrypted\n"
        "  answers     90,000 are needed, else nothing is released: 10,000 people may drop out or collude"
    )
    summed = ShapeAnalyst().publish("Which?", people=50, epsilon=2, neighbours="replace", honest=1, way="secure-sum")
    assert str(summed) == (
        "Which?\n"
        "  people      50, with one item each, or none; who answers is not hidden\n"
        "  promise     epsilon 2, delta 0, for which item a person has\n"
        "  noise       1.4 a bucket (standard deviation), 100 buckets\n"
        "  each sends  3 numbers to a secure sum on average, about 149 bytes of text, not encrypted, nor masked\n"
        "  answers     50 are needed, else nothing is released: 0 people may drop out or collude"
    )


SIZES: list[dict[str, Any]] = [
    {"people": 2_000, "epsilon": 1},
    {"people": 2_000, "epsilon": 1, "way": "secure-sum"},
    {"people": 50, "epsilon": "0.05", "way": "secure-sum"},
    {"people": 50, "epsilon": 2, "neighbours": "replace", "honest": 1, "way": "secure-sum"},
]


@pytest.mark.parametrize("asked", SIZES, ids=str)
def test_the_size_that_is_told_is_that_of_what_is_sent(asked: dict[str, Any]) -> None:
    """On average of 300 answers, within 6 deviations of their mean and 2%: a false alarm is far below 1e-6."""
    published = ShapeAnalyst().publish("Which?", **asked)
    sent = [len(ShapeClient(f"song {number}").answer(published).to_json().encode()) for number in range(300)]
    mean, told_length = np.mean(sent), published.text_length
    assert abs(mean - told_length) < 6 * np.std(sent) / np.sqrt(len(sent)) + 0.02 * mean
    assert f"about {_format_bytes(told_length)} of text" in str(published)


def test_nothing_is_said_to_be_masked_that_is_not() -> None:
    """What is sent is plain text of a person's numbers; the plan and the release say so."""
    analyst = ShapeAnalyst()
    summed = analyst.publish("Which?", people=50, epsilon=2, way="secure-sum")
    text = ShapeClient("song", entropy=Fixed(0)).answer(summed).to_json()
    assert json.loads(text)["messages"] == [[bucket_of("song", summed), 1]]
    assert "not encrypted, nor masked" in str(summed)
    middle = SecureSum(summed)
    for number in range(50):
        middle.add(ShapeClient(f"song {number}").answer(summed))
    explained = " ".join(analyst.read(middle.close()).explain().split())
    assert "it is a stand-in that sees every answer, unmasked" in explained


def told(counts: list[int]) -> str:
    """What is said of a secure sum of buckets with these counts, if there is hardly any noise."""
    analyst = ShapeAnalyst()
    asked = analyst.publish("Which?", people=100, epsilon=20, way="secure-sum")
    sums = np.zeros(asked.buckets, dtype=np.int64)
    sums[: len(counts)] = counts
    return str(analyst.read(Total(asked.digest, 95, tuple(sums.tolist()))))


def test_a_shape_reads_well() -> None:
    head = 'the shape of people per item, from 95 answers to "Which?": {}, epsilon 20, delta 0\n\n'
    first = head.format("5 rows")[:-1] + "low and high are for the true counts.\n\n"
    columns = "count  low  high  items  at_least  at_least_low  at_least_high\n   60   60    61      1"
    assert told([60, 12, 11, 2, 2, 1, 1, 1]).startswith(first + columns)
    assert told([]).startswith(f"{head.format('0 rows')}No item seems to have people, but up to ")
    assert told([1] * 150).startswith(
        f"{head.format('0 rows')}Nothing was learned: of 200 buckets about 25% seem empty"
    )


def test_it_is_a_shape_like_others(tmp_path: Path) -> None:
    analyst = ShapeAnalyst()
    asked = analyst.publish("Which?", people=100, epsilon=1, buckets=400)
    found = analyst.read(Tally(asked.digest, 95, (3,) * 400, (2,) * 400))
    for kind in (".parquet", ".csv", ".json", ".html", ".png"):
        assert found.save(tmp_path / f"shape{kind}").stat().st_size > 0
    assert hc.load(tmp_path / "shape.parquet").table == found.table
    assert "At least 90 people must follow the protocol" in " ".join(found.explain().split())
    assert covers(Cost(Fraction(1), Fraction(1, 10**6)), found.cost.events)


# What is published


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_publishing_finds_what_the_budget_allows(neighbours: Any) -> None:
    analyst = ShapeAnalyst()
    asked = analyst.publish("Which?", people=10_000, epsilon="0.5", delta="1/3000000", neighbours=neighbours)
    assert covers(Cost(Fraction(1, 2), Fraction(1, 3 * 10**6)), [asked.event])
    assert not replace(asked, shape=asked.shape * Fraction(98, 100)).holds
    assert not replace(asked, spread=asked.spread * Fraction(98, 100)).holds
    few = analyst.publish("Which?", people=10_000, epsilon="0.5", neighbours=neighbours, messages=700)
    many = analyst.publish("Which?", people=10_000, epsilon="0.5", neighbours=neighbours, messages=5_000)
    assert few.messages < 700 < asked.messages < many.messages < 5_000
    assert few.deviation > asked.deviation > many.deviation
    summed = analyst.publish("Which?", people=10_000, epsilon="0.5", neighbours=neighbours, way="secure-sum")
    assert summed.delta == 0
    assert summed.deviation < many.deviation
    assert not replace(summed, scale=summed.scale * Fraction(99, 100)).holds


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"people": 0}, "people: a whole number from 1 to 8589934592 is needed. Fix: people=1"),
        ({"honest": 0}, "honest=0: a part above 0, and at most 1. Fix: honest=0.9"),
        ({"honest": "1.01"}, "honest='1.01': a part above 0, and at most 1. Fix: honest=0.9"),
        ({"honest": "most"}, "honest='most': a finite number is needed. Fix: honest=0.9"),
        ({"epsilon": 0}, "epsilon=0: it must be above 0. Fix: epsilon=1"),
        ({"epsilon": "0.001"}, "epsilon=0.001: too little for a shuffler. Fix: epsilon=0.005, or a secure sum"),
        (
            {"epsilon": "0.1", "buckets": 20_000},
            "epsilon=0.1, buckets=20,000: 52,161 messages a person on average are more than 10,000. "
            'Fix: epsilon=0.7, or buckets=3800, or way="secure-sum"',
        ),
        (
            {"messages": 50},
            "epsilon=1, buckets=2,000: 215 messages a person on average are more than 50. "
            'Fix: buckets=450, or way="secure-sum"',
        ),
        (
            {"messages": 2},
            "epsilon=1, buckets=2,000: 215 messages a person on average are more than 2. "
            'Fix: buckets=9, or way="secure-sum"',
        ),
        (
            {"epsilon": "0.0001", "way": "secure-sum"},
            "epsilon=0.0001: noise this large cannot be drawn in shares. Fix: epsilon=0.0004",
        ),
        (
            {"messages": 100, "way": "secure-sum"},
            'messages=100: with a secure sum each person sends one. Fix: way="shuffle"',
        ),
        ({"way": "post"}, 'way: "shuffle" or "secure-sum" is needed. Fix: way="shuffle"'),
        ({"neighbours": "none"}, 'neighbours: "add-remove" or "replace" is needed. Fix: neighbours="add-remove"'),
        ({"buckets": 0}, "buckets: a whole number from 1 to 16777216 is needed. Fix: buckets=1"),
        ({"messages": 1}, "messages: a whole number from 2 to 100000 is needed. Fix: messages=2"),
    ],
)
def test_what_cannot_be_published(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter) as refusal:
        ShapeAnalyst().publish("Which?", **{"people": 1000, "epsilon": 1, **asked})
    assert str(refusal.value) == said


@pytest.mark.parametrize(
    "asked",
    [{"epsilon": "much"}, {"epsilon": 21}, {"delta": 0}, {"delta": 1}, {"delta": "1e-40"}, {"people": 2.5}],
)
def test_what_else_cannot_be_published(asked: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match="Fix:"):
        ShapeAnalyst().publish("Which?", **{"people": 1000, "epsilon": 1, **asked})


def test_what_a_refusal_says_would_do_does() -> None:
    for instead in ({"epsilon": "0.7"}, {"buckets": 3800}, {"way": "secure-sum"}):
        asked: dict[str, Any] = {"epsilon": "0.1", "buckets": 20_000, **instead}
        assert ShapeAnalyst().publish("Which?", people=1000, **asked).holds


def test_ids_and_keys_are_never_the_same() -> None:
    rounds = [ShapeAnalyst().publish("Which?", people=9, epsilon=1) for _ in range(50)]
    assert len({asked.id for asked in rounds} | {asked.key for asked in rounds}) == 100


# Clients


@pytest.fixture(params=WAYS)
def asked(request: pytest.FixtureRequest) -> ShapeRound:
    return ShapeAnalyst().publish("Which?", people=10, epsilon=1, way=request.param)


def broken(asked: ShapeRound) -> list[ShapeRound]:
    """Rounds that promise more than they keep."""
    changes: list[dict[str, Any]] = [
        {"epsilon": asked.epsilon * Fraction(9, 10)},
        {"scale": asked.scale * Fraction(7, 10)},
        {"neighbours": "replace"},
    ]
    if asked.way == "shuffle":
        part = Fraction(99, 100)
        changes += [{"delta": asked.delta / 2}, {"shape": asked.shape * part}, {"spread": asked.spread * part}]
    return [replace(asked, **change) for change in changes]


def test_a_broken_promise_gets_no_answer_and_no_middle(asked: ShapeRound) -> None:
    for wrong in broken(asked):
        for refused in (lambda wrong=wrong: ShapeClient("a").answer(wrong), lambda wrong=wrong: middle(wrong)):
            with pytest.raises(Refused, match="does not keep its promise"):
                refused()


def test_a_person_answers_once(asked: ShapeRound) -> None:
    client = ShapeClient("a")
    client.answer(asked)
    with pytest.raises(Refused, match="has answered"):
        client.answer(asked)
    client.answer(replace(asked, id=ID))


def test_a_failure_leads_to_no_second_answer(asked: ShapeRound) -> None:
    """What was drawn before it could have been seen."""
    client = ShapeClient("a", key=KEY, entropy=Fixed(-1))
    with pytest.raises(ValueError, match="negative"):
        client.answer(asked)
    with pytest.raises(Refused, match="has answered"):
        client.answer(asked)


def test_a_person_may_limit_all_rounds_together() -> None:
    client, analyst = ShapeClient("a", epsilon=2, delta="1e-5"), ShapeAnalyst()
    for way in WAYS:
        client.answer(analyst.publish("Which?", people=10, epsilon=1, way=way))
    with pytest.raises(Refused, match="budget does not allow"):
        client.answer(analyst.publish("Which?", people=10, epsilon="0.1"))


@pytest.mark.parametrize("item", [1, b"a", ["a"], "a" * 4097, "\ud800", True])
def test_items_are_text(item: Any) -> None:
    with pytest.raises(BadParameter) as refusal:
        ShapeClient(item)
    assert "aaa" not in str(refusal.value)


def test_keys_have_32_bytes() -> None:
    with pytest.raises(BadParameter):
        ShapeClient("a", key=b"short")


def test_messages_are_in_order_and_the_item_is_one_of_them(asked: ShapeRound) -> None:
    """Without noise it is alone; among noise it is at its place, like any other."""
    silent = ShapeClient("a", key=KEY, entropy=Fixed(0)).answer(asked)
    assert silent.messages == ((bucket_of("a", asked), 1),)
    assert ShapeClient(None, key=KEY, entropy=Fixed(0)).answer(asked).messages == ()
    for _ in range(20):
        messages = ShapeClient("a").answer(asked).messages
        assert list(messages) == sorted(messages)
        if asked.way == "shuffle":
            assert {amount for _, amount in messages} <= {1, -1}
        else:
            assert len({bucket for bucket, _ in messages}) == len(messages)


def test_items_fall_evenly_into_buckets_by_the_key() -> None:
    asked = ShapeAnalyst().publish("Which?", people=100, epsilon=1, buckets=100)
    loads = np.bincount([bucket_of(str(number), asked) for number in range(20_000)], minlength=100)
    assert ((loads - 200) ** 2 / 200).sum() < 190  # a chi-squared of 99 degrees: once in 10^7
    other = replace(asked, key="0" * 32)
    assert sum(bucket_of(str(number), asked) == bucket_of(str(number), other) for number in range(1000)) < 40
    assert bucket_of("é", replace(other, buckets=1)) == 0


# The middle


def answers(asked: ShapeRound, people: int) -> list[Shares]:
    return [ShapeClient("a").answer(asked) for _ in range(people)]


def test_too_few_answers_and_all_is_forgotten(asked: ShapeRound) -> None:
    assert asked.needed == 9
    between = middle(asked)
    for shares in answers(asked, 8):
        between.add(shares)
    with pytest.raises(Refused) as refusal:
        between.close()
    assert str(refusal.value) == (
        "8 people answered, and 9 must: all is forgotten. Fix: a new round, with a lower honest="
    )
    with pytest.raises(Refused, match="closed"):
        between.close()
    assert not between._counts.size
    assert not between._used


@pytest.mark.parametrize("people", [9, 10, 13])
def test_enough_answers_and_more_are_fine(asked: ShapeRound, people: int) -> None:
    between = middle(asked)
    given = answers(asked, people)
    for shares in given:
        between.add(shares)
    result = between.close()
    sums = np.zeros(asked.buckets, dtype=np.int64)
    for bucket, amount in (message for shares in given for message in shares.messages):
        sums[bucket] += amount
    assert result.answered == people
    assert result.noisy.tolist() == sums.tolist()
    if isinstance(result, Tally):
        assert sum(result.added) + sum(result.taken) == sum(len(shares.messages) for shares in given)
    for later in (between.close, lambda: between.add(given[0])):
        with pytest.raises(Refused, match="closed"):
            later()


def test_what_is_refused_touches_nobody_elses_data(asked: ShapeRound) -> None:
    between, given = middle(asked), answers(asked, 9)
    for shares in given:
        between.add(shares)
    before = between._counts.copy()
    wrong = [
        given[0],
        Shares(ID, ID, ((0, 1),)),
        Shares(asked.digest, ID, ((0, 1), (asked.buckets, 1))),
        Shares(asked.digest, ID, ((0, 1), (1, 2)) if asked.way == "shuffle" else ((0, -1), (0, 1))),
    ]
    for shares in wrong:
        with pytest.raises(Refused):
            between.add(shares)
    with pytest.raises(BadParameter):
        between.add(given[0].to_json())  # type: ignore[arg-type]
    assert (between._counts == before).all()
    assert between.close().answered == 9


def test_a_device_that_forgot_is_not_counted_twice(asked: ShapeRound) -> None:
    """The same key gives the same ticket; and another round, or another person, another one."""
    first, again = (ShapeClient("a", key=KEY).answer(asked) for _ in range(2))
    others = ShapeClient("a", key=KEY).answer(replace(asked, id=ID)), ShapeClient("a").answer(asked)
    assert first.ticket == again.ticket
    assert first.ticket not in {other.ticket for other in others}
    between = middle(asked)
    between.add(first)
    with pytest.raises(Refused, match="already used"):
        between.add(again)


def test_a_round_goes_its_own_way(asked: ShapeRound) -> None:
    other = SecureSum if asked.way == "shuffle" else Shuffler
    with pytest.raises(Refused, match="another way"):
        other(asked)


def test_no_second_result_by_a_copy(asked: ShapeRound) -> None:
    between = middle(asked)
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            way(between)


def test_all_that_is_ever_said_follows_from_the_messages(asked: ShapeRound) -> None:
    """The same messages, from other people in another order: nothing that is said differs."""

    def view(parts: list[tuple[tuple[int, int], ...]], first: int) -> list[str]:
        between = middle(asked)
        said = [repr(between)]
        for index, part in enumerate(parts):
            between.add(Shares(asked.digest, f"{first + index:032x}", part))
        for bad in (Shares(ID, ID, ()), Shares(asked.digest, ID, ((asked.buckets, 1),)), "text"):
            with pytest.raises(HeadcountError) as refusal:
                between.add(bad)  # type: ignore[arg-type]
            said.append(f"{refusal.value!r}{refusal.value.__cause__}{refusal.value.__context__}")
        return [*said, between.close().to_json(), repr(between)]

    empty: list[tuple[tuple[int, int], ...]] = [()] * 7
    one = view([((1, 1), (2, -1)), ((2, 1),), ((3, 1),), *empty], 0)
    other = view([*empty, ((3, 1),), ((1, 1),), ((2, -1), (3, -1)), ((2, 1), (3, 1))][1:], 100)
    assert one[:-2] == other[:-2]
    if asked.way == "secure-sum":
        assert one == other
    else:
        assert one[-2] != other[-2]  # a pair more is a message more


def test_a_person_spends_delta_as_well() -> None:
    analyst, client = ShapeAnalyst(), ShapeClient("song", epsilon=10, delta="1.5e-6")
    client.answer(analyst.publish("Which?", people=10, epsilon=1, delta="1e-6"))
    with pytest.raises(Refused, match="budget"):
        client.answer(analyst.publish("Which?", people=10, epsilon=1, delta="1e-6"))


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_person_cannot_be_copied(way: Any) -> None:
    with pytest.raises(TypeError, match="cannot be copied"):
        way(ShapeClient("song"))


def test_far_below_zero_nothing_fails() -> None:
    """One answer to a secure sum with absurd amounts: the shape is told all the same."""
    analyst = ShapeAnalyst()
    asked = analyst.publish("Which?", people=10, epsilon=1, buckets=1000, way="secure-sum")
    sums = tuple(-(2**20) + 1000 * number for number in range(asked.buckets))
    assert analyst.read(Total(asked.digest, 10, sums)).prevalences.distinct <= 1000


def test_nothing_is_shown_by_accident(asked: ShapeRound) -> None:
    client = ShapeClient("my secret", key=KEY)
    shares, between = client.answer(asked), middle(asked)
    between.add(shares)
    shown = f"{client!r} {client} {shares!r} {between!r} {between}"
    assert "my secret" not in shown
    assert KEY.hex() not in shown
    assert shares.ticket not in shown
    assert f"({bucket_of('my secret', asked)}," not in shown


# The analyst


def test_an_analyst_reads_own_results_only(asked: ShapeRound) -> None:
    analyst = ShapeAnalyst([asked])
    good = Total(asked.digest, 9, (0,) * asked.buckets)
    assert analyst.read(good).about.dataset == '9 answers to "Which?"'
    with pytest.raises(Refused, match="not of a round"):
        ShapeAnalyst().read(good)
    for wrong in (replace(good, answered=8), replace(good, sums=(0,))):
        with pytest.raises(Refused, match="not have the buckets or the answers"):
            analyst.read(wrong)


# Text


SHUFFLED = ShapeAnalyst().publish("Which? ☕", people=1000, epsilon="1/3", delta="1e-8", honest="2/3")
SUMMED = ShapeAnalyst().publish("Which?", people=1000, epsilon=1, neighbours="replace", way="secure-sum")
SHARES = Shares(ID, "f" * 32, ((0, -1), (0, 1), (17, 1)))
TALLY, TOTAL = Tally(ID, 3, (1, 0, 2), (0, 5, 1)), Total(ID, 3, (1, -5, 1))
EXAMPLES: list[Message] = [SHUFFLED, SUMMED, SHARES, Shares(ID, ID, ()), TALLY, TOTAL]
BIG = 10**5000


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_there_and_back(message: Message) -> None:
    text = message.to_json()
    assert type(message).from_json(text) == message
    assert canonical(json.loads(text)) == text
    assert text.isascii()


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.tuples(st.integers(0, 2**24 - 1), st.integers(-(2**20), 2**20).filter(bool)), max_size=20))
def test_any_messages_are_shares_in_order(messages: list[tuple[int, int]]) -> None:
    shares = Shares(ID, ID, tuple(sorted(messages)))
    assert Shares.from_json(shares.to_json()) == shares
    if list(messages) != sorted(messages):
        with pytest.raises(BadParameter):
            Shares(ID, ID, tuple(messages))


@settings(deadline=None, max_examples=examples(30))
@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    for kind in (ShapeRound, Shares, Tally, Total):
        with pytest.raises(BadParameter):
            kind.from_json(text)


WRONG: list[tuple[Message, dict[str, list[Any]]]] = [
    (
        SHUFFLED,
        {
            "kind": ["round", None, ...],
            "version": [0, 2, "1", True, ...],
            "id": ["", "A" * 32, 7, None, f"{ID}\n", ...],
            "key": ["", "A" * 32, 7, None, ...],
            "asks": [None, 7, "x" * 4097, "\ud800", ...],
            "people": [0, -1, 1.5, "3", True, None, BIG, ...],
            "honest": ["0", "1.1", "-0.5", "2/4", "nan", 1, None, "1/" + "9" * 49, ...],
            "buckets": [0, -1, 2.0, "2", True, None, BIG, MAX_BUCKETS + 1, ...],
            "scale": ["0", "-1", "5001", "0.00001", "1e3", "1.50", 1, None, "1." + "1" * 55, ...],
            "shape": ["0", "0.99", "100001", 1, None, ...],
            "spread": ["0", "5001", "1/3000000", None, ...],
            "neighbours": ["none", "", None, 1, ["replace"], ...],
            "epsilon": ["0", "0.0000001", "-1", "21", 1, None, ...],
            "delta": ["-1", "1", "1.5", 0.1, None, ...],
            "way": ["secure-sum", "post", "", None, 1, ["shuffle"], ...],
            "more": [1, None],
        },
    ),
    (SUMMED, {"way": ["shuffle"], "shape": ["1"], "spread": ["1"]}),
    (
        SHARES,
        {
            "round": ["", None, 1, "z" * 32, ...],
            "ticket": ["", None, 1, "F" * 32, ...],
            "messages": [
                *(None, "a", {"a": 1}, [1], [[1]], [[1, 1, 1]], [[1, 0]], [[-1, 1]], [[1, 1.0]], [[True, 1]]),
                *([["1", 1]], [[1, 1], [0, 1]], [[0, 1], [0, -1]], [[MAX_BUCKETS, 1]], [[0, 2**20 + 1]], [None], ...),
            ],
            "item": [1],
        },
    ),
    (
        TALLY,
        {
            "round": [None, ...],
            "answered": [0, -1, 1.0, "3", None, True, BIG, ...],
            "added": [None, [], [1], [1, 0, -1], [1, 0, 1.0], [1, 0, "1"], [1, 0, True], {"0": 1}, [1, 0, [1]], ...],
            "taken": [[], [1], [1, 0, 2**60], ...],
        },
    ),
    (TOTAL, {"answered": [0], "sums": [None, [], [1.0], ["1"], [True], [2**60], [-(2**60)], [[1]], 1, ...]}),
]


@pytest.mark.parametrize(
    ("message", "name", "value"),
    [
        pytest.param(message, name, value, id=f"{message.kind}-{name}-{index}")
        for message, fields in WRONG
        for name, values in fields.items()
        for index, value in enumerate(values)
    ],
)
def test_one_wrong_field_is_refused(message: Message, name: str, value: Any) -> None:
    said = {**json.loads(message.to_json()), name: 12345678 if value == BIG else value}
    text = canonical({key: each for key, each in said.items() if each is not ...}).replace("12345678", "9" * 5000)
    with pytest.raises(BadParameter) as refusal:
        type(message).from_json(text)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("kind", [ShapeRound, Shares, Tally, Total])
def test_a_message_of_another_kind_is_refused(kind: type[Message]) -> None:
    for message in EXAMPLES:
        if not isinstance(message, kind):
            with pytest.raises(BadParameter):
                kind.from_json(message.to_json())


@pytest.mark.parametrize("scale", [MIN_SCALE, Fraction(MAX_SCALE)])
@pytest.mark.parametrize("spread", [MIN_SCALE, Fraction(MAX_SCALE)])
@pytest.mark.parametrize("shape", [Fraction(1), Fraction(10**5)])
@pytest.mark.parametrize("buckets", [1, MAX_BUCKETS])
def test_no_round_keeps_a_client_busy(scale: Fraction, spread: Fraction, shape: Fraction, buckets: int) -> None:
    """Whatever a message may say is checked at once; one that takes too many messages is none."""
    start = time.process_time()
    for people in (1, 2**33):
        parts = ID, "Which?", people, Fraction(1), buckets, ID, scale, shape, spread
        try:
            extreme = ShapeRound(*parts, "replace", Fraction(20), Fraction(1, 10**6), "shuffle")
        except BadParameter:
            continue
        assert extreme.messages <= MAX_MESSAGES
        if extreme.holds:
            ShapeClient("a").answer(extreme)
    assert time.process_time() - start < 5


def test_nobody_is_counted_in_another_round_of_the_same_id() -> None:
    counted = ShapeAnalyst().publish("Which?", people=10, epsilon=1)
    shown = replace(counted, honest=Fraction(1, 10))
    assert shown.holds
    assert shown.id == counted.id
    with pytest.raises(Refused, match="another round"):
        Shuffler(counted).add(ShapeClient("a").answer(shown))
