"""How long tests take: recorded by `pytest --record`, read by the quick tier."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

SECONDS = Path(__file__).with_suffix(".json")
"""Seconds that a case of each test took, on average."""
MIN_SECONDS = 0.01
"""What takes less is written as this."""


class Recorder:
    """A plugin that adds up what setting up, running and tearing down took, and writes it at the end."""

    def __init__(self) -> None:
        self.spent: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.spent[report.nodeid.partition("[")[0]][report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        means = {test: max(round(fmean(cases.values()), 2), MIN_SECONDS) for test, cases in self.spent.items()}
        SECONDS.write_text(json.dumps(recorded() | means, indent=0, sort_keys=True) + "\n")


@cache
def recorded() -> dict[str, float]:
    """Seconds that a case of each test took; nothing where they were not recorded."""
    found: dict[str, float] = json.loads(SECONDS.read_text()) if SECONDS.exists() else {}
    return found
