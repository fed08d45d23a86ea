"""What sites let out: the exact law of their sums and of their reports next to the central mechanism's, bounds on what
one person changes, and prices of a person at several sites."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import exp

import numpy as np
import pyarrow as pa
import pytest

from headcount.account.composition.cost import native
from headcount.account.curves.sampling import group_factor
from headcount.account.events import Gaussian, Laplace, Neighbours
from headcount.audit import Laws
from headcount.audit.choices import Enumerated, Undecided, explore
from headcount.audit.neighbours import pairs
from headcount.bound import SampledItems
from headcount.exact import Integers
from headcount.federated import Aggregator, Client, Round, SecureAnalyst, SecureRound, SecureSite, Site
from headcount.federated.listed.counted_on import person_change
from headcount.federated.secure.vectors import centred, residues
from headcount.federated.sites.table import SiteTable, open_table
from headcount.noise import Entropy
from headcount.noise.laplace import DiscreteLaplace
from headcount.source import contributions, open_events
from tests.federated.people import ID, Fallen, NoNoise, Numbered, Person, counts, promised
from tests.federated.test_secure_privacy import LEFT_OUT, Seen, delta_of, moved, together

KIND = pa.schema({"user": pa.string(), "item": pa.string()})
NEARLY = Fraction(1, 10**9)
Rows = Sequence[tuple[str, str]]


def table_of(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist([{"user": user, "item": item} for user, item in rows], KIND)


def rows_of(people: Sequence[Person]) -> list[tuple[str, str]]:
    """Each person with a row for each of their items."""
    return [(str(number), item) for number, person in enumerate(people) for item in person]


def tiny(noise: str = "laplace", spread: str = "1", *, keys: int = 1, items: int = 1, unit: int = 1) -> SecureRound:
    """A round of three sites, all of which are counted on, and the noise of two of them priced."""
    places = ID, "Which?", ("a", "b", "c")[:keys], items, 100, 3, Fraction(1), noise, Fraction(spread), unit, 16
    return SecureRound(*places, 2, 2, "add-remove", Fraction(1), Fraction("0.01"), 3)  # type: ignore[arg-type]


class Numbers(Numbered):
    """Enumerated draws, and secrets that the outcome does not depend on."""


def law_of(asked: SecureRound, rows: Rows) -> dict[Seen, float]:
    """The law of what a site adds to the sum, from below: the table is read once, every draw is enumerated."""
    found = SecureSite(table_of(rows), user="user", by="item")._counts(asked)
    return _law(asked, tuple(found.tolist()))


@cache
def _law(asked: SecureRound, found: tuple[int, ...]) -> dict[Seen, float]:
    chances: dict[Seen, Fraction] = {}

    def run(path: object) -> Seen:
        entropy = Numbers(Enumerated(path, LEFT_OUT))  # type: ignore[arg-type]
        site = SecureSite(table_of([]), user="user", by="item", entropy=entropy)
        return tuple(site._numbers(asked, np.array(found)).tolist())

    for seen, weight in explore(run):
        if not isinstance(seen, Undecided):
            chances[seen] = chances.get(seen, Fraction(0)) + weight
    return {seen: float(chance) for seen, chance in chances.items()}


def central(asked: SecureRound, rows: Rows) -> dict[Seen, float]:
    """The law of the central mechanism with the noise of two sites: all rows in one table, bounded by person, and
    discrete Laplace noise from headcount's own sampler."""
    totals = bounded(rows, asked, bytes(32))
    noise = DiscreteLaplace(asked.spread)
    chances: dict[Seen, float] = {}
    for drawn, weight in explore(lambda path: int(Enumerated(path, LEFT_OUT).draw(noise, 1)[0])):
        if not isinstance(drawn, Undecided):
            chances[(int(totals[0]) + drawn,)] = float(weight)
    return chances


def bounded(rows: Rows, asked: SecureRound, secret: bytes) -> Integers:
    """Totals of the central mechanism, by the bounding of a histogram with keys."""
    keys = pa.table({"item0": pa.array(asked.keys, pa.string())})
    events = open_events(table_of(rows), ("user", "item"))
    pairs_ = contributions(events.table(), [None], events=False, keys=keys)
    with pairs_.read() as ready:
        return SampledItems(asked.items).bound(ready, secret, keys).totals


# a secure sum has the law of the central mechanism

HALVES: list[tuple[Rows, Rows]] = [
    ([], []),
    ([("1", "a")], []),
    ([("1", "a"), ("2", "a")], [("3", "a"), ("3", "a")]),
    ([("1", "a"), ("2", "b")], [("9", "a")] * 5),
]


