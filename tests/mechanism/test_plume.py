"""The baselines that find items first and count them afterwards: they work, cost what was typed, and cannot fail by
what was drawn."""

import datetime
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.tables import done, table

import headcount as hc
from audits.mechanisms.plume import enumerations, in_two_phases
from headcount import papers
from headcount.account import Cost
from headcount.account.composition import compose, cost
from headcount.account.composition.cost import native
from headcount.account.curves.gaussian import discrete_delta
from headcount.account.curves.threshold import gaussian_delta
from headcount.account.events import Gaussian, GaussianThreshold, Laplace, Neighbours
from headcount.audit.choices import Fixed
from headcount.audit.enumerate import Laws
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded, SampledItems, attained
from headcount.bound.selection.plume import LARGEST_BOUND, Discovered
from headcount.errors import HeadcountError
from headcount.mechanism import Plume, check_widths
from headcount.mechanism.baseline import plume
from headcount.mechanism.baseline.strategy import PlumeStrategy

BOTH: list[Neighbours] = ["add-remove", "replace"]
NAMES = [papers.Plume, papers.PlumeThreshold]
ONE = Fraction(1)
BUDGET = Cost(ONE, Fraction(1, 10**6))
FOUND = GaussianThreshold(ONE, 2, 1, 4, "add-remove")


def discovered(max_items: int, *items: str, found: GaussianThreshold = FOUND) -> Discovered:
    return Discovered(SampledItems(max_items), pa.table({"item0": pa.array(items, pa.string())}), found)


def strategy(budget: Cost, neighbours: Neighbours, **more: Any) -> PlumeStrategy:
    return PlumeStrategy(budget=budget, neighbours=neighbours, count="users", **more)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("mechanism", NAMES)
def test_a_release_is_near_the_truth_and_paid_for(mechanism: Any, neighbours: Neighbours) -> None:
    plays = hc.example()
    once = set(zip(plays["user"].to_pylist(), plays["song"].to_pylist(), strict=True))
    truth = Counter(song for _, song in once)
    asked: dict[str, Any] = {
        "user": "user",
        "by": "song",
        "epsilon": 8,
        "mechanism": mechanism(),
        "bound": hc.ChosenBound(share=0.5),
    }
    release = hc.histogram(plays, **asked, neighbours=neighbours)  # half for the bounds: no far one is ever drawn
    rows = release.table.to_pylist()
    assert len(rows) > 50
    assert compose.covers(Cost(Fraction(8), Fraction(1, 10**6)), release.cost.events)
    assert (release.cost.epsilon, release.cost.delta) == (8, 1e-6)
    assert [type(event) for event in release.cost.events] == [Laplace, Laplace, GaussianThreshold, Gaussian]
    off = [abs(row["count"] - truth[row["song"]]) / truth[row["song"]] for row in rows]
    assert np.median(off) < (0.1 if mechanism is papers.Plume else 0.05)
    assert all(0 <= row["low"] <= row["count"] <= row["high"] for row in rows)
    assert release.about.chosen == "plume"
    assert release.about.bound >= 5


def test_a_plan_reads_well() -> None:
    printed = str(
        hc.plan(
            "histogram",
            hc.table(hc.example(), name="d"),
            user="user",
            by="song",
            epsilon=1,
            mechanism=papers.PlumeThreshold(),
        )
    )
    plan = " ".join(printed.split())
    assert "To appear, each song needs about: 146 people if nearly everyone has 1 song 461 people if nearly" in plan
    assert "All but 1% of people are within each of the two bounds. This uses 5% of epsilon (0.05)." in plan
    assert "and hides those whose counts may be off by more than 10%." in plan


def test_a_plan_survives_as_text_and_a_ledger_is_charged_once(tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)
    asked: dict[str, Any] = {
        "user": "user",
        "by": "song",
        "epsilon": 1,
        "mechanism": papers.PlumeThreshold(target_error="0.2"),
    }
    plan = hc.plan("histogram", hc.table(hc.example(), name="plays"), **asked)
    assert hc.Plan.from_json(plan.to_json()).to_json() == plan.to_json()
    one, other = (plan.release(ledger=ledger) for _ in range(2))
    assert one.content == other.content
    assert ledger.spent == BUDGET


