"""Sample-and-threshold: its exact curve against brute force at 50 digits, its composition, and what they allow."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp, log, log1p

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import exp as mp_exp
from mpmath import mpf
from scipy import stats

from headcount.account.calibration import rates
from headcount.account.composition import compose, cost
from headcount.account.curves import losses, sampled, sampling
from headcount.account.events import Neighbours, SampleThreshold, from_json, to_json
from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.exact import Floats, round_down, round_up
from tests.account.reference import number
from tests.effort import examples

BILLIONTH = Fraction(1, 10**9)
MILLIONTH = Fraction(1, 10**6)
CURVES: tuple[tuple[losses.Direction, Callable[[Fraction, int, Fraction], Fraction]], ...] = (
    ("up", sampling.up),
    ("down", sampling.down),
)
BOTH: tuple[Neighbours, ...] = ("add-remove", "replace")


def price(
    rate: object, threshold: int, epsilon: object, items: int = 1, neighbours: Neighbours = "add-remove"
) -> Fraction:
    event = SampleThreshold(Fraction(str(rate)), threshold, items, neighbours, Fraction(str(epsilon)))
    return sampling.delta(event)


# One report


@pytest.mark.parametrize(
    ("rate", "threshold", "epsilon", "delta"),
    [
        (0.1, 5, 0.5, 1.792494635022897e-4),
        (0.3, 8, 0.5, 2.5774846808012853e-3),
        (0.5, 10, 0.3, 2.968491785007934e-2),
        (0.5, 10, 1, 3.359676786372782e-3),
        (0.6, 30, 0.5, 2.28643430310474e-3),
        (0.05, 10, 0.5, 2.101240393137573e-9),
        (0.1, 10, 1, 9.980118660929709e-9),
        (0.2, 20, 1, 2.7681656508162203e-10),
        (0.25, 20, 1, 9.234224142379059e-9),
        (0.01, 12, 0.1, 1.0021145146893244e-11),
        (0.5, 50, 1, 9.752543906486539e-9),
        (0.031606, 20, 1, 1.44119643118e-24),
    ],
)
def test_exact_deltas(rate: float, threshold: int, epsilon: float, delta: float) -> None:
    assert float(price(rate, threshold, epsilon)) == pytest.approx(delta, rel=1e-9)


def test_exact_deltas_of_a_report_that_is_not_there() -> None:
    down = [sampling.down(Fraction(p), t, Fraction(e)) for p, t, e in (("1/2", 10, "0.3"), ("3/5", 30, "1/2"))]
    assert [float(delta) for delta in down] == pytest.approx([2.213189938894756e-3, 1.674514772857816e-8], rel=1e-9)
    assert sampling.down(Fraction(1, 2), 10, Fraction(1)) == 0


def test_a_quarter() -> None:
    """A rate of 1/2 and a threshold of 2, at an epsilon of ln 2: two people, whose coins both fall."""
    assert price(Fraction(1, 2), 2, Fraction(log(2))) == Fraction(1, 4)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.fractions("1/10", "19/20", max_denominator=200),
    st.integers(2, 12),
    st.fractions("1/20", "3", max_denominator=100),
)
def test_no_number_of_people_and_no_test_gains_more_than_the_price(
    rate: Fraction, threshold: int, epsilon: Fraction
) -> None:
    """Over all N and all t: attained, and never exceeded."""
    p, grown = number(rate), mp_exp(number(epsilon))
    up, down = brute_force(p, threshold, grown)
    for found, truth in ((sampling.up, up), (sampling.down, down)):
        ours = number(found(rate, threshold, epsilon))
        assert truth * (1 - mpf(10) ** -40) <= ours + mpf(10) ** -29  # what the reference itself leaves out
        assert ours <= truth * (1 + mpf(10) ** -9) + mpf(10) ** -29


def brute_force(p: mpf, threshold: int, grown: mpf) -> tuple[mpf, mpf]:
    """For each t from N = t - 1 on, by T_{N+1}(t) = T_N(t) + p P_N(t-1), until there is nothing left to gain."""
    up = down = mpf(0)
    for t in range(threshold, threshold + 4):
        n, shown, hidden, last = t - 1, mpf(0), mpf(1), p**t  # the last coin falls, and is the t-th to do so
        while hidden > mpf(10) ** -30:
            up = max(up, shown + last - grown * shown)
            down = max(down, hidden - grown * (hidden - last))
            shown, hidden = shown + last, hidden - last
            n, last = n + 1, last * (1 - p) * (n + 1) / (n + 2 - t)
    return up, down


@settings(max_examples=examples(100), deadline=None)
@given(
    st.fractions("1/100", "99/100", max_denominator=1000),
    st.integers(2, 60),
    st.fractions("1/50", "4", max_denominator=100),
)
def test_the_curve_is_monotone_and_has_its_limits(rate: Fraction, threshold: int, epsilon: Fraction) -> None:
    delta = price(rate, threshold, epsilon)
    assert (sampling.down(rate, threshold, epsilon) == 0) == (rate <= 1 - exp(-epsilon))
    assert rate**threshold <= delta
    assert price(rate, threshold + 1, epsilon) <= delta
    assert price(rate, threshold, epsilon * Fraction(11, 10)) <= delta
    assert price(rate * Fraction(10, 11), threshold, epsilon) <= delta * Fraction(10, 11) * (1 + BILLIONTH)
    assert float(price(rate, threshold, 60)) == pytest.approx(float(rate**threshold), rel=1e-9)


@settings(max_examples=examples(150), deadline=None)
@given(
    st.one_of(st.floats(1e-5, 0.01), st.floats(0.01, 0.995)),
    st.one_of(st.integers(2, 60), st.integers(60, 3000)),
    st.one_of(st.floats(1e-4, 0.01), st.floats(0.01, 8)),
)
@example(0.007457905919762417, 117, 0.006426423312251348)  # where 1 - rate, rounded, is not good enough
def test_the_floating_point_curve_is_an_upper_bound_too(rate: float, threshold: int, epsilon: float) -> None:
    for direction, exact in CURVES:
        truth = exact(Fraction(rate), threshold, Fraction(epsilon))
        near = Fraction(float(losses.curve(rate, threshold, direction, np.array([epsilon]))[0]))
        assert truth <= near
        assert near <= truth * (1 + 10 * BILLIONTH) or truth < Fraction(1, 10**40)


def test_runs_of_the_mechanism_show_its_delta() -> None:
    """9 people against 8, a million times: within 4 standard deviations of what is the most at this rate."""
    rng, runs = np.random.default_rng(1), 10**6
    shown = [np.mean(rng.binomial(people, 0.1, runs) >= 5) for people in (9, 8)]
    deviation = np.sqrt((shown[0] + exp(1) * shown[1]) / runs)
    assert abs(shown[0] - exp(0.5) * shown[1] - float(price(0.1, 5, 0.5))) < 4 * deviation


def test_how_often_an_item_is_omitted_and_how_many_people_are_enough() -> None:
    omitted = [1 - sampling.more_than(1000, Fraction(rate), 19) for rate in ("0.0316060", "0.05")]
    assert [float(chance) for chance in omitted] == pytest.approx([0.01016, 2.88e-7], rel=2e-3)
    assert sampling.more_than(20, Fraction(1, 3), 20) == 0
    assert sampling.more_than(20, Fraction(1, 3), 19) >= Fraction(1, 3) ** 20
    enough = sampling.contacts(10**6, Fraction("0.0372"), BILLIONTH)
    assert enough < 37_200 + 7 * 190
    assert sampling.more_than(10**6, Fraction("0.0372"), enough) <= BILLIONTH
    assert sampling.more_than(10**6, Fraction("0.0372"), enough - 1) > BILLIONTH
    assert sampling.contacts(5, Fraction(1, 2), BILLIONTH) == 5


# Several reports


def distribution(people: int, rate: float, threshold: int) -> Floats:
    """The chances of "not shown", and of the counts from the threshold on: so many as 70 people have."""
    chances = stats.binom.pmf(np.arange(71), people, rate)
    return np.append(chances[:threshold].sum(), chances[threshold:])


def divergence(one: Floats, other: Floats, epsilon: float) -> float:
    return float(np.maximum(0, one - exp(epsilon) * other).sum())


def worst_pair(rate: float, threshold: int, epsilon: float, neighbours: Neighbours) -> float:
    """Two items (one gets a report that the other loses, if replaced): the exact delta over all pairs of N."""
    numbers = range(threshold, 60)
    first = {
        people: (distribution(people, rate, threshold), distribution(people - 1, rate, threshold)) for people in numbers
    }
    second = {n: pair[::-1] if neighbours == "replace" else pair for n, pair in first.items()}
    pairs = combinations_with_replacement(numbers, 2) if neighbours == "add-remove" else np.ndindex(60, 60)
    return max(
        divergence(np.outer(first[n][0], second[m][0]), np.outer(first[n][1], second[m][1]), epsilon)
        for n, m in pairs
        if n in first and m in second
    )


def test_two_items_against_the_exact_product() -> None:
    exact = worst_pair(0.2, 15, 1, "add-remove")
    assert exact == pytest.approx(5.924918e-8, rel=1e-6)
    assert exact <= price(0.2, 15, 1, items=2) <= 1.32 * exact


@pytest.mark.parametrize(
    ("rate", "threshold", "epsilon"), [(0.2, 15, 1), (0.5, 4, 0.7), (0.3, 8, 0.3), (0.4, 3, 1.5), (0.6, 10, 1)]
)
@pytest.mark.parametrize("neighbours", BOTH)
def test_the_composed_price_of_two_changes_is_a_bound_and_not_far(
    rate: float, threshold: int, epsilon: float, neighbours: Neighbours
) -> None:
    exact = worst_pair(rate, threshold, epsilon, neighbours)
    composed = price(rate, threshold, epsilon, items=1 if neighbours == "replace" else 2, neighbours=neighbours)
    assert exact <= composed <= 2 * exact


def test_one_coin_for_all_items_of_a_person_is_not_covered() -> None:
    """What a naive implementation does: both reports are counted, or none."""

    def joint(people: int) -> float:
        others, padded = stats.binom.pmf(np.arange(71), people - 1, 0.2), np.zeros((72, 72))
        padded[:-1, :-1] += 0.8 * np.outer(others, others)
        padded[1:, 1:] += 0.2 * np.outer(others, others)
        shown = np.add.reduceat(np.add.reduceat(padded[:-1, :-1], [0, *range(15, 71)], 0), [0, *range(15, 71)], 1)
        without = distribution(people - 1, 0.2, 15)
        return divergence(shown, np.outer(without, without), 1)

    worst = max(joint(people) for people in range(15, 60))
    assert worst == pytest.approx(1.862248e-7, rel=1e-6)
    assert worst > price(0.2, 15, 1, items=2)


@pytest.mark.parametrize(
    ("rate", "threshold", "items", "people"),
    [(0.2525, 20, 10, 63), (0.387, 50, 10, 121), (0.329, 20, 2, 26)],
)
def test_many_items_with_the_same_number_of_people_cost_no_more(
    rate: float, threshold: int, items: int, people: int
) -> None:
    """Exact but for losses that are rounded down: a lower bound of the truth, at rates where that is about 1e-6."""
    one, other = (stats.binom.pmf(np.arange(people + 1), n, rate) for n in (people, people - 1))
    one, other = (np.append(chances[:threshold].sum(), chances[threshold:]) for chances in (one, other))
    step = 2e-5
    at = np.floor(np.log(one[:-1] / other[:-1]) / step).astype(int)
    chances = np.bincount(at - at.min(), one[:-1])
    sums = np.fft.irfft(np.fft.rfft(chances, 2**22) ** items, 2**22)
    total = step * (items * at.min() + np.arange(sums.size))
    lower = 1 - (1 - one[-1]) ** items + float(sums @ np.maximum(0, 1 - np.exp(np.minimum(0, 1 - total))))
    assert 0.85e-6 < lower < 1e-6
    assert lower < price(rate, threshold, 1, items) < 16 * lower


@pytest.mark.slow(but=["20-composed0-basic0"])
@pytest.mark.parametrize(
    ("threshold", "composed", "basic"),
    [
        (20, [0.317, 0.265, 0.218, 0.171], [0.208, 0.0920, 0.0475, 0.0241]),
        (50, [0.542, 0.442, 0.359, 0.279], [0.401, 0.193, 0.103, 0.053]),
    ],
)
def test_how_much_composition_saves(threshold: int, composed: list[float], basic: list[float]) -> None:
    """2, 5, 10 and 20 levels at a total of (1, 1e-6): the digest's grid was coarser than ours."""
    levels = (2, 5, 10, 20)
    ours = [float(rates.largest_rate(1, MILLIONTH, threshold=threshold, items=items)) for items in levels]
    assert all(low - 5e-4 < p < low * 1.012 for low, p in zip(composed, ours, strict=True))
    apart = [float(rates.largest_rate(Fraction(1, n), MILLIONTH / n, threshold=threshold)) for n in levels]
    assert apart == pytest.approx(basic, abs=5e-4)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.fractions("1/100", "7/10", max_denominator=1000),
    st.integers(2, 40),
    st.integers(1, 30),
    st.fractions("1/20", "4", max_denominator=100),
    st.sampled_from(BOTH),
)
def test_composition_is_monotone_and_no_better_than_one_report(
    rate: Fraction, threshold: int, items: int, epsilon: Fraction, neighbours: Neighbours
) -> None:
    delta = price(rate, threshold, epsilon, items, neighbours)
    assert price(rate, threshold, epsilon) <= delta <= 1
    coarser = delta * Fraction(21, 20) + Fraction(1, 10**25)  # grids differ a little
    assert price(rate, threshold + 1, epsilon, items, neighbours) <= coarser
    assert price(rate, threshold, epsilon * Fraction(6, 5), items, neighbours) <= coarser
    assert price(rate * Fraction(5, 6), threshold, epsilon, items, neighbours) <= coarser
    assert price(rate, threshold, epsilon, max(1, items - 1), neighbours) <= coarser
    assert price(rate, threshold, epsilon, items, "add-remove") <= coarser


