"""Mistakes that break the privacy of a sample: exact deltas at epsilon 1."""

from fractions import Fraction
from functools import reduce
from math import e

import numpy as np

from audits.mechanisms.ordered import OneSample, on_cells
from audits.mechanisms.sample_threshold import fixed_size, release_hidden_sum
from audits.shortcuts import FINITE_LEFT_OUT, with_joint_coins
from audits.specimen import People, Run
from experiments.parts import Part
from experiments.report import Setting, Table, number
from experiments.sampling.lemmas import binomial_pmf
from experiments.sampling.part import DELTA, EPSILON
from headcount.account.calibration import rates
from headcount.account.curves import sampling
from headcount.account.events import SampleThreshold
from headcount.audit.enumerate import worst_delta
from headcount.bound import SampledEvents
from headcount.estimate.ordered.tree import Shape
from headcount.exact import Floats

CROWD: People = (("a",),) * 150
"""Large enough for the sampled count to reach the threshold almost surely."""
FEW: People = (("a",),) * 7
ALONE: People = (("b",),)
HALF = SampleThreshold(Fraction(1, 2), 3, 1, "replace", EPSILON)
"""What a sample of a fixed size, half of all people, is taken for."""
P, THETA = Fraction(1, 5), 15
"""The setting of the notes' values for one coin."""
MOST = 40
"""Fewer people than this have each of a person's items, in the search for the worst number."""
DIGEST = {1: ("2.96e-8", "-"), 2: ("5.92e-8", "1.86e-7"), 3: ("-", "at least 5.3x"), 4: ("-", "at least 8.0x")}
"""Independent coins, and one coin."""
COLUMNS = ("mistake", "data", "p, theta", "priced: delta", "exact delta", "notes")
COINS = (
    "items",
    "a coin for each: exact",
    "notes",
    "as the product prices it",
    "one coin: exact",
    "notes",
    "times",
)
NOTES = (
    "*Mistakes*: the paper does not say that each level needs a sample of its own, and warns of a fixed size. "
    "*Priced*: what p and theta cost if it is done rightly. The delta of what was done is exact for these data "
    "(every outcome is enumerated), so in general it is at least that; and it is nearly the same for any epsilon, as "
    "something is seen that could not be otherwise. One sample: the count of a and b together, less that of a, is 1 "
    "if the person is in it. A fixed size: what is missing in the sum is a person who is hidden; m/n for any n.",
    f"*One coin for all items of a person*: p = 0.2, theta = 15; the worst N below {MOST}, the same for each item. "
    "Theorem 1 is about one item each, and says nothing of people who have more.",
)


def part(setting: Setting) -> Part:
    """One sample twice, a fixed size, what is hidden told; and one coin."""
    items = (1, 2) if setting.quick else (1, 2, 3, 4)
    one_coin = Table("One coin for all of a person's items", COINS, tuple(_coins(each) for each in items))
    return Part((Table("Mistakes", COLUMNS, _mistakes()), one_coin), NOTES)


def _mistakes() -> tuple[tuple[str, ...], ...]:
    tree = rates.best(EPSILON, DELTA, items=2)
    plain = rates.best(EPSILON, DELTA)
    twice = with_joint_coins(on_cells(OneSample(SampledEvents(1), tree, Shape(3, 2))))
    crowd, few = "150 people have a, one has b or is not there", "7 people have a, one has b or a"
    added, replaced = ((*CROWD, *ALONE), CROWD), ((*FEW, *ALONE), (*FEW, FEW[0]))
    return (
        ("one sample for two levels", crowd, *_measured(twice, added, tree), "about p"),
        ("a sample of a fixed size, 4 of 8", few, *_measured(fixed_size(HALF, 4), replaced, HALF), "at least m/n"),
        (
            "the sum of hidden counts released",
            crowd,
            *_measured(with_joint_coins(release_hidden_sum(plain)), added, plain),
            "-",
        ),
    )


def _measured(run: Run[People], pair: tuple[People, People], event: SampleThreshold) -> tuple[str, str, str]:
    """p and theta, the price of the event, and the exact delta of what was done."""
    exact = worst_delta(run, [pair], event.epsilon, FINITE_LEFT_OUT)
    price = float(sampling.delta(event))
    return f"{number(float(event.rate))}, {event.threshold}", number(price), number(float(exact.low))


def _coins(items: int) -> tuple[str, ...]:
    separate, joint = (max(delta(items, people, one) for people in range(THETA, MOST)) for one in (False, True))
    price = float(sampling.delta(SampleThreshold(P, THETA, items, "add-remove", EPSILON)))
    deltas = [f"{each:.2e}" for each in (separate, price, joint)]
    return (str(items), deltas[0], DIGEST[items][0], deltas[1], deltas[2], DIGEST[items][1], f"{joint / separate:.1f}")


def delta(items: int, people: int, shared_coin: bool) -> float:
    """The exact delta for a person with `items` items, each held by `people` people, with one coin or one per item."""
    p, (others, sampled) = float(P), shown_distributions(people)
    without = _product(others, items)
    coins = (
        (1 - p) * without + p * _product(sampled, items)
        if shared_coin
        else _product((1 - p) * others + p * sampled, items)
    )
    return float(max(np.maximum(coins - e * without, 0).sum(), np.maximum(without - e * coins, 0).sum()))


def shown_distributions(people: int) -> tuple[Floats, Floats]:
    """Distributions of the shown count (nothing, theta, theta + 1, ...) of an item held by `people` people: with one of
    them outside the sample, and with that person in it."""
    others = binomial_pmf(np.arange(people), people - 1, float(P))
    both = np.append(others, 0.0), np.append(0.0, others)
    hidden, more = (np.append(each[:THETA].sum(), each[THETA:]) for each in both)
    return hidden, more


def _product(distribution: Floats, items: int) -> Floats:
    """The joint distribution of `items` independent copies."""
    return np.asarray(reduce(np.multiply.outer, [distribution] * items))
