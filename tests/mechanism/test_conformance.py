"""Every mechanism of the package has its five things: code, event, error law, proof page, and a file of audits."""

from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.strategies import mechanisms, shaped, strategy

from audits.registry import enumerations_of, families, specimens
from audits.specimen import Specimen
from headcount.account import Cost
from headcount.account.composition import compose
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, GaussianThreshold, Laplace, LaplaceThreshold, Neighbours
from headcount.audit.choices import Fixed
from headcount.bound import Bounded, SampledEvents, SampledItems, ScaledToSum, Sensitivity
from headcount.errors import BadParameter
from headcount.jobs.parameters.parameters import Count
from headcount.mechanism import AnyMechanism
from headcount.mechanism.stages import clipped
from headcount.noise import SystemEntropy

ROOT = Path(__file__).parents[2]
BOTH: list[Neighbours] = ["add-remove", "replace"]
FAMILIES = {each.__name__.rpartition(".")[2]: each for each in families() if hasattr(each, "enumerations")}
AT_NIGHT = {"joint", "rounds", "thresholded"}
"""Families that take minutes. By day, tests/privacy enumerates them."""
BUDGET = Cost(Fraction(1), Fraction(1, 10**6))
LISTED = mechanisms()
SHAPES: dict[str, dict[str, Any]] = {
    "auto": {"method": "auto"},
    "staircase": {"method": "staircase", "people": 1000},
    "buckets": {"method": "buckets"},
    "people": {"method": "buckets", "people": 1000},
    "64": {"method": "buckets", "buckets": 64},
}


def chosen(count: Count, cells: int | None, bound: int = 20, neighbours: Neighbours = "add-remove") -> AnyMechanism:
    return strategy(BUDGET, count, neighbours, cells, bound).mechanism()


def _kind(name: str) -> str:
    """The mechanism of a specimen."""
    return name.partition(",")[0]


def _audited(family: ModuleType) -> set[str]:
    return {_kind(name) for name, *_ in family.honest()}


def test_every_mechanism_is_audited_and_enumerated() -> None:
    """A file of `audits/mechanisms` has it, and none has one that there is not."""
    assert len(LISTED) >= 16
    names = {kind.name for kind in LISTED}
    assert {_kind(each.name) for each in specimens() if each.honest} == names
    assert set().union(*map(_audited, FAMILIES.values())) == names


def test_statistics_of_groups_are_audited_on_eight_pairs_of_neighbours() -> None:
    """In each case with groups, and with what is measured of them: values of every vector."""
    found = [each for each in specimens() if each.honest and each.name.startswith("groups, ")]
    assert len(found) == 8
    for each in found:
        output = each.run(each.left, SystemEntropy())
        assert isinstance(output, dict)
        assert {"items", "bound 0", "clipped 0", "one 0", "all 0"} <= set(output)


@pytest.mark.parametrize("name", ["weighted, twice", "joint"])
def test_both_measurements_are_audited_on_five_neighbours(name: str) -> None:
    """In each case with what is shown at first and what is measured of it again."""
    found = [each for each in specimens() if each.honest and each.name.startswith(name)]
    assert len(found) == 5
    for each in found:
        output = each.run(each.left, SystemEntropy())
        assert {"bound", "items", "first, all", "bound again", "clipped", "again, all"} <= set(output)
        assert len(output["items"]) >= 16
        assert each.left != each.right


@pytest.mark.slow(but=[f"{family}-add-remove" for family in FAMILIES if family not in AT_NIGHT])
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_mechanism_is_enumerated_and_sound(family: str, neighbours: Neighbours) -> None:
    """Every mechanism of which the family has honest specimens; some are not for people who are replaced."""
    found = list(enumerations_of(FAMILIES[family], neighbours))
    assert all(each.sound for each in found)
    names = {_kind(each.name) for each in found}
    assert names == _audited(FAMILIES[family]) or (neighbours == "replace" and names < _audited(FAMILIES[family]))


