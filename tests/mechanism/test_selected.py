"""Binomials that are chosen for items: what is paid for, by every draw on tiny tables; how good they are; and that
nothing after the noise fails."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from headcount.account import Cost
from headcount.account.composition import compose, cost
from headcount.account.curves import zcdp
from headcount.account.events import Gaussian, Neighbours, Selections
from headcount.audit import Laws
from headcount.audit.choices import Fixed
from headcount.audit.neighbours import pairs
from headcount.bound import SampledEvents
from headcount.bound.boundings.draws import BoundedDraws, ExactDraws
from headcount.errors import BadParameter
from headcount.estimate.distribution import binomial
from headcount.estimate.distribution.simplex import simplex
from headcount.exact import Floats, Integers
from headcount.mechanism.distribution import selected
from headcount.mechanism.distribution.selected import Method, NoisySelected, Selected, calibrated, shares
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy

BOTH: list[Neighbours] = ["add-remove", "replace"]
METHODS: list[Method] = ["ks", "hypothesis-selection", "sparse"]
BUDGET = Cost(Fraction(1), Fraction(1, 10**6))
ONE = Fraction(1)
Person = tuple[int, ...]
"""How often somebody has each item."""
Run = Callable[[tuple[Person, ...], Entropy], object]


def table(counts: Integers, max_total: int) -> BoundedDraws:
    """Of everybody who has exactly so many samples. `counts` has the shape (people, items)."""
    enough = counts[counts.sum(axis=1) == max_total]
    who, indices = np.nonzero(enough)
    starts = np.append(0, np.cumsum(np.bincount(who, minlength=len(enough))))
    keys = pa.table({"item0": pa.array(np.arange(counts.shape[1]))})
    bounded = ExactDraws(max_total).sensitivity
    return BoundedDraws(keys, enough.sum(axis=0), bounded, starts, indices, enough[who, indices])


def zipf(cells: int) -> Floats:
    weights = 1 / np.arange(1, cells + 1)
    return np.asarray(weights / weights.sum())


def drawn(people: int, max_total: int, shares: Floats, seed: int = 1) -> BoundedDraws:
    return table(np.random.default_rng(seed).multinomial(max_total, shares, people), max_total)


def on_people(mechanism: Selected, cells: int) -> Run:
    """Everything that is seen."""

    def run(people: tuple[Person, ...], entropy: Entropy) -> object:
        counts = np.array(people, dtype=np.int64).reshape(len(people), cells)
        noisy = mechanism.run(table(counts, mechanism.bounding.max_total), entropy)
        presence = None if noisy.presence is None else noisy.presence.tolist()
        return noisy.values.tolist(), noisy.people, presence

    return run


KINDS: dict[int, list[Person]] = {1: [(1, 0), (0, 1), (0, 0)], 2: [(2, 0), (1, 1), (0, 2), (1, 0)]}
"""Of two items; who has fewer samples is left out."""


@pytest.fixture
def _few_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binomial, "MIN_GRID", 4)
    monkeypatch.setattr(binomial, "MAX_GRID", 4)


@pytest.mark.slow(one_in=3)
@pytest.mark.usefixtures("_few_shares")
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("score", ["ks", "scheffe"])
@pytest.mark.parametrize("max_total", [1, 2])
def test_choices_are_pure_and_all_is_used(neighbours: Neighbours, score: str, max_total: int) -> None:
    """With a public number of people, every draw: delta is 0 at the sum of all that one person changes. That is for
    scores which rise by 1 in one place and fall by 1 in another; at a quarter of it delta is well above 0."""
    method: Method = "ks" if score == "ks" else "hypothesis-selection"
    made = calibrated(Cost(Fraction(4), Fraction(0)), ExactDraws(max_total), neighbours, 2, method, 3)
    assert made.event == Selections(
        Fraction(4) / made.event.count, min(2, max_total * (2 if neighbours == "replace" else 1))
    )
    distributions, everybody = (
        Laws(on_people(made, 2), Fraction(1, 10**9)),
        list(pairs(KINDS[max_total], 3, neighbours)),
    )
    assert distributions.worst_delta(everybody, 4).high < Fraction(1, 10**6)
    assert distributions.worst_delta(everybody, 1).low > Fraction(1, 100)


@pytest.mark.slow(one_in=3)
@pytest.mark.usefixtures("_few_shares")
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("method", METHODS)
def test_everything_that_is_counted(neighbours: Neighbours, method: Method) -> None:
    """People, or presence, with noise, and choices (which depend on how many people there seem to be): no more than the
    price of all of it."""
    public, left_out = (3, Fraction(1, 10)) if method == "sparse" else (None, Fraction(1, 10**4))
    made = calibrated(Cost(Fraction(3), Fraction(1, 10)), ExactDraws(1), neighbours, 2, method, public)
    crowd: tuple[Person, ...] = ((1, 0), (0, 1))
    people = [(crowd + one, crowd + other) for one, other in pairs(KINDS[1], 1, neighbours)]
    distributions = Laws(on_people(made, 2), left_out)
    for epsilon in (Fraction(1, 2), Fraction(3, 2), Fraction(3)):
        exact = distributions.worst_delta(people, epsilon)
        assert exact.low <= zcdp.delta(cost.zcdp(made.events).rho, epsilon)
    if method != "sparse":
        assert exact.high <= Fraction(1, 10)
        assert distributions.worst_delta(people, Fraction(1, 2)).low > Fraction(1, 1000)


@pytest.mark.usefixtures("_few_shares")
def test_too_few_choices_that_are_paid_for_would_be_seen() -> None:
    """A replaced person changes two sets of weights, not one: the paper's min(k, m) is too little."""
    made = calibrated(Cost(Fraction(4), Fraction(0)), ExactDraws(1), "add-remove", 2, "ks", 3)
    distributions, everybody = Laws(on_people(made, 2), Fraction(1, 10**9)), list(pairs(KINDS[1], 3, "replace"))
    assert made.event.count == 1
    assert distributions.worst_delta(everybody, 4).low > Fraction(1, 1000)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("people", [None, 500])
