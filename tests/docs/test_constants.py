"""Numbers that pages, help and docstrings tell are the code's own."""

from pathlib import Path

import pytest

from experiments.shape import hashing
from headcount.cli.options import help_of
from headcount.errors import BadParameter
from headcount.estimate.shape.table import BUCKETS_PER_ITEM
from headcount.federated.shape import analyst
from headcount.jobs.shape import parse_buckets, shape
from headcount.mechanism.shape import buckets
from tests.privacy.planted import BUGS

ROOT = Path(__file__).parents[2]
SAID = [
    ("docs/how-to/shape.md", f"There are {buckets.BUCKETS_PER_CONTRIBUTION} buckets for each contribution"),
    ("docs/how-to/shape.md", f"take {BUCKETS_PER_ITEM} for each different item"),
    ("docs/how-to/stream.md", f"Take {BUCKETS_PER_ITEM} buckets for each different item"),
    ("docs/how-to/shuffle.md", f"(by default {analyst.BUCKETS_PER_PERSON} for each person)"),
    ("docs/proofs/buckets.md", f"or it is {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution"),
    ("docs/reproduce/shape.md", f"By default it takes B = {buckets.BUCKETS_PER_CONTRIBUTION}n."),
    ("docs/evidence.md", f"{buckets.BUCKETS_PER_CONTRIBUTION} n buckets, which is what is taken"),
    ("src/headcount/jobs/shape.py", f"by default {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution"),
    ("src/headcount/stream/counter.py", f"{BUCKETS_PER_ITEM} for each expected item"),
]


@pytest.mark.parametrize(("page", "text"), SAID)
def test_how_many_buckets_is_told_everywhere_alike(page: str, text: str) -> None:
    assert text in (ROOT / page).read_text()


def test_how_many_buckets_is_told_by_refusals_and_experiments_alike() -> None:
    with pytest.raises(BadParameter, match=f"about {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution"):
        parse_buckets("buckets", 1, {})
    assert f"by default {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution" in help_of(shape, "buckets")
    assert f"By default it takes B = {buckets.BUCKETS_PER_CONTRIBUTION}n." in " ".join(hashing.NOTES)


def test_how_many_bugs_are_planted() -> None:
    number = len(BUGS)
    assert f"and {number} planted bugs each turn a" in (ROOT / "README.md").read_text()
    assert f"each of {number} bugs is put into a copy" in (ROOT / "docs/evidence.md").read_text()
    assert f"**{number} of {number} are caught**" in (ROOT / "docs/evidence.md").read_text()


@pytest.mark.parametrize(
    ("row", "sources"),
    [
        ("headcount, default", ["headcount, auto"]),
        ("OpenDP 0.16, best setting", ["OpenDP 0.16, "]),
        ("SmartNoise-SQL 1.0.10, best setting", ["SmartNoise-SQL 1.0.10, "]),
    ],
)
def test_the_readme_compares_with_figures_of_the_evidence(row: str, sources: list[str]) -> None:
    """Of each table the most good items, of all settings of a system."""
    evidence = (ROOT / "docs/evidence.md").read_text().split("## Beside other systems")[1].split("###")[0]
    lines = [line for line in evidence.splitlines() if line.startswith(tuple(f"| {each}" for each in sources))]
    cells = zip(*([_good(cell) for cell in line.split("|")[2:-1]] for line in lines), strict=True)
    written = next(line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith(f"| {row} "))
    assert [int(cell.strip(" *").replace(",", "")) for cell in written.split("|")[2:-1]] == list(map(max, cells))


def _good(cell: str) -> int:
    """The good items of a cell, of good / shown / l1; none if it repeats another line."""
    first = cell.split("/")[0].strip().replace(",", "")
    return int(first) if first.isdigit() else 0