@settings(max_examples=examples(40), deadline=None)
@given(
    st.fractions("1/100", "6/10", max_denominator=1000),
    st.integers(2, 40),
    st.fractions("1", "4", max_denominator=100),
)
def test_a_replaced_report_costs_at_most_the_rate_more(rate: Fraction, threshold: int, epsilon: Fraction) -> None:
    """up(epsilon) <= replaced(epsilon) <= up(epsilon + ln(1 - p))."""
    replaced = price(rate, threshold, epsilon, neighbours="replace")
    minimum = round_down(epsilon + Fraction(log1p(-rate)))
    assert sampling.up(rate, threshold, epsilon) <= replaced
    assert replaced <= sampling.up(rate, threshold, minimum) * (1 + MILLIONTH) + Fraction(1, 10**25)


@pytest.mark.parametrize(("rate", "threshold"), [(0.2, 15), (0.5, 3), (0.01, 40), (0.9, 100)])
def test_the_pair_of_one_report_has_all_chances_and_the_exact_curve_on_its_grid(rate: float, threshold: int) -> None:
    for direction, exact in CURVES:
        pair = losses.losses(rate, threshold, direction, step=0.05, reach=4)
        at = pair.at(0.05)
        assert pair.chances.sum() + pair.infinite == pytest.approx(1, abs=1e-12)
        for epsilon in at[(at > 0) & (at < 2)]:
            told = pair.infinite + pair.chances @ np.maximum(0, 1 - np.exp(np.minimum(0, epsilon - at)))
            truth = float(exact(Fraction(rate), threshold, Fraction(epsilon)))
            assert truth * (1 - 1e-9) <= told <= truth * (1 + 1e-7) + 1e-15