@pytest.mark.parametrize(("cells", "max_total"), [(1, 1), (3, 2), (1000, 10), (50, 400)])
def test_what_happens_costs_no_more_than_what_was_typed(
    neighbours: Neighbours, method: Method, people: int | None, cells: int, max_total: int
) -> None:
    made = calibrated(BUDGET, ExactDraws(max_total), neighbours, cells, method, people)
    changed = min(cells, max_total * (2 if neighbours == "replace" else 1))
    assert compose.covers(BUDGET, made.events)
    assert made.event.count == changed
    noises = [(int(event.squared_sensitivity), event.cells) for event in made.events if isinstance(event, Gaussian)]
    assert noises == [(1, 1)] * (people is None) + [(changed, changed)] * (method == "sparse")
    assert len(made.distributions) == len(noises)
    assert all(isinstance(line, str) for line in [*made.explain("word"), made.interval_meaning])


@pytest.mark.parametrize(("method", "neighbours", "people"), [("ks", "replace", 2000), ("ks", "add-remove", None)])
def test_fits_are_as_good_as_they_should_be(method: Method, neighbours: Neighbours, people: int | None) -> None:
    """100 items, 2,000 people of 100 samples, (1, 1e-6): an l1 error of about 0.055 on average, of which samples make
    0.014; with noise on every total it would be 0.1 (Laplace) or 0.2 (Gaussian). Over 5 runs the mean has a deviation
    of 0.002."""
    made = calibrated(BUDGET, ExactDraws(100), neighbours, 100, method, people)
    errors = []
    for seed in range(5):
        noisy = made.run(drawn(2000, 100, zipf(100), seed), SystemEntropy())
        errors.append(float(np.abs(simplex(shares(noisy, made)[0]) - zipf(100)).sum()))
    assert 0.03 < np.mean(errors) < 0.08


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("method", "people"), [("ks", 20_000), ("hypothesis-selection", 20_000), ("sparse", 20_000), ("ks", 2000)]
)
def test_deviations_are_honest(method: Method, people: int) -> None:
    """How far off what was chosen is from the samples' own shares, in deviations that are told: about 1. Over 200
    choices its mean square is off by 0.16 on average, as tails are those of Laplace noise."""
    made, squares = calibrated(BUDGET, ExactDraws(100), "add-remove", 100, method, None), []
    for seed in range(2):
        bounded = drawn(people, 100, zipf(100), seed)
        found, off = shares(made.run(bounded, SystemEntropy()), made)
        squares.append(((found - bounded.totals / bounded.totals.sum()) / off) ** 2)
    assert 0.2 < np.mean(squares) < 2.5


def test_rare_items_are_told_by_presence() -> None:
    """And others by what was chosen."""
    made = calibrated(BUDGET, ExactDraws(50), "replace", 3, "sparse", 10_000)
    noisy = NoisySelected(pa.table({"item0": [0, 1, 2]}), np.array([0, 3, 900]), 10_000, np.array([3935, -50, 9_000]))
    found, off = shares(noisy, made)
    assert found[0] == pytest.approx(1 - (1 - 0.3935) ** (1 / 50))
    assert found[1] == 0
    assert found[2] == made.grid(10_000)[900]
    assert (off > 0).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [-(10**15), -3, 0, 7, 10**15])
