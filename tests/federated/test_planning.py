"""Plans of collections state what happens: sizes are those of messages, errors those of releases, refusals those of
servers; a simulation of data shows no value."""

import json
from dataclasses import replace
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import pytest

from headcount.account.calibration.calibrate import gaussian_variance
from headcount.errors import BadParameter, HeadcountError
from headcount.federated import Client
from headcount.federated.messages import Refused
from headcount.federated.planning import (
    Collection,
    heavy_hitters,
    histogram,
    quantiles,
    ranges,
    secure_heavy_hitters,
    shape,
    simulate,
)
from headcount.federated.planning.meter import Meter
from headcount.federated.planning.people import names, with_items
from headcount.federated.planning.traffic import NO_ID, mean_digits
from headcount.noise import KeyedEntropy

ENTROPY = KeyedEntropy(bytes(range(32)))
COLLECTIONS: dict[str, Collection] = {
    "secure sum": histogram(people=60, dropouts="10%", keys=20, epsilon=2),
    "secure sum, a ring": histogram(people=100, dropouts="4%", keys=["blue", "Ω"], items=2, epsilon=1, honest="0.95"),
    "sites": histogram(people=60, sites=7, dropouts="20%", keys=20, epsilon=2, honest=1, sites_per_person=2),
    "reports": histogram(people=400, items=3, epsilon=4),
    "reports, also of sites": histogram(people=400, items=3, epsilon=4, insiders=2, sites_per_person=2),
    "shuffler": shape(people=60, dropouts="5%", epsilon=2, buckets=40),
    "shape by a sum": shape(people=300, dropouts="5%", epsilon=1, way="secure-sum"),
    "tree": quantiles(people=400, range=(0, 240), q=[0.5], cells=256, epsilon=4),
    "outside": ranges(people=400, ranges=[(0, 10), (10, 100)], dropouts="25%", epsilon=4),
    "search": quantiles(people=200, range=(0, 64), q=[0.25, 0.75], cells=64, method="search", epsilon=4),
    "prefixes": heavy_hitters(people=500, share="10%", epsilon=6, lengths=[1, 4]),
    "prefixes by sums": secure_heavy_hitters(
        people=60, dropouts="10%", share="10%", epsilon=20, alphabet="abcdef", lengths=[1, 2, 3], candidates=100
    ),
}


@cache
def measured(name: str) -> Meter:
    """The messages of a whole collection, of everybody who answered to the end."""
    collection = COLLECTIONS[name]
    parties = collection.together(collection.relevant(collection.made_up()))
    leaving = set(range(collection.missing - collection.never))
    meter = Meter(lambda: None)
    collection.run(parties[collection.never :], leaving, meter, ENTROPY)
    return meter


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_message_has_a_planned_size(name: str) -> None:
    """As many messages of each kind as planned, each between the least and the most; fixed ones to the byte."""
    collection = COLLECTIONS[name]
    planned = collection.traffic
    sizes = measured(name).sizes
    assert len(sizes) == collection.answers
    for messages in sizes.values():
        assert [(way, kind) for way, kind, _ in messages] == [(each.way, each.kind) for each in planned]
        for (_, kind, size), plan in zip(messages, planned, strict=True):
            assert plan.least <= size, kind
            assert plan.most is None or size <= plan.most, kind
            assert plan.least <= (plan.mean or plan.least) <= (plan.most or np.inf)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_means_are_those_of_chance(name: str) -> None:
    collection = COLLECTIONS[name]
    sizes = np.array([[size for _, _, size in each] for each in measured(name).sizes.values()], dtype=float)
    for plan, column in zip(collection.traffic, sizes.T, strict=True):
        if plan.is_fixed:
            assert set(column) == {plan.mean}
        elif plan.mean is not None:
            assert abs(column.mean() - plan.mean) <= 5.5 * column.std() / sqrt(len(column)) + 0.01 * plan.mean


def test_the_error_of_the_secure_sum_is_that_of_the_central_mechanism_within_a_tenth() -> None:
    """1,000 people, 5% missing, 1,000 items: the figure that the page has."""
    plan: Any = histogram(people=1000, dropouts="5%", keys=1000, epsilon=1, honest=1)
    deviation, error = plan.errors(950)
    assert error.here == error.central
    assert 1 <= deviation.here / deviation.central < 1.1
    gaussian: Any = histogram(people=1000, dropouts="5%", keys=1000, epsilon=1, items=40)
    assert gaussian.round.noise == "gaussian"
    here = gaussian.errors(950)[0]
    assert here.central == pytest.approx(sqrt(gaussian_variance(1, "1e-6", 40, 40)))
    assert 1 <= here.here / here.central < 1.1


