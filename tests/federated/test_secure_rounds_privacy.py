"""What all rounds of secure sums let out together, exactly: every sum of two rounds of a tiny tree, the second of which
depends on the first.

People's numbers are those of real clients, the next round is that of the real plan, and the noise is that of the people
who are priced. That the shares of these have its law, `test_secure_privacy.py` enumerates; that a server sees nothing
but sums, `test_views.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import groupby, product
from math import exp
from typing import Any

import numpy as np
import pytest

from headcount.account.composition.cost import native, noises
from headcount.account.curves import gaussian
from headcount.account.events import Neighbours
from headcount.audit.neighbours import pairs
from headcount.exact import Floats, Integers
from headcount.federated import SecureClient, SecureRound, Total
from headcount.federated.listed.extension import Extension
from headcount.federated.rounds import SecureHeavyHittersPlan, secure_heavy_hitters
from tests.federated.people import ID, Person

LEFT_OUT = 1e-6
PEOPLE = 14
KINDS: list[Person] = [("aa",), ("a",), ("",), ()]
CROWD: tuple[Person, ...] = (("a",),) * 8
"""With them the prefix is left about as often as not."""
Law = Callable[[int], float]


def laplace(scale: Fraction) -> Law:
    q = exp(-1 / scale)
    return lambda k: (1 - q) / (1 + q) * float(q ** abs(k))


@cache
def shares_of_two(variance: Fraction) -> dict[int, float]:
    """The law of the sum of two discrete Gaussian numbers."""
    one = np.exp(-(np.arange(-60, 61) ** 2) / (2 * float(variance)))
    return dict(enumerate(np.convolve(one / one.sum(), one / one.sum()).tolist(), start=-120))


def plan_of(neighbours: Neighbours = "add-remove", epsilon: int = 2) -> SecureHeavyHittersPlan:
    """A tree of one letter: the empty item and what begins with `a`, then `a` and `aa`."""
    few: dict[str, Any] = {"people": PEOPLE, "alphabet": "a", "lengths": [1, 2], "candidates": 2}
    return secure_heavy_hitters("?", share="0.5", epsilon=epsilon, neighbours=neighbours, **few)


def counts(round_: SecureRound, people: Sequence[Person]) -> Integers:
    """The sums of a round without noise, of real clients."""
    found = [SecureClient(items)._counts(round_) * round_.unit for items in people]
    return np.sum(found, axis=0) if found else np.zeros(round_.places, dtype=np.int64)


def grid(round_: SecureRound, people: Sequence[Person], law: Law, reach: int) -> Floats:
    """The law of the two sums of a round, each from `reach` below that of the crowd to `reach` above it."""
    assert round_.places == 2
    first, second = ([law(k - int(count)) for k in range(-reach, reach)] for count in counts(round_, people))
    return np.outer(first, second).ravel()


def next_keys(plan: SecureHeavyHittersPlan, crowd: Sequence[Person], reach: int) -> list[tuple[str, ...] | None]:
    """The prefixes of the second round after every outcome of the first."""
    ranges = (range(count - reach, count + reach) for count in counts(plan.first, crowd).tolist())
    sums = (Total(plan.first.digest, plan.first.people, each) for each in product(*ranges))
    return [round_.keys if round_ else None for round_ in (plan.next_round([each]) for each in sums)]


def outcomes(
    plan: SecureHeavyHittersPlan,
    crowd: Sequence[Person],
    people: Sequence[Sequence[Person]],
    law: Law,
    reach: int,
) -> Iterator[tuple[Floats, ...]]:
    """Blocks of chances of all outcomes of both rounds, for the crowd with each of these."""
    first = [grid(plan.first, each, law, reach) for each in people]
    keys = next_keys(plan, crowd, reach)
    places = sorted(range(len(keys)), key=lambda place: keys[place] or ())
    for left, block in groupby(places, key=lambda place: keys[place]):
        chosen = list(block)
        if left is None:
            yield tuple(each[chosen] for each in first)
            continue
        second = replace(plan.first, keys=left, step=replace(plan.step, number=1))
        laws = [grid(second, each, law, reach) for each in people]
        for place in chosen:
            yield tuple(one[place] * law_ for one, law_ in zip(first, laws, strict=True))


def deltas(
    plan: SecureHeavyHittersPlan,
    crowd: Sequence[Person],
    pair: Sequence[Sequence[Person]],
    law: Law,
    reach: int,
    *at: float,
) -> list[float]:
    """The exact delta of both rounds together at each epsilon, but for what is beyond the grid."""
    found = np.zeros(len(at))
    for p, q in outcomes(plan, crowd, pair, law, reach):
        found += [np.maximum(0, p - exp(epsilon) * q).sum() for epsilon in at]
    return [float(each) for each in found]


@pytest.mark.parametrize(("neighbours", "reached"), [("add-remove", 1.0), ("replace", 0.75)])
def test_all_rounds_together_keep_the_promise_and_hardly_more(neighbours: Neighbours, reached: float) -> None:
    """No delta at epsilon, over all neighbours. Just below what they can change there is some: a person who is replaced
    changes at most three of four counts here, as a tree of one letter has one prefix."""
    plan = plan_of(neighbours)
    epsilon, reach = float(plan.epsilon), 12 * int(plan.first.spread)
    assert plan.first.noise == "laplace"
    assert plan.first.spread == (1 if neighbours == "add-remove" else 2)
    worst, below, law = 0.0, 0.0, laplace(plan.first.spread)
    for pair in pairs(KINDS[:3] if neighbours == "replace" else KINDS, 1, neighbours):
        exact, less = deltas(plan, CROWD, pair, law, reach, epsilon, 0.9 * reached * epsilon)
        worst, below = max(worst, exact), max(below, less)
    assert worst < LEFT_OUT
    assert below > 0.01


def test_the_second_round_depends_on_the_first() -> None:
    assert set(next_keys(plan_of(), CROWD, 17)) == {None, ("a",)}


def test_the_noise_of_one_round_is_not_enough_for_two() -> None:
    """Half of the noise, as if each round had the whole epsilon; and half of the epsilon for the noise of both."""
    plan, pair = plan_of(), ((("aa",),), ())
    weak = replace(plan.first, spread=plan.first.spread / 2)
    assert not weak.holds
    (single,) = deltas(plan, CROWD, pair, laplace(weak.spread), 12, 2.0)
    (both,) = deltas(plan, CROWD, pair, laplace(plan.first.spread), 12, 1.0)
    assert single > 0.1
    assert both > 0.1


GONE: dict[Neighbours, list[tuple[tuple[Person, ...], tuple[Person, ...]]]] = {
    "add-remove": [((("aa",),), ()), ((), (("aa",),))],
    "replace": [((("aa",),), (("",),)), ((("",),), (("aa",),))],
}


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_gaussian_noise_of_all_rounds(neighbours: Neighbours) -> None:
    """The exact delta of real shares is at most the price of the event and the slack, and above that of one round."""
    people: Any = ("",), 1, 3, 3, Fraction(1)
    noise: Any = "gaussian", Fraction(6), 1, 16, 4, 2, neighbours, Fraction(1), Fraction("0.01")
    first = replace(SecureRound(ID, "?", *people, *noise), step=Extension(0, (1, 2), "a", 2))
    plan, chances = SecureHeavyHittersPlan(first, Fraction(1, 2)), shares_of_two(first.spread)
    (event,) = noises(first.shares.event(first.change))
    assert event.squared_sensitivity == (2 if neighbours == "add-remove" else 4)
    stated = gaussian.discrete_delta(Fraction(1), [event]) + first.slack
    half = replace(event, squared_sensitivity=event.squared_sensitivity / 2, cells=event.cells // 2)
    crowd: tuple[Person, ...] = (("a",),) * 25
    exact = max(deltas(plan, crowd, pair, lambda k: chances.get(k, 0.0), 20, 1.0)[0] for pair in GONE[neighbours])
    assert float(gaussian.discrete_delta(Fraction(1), [half])) < exact <= float(stated)


def test_what_is_charged_is_for_all_rounds() -> None:
    plan = plan_of()
    (event,) = plan.events
    assert native(event).epsilon == plan.epsilon
