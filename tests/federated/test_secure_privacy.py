"""What a secure sum lets out: the exact law of the noise of those who are counted on, its delta, and what a server
receives."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, reduce
from importlib.util import find_spec
from itertools import pairwise, product
from math import exp, log

import numpy as np
import pytest
from scipy import stats

from headcount.account.composition.cost import native
from headcount.account.curves import gaussian
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.audit.choices import Enumerated, Undecided, explore
from headcount.federated import SecureAnalyst, SecureClient, SecureRound
from headcount.federated.listed.gaussian import GaussianShares, log_ratio
from headcount.federated.listed.laplace import LaplaceShares
from headcount.federated.secure import SumMasked
from headcount.federated.secure.masks import pair_mask
from headcount.federated.secure.vectors import centred, from_text, residues, to_text
from headcount.federated.transport import SecureMemoryTransport, collect_sum
from headcount.noise import SystemEntropy
from tests.federated.people import ID, NoNoise
from tests.federated.sums import Sum, terms, ticket

needs_cryptography = pytest.mark.skipif(find_spec("cryptography") is None, reason="needs headcount[secure]")
FALSE_ALARM = 1e-9
LEFT_OUT = Fraction(1, 10**7)
Seen = tuple[int, ...]
KEYS = ("a", "b")


def tiny(
    noise: str, spread: str, *, people: int = 4, minimum: int = 4, honest: str = "3/4", unit: int = 1, items: int = 1
) -> SecureRound:
    """A round of a few people, of whom three are counted on, and the noise of two priced; what it promises is not
    looked at."""
    places = ID, "Which?", KEYS[:items], items, people, minimum, Fraction(honest), noise, Fraction(spread), unit, 16
    return SecureRound(*places, 4, 2, "add-remove", Fraction(1), Fraction("0.01"))  # type: ignore[arg-type]


@cache
def law_of(asked: SecureRound, items: tuple[str, ...]) -> dict[Seen, float]:
    """The law of what one client adds to the sum, from below: every draw of the real client is enumerated."""
    chances: dict[Seen, Fraction] = defaultdict(Fraction)

    def run(path: object) -> Seen:
        client = SecureClient(items, key=bytes(32), entropy=Enumerated(path, LEFT_OUT))  # type: ignore[arg-type]
        return tuple(client._numbers(asked, client._counts(asked)).tolist())

    for seen, weight in explore(run):
        if not isinstance(seen, Undecided):
            chances[seen] += weight
    return {seen: float(chance) for seen, chance in chances.items()}


def together(laws: Iterable[Mapping[Seen, float]]) -> dict[Seen, float]:
    """The law of the sum of independent vectors."""
    return reduce(_added, laws, {(): 1.0})


def _added(one: Mapping[Seen, float], other: Mapping[Seen, float]) -> dict[Seen, float]:
    chances: dict[Seen, float] = defaultdict(float)
    for (first, weight), (second, more) in product(one.items(), other.items()):
        chances[tuple(map(int.__add__, first, second)) if first else second] += weight * more
    return chances


def delta_of(one: Mapping[Seen, float], other: Mapping[Seen, float], epsilon: float) -> float:
    """The delta at epsilon, from one to the other, of laws from below."""
    return sum(max(0.0, chance - exp(epsilon) * other.get(seen, 0.0)) for seen, chance in one.items())


def sums(asked: SecureRound, people: Sequence[tuple[str, ...]]) -> dict[Seen, float]:
    return together(law_of(asked, items) for items in people)


# the exact law


@pytest.mark.parametrize("scale", ["1/2", "1"])
def test_laplace_shares_of_those_who_are_counted_on_are_discrete_laplace(scale: str) -> None:
    asked = tiny("laplace", scale)
    found, q = sums(asked, [(), ()]), exp(-1 / Fraction(scale))
    assert sum(found.values()) > 1 - 1e-5
    for (k,), chance in found.items():
        assert chance == pytest.approx((1 - q) / (1 + q) * q ** abs(k), abs=2e-6)


@pytest.mark.parametrize(("honest", "answering"), [("3/4", 2), ("1", 3)])
def test_delta_is_that_of_the_people_who_are_counted_on(honest: str, answering: int) -> None:
    """For one of them, who subtracts their own share, so that the noise of all others is left: no delta at epsilon, and
    some below. With one person fewer the promise is broken: that is what is assumed of people."""
    asked = tiny("laplace", "1", honest=honest)
    assert (asked.needed, asked.priced) == (answering + 1, answering)
    with_item, without = [("a",)] + [()] * (answering - 1), [()] * answering
    one, other = sums(asked, with_item), sums(asked, without)
    for first, second in ((one, other), (other, one)):
        assert delta_of(first, second, 1.0) < 1e-5
        assert delta_of(first, second, 0.9) > 0.02
    fewer = sums(asked, with_item[:-1]), sums(asked, without[:-1])
    assert delta_of(*fewer, 1.0) > 0.05


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_two_items_of_a_person_cost_twice(neighbours: Neighbours) -> None:
    """Two places are independent: the law of both is the product. Epsilon 1 needs a scale of 2."""
    one_place = {k: law_at(k) for k in range(-80, 81)}
    changes = (1, 1) if neighbours == "add-remove" else (1, -1)
    found = 0.0
    for (a, first), (b, second) in product(one_place.items(), one_place.items()):
        found += max(0.0, first * second - exp(1) * law_at(a - changes[0]) * law_at(b - changes[1]))
    assert found < 1e-9
    asked = replace(tiny("laplace", "2", items=2), neighbours=neighbours)
    assert asked.change.total == 2
    event = asked.shares.event(asked.change)
    assert native(event).epsilon == 1


def law_at(k: int, scale: float = 2.0) -> float:
    q = exp(-1 / scale)
    return (1 - q) / (1 + q) * float(q ** abs(k))


def test_gaussian_shares_add_up_to_nearly_a_discrete_gaussian() -> None:
    """The ratio of the law of two real shares and of the discrete Gaussian of the sum: within the bound, which is not
    loose by more than a factor of 3 where it can be seen."""
    for variance in ("1/2", "1"):
        asked = tiny("gaussian", variance)
        found = sums(asked, [(), ()])
        total = sum(exp(-k * k / (4 * float(Fraction(variance)))) for k in range(-60, 61))
        ideal = {(k,): exp(-k * k / (4 * float(Fraction(variance)))) / total for k in range(-60, 61)}
        away = max(abs(log(found[k] / chance)) for k, chance in ideal.items() if chance > 0.01)
        bound = float(log_ratio(Fraction(variance), 2, 1))
        assert away <= bound + 1e-4  # of the draws, some are left out
        if variance == "1/2":
            assert away > bound / 3


@pytest.mark.parametrize("variance", ["1/2", "3/5"])
def test_what_is_charged_for_the_difference_holds_at_every_epsilon(variance: str) -> None:
    """The delta of neighbours with the sum of two shares is at most h + slack (1 - h), h that with ideal noise."""
    asked = tiny("gaussian", variance)
    v, slack = float(Fraction(variance)), float(asked.shares.slack(1))
    found = sums(asked, [(), ()])
    total = sum(exp(-k * k / (4 * v)) for k in range(-60, 61))
    ideal: dict[Seen, float] = {(k,): exp(-k * k / (4 * v)) / total for k in range(-60, 61)}
    for one, other in ((found, moved(found)), (moved(found), found)):
        for epsilon in (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0):
            h = delta_of(ideal, moved(ideal), epsilon)
            assert delta_of(one, other, epsilon) <= h + slack * (1 - h) + 1e-5
    assert 0 < slack < 0.1


def moved(law: Mapping[Seen, float]) -> dict[Seen, float]:
    return {(k + 1,): chance for (k,), chance in law.items()}


def test_the_distance_is_negligible_at_the_least_share() -> None:
    assert GaussianShares(Fraction(8), 1, 10**6).slack(2**16) < Fraction(1, 10**22)
    assert log_ratio(Fraction(1, 10), 10, 10) == 1
    assert log_ratio(Fraction(1), 10, 10) > log_ratio(Fraction(2), 10, 10)


def test_a_gaussian_round_keeps_its_promise_and_hardly_more() -> None:
    """The exact delta of two places with the law of the sum, at the noise that was calibrated."""
    asked = SecureAnalyst().publish(
        "Which?", keys=[f"{n}" for n in range(30)], people=20, epsilon=1, delta="1e-3", items=12, honest="0.9"
    )
    assert asked.noise == "gaussian"
    event = asked.shares.event(asked.change)
    assert isinstance(event, Gaussian)
    assert event.variance == asked.priced * asked.spread
    assert asked.priced == asked.needed - 1
    assert event.squared_sensitivity == 12 * asked.unit**2
    own = gaussian.discrete_delta(Fraction(1), [event])
    assert Fraction("0.99e-3") < own + asked.slack <= asked.delta


# planted wrongs: each costs what the price says it must not


def test_noise_that_a_counted_person_forgets_is_found() -> None:
    """The noise of two is priced, and one sends none: as if one fewer answered."""
    asked = tiny("laplace", "1")
    silent: dict[Seen, float] = {(0,): 1.0}
    item: dict[Seen, float] = {(1,): 1.0}
    other = law_of(asked, ())
    assert delta_of(together([item, other]), together([silent, other]), 1.0) > 0.05


def test_shares_for_all_instead_of_for_those_who_are_counted_on_are_found() -> None:
    """Shares of 1/3, where the noise of two is priced: too small by the dropout factor."""
    asked = tiny("laplace", "1")
    small = replace(asked, honest=Fraction(1))
    assert (asked.priced, small.priced) == (2, 3)
    one, other = sums(small, [("a",), ()]), sums(small, [(), ()])
    assert delta_of(one, other, 1.0) > 0.02


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_bits_hold_everybody_and_their_noise(kind: str) -> None:
    """Everybody's items and noise stay inside; with two bits fewer, the items alone would wrap."""
    people, length = 1000, 1000
    shares = LaplaceShares(Fraction(5), 1, 810) if kind == "laplace" else GaussianShares(Fraction(30), 8, 810)
    bits = shares.bits(people, length)
    highest = people * shares.unit + shares.reach(people, length)
    assert highest < 2 ** (bits - 1)
    assert people * shares.unit >= 2 ** (bits - 3)
    deviation = shares.deviation(people) * shares.unit
    assert 7 * deviation < shares.reach(people, length) < 60 * deviation
    terms = replace(tiny("laplace", "1"), bits=bits).terms
    assert centred(residues(np.array([highest, -highest, 0]), terms), terms).tolist() == [highest, -highest, 0]