def test_more_missing_than_stated_ends_as_planned() -> None:
    """What a plan refuses, the server refuses, and nothing less."""
    for name in ("secure sum", "shuffler"):
        collection = COLLECTIONS[name]
        people = collection.relevant(collection.made_up())
        fewest = min(answers for answers in range(1, collection.people + 1) if not collection.refusal(answers))
        collection.run(people[:fewest], set(), Meter(lambda: None), ENTROPY)
        with pytest.raises(Refused, match="answered, and"):
            collection.run(people[: fewest - 1], set(), Meter(lambda: None), ENTROPY)


def test_outcomes_are_of_all_of_them_the_stated_ones_and_more() -> None:
    outcomes = COLLECTIONS["secure sum"].outcomes
    assert [(each.missing, each.answers) for each in outcomes] == [(0, 60), (6, 54), (15, 45), (30, 30)]
    assert [bool(each.refusal) for each in outcomes] == [False, False, True, True]
    assert [each.missing for each in COLLECTIONS["reports"].outcomes] == [0, 20, 40, 100, 200]
    assert not any(each.refusal for each in COLLECTIONS["reports"].outcomes)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_what_a_plan_prints_is_no_message(name: str) -> None:
    """All plans of the same terms are the same, so that nothing is lost or gained by one; its JSON is no message."""
    collection = COLLECTIONS[name]
    assert collection.terms.id == NO_ID
    plain = json.loads(collection.to_json())
    assert plain["answers"] == collection.answers
    assert not {"id", "kind", "version", "keys", "key"} & plain["terms"].keys()
    with pytest.raises(HeadcountError):
        type(collection.terms).from_json(json.dumps(plain["terms"]))


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_plan_says_what_is_read_and_compared(name: str) -> None:
    said = str(COLLECTIONS[name])
    assert "Messages of one client who answers" in said
    assert "Error (95%)" in said
    assert "If people are missing" in said
    assert said.endswith("Nobody was contacted, no data was read, nothing was charged.")


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_simulation_of_made_up_people_is_next_to_the_truth(name: str) -> None:
    collection = COLLECTIONS[name]
    found = simulate(collection, entropy=ENTROPY)
    assert found.answered == collection.answers
    assert found.table is not None
    assert "truth" in found.table.column_names
    assert found.contained >= 0.5 * found.values
    assert str(found).startswith("SIMULATION, NOT PRIVATE")
    assert json.loads(found.to_json())["private"] is False


def test_errors_of_a_simulation_are_those_of_the_plan() -> None:
    """500 counts of each of 4 sums: nearly 95% are within the stated error."""
    collection = histogram(people=12, dropouts="10%", keys=500, epsilon=1, honest=1)
    errors = []
    for seed in range(1, 5):
        table = simulate(collection, entropy=KeyedEntropy(bytes([seed]) * 32)).table
        assert table is not None
        errors += np.abs(table["count"].to_numpy() - table["truth"].to_numpy()).tolist()
    within = np.mean(np.array(errors) <= (collection.errors(collection.answers)[-1].here or 0))
    assert within > 0.85


def test_a_simulation_of_data_shows_no_value_and_keeps_none() -> None:
    """Neither an item, nor a count: nothing that could be taken for a release without a ledger."""
    people = [["secretitem", f"other {number % 3}"] for number in range(300)]
    plan = histogram(people=300, items=2, epsilon=4)
    found = simulate(plan, data=people, entropy=ENTROPY)
    assert found.table is None
    for text in (str(found), found.to_json(), repr(found)):
        assert "secretitem" not in text
        assert "other" not in text
    assert "rows" not in json.loads(found.to_json())
    assert "THIS IS NO RELEASE" in " ".join(str(found).split())