NUMBERS = range(400)
RARE = ("nobody", "nulls", "one person", "all own", "one with everything")
"""Nothing in there has more than one person."""
ODD: dict[str, pa.Table] = {
    "nobody": pa.table({"user": pa.array([], pa.int64()), "item": pa.array([], pa.string())}),
    "nulls": pa.table({"user": pa.array([None, 1], pa.int64()), "item": pa.array(["a", None])}),
    "one person": pa.table({"user": [1], "item": ["a"]}),
    "all own": pa.table({"user": NUMBERS, "item": [str(each) for each in NUMBERS]}),
    "one with everything": pa.table({"user": [0] * 400, "item": [str(each) for each in NUMBERS]}),
    "bytes that look alike": pa.table({"user": NUMBERS, "item": [("A", "a", "a ", "ä", "")[n % 5] for n in NUMBERS]}),
    "small numbers": pa.table({"user": NUMBERS, "item": pa.array([n % 2 for n in NUMBERS], pa.int8())}),
    "large numbers": pa.table({"user": NUMBERS, "item": pa.array([2**63 + n % 2 for n in NUMBERS], pa.uint64())}),
    "yes and no": pa.table({"user": NUMBERS, "item": [n % 2 == 0 for n in NUMBERS]}),
    "days": pa.table({"user": NUMBERS, "item": [datetime.date(2024, 1, 1 + n % 2) for n in NUMBERS]}),
    "moments": pa.table({"user": NUMBERS, "item": [datetime.datetime(2024, 1, 1 + n % 2) for n in NUMBERS]}),
    "decimals": pa.table({"user": NUMBERS, "item": pa.array([n % 2 for n in NUMBERS]).cast(pa.decimal128(38, 0))}),
}


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("name", ODD)
def test_nothing_fails_by_what_the_rows_are(name: str, neighbours: Neighbours) -> None:
    for mechanism in NAMES:
        asked: dict[str, Any] = {"mechanism": mechanism(), "neighbours": neighbours, "epsilon": 8}
        plan = hc.plan("histogram", ODD[name], user="user", by="item", **asked)
        release = plan.release()
        assert release.table.schema.field("item").type == ODD[name].schema.field("item").type
        assert compose.covers(plan.cost, release.cost.events)
        assert (plan.release(entropy=Fixed(0)).table.num_rows > 0) == (name not in RARE)


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(("epsilon", "delta"), [("0.001", "1e-9"), ("0.001", "5e-5"), ("100", "1e-30"), ("100", "0.9")])
@pytest.mark.parametrize("mechanism", NAMES)
def test_every_bound_that_may_be_chosen_has_a_mechanism(
    mechanism: Any, epsilon: str, delta: str, neighbours: Neighbours
) -> None:
    """At the ends of what is allowed; and what happens is covered by what was typed."""
    typed = Cost(Fraction(epsilon), Fraction(delta))
    asked = strategy(typed, neighbours, target=ONE / 10 if mechanism is not papers.Plume else None)
    asked.check()
    choice = asked.selection
    for bound in (1, 37, LARGEST_BOUND):
        made = asked.mechanism(choice.example(bound))
        check_widths(made)
        assert compose.covers(typed, [*choice.events, *made.events])


@pytest.mark.parametrize("neighbours", BOTH)
def test_where_the_budget_goes(neighbours: Neighbours) -> None:
    """5% of epsilon for two profiles; of the noise's price one half each; half of delta for what one person has."""
    asked = strategy(BUDGET, neighbours)
    choice, twice = asked.selection, 2 if neighbours == "replace" else 1
    assert [native(event).epsilon for event in choice.events] == [ONE / 40, ONE / 40]
    made = asked.mechanism(choice.example(50))
    found, counted = (cost.concentrated(event) for event in made.events)
    assert float(found.rho / counted.rho) == pytest.approx(1, rel=1e-9)
    assert float(found.delta) == pytest.approx(5e-7, rel=0.3)  # thresholds are whole numbers
    assert found.delta <= Fraction(5, 10**7)
    assert made.event == Gaussian(made.event.variance, Fraction(50 * twice), 50 * twice)


