"""What a seized state and the end tell together, exactly: all noise of the real counter on tiny streams.

The largest ratio of chances between streams that differ by one event, wherever it stands and whenever the state is
seized, is e^epsilon and not more. Wrong counters are found out. So are things that nobody must do with a right one: see
two states, or two ends after a seizure.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from headcount.account.events import Neighbours
from headcount.audit import Laws, Outcomes, audit
from headcount.exact import Integers, ball, ends, precision
from headcount.noise import Entropy, NoiseDistribution, SystemEntropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.stream import Counter
from headcount.stream import state as states
from headcount.stream.state import Settings, pack

Events = tuple[str, ...]
Stream = tuple[Events, Events]
"""The events before the seizure, and those after it."""
View = Callable[[Stream, Entropy], Any]

ITEMS = ("a", "b")
BOTH: list[Neighbours] = ["add-remove", "replace"]
EPSILON = {"add-remove": Fraction(7, 10), "replace": Fraction(7, 5)}
"""The same noise for both."""
NONE, UP_TO_1, UP_TO_2 = Fraction(7, 10), Fraction(2, 5), Fraction(1, 5)
"""What is left out of each law if only noise of 0, or up to 1, or up to 2, is enumerated. One event moves it by 1."""
NEARLY = Fraction(1, 10**40)
"""What weights are rounded by."""


def counted(neighbours: Neighbours, entropy: Entropy, kind: type[Counter] = Counter, **more: Any) -> Counter:
    asked = more or {"domain": list(ITEMS)}
    return kind(**asked, epsilon=EPSILON[neighbours], neighbours=neighbours, entropy=entropy)


def seized_and_told(neighbours: Neighbours, kind: type[Counter] = Counter) -> View:
    """The state after the first events, and all that the counter holds at the end: its shape follows from that."""

    def view(stream: Stream, entropy: Entropy) -> tuple[bytes, bytes]:
        counter = counted(neighbours, entropy, kind)
        counter.add(list(stream[0]))
        seized = counter.state()
        counter.add(list(stream[1]))
        counter.close()
        return seized, counter.state()

    return view


def split(events: Events) -> Iterator[Stream]:
    """Seized at every moment."""
    return ((events[:index], events[index:]) for index in range(len(events) + 1))


def streams(neighbours: Neighbours) -> Iterator[tuple[Stream, Stream]]:
    """All pairs of up to two events that differ by one: at every place, before the seizure or after it."""
    for one in (stream for many in (1, 2) for events in product(ITEMS, repeat=many) for stream in split(events)):
        for side in (0, 1):
            for index in range(len(one[side])):
                for event in [()] if neighbours == "add-remove" else [("b",)] * (one[side][index] == "a"):
                    other = list(one)
                    other[side] = (*one[side][:index], *event, *one[side][index + 1 :])
                    yield one, (other[0], other[1])


def one_event(neighbours: Neighbours) -> list[tuple[Stream, Stream]]:
    """An "a" before the seizure, or after it; or none, or a "b"."""
    other = () if neighbours == "add-remove" else ("b",)
    return [((("a",), ()), (other, ())), (((), ("a",)), ((), other))]


def factor(epsilon: Fraction) -> Fraction:
    with precision(192):
        return ends(ball(epsilon).exp())[1]


def ratio(some: Outcomes, other: Outcomes) -> Fraction | None:
    """The largest ratio of chances: of likely outputs on one stream to the same on the other. None if one of them is
    never seen there: then there is no bound."""
    if not some.chances.keys() <= other.chances.keys():
        return None
    return max(chance / other.chances[seen] for seen, chance in some.chances.items())


def worst(
    view: View, pairs: list[tuple[Stream, Stream]], here: Fraction = NONE, there: Fraction = UP_TO_1
) -> Fraction | None:
    """The largest ratio over all pairs, both ways; None if there is no bound."""
    some, more = Laws(view, here), Laws(view, there)
    found = [ratio(some.of(a), more.of(b)) for pair in pairs for a, b in (pair, pair[::-1])]
    bounded = [each for each in found if each is not None]
    return max(bounded) if len(bounded) == len(found) else None


def is_exactly(found: Fraction | None, epsilon: Fraction) -> bool:
    return found is not None and abs(found / factor(epsilon) - 1) < NEARLY


def is_beyond(found: Fraction | None, epsilon: Fraction) -> bool:
    return found is None or found > factor(epsilon) * (1 + Fraction(1, 1000))


def test_all_pairs_are_there() -> None:
    assert len(list(streams("add-remove"))) == 2 * 2 + 4 * 3 * 2
    assert len(list(streams("replace"))) == 2 + 4 * 3
    assert ((("a",), ("b",)), (("a",), ())) in list(streams("add-remove"))
    assert ((("a",), ("b", "a")[:1]), (("b",), ("b",))) in list(streams("replace"))


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_seized_state_and_the_end_together(neighbours: Neighbours) -> None:
    """Every place of the event, every moment of the seizure: epsilon, and no less."""
    assert is_exactly(worst(seized_and_told(neighbours), list(streams(neighbours))), EPSILON[neighbours])


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("before", [True, False])
def test_each_noise_protects_one_side(before: bool, neighbours: Neighbours) -> None:
    """Epsilon is attained by an event before the seizure, and by one after it."""
    pair = one_event(neighbours)[0 if before else 1]
    assert is_exactly(worst(seized_and_told(neighbours), [pair], UP_TO_1, UP_TO_2), EPSILON[neighbours])


def test_the_end_alone() -> None:
    def view(stream: Stream, entropy: Entropy) -> bytes:
        counter = counted("add-remove", entropy, domain=["a"])
        counter.add([*stream[0], *stream[1]])
        counter.close()
        return counter.state()

    exact = Laws(view, Fraction(1, 10**4)).worst_delta(one_event("add-remove")[:1], EPSILON["add-remove"])
    assert exact.high < Fraction(1, 10**3)


class Keyed(Entropy):
    """Another entropy, with a secret that is known: under it, "a" and "b" are in two buckets of two."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        return self._entropy.draw(distribution, size)

    def secret(self) -> bytes:
        return b"1"