@pytest.mark.parametrize("people", [0, 1, 20])
def test_nothing_after_the_noise_fails(method: Method, value: int, people: int) -> None:
    made = calibrated(BUDGET, ExactDraws(3), "add-remove", 4, method, None)
    counts = np.random.default_rng(2).multinomial(3, np.full(4, 0.25), people)
    noisy = made.run(table(counts, 3), Fixed(value))
    found, off = shares(noisy, made)
    assert noisy.people >= 0
    for numbers in (found, off):
        assert np.isfinite(numbers).all()
        assert ((numbers >= 0) & (numbers <= 2)).all()


@pytest.mark.parametrize("method", METHODS)
def test_nobody_is_left(method: Method) -> None:
    """All weights are alike, and anything may be chosen."""
    made = calibrated(BUDGET, ExactDraws(5), "add-remove", 6, method, None)
    for counts in (np.zeros((0, 6), dtype=np.int64), np.ones((9, 6), dtype=np.int64)):
        noisy = made.run(table(counts, 5), SystemEntropy())
        assert len(noisy.values) == 6
        assert all(np.isfinite(part).all() for part in shares(noisy, made))
    silent = replace(made, people=0)
    assert silent.run(table(np.zeros((0, 6), dtype=np.int64), 5), SystemEntropy()).people == 0


def test_items_are_scored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same scores, however many items are looked at together; a place for each item, in order."""
    bounded = drawn(300, 8, zipf(13))
    made = calibrated(BUDGET, ExactDraws(8), "add-remove", 13, "ks", 300)
    whole = np.concatenate([scores for _, scores in made._scores(bounded, 300)])
    monkeypatch.setattr(selected, "CHUNK_SIZE", 1000)
    parts = list(made._scores(bounded, 300))
    assert len(parts) == 3
    assert np.array_equal(np.concatenate([scores for _, scores in parts]), whole)
    assert np.array_equal(np.concatenate([np.arange(13)[items] for items, _ in parts]), np.arange(13))


class Counting(SystemEntropy):
    """Remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self.asked[type(distribution).__name__] += size
        return super().draw(distribution, size)


def test_draws_are_as_many_as_items_whatever_people_have() -> None:
    made = calibrated(BUDGET, ExactDraws(4), "add-remove", 9, "sparse", None)
    for people in (0, 50):
        entropy = Counting()
        made.run(drawn(people, 4, zipf(9)), entropy)
        assert entropy.asked == {"ByScore": 9, "DiscreteGaussian": 10}


def test_what_cannot_be_is_refused_beforehand() -> None:
    pure = Cost(ONE, Fraction(0))
    many = partial(calibrated, BUDGET, ExactDraws(1000), "replace")
    with pytest.raises(BadParameter, match=r"100,000 items and 1,000 samples .* Fix: bound=671, or mechanism"):
        many(100_000, "ks", None)
    with pytest.raises(BadParameter, match=r"delta=0: how many people there are .* Fix: delta=1e-6, or people=1000"):
        calibrated(pure, ExactDraws(3), "replace", 9, "ks", None)
    with pytest.raises(BadParameter, match=r'delta=0: how many people have each .* Fix: delta=1e-6, or mechanism="ks"'):
        calibrated(pure, ExactDraws(3), "replace", 9, "sparse", 100)
    with pytest.raises(BadParameter, match=r"too small to choose anything by\. Fix: epsilon=1"):
        calibrated(Cost(Fraction(1, 10**9), Fraction(0)), ExactDraws(3), "replace", 9, "ks", 100)
    made = many(10, "ks", 100)
    loose = replace(table(np.zeros((0, 2), dtype=np.int64), 1), sensitivity=SampledEvents(2000).sensitivity)
    with pytest.raises(BadParameter, match="the noise is for"):
        made.run(loose, SystemEntropy())


def test_it_is_told_in_words() -> None:
    made = calibrated(BUDGET, ExactDraws(100), "add-remove", 1000, "sparse", None)
    counted, chosen, present = made.explain("word")
    assert counted == (
        "headcount first counts the people with enough samples, with discrete Gaussian noise with a standard deviation "
        "of 20.8."
    )
    assert "one person changes at most 100 of these draws" in chosen
    assert "to the number of people who have each word at all." in present
