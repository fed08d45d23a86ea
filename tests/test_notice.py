"""NOTICE names everything that is installed with headcount, and is in the package."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = [
    each
    for extra in ("chart", "pld", "postgres", "spark", "spark-java")
    for each in PROJECT["optional-dependencies"][extra]
    if not each.startswith("headcount")
]


def name_of(requirement: str) -> str:
    """ibis-framework of `ibis-framework[duckdb]>=12`."""
    return re.split(r"[^a-z0-9-]", requirement)[0]


@pytest.mark.parametrize("package", sorted({name_of(each) for each in [*PROJECT["dependencies"], *EXTRAS]}))
def test_every_dependency_is_named(package: str) -> None:
    assert re.search(rf"^{package} ", (ROOT / "NOTICE").read_text(), re.MULTILINE)


def test_the_package_carries_it() -> None:
    assert PROJECT["license-files"] == ["LICENSE", "NOTICE"]
