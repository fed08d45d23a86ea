"""Every page that proves a mechanism has the same parts, and its worked numbers are those of the code."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import exp, sqrt
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Literal

import pandas as pd
import pytest

import headcount as hc
from audits.registry import plans
from headcount import mechanism
from headcount.account.calibration import calibrate
from headcount.account.calibration.calibrate import gaussian_variance
from headcount.account.events import Gaussian, Laplace, LaplaceThreshold
from headcount.account.guarantee import Cost
from headcount.bound import CutAmounts, SampledItems, SplitL2Budget
from headcount.estimate.constants import Z
from headcount.federated import SecureAnalyst
from headcount.mechanism.known import correlated, correlated_sums
from headcount.mechanism.mechanism import Mechanism
from headcount.mechanism.sampled import sample_threshold
from headcount.mechanism.stages import clipped, joint
from headcount.mechanism.stages.rounds import ROUNDS_MOST_ITEMS
from headcount.mechanism.stages.sampling import EXACT_SAMPLING
from headcount.mechanism.unknown import thresholded
from headcount.wording import format_number

ROOT = Path(__file__).parents[2]
PARTS = ("Utility", "Assumptions", "Proof", "How it is tested")
SECURE_SUM = "docs/proofs/secure-sum.md"
WITHOUT_CURATOR = ("docs/proofs/shuffle.md", "docs/proofs/stream.md", SECURE_SUM)
"""Mechanisms that are run where people keep their data."""
BUILDING_BLOCKS = frozenset(
    f"docs/proofs/{name}.md"
    for name in ("bounding", "choice", "discrete-gaussian", "exact-noise", "ledger", "thresholds", "views")
)
"""Pages on what several mechanisms rest on: noise, prices, bounds and payment. They have no error of their own."""
BUDGET = Cost(Fraction(1), Fraction("1e-6"))
NUMBER = re.compile(r"\d(?:[\d,.]*\d)?")
TABLE = pd.DataFrame({"user": [1, 2], "item": ["a", "b"], "price": [1.0, 2.0]})
KEYS = [f"key {number}" for number in range(1000)]
ITEMS = [f"item {number}" for number in range(10)]


def subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    """All classes below, at any depth."""
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def proofs() -> list[str]:
    """The pages that mechanisms name, and those of protocols."""
    for module in walk_packages(mechanism.__path__, "headcount.mechanism."):
        import_module(module.name)
    named = {vars(each)["proof"] for each in subclasses(Mechanism) if "proof" in vars(each)}
    return sorted({page for page in named if page.startswith("docs/")} | {*WITHOUT_CURATOR})


@cache
def parts(page: str) -> dict[str, str]:
    """The text of each part, by its heading."""
    _, *sections = re.split(r"^## (.+)$", (ROOT / page).read_text(), flags=re.MULTILINE)
    assert len(sections[::2]) == len(set(sections[::2]))
    return dict(zip(sections[::2], sections[1::2], strict=True))


def test_there_are_as_many_pages_as_families_have() -> None:
    assert len(proofs()) >= 16


def test_every_page_proves_a_mechanism_or_what_mechanisms_rest_on() -> None:
    pages = {page.relative_to(ROOT).as_posix() for page in (ROOT / "docs" / "proofs").glob("*.md")}
    assert pages == {*proofs(), *BUILDING_BLOCKS}
    assert all("How it is tested" in parts(page) for page in BUILDING_BLOCKS)


@pytest.mark.parametrize("page", proofs())
def test_every_mechanism_has_utility_assumptions_and_a_proof(page: str) -> None:
    found = parts(page)
    assert [name for name in found if name in PARTS] == list(PARTS)
    assert min(len(found[name].strip()) for name in PARTS) > 100
    assert "ε = 1" in found["Utility"]
    assert "*Worked.*" in found["Utility"]
    for word in ("*Neighbours", "*Delta", "exactly", "random words"):
        assert word in found["Assumptions"], word
    assert ("*Curator.*" in found["Assumptions"]) == (page not in WITHOUT_CURATOR)


@pytest.mark.parametrize(("page", "job", "arguments"), plans())
def test_forecasts_on_a_page_are_those_of_plans(page: str, job: str, arguments: dict[str, Any]) -> None:
    plan = hc.plan(job, hc.table(TABLE, name="data"), user="user", epsilon=1, **arguments)
    lines = [text for label, text in plan.strategy.forecast("item", "people") if label != "beware"]
    assert lines
    written = numbers(parts(f"docs/proofs/{page}.md")["Utility"]) | {95.0}
    rounded = {float(f"{part * number:.2g}") for number in written for part in (1, 0.1, 100)}  # and percents
    rounded |= {each for number in written for each in (round(number), number - 1)}  # 9 other items are 10
    assert {number for line in lines for number in numbers(line)} - written - rounded == set()


def numbers(text: str) -> set[float]:
    """All numbers of a text."""
    return {float(number.replace(",", "")) for number in NUMBER.findall(text)}


STEPS = [
    ("rounds", {"mechanism": "rounds"}, r"threshold: (.+)\. All"),
    (
        "halving",
        {"value": "price", "q": [0.5], "range": (0, 1000), "bound": 1, "mechanism": "search"},
        r"standard deviation of ([\d.]+), whether",
    ),
    ("selected", {"keys": ITEMS, "bound": 10, "mechanism": "ks"}, r"has epsilon ([\d.]+);"),
    ("selected", {"keys": ITEMS, "bound": 10, "mechanism": "ks"}, r"standard deviation of ([\d]+)"),
    ("count-release", {"k": 10}, r"standard deviation of ([\d.]+)%"),
]
JOBS = {"rounds": "histogram", "halving": "quantiles", "selected": "distribution", "count-release": "top"}


@pytest.mark.parametrize(("page", "arguments", "pattern"), STEPS)
def test_noise_on_a_page_is_that_of_plans(page: str, arguments: dict[str, Any], pattern: str) -> None:
    by = {} if "value" in arguments else {"by": "item"}
    plan = hc.plan(JOBS[page], hc.table(TABLE, name="data"), user="user", epsilon=1, **by, **arguments)
    (found,) = [match for step in plan.steps if (match := re.search(pattern, step))]
    assert set(NUMBER.findall(found[1])) <= set(NUMBER.findall(parts(f"docs/proofs/{page}.md")["Utility"]))


Neighbours = Literal["add-remove", "replace"]
BOTH: tuple[Neighbours, Neighbours] = ("add-remove", "replace")


def kind(event: object) -> str:
    return "Laplace" if isinstance(event, Laplace | LaplaceThreshold) else "Gaussian"


@pytest.mark.parametrize("bound", [1, 5, 20, 100])
def test_known_items(bound: int) -> None:
    both = [clipped.calibrated(BUDGET, count="users", bound=bound, cells=1000, neighbours=each) for each in BOTH]
    row = " | ".join(f"{each.error:.3g} ({kind(each.event)})" for each in both)
    assert f"| {bound} | {row} |" in parts("docs/proofs/clipped.md")["Utility"]


@pytest.mark.parametrize("items", [3, 6, 10, 12, 24, 31])
def test_short_lists(items: int) -> None:
    both = [correlated.quietest(BUDGET, items, each) for each in BOTH]
    row = " | ".join(f"{each.error:.3g} ({kind(each.event)})" for each in both)
    assert f"| {items} | {row} |" in parts("docs/proofs/correlated.md")["Utility"]


def test_a_year_of_months() -> None:
    mechanism, text = correlated.gaussian(BUDGET, 12), parts("docs/proofs/correlated.md")["Utility"]
    own, common = (float(event.variance) for event in mechanism.events if isinstance(event, Gaussian))
    assert f"Z has the variance {own:.5g} and E {common:.5g}" in text
    assert f"= {mechanism.deviation:.3g} people" in text
    assert f"= {mechanism.difference_deviation:.3g}. The mean" in text
    assert f"= {sqrt(own / 12 + common) / 2:.3g}." in text


def test_a_year_of_amounts() -> None:
    text, cut, months = parts("docs/proofs/correlated.md")["Utility"], 50, 12
    mechanism = correlated_sums.calibrated(BUDGET, CutAmounts(months, cut, 2))
    assert f"standard deviation of {mechanism.deviation:.3g}" in text
    assert f"19 of 20 are off by at most {mechanism.error:.3g} from" in text
    norm = sqrt(months) * cut
    independent = norm * float(calibrate.analytic_sigma(BUDGET.epsilon, BUDGET.delta))
    assert f"√12 · 50 = {norm:.3g}, and its noise has a standard deviation of {independent:.3g}." in text


@pytest.mark.parametrize("bound", [1, 5, 20, 100])
def test_thresholds(bound: int) -> None:
    both = [thresholded.calibrated(BUDGET, SampledItems(bound), each) for each in BOTH]
    row = " | ".join(f"{kind(each.event)}, {each.error:g}, {each.event.threshold}" for each in both)
    assert f"| {bound} | {row} |" in parts("docs/proofs/thresholded.md")["Utility"]


@pytest.mark.parametrize(("who", "neighbours"), [("added or removed", "add-remove"), ("replaced", "replace")])
def test_joint_rounds(who: str, neighbours: Neighbours) -> None:
    """What is left of epsilon after the profile: 98%."""
    rest, text = Cost(BUDGET.epsilon * Fraction(98, 100), BUDGET.delta), parts("docs/proofs/joint.md")["Utility"]
    found, two = (joint.calibrated(rest, SplitL2Budget(ROUNDS_MOST_ITEMS, full=full), neighbours) for full in (1, 2))
    minimum = [format_number(each.threshold / found.bounding.unit) for each in found.rounds]
    assert f"| one person {who} | {' | '.join(minimum)} |" in text
    if neighbours == "add-remove":
        few, many = (format_number(two.needed_people(left)) for left in (1, 10))
        assert f"with f = 2 it is {few} instead of {minimum[-1]} for one item, and {many} for 10 items" in text
        once = format_number(Z * sqrt(found.second.totals.variance / found.bounding.squared))
        assert f"within {once} at a bound of 1, before both" in text


@pytest.mark.parametrize("reports", [1, 2, 5, 10])
def test_samples(reports: int) -> None:
    found = sample_threshold.calibrated(BUDGET, SampledItems(reports), "add-remove", EXACT_SAMPLING)
    rate, event = float(found.event.rate), found.event
    row = f"| {reports} | {rate:.4g} | {event.threshold} | {found.visible_from} | {found.error_at(10_000):.0f} |"
    assert row in parts("docs/proofs/sample-threshold.md")["Utility"]


@pytest.mark.parametrize("items", [1, 5, 20, 100])
def test_secure_sums(items: int) -> None:
    cells = []
    for people, neighbours in zip((1, 2), BOTH, strict=True):
        asked = SecureAnalyst().publish("Which?", keys=KEYS, people=1000, epsilon=1, items=items, neighbours=neighbours)
        central = sqrt(gaussian_variance(1, "1e-6", people * items, people * items))
        cells += [f"{format_number(asked.shares.deviation(950))} ({asked.noise})", format_number(central)]
    assert f"| {items} | {' | '.join(cells)} |" in parts(SECURE_SUM)["Utility"]


def test_the_worked_secure_sum() -> None:
    """One item: all but one of those who are counted on are priced, in the numbers and in the root."""
    text = parts(SECURE_SUM)["Utility"]
    asked = SecureAnalyst().publish("Which?", keys=KEYS, people=1000, epsilon=1)
    assert (asked.needed, asked.priced) == (810, 809)
    assert "810 are counted on" in text
    assert f"Times √(950/{asked.priced}) that is {asked.shares.deviation(950):.3g}." in text
    assert f"An interval of 95% is {asked.shares.width(950)} people wide on each side." in text


def test_noise_of_protocols() -> None:
    def variance(scale: float) -> float:
        return 2 * exp(-1 / scale) / (1 - exp(-1 / scale)) ** 2

    stream, shuffle = (parts(f"docs/proofs/{page}.md")["Utility"] for page in ("stream", "shuffle"))
    ends = [f"{sqrt(2 * variance(scale)):.2f}" for scale in (1, 2)]
    assert f"standard deviation of {ends[0]} in each cell of the end ({sqrt(variance(1)):.2f} " in stream
    assert f"s = 2: {ends[1]}." in stream
    assert f"standard deviation of {sqrt(variance(1 / 0.8)):.2f} ({sqrt(variance(1)):.2f} " in shuffle
