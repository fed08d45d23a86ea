"""The enumerator itself: on mechanisms whose delta is known, it must find exactly that."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from headcount import noise
from headcount.account.events import Neighbours
from headcount.audit import Delta, Laws, Outcomes, delta, outcomes, worst_delta
from headcount.audit.choices import Enumerated, Fixed, Path, Replayed, Undecided, explore
from headcount.audit.neighbours import datasets, pairs
from headcount.errors import BadParameter
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace

LN2 = Fraction(69314718056, 10**11)
HALF = Fraction(1, 2)


def response(bit: int, entropy: Entropy) -> int:
    """Randomised response: the truth with probability 2/3."""
    return bit if noise.bernoulli("2/3", 1, entropy)[0] else 1 - bit


def test_the_law_of_randomised_response() -> None:
    distribution = outcomes(lambda entropy: response(1, entropy))
    assert distribution.chances == {1: Fraction(2, 3), 0: Fraction(1, 3)} or distribution.undecided < Fraction(
        1, 2**180
    )
    assert distribution.chances[1] == pytest.approx(Fraction(2, 3), rel=1e-50)


def test_randomised_response_is_exactly_ln_2_private() -> None:
    both = [(0, 1)]
    assert worst_delta(response, both, LN2).high < Fraction(1, 10**10)
    assert worst_delta(response, both, LN2 - Fraction(1, 100)).low > Fraction(1, 1000)


def test_each_law_is_enumerated_once_and_prices_as_before() -> None:
    ran: list[int] = []

    def counted(bit: int, entropy: Entropy) -> int:
        ran.append(bit)
        return response(bit, entropy)

    distributions = Laws(counted)
    first, runs = distributions.worst_delta([(0, 1)], LN2), len(ran)
    second = distributions.worst_delta([(1, 0)], 0)
    assert len(ran) == runs
    assert (first, second) == (worst_delta(response, [(0, 1)], LN2), worst_delta(response, [(1, 0)], 0))
    assert second.low > first.high


def test_delta_is_taken_in_each_direction() -> None:
    one = Outcomes({"a": HALF, "b": HALF}, Fraction(0))
    other = Outcomes({"a": Fraction(1)}, Fraction(0))
    assert delta(one, other, Fraction(0)).low == HALF
    assert delta(one, other, Fraction(50)).low == HALF
    assert delta(other, one, Fraction(1)).high == 0
    assert worst_delta(lambda data, entropy: data, [("x", "x")], Fraction(0)).high == 0


def test_undecided_mass_counts_against_the_mechanism() -> None:
    half_known, known = Outcomes({"a": HALF}, HALF), Outcomes({"a": Fraction(1)}, Fraction(0))
    assert delta(half_known, known, Fraction(0)) == Delta(Fraction(0), HALF)
    assert delta(known, half_known, Fraction(0)) == Delta(Fraction(0), HALF)


def test_what_is_undecided_widens_the_interval() -> None:
    """The true delta of a Laplace count at half its epsilon lies in the interval, however coarse."""

    def count(people: int, entropy: Entropy) -> int:
        return people + int(noise.discrete_laplace(1, 1, entropy)[0])

    # P(Z >= 0) - e^(1/2) P(Z >= 1) for q = 1/e
    q = np.exp(-1.0)
    truth = (1 - np.exp(0.5) * q) / (1 + q)
    for left_out in (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**6)):
        found = worst_delta(count, [(0, 1)], HALF, left_out)
        assert found.low <= truth <= found.high
        assert found.high - found.low <= 3 * left_out


def test_exceptions_and_the_order_of_keys_are_outputs() -> None:
    def leaks(data: str, entropy: Entropy) -> dict[str, int]:
        if data.startswith("raises"):
            raise KeyError(data)
        return {"a": 1, "b": 1} if data == "ab" else {"b": 1, "a": 1}

    for one, other in product(["raises", "raises other", "ab", "ba"], repeat=2):
        assert worst_delta(leaks, [(one, other)], Fraction(5)).low == (one != other)


def test_chance_from_elsewhere_is_refused() -> None:
    with pytest.raises(BadParameter, match="there is chance that is not enumerated"):
        worst_delta(lambda data, entropy: int(noise.discrete_laplace(10**9, 1)[0]), [(0, 1)], 1)
    with pytest.raises(BadParameter, match="an infinite law leaves something out"):
        worst_delta(response, [(0, 1)], 1, Fraction(0))


def test_every_path_is_walked_once_and_weights_sum_to_one() -> None:
    def three_coins(path: Path) -> tuple[int, ...]:
        return tuple(noise.bernoulli("1/4", 3, Enumerated(path, Fraction(1, 2**100))).tolist())

    found = [(result, weight) for result, weight in explore(three_coins) if not isinstance(result, Undecided)]
    assert sorted(result for result, _ in found) == sorted(product([0, 1], repeat=3))
    assert float(sum(weight for _, weight in found)) == pytest.approx(1)
    assert float(dict(found)[1, 1, 1]) == pytest.approx(1 / 64)


def test_a_path_can_be_replayed_and_a_result_fixed() -> None:
    distribution = DiscreteLaplace(Fraction(3))
    assert Replayed([0, 1, 2, 5]).draw(distribution, 4).tolist() == [0, 1, -1, 3]
    with pytest.raises(Undecided):
        Replayed([0]).draw(distribution, 2)
    assert Fixed(7).draw(distribution, 3).tolist() == [7, 7, 7]


def test_a_secret_of_the_system_is_never_the_same() -> None:
    assert noise.SystemEntropy().secret() != noise.SystemEntropy().secret()


def test_all_small_datasets_and_their_neighbours() -> None:
    kinds = ["x", "y"]
    assert list(datasets(kinds, 2)) == [(), ("x",), ("y",), ("x", "x"), ("x", "y"), ("y", "y")]
    assert set(pairs(kinds, 2, "add-remove")) == {
        (("x",), ()),
        (("y",), ()),
        (("x", "x"), ("x",)),
        (("x", "y"), ("x",)),
        (("y", "x"), ("y",)),
        (("y", "y"), ("y",)),
    }
    assert set(pairs(kinds, 2, "replace")) == {(("x",), ("y",)), (("x", "x"), ("x", "y")), (("y", "x"), ("y", "y"))}
    both: list[Neighbours] = ["add-remove", "replace"]
    for neighbours in both:
        for one, other in pairs(["x", "y", "z"], 3, neighbours):
            assert len(one) - len(other) == (neighbours == "add-remove")
