"""A round from outside: what analyst, clients and aggregator do for each other, and what they refuse."""

import copy
import pickle
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from headcount.account.composition.compose import covers
from headcount.account.guarantee import Cost
from headcount.errors import BadParameter, HeadcountError
from headcount.estimate.counts.sampled import unseen
from headcount.exact import Integers
from headcount.federated import Aggregator, Analyst, Client, Invitation, Refused, Report, Result, Round
from headcount.noise import NoiseDistribution, SystemEntropy
from headcount.noise.finite import Bernoulli
from headcount.release import Release
from tests.federated.people import ID

PEOPLE = 20_000
KEY = bytes(range(32))


def favourites(people: int = PEOPLE) -> list[str]:
    """One song a person; a few are far more liked than others."""
    indices = np.floor(500 ** ((np.arange(people) * 0.6180339887) % 1)).astype(int)
    return [f"song {index:03}" for index in indices]


def whole_round(analyst: Analyst, asked: Round, songs: list[str], *, text: bool) -> Release:
    """From a published round to its table, with messages as objects or as text."""
    asked_there = Round.from_json(asked.to_json()) if text else asked
    aggregator = Aggregator(asked_there)
    reports = [
        *(Client([song]).answer(asked_there) for song in songs if asked.people is None),
        *(Client([songs[one.person]]).answer(asked_there, one) for one in aggregator.invitations),
    ]
    for report in reports:
        aggregator.add(Report.from_json(report.to_json()) if text else report)
    result = aggregator.close()
    return analyst.read(Result.from_json(result.to_json()) if text else result)


@pytest.mark.parametrize("text", [False, True], ids=["objects", "text"])
@pytest.mark.parametrize("people", [None, PEOPLE], ids=["everybody", "invited"])
def test_a_round_tells_the_truth_about_common_items(people: int | None, text: bool) -> None:
    analyst, songs = Analyst(), favourites()
    asked = analyst.publish("Which song?", epsilon=1, neighbours="replace", people=people)
    found = whole_round(analyst, asked, songs, text=text)
    table = found.table.to_pylist()
    true = {song: songs.count(song) for song in {row["item"] for row in table}}
    within = sum(row["low"] <= true[row["item"]] <= row["high"] for row in table)
    assert found.table.column_names == ["item", "count", "low", "high"]
    assert table[0]["item"] == "song 001"
    assert abs(table[0]["count"] - true["song 001"]) < 0.2 * true["song 001"]
    assert len(table) > 30
    assert within > 0.7 * len(table)  # 19 of 20 are meant, and some 60 are there
    hidden = [
        song for song in set(songs) - true.keys() if songs.count(song) > 3 * unseen(float(asked.rate), asked.threshold)
    ]
    assert hidden == []


def test_a_summary_reads_well() -> None:
    analyst = Analyst()
    asked = analyst.publish("Which song?", epsilon=1, insiders=0)
    result = Result(asked.digest, (("blue", 40), ("red", 14)))
    assert analyst.read(result).summary() == (
        'people per item, from answers to "Which song?": 2 rows, epsilon 1, delta 1e-06\n'
        "low and high are for the counts after each person was held to one item; the\n"
        "truth is larger wherever people have more.\n\n"
        "item  count  low  high\n"
        "blue    158  119   206\n"
        "red      55   14    81\n\n"
        "An item that is not shown has at most 77 people, in 19 of 20 cases."
    )
    assert "No item had enough people to be shown." in analyst.read(Result(asked.digest, ())).summary()


def test_a_round_reads_well() -> None:
    several = Analyst().publish("Which songs?", epsilon=1, items=3)
    invites = Analyst().publish("Which song?", epsilon=1, neighbours="replace", people=20_000)
    assert str(several) == (
        "Which songs?\n"
        "  people   everybody answers, with at most 3 items each\n"
        "  promise  epsilon 1, delta 1e-06, for a person with all their items, or without any\n"
        "  readers  the promise holds if at most 1 of those who read together has answered\n"
        "  sample   a person's item is in it with a probability of 0.2318; no noise is added\n"
        "  appear   To appear, each item needs about 69 people (16 in the sample)."
    )
    assert f"{invites.invited:,} of 20,000 are invited, with one item each" in str(invites)
    assert "for which items a person has" in str(invites)