def test_data_are_held_to_what_the_question_is_about() -> None:
    numbers = [["x", str(number), "3"] for number in range(400)]
    collection = quantiles(people=400, range=(0, 400), q=[0.5], cells=256, epsilon=4)
    assert collection.relevant(numbers)[7] == ["7"]
    assert shape(people=60, epsilon=2, buckets=40).relevant([["a", "b"], []]) == [["a"], []]
    found = simulate(collection, data=numbers, entropy=ENTROPY)
    assert found.error_95 < 60


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"people": 2}, "people: a whole number from 3"),
        ({"people": "1000"}, "people: a whole number from 3"),
        ({"people": 100, "dropouts": 1}, "dropouts=1: a share of people"),
        ({"people": 100, "dropouts": "many"}, "dropouts='many': a finite number"),
        ({"people": 100, "dropouts": "99.5%"}, "at least 2 must answer"),
        ({"people": 100, "keys": 0}, "keys: a whole number from 1"),
        ({"people": 100, "keys": 10, "honest": 0}, "honest"),
        ({"people": 100, "keys": 10, "dropouts": "60%", "honest": "0.5"}, "could open the sum"),
    ],
    ids=str,
)
def test_bad_input_has_a_fix(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter, match="Fix:") as refused:
        histogram(epsilon=1, **wrong)
    assert said in str(refused.value)


def test_a_simulation_has_as_many_people_as_its_plan_and_not_too_many() -> None:
    with pytest.raises(BadParameter, match="the data are of 2"):
        simulate(histogram(people=100, epsilon=1), data=[["a"], ["b"]])
    with pytest.raises(BadParameter, match="a simulation has at most 200,000"):
        simulate(histogram(people=1_000_000, epsilon=1))


def test_made_up_people_are_the_same_each_time_and_have_their_items() -> None:
    keys = names(50)
    assert len(set(keys)) == 50
    assert {len(each) for each in names(1000)} == {9}
    people = with_items(500, keys, 3)
    assert people == with_items(500, keys, 3)
    assert all(1 <= len(items) <= 3 and set(items) <= set(keys) for items in people)


@pytest.mark.parametrize("count", [1, 9, 10, 11, 100, 1000, 12345])
def test_mean_digits(count: int) -> None:
    assert mean_digits(count) == pytest.approx(sum(len(str(each)) for each in range(count)) / count)


def test_the_plan_of_ranges_states_the_error_of_half_of_all_people() -> None:
    """Not that of a rank, which is smaller: what lies outside a range says nothing about its count."""
    plan: Any = ranges(people=10_000, ranges=[(0, 1), (1, 2)], epsilon=1)
    rate = float(plan.plan.rate)
    stated = plan.errors(10_000)[-1].here
    drawn = np.random.default_rng(1).binomial(5_000, rate, 4_000) / rate - 5_000
    assert np.mean(np.abs(drawn) <= stated) == pytest.approx(0.95, abs=0.02)
    assert "for a range of half of them" in str(plan)


def test_a_client_answers_no_weaker_round_of_a_plan() -> None:
    """The plan's round is a round like any other: a client checks its promise."""
    plan: Any = histogram(people=100, epsilon=1)
    with pytest.raises(Refused, match="does not keep its promise"):
        Client(["a"]).answer(replace(plan.round, threshold=3))


def test_a_plan_of_sites_says_what_happens_to_sites() -> None:
    plan = COLLECTIONS["sites"]
    assert (plan.parties, plan.answers, plan.who) == (7, 5, "sites")
    assert "If sites are missing" in str(plan)
    assert "With more than 2 sites missing the server opens nothing" in " ".join(str(plan).split())
    assert plan.refusal(4) == "nothing is opened: 5 answers are needed"
    assert plan.terms.sites_per_person == 2


def test_people_of_sites_that_answer_are_the_truth() -> None:
    """Of 63 people at seven sites, those at the sites that are missing are not counted, and nobody is lost."""
    plan = histogram(people=63, sites=7, keys=["baba 0000"], epsilon=20, honest=1)
    assert sum(map(len, plan.together(plan.made_up()))) == 63
    found = simulate(plan, entropy=ENTROPY)
    assert found.table is not None
    assert found.table["truth"].to_pylist() == [63]
    assert "7 of 7 sites answered" in str(found)


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"sites": 5}, "sites: for the items of a public list"),
        ({"sites": 2, "keys": 4}, "sites: a whole number from 3"),
        ({"sites_per_person": 2, "keys": 4}, "sites_per_person: a whole number from 1 to 1"),
        ({"sites_per_person": 101}, "sites_per_person: a whole number from 1 to 100"),
        ({"insiders": -1}, "insiders: a whole number from 0"),
    ],
)
def test_plans_of_sites_that_are_refused(terms: dict[str, Any], why: str) -> None:
    with pytest.raises(BadParameter, match=why):
        histogram(people=900, epsilon=4, **terms)
