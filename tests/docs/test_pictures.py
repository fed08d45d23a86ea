"""Pages about mechanisms and collections: a picture and a worked number for each family, both of today's code."""

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

import headcount as hc
from tests.docs.pictures import FILL, FOLDER, INK, JOINT_THRESHOLDS, NOISE, PICTURES, THRESHOLDS, TRUST, svg
from tests.docs.site import MIN_CONTRAST, contrast
from tests.docs.test_proofs import ITEMS, NUMBER, TABLE, parts

PAGE = "docs/explanation/mechanisms.md"
FIRST = {"by": "item", "epsilon": 1}
MEDIAN = {"value": "price", "q": [0.5], "range": (0, 1000), "bound": 1, "epsilon": 1}


@pytest.mark.parametrize("name", PICTURES | TRUST)
def test_a_picture_is_what_its_script_draws(name: str) -> None:
    assert (FOLDER / f"{name}.svg").read_text() == svg(name)
    ET.fromstring(svg(name))


def test_every_family_has_one_picture() -> None:
    *families, shared = parts(PAGE).values()
    shown = [re.findall(r"!\[.{20,}\]\(\.\./assets/(\w+)\.svg\)", family) for family in families]
    assert sorted(name for names in shown for name in names) == sorted(PICTURES)
    assert all(len(names) == 1 for names in shown)
    assert "![" not in shared


def test_every_way_to_collect_has_one_picture() -> None:
    page = (FOLDER.parent / "how-to" / "federated.md").read_text()
    assert sorted(re.findall(r"!\[.{20,}\]\(\.\./assets/(\w+)\.svg\)", page)) == sorted(TRUST)


def test_colours_differ_in_lightness() -> None:
    assert contrast(INK, "#ffffff") > contrast(NOISE, "#ffffff") > MIN_CONTRAST
    assert contrast(NOISE, FILL) > 2
    assert contrast(FILL, "#ffffff") > 2


NUMBERS: list[tuple[str, str, dict[str, Any], str]] = [
    ("Items known", "histogram", {**FIRST, "keys": ["a", "b"], "bound": 2, "debias": None}, r"deviation of ([\d.]+)"),
    ("Items not known", "histogram", {**FIRST, "mechanism": "thresholded", "bound": 1}, r"at least (\d+)"),
    ("Items not known", "histogram", {**FIRST, "mechanism": "thresholded", "bound": 20}, r"at least (\d+)"),
    ("Found and counted", "histogram", FIRST, r"([\d.]+) people if nearly everyone has at most 10 "),
    ("Found and counted", "histogram", FIRST, r"about ([\d.]+) people; about ([\d.]+) if"),
    (
        "Two measurements",
        "histogram",
        {**FIRST, "mechanism": "weighted"},
        r"([\d.]+) people if nearly everyone has at most 10 ",
    ),
    ("Two measurements", "histogram", {**FIRST, "mechanism": "weighted"}, r"([\d.]+) people if nearly everyone has 1 "),
    ("As many items", "histogram", {**FIRST, "mechanism": "rounds"}, r"([\d.]+) in round [15]"),
    ("As many items", "histogram", {**FIRST, "mechanism": "rounds"}, r"about ([\d.]+) if each"),
    ("One item after", "top", {**FIRST, "k": 10}, r"with about (\d+) people or more|the last one about (\d+)"),
    (
        "A sample",
        "histogram",
        {**FIRST, "mechanism": "sample-threshold", "bound": 1},
        r"at least (\d+)|([\d.]+)% of 10,000",
    ),
    ("Numbers", "quantiles", MEDIAN, r"([\d.]+) ranks|in ([\d,]+) cells"),
    ("Numbers", "quantiles", {**MEDIAN, "mechanism": "search"}, r"([\d.]+) ranks"),
    (
        "Groups",
        "aggregate",
        {**FIRST, "metrics": ["people", "mean(price)"]},
        r"([\d.]+)% for 1,000|about (\d+) people,",
    ),
    ("Shapes", "shape", {**FIRST, "people": 20000}, r"about ([\d.]+) if these add up to 10,000"),
    (
        "Shapes",
        "shape",
        {**FIRST, "people": 20000, "mechanism": "buckets"},
        r"about ([\d.]+) if these add up to 10,000",
    ),
    ("Shares", "distribution", {**FIRST, "keys": ITEMS}, r"about ([\d.]+) if there are 1,000"),
    ("Shares", "distribution", {**FIRST, "keys": ITEMS, "bound": 10, "mechanism": "recentred"}, r"([\d.]+) if 1,000"),
]
"""A section, a plan, and where its numbers stand."""


@pytest.mark.parametrize(("section", "job", "arguments", "pattern"), NUMBERS)
def test_worked_numbers_are_those_of_plans(section: str, job: str, arguments: dict[str, Any], pattern: str) -> None:
    plan = " ".join(str(hc.plan(job, hc.table(TABLE, name="data"), user="user", **arguments)).split())
    found = {number for groups in re.finditer(pattern, plan) for number in groups.groups() if number}
    assert found
    (text,) = [text for title, text in parts(PAGE).items() if title.startswith(section)]
    assert found <= set(NUMBER.findall(text))


def test_thresholds_of_rounds() -> None:
    steps = hc.plan("histogram", hc.table(TABLE, name="data"), user="user", **FIRST, mechanism="rounds").steps
    assert ", ".join(f"{each:g} in round {number}" for number, each in enumerate(THRESHOLDS, 1)) in " ".join(steps)


def test_thresholds_of_joint_rounds() -> None:
    row = " | ".join(f"{each:g}" for each in JOINT_THRESHOLDS)
    assert f"| one person added or removed | {row} |" in parts("docs/proofs/joint.md")["Utility"]