def test_publishing_finds_what_the_budget_allows() -> None:
    analyst = Analyst()
    for items, people in ((1, None), (5, None), (1, 10**6)):
        asked = analyst.publish(
            "Which?", epsilon="0.5", delta="1/3000000", items=items, neighbours="replace", people=people
        )
        assert covers(Cost(Fraction(1, 2), Fraction(1, 3 * 10**6)), asked.events)
        assert not replace(asked, rate=asked.rate * Fraction(103, 100)).holds
        assert not replace(asked, threshold=asked.threshold - 1).holds
    assert asked.invited is not None
    assert asked.rate * 10**6 < asked.invited < asked.rate * 10**6 * Fraction(102, 100)
    assert not replace(asked, invited=int(asked.rate * 10**6)).holds


def test_a_guarantee_says_for_which_readers_it_is() -> None:
    analyst = Analyst()

    def said(**terms: Any) -> str:
        asked = analyst.publish("Which?", epsilon=1, **terms)
        return " ".join(analyst.read(Result(asked.digest, ())).explain().split())

    lower = "put together what they know of their own coins, read as if the threshold were lower by"
    assert (
        "It also holds for a reader who answered under one name. More people who answered, and "
        f"{lower} 1 for each further" in said()
    )
    assert "for 3 people who answered, each under one name, and read together. More people" in said(insiders=3)
    assert f"It is for readers who did not answer. People who did, and {lower} 1 for each." in said(insiders=0)
    assert "a little about the size of the sample, which no price is for" in said(people=20_000, neighbours="replace")
    sites = said(sites_per_person=2)
    assert "lower by 2 for each further one. A site knows the coins of all its people" in sites
    assert "at up to 2 sites, changes the probability" in sites
    assert "A person at two sites is two people." in said(sites_per_person=1)


@pytest.mark.parametrize("insiders", [-1, 1001, "many", None, 1.0])
def test_insiders_that_are_no_number_are_refused(insiders: Any) -> None:
    with pytest.raises(BadParameter, match="insiders: a whole number from 0 to 1000"):
        Analyst().publish("Which?", epsilon=1, insiders=insiders)


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": 0},
        {"epsilon": "much"},
        {"epsilon": 21},
        {"delta": 0},
        {"delta": 1},
        {"items": 0},
        {"items": 1001},
        {"people": 1000},
        {"people": 0, "neighbours": "replace"},
        {"people": 1000, "neighbours": "replace", "items": 2},
        {"neighbours": "none"},
    ],
)
def test_what_cannot_be_published(asked: dict[str, object]) -> None:
    with pytest.raises(BadParameter, match="Fix:"):
        Analyst().publish("Which?", **{"epsilon": 1, **asked})  # type: ignore[arg-type]


def test_ids_are_never_the_same() -> None:
    analyst = Analyst()
    assert len({analyst.publish("Which?", epsilon=1).id for _ in range(100)}) == 100


@pytest.fixture
def asked() -> Round:
    return Analyst().publish("Which?", epsilon=1, items=2)


def test_a_broken_promise_gets_no_answer_and_no_aggregator(asked: Round) -> None:
    invites = Analyst().publish("Which?", epsilon=1, neighbours="replace", people=10_000)
    assert invites.invited is not None
    for broken in (
        replace(asked, rate=asked.rate * Fraction(101, 100)),
        replace(asked, threshold=asked.threshold - 1),
        replace(asked, items=3),
        replace(asked, delta=asked.delta / 2),
        replace(asked, epsilon=asked.epsilon * Fraction(9, 10)),
        replace(asked, neighbours="replace"),
        replace(invites, invited=invites.invited - 100),
    ):
        with pytest.raises(Refused, match="does not keep its promise"):
            Client(["a"]).answer(broken)
        with pytest.raises(Refused, match="does not keep its promise"):
            Aggregator(broken)


def test_a_person_answers_once(asked: Round) -> None:
    client = Client(["a"])
    client.answer(asked)
    with pytest.raises(Refused, match="has answered"):
        client.answer(asked)
    client.answer(replace(asked, id=ID))


def test_a_device_that_forgot_is_not_counted_twice(asked: Round) -> None:
    """The same key gives the same ticket; and another round, or another person, another one."""
    first, again = (Client(["a"], key=KEY).answer(asked) for _ in range(2))
    others = Client(["a"], key=KEY).answer(replace(asked, id=ID)), Client(["a"]).answer(asked)
    assert first.ticket == again.ticket
    assert first.ticket not in {other.ticket for other in others}
    aggregator = Aggregator(asked)
    aggregator.add(first)
    with pytest.raises(Refused, match="Your ticket was already used"):
        aggregator.add(again)


def ticket(number: int) -> str:
    return f"{number:032x}"


