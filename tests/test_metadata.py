"""What the package says of itself: pyproject.toml, CITATION.cff and SECURITY.md agree with what is there."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from benchmarks.architecture import imported

from tests.matrix.cells import CELLS, FRAMES, PYTHONS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
NAMES = {"dp_accounting": "dp-accounting", "flint": "python-flint", "ibis": "ibis-framework"}
"""Packages that are imported by another name than they are installed by."""


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9_-]", each)[0].lower() for each in requirements}


def test_everything_that_is_imported_is_declared() -> None:
    extras = [
        each
        for extra in ("chart", "flower", "pld", "postgres", "spark", "spark-java")
        for each in PROJECT["optional-dependencies"][extra]
    ]
    declared = names([*PROJECT["dependencies"], *extras, *FRAMES]) | {"py4j"}  # which PySpark brings
    texts = [path.read_text() for path in (ROOT / "src").rglob("*.py")]
    heads = {name.partition(".")[0] for text in texts for name in imported(text)}
    found = heads - set(sys.stdlib_module_names) - {"headcount"}
    assert {NAMES.get(name, name) for name in found} - declared == set()
    assert "sqlglot" in found


def test_every_python_that_is_declared_is_tried() -> None:
    prefix = "Programming Language :: Python :: "
    declared = [each.removeprefix(prefix) for each in PROJECT["classifiers"] if re.fullmatch(rf"{prefix}3\.\d+", each)]
    assert declared == list(PYTHONS)
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    for resolution in ("lowest-direct", "highest"):
        assert set(PYTHONS) <= {cell.python for cell in CELLS if cell.resolution == resolution}


def test_the_citation_is_of_this_version() -> None:
    assert (CITATION["version"], CITATION["license"]) == (PROJECT["version"], PROJECT["license"])
    assert [author["name"] for author in CITATION["authors"]] == [author["name"] for author in PROJECT["authors"]]


@pytest.mark.parametrize("page", ["README.md", "SECURITY.md", "CONTRIBUTING.md"])
def test_links_lead_to_files(page: str) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", (ROOT / page).read_text())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
