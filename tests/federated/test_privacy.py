"""What the whole protocol lets out, exactly: all coins of all people and of the aggregator on tiny populations.

The exact delta over all neighbours is at most the promise, and near it. A sample that was settled before anybody
answers has the law of independent coins. One sample for two levels of a hierarchy has not, and is found out.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from headcount.account.curves.sampling import more_than
from headcount.account.events import Neighbours
from headcount.audit import Laws, Outcomes, delta
from headcount.audit.choices import Enumerated, Path, Undecided, explore
from headcount.audit.neighbours import pairs
from headcount.exact import Integers
from headcount.federated import Aggregator, Analyst, Client, Round
from headcount.federated.sample import random_sequence
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy
from tests.federated.people import ID, Fallen, Numbered, Person, clients, counts, promised

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
NEARLY = Fraction(1, 10**9)
"""How far prices are rounded up."""
KINDS: list[Person] = [("a",), ("b",), ("a", "b"), ()]


def worst(asked: Round, pairs: Sequence[tuple[tuple[Person, ...], tuple[Person, ...]]]) -> Fraction:
    """The exact delta of the protocol."""
    exact = Laws(partial(counts, asked)).worst_delta(pairs, asked.epsilon)
    assert exact.high - exact.low < NEARLY
    return exact.high


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(
    ("rate", "threshold", "epsilon", "items"),
    [(HALF, 2, HALF, 1), (HALF, 2, HALF, 2), (QUARTER, 2, Fraction(1, 3), 1), (HALF, 3, Fraction(1), 1)],
)
def test_exact_delta_where_everybody_answers(
    rate: Fraction, threshold: int, epsilon: Fraction, items: int, neighbours: Neighbours
) -> None:
    """People with none, one and two items; above the most of a person, chance takes one."""
    asked = promised(rate, threshold, epsilon=epsilon, items=items, neighbours=neighbours)
    exact = worst(asked, list(pairs(KINDS, 3, neighbours)))
    assert asked.delta * 85 / 100 < exact <= asked.delta  # a replaced person's worst crowd is larger than two others


def test_the_price_is_attained() -> None:
    """p = 1/2, threshold 2: at every epsilon from ln 2 on delta is 1/4, of two people against one."""
    asked = promised(HALF, 2, epsilon=Fraction(7, 10))
    assert abs(worst(asked, [((("a",),) * 2, (("a",),))]) - QUARTER) < NEARLY
    assert abs(asked.delta - QUARTER) < NEARLY


def full(people: int) -> list[tuple[tuple[Person, ...], tuple[Person, ...]]]:
    """All pairs of so many people, of whom one is another."""
    kinds: list[Person] = [("a",), ("b",), ()] if people < 4 else [("a",), ("b",)]
    return [pair for pair in pairs(kinds, people, "replace") if len(pair[0]) == people]


@pytest.mark.parametrize(
    ("people", "invited", "rate", "threshold", "epsilon"),
    [(3, 3, HALF, 2, HALF), (3, 2, QUARTER, 2, HALF), (3, 2, HALF, 2, Fraction(1)), (4, 3, QUARTER, 2, Fraction(1, 3))],
)
def test_exact_delta_where_some_are_invited(
    people: int, invited: int, rate: Fraction, threshold: int, epsilon: Fraction
) -> None:
    asked = promised(rate, threshold, epsilon=epsilon, neighbours="replace", people=people, invited=invited)
    exact = worst(asked, full(people))
    without = promised(rate, threshold, epsilon=epsilon, neighbours="replace").delta
    assert without / 2 < exact <= asked.delta


def law_of(asked: Round, people: tuple[Person, ...]) -> Outcomes:
    return Laws(partial(counts, asked)).of(people)


def distance(one: Outcomes, other: Outcomes) -> Fraction:
    """The total variation."""
    return delta(one, other, Fraction(0)).high


CROWDS: list[tuple[Person, ...]] = [
    (("a",),) * 3,
    (("a",), ("a",), ("b",)),
    (("a",), ("a",), ()),
    (("a",), ("a", "b"), ()),
]


@pytest.mark.parametrize("people", CROWDS)
@pytest.mark.parametrize("rate", [HALF, Fraction(1, 3)])
def test_invited_people_are_a_sample_by_independent_coins(people: tuple[Person, ...], rate: Fraction) -> None:
    """The same law if all are invited; within the chance of a cut if fewer are."""
    coins = law_of(promised(rate, 2, epsilon=HALF, neighbours="replace"), people)
    for invited in (3, 2):
        asked = promised(rate, 2, epsilon=HALF, neighbours="replace", people=3, invited=invited)
        assert distance(coins, law_of(asked, people)) <= more_than(3, rate, invited) + NEARLY


def test_silence_lets_nobody_else_in() -> None:
    """Somebody who does not answer is as somebody without an item: there are three numbers, and two people."""
    asked = promised(HALF, 2, epsilon=HALF, neighbours="replace", people=3, invited=2)
    silent, empty = law_of(asked, (("a",), ("a",))), law_of(asked, (("a",), ("a",), ()))
    assert distance(silent, empty) <= NEARLY


@pytest.mark.parametrize(("many", "maximum"), [(0, 2), (1, 1), (3, 2), (4, 4), (5, 1), (2, 9)])
def test_all_orders_are_alike(many: int, maximum: int) -> None:
    chances: dict[tuple[int, ...], Fraction] = {}
    for order, weight in explore(lambda path: tuple(random_sequence(many, maximum, Enumerated(path, NEARLY)))):
        if not isinstance(order, Undecided):
            assert order not in chances
            chances[order] = weight
    length = min(many, maximum)
    assert all(len(set(order)) == length and set(order) <= set(range(many)) for order in chances)
    assert len(chances) == np.prod(range(many - length + 1, many + 1))
    assert max(chances.values()) - min(chances.values()) < NEARLY


# People who take part, know that their own coin fell, and read the result: each lowers the threshold by 1.


def with_insiders(asked: Round, insiders: int, people: Sequence[Person], entropy: Entropy) -> object:
    """The result, where so many people know that they are in the sample with an a, and a b if two items are allowed."""
    numbered, aggregator = Numbered(entropy), Aggregator(asked)
    known = [Client(["a", "b"][: asked.items], entropy=Fallen()) for _ in range(insiders)]
    for client in [*known, *clients(people, numbered)]:
        aggregator.add(client.answer(asked))
    return aggregator.close().counts


@pytest.mark.parametrize(("threshold", "insiders"), [(3, 1), (4, 2)])
def test_people_who_know_their_own_coins_read_as_if_the_threshold_were_lower(threshold: int, insiders: int) -> None:
    """The price without insiders is not for them: what they see has exactly that of the threshold less their number
    (p = 1/2: 1/4 at 2), which is the price with as many insiders."""
    asked, lower = (promised(HALF, each, epsilon=Fraction(7, 10)) for each in (threshold, threshold - insiders))
    assert abs(lower.delta - QUARTER) < NEARLY
    laws = Laws(partial(with_insiders, asked, insiders))
    exact = laws.worst_delta(list(pairs([("a",), ("b",), ()], 3, "add-remove")), asked.epsilon)
    assert asked.delta < exact.low
    assert abs(exact.high - lower.delta) < NEARLY
    assert promised(HALF, threshold, epsilon=Fraction(7, 10), insiders=insiders).delta == lower.delta


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(
    ("rate", "threshold", "insiders", "items"), [(HALF, 3, 1, 1), (HALF, 4, 2, 1), (HALF, 3, 1, 2)]
)
def test_the_promise_holds_for_readers_who_answered(
    rate: Fraction, threshold: int, insiders: int, items: int, neighbours: Neighbours
) -> None:
    """For as many as the round says, and for fewer; one more breaks it."""
    asked = promised(rate, threshold, epsilon=HALF, items=items, neighbours=neighbours, insiders=insiders)
    deltas = [
        Laws(partial(with_insiders, asked, known)).worst_delta(list(pairs(KINDS, 3, neighbours)), asked.epsilon)
        for known in range(insiders + 2)
    ]
    assert all(exact.high <= asked.delta for exact in deltas[:-1])
    assert deltas[-2].high > asked.delta * 85 / 100
    assert deltas[-1].low > asked.delta


def test_as_many_names_as_the_threshold_less_one_see_a_single_person() -> None:
    """Whoever can answer under many names finds the only person with an item, as often as their coin falls."""
    asked = promised(QUARTER, 4, epsilon=HALF)
    exact = Laws(partial(with_insiders, asked, 3)).worst_delta([((("a",),), ())], asked.epsilon)
    assert abs(exact.high - QUARTER) < NEARLY
    assert asked.delta < Fraction(1, 10)


# One sample for two levels: a parent, and its children of whom one has a single person.


class Again(Entropy):
    """The mistake: the first coins, again and again."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._first: dict[NoiseDistribution, Integers] = {}

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        if distribution not in self._first:
            self._first[distribution] = self._entropy.draw(distribution, size)
        return self._first[distribution]

    def secret(self) -> bytes:
        return self._entropy.secret()


