"""What several rounds let out together, exactly: all coins of all people in all rounds, on tiny populations.

The exact delta over all neighbours is at most the promise for all rounds, and near it. What the aggregator shows has
the law of the central mechanism.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from experiments.sampling.part import as_bounded
from headcount.account.composition.cost import native
from headcount.account.events import Neighbours
from headcount.audit import Laws, delta
from headcount.audit.neighbours import pairs
from headcount.exact import Integers
from headcount.federated import Client
from headcount.federated.rounds import HeavyHittersPlan, QuantilesPlan, RangesPlan, RoundsAnalyst
from headcount.federated.rounds.numbers import NumbersPlan
from headcount.federated.rounds.plan import RoundsPlan
from headcount.federated.step import Prefixes, Scale
from headcount.federated.transport import MemoryTransport, collect
from headcount.noise import Entropy
from tests.federated.people import ID, Fallen, Numbered, Person, clients

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
NEARLY = Fraction(1, 10**9)
FOUR = Scale((0.0, 4.0), 4, True)
WIDE = Scale((0.0, 32.0), 32, True)
"""Two levels: of 2 nodes, and of 32."""


def terms(rate: Fraction, items: int = 1, neighbours: Neighbours = "add-remove") -> dict[str, Any]:
    promise = {"neighbours": neighbours, "epsilon": HALF, "delta": HALF}
    return {"id": ID, "asks": "Which?", "rate": rate, "threshold": 2, "items": items, **promise}


def prefixes(rate: Fraction, items: int = 1, neighbours: Neighbours = "add-remove") -> HeavyHittersPlan:
    return HeavyHittersPlan(**terms(rate, items, neighbours), lengths=(1,), share=Fraction(1, 10), people=3)


def search(rate: Fraction, neighbours: Neighbours = "add-remove", q: tuple[Fraction, ...] = (HALF,)) -> QuantilesPlan:
    return QuantilesPlan(**terms(rate, len(q), neighbours), scale=FOUR, q=q, method="search")


def tree(rate: Fraction, neighbours: Neighbours = "add-remove") -> QuantilesPlan:
    return QuantilesPlan(**terms(rate, 1, neighbours), scale=WIDE, q=(HALF,), method="tree")


def priced(plan: RoundsPlan) -> RoundsPlan:
    """The plan with a delta that is its price."""
    return replace(plan, delta=native(plan.events[0]).delta)


def seen(
    plan: RoundsPlan, people: Sequence[Person], entropy: Entropy, insiders: Sequence[Person] = ()
) -> tuple[object, ...]:
    """The counts of all rounds, which insiders answer as well, all of whose coins fall."""
    numbered = Numbered(entropy)
    known = [Client(person, entropy=Fallen()) for person in insiders]
    analyst, transport = RoundsAnalyst(plan), MemoryTransport([*known, *clients(people, numbered)])
    round_ = analyst.publish() if people else analyst.plan.next_round(())
    while round_ is not None:
        round_ = analyst.next(collect(round_, transport, entropy=numbered))
    return tuple(result.counts for result in analyst.results)


ITEMS: list[Person] = [("xs",), ("xt",), ("y",), ()]
NUMBERS: list[Person] = [("0",), ("1.5",), ("3",), ()]
FAR: list[Person] = [("0",), ("17",), ()]
PLANS = [
    pytest.param(prefixes, ITEMS, Fraction(45, 100), id="prefixes"),
    pytest.param(search, NUMBERS, Fraction(9, 10), id="search"),
    pytest.param(tree, FAR, Fraction(9, 10), id="tree"),
]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("rate", [HALF, THIRD])
@pytest.mark.parametrize(("make", "kinds", "part"), PLANS)
def test_exact_delta_of_all_rounds(
    make: Any, kinds: list[Person], part: Fraction, rate: Fraction, neighbours: Neighbours
) -> None:
    """Of prefixes, a worse crowd than two others is not among these: who hides the first round has no second one."""
    plan = priced(make(rate, neighbours=neighbours))
    assert plan.rounds == 2
    exact = Laws(partial(seen, plan)).worst_delta(list(pairs(kinds, 3, neighbours)), plan.epsilon)
    assert exact.high - exact.low < NEARLY
    assert plan.delta * part < exact.high <= plan.delta


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(("make", "kinds", "part"), PLANS)
def test_the_promise_of_all_rounds_holds_for_a_reader_who_answered(
    make: Any, kinds: list[Person], part: Fraction, neighbours: Neighbours
) -> None:
    """One insider, who answers what is worst."""
    plan = replace(make(HALF, neighbours=neighbours), threshold=3, insiders=1)
    asked = priced(plan)
    laws = Laws(partial(seen, asked, insiders=[kinds[0]]))
    exact = laws.worst_delta(list(pairs(kinds, 3, neighbours)), asked.epsilon)
    assert asked.delta * part / 2 < exact.high <= asked.delta


def test_two_answers_in_each_round_are_four_reports() -> None:
    """One person's two items under two prefixes, and two quantiles of one number."""
    same: list[tuple[tuple[Person, ...], tuple[Person, ...]]] = [
        ((person,) * 2, (person,)) for person in (("xs", "yt"), ("0",))
    ]
    for plan, kinds in zip((prefixes(HALF, items=2), search(HALF, q=(THIRD, HALF))), same, strict=True):
        asked = priced(plan)
        assert asked.sample.items == 4
        exact = Laws(partial(seen, asked)).worst_delta([kinds], asked.epsilon)
        assert asked.delta / 2 < exact.high <= asked.delta


