"""`make test-changed` runs what depends on a file, however it gets there."""

from pathlib import Path

import pytest

from tests.changed import ROOT, chosen_for, distances

CHANGES = {
    "a module": ("src/headcount/federated/messages.py", "tests/federated/test_messages.py"),
    "by a public name": ("src/headcount/jobs/quantiles.py", "tests/usability/test_numbers.py"),
    "by a process": ("src/headcount/cli/app.py", "tests/cli/test_names.py"),
    "a page": ("docs/index.md", "tests/docs"),
    "what is expected": ("tests/golden/expected/refused.json", "tests/golden"),
    "fixtures of all": ("tests/conftest.py", "tests"),
    "a figure": ("benchmarks/tails.json", "tests/benchmarks"),
    "settings": ("pyproject.toml", "tests/docs"),
    "planted bugs": ("tests/privacy/planted/mechanism/known.py", "tests/privacy/test_planted.py"),
}


@pytest.mark.every_case
@pytest.mark.parametrize(("changed", "test"), CHANGES.values(), ids=CHANGES)
def test_a_change_leads_to_its_tests(changed: str, test: str) -> None:
    chosen = chosen_for([ROOT / changed])
    assert test in chosen
    assert "tests/architecture" in chosen


def test_what_does_not_depend_on_a_change_is_left_out() -> None:
    assert not any("noise" in test for test in chosen_for([ROOT / "src/headcount/federated/messages.py"]))


def test_the_nearest_come_first() -> None:
    needs = {"a": set[str](), "b": {"a"}, "c": {"b", "a"}, "d": {"c"}, "e": set[str]()}
    assert distances(["a"], needs) == {"a": 0, "b": 1, "c": 1, "d": 2}


def test_every_file_that_is_chosen_is_there() -> None:
    assert all(Path(ROOT / test).exists() for test in chosen_for([ROOT / "src/headcount/exact.py"]))
