"""Several rounds that end in one release: what they ask, who answers, what is charged, and what is refused."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import headcount as hc
from headcount.account import Ledger
from headcount.errors import BadParameter, BudgetExceeded, DataChanged
from headcount.federated import Analyst, Client, Refused, Result, Round
from headcount.federated.rounds import (
    HeavyHittersPlan,
    QuantilesPlan,
    RoundsAnalyst,
    collect_rounds,
    heavy_hitters,
    quantiles,
    ranges,
)
from headcount.federated.rounds.plan import RoundsPlan
from headcount.federated.step import Prefixes, Scale
from headcount.federated.transport import MemoryTransport
from headcount.release import Release

WORDS = ["banana"] * 400 + ["bandana"] * 300 + ["ban"] * 200 + ["cherry"] * 100 + ["date"] * 3


def word_plan(**more: Any) -> HeavyHittersPlan:
    return heavy_hitters("Which word?", **{"share": "0.15", "people": 1003, "lengths": [3, 5], "epsilon": 2, **more})


def number_plan(**more: Any) -> QuantilesPlan:
    return quantiles("How many?", **{"range": (0, 100), "cells": 64, "q": [0.5], "epsilon": 2, **more})


def people(items: Sequence[str], **more: Any) -> MemoryTransport:
    return MemoryTransport([Client([item], **more) for item in items])


def numbers(many: int = 1000) -> list[str]:
    return [str(number % 100) for number in range(many)]


def test_heavy_hitters_are_found_prefix_by_prefix() -> None:
    analyst = RoundsAnalyst(word_plan())
    release = collect_rounds(analyst, people(WORDS))
    assert [row["item"] for row in release] == ["banana", "bandana", "ban"]
    assert [row["count"] for row in release] == pytest.approx([400, 300, 200], rel=0.4)
    assert release["certain"].to_pylist()[0] is True
    assert [dict(result.counts).keys() for result in analyst.results] == [
        {"ban", "che"},
        {"banan", "banda", "ban", "cherr"},
        {"banana", "bandana", "ban", "cherry"},
    ]


def test_the_aggregator_sees_no_item_of_which_no_prefix_is_common() -> None:
    reports: list[str] = []

    class Watched(MemoryTransport):
        def answers(self, round_: Round, invitations: Any) -> Any:
            for text in super().answers(round_, invitations):
                reports.append(text)
                yield text

    collect_rounds(RoundsAnalyst(word_plan()), Watched([Client([word]) for word in (*WORDS, "secret")]))
    assert any('"banana"' in text for text in reports)
    assert not any("secr" in text or "date" in text for text in reports)


@pytest.mark.parametrize(
    ("plan", "low", "high"),
    [(number_plan(), 40, 60), (number_plan(method="search"), 35, 65), (number_plan(range=(1, 10**6)), 30, 70)],
    ids=["tree", "search", "log"],
)
def test_the_median_is_found(plan: QuantilesPlan, low: float, high: float) -> None:
    release = collect_rounds(RoundsAnalyst(plan), people(numbers()))
    assert release.table.column_names == ["q", "value", "low", "high"]
    (row,) = release
    assert low < row["value"] < high
    assert row["low"] <= 50 <= row["high"]


def test_ranges_are_counted_and_what_is_no_number_is_not() -> None:
    plan = ranges("How many?", ranges=[(0, 50), (50, 100), (0, 100)], epsilon=2)
    release = collect_rounds(RoundsAnalyst(plan), people([*numbers(2000), *["nan", "1e999", "-5", "x", ""] * 100]))
    assert release["count"].to_pylist() == pytest.approx([1000, 1000, 2000], rel=0.15)


@pytest.mark.parametrize(
    "plan", [word_plan(), number_plan(), number_plan(method="search"), ranges("?", ranges=[(0, 50)], epsilon=2)]
)
def test_a_release_like_any_other(plan: RoundsPlan, tmp_path: Path) -> None:
    release = collect_rounds(RoundsAnalyst(plan), people(WORDS if isinstance(plan, HeavyHittersPlan) else numbers()))
    for kind in ("parquet", "csv", "json", "html", "yaml", "svg"):
        assert release.save(tmp_path / f"found.{kind}").stat().st_size > 20
    again = hc.load(tmp_path / "found.parquet")
    assert again.content == release.content
    assert (again.summary(), again.explain()) == (release.summary(), release.explain())
    assert type(plan).from_json(release.about.plan) == plan
    assert [event.items for event in release.cost.events] == [plan.rounds * plan.items]  # type: ignore[attr-defined]
    assert "The round that people answered" in (tmp_path / "found.html").read_text()


def test_plan_and_round_say_what_happens() -> None:
    plan = word_plan()
    assert "  rounds   3 rounds; everybody answers each, with one report and fresh coins" in str(plan)
    first = RoundsAnalyst(plan).publish()
    assert "for all 3 rounds together" in str(first)
    assert "  round    1 of 3: the first 3 characters of items" in str(first)


def test_the_next_round_follows_from_plan_and_results() -> None:
    """Whoever has both goes on where another stopped, with the same round."""
    analyst = RoundsAnalyst(word_plan())
    first = analyst.publish()
    second = analyst.next(Result(first.digest, (("ban", 90), ("che", 20), ("x", 19))))
    back = RoundsAnalyst(HeavyHittersPlan.from_json(analyst.plan.to_json()), analyst.results)
    assert second is not None
    assert second.step is not None
    assert back.publish() == second
    assert second.step.level == Prefixes(("ban", "che", "x"), 3, 5)
    assert Round.from_json(second.to_json()).digest == second.digest


def test_a_round_of_a_series_is_no_release_by_itself() -> None:
    first = RoundsAnalyst(word_plan()).publish()
    with pytest.raises(Refused, match="one of a series"):
        Analyst([first]).read(Result(first.digest, (("ban", 90),)))


def test_nothing_seen_ends_the_series() -> None:
    analyst = RoundsAnalyst(word_plan())
    assert analyst.next(Result(analyst.publish().digest, ())) is None
    assert len(analyst.read()) == 0
    with pytest.raises(Refused, match="All rounds"):
        analyst.publish()


def test_what_was_not_asked_is_left_out() -> None:
    """People can send any text; what is no node, or begins with nothing that was asked, is not in a release."""
    analyst = RoundsAnalyst(word_plan(lengths=[3]))
    second = analyst.next(Result(analyst.publish().digest, (("toolong", 90), ("ban", 80))))
    assert second is not None
    assert second.step is not None
    assert second.step.level == Prefixes(("ban",), 3, None)
    analyst.next(Result(second.digest, (("elsewhere", 90), ("banana", 80))))
    assert analyst.read()["item"].to_pylist() == ["banana"]
    tree = RoundsAnalyst(number_plan())
    first = tree.publish()
    after = tree.next(Result(first.digest, (("0", 90), ("01", 80), ("4", 70), ("٣", 60))))
    assert after is not None
    assert tree.next(Result(after.digest, ())) is None
    assert len(tree.read()) == 1


def test_wrong_results_are_refused() -> None:
    analyst = RoundsAnalyst(word_plan())
    first = analyst.publish()
    for wrong in (Result("0" * 32, ()), Result(first.digest, (("ban", word_plan().threshold - 1),))):
        with pytest.raises(Refused):
            analyst.next(wrong)
    with pytest.raises(Refused, match="0 of 3 rounds have a result"):
        analyst.read()
    with pytest.raises(Refused):
        RoundsAnalyst(replace(word_plan(), rate=Fraction(9, 10)))


def test_one_charge_before_the_first_round(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "words.db", epsilon=3, delta="1e-5")
    analyst = RoundsAnalyst(word_plan(), ledger=ledger)
    assert ledger.left.epsilon == 3
    analyst.publish()
    analyst.publish()
    assert (len(ledger.spends()), ledger.spends()[0].state) == (1, "0 of 1 part sealed")
    assert ledger.left.epsilon == 1
    transport = people(WORDS)
    release = collect_rounds(analyst, transport)
    assert ledger.spends()[0].state == "1 of 1 part sealed"
    assert ledger.left.epsilon == 1
    assert release.fresh
    again = collect_rounds(RoundsAnalyst(analyst.plan, analyst.results, ledger=ledger), transport)
    assert (again.fresh, again.content) == (False, release.content)
    with pytest.raises(BudgetExceeded):
        RoundsAnalyst(word_plan(), ledger=ledger).publish()


def test_other_results_of_the_same_plan_are_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "words.db", epsilon=3, delta="1e-5")
    plan = number_plan()

    def read(count: int) -> Release:
        analyst = RoundsAnalyst(plan, ledger=ledger)
        second = analyst.next(Result(analyst.publish().digest, (("0", count),)))
        assert second is not None
        analyst.next(Result(second.digest, ()))
        return analyst.read()

    read(100)
    with pytest.raises(DataChanged):
        read(101)


def test_a_client_pays_once_for_all_rounds() -> None:
    client, plan = Client(["banana"], epsilon=3), word_plan()
    analyst = RoundsAnalyst(plan)
    first = analyst.publish()
    client.answer(first)
    second = analyst.next(Result(first.digest, (("ban", 90),)))
    assert second is not None
    client.answer(second)
    with pytest.raises(Refused, match="has answered"):
        client.answer(second)
    with pytest.raises(Refused, match="budget"):
        client.answer(RoundsAnalyst(word_plan()).publish())


def test_a_client_refuses_the_price_of_one_round() -> None:
    """Rate and threshold that keep the promise in one round do not in three."""
    first, single = RoundsAnalyst(word_plan()).publish(), Analyst().publish("Which word?", epsilon=2)
    with pytest.raises(Refused, match="does not keep its promise"):
        Client(["banana"]).answer(replace(first, rate=single.rate, threshold=single.threshold))


def test_terms_that_change_are_another_promise() -> None:
    """A round that claims to belong to the series, with terms of its own, is charged by itself."""
    client, analyst = Client(["banana"], epsilon=3), RoundsAnalyst(word_plan())
    first = analyst.publish()
    client.answer(first)
    changes: list[dict[str, Any]] = [{"items": 2, "threshold": 60}, {"insiders": None}, {"sites_per_person": 1}]
    for change in (*changes, {"rate": first.rate / 2}, {"delta": first.delta * 2}):
        cheat = replace(first, **change)
        assert cheat.holds
        with pytest.raises(Refused, match="budget"):
            client.answer(cheat)


def test_a_person_counts_with_the_same_items_in_every_round() -> None:
    """Of many, as many as the round allows, in one order; of several numbers, one."""
    client = Client([f"{letter}{letter}" for letter in "abcdefgh"], key=bytes(32))
    plan = replace(word_plan(items=2, lengths=[1]), rate=Fraction(1, 100))
    rounds = RoundsAnalyst(plan)
    first = rounds.publish()
    chosen = client._step_answers(first)
    assert len(chosen) == 2
    second = rounds.next(Result(first.digest, tuple((letter, 99) for letter in "abcdefgh")))
    assert second is not None
    assert client._step_answers(second) == tuple(2 * letter for letter in chosen)
    several = Client(["x", "7", "70", "90"], key=bytes(32))
    nodes = RoundsAnalyst(number_plan()).publish()
    assert len(several._step_answers(nodes)) == 1


def test_the_order_of_items_differs_by_person_and_plan() -> None:
    """Uniform as far as 600 people show: each of three numbers is the one of about a third."""
    first = RoundsAnalyst(number_plan()).publish()
    found = [Client(["0", "40", "80"])._step_answers(first)[0] for _ in range(600)]
    assert all(140 < found.count(node) < 260 for node in set(found))
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: word_plan(lengths=[3, 3]),
        lambda: word_plan(lengths=[]),
        lambda: word_plan(lengths="34"),
        lambda: word_plan(share="0"),
        lambda: word_plan(items=500),
        lambda: word_plan(epsilon=0),
        lambda: number_plan(q=[]),
        lambda: number_plan(q=[0.9, 0.5]),
        lambda: number_plan(q=[1]),
        lambda: number_plan(method="other"),
        lambda: number_plan(range=(5, 5)),
        lambda: ranges("?", ranges=[(5, 1)], epsilon=1),
        lambda: ranges("?", ranges=[], epsilon=1),
        lambda: ranges("?", ranges=[5], epsilon=1),  # type: ignore[list-item]
        lambda: Scale((0.0, 1.0, 2.0), 1, True),
        lambda: Scale((0.0, float("nan")), 2, True),
        lambda: Prefixes(("a",), 3, 3),
        lambda: replace(RoundsAnalyst(word_plan()).publish(), items=400),
    ],
)
def test_what_cannot_be_asked_is_refused(wrong: Any) -> None:
    with pytest.raises(BadParameter):
        wrong()


def test_a_round_without_a_step_is_written_as_before() -> None:
    text = '{"asks":"Which?","delta":"0.000001","epsilon":"1","id":"00112233445566778899aabbccddeeff","invited":null,'
    text += '"items":1,"kind":"round","neighbours":"add-remove","people":null,"rate":"0.2","threshold":14,"version":1}'
    assert Round.from_json(text).to_json() == text
    with pytest.raises(BadParameter):
        Round.from_json(text.replace('"threshold"', '"step":null,"threshold"'))