def test_a_round_whose_modulus_is_too_small_does_not_hold() -> None:
    asked = SecureAnalyst().publish("Which?", keys=KEYS, people=20, epsilon=1)
    assert asked.holds
    assert not replace(asked, bits=asked.bits - 1).holds
    assert not replace(asked, spread=asked.spread * Fraction(9, 10)).holds
    assert not replace(asked, epsilon=asked.epsilon * Fraction(9, 10)).holds
    assert not replace(asked, threshold=2, honest=Fraction(1, 2)).holds
    assert not replace(asked, neighbours="replace").holds
    assert not replace(asked, items=2).holds


# the law in shares, at real sizes


@pytest.mark.parametrize("size", [0.9, 1.0, 1.1])
def test_the_noise_of_a_thousand_people_is_the_one_that_is_stated(size: float) -> None:
    """Sums of 300 shares in 20,000 places: accepted, and rejected if the scale is 10% off."""
    shares = LaplaceShares(Fraction(3), 1, 300)
    entropy = SystemEntropy()
    total = sum((shares.draw(20_000, entropy) for _ in range(300)), np.zeros(20_000, dtype=np.int64))
    q = exp(-1 / (3 * size))
    edges = np.arange(-12, 13)
    weights = (1 - q) / (1 + q) * q ** np.abs(edges)
    inside = np.array([np.count_nonzero(total == k) for k in edges])
    seen = np.append(inside, len(total) - inside.sum())
    expected = np.append(weights, 1 - weights.sum()) * len(total)
    accepted = stats.chisquare(seen, expected).pvalue > FALSE_ALARM
    assert accepted == (size == 1.0)