def test_the_composition_of_one_report_is_its_exact_price() -> None:
    for rate, threshold, epsilon in ((0.1, 10, 1), (0.5, 10, 0.3), (0.6, 30, 0.5), (0.01, 12, 0.1)):
        exact = price(rate, threshold, epsilon)
        composed = sampled.delta(Fraction(str(rate)), threshold, 1, "add-remove", Fraction(str(epsilon)))
        assert exact <= composed <= exact * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize(
    ("rate", "threshold", "items", "epsilon"),
    [
        ("0.999999999999999999", 2, 3, "1"),
        ("1e-30", 2, 3, "1"),
        ("0.5", 2, 3, "0"),
        ("0.5", 5, 3, "1e-9"),
        ("0.5", 20, 3, "5000"),
        ("0.9", 2000, 40, "0.01"),
        ("0.001", 20, 10**7, "1"),
        ("1e-9", 300, 10, "1"),
    ],
)
@pytest.mark.parametrize("neighbours", BOTH)
def test_extremes_have_a_price(rate: str, threshold: int, items: int, epsilon: str, neighbours: Neighbours) -> None:
    delta = price(rate, threshold, epsilon, items, neighbours)
    assert Fraction(rate) ** threshold <= delta <= 1


# What a budget allows


@pytest.mark.parametrize(
    ("epsilon", "delta", "threshold", "rate"),
    [("1", "1e-6", 15, 0.2704863213), ("1", "1e-8", 20, 0.2514241202), ("0.5", "1e-6", 15, 0.1684035751)],
)
def test_largest_rates_to_ten_digits(epsilon: str, delta: str, threshold: int, rate: float) -> None:
    assert float(rates.largest_rate(epsilon, delta, threshold=threshold)) == pytest.approx(rate, abs=1e-10)


