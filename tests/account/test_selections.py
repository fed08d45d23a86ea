"""Many choices of which one person changes a few: their price, and how much noise a budget buys."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.account import Cost
from headcount.account.calibration import calibrate
from headcount.account.composition import compose, cost, pld
from headcount.account.curves import zcdp
from headcount.account.events import Gaussian, Selection, Selections, from_json, to_json
from headcount.account.guarantee import Concentrated
from headcount.errors import BadParameter
from tests.effort import examples

MILLIONTH = Fraction(1, 10**6)
ONE = Fraction(1)


def test_prices() -> None:
    many = Selections(Fraction(1, 10), 12)
    assert cost.native(many) == Cost(Fraction(12, 10), Fraction(0))
    assert cost.concentrated(many) == Concentrated(Fraction(12, 800), Fraction(0))
    assert cost.zcdp([many]) == cost.zcdp([Selection(Fraction(1, 10))] * 12)
    assert cost.native(Selections(Fraction(1, 3), 1)) == cost.native(Selection(Fraction(1, 3)))
    assert compose.tightest([many], MILLIONTH).epsilon <= min(
        cost.basic([many], MILLIONTH), cost.zcdp([many]).epsilon(MILLIONTH), pld.epsilon([many], MILLIONTH)
    )


def test_the_text_never_changes() -> None:
    text = '[{"count":12,"epsilon":"0.1","event":"selections"}]'
    assert to_json([Selections(Fraction(1, 10), 12)]) == text
    assert from_json(text) == (Selections(Fraction(1, 10), 12),)


@pytest.mark.parametrize("wrong", [{"count": 0}, {"count": True}, {"epsilon": Fraction(-1)}, {"epsilon": 0.1}])
def test_what_cannot_have_happened_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadParameter, match="Fix: "):
        Selections(**{"epsilon": ONE, "count": 3, **wrong})  # type: ignore[arg-type]


def test_known_budgets() -> None:
    """Rho and mu at (1, 1e-6)."""
    assert float(zcdp.rho(ONE, MILLIONTH)) == pytest.approx(0.02435597036, abs=6e-12)
    assert 1 / float(calibrate.analytic_sigma(ONE, MILLIONTH)) == pytest.approx(0.23670438066, abs=6e-12)
    hundred, noise = calibrate.selections(1, "1e-6", 100)
    assert float(hundred.epsilon) == pytest.approx((8 * 0.02435597036 / 100) ** 0.5, rel=1e-9)
    assert noise == []


BESIDE = st.lists(
    st.builds(
        lambda share, cells: (Fraction(share, 100), Fraction(cells), cells), st.integers(1, 40), st.integers(1, 300)
    ),
    max_size=2,
)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.fractions("1/100", "8", max_denominator=100),
    st.integers(1, 12).map(lambda digits: Fraction(1, 10**digits)),
    st.integers(1, 3000),
    BESIDE,
)
def test_what_is_bought_is_paid_for_and_nearly_all_is_spent(
    epsilon: Fraction, delta: Fraction, count: int, beside: list[tuple[Fraction, Fraction, int]]
) -> None:
    choices, noise = calibrate.selections(epsilon, delta, count, beside)
    assert compose.covers(Cost(epsilon, delta), [choices, *noise])
    assert [(part.squared_sensitivity, part.cells) for part in noise] == [
        (squared, cells) for _, squared, cells in beside
    ]
    louder = Selections(choices.epsilon * Fraction(1001, 1000), count)
    assert cost.zcdp([louder, *noise]).rho > zcdp.rho(epsilon, delta)
    assert beside or cost.native(louder).epsilon > epsilon or choices.epsilon * count < epsilon


@pytest.mark.parametrize("count", [1, 2, 100])
def test_without_a_delta_choices_add_up(count: int) -> None:
    choices, noise = calibrate.selections("0.7", 0, count)
    assert noise == []
    assert compose.covers(Cost(Fraction(7, 10), Fraction(0)), [choices])
    assert choices.epsilon * count > Fraction(7, 10) * (1 - Fraction(1, 10**11))


def test_few_choices_are_better_off_adding_up() -> None:
    assert calibrate.selections(1, "1e-6", 2)[0] == Selections(Fraction(1, 2), 2)
    assert calibrate.selections(1, "1e-6", 20)[0].epsilon > Fraction(1, 20)


def test_shares_are_those_of_rho() -> None:
    choices, (people, present) = calibrate.selections(
        1, "1e-6", 50, [(Fraction(1, 20), ONE, 1), (Fraction(2, 5), Fraction(50), 50)]
    )
    rho = zcdp.rho(ONE, MILLIONTH)
    prices = [cost.concentrated(event).rho / rho for event in (choices, people, present)]
    assert [float(price) for price in prices] == pytest.approx([0.55, 0.05, 0.4], rel=1e-9)
    assert isinstance(people, Gaussian)


def test_impossible_budgets_are_refused() -> None:
    with pytest.raises(BadParameter, match=r"delta=0: the count of people has Gaussian noise\. Fix: delta=1e-6"):
        calibrate.selections(1, 0, 10, [(Fraction(1, 20), ONE, 1)])
    for wrong in ((0, "1e-6", 10), (1, 2, 10), (1, -1, 10), (1, "1e-6", 0)):
        with pytest.raises(BadParameter, match="Fix: "):
            calibrate.selections(*wrong)
