"""What comes out of a shuffler: its exact delta against brute force on the definition, and the fewest messages."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.account.composition import compose, cost
from headcount.account.curves import shuffling
from headcount.account.curves.shuffling import best, least_noise, messages
from headcount.account.events import Neighbours, ShuffledLaplace, from_json, to_json
from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.exact import Floats
from tests.effort import examples

MILLIONTH = Fraction(1, 10**6)
BOTH: tuple[Neighbours, ...] = ("add-remove", "replace")


def event(
    scale: object, shape: object, spread: object, epsilon: object, neighbours: Neighbours = "add-remove"
) -> ShuffledLaplace:
    first, second, third, last = (Fraction(str(number)) for number in (scale, shape, spread, epsilon))
    return ShuffledLaplace(first, second, third, neighbours, last)


# The definition: what is seen of a bucket of h people, and the best test between two laws


def view(happened: ShuffledLaplace, h: int, size: int, part: float = 1) -> Floats:
    """The chances of (U, V) below `size`, if this part of all shares is there."""
    p, q = exp(-1 / happened.scale), exp(-1 / happened.spread)
    noise = stats.nbinom.pmf(np.arange(size), part, 1 - p)
    pairs = stats.nbinom.pmf(np.arange(size), part * float(happened.shape), 1 - q)
    seen = np.zeros((size, size))
    for z, chance in enumerate(pairs[: size - h]):
        seen[h + z :, z:] += chance * np.outer(noise[: size - h - z], noise[: size - z])
    return seen


def gain(one: Floats, other: Floats, epsilon: Fraction) -> float:
    return float(np.maximum(0, one - exp(epsilon) * other).sum())


def worst(happened: ShuffledLaplace, size: int, part: float = 1) -> float:
    """The exact delta of one bucket, both ways."""
    without, with_them = (view(happened, h, size, part) for h in (2, 3))
    return max(gain(without, with_them, happened.epsilon), gain(with_them, without, happened.epsilon))


def replaced(happened: ShuffledLaplace, size: int) -> float:
    """The exact delta of two buckets, of which one gains the person that the other loses."""
    fewer, more = (view(happened, h, size).ravel() for h in (0, 1))
    return gain(np.outer(more, fewer), np.outer(fewer, more), happened.epsilon)


def test_the_vector_of_the_digest() -> None:
    happened = event("5/4", 6, 2, 1)
    assert float(shuffling.delta(happened)) == pytest.approx(0.029009146100270, rel=1e-13)
    assert worst(happened, 150) == pytest.approx(0.029009146100270, rel=1e-12)


def test_sums_are_counts_with_discrete_laplace_noise() -> None:
    """U - V, whatever the pairs are."""
    p, seen = exp(-0.8), view(event("5/4", 3, 1, 1), 2, 120)
    for k in range(-8, 9):
        assert np.trace(seen, offset=-2 - k) == pytest.approx((1 - p) / (1 + p) * p ** abs(k), rel=1e-9)


small = (
    st.fractions("1/4", "3", max_denominator=20),
    st.fractions("1", "6", max_denominator=20),
    st.fractions("1/5", "3/2", max_denominator=20),
    st.fractions("0", "2", max_denominator=20),
)


@settings(max_examples=examples(40), deadline=None)
@given(*small)
def test_the_price_is_that_of_the_best_test(scale: Fraction, shape: Fraction, spread: Fraction, more: Fraction) -> None:
    """Attained, and never exceeded; the other direction gains nothing."""
    happened = event(scale, shape, spread, 1 / scale + more)
    exact = worst(happened, 160)
    assert exact * (1 - 1e-9) <= float(shuffling.delta(happened)) <= exact * (1 + 1e-9) + 1e-13
    assert gain(view(happened, 3, 160), view(happened, 2, 160), happened.epsilon) < 1e-13


@settings(max_examples=examples(25), deadline=None)
@given(
    st.fractions("1/3", "1", max_denominator=20),
    st.fractions("1", "5", max_denominator=20),
    st.fractions("1/5", "1/2", max_denominator=20),
    st.fractions("0", "2", max_denominator=20),
)
def test_the_price_of_a_replaced_person_bounds_that_of_both_buckets(
    scale: Fraction, shape: Fraction, spread: Fraction, more: Fraction
) -> None:
    """Never exceeded, near, and below that of one bucket at what the other leaves."""
    happened = event(scale, shape, spread, 2 / scale + more, "replace")
    exact, price = replaced(happened, 45), float(shuffling.delta(happened))
    alone = shuffling.delta(event(scale, shape, spread, 1), happened.epsilon - 1 / scale)
    assert exact * (1 - 1e-7) - 1e-9 <= price <= 1.25 * exact + 1e-9
    assert price <= float(alone) * (1 + 1e-12)


def convolved(happened: ShuffledLaplace, size: int) -> float:
    """The exact delta of both buckets by their losses: the factor of the first one moves that of the second."""
    p, x = exp(-1 / happened.scale), exp(happened.epsilon)
    w = stats.nbinom.pmf(np.arange(size), float(happened.shape), 1 - exp(-1 / happened.spread))
    a = np.zeros(size)
    for index in range(size):
        a[index] = w[index] + (p * p * a[index - 1] if index else 0)
    before = np.append(0, a[:-1])

    def up(factor: float) -> float:
        return float((1 - p) * np.maximum(0, a - factor * p * before).sum())

    chances = (1 - p) * p * before[1:]
    return float(up(x * p) / (1 + p) + chances @ [up(x * ratio) for ratio in a[1:] / (p * before[1:])])


@pytest.mark.parametrize(("epsilon", "share"), [(1, "0.6"), (1, "0.8"), (1, "0.9"), (3, "0.8"), ("0.5", "0.7")])
def test_where_delta_is_small_the_price_of_a_replaced_person_is_exact_to_a_percent(epsilon: object, share: str) -> None:
    happened = best(Fraction(str(epsilon)), MILLIONTH, neighbours="replace", share=share)
    exact = convolved(happened, 900)
    assert exact * (1 - 1e-9) <= float(shuffling.delta(happened)) <= 1.01 * exact


def test_pairs_are_needed() -> None:
    """With hardly any, whoever sees U = h knows that the person is not there: a chance of 1 - p."""
    assert float(shuffling.delta(event("5/4", 1, "1/50", 1))) == pytest.approx(1 - exp(-0.8), rel=1e-12)


@pytest.mark.parametrize(("part", "delta"), [(1, 1.0e-6), (0.95, 6.6e-6), (0.9, 5.8e-5), (0.8, 6.4e-3)])
def test_why_the_part_of_honest_people_matters(part: float, delta: float) -> None:
    """A round that counts on everybody, and fewer answer."""
    assert worst(event("5/4", "17.85", str(-1 / log(0.8992)), 1), 330, part) == pytest.approx(delta, rel=0.05)


def test_more_shares_than_are_counted_on_cost_less() -> None:
    happened = event("5/4", 6, 2, 1)
    assert worst(happened, 150, 1.3) < 0.6 * worst(happened, 150, 1.1) < 0.6 * worst(happened, 150)


@settings(max_examples=examples(60), deadline=None)
@given(*small, st.sampled_from(BOTH))
def test_more_pairs_and_more_epsilon_never_cost_more(
    scale: Fraction, shape: Fraction, spread: Fraction, more: Fraction, neighbours: Neighbours
) -> None:
    happened = event(scale, shape, spread, 2 / scale + more, neighbours)
    delta, nearly = shuffling.delta(happened), 1 + Fraction(1, 10**30)
    assert 0 < delta <= 1
    for quieter in (
        event(scale, shape * Fraction(11, 10), spread, happened.epsilon, neighbours),
        event(scale, shape, spread * Fraction(11, 10), happened.epsilon, neighbours),
        event(scale, shape, spread, happened.epsilon * Fraction(11, 10), neighbours),
    ):
        assert shuffling.delta(quieter) <= delta * nearly
    assert shuffling.delta(event(scale, shape, spread, happened.epsilon)) <= delta * nearly


def test_below_the_epsilon_of_the_noise_alone_there_is_no_price() -> None:
    assert shuffling.delta(event("5/4", 600, 2, "0.79")) == 1
    assert shuffling.delta(event("5/4", 600, 2, "0.8")) < Fraction(1, 100)
    assert shuffling.delta(event("5/4", 600, 2, "1.59", "replace")) == 1
    assert shuffling.delta(event("5/4", 600, 2, "1.6", "replace")) < Fraction(1, 100)
    assert shuffling.delta(event(1000, 10**5, 1000, "0.001")) == 1  # millions of terms


# The fewest messages


def pairs(happened: ShuffledLaplace) -> float:
    return (messages(happened) - 2 / (exp(1 / happened.scale) - 1)) / 2


@pytest.mark.parametrize(
    ("neighbours", "share", "digest", "ours"),
    [
        ("add-remove", "0.5", 65.1, 64.9),
        ("add-remove", "0.7", 108.2, 108.1),
        ("add-remove", "0.8", 159, 158.8),
        ("add-remove", "0.9", 299.4, 299.3),
        ("add-remove", "0.95", 554, 553.6),
        ("replace", "0.6", 79.8, 74.8),
        ("replace", "0.8", 155.8, 146.4),
        ("replace", "0.9", 293.4, 275.2),
    ],
)
def test_the_digests_table_and_what_both_buckets_save(
    neighbours: Neighbours, share: str, digest: float, ours: float
) -> None:
    found = best(1, MILLIONTH, neighbours=neighbours, share=share)
    assert 0.997 * ours < pairs(found) < 1.003 * ours
    assert ours <= digest
    literature = 3 * (1 + log(10**6)) / (exp(0.2 * (1 - float(share))) - 1)  # r q / (1 - q), q = e^-.2(eps - eps0)
    assert neighbours == "replace" or literature > 6 * pairs(found)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(
    ("epsilon", "delta", "share"),
    [("1", "1e-6", "0.8"), ("0.1", "1e-8", "0.5"), ("8", "1e-6", "0.8"), ("1", "0.1", "0.9"), ("2", "1e-30", "0.8")],
)
def test_what_is_found_keeps_its_budget_and_a_little_less_does_not(
    epsilon: str, delta: str, share: str, neighbours: Neighbours
) -> None:
    found = best(epsilon, delta, neighbours=neighbours, share=share)
    paid, within = Cost(Fraction(epsilon), Fraction(delta)), Fraction(delta)
    assert found.scale == (2 if neighbours == "replace" else 1) / (Fraction(share) * Fraction(epsilon))
    assert compose.covers(paid, [found])
    fewer = ShuffledLaplace(found.scale, found.shape * Fraction(99, 100), found.spread, neighbours, found.epsilon)
    assert shuffling.delta(fewer) > within
    assert shuffling.delta(found) > within * Fraction(9, 10)


def test_no_other_scale_of_the_pairs_takes_far_fewer() -> None:
    found = best(1, MILLIONTH)
    for factor in ("0.5", "0.7", "0.9", "1.1", "1.4", "2"):
        spread = found.spread * Fraction(factor)
        shape = found.shape
        while shuffling.delta(event(found.scale, shape, spread, 1)) > MILLIONTH:
            shape *= Fraction(1005, 1000)
        while shuffling.delta(event(found.scale, shape / Fraction(1005, 1000), spread, 1)) <= MILLIONTH:
            shape /= Fraction(1005, 1000)
        assert pairs(event(found.scale, shape, spread, 1)) > 0.998 * pairs(found)


def test_fewer_messages_cost_noise() -> None:
    found = [least_noise(1, MILLIONTH, most=most) for most in (110, 200, 400, 1000, 10**6)]
    scales = [float(happened.scale) for happened in found if happened]
    assert scales == sorted(scales, reverse=True)
    assert len(set(scales)) == 5
    for happened, most in zip(found, (110, 200, 400, 1000, 10**6), strict=True):
        assert happened is not None
        assert messages(happened) <= most
        assert shuffling.delta(happened) <= MILLIONTH
    assert least_noise(1, MILLIONTH, most=60) is None
    assert least_noise("0.02", MILLIONTH, most=9000) is not None  # the largest shares leave too little of epsilon


def test_messages_are_counted_as_they_are_drawn() -> None:
    happened = event("5/4", 20, 8, 1)
    p, q = exp(-0.8), exp(-1 / 8)
    assert messages(happened) == pytest.approx(2 * p / (1 - p) + 2 * 20 * q / (1 - q))
    assert sqrt(2 * p) / (1 - p) == pytest.approx(1.7215, rel=1e-4)


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": 0},
        {"epsilon": "0.004"},
        {"epsilon": "0.006", "delta": "1e-30"},
        {"epsilon": "much"},
        {"delta": 0},
        {"delta": 1},
        {"delta": "1e-31"},
        {"share": 0},
        {"share": 1},
        {"neighbours": "none"},
    ],
)
def test_what_cannot_be_asked_for(asked: dict[str, object]) -> None:
    with pytest.raises(BadParameter, match="Fix:"):
        best(**{"epsilon": 1, "delta": "1e-6", **asked})  # type: ignore[arg-type]


def test_the_event_is_kept_by_ledgers() -> None:
    happened = event("5/4", "20.58", "8.21", 1, "replace")
    text = to_json([happened])
    assert text == (
        '[{"epsilon":"1","event":"shuffled-laplace","neighbours":"replace","scale":"1.25","shape":"20.58","spread":"8.21"}]'
    )
    assert from_json(text) == (happened,)
    assert cost.native(happened) == Cost(Fraction(1), Fraction(1))
    for scale, shape, spread in ((0, 20, 8), ("5/4", "0.9", 8), ("5/4", 20, 0)):
        with pytest.raises(BadParameter):
            event(scale, shape, spread, 1)