LARGEST = """
0.1 1e-6 5:.0095 10:.0288 15:.0456 20:.0601 30:.0846 50:.1228 100:.189
0.1 1e-8 10:.0155 15:.0275 20:.0385 30:.0574 50:.0879 100:.143
0.5 1e-6 5:.0312 10:.1051 15:.1684 20:.2213 30:.3031 50:.4167 100:.574
0.5 1e-8 10:.0600 15:.1086 20:.1521 30:.2236 50:.3279 100:.484
1.0 1e-6 5:.0486 10:.1720 15:.2705 20:.3500 30:.4601 50:.5950 100:.751
1.0 1e-8 10:.1000 15:.1837 20:.2514 30:.3605 50:.5007 100:.672
2.0 1e-6 5:.0631 10:.2482 15:.3694 20:.4660 30:.5952 50:.7293 100:.850
"""


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("row", LARGEST.strip().splitlines())
def test_largest_rates(row: str) -> None:
    epsilon, delta, *cells = row.split()
    for threshold, rate in (cell.split(":") for cell in cells):
        found = float(rates.largest_rate(epsilon, delta, threshold=int(threshold)))
        assert found == pytest.approx(float(rate), abs=0.56 * 10 ** -(len(rate) - 1))


@pytest.mark.parametrize(("threshold", "delta", "rate"), [(15, "1e-6", 0.2659), (20, "1e-8", 0.2481)])
def test_largest_rates_if_a_report_is_replaced(threshold: int, delta: str, rate: float) -> None:
    found = rates.largest_rate(1, delta, threshold=threshold, neighbours="replace")
    assert float(found) == pytest.approx(rate, abs=1e-4)


