"""Words follow numbers: where a few people may have far more than everyone else, a release says "at least", and by how
much it may be too small; where nobody can, it does not. The noise is the same each time."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.release.test_report import facts_of, read

import headcount as hc
from headcount.noise import KeyedEntropy
from headcount.release import Release
from headcount.release.pictures.scene import interval_label
from headcount.release.report.checklist import checklist

PEOPLE = 4_000
random = np.random.default_rng(1)
TABLE = pa.table(
    {
        "user": range(PEOPLE),
        "group": random.integers(0, 4, PEOPLE),
        "heavy": 10 * (1 + random.pareto(1.3, PEOPLE)),
        "light": random.uniform(0, 100, PEOPLE),
    }
)
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "total": ("total", {"sum": "{}"}),
    "histogram": ("histogram", {"sum": "{}", "by": "group", "keys": [0, 1, 2, 3]}),
    "aggregate": ("aggregate", {"metrics": "sum({})", "by": "group", "keys": [0, 1, 2, 3]}),
}
PERCENT = r"at least about this: .* may be too small by up to \d+%"


def released(question: str, column: str) -> Release:
    job, arguments = QUESTIONS[question]
    asked = {name: each.format(column) if name in ("sum", "metrics") else each for name, each in arguments.items()}
    return hc.plan(job, TABLE, user="user", epsilon=1, **asked).release(entropy=KeyedEntropy(bytes([2]) * 32))


@pytest.fixture(params=QUESTIONS, scope="module")
def both(request: pytest.FixtureRequest) -> tuple[Release, Release]:
    """Of the heavy column, and of the light one."""
    return released(request.param, "heavy"), released(request.param, "light")


def plain(text: str) -> str:
    return " ".join(text.split())


def test_the_second_line_says_at_least_and_by_how_much(both: tuple[Release, Release]) -> None:
    heavy, light = both
    assert re.search(PERCENT, plain(str(heavy).partition("\n")[2]))
    assert "low and high allow for that, as far as it can be estimated." in plain(str(heavy))
    assert "at least" not in str(light)
    assert "low and high are for the true" in str(light)


def test_intervals_are_not_said_to_be_for_the_truth(both: tuple[Release, Release]) -> None:
    heavy, light = both
    assert heavy.about.estimand == "modelled"
    assert re.search(PERCENT, plain(heavy.explain()))
    assert "are for the true" not in plain(heavy.explain())
    assert light.about.estimand == "true"
    assert not light.about.too_small


def test_the_report_says_so_in_its_lines_on_error_and_bias(both: tuple[Release, Release], tmp_path: Path) -> None:
    heavy, light = both
    words, others = (read(each.report(tmp_path / "r.html")) for each in (heavy, light))
    answers, usual = ({line.question: line.answer for line in checklist(facts_of(each))} for each in both)
    for question in ("Error", "Bias, small groups"):
        assert re.search(PERCENT, answers[question])
        assert "at least" not in usual[question]
    assert "The intervals are for the true values" not in words
    assert "may be too small by up to" not in others
    assert "The intervals are for the true values" in others


def test_a_picture_and_json_say_so(both: tuple[Release, Release]) -> None:
    heavy, light = both
    assert re.search(r"values may be up to \d+% too small", interval_label(heavy.about))
    assert interval_label(light.about) == "with 95% intervals for the true values"
    parts = json.loads(heavy.to_json())["tail"]
    assert all(0.1 < part < 10 for part in parts.values())
    assert json.loads(light.to_json())["tail"] is None


def test_what_is_unseen_names_an_amount(both: tuple[Release, Release]) -> None:
    """The upper end less the value, where that is most: more of a heavy table than of a light one."""
    heavy, light = both
    amounts = []
    for release in (heavy, light):
        name = next(each for each in release.table.column_names if each.startswith("sum"))
        high = "high" if name == "sum" else f"{name}_high"
        most = np.max(np.subtract(release[high].to_pylist(), release[name].to_pylist()))
        assert f"By that estimate, {name} is too small by at most {most:,.0f}" in release.unseen
        assert release.unseen in release.about.steps
        amounts.append(most / np.max(release[name].to_pylist()))
    assert amounts[0] > 4 * amounts[1]


def test_a_bound_that_is_given_leaves_nothing_to_estimate() -> None:
    release = hc.total(TABLE, user="user", sum="heavy", bound=100, epsilon=1)
    assert (release.unseen, release.about.too_small) == ("", {})
    assert "at least" not in str(release)