def test_what_is_refused_is_not_counted(asked: Round) -> None:
    """Threshold - 1 good reports, and bad ones with the same item: nothing is shown. One more good one: it is."""
    for more in (0, 1):
        aggregator = Aggregator(asked)
        for number in range(asked.threshold - 1 + more):
            aggregator.add(Report(asked.digest, ticket(number), ("a",)))
        for bad in (
            Report(asked.digest, ticket(0), ("a",)),
            Report(ID, ticket(10**6), ("a",)),
            Report(asked.digest, ticket(10**6), ("a", "b", "c")),
        ):
            with pytest.raises(Refused):
                aggregator.add(bad)
        with pytest.raises(BadParameter):
            aggregator.add(ticket(10**6))  # type: ignore[arg-type]
        assert aggregator.close().counts == ((("a", asked.threshold),) if more else ())


def test_only_the_invited_answer() -> None:
    asked = Analyst().publish("Which?", epsilon=1, neighbours="replace", people=2_000)
    aggregator = Aggregator(asked)
    invitations = aggregator.invitations
    assert len(invitations) == asked.invited == len({one.person for one in invitations})
    assert [one.person for one in invitations] == sorted(one.person for one in invitations)
    with pytest.raises(Refused, match="not of an invitation"):
        aggregator.add(Report(asked.digest, ticket(0), ("a",)))
    for wrong in (None, Invitation(ID, 0, ticket(0))):
        with pytest.raises(Refused, match="invitation"):
            Client(["a"]).answer(asked, wrong)
    with pytest.raises(Refused, match="invitation"):
        Client(["a"]).answer(Analyst().publish("Which?", epsilon=1), invitations[0])


def test_invited_people_send_one_of_their_items_and_the_sample_has_its_size() -> None:
    """Everybody who was invited would be 6 standard deviations more than the sample; a fixed number has none."""
    people, sizes = 2_000, []
    asked = Analyst().publish("Which?", epsilon=1, delta="1e-12", neighbours="replace", people=people)
    for _ in range(40):
        aggregator = Aggregator(asked)
        for one in aggregator.invitations:
            report = Client(["a"]).answer(asked, one)
            assert report.items == ("a",)
            aggregator.add(report)
        sizes.append(aggregator.close().counts[0][1])
    mean, spread = float(people * asked.rate), float(people * asked.rate * (1 - asked.rate)) ** 0.5
    assert asked.invited is not None
    assert abs(np.mean(sizes) - mean) < 6 * spread / 40**0.5
    assert asked.invited - mean > 6 * spread
    assert 0.4 < np.std(sizes) / spread < 1.8


class Falling(SystemEntropy):
    """Every coin falls; all else is left to chance."""

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return (
            np.ones(size, dtype=np.int64) if isinstance(distribution, Bernoulli) else super().draw(distribution, size)
        )


def test_items_are_taken_once_and_not_too_many(asked: Round) -> None:
    assert Client(["a", "a"], entropy=Falling()).answer(asked).items == ("a",)
    assert Client([], entropy=Falling()).answer(asked).items == ()
    chosen = [frozenset(Client(["a", "b", "c"], entropy=Falling()).answer(asked).items) for _ in range(300)]
    assert set(chosen) == {frozenset(pair) for pair in ("ab", "bc", "ac")}
    assert all(50 < chosen.count(pair) < 160 for pair in set(chosen))


def test_everybody_always_sends_a_report(asked: Round) -> None:
    never = replace(asked, rate=Fraction(1, 10**9))
    assert {Client(["a"]).answer(never).items for _ in range(50)} == {()}


@pytest.mark.parametrize("items", ["apple", [1], [None], ["a" * 4097], ["é" * 2049], ["\ud800"], [b"a"]])
def test_items_are_text(items: object) -> None:
    with pytest.raises(BadParameter) as refusal:
        Client(items)  # type: ignore[arg-type]
    assert "aaa" not in str(refusal.value)


def test_keys_have_32_bytes() -> None:
    with pytest.raises(BadParameter):
        Client(["a"], key=b"short")


def test_one_result_and_then_nothing(asked: Round) -> None:
    aggregator = Aggregator(asked)
    assert aggregator.close() == Result(asked.digest, ())
    for later in (
        aggregator.close,
        lambda: aggregator.add(Client(["a"]).answer(asked)),
        lambda: aggregator.invitations,
    ):
        with pytest.raises(Refused, match="closed"):
            later()


def test_no_second_result_by_a_copy(asked: Round) -> None:
    aggregator = Aggregator(asked)
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            way(aggregator)


def test_an_analyst_reads_own_results_only(asked: Round) -> None:
    analyst = Analyst()
    own = analyst.publish("Which?", epsilon=1)
    with pytest.raises(Refused, match="not of a round"):
        analyst.read(Result(asked.digest, ()))
    with pytest.raises(Refused, match="below the threshold"):
        analyst.read(Result(own.digest, (("a", own.threshold - 1),)))