@pytest.mark.parametrize("neighbours", BOTH)
def test_buckets_and_a_restart(neighbours: Neighbours) -> None:
    """The same with buckets instead of a list, and a counter that is loaded again after the seizure."""

    def view(stream: Stream, entropy: Entropy) -> tuple[bytes, bytes]:
        counter = counted(neighbours, Keyed(entropy), buckets=2)
        counter.add(list(stream[0]))
        seized = counter.state()
        counter = Counter.load(seized, entropy=entropy)
        counter.add(list(stream[1]))
        counter.close()
        return seized, Counter.load(counter.state()).state()

    assert is_exactly(worst(view, one_event(neighbours)), EPSILON[neighbours])


# Wrong counters.


class NoFreshNoise(Counter):
    """The end is the last state."""

    def close(self) -> None:
        self._state = replace(self._state, closed=True)


class Exact(Counter):
    """Beside the noisy counts it keeps the exact ones."""

    def add(self, items: Any) -> None:
        self.exact = getattr(self, "exact", np.zeros(2, np.int64))
        super().add(items)
        for item in items:
            self.exact[ITEMS.index(item)] += 1


class DrawnAgain(Exact):
    """The end is made of the exact counts and new noise: an event before the seizure is seen twice."""

    def close(self) -> None:
        fresh = self._entropy.draw(self.settings.distribution, 2)
        self._state = replace(self._state, counts=self.exact + fresh, closed=True)


class DrawnAtLoad(Exact):
    """Noise is not saved but drawn again when the state is loaded: what is saved has none."""

    def state(self) -> bytes:
        return pack(replace(self._state, counts=self._state.counts if self.closed else self.exact))


class KeepsTheNumber(Exact):
    """The state tells how many events there were."""

    def state(self) -> bytes:
        return super().state() + int(self.exact.sum()).to_bytes(8, "big")


class KeepsTheLast(Exact):
    """The state tells the last item."""

    def add(self, items: Any) -> None:
        super().add(items)
        self.last = items[-1:] or getattr(self, "last", [])

    def state(self) -> bytes:
        return super().state() + "".join(self.last).encode()