def test_a_bound_is_the_square_of_the_sensitivity() -> None:
    """Somebody with m' items changes m' counts by 1: the root of m' in l2. Rogers 2024 says m', which is that much
    wider."""
    narrow, wide = (plume.within(ONE / 2, discovered(max_items, "a"), "add-remove") for max_items in (1, 400))
    assert wide.deviation / narrow.deviation == pytest.approx(20)
    assert cost.concentrated(wide.event).rho <= ONE / 2
    assert float(cost.concentrated(wide.event).rho) == pytest.approx(0.5)


@pytest.mark.slow(but=["all-add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("target", [None, ONE], ids=["all", "threshold"])
def test_both_phases_are_as_private_as_they_are_priced(neighbours: Neighbours, target: Fraction | None) -> None:
    """Every draw of both on tiny data, alone and in a crowd, where counts are near the threshold."""
    twice, rho, left_out = (2 if neighbours == "replace" else 1), ONE, Fraction(1, 10**4)
    how = GaussianThreshold(twice * ONE, 2, 1, 4, neighbours)
    crowd = (("a", "b"), ("a",))
    few = list(pairs([("a",), ("b",), ("a", "b")], 1, neighbours))
    people = few + [(crowd + one, crowd + other) for one, other in few]
    distributions = Laws(in_two_phases(how, rho, 2, target), left_out)
    count = plume.within(rho, discovered(2, "a", "b", found=how), neighbours).event
    for epsilon in (ONE, 2 * ONE, 3 * ONE):
        exact = distributions.worst_delta(people, epsilon)
        assert exact.low <= gaussian_delta(epsilon, how, [count])
        assert exact.high <= gaussian_delta(epsilon, how, [count]) + 4 * left_out


@pytest.mark.slow(but=["add-remove"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_noise_for_less_than_a_person_has_would_be_seen(neighbours: Neighbours) -> None:
    """Noise for one item where a person has two; or, where a person is replaced, for one person's two items."""
    people: list[Any] = [((("a", "b"),), (("c", "d"),) if neighbours == "replace" else ())]
    items = ("a", "b", "c", "d")

    def counted(max_items: int, kind: Neighbours) -> tuple[Plume, Any]:
        made = plume.within(ONE, discovered(max_items, *items), kind)

        def run(people: tuple[tuple[str, ...], ...], entropy: Any) -> Any:
            often = Counter(item for person in people for item in person)
            totals = np.array([often[item] for item in items])
            return made.run(Bounded(made.bounding.items, totals, made.bounding.sensitivity), entropy).values.tolist()

        return made, run

    right, honest = counted(2, neighbours)
    price = discrete_delta(ONE, [right.event])
    assert Laws(honest, Fraction(1, 1000)).worst_delta(people, ONE).low <= price
    _, wrong = counted(1, neighbours) if neighbours == "add-remove" else counted(2, "add-remove")
    assert Laws(wrong, Fraction(1, 1000)).worst_delta(people, ONE).low > price


def test_a_count_at_the_threshold_is_shown_and_one_below_is_not() -> None:
    made = plume.within(ONE / 200, discovered(1, "a", "b", "c"), "add-remove", target=ONE / 10)
    assert made.threshold == 210  # 21 deviations of 10
    bounded = Bounded(made.bounding.items, np.array([203, 202, 0]), made.bounding.sensitivity)
    assert made.run(bounded, Fixed(7)).items["item0"].to_pylist() == ["a"]
    assert made.run(bounded, Fixed(8)).items["item0"].to_pylist() == ["a", "b"]
    all_of_them = plume.within(ONE / 200, discovered(1, "a", "b", "c"), "add-remove")
    assert all_of_them.run(bounded, Fixed(-8)).values.tolist() == [195, 194, -8]


def test_of_what_was_found_nobody_may_be_left() -> None:
    """So the lower end of an interval may be 0."""
    made = plume.within(ONE / 2, discovered(1, "a"), "add-remove", target=ONE)
    assert made.threshold == 3
    low, high = made.interval(np.array([3, 4, 9]))
    assert low.tolist() == [0, 1, 7]
    assert (high > [3, 4, 9]).all()


ROWS = [(n, item) for n in range(30) for item in ("a", "b")] + [(99, f"own {n}") for n in range(50)] + [(99, "b")]


def test_what_was_found_is_counted_among_all_that_people_have() -> None:
    """Number 99 has 51 items, of which one was found: it is always kept. An item that nobody has counts 0."""
    bounding = discovered(1, "b", "c")
    bounded = bounding.bound(done(ROWS, events=False), b"secret", None)
    assert bounded.items["item0"].to_pylist() == ["b", "c"]
    assert bounded.totals.tolist() == [31, 0]
    both = discovered(1, "a", "b")
    assert both.bound(done(ROWS, events=False), b"secret", None).totals.sum() == 31
    assert attained(both.kept(done(ROWS, events=False), b"secret")) == both.sensitivity


def test_items_are_found_after_sampling_only() -> None:
    """Without noise: with a bound of 1, 30 people keep a or b, and nobody's own items reach the threshold."""
    choice = strategy(Cost(Fraction(100), Fraction(1, 10**6)), "add-remove").selection
    chosen = choice.draw(done(ROWS, events=False), Fixed(0))
    assert chosen.items["item0"].to_pylist() == ["a", "b"]
    assert (chosen.discovery.items, chosen.limit) == (choice.selection(2).items, 2)
    assert chosen.bound(done(ROWS, events=False), b"secret", None).totals.tolist() == [30, 31]


def test_the_bounds_are_what_99_of_100_people_have() -> None:
    rows = [(n, item) for n in range(2000) for item in range(3)] + [(n, item) for n in range(10) for item in range(99)]
    choice = strategy(Cost(Fraction(50), Fraction(1, 10**6)), "add-remove").selection
    chosen = choice.draw(done(rows, events=False), Fixed(0))
    assert (chosen.discovery.items, chosen.limit) == (3, 3)


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"keys": ["a"]},
        "mechanism=papers.Plume() is for items not known in advance. Fix: no keys and bins, or",
    ),
    ({"count": "events"}, 'mechanism=papers.Plume() counts people. Fix: count="users", or mechanism="auto"'),
    ({"bound": 20}, 'bound=20 with mechanism=papers.Plume(): it chooses two bounds. Fix: bound="auto"'),
    ({"bound": "profile"}, "bound='profile' with mechanism=papers.Plume(): it chooses two bounds. Fix: bound=\"auto\""),
    ({"bound": hc.ChosenBound(grid=[1, 2])}, "grid with mechanism=papers.Plume(): it chooses two bounds."),
    ({"debias": "ratio"}, "debias='ratio' with mechanism=papers.Plume(): nothing is undone. Fix: no debias"),
    ({"target_error": 0.1, "epsilon": None}, 'target_error=0.1 with bound="auto": the error depends on the bound.'),
    (
        {"mechanism": papers.PlumeThreshold(), "target_error": 0.1},
        "target_error: an option of PlumeThreshold, together ",
    ),
    ({"sum": "user"}, "sum='user': a column that makes the person or the item."),
    ({"delta": 0}, "delta=0: items that are not known in advance need a delta above 0."),
    ({"epsilon": 1e-4}, "epsilon=0.0001: to choose a bound, it is at least 0.001."),
]


@pytest.mark.parametrize(("asked", "message"), MISTAKES)
def test_mistakes_are_refused_before_anything_is_read(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(HeadcountError) as refused:
        hc.plan(
            "histogram",
            table([(1, "a")]),
            **{"user": "user", "by": "item", "epsilon": 1, "mechanism": papers.Plume(), **asked},
        )
    assert str(refused.value).startswith(message)


def test_counts_have_their_own_noise() -> None:
    """Items are found with half of the variance that their counts are paid for."""
    for _, _, stated, exact in enumerations("add-remove"):
        assert stated / 2 < exact.low <= exact.high < stated