def view(asked: Round, reports: list[Report]) -> list[str]:
    """Everything that an aggregator says: to people, about itself, at the end and after it."""
    aggregator = Aggregator(asked)
    said = [repr(aggregator)]
    for report in reports:
        assert aggregator.add(report) is None  # type: ignore[func-returns-value]
    said.append(f"{aggregator!r} {aggregator} {aggregator.invitations}")
    for bad in (reports[0], Report(ID, ticket(1), ("a",)), Report(asked.digest, ticket(2), tuple("abc")), "text"):
        with pytest.raises(HeadcountError) as refusal:
            aggregator.add(bad)  # type: ignore[arg-type]
        said.append(f"{refusal.value!r}{refusal.value.__cause__}{refusal.value.__context__}")
    said.append(aggregator.close().to_json())
    with pytest.raises(HeadcountError) as refusal:
        aggregator.close()
    return [*said, repr(refusal.value), repr(aggregator)]


def test_all_that_is_ever_said_follows_from_the_counts_that_are_shown(asked: Round) -> None:
    """Two populations, of which one is larger, in another order, with other rare items and with empty reports."""
    common = [("a", "b")] * asked.threshold + [("b",)] * 3
    few = [("rare",)] * (asked.threshold - 1)
    many = [(f"rare {number}",) for number in range(200)] + [()] * 77 + few[1:]
    views = []
    for people in (common + few, many + common[::-1]):
        views.append(
            view(asked, [Report(asked.digest, ticket(1000 + index), items) for index, items in enumerate(people)])
        )
    assert views[0] == views[1]
    assert f'"counts":[["b",{asked.threshold + 3}],["a",{asked.threshold}]]' in "".join(views[0])
    assert "rare" not in "".join(views[0])


def test_nothing_is_shown_by_accident(asked: Round) -> None:
    client = Client(["my secret"], key=KEY)
    report = replace(client.answer(asked), items=("my secret",))
    aggregator = Aggregator(asked)
    aggregator.add(report)
    shown = f"{client!r} {client} {report!r} {aggregator!r} {aggregator}"
    assert "my secret" not in shown
    assert KEY.hex() not in shown
    assert report.ticket not in shown


@pytest.mark.parametrize("rate", [Fraction(1, 10**9), Fraction(99, 100)])
@pytest.mark.parametrize("threshold", [2, 2**20])
@pytest.mark.parametrize("items", [1, 1000])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(20)])
def test_no_round_keeps_a_client_busy_or_fools_it(
    rate: Fraction, threshold: int, items: int, epsilon: Fraction
) -> None:
    """Whatever a message may say is checked at once, and the price is at least the chance that all reports are kept."""
    start = time.process_time()
    extreme = Round(ID, "Which?", rate, threshold, items, "replace", epsilon, Fraction(1, 10**6))
    assert not (extreme.holds and float(rate) ** threshold > extreme.delta)
    assert time.process_time() - start < 5


def test_nobody_is_counted_in_another_round_of_the_same_id() -> None:
    """An analyst shows people a round with hardly any coins to fail, and the aggregator another one with a low
    threshold: both keep their promise, the two together would not."""
    counted = Analyst().publish("Which?", epsilon=1)
    shown = replace(counted, rate=Fraction("0.95"), threshold=639)
    assert shown.holds
    assert shown.id == counted.id
    aggregator = Aggregator(counted)
    with pytest.raises(Refused, match="another round"):
        aggregator.add(Client(["a"]).answer(shown))
    inviting = replace(Analyst().publish("Which?", epsilon=1, neighbours="replace", people=1000), id=counted.id)
    forged = Invitation(inviting.digest, 5, ticket(1))
    with pytest.raises(Refused, match="another round"):
        aggregator.add(Client(["a"]).answer(inviting, forged))


def test_a_person_may_limit_all_rounds_together() -> None:
    client, analyst = Client(["a"], epsilon=2, delta="1e-5"), Analyst()
    for _ in range(2):
        client.answer(analyst.publish("Which?", epsilon=1))
    with pytest.raises(Refused, match="budget does not allow"):
        client.answer(analyst.publish("Which?", epsilon="0.1"))


def test_a_rate_of_too_many_digits_has_no_price() -> None:
    """Just above 1 - 1/e a report that is missing has its worst case at a number of people beyond all reason."""
    turn = 1 - Fraction("0.367879441171442321595523770161460867445811131031767834507836")
    for digits in (40, 50, 58):
        asked = Analyst().publish("Which?", epsilon=1)
        rate = Fraction(round(turn * 10**digits) + 1, 10**digits)
        assert not replace(asked, rate=rate, threshold=14).holds