def test_the_price_of_one_round_is_not_enough_for_two() -> None:
    plan = priced(search(HALF))
    single = native(replace(plan.sample, items=1)).delta
    exact = Laws(partial(seen, plan)).worst_delta(list(pairs(NUMBERS[:2], 2, "add-remove")), plan.epsilon)
    assert exact.low > single
    assert not replace(plan, delta=single).holds


PEOPLE: tuple[Person, ...] = (("0",), ("0.5",), ("3",))


@pytest.mark.parametrize("plan", [search(THIRD), tree(HALF)], ids=["search", "tree"])
def test_the_law_is_that_of_the_central_mechanism(plan: NumbersPlan) -> None:
    """What is seen of people who keep their numbers, and of a table with the same numbers."""
    totals = np.bincount([int(float(value)) for (value,) in PEOPLE], minlength=plan.scale.cells)

    def federated(people: Sequence[Person], entropy: Entropy) -> object:
        numbered = Numbered(entropy)
        analyst, transport = RoundsAnalyst(plan), MemoryTransport(clients(people, numbered))
        round_: Any = analyst.publish()
        while round_ is not None:
            round_ = analyst.next(collect(round_, transport, entropy=numbered))
        return shown(plan.seen(analyst.results))

    def central(_: object, entropy: Entropy) -> object:
        return shown(plan.mechanism.run(as_bounded(totals, plan.mechanism.bounding), entropy))

    laws = Laws(federated).of(PEOPLE), Laws(central).of(PEOPLE)
    assert delta(*laws, Fraction(0)).high < NEARLY
    assert delta(laws[1], Laws(federated).of(PEOPLE[1:]), Fraction(0)).low > Fraction(1, 100)


def shown(noisy: Any) -> object:
    """What was measured, without names."""
    arrays: list[Integers] = list(noisy.levels) if hasattr(noisy, "levels") else [noisy.cuts, noisy.below, noisy.above]
    return tuple(tuple(np.ravel(each).tolist()) for each in arrays)


def test_ranges_are_a_tree_as_well() -> None:
    plan = RangesPlan(**terms(HALF), scale=Scale((0.0, 1.0, 2.0), 2, False), ranges=((0.0, 1.0), (1.0, 2.0)))
    assert plan.rounds == 1
    exact = Laws(partial(seen, priced(plan))).worst_delta(list(pairs([("0",), ("1",), ()], 3, "add-remove")), HALF)
    assert exact.high <= priced(plan).delta


def test_two_levels_with_one_number_are_answered_once() -> None:
    """An analyst who sends another first round in place of the second gets nothing: it would be a report too many."""
    plan = priced(prefixes(HALF))
    first, again = RoundsAnalyst(plan).publish(), RoundsAnalyst(replace(plan, asks="Again?")).publish()
    assert first.step is not None
    changed = replace(first, step=replace(first.step, prefixes=Prefixes(("",), 0, 2)))
    client = Client(["xs"])
    client.answer(first)
    transport = MemoryTransport([client])
    assert list(transport.answers(changed, ())) == []
    assert len(list(transport.answers(again, ()))) == 1  # another plan, another promise
