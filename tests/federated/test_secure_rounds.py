"""Heavy hitters of unknown items by secure sums: what rounds ask, who counts, what is charged, and what is refused."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headcount as hc
from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.errors import BadParameter, BudgetExceeded, DataChanged
from headcount.federated import Refused, SecureAnalyst, SecureClient, SecureRound, SecureSite, Total
from headcount.federated.listed.extension import Extension
from headcount.federated.rounds import RoundsAnalyst, SecureHeavyHittersPlan, collect_rounds, secure_heavy_hitters
from headcount.federated.transport import SecureMemoryTransport

needs_cryptography = pytest.mark.skipif(find_spec("cryptography") is None, reason="needs headcount[secure]")
WORDS = ["banana"] * 12 + ["ban"] * 9 + ["bandana"] * 8 + ["Cherry"] * 2 + ["fig", "toolongword"]
TREE = Extension(1, (1, 3), "ab", 40)
TOO_MANY = tuple("".join(each) for each in islice(product("abndcherfig", repeat=3), 16))
"""Prefixes with 133 extensions each."""


def word_plan(**more: Any) -> SecureHeavyHittersPlan:
    few: dict[str, Any] = {"share": "0.2", "people": len(WORDS), "lengths": [3, 5, 7], "alphabet": "abndcherfig"}
    return secure_heavy_hitters("Which word?", **{**few, "candidates": 2000, "epsilon": 15, **more})


def opened(plan: SecureHeavyHittersPlan, round_: SecureRound, counts: dict[str, int]) -> Total:
    """A result with these counts, if everybody answers."""
    sums = [round_.unit * counts.get(label, 0) for label in round_.labels]
    return Total(round_.digest, plan.first.people, tuple(sums))


def after(plan: SecureHeavyHittersPlan, *counts: dict[str, int]) -> RoundsAnalyst[Any, Any, Any]:
    """The analyst of rounds that ended with these counts."""
    results: list[Total] = []
    for each in counts:
        round_ = plan.next_round(results)
        assert round_ is not None
        results.append(opened(plan, round_, each))
    return RoundsAnalyst(plan, results)


@needs_cryptography
def test_items_that_are_on_no_list_are_found() -> None:
    analyst = RoundsAnalyst(word_plan())
    release = collect_rounds(analyst, SecureMemoryTransport([SecureClient([word]) for word in WORDS]))
    assert [row["item"] for row in release] == ["banana", "ban", "bandana"]
    assert [row["count"] for row in release] == pytest.approx([12, 9, 8], abs=4)
    assert all(row["low"] <= truth <= row["high"] for row, truth in zip(release, [12, 9, 8], strict=True))
    keys = [round_.keys for number in range(3) if (round_ := analyst.plan.next_round(analyst.results[:number]))]
    assert keys == [("",), ("ban",), ("banan", "banda")]


@needs_cryptography
def test_a_release_like_any_other(tmp_path: Path) -> None:
    plan = word_plan()
    release = collect_rounds(RoundsAnalyst(plan), SecureMemoryTransport([SecureClient([word]) for word in WORDS]))
    for kind in ("parquet", "csv", "json", "html", "yaml", "svg"):
        assert release.save(tmp_path / f"found.{kind}").stat().st_size > 50
    again = hc.load(tmp_path / "found.parquet")
    assert (again.content, again.summary(), again.explain()) == (release.content, release.summary(), release.explain())
    assert SecureHeavyHittersPlan.from_json(release.about.plan) == plan
    assert release.cost.events == plan.events


def test_candidates_and_places_are_two_ways_to_say_one_thing() -> None:
    known = ["a", "b"]
    labels = list(TREE.labels(known))
    assert labels[:7] == ["a", "aa", "ab", "aaa", "aab", "aba", "abb"]
    assert len(labels) == len(set(labels)) == 2 * TREE.of_each == 14
    assert TREE.places(known, ["a", "bab", "ab", "c", "abbb", "ax", "", "ab"]) == [0, 11, 2, 2]


@given(st.lists(st.text("abc", max_size=5), max_size=8), st.integers(0, 2))
def test_an_item_counts_where_it_begins(items: list[str], number: int) -> None:
    tree = Extension(number, (1, 2, 4), "ab", 100)
    known = ("",) if not number else tuple(Extension(number - 1, (1, 2, 4), "ab", 100).labels(("",)))[-2:]
    labels = list(tree.labels(known))
    found = [labels[place] for place in tree.places(known, items)]
    takes_part = [
        item for item in items if set(item) <= {"a", "b"} and len(item) <= 4 and item[: tree.known_length] in known
    ]
    assert found == [item[: tree.length] for item in takes_part]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_one_person_changes_no_more_than_is_priced(neighbours: Neighbours) -> None:
    """At most `items` counts by 1 in each round, whatever they have; items that begin with the same prefix are one."""
    plan = word_plan(items=2, lengths=[1, 2], neighbours=neighbours)
    people: list[Sequence[str]] = [[], ["ab", "ac", "ad"], ["ba", "ab", "nn", "ff"], ["a"], ["zz", "abc"]]
    second = replace(plan.first, keys=("a", "b", "f", "n"), step=replace(plan.step, number=1))
    for round_ in (plan.first, second):
        vectors = [SecureClient(items)._counts(round_) for items in people]
        assert all(vector.max(initial=0) <= 1 and vector.sum() <= 2 for vector in vectors)
        changes = vectors if neighbours == "add-remove" else [a - b for a in vectors for b in vectors]
        worst = max(np.abs(change).sum() for change in changes)
        assert worst * plan.rounds <= plan.first.change.total
    assert SecureClient(["ab", "ac", "ad"])._counts(plan.first).sum() == 1


def test_a_person_counts_with_the_same_items_in_every_round() -> None:
    items = [2 * letter for letter in "abndchrf"]
    plan = word_plan(items=2, lengths=[1, 2])
    client = SecureClient(items, key=bytes(32))
    chosen = np.flatnonzero(client._counts(plan.first))
    letters = [plan.first.labels[place] for place in chosen]
    second = replace(plan.first, keys=tuple("abndchrf"), step=replace(plan.step, number=1))
    assert {second.labels[place] for place in np.flatnonzero(client._counts(second))} == {2 * each for each in letters}


def test_prefixes_are_left_above_what_noise_reaches_and_near_the_share() -> None:
    plan = word_plan()
    width = plan._width(plan.first, plan.first.people) // plan.first.unit
    assert width < plan.minimum
    edge = plan._cut(plan.first, plan.first.people) // plan.first.unit
    analyst = after(plan, {"ban": edge, "che": edge - 1, "ba": 30})
    assert analyst.publish().keys == ("ban",)
    few = word_plan(share="0.001")
    assert few._cut(few.first, few.first.people) == few._width(few.first, few.first.people) + 1


def test_of_more_prefixes_than_have_room_the_largest_counts_are_left() -> None:
    plan = word_plan(lengths=[1, 2, 3], candidates=24)
    analyst = after(plan, {"a": 20, "b": 30, "c": 25})
    assert analyst.publish().keys == ("b", "c")  # each with 12 candidates


def test_what_ends_early_is_shown_with_the_count_of_its_round() -> None:
    analyst = after(word_plan(), {"ban": 29, "if": 10}, {"ban": 9, "banan": 12, "banda": 8}, {"banana": 12})
    assert {row["item"]: row["count"] for row in analyst.read()} == {"banana": 12, "if": 10, "ban": 9}


def test_nothing_left_ends_the_series() -> None:
    analyst = after(word_plan(), {})
    assert len(analyst.read()) == 0
    with pytest.raises(Refused, match="All rounds"):
        analyst.publish()


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_noise_alone_is_hardly_ever_shown(noise: str) -> None:
    """The number of candidates of 40 first rounds that nobody has, and that are left: 0.025 in a whole series."""
    plan = word_plan(epsilon=1, people=500, items=1 if noise == "laplace" else 40, share="0.01")
    assert plan.first.noise == noise
    width, random = plan._width(plan.first, 500), np.random.default_rng(1)
    shape = (40, plan.first.places)
    if noise == "laplace":
        shape_of_sum, end = 500 / plan.first.priced, 1 - np.exp(-1 / float(plan.first.spread))
        up, down = (random.negative_binomial(shape_of_sum, end, shape).astype(float) for _ in range(2))
        drawn = up - down
    else:
        drawn = random.normal(0, np.sqrt(500 * float(plan.first.spread)), shape)
    assert (drawn > width).sum() <= 4
    assert (drawn > width / 2).sum() > 4


def test_the_price_is_that_of_all_rounds() -> None:
    one, three = word_plan(lengths=[3], epsilon=1), word_plan(lengths=[1, 2, 3], epsilon=1)
    assert one.first.noise == three.first.noise == "laplace"
    assert three.first.spread == 3 * one.first.spread
    assert not replace(three.first, spread=one.first.spread).holds
    many = word_plan(lengths=[1, 2, 3], items=40, epsilon=1, people=500)
    single = word_plan(lengths=[3], items=40, epsilon=1, people=500)
    assert many.first.noise == single.first.noise == "gaussian"
    ratio = (many.first.deviation / single.first.deviation) ** 2
    assert 2.99 < ratio < 3.01  # and not 9, as if epsilon were shared
    assert not replace(many.first, spread=many.first.spread * Fraction(9, 10)).holds


def test_delta_is_for_the_rings_of_all_rounds() -> None:
    """With Laplace noise, delta is the chance that a ring fails: that of three."""
    one, three = (word_plan(lengths=each, people=400, epsilon=20, honest="0.95") for each in ([3], [1, 2, 3]))
    assert three.first.noise == one.first.noise == "laplace"
    assert three.delta == pytest.approx(3 * one.delta)
    assert three.delta >= 3 * three.first.failure > 0


def test_a_client_pays_once_for_all_rounds() -> None:
    plan = word_plan()
    client, first = SecureClient(["banana"], epsilon=20), plan.first
    second = after(plan, {"ban": 20}).publish()
    client.join(first)
    again = replace(second, keys=("ban", "fig"))
    client.join(second)
    for round_ in (first, second, again):
        with pytest.raises(Refused, match="has answered"):
            client.join(round_)
    with pytest.raises(Refused, match="budget"):
        client.join(word_plan().first)


def test_a_client_that_restarts_has_answered_and_paid() -> None:
    plan = word_plan()
    client = SecureClient(["banana"], epsilon=20)
    client.join(plan.first)
    again = SecureClient(["banana"], epsilon=20, state=client.state())
    with pytest.raises(Refused, match="has answered"):
        again.join(plan.first)
    again.join(after(plan, {"ban": 20}).publish())


def test_terms_that_change_are_another_promise() -> None:
    plan = word_plan()
    client = SecureClient(["banana"], epsilon=20)
    client.join(plan.first)
    second = after(plan, {"ban": 20}).publish()
    tree = second.step
    for change in (
        {"spread": second.spread * 2},
        {"asks": "Which city?"},
        {"minimum": second.minimum + 1},
        {"step": replace(tree, candidates=1999)},
        {"delta": second.delta + Fraction(1, 10**6)},
    ):
        with pytest.raises(Refused, match="budget"):
            client.join(replace(second, **change))


def test_a_client_refuses_the_price_of_one_round() -> None:
    single, plan = word_plan(lengths=[3]), word_plan()
    with pytest.raises(Refused, match="does not keep its promise"):
        SecureClient(["banana"]).join(replace(plan.first, spread=single.first.spread, bits=40))


def test_one_charge_before_the_first_round(tmp_path: Path) -> None:
    ledger, plan = Ledger(tmp_path / "words.db", epsilon=20, delta="1e-5"), word_plan()
    analyst = RoundsAnalyst(plan, ledger=ledger)
    first = analyst.publish()
    assert ledger.left.epsilon == 5
    assert len(ledger.spends()) == 1
    results = [opened(plan, first, {"fi": 20})]
    read = RoundsAnalyst(plan, results, ledger=ledger).read()
    assert ledger.left.epsilon == 5
    assert read["item"].to_pylist() == ["fi"]
    assert RoundsAnalyst(plan, results, ledger=ledger).read().content == read.content
    with pytest.raises(DataChanged):
        RoundsAnalyst(plan, [opened(plan, first, {"fi": 21})], ledger=ledger).read()
    with pytest.raises(BudgetExceeded):
        RoundsAnalyst(word_plan(), ledger=ledger).publish()


def test_wrong_results_are_refused() -> None:
    plan = word_plan()
    right = opened(plan, plan.first, {"ban": 20})
    for wrong in (replace(right, round="0" * 32), replace(right, sums=right.sums[1:]), replace(right, answered=3)):
        with pytest.raises(Refused):
            RoundsAnalyst(plan).next(wrong)
    with pytest.raises(Refused, match="one of a series"):
        SecureAnalyst([plan.first]).read(right)
    with pytest.raises(Refused, match="0 of 3 rounds have a result"):
        RoundsAnalyst(plan).read()
    with pytest.raises(Refused, match="keep its promise"):
        RoundsAnalyst(replace(plan, first=replace(plan.first, epsilon=plan.first.epsilon / 2)))


def test_a_site_takes_no_part() -> None:
    with pytest.raises(Refused, match="people who answer by themselves"):
        SecureSite(hc.example(people=20), user="user", by="song").join(word_plan().first)


def test_plan_and_round_say_what_happens() -> None:
    plan = word_plan()
    text = str(plan)
    assert "  round    1 of 3: extensions to at most 3 characters" in text
    assert "; for all 3 rounds together" in text
    assert f"  appear   An item appears if at least {plan.minimum:,} people have it (estimated)." in text
    assert "  round    2 of 3: extensions of 3-character prefixes to" in str(after(plan, {"ban": 20}).publish())


def test_messages_of_a_round_have_prefixes_and_no_candidates() -> None:
    second = after(word_plan(), {"ban": 20}).publish()
    assert SecureRound.from_json(second.to_json()) == second
    assert second.places == 1 + 11 + 11**2
    assert len(second.to_json()) < 700


def test_more_candidates_than_there_can_be_are_never_counted() -> None:
    with pytest.raises(BadParameter, match="from 0 to 1000 characters there are more than 8,192 candidates"):
        secure_heavy_hitters("?", share="0.1", people=100, lengths=[1000], epsilon=1)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: word_plan(lengths=[3, 3]),
        lambda: word_plan(lengths=[]),
        lambda: word_plan(lengths="34"),
        lambda: word_plan(lengths=[4], candidates=5),
        lambda: word_plan(alphabet=""),
        lambda: word_plan(alphabet="aba"),
        lambda: word_plan(candidates=2**16 + 1),
        lambda: word_plan(share="0"),
        lambda: word_plan(items=0),
        lambda: word_plan(epsilon=0),
        lambda: word_plan(people=2),
        lambda: word_plan(minimum=100),
        lambda: word_plan(honest=2),
        lambda: replace(word_plan(), first=replace(word_plan().first, step=None)),
        lambda: replace(word_plan().first, keys=("", "a")),
        lambda: replace(word_plan().first, sites=30),
        lambda: replace(after(word_plan(), {"ban": 20}).publish(), keys=("xyz",)),
        lambda: replace(after(word_plan(), {"ban": 20}).publish(), keys=TOO_MANY),
        lambda: Extension(2, (1, 2), ascii_lowercase, 1000),
    ],
)
def test_what_cannot_be_asked_is_refused(wrong: Any) -> None:
    with pytest.raises(BadParameter):
        wrong()