@pytest.mark.parametrize(
    ("epsilon", "delta", "thresholds"),
    [
        ("1", "1e-6", [4, 6, 8, 14, 35, 100]),
        ("1", "1e-8", [5, 8, 10, 20, 50, 147]),
        ("0.5", "1e-6", [4, 7, 10, 24, 72, 241]),
    ],
)
def test_least_thresholds(epsilon: str, delta: str, thresholds: list[int]) -> None:
    found = [rates.min_threshold(epsilon, delta, rate=rate) for rate in (0.01, 0.05, 0.1, 0.25, 0.5, 0.75)]
    assert found == thresholds


@pytest.mark.parametrize(
    ("epsilon", "delta", "threshold", "shown"),
    [
        ("0.1", "1e-6", 16, 329),
        ("0.1", "1e-8", 24, 517),
        ("0.5", "1e-6", 16, 89),
        ("0.5", "1e-8", 23, 131),
        ("1", "1e-6", 14, 55.2),
        ("1", "1e-8", 19, 79.1),
        ("2", "1e-6", 12, 40.3),
        ("2", "1e-8", 19, 55.1),
    ],
)
def test_the_best_threshold(epsilon: str, delta: str, threshold: int, shown: float) -> None:
    found = rates.best(epsilon, delta)
    assert found.threshold == threshold
    assert found.threshold / float(found.rate) == pytest.approx(shown, rel=2e-3)
    for other in (2, 5, 8, threshold - 2, threshold - 1, threshold + 1, threshold + 2, 2 * threshold):
        assert other / rates.largest_rate(epsilon, delta, threshold=other) >= found.threshold / found.rate


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta", "items"), [("1", "1e-6", 1), ("0.3", "1e-8", 10), ("2", "1e-5", 100)])
def test_what_is_found_keeps_its_budget_and_a_little_more_does_not(
    epsilon: str, delta: str, items: int, neighbours: Neighbours
) -> None:
    """One less in the threshold, or one percent more in the rate, is seen at once."""
    found = rates.best(epsilon, delta, items=items, neighbours=neighbours)
    within = Fraction(delta)
    assert price(found.rate, found.threshold, epsilon, items, neighbours) <= within
    assert price(found.rate, found.threshold - 1, epsilon, items, neighbours) > within * Fraction(11, 10)
    assert price(found.rate * Fraction(1.01), found.threshold, epsilon, items, neighbours) > within * Fraction(26, 25)
    assert rates.min_threshold(epsilon, delta, rate=found.rate, items=items, neighbours=neighbours) == found.threshold
    assert compose.covers(Cost(Fraction(epsilon), within), [found])
    assert not compose.covers(Cost(Fraction(epsilon), within * Fraction(95, 100)), [found])