Coins = Callable[[Entropy], Entropy]


def by_level(asked: Sequence[Round], people: Sequence[Person], entropy: Entropy, coins: Coins) -> list[dict[str, int]]:
    """Each person says "x" at the first level, and their child of "x" at the second."""
    person_coins = [coins(entropy) for _ in people]
    seen = []
    for level, one in enumerate(asked):
        aggregator = Aggregator(one)
        for index, (person, chance) in enumerate(zip(people, person_coins, strict=True)):
            client = Client([person[0][: level + 1]], key=index.to_bytes(32, "big"), entropy=chance)
            aggregator.add(client.answer(one))
        seen.append(dict(aggregator.close().counts))
    return seen


def fresh(entropy: Entropy) -> Entropy:
    return entropy


def levels(rate: Fraction, threshold: int, epsilon: Fraction) -> list[Round]:
    return [promised(rate, threshold, epsilon=epsilon, name=f"{level:032x}") for level in range(2)]


SIBLINGS: tuple[Person, ...] = (("xs",),) * 3


def test_one_sample_for_two_levels_is_found_out_exactly() -> None:
    """With coins of their own, two levels cost what two reports cost. With the same coins, the person is seen nearly
    whenever they are in the sample: parent less sibling."""
    epsilon = Fraction(1)
    right, wrong = (exact_by_level(coins, epsilon) for coins in (fresh, Again))
    assert right <= promised(QUARTER, 2, epsilon=epsilon, items=2).delta < wrong
    assert wrong >= QUARTER * more_than(3, QUARTER, 1)  # in the sample, and both counts are shown