@pytest.mark.parametrize(("one", "other"), HALVES)
@pytest.mark.parametrize("scale", ["1/2", "1"])
def test_sums_of_sites_have_the_law_of_the_central_mechanism(one: Rows, other: Rows, scale: str) -> None:
    """Two sites with different people; the third is one that subtracts its own numbers from the release."""
    asked = tiny(spread=scale)
    found, meant = together([law_of(asked, one), law_of(asked, other)]), central(asked, [*one, *other])
    assert sum(found.values()) > 1 - 1e-5
    for seen in found.keys() | meant.keys():
        assert found.get(seen, 0.0) == pytest.approx(meant.get(seen, 0.0), abs=2e-6)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([("1", "a"), ("2", "a")], [("1", "a")]),  # a person is removed
        ([("1", "a"), ("2", "a")], [("1", "a"), ("2", "b")]),  # or replaced
    ],
)
def test_delta_is_that_of_a_person_whatever_their_rows_are(before: Rows, after: Rows) -> None:
    asked = tiny()
    many = [*before, *[before[1]] * 50]  # the person has many rows
    for rows in (before, many):
        one = together([law_of(asked, rows), law_of(asked, [("7", "a")])])
        other = together([law_of(asked, after), law_of(asked, [("7", "a")])])
        for first, second in ((one, other), (other, one)):
            assert delta_of(first, second, 1.0) < 1e-5
            assert delta_of(first, second, 0.9) > 0.02


def test_a_site_that_drops_out_takes_its_share_along() -> None:
    """With one site less than is counted on the promise is broken: that is what `minimum` and `honest` are for."""
    asked = tiny()
    one, other = law_of(asked, [("1", "a")]), law_of(asked, [])
    assert delta_of(one, other, 1.0) > 0.05


def test_a_person_replaced_at_a_site_changes_two_counts() -> None:
    """Two places are independent, so that the law of both is the product; epsilon 1 needs a scale of 2."""
    asked = replace(tiny(spread="2", keys=2), neighbours="replace")
    assert native(asked.events[-1]).epsilon == 1
    changes = np.subtract(_counts(asked, (("1", "a"),)), _counts(asked, (("1", "b"),)))
    assert changes.tolist() == [1, -1]


@cache
def _counts(asked: SecureRound, rows: tuple[tuple[str, str], ...], secret: int = 0) -> list[int]:
    entropy = Secret(secret)
    found: list[int] = SecureSite(table_of(rows), user="user", by="item", entropy=entropy)._counts(asked).tolist()
    return found