@pytest.mark.parametrize("answered", [810, 900, 1000])
def test_widths_hold_nineteen_of_twenty(answered: int) -> None:
    laplace, normal = LaplaceShares(Fraction(4), 1, 810), GaussianShares(Fraction(20), 4, 810)
    assert normal.width(answered) == pytest.approx(1.96 * 4 * normal.deviation(answered), rel=0.01)
    generator = np.random.default_rng(1)
    one, other = (generator.negative_binomial(answered / 810, 1 - exp(-1 / 4), 400_000) for _ in range(2))
    away = np.abs(one - other)
    assert np.mean(away <= laplace.width(answered)) > 0.947
    assert np.mean(away <= laplace.width(answered) - 1) < 0.953
    assert np.std(one - other) == pytest.approx(laplace.deviation(answered), rel=0.02)


def test_the_table_of_a_quantile_grows_with_the_root_of_the_answers() -> None:
    """A thousand times the noise that is priced, of the largest scale: its law is nearly normal."""
    shares = LaplaceShares(Fraction(2500), 1, 2)
    assert shares.width(2000) == pytest.approx(1.96 * shares.deviation(2000), rel=0.01)


def test_a_share_alone_hides_nothing_and_the_event_is_of_all() -> None:
    asked = SecureAnalyst().publish("Which?", keys=KEYS, people=1000, epsilon=1)
    assert asked.events[-1] == Laplace(Fraction(1), Fraction(1))
    draws = asked.shares.draw(10_000, SystemEntropy())
    assert np.mean(draws == 0) > 0.99