def exact_by_level(coins: Coins, epsilon: Fraction) -> Fraction:
    """The exact delta of two levels for the person beside the siblings."""
    distributions = Laws(partial(by_level, levels(QUARTER, 2, epsilon), coins=coins))
    return distributions.worst_delta([((*SIBLINGS, ("xt",)), SIBLINGS)], epsilon).high


def told_apart(coins: Coins, runs: int) -> tuple[float, float]:
    """How often parent less sibling is exactly 1, with the person and without, at rate 1/4 and threshold 14."""
    asked = [Analyst().publish("Which?", epsilon=1) for _ in range(2)]
    often = []
    for people in ((*(("xs",),) * 100, ("xt",)), (("xs",),) * 100):
        differences = []
        for _ in range(runs):
            parent, child = by_level(asked, people, SystemEntropy(), coins)
            differences.append(parent.get("x", 0) - child.get("xs", 0))
        often.append(differences.count(1) / runs)
    return often[0], often[1]


def test_one_sample_for_two_levels_is_found_out_in_practice() -> None:
    """An attacker who subtracts has a delta of the rate, 0.25; with coins of their own both are alike."""
    runs = 120
    there, away = told_apart(Again, runs)
    assert away == 0
    assert abs(there - 0.2537) < 5.5 * (0.25 * 0.75 / runs) ** 0.5
    there, away = told_apart(fresh, runs)
    assert abs(there - away) < 5.5 * (2 * 0.06 / runs) ** 0.5  # 1 of about 16 differences is 1, with and without
    assert there < 0.2


def test_sampling_rate_in_practice() -> None:
    """20,000 people with the same item: the count has the rate, and not 1.15 of it."""
    asked, people = Analyst().publish("Which?", epsilon=1), 20_000
    aggregator = Aggregator(asked)
    for _ in range(people):
        aggregator.add(Client(["a"]).answer(asked))
    (_, count), rate = aggregator.close().counts[0], float(asked.rate)
    spread = (people * rate * (1 - rate)) ** 0.5
    assert abs(count - people * rate) < 6 * spread
    assert abs(count - people * rate * 1.15) > 6 * spread


def test_coins_of_a_person_are_independent() -> None:
    """Two items of each of two people, enumerated: 16 equal chances, and none is forgotten."""
    asked = promised(HALF, 2, epsilon=Fraction(1), items=2)

    def sent(path: Path) -> tuple[Person, ...]:
        entropy = Numbered(Enumerated(path, NEARLY))
        return tuple(client.answer(asked).items for client in clients([("a", "b")] * 2, entropy))

    chances: dict[object, Fraction] = {}
    for output, weight in explore(sent):
        chances[output] = chances.get(output, Fraction(0)) + weight
    likely = {output: weight for output, weight in chances.items() if weight > NEARLY}
    assert len(likely) == 16
    assert all(abs(weight - Fraction(1, 16)) < NEARLY for weight in likely.values())
    assert asked.id == ID