class Secret(NoNoise):
    """A secret of one's choice: bounds hold for each."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def secret(self) -> bytes:
        return self._number.to_bytes(32, "big")


# what one person changes

CROWD: list[Person] = [("a", "b", "c"), ("b",), ("a", "c"), ()]


@pytest.mark.parametrize("items", [1, 2])
def test_one_person_changes_no_more_than_is_priced_for_any_secret(items: int) -> None:
    """Added, removed or replaced, whatever they have; and as much is reached."""
    asked = tiny(keys=3, items=items)
    reached: dict[Neighbours, int] = {"add-remove": 0, "replace": 0}
    for secret, (first, second) in product(range(3), product(CROWD, CROWD)):
        crowd = rows_of([("a",), ("a", "b", "c")])
        there, other, gone = (
            np.array(_counts(asked, (*crowd, *(("new", item) for item in person)), secret))
            for person in (first, second, ())
        )
        changes: dict[Neighbours, Integers] = {"add-remove": there - gone, "replace": there - other}
        for kind, change in changes.items():
            priced = replace(asked, neighbours=kind).change
            assert np.abs(change).sum() <= priced.total
            assert np.abs(change).max() <= priced.largest
            assert (change**2).sum() <= priced.squared
            reached[kind] = max(reached[kind], int(np.abs(change).sum()))
    assert reached["add-remove"] == items
    assert reached["replace"] == min(2 * items, 3)


@pytest.mark.parametrize("secret", [1, 2, 3])
def test_sites_together_keep_what_one_table_with_their_rows_would(secret: int) -> None:
    asked = tiny(keys=3, items=1)
    people = rows_of([("a", "b", "c"), ("b", "c"), ("a",), ("a", "c"), ("b",)])
    parts = [tuple(row for row in people if int(row[0]) % 2 == rest) for rest in (0, 1)]
    apart = np.sum([_counts(asked, part, secret) for part in parts], axis=0)
    assert apart.tolist() == bounded(people, asked, secret.to_bytes(32, "big")).tolist()


# a person at several sites


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(("items", "sites", "cells"), [(1, 2, 2), (2, 2, 3), (2, 3, 3), (1, 3, 1)])
def test_a_person_at_several_sites_changes_no_more_than_is_priced(
    neighbours: Neighbours, items: int, sites: int, cells: int
) -> None:
    """All that a person can add at that many sites, and another one instead: within the bound, and each norm is
    reached."""
    one_site = [np.array(each) for each in product((0, 1), repeat=cells) if sum(each) <= items]
    added = {tuple(np.sum(parts, axis=0).tolist()) for parts in product(one_site, repeat=sites)}
    nobody = {(0,) * cells}
    changes = [np.subtract(*each) for each in product(added, added if neighbours == "replace" else nobody)]
    priced = person_change(items, sites, neighbours, cells)
    assert max(np.abs(change).sum() for change in changes) <= priced.total
    assert max((change**2).sum() for change in changes) <= priced.squared
    assert max(np.count_nonzero(change) for change in changes) <= priced.items
    assert max(np.abs(change).max() for change in changes) == priced.largest == sites
    if 2 * items <= cells:
        assert max((change**2).sum() for change in changes) == priced.squared


def test_a_person_at_two_sites_costs_twice_unless_the_round_says_so() -> None:
    """Both sites have the person's item. Priced for one site, delta at epsilon is above the promise; noise for two
    keeps it."""
    alone, twice = tiny(), tiny(spread="2")
    item, nothing = [("1", "a")], list[tuple[str, str]]()
    broken = together([law_of(alone, item)] * 2), together([law_of(alone, nothing)] * 2)
    assert delta_of(*broken, 1.0) > 0.2
    noise = together([law_of(twice, nothing)] * 2)
    assert delta_of(noise, moved(moved(noise)), 1.0) < 1e-4
    asked = replace(twice, sites_per_person=2)
    assert asked.events[-1] == Laplace(Fraction(2), Fraction(2))
    assert native(asked.events[-1]).epsilon == 1


def test_noise_for_several_sites_is_calibrated() -> None:
    """Laplace noise grows with the number of sites; Gaussian noise, too, as all may have the same items."""
    for keys, items in ((3, 1), (40, 30)):
        asked = [
            SecureAnalyst().publish(
                "Which?",
                keys=[str(n) for n in range(keys)],
                people=99,
                sites=9,
                items=items,
                epsilon=1,
                sites_per_person=s,
            )
            for s in (1, 3)
        ]
        assert all(each.holds for each in asked)
        assert asked[1].deviation == pytest.approx(3 * asked[0].deviation, rel=0.2)
        assert not replace(asked[0], sites_per_person=3).holds
        assert isinstance(asked[0].events[-1], Laplace if items == 1 else Gaussian)


# nothing wraps


@pytest.mark.parametrize("items", [1, 30])
def test_bits_hold_all_people_of_all_sites_and_their_noise(items: int) -> None:
    """Each site has everybody in a count, which is the most that it sends, and noise as large as can be."""
    asked = SecureAnalyst().publish(
        "Which?", keys=[str(number) for number in range(40)], people=10_000, sites=5, epsilon=1, items=items
    )
    highest = 5 * 10_000 * asked.unit + asked.shares.reach(5, 40)
    assert highest < 2 ** (asked.bits - 1)
    assert (
        centred(residues(np.array([highest, -highest] * 20), asked.terms), asked.terms).tolist()
        == [
            highest,
            -highest,
        ]
        * 20
    )
    assert not replace(asked, bits=asked.bits - 1).holds
    assert asked.bits > replace(asked, people=100, bits=62).shares.bits(5, 40)


# reports for a trusted aggregator


class Known(SiteTable):
    """A table that is read once."""

    def people(self) -> dict[str, list[str]]:
        return _people(self.events.name)


_READ: dict[str, dict[str, list[str]]] = {}


def _people(name: str) -> dict[str, list[str]]:
    return _READ[name]


def reported(asked: Round, people: tuple[Person, ...], entropy: Entropy) -> dict[str, int]:
    """What is seen of one site with these people, whose reports an aggregator adds up."""
    return shown(asked, [rows_of(people)], entropy)


def shown(asked: Round, tables: Sequence[Rows], entropy: Entropy, known: int = 0) -> dict[str, int]:
    """What is seen of sites, and of as many reports of an item that a reader knows."""
    numbered = Numbered(entropy)
    aggregator = Aggregator(asked)
    for _ in range(known):
        aggregator.add(Client(["a"], entropy=Fallen()).answer(asked))
    for number, rows in enumerate(tables):
        site = Site(table_of([]), user="user", by="item", key=bytes([number]) * 32, entropy=numbered)
        site._table = _once_read(tuple(rows))
        for report in site.reports(asked):
            aggregator.add(report)
    return dict(aggregator.close().counts)


@cache
def _once_read(rows: tuple[tuple[str, str], ...]) -> SiteTable:
    """A table whose people are read once, as the table is the same on every path."""
    opened = open_table(table_of(rows), "user", "item")
    _READ[name := repr(rows)] = opened.people()
    return Known(replace(opened.events, name=name), opened.limits, "user", "item")


KINDS: list[Person] = [("a",), ("b",), ("a", "b"), ()]
HALF = Fraction(1, 2)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("items", [1, 2])
def test_reports_of_a_site_have_the_law_of_people_who_report_themselves(items: int, neighbours: Neighbours) -> None:
    asked = replace(promised(HALF, 2, epsilon=HALF, items=items, neighbours=neighbours), sites_per_person=1)
    sites, alone = Laws(partial(reported, asked)), Laws(partial(counts, asked))
    for people in {each for pair in pairs(KINDS, 3, neighbours) for each in pair}:
        one, other = sites.of(people), alone.of(people)
        assert max(_differences(one, other)) < NEARLY
    exact = sites.worst_delta(pairs(KINDS, 3, neighbours), asked.epsilon)
    assert asked.delta * 85 / 100 < exact.high <= asked.delta


def _differences(one: object, other: object) -> Iterator[Fraction]:
    """The exact deltas at epsilon 0, both ways."""
    from headcount.audit import delta

    yield delta(one, other, 0).high  # type: ignore[arg-type]
    yield delta(other, one, 0).high  # type: ignore[arg-type]


def several(
    rate: Fraction,
    threshold: int,
    *,
    epsilon: Fraction,
    sites: int | None,
    neighbours: Neighbours,
    insiders: int | None = None,
) -> Round:
    """A round whose delta is its price for a person at that many sites."""
    terms = ID, "Which?", rate, threshold, 1, neighbours, epsilon, HALF
    free = Round(*terms, sites_per_person=sites, insiders=insiders)
    return replace(free, delta=sum((native(event).delta for event in free.events), start=Fraction(0)))


SPREAD: list[tuple[list[Rows], list[Rows]]] = [
    ([[("x", "a"), *others], [("x", "a")]], [[*others], []])
    for others in ([], [("1", "a")], [("1", "a"), ("2", "a")], [("1", "b")])
]


def test_a_person_at_two_sites_is_two_people_unless_the_round_says_so() -> None:
    """Of two reports of one person in one count, the price of one is broken, and so is that of two in different counts;
    that of a round with two sites for each person holds."""
    alone = several(Fraction(1, 4), 2, epsilon=Fraction(1), sites=None, neighbours="add-remove")
    twice = several(Fraction(1, 4), 2, epsilon=Fraction(1), sites=2, neighbours="add-remove")
    laws: Laws[Sequence[Rows]] = Laws(partial(shown, twice))
    tuples = [(_frozen(one), _frozen(other)) for one, other in SPREAD]
    exact = laws.worst_delta(tuples, 1).high
    assert exact > alone.delta * 11 / 10
    assert exact <= twice.delta < 1


def test_an_insider_at_two_sites_knows_two_reports_of_each_item() -> None:
    """What they see is the price of the threshold less two; that of the threshold less one is too low."""
    asked = several(Fraction(1, 4), 4, epsilon=Fraction(1), sites=2, neighbours="add-remove", insiders=1)
    laws: Laws[Sequence[Rows]] = Laws(partial(shown, asked, known=2))
    exact = laws.worst_delta([(_frozen(one), _frozen(other)) for one, other in SPREAD], 1).high
    too_low = several(Fraction(1, 4), 3, epsilon=Fraction(1), sites=2, neighbours="add-remove")
    assert too_low.delta < exact <= asked.delta


def _frozen(tables: list[Rows]) -> tuple[tuple[tuple[str, str], ...], ...]:
    return tuple(tuple(rows) for rows in tables)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_the_price_of_several_sites_is_that_of_as_many_steps(neighbours: Neighbours) -> None:
    step = several(Fraction(1, 4), 3, epsilon=Fraction(1, 3), sites=None, neighbours=neighbours)
    asked = several(Fraction(1, 4), 3, epsilon=Fraction(1), sites=3, neighbours=neighbours)
    factor = sum(exp(part / 3) for part in range(3))
    assert float(asked.delta) == pytest.approx(float(step.delta) * factor, rel=1e-9)
    assert asked.holds
    assert float(group_factor(Fraction(1), 3)) == pytest.approx(factor)
    assert not replace(asked, rate=Fraction(26, 100)).holds
    assert not replace(asked, sites_per_person=4).holds
