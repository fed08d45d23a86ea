"""A counter as a user meets it: what it counts, what it refuses, what it says, and that it ends once."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headcount as hc
from headcount.account.composition.cost import native
from headcount.account.guarantee import Cost
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, HeadcountError
from headcount.release import Shape
from headcount.stream import Counter, Refused
from headcount.stream.state import unpack

FRUITS = ["apple", "pear", "quince"]
SECRET = "Mrs Robinson"
BAD_ITEMS = (
    "{}: a list of items of one kind is needed: text, whole numbers, true and false, days or moments; none of them "
    'missing. Fix: {}=["apple", "pear"]'
)


def counter(domain: Any = None, buckets: int | None = None, **more: Any) -> Counter:
    """One without noise."""
    return Counter(domain, buckets, **{"epsilon": 1, "entropy": Fixed(0), **more})


def nearly(domain: Any = None, buckets: int | None = None) -> Counter:
    """One without noise whose epsilon is so large that estimates expect none."""
    return counter(domain, buckets, epsilon=100)


def counts(made: Counter) -> list[int]:
    there: list[int] = unpack(made.state()).counts.tolist()
    return there


def added(domain: Any, *batches: Any) -> list[int]:
    made = counter(domain)
    for batch in batches:
        made.add(batch)
    return counts(made)


def shape(found: Shape) -> dict[int, int]:
    return dict(zip(found.prevalences.counts.tolist(), found.prevalences.items.tolist(), strict=True))


KINDS: list[Callable[[list[str]], Any]] = [
    list,
    tuple,
    iter,
    np.array,
    pa.array,
    pd.Series,
    pl.Series,
    lambda items: np.array(items, dtype=object),
    lambda items: pd.Series(items, dtype="category"),
    lambda items: pa.array(items).dictionary_encode(),
    lambda items: pa.array(items, pa.large_string()),
    lambda items: pa.array(items, pa.string_view()),
    lambda items: pa.chunked_array([items[:1], [], items[1:]], pa.string()),
]


@pytest.mark.parametrize("kind", KINDS)
def test_events_come_in_any_array(kind: Callable[[list[str]], Any]) -> None:
    events = ["pear", "apple", "pear", "pear"]
    assert added(FRUITS, kind(events)) == [1, 3, 0]
    hashed, listed = counter(buckets=50), counter(buckets=50)
    hashed.add(kind(events))
    listed.add(events)
    assert counts(hashed) == counts(listed)
    assert sorted(counts(hashed))[-2:] == [1, 3]


@pytest.mark.parametrize(
    ("domain", "events"),
    [
        ([3, 5, 7], [7, 3, 7]),
        ([3, 5, 7], np.array([7, 3, 7], dtype=np.uint8)),
        ([3, 5, 7], ["7", "3", "7"]),
        (["3", "5", "7"], [7, 3, 7]),
        (range(3, 8, 2), range(3, 8, 4)),
        ([date(2024, 1, day) for day in (3, 5, 7)], [date(2024, 1, 7), date(2024, 1, 3)]),
        ([datetime(2024, 1, 1, hour) for hour in (3, 5, 7)], np.array(["2024-01-01T07", "2024-01-01T03"], "M8[s]")),
    ],
    ids=str,
)
def test_kinds_of_items(domain: Any, events: Any) -> None:
    assert added(domain, events) == [1, 0, np.size(list(events)) - 1]


def test_truth_and_nothing() -> None:
    assert added([True, False], [True, True], []) == [2, 0]
    assert added(FRUITS, [], pa.array([], pa.string()), np.array([], dtype=object)) == [0, 0, 0]


@pytest.mark.parametrize(
    "items",
    [
        "apple",
        b"apple",
        SECRET,
        5,
        None,
        {"apple": 3},
        ["apple", None],
        [None],
        ["apple", 1],
        [1.5],
        [float("nan")],
        [b"apple"],
        [["apple"]],
        [("apple", "pear")],
        ["\ud800"],
        [2**70],
        [True, 1],
        np.array([["apple"]]),
        np.ma.array([1, 2], mask=[False, True]),
        pa.array([1.5]),
        pa.array(["apple", None]),
        pa.table({"item": ["apple"]}),
        object(),
    ],
    ids=lambda items: type(items).__name__,
)
def test_what_is_no_list_of_items_is_refused(items: Any) -> None:
    for made in (counter(["apple", "1", SECRET]), counter(buckets=10)):
        with pytest.raises(BadParameter) as refusal:
            made.add(items)
        assert str(refusal.value) == BAD_ITEMS.format("items", "items")
        assert not any(counts(made))


def test_one_event_outside_refuses_the_batch_and_is_not_repeated() -> None:
    made = counter(FRUITS)
    made.add(["pear"])
    before = made.state()
    with pytest.raises(Refused) as refusal:
        made.add(["apple", SECRET, "quince"])
    assert str(refusal.value) == (
        "items: one is not in the domain. Nothing was counted. Fix: leave out what is not in it"
    )
    assert made.state() == before
    with pytest.raises(Refused):
        made.add([1])
    assert made.state() == before


def test_the_order_of_events_does_not_matter() -> None:
    """Nor how they come in batches."""
    events = ["pear", "apple", "pear", "quince"]
    made = counter(buckets=100)
    made.add(events)
    for order in permutations(events):
        other = counter(buckets=100)
        other.add(list(order[:1]))
        other.add(list(order[1:]))
        assert other.state() == made.state()


def test_noise_is_added_to_exact_counts() -> None:
    made = counter(FRUITS, entropy=Fixed(-7))
    made.add(["pear"] * 5)
    assert counts(made) == [-7, -2, -7]
    made.close()
    assert counts(made) == [-14, -9, -14]


@pytest.mark.parametrize(("neighbours", "scale"), [("add-remove", 4), ("replace", 8)])
def test_scales(neighbours: Any, scale: int) -> None:
    made = Counter(buckets=20_000, epsilon="1/4", neighbours=neighbours)
    assert made.settings.distribution.scale == scale
    before = np.array(counts(made))
    made.close()
    fresh = np.array(counts(made)) - before
    for noise in (
        before,
        fresh,
    ):  # E|noise| is 2p / (1 - p^2), about the scale; its deviation is about the scale as well
        p = np.exp(-1 / scale)
        assert abs(np.abs(noise).mean() - 2 * p / (1 - p * p)) < 5.5 * scale / 20_000**0.5
    assert abs(np.corrcoef(before, fresh)[0, 1]) < 5.5 / 20_000**0.5


def test_the_shape() -> None:
    made = nearly(buckets=5000)
    made.add([f"item {index}" for index in range(40) for _ in range(index % 3 + 1)])
    assert not made.closed
    found = made.shape()
    assert abs(found.prevalences.distinct - 40) <= 3  # some may share a bucket
    assert abs(found.prevalences.total - 79) <= 3
    assert made.closed


def test_the_shape_with_noise() -> None:
    """Ten items of 10,000 events each: their counts are off by no more than noise goes. There may be one more or less:
    the most likely shape is rounded to whole items."""
    made = Counter(range(1000), epsilon=1, neighbours="replace")
    made.add(np.repeat(np.arange(10), 10_000))
    largest = made.shape().prevalences.largest_first
    common = largest[largest > 5000]
    assert abs(len(common) - 10) <= 1
    assert np.abs(common - 10_000).max() < 80
    assert largest[len(common) :].max(initial=0) < 80


def test_told_once_and_kept() -> None:
    made = Counter(buckets=1000, epsilon=1)
    made.add(FRUITS)
    first, state = made.shape(), made.state()
    assert shape(made.shape()) == shape(first) == shape(Counter.load(state).shape())
    assert made.state() == state
    assert shape(made.shape(estimator="paper", loss="l2")) == shape(
        Counter.load(state).shape(estimator="paper", loss="l2")
    )
    for each in (made, Counter.load(state)):
        with pytest.raises(Refused) as refusal:
            each.add(["apple"])
        assert str(refusal.value) == "This counter is closed: its shape was released. Fix: a new counter"


ARGUMENTS: list[dict[str, Any]] = [{"domain": FRUITS}, {"buckets": 2}, {"buckets": 1000}]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_nothing_counted(arguments: dict[str, Any]) -> None:
    found = nearly(**arguments).shape()
    assert shape(found) == {}
    assert "No item seems to have events, but up to " in str(found)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("epsilon", ["0.000001", "0.01", "0.3", 3])
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_any_noise_has_a_shape_or_a_refusal(arguments: dict[str, Any], epsilon: Any) -> None:
    made = Counter(**arguments, epsilon=epsilon)
    made.add(FRUITS)
    assert made.shape().prevalences.distinct <= 1000
    assert made.closed


def test_too_few_buckets() -> None:
    """It says how many would do, closes all the same, and says it again."""
    made = nearly(buckets=100)
    made.add(range(200))
    refusal = made.shape().nothing
    assert refusal == Counter.load(made.state()).shape().nothing
    assert refusal.startswith(
        f"Nothing was learned: of 100 buckets about {counts(made).count(0)}% seem empty, and half must be, as too many "
        "items share one. Fix: buckets="
    )
    enough = int(refusal.split("buckets=")[1].split(",")[0])
    assert 400 < enough < 1500
    roomy = nearly(buckets=enough)
    roomy.add(range(200))
    assert abs(roomy.shape().prevalences.distinct - 200) < 50


def test_full_buckets() -> None:
    """There may be as many items as events."""
    made = nearly(buckets=10)
    made.add(range(5000))
    assert "about 0% seem empty" in made.shape().nothing
    assert "buckets=20000," in made.shape().nothing


def test_a_list_may_be_full() -> None:
    made = nearly(FRUITS)
    made.add(FRUITS * 3)
    assert shape(made.shape()) == {3: 3}


NO_EPSILON = "epsilon={}: it lies between 0.000001 and 100. Fix: epsilon=1"
MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"epsilon": 1},
        'domain, buckets: one of them. Fix: domain=["apple", "pear"] if all items are known, else buckets=100_000',
    ),
    (
        {"domain": FRUITS, "buckets": 10, "epsilon": 1},
        'domain, buckets: one of them. Fix: domain=["apple", "pear"] if all items are known, else buckets=100_000',
    ),
    ({"buckets": 10, "epsilon": 0}, "epsilon=0: it must be above 0. Fix: epsilon=1"),
    ({"buckets": 10, "epsilon": "1e-7"}, NO_EPSILON.format("'1e-7'")),
    ({"buckets": 10, "epsilon": 1e-300}, NO_EPSILON.format("1e-300")),
    ({"buckets": 10, "epsilon": 101}, NO_EPSILON.format("101")),
    ({"buckets": 10, "epsilon": None}, "epsilon=None: a finite number is needed. Fix: epsilon=1"),
    ({"buckets": 1, "epsilon": 1}, "buckets=1: a whole number of at least 2 is needed. Fix: buckets=100_000"),
    ({"buckets": 2.5, "epsilon": 1}, "buckets=2.5: a whole number of at least 2 is needed. Fix: buckets=100_000"),
    ({"buckets": 2**40, "epsilon": 1}, "buckets=1099511627776: at most 134,217,728. Fix: buckets=100_000"),
    ({"domain": [], "epsilon": 1}, 'domain: each item once, and at least one. Fix: domain=["apple", "pear"]'),
    ({"domain": [1, 2, 1], "epsilon": 1}, 'domain: each item once, and at least one. Fix: domain=["apple", "pear"]'),
    ({"domain": "apple", "epsilon": 1}, BAD_ITEMS.format("domain", "domain")),
    ({"domain": [1.5], "epsilon": 1}, BAD_ITEMS.format("domain", "domain")),
    (
        {"buckets": 10, "epsilon": 1, "neighbours": "both"},
        'neighbours=\'both\': unknown. Fix: neighbours="add-remove", or neighbours="replace"',
    ),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_mistakes(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(HeadcountError) as refusal:
        Counter(**arguments)
    assert str(refusal.value) == message


@pytest.mark.parametrize(("name", "fix"), [("estimator", ("em", "paper")), ("loss", ("l1", "l2"))])
def test_an_unknown_estimate_closes_nothing(name: str, fix: tuple[str, str]) -> None:
    made = counter(FRUITS)
    with pytest.raises(BadParameter) as refusal:
        made.shape(**{name: "best"})  # type: ignore[arg-type]
    assert str(refusal.value) == f'{name}=\'best\': unknown. Fix: {name}="{fix[0]}" or {name}="{fix[1]}"'
    assert not made.closed


def test_what_it_says() -> None:
    """One event, not one person; and nothing of what was counted."""
    made = counter(buckets=100_000, epsilon="0.5", neighbours="replace")
    promise = (
        "The promise is epsilon 0.5 for one event that is replaced by another. That is one event, not one person: "
        "a person with k events has k times that."
    )
    made.add([SECRET])
    assert repr(made) == "Counter(100,000 buckets, open)"
    assert str(made) == f"Counter(100,000 buckets, open). {promise}"
    assert made.explain() == made.shape().explain()
    assert " ".join(made.explain().split()) == (
        "1. Every event adds 1 to the count of one of 100,000 buckets, and is forgotten. "
        "2. Each count has discrete Laplace noise of scale 4 from the start, so that whoever seizes the memory, once, "
        "sees noisy counts. "
        "3. At the end, headcount adds fresh discrete Laplace noise of scale 4 to each count, once, and closes the "
        "counter. Everything released follows from these numbers. "
        f"4. {promise} It holds for one seized state and the end together (docs/proofs/stream.md)."
    )
    assert repr(made) == "Counter(100,000 buckets, closed)"
    assert "one of 3 known items" in " ".join(counter(FRUITS).explain().split())
    assert "one event that is added or removed" in str(counter(FRUITS))


def test_it_is_a_shape_like_others(tmp_path: Path) -> None:
    made = nearly(FRUITS)
    made.add(FRUITS * 3)
    found = made.shape()
    assert str(found).startswith("the shape of events per item, from a stream: 1 row, epsilon 1")
    assert "docs/proofs/stream.md" in found.explain()
    for kind in (".parquet", ".csv", ".json", ".html", ".png"):
        assert found.save(tmp_path / f"shape{kind}").stat().st_size > 0
    again = hc.load(tmp_path / "shape.parquet")
    assert isinstance(again, Shape)
    assert (again.distinct(), again.entropy()) == (found.distinct(), found.entropy())
    assert (found.cost.delta, [event.name for event in found.cost.events]) == (0, ["laplace"])


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_what_happened_costs_what_was_promised(neighbours: Any) -> None:
    (event,) = Counter(FRUITS, epsilon="0.7", neighbours=neighbours).shape().cost.events
    assert native(event) == Cost(Fraction("0.7"), Fraction(0))


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_cannot_be_copied(way: Any) -> None:
    with pytest.raises(TypeError, match="there is one Counter: it cannot be copied"):
        way(counter(FRUITS))


def test_a_state_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = counter(FRUITS).save(tmp_path / "fruits.state")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["fruits.state"]


def test_threads_count_everything() -> None:
    made = counter(FRUITS)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(made.add, [FRUITS * 50] * 200))
    assert counts(made) == [10_000] * 3


def test_counts_at_the_ends_of_64_bits_wrap_and_do_no_harm() -> None:
    made = counter(FRUITS, entropy=Fixed(2**62))
    made.add(FRUITS)
    with np.errstate(all="raise"):
        made.close()
        assert counts(made) == [-(2**63) + 1] * 3
        assert made.shape().prevalences.distinct <= 3


def test_a_number_means_what_was_typed() -> None:
    assert Counter(buckets=10, epsilon=0.1).settings.epsilon == Fraction(1, 10)


def test_it_costs_nothing_to_have() -> None:
    code = (
        "import sys, headcount as hc; assert 'headcount.stream' not in sys.modules; hc.stream.Counter;"
        "from headcount import stream; assert stream is hc.stream"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