@pytest.mark.parametrize(
    ("epsilon", "delta", "threshold", "rate", "real"),
    [("1", "1e-6", 17, 0.0372, 4.0e-20), ("1", "1e-8", 22, 0.0287, 1.2e-27), ("0.1", "1e-6", 17, 0.0056, 5.9e-19)],
)
def test_the_rule_of_the_paper_is_right_and_wasteful(
    epsilon: str, delta: str, threshold: int, rate: float, real: float
) -> None:
    event = rates.paper(epsilon, delta)
    assert event.threshold == threshold
    assert float(event.rate) == pytest.approx(rate, abs=5e-5)
    assert float(sampling.delta(event)) == pytest.approx(real, rel=0.02)
    assert 1 <= price(event.rate, threshold, epsilon, neighbours="replace") / sampling.delta(event) <= 2.4
    ours = rates.best(epsilon, delta)
    assert 7 < (event.threshold / event.rate) / (ours.threshold / ours.rate) < 11


def test_the_rule_of_the_paper_for_several_reports_and_for_others() -> None:
    replaced = rates.paper(1, "1e-6", neighbours="replace")
    assert replaced.rate < rates.paper(1, "1e-6").rate
    spent = -log(1 - replaced.threshold * float(replaced.rate)) - log1p(-replaced.rate)
    assert 0.998 < spent <= 1
    many = rates.paper(2, "1e-6", items=3)
    assert many.threshold == 18
    assert float(many.rate) == pytest.approx((1 - exp(-2 / 3)) / 18, rel=1e-9)
    with pytest.raises(BadParameter, match=r"epsilon=2, items=1: the paper proves .* 1 each\. Fix: epsilon=1, or the"):
        rates.paper(2, "1e-6")


def test_one_level_of_three_by_the_rule_of_the_paper() -> None:
    assert float(rates.paper(1, "1e-6", items=3).rate) == pytest.approx(0.0157, abs=5e-5)


def test_numbers_that_cannot_be_are_refused() -> None:
    for call in (
        lambda: rates.best(1, 0),
        lambda: rates.best(0, "1e-6"),
        lambda: rates.best(1, "1e-6", items=0),
        lambda: rates.best(1, "1e-6", neighbours="none"),  # type: ignore[arg-type]
        lambda: rates.largest_rate(1, 1, threshold=10),
        lambda: rates.largest_rate(1, "1e-6", threshold=1),
        lambda: rates.largest_rate("0.001", "1e-30", threshold=2),
        lambda: rates.min_threshold(1, "1e-6", rate=1),
        lambda: rates.min_threshold("1e-9", "1e-6", rate="0.99"),
        lambda: price(0, 5, 1),
        lambda: price(1, 5, 1),
        lambda: price(0.1, 1, 1),
    ):
        with pytest.raises(BadParameter, match="Fix: "):
            call()


# As an event


def test_the_event_survives_a_ledger_and_has_its_price() -> None:
    event = SampleThreshold(Fraction("0.1"), 10, 1, "add-remove", Fraction(1))
    text = (
        '[{"epsilon":"1","event":"sample-threshold","items":1,"neighbours":"add-remove","rate":"0.1","threshold":10}]'
    )
    assert to_json([event]) == text
    assert from_json(text) == (event,)
    assert cost.native(event) == Cost(Fraction(1), round_up(sampling.delta(event)))
    assert cost.concentrated(event).rho == Fraction(1, 2)
    both = compose.tightest([event, event], MILLIONTH)
    assert both.epsilon <= 2


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("items", [1, 2, 1000, 10**5])
@pytest.mark.parametrize(
    ("rate", "threshold", "epsilon"),
    [("0.9", 2, 100), ("0.999999999", 2, 20), ("0.999999999", 2, 100), ("1e-9", 2, 100), ("0.5", 5000, 50)],
)
def test_numbers_beyond_reason_have_no_price_that_is_too_low(
    rate: str, threshold: int, epsilon: int, items: int, neighbours: Neighbours
) -> None:
    """All of a report's people may be in the sample, which has a chance of rate^threshold at the least; without one of
    them it has none. One of several is enough."""
    p = Fraction(rate)
    price = sampled.delta(p, threshold, items, neighbours, Fraction(epsilon))
    assert price >= 1 - (1 - p**threshold) ** min(items, 20)
    assert price >= max(sampling.up(p, threshold, Fraction(epsilon)), sampling.down(p, threshold, Fraction(epsilon)))


def test_no_setting_of_the_caller_makes_a_price_an_error() -> None:
    with np.errstate(all="raise"):
        assert sampled.delta(Fraction(23, 100), 14, 2, "add-remove", Fraction(1)) > 0