@pytest.mark.parametrize("mechanism", LISTED)
def test_the_proof_is_there_and_speaks_of_both_neighbours(mechanism: type[AnyMechanism]) -> None:
    proof = (ROOT / mechanism.proof).read_text()
    assert "added or removed" in proof
    assert "replaced" in proof


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("count", ["users", "events"])
@pytest.mark.parametrize("cells", [None, 1, 1000])
@pytest.mark.parametrize("bound", [1, 3, 20, 1000])
def test_what_happens_costs_no_more_than_what_was_typed(
    neighbours: Neighbours, count: Count, cells: int | None, bound: int
) -> None:
    event = chosen(count, cells, bound, neighbours).event
    assert compose.covers(BUDGET, [event])


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("asked", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("cells", [None, 1000])
@pytest.mark.parametrize("bound", [1, 3])
def test_a_shape_costs_exactly_what_was_typed(
    neighbours: Neighbours, asked: dict[str, Any], cells: int | None, bound: int
) -> None:
    """No delta, and all of epsilon, whether contributions are counted as well or not."""
    made = shaped(Fraction(1), bound, neighbours, cells, **asked)
    assert compose.covers(Cost(Fraction(1), Fraction(0)), made.events)
    assert not compose.covers(Cost(Fraction("0.999"), Fraction(0)), made.events)
    assert made.event.sensitivity == changed_people(neighbours) * bound


@pytest.mark.parametrize(
    ("bound", "kind"), [(1, LaplaceThreshold), (2, LaplaceThreshold), (3, GaussianThreshold), (100, GaussianThreshold)]
)
def test_the_noise_with_the_lower_threshold_is_taken(bound: int, kind: type) -> None:
    """At (1, 1e-6) that is Laplace for up to 2 items (digest B2)."""
    assert isinstance(chosen("users", None, bound).event, kind)


@pytest.mark.parametrize(("bound", "kind"), [(8, Laplace), (10, Gaussian), (100, Gaussian)])
def test_the_quieter_noise_is_taken(bound: int, kind: type) -> None:
    assert isinstance(chosen("users", 1000, bound).event, kind)


@pytest.mark.parametrize(("bounding", "threshold"), [(SampledItems(1), 15), (SampledItems(25), 115)])
def test_known_thresholds(bounding: SampledItems, threshold: int) -> None:
    event = chosen("users", None, bounding.max_items).event
    assert getattr(event, "threshold", 0) == threshold


def test_replaced_people_need_twice_the_scale() -> None:
    once, twice = (chosen("events", 1000, 50, neighbours).event for neighbours in BOTH)
    assert isinstance(once, Laplace)
    assert isinstance(twice, Laplace)
    assert (int(once.scale), int(twice.scale)) == (50 * 1024, 100 * 1024)
    alone = chosen("events", 1, 50, "replace").event
    assert isinstance(alone, Laplace)
    assert alone.scale == 50 * 1024


def of_two(mechanism: AnyMechanism, sensitivity: Sensitivity | None = None) -> Bounded:
    items = pa.table({"item0": ["a", "b"]})
    return Bounded(items, np.array([150, 200]), sensitivity or mechanism.bounding.sensitivity)


@pytest.mark.parametrize("cells", [None, 2])
def test_totals_with_a_looser_bound_are_refused(cells: int | None) -> None:
    mechanism = chosen("users", cells)
    loose = SampledEvents(21).sensitivity if cells is None else ScaledToSum(21, largest=1).sensitivity
    with pytest.raises(BadParameter, match="the noise is for"):
        mechanism.run(of_two(mechanism, loose), SystemEntropy())


@pytest.mark.parametrize("asked", SHAPES.values(), ids=SHAPES)
def test_shapes_of_totals_with_a_looser_bound_are_refused(asked: dict[str, Any]) -> None:
    made = shaped(Fraction(1), 1, "add-remove", None, **asked)
    with pytest.raises(BadParameter, match="the noise is for"):
        made.run(of_two(made, SampledItems(2).sensitivity), SystemEntropy())


def test_a_count_at_the_threshold_is_shown_and_one_below_is_not() -> None:
    mechanism = chosen("users", None)
    assert isinstance(mechanism.event, GaussianThreshold)
    exactly = mechanism.event.threshold - 150
    assert mechanism.run(of_two(mechanism), Fixed(exactly)).items["item0"].to_pylist() == ["a", "b"]
    assert mechanism.run(of_two(mechanism), Fixed(exactly - 1)).items["item0"].to_pylist() == ["b"]


@pytest.mark.parametrize("cells", [None, 4000])
def test_the_error_law(cells: int | None) -> None:
    """19 of 20 counts are off by no more than the plan says, and 0.9 times that would not do. 400,000 draws: the
    share's deviation is 0.00035."""
    mechanism = chosen("users", cells)
    error = mechanism.error * mechanism.bounding.unit
    draws = np.abs(SystemEntropy().draw(mechanism.distribution, 400_000))
    assert (draws > error).mean() < 0.05 + 0.002
    assert (draws > 0.9 * error).mean() > 0.05 + 0.01


def test_a_known_domain_without_delta_is_pure() -> None:
    pure = clipped.calibrated(Cost(Fraction(1), Fraction(0)), count="users", bound=100, cells=9, neighbours="replace")
    assert isinstance(pure.event, Laplace)


@pytest.mark.every_case
@pytest.mark.parametrize("specimen", [each for each in specimens() if each.honest], ids=lambda each: each.name)
def test_honest_specimens_do_run(specimen: Specimen) -> None:
    """To an audit an exception is an output like any other: one that always raises would pass."""
    for people in (specimen.left, specimen.right):
        specimen.run(people, SystemEntropy())