# what the server receives


class Recorder(SecureMemoryTransport):
    """Keeps all texts that the server receives."""

    def __init__(self, clients: Sequence[SecureClient]) -> None:
        super().__init__(clients)
        self.texts: list[str] = []

    def join(self, round_: SecureRound) -> Iterator[str]:
        yield from self._kept(super().join(round_))

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        yield from self._kept(super().exchange(messages))

    def _kept(self, texts: Iterable[str]) -> Iterator[str]:
        for text in texts:
            self.texts.append(text)
            yield text


@needs_cryptography
@pytest.mark.parametrize("items", [[], ["song 3"], [f"song {n}" for n in range(2000)]], ids=len)
def test_the_server_receives_uniform_numbers_whatever_a_person_has(items: list[str]) -> None:
    """All that a server receives, of neighbours, with fixed noise: every masked vector passes a chi-square as uniform,
    alone and less any other, and no plain one is among the texts."""
    keys = [f"song {n}" for n in range(2000)]
    asked = SecureAnalyst().publish("Which?", keys=keys, people=6, epsilon=1, delta=0, honest=1, minimum=5)
    clients = [SecureClient(each, entropy=NoNoise()) for each in (items, *[["song 3"]] * 5)]
    recorder = Recorder(clients)
    total = collect_sum(asked, recorder, entropy=NoNoise())
    assert total.sums[3] in (5, 6)
    vectors = [SumMasked.from_json(text).vector for text in recorder.texts if '"sum-masked"' in text]
    found = [from_text(text, asked.terms) for text in vectors]
    low = [each % np.uint64(256) for each in found if each is not None]
    assert len(low) == 6
    rows = [*low, *((one - other) % np.uint64(256) for one, other in pairwise(low))]
    for row in rows:
        assert stats.chisquare(np.bincount(row.astype(np.int64), minlength=256)).pvalue > FALSE_ALARM
    plain = {
        to_text(residues(client._numbers(asked, client._counts(asked)), asked.terms), asked.terms) for client in clients
    }
    assert not any(text in sent for text in plain for sent in recorder.texts)


@needs_cryptography
def test_a_vector_that_comes_late_stays_hidden_under_its_own_mask() -> None:
    """The server has restored the masks with partners of somebody whose vector then comes: the second mask hides it."""
    length = 2000
    sum_ = Sum(terms(6, length=length, bits=8, minimum=5), [np.ones(length, dtype=np.int64)] * 6)
    replies = sum_.step(sum_.begin())
    late = ticket(5)
    message = sum_.clients[late].answer(replies[late])
    keys, numbers = sum_.clients[late]._mask_keys, sum_.server._numbers
    replies = sum_.step(replies, {5})
    assert isinstance(message, SumMasked)
    vector = from_text(message.vector, sum_.terms)
    assert vector is not None
    for name, number in numbers.items():
        if name != late:
            public = sum_.server._received[0][name].mask
            vector = vector - pair_mask(keys, numbers[late], public, number, sum_.terms)
    left = (vector % np.uint64(256)).astype(np.int64)
    assert stats.chisquare(np.bincount(left, minlength=256)).pvalue > FALSE_ALARM