WRONG = [NoFreshNoise, DrawnAgain, DrawnAtLoad, KeepsTheLast]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("kind", "neighbours"), [*product(WRONG, BOTH), (KeepsTheNumber, "add-remove")], ids=lambda each: str(each)[-20:]
)
def test_wrong_counters_are_found_out(kind: type[Counter], neighbours: Neighbours) -> None:
    assert is_beyond(worst(seized_and_told(neighbours, kind), one_event(neighbours)), EPSILON[neighbours])


@pytest.mark.parametrize("neighbours", BOTH)
def test_a_scale_that_is_a_tenth_too_small_is_found_out(
    neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Settings.distribution.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Settings, "distribution", property(lambda kept: DiscreteLaplace(right(kept).scale * 10 / 11)))
    found = worst(seized_and_told(neighbours), one_event(neighbours))
    assert is_exactly(found, EPSILON[neighbours] * 11 / 10)


def test_noise_for_an_added_event_where_one_is_replaced_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(states.SENSITIVITY, "replace", 1)
    found = worst(seized_and_told("replace"), one_event("replace"), NONE, UP_TO_2)
    assert is_exactly(found, 2 * EPSILON["replace"])


# What must not be done with a right counter.


def test_two_states_tell_what_happened_in_between() -> None:
    def view(stream: Stream, entropy: Entropy) -> tuple[bytes, bytes]:
        counter = counted("add-remove", entropy)
        counter.add(list(stream[0]))
        backup = counter.state()
        counter.add(list(stream[1]))
        return backup, counter.state()

    assert worst(view, one_event("add-remove")) is None


def test_two_ends_after_a_seizure_cost_twice() -> None:
    """A state that is loaded twice: an event after the seizure has the fresh noise alone, and that was drawn twice."""

    def view(stream: Stream, entropy: Entropy) -> tuple[bytes, ...]:
        counter = counted("add-remove", entropy, domain=["a"])
        counter.add(list(stream[0]))
        seized = counter.state()
        counter.add(list(stream[1]))
        copies = [Counter.load(counter.state(), entropy=entropy) for _ in range(2)]
        for copy in copies:
            copy.close()
        return seized, *(copy.state() for copy in copies)

    assert is_exactly(worst(view, [(((), ("a",)), ((), ()))]), 2 * EPSILON["add-remove"])


def test_the_end_is_drawn_once() -> None:
    counter = Counter(buckets=100, epsilon=1)
    counter.close()
    told = counter.state()
    counter.close()
    again = Counter.load(told)
    again.close()
    assert counter.state() == told == again.state()


# The same, without looking inside.


def seen(kind: type[Counter], neighbours: Neighbours) -> Callable[[Stream], list[int]]:
    """The noisy count of "a" in the seized state, and by how much it is larger at the end."""

    def run(stream: Stream) -> list[int]:
        both = seized_and_told(neighbours, kind)(stream, SystemEntropy())
        seized, told = (int(np.frombuffer(state[-48:-32], "<i8")[0]) for state in both)
        return [seized, told - seized]

    return run


@pytest.mark.slow(but=["replace-1"])
@pytest.mark.parametrize(("neighbours", "index"), [("add-remove", 0), ("replace", 1)])
def test_an_audit_of_the_counter(neighbours: Neighbours, index: int) -> None:
    """It does not contradict epsilon, and sees that there is some."""
    left, right = one_event(neighbours)[index]
    found = audit(seen(Counter, neighbours), left, right, epsilon=EPSILON[neighbours], runs=1600)
    assert not found.flagged
    assert found.epsilon > 0


@pytest.mark.parametrize(("kind", "index"), [(NoFreshNoise, 1), (DrawnAtLoad, 0)])
def test_an_audit_of_wrong_counters(kind: type[Counter], index: int) -> None:
    left, right = one_event("add-remove")[index]
    found = audit(seen(kind, "add-remove"), left, right, epsilon=EPSILON["add-remove"], runs=800)
    assert found.flagged
