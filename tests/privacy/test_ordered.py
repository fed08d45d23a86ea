"""Trees and searches on tiny data: numbers placed on a scale and bounded by the engine, then every draw.

The exact delta over all neighbours of both kinds is never above the price, and less noise, or a larger sample, would be
seen. The sensitivities on which the prices rest are attained.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import log
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from audits.mechanisms.ordered import sampled_search, sampled_tree, shown
from audits.shortcuts import FINITE_LEFT_OUT, delta_without_common_noise, with_joint_coins, without_common_noise
from audits.specimen import Run
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Laplace, Neighbours, SampleThreshold
from headcount.audit import Laws, worst_delta
from headcount.audit.choices import Fixed
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, Bounding, SampledEvents, ScaledToSum
from headcount.errors import BadParameter
from headcount.exact import Integers
from headcount.mechanism import AnyMechanism, BinarySearch, Hierarchy, Sampling
from headcount.mechanism.options import Noise
from headcount.mechanism.ordered import binary_search as halving
from headcount.mechanism.ordered import hierarchy
from headcount.mechanism.ordered.readout import Quantiles
from headcount.mechanism.ordered.strategy import Method, OrderedStrategy
from headcount.noise import Entropy
from headcount.source import contributions, open_events
from headcount.source.contributions.derived import placed
from headcount.source.scales.axis import Axis

from .test_mechanisms import BOTH, SECRET

Person = tuple[float, ...]
People = tuple[Person, ...]
Totals = tuple[int, ...]
ONE = Fraction(1)
HALF = ONE / 2
ADDED: Neighbours = "add-remove"
WHOLE = ScaledToSum(2, largest=2, grid=1)
"""Two rows of a person count in full; of three, what is left is rounded down to whole rows."""
ONCE = ScaledToSum(1, largest=1, grid=1)
SIX = ScaledToSum(6, largest=6, grid=1)
KINDS_OF_NOISE: tuple[Noise, ...] = ("laplace", "gaussian")
COARSELY = Fraction(1, 100)
"""Left undecided of a draw, where only the ratios of chances matter."""


def ordered(
    how: Method, budget: Cost, neighbours: Neighbours, cells: int, q: tuple[Fraction, ...], **more: Any
) -> OrderedStrategy:
    readout = Quantiles(Axis((0.0, float(cells)), cells), q)
    return OrderedStrategy(budget=budget, neighbours=neighbours, readout=readout, method=how, **more)


@lru_cache(maxsize=64)
def held(bounding: Bounding, kinds: People, copies: int, cells: int) -> dict[tuple[Person, int], Integers]:
    """What the engine leaves in each cell of each person of these kinds, so many of each: it is the same in whatever
    company."""
    everybody = {f"{kind}{copy}": (kind, copy) for kind in kinds for copy in range(copies)}
    rows = [(name, value) for name, (kind, _) in everybody.items() for value in kind]
    table = pa.table({"user": [user for user, _ in rows], "value": [value for _, value in rows]})
    read = placed(open_events(table, ["user", "value"]).table(), Axis((0.0, float(cells)), cells))
    keys = pa.table({"item0": pa.array(range(cells), pa.int64())})
    done = contributions(read, [None], events=True, keys=keys)
    left = {person: np.zeros(cells, dtype=np.int64) for person in everybody.values()}
    for row in bounding.kept(done, SECRET).to_pyarrow().to_pylist():
        left[everybody[row["user"]]][row["item0"]] = row["count"]
    return left


def bounded(
    mechanism: Hierarchy | BinarySearch, kinds: People, max_items: int, neighbours: Neighbours
) -> list[tuple[Totals, Totals]]:
    """The totals of all neighbours among up to so many people of these kinds, whom the engine has bounded."""
    cells = mechanism.cells if isinstance(mechanism, BinarySearch) else mechanism.shape.leaves
    left = held(mechanism.bounding, kinds, max_items, cells)

    def totals(people: People) -> Totals:
        mine = [left[kind, copy] for kind, many in Counter(people).items() for copy in range(many)]
        return tuple(np.sum([np.zeros(cells, dtype=np.int64), *mine], axis=0).tolist())

    both = {(totals(one), totals(other)) for one, other in pairs(kinds, max_items, neighbours)}
    return sorted((one, other) for one, other in both if one != other)


def on_totals(mechanism: AnyMechanism) -> Run[Totals]:
    """Everything that the mechanism shows of the totals of cells."""

    def run(totals: Totals, entropy: Entropy) -> list[int]:
        items = pa.table({"item0": pa.array(range(len(totals)), pa.int64())})
        counts = np.array(totals, dtype=np.int64)
        return shown(mechanism.run(Bounded(items, counts, mechanism.bounding.sensitivity), entropy))

    return with_joint_coins(run)


def largest_loss(run: Run[Totals], one: Totals, other: Totals) -> float:
    """The largest ratio of the chances of anything that may be seen on both, as far as it is enumerated: its
    logarithm."""
    distributions = Laws(run, COARSELY)
    first, second = distributions.of(one).chances, distributions.of(other).chances
    return max(abs(log(first[seen] / second[seen])) for seen in first.keys() & second.keys())


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_tree_with_laplace_noise(neighbours: Neighbours) -> None:
    """Two levels; people with two rows in one cell, or three in one, which is above the bound. The loss of all nodes
    together is never above epsilon, and for some it is epsilon. Seldom is anything seen on one side alone."""
    epsilon = 8 * changed_people(neighbours) * ONE
    tree = hierarchy.noisy("laplace", Cost(epsilon, 0 * ONE), WHOLE, 16, neighbours)
    assert tree.shape.levels == 2
    people = bounded(tree, ((0.5, 0.7), (1.1, 1.2, 1.3), (12.5, 12.5)), 1, neighbours)
    run = on_totals(tree)
    losses = [largest_loss(without_common_noise(run, *pair), *pair) for pair in people]
    assert max(losses) == pytest.approx(float(epsilon), rel=1e-12)
    if neighbours == ADDED:
        assert delta_without_common_noise(run, people, epsilon, Fraction(1, 10**4)).high < Fraction(1, 100)


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_tree_with_gaussian_noise(neighbours: Neighbours) -> None:
    """At most delta. Somebody who is added, on both levels: not far below, so that half of the variance would be
    seen."""
    budget = Cost(2 * ONE, ONE / 10)
    tree = hierarchy.noisy("gaussian", budget, ONCE, 4, neighbours)
    assert tree.shape.levels == 2
    kinds: People = ((0.5,), (1.5,)) if neighbours == "replace" else ((0.5,), (3.5,), (1.0, 1.0))
    exact = delta_without_common_noise(
        on_totals(tree), bounded(tree, kinds, 2, neighbours), budget.epsilon, Fraction(1, 10**4)
    )
    assert exact.low <= exact.high <= budget.delta
    if neighbours == ADDED:
        assert exact.low > budget.delta / 3


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("cells", [17, 3])
def test_a_tree_of_samples(neighbours: Neighbours, cells: int) -> None:
    """On one level or on two, of everybody one row: the exact delta is at most what was asked for, and nearly that. The
    sample that two reports are too much for would be seen."""
    budget, two = Cost(ONE, ONE / 30), cells > 16
    tree = ordered("sample-threshold", budget, neighbours, cells, (), sampling=Sampling(theta=3)).mechanism()
    assert isinstance(tree, Hierarchy)
    assert tree.shape.levels == 1 + two
    people = bounded(tree, ((0.5,), (cells - 0.5,), (0.5, cells - 0.5, 1.5)), 4, neighbours)
    exact = worst_delta(on_totals(tree), people, ONE, FINITE_LEFT_OUT)
    assert exact.high <= budget.delta
    assert exact.low > budget.delta * (Fraction(9, 10) if neighbours == ADDED else HALF)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(
    ("cells", "q"), [(3, (HALF,)), (4, (ONE / 4,)), (2, (ONE / 3, ONE / 2))], ids=["odd", "lower", "two"]
)
def test_a_search_with_laplace_noise(neighbours: Neighbours, cells: int, q: tuple[Fraction, ...]) -> None:
    """Two rounds, or one for each of two quantiles. The loss on the whole way is that of the largest change in every
    round, which is at most what is paid. Seldom is anything seen on one side alone."""
    epsilon = 8 * ONE
    search = halving.noisy("laplace", Cost(epsilon, 0 * ONE), SIX, cells, q, neighbours)
    assert isinstance(search.event, Laplace)
    people = bounded(search, ((0.5,) * 6, (cells - 0.5,) * 6, (0.1,) * 9), 1, neighbours)
    run = on_totals(search)
    attained = max(largest_loss(run, *pair) for pair in people)
    changes = [largest_change(search, each, neighbours) for each in q for _ in range(search.rounds)]
    assert attained == pytest.approx(float(sum(changes) / search.event.scale), rel=1e-12)
    assert attained <= epsilon
    assert worst_delta(run, people, epsilon, Fraction(1, 10**3)).high < Fraction(1, 20)


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_search_with_gaussian_noise(neighbours: Neighbours) -> None:
    """At most delta; and it is not 0, for all that one more unit is paid for than changes."""
    budget = Cost(ONE, ONE / 10)
    search = halving.noisy("gaussian", budget, WHOLE, 3, (HALF,), neighbours)
    people = bounded(search, ((0.5, 0.7), (2.5, 2.5)), 1, neighbours)
    exact = worst_delta(on_totals(search), people, budget.epsilon, Fraction(1, 10**4))
    assert Fraction(1, 10**3) < exact.low <= exact.high <= budget.delta


@pytest.mark.slow(but=["one-add-remove", "one-replace"])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("q", [(HALF,), (ONE / 4, HALF)], ids=["one", "two"])
def test_a_search_by_samples(neighbours: Neighbours, q: tuple[Fraction, ...]) -> None:
    """Two rounds for each quantile, each with coins of its own; of everybody one row."""
    budget = Cost(ONE, ONE / 30)
    search = ordered("sample-search", budget, neighbours, 3, q, sampling=Sampling(theta=3)).mechanism()
    assert isinstance(search, BinarySearch)
    kinds: People = ((0.5,), (2.5,), (0.5, 1.5, 2.5))
    exact = worst_delta(on_totals(search), bounded(search, kinds, 5 - len(q), neighbours), ONE, FINITE_LEFT_OUT)
    assert exact.high <= budget.delta
    assert exact.low > budget.delta * (Fraction(4, 5) if neighbours == ADDED else Fraction(1, 3))


def test_totals_with_a_looser_bound_are_refused() -> None:
    loose = Bounded(pa.table({"item0": ["a", "b", "c"]}), np.array([5, 5, 5]), WHOLE.sensitivity)
    budget = Cost(ONE, 0 * ONE)
    noisy = (
        hierarchy.noisy("laplace", budget, ONCE, 3, ADDED),
        halving.noisy("laplace", budget, ONCE, 3, (HALF,), ADDED),
    )
    for made in (*noisy, sampled_tree(), sampled_search()):
        with pytest.raises(BadParameter, match="the noise is for"):
            made.run(loose, Fixed(0))


def people_of(total: int, cells: int, chance: np.random.Generator) -> Integers:
    """Random people who have that much at most, as rows; the first ones have all of it in one cell."""
    some = np.array(
        [chance.multinomial(chance.integers(total + 1), chance.dirichlet(np.ones(cells))) for _ in range(40)]
    )
    return np.vstack([total * np.eye(cells, dtype=np.int64), some])


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("cells", "max_items"), [(16, 1), (16, 7), (40, 3), (5, 2)])
def test_the_sensitivity_of_a_tree_is_attained(neighbours: Neighbours, cells: int, max_items: int) -> None:
    """What is paid for is the largest change of all nodes together, over random neighbours; squares, too."""
    bounding, budget = ScaledToSum(max_items, max_items, grid=3), Cost(ONE, Fraction(1, 10**6))
    for kind in KINDS_OF_NOISE:
        tree = hierarchy.noisy(kind, budget, bounding, cells, neighbours)
        everybody = people_of(bounding.sensitivity.total, cells, np.random.default_rng(1))
        nodes = np.array([np.concatenate(tree.shape.totals(person)) for person in everybody])
        change = nodes if neighbours == ADDED else np.vstack([one - other for one, other in combinations(nodes, 2)])
        event = tree.event
        if isinstance(event, Laplace):
            assert np.abs(change).sum(axis=1).max() == event.sensitivity
            assert event.sensitivity / event.scale == budget.epsilon
        else:
            assert isinstance(event, Gaussian)
            assert (change**2).sum(axis=1).max() == event.squared_sensitivity
            assert (change != 0).sum(axis=1).max() <= event.cells
        assert compose.covers(budget, [event])


def answers(search: BinarySearch, q: Fraction, below: Integers, above: Integers) -> Integers:
    """What a search without noise answers if there is so much below a cut, and so much above."""
    one_cut = on_totals(replace(search, cells=2, q=(q,)))
    both = zip(below.ravel().tolist(), above.ravel().tolist(), strict=True)
    return np.array([one_cut(totals, Fixed(0))[2] for totals in both]).reshape(below.shape)


def largest_change(search: BinarySearch, q: Fraction, neighbours: Neighbours) -> int:
    """The most by which neighbours change one answer: over all people within the bound, among all others with up to
    three times as much below a cut, and above."""
    assert isinstance(search.bounding, ScaledToSum)
    max_items = search.bounding.sensitivity.total
    everything = answers(search, q, *np.indices((4 * max_items + 1, 4 * max_items + 1)))
    people = [(below, above) for below, above in product(range(max_items + 1), repeat=2) if below + above <= max_items]
    others = 3 * max_items + 1
    among = [everything[below : below + others, above : above + others] for below, above in people]
    both = product(among, among[:1]) if neighbours == ADDED else combinations(among, 2)
    return max(int(np.abs(one - other).max()) for one, other in both)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("q", [HALF, ONE / 3, 9 * ONE / 10, ONE / 100])
def test_the_sensitivity_of_a_search_is_attained(neighbours: Neighbours, q: Fraction) -> None:
    """What is paid for one answer is the most that changes, and at most one unit more: over everybody with up to six
    units; and with the 1,024 units of a row, over those who have them all below the cut, or all above."""
    few, row = (
        halving.noisy("laplace", Cost(ONE, 0 * ONE), bounding, 2, (q,), neighbours)
        for bounding in (SIX, ScaledToSum(1, largest=1))
    )
    assert 0 <= paid(few) - largest_change(few, q, neighbours) <= 1
    others, nothing = np.arange(200), np.zeros(200, dtype=np.int64)
    alone, below, above = (
        answers(row, q, others + here, nothing + there) for here, there in ((0, 0), (1024, 0), (0, 1024))
    )
    changed = [below - alone, above - alone] if neighbours == ADDED else [below - above]
    assert 0 <= paid(row) - np.abs(changed).max() <= 1


def paid(search: BinarySearch) -> int:
    """The change that the noise is for."""
    assert isinstance(search.event, Laplace)
    assert search.event.sensitivity / search.event.scale == 1
    return int(search.event.sensitivity)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(
    ("how", "delta"),
    [("tree", 0), ("search", 0), ("tree", 1e-6), ("search", 1e-6), ("sample-threshold", 1e-6), ("sample-search", 1e-6)],
)
def test_what_happens_costs_no_more_than_what_was_typed(neighbours: Neighbours, how: Any, delta: float) -> None:
    """As many reports as there are levels or rounds, and all noise within the budget."""
    budget = Cost(ONE, Fraction(str(delta)))
    asked = ordered(how, budget, neighbours, 1000, (ONE / 4, HALF), bound=5)
    made = asked.mechanism()
    assert compose.covers(budget, made.events)
    if asked.sampled:
        (event,) = made.events
        assert isinstance(event, SampleThreshold)
        assert event.items == (20 if how == "sample-search" else 3)
        assert event.neighbours == neighbours
        assert made.bounding == SampledEvents(1)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("mechanism", ["tree", "search"])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_chosen_bound_and_what_follows_are_paid_for(neighbours: Neighbours, mechanism: Any, delta: float) -> None:
    """Whichever bound is chosen: both together cost what was typed."""
    people = pa.table({"user": ["ann"], "value": [1.0]})
    asked: dict[str, Any] = {"neighbours": neighbours, "mechanism": mechanism, "q": HALF, "range": (0, 100)}
    plan = hc.plan("quantiles", people, user="user", value="value", epsilon=1, delta=delta, **asked)
    assert plan.selection is not None
    for bound in (1, 100):
        made = plan.strategy.mechanism(ScaledToSum(bound, bound))
        happening = [*plan.selection.events, *made.events]
        assert compose.covers(plan.cost, happening)
        assert plan.cost.epsilon == 1
        assert plan.cost.delta <= Fraction(str(delta))
        assert delta or not compose.covers(Cost(9 * ONE / 10, 0 * ONE), happening)
