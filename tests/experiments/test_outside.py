"""Experiments are not the product: the wheel is src/headcount alone."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
BESIDE = ("audits", "experiments", "benchmarks", "tests", "reproduce")


def test_the_wheel_is_the_package_alone() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"] == {
        "packages": ["src/headcount"],
        "hooks": {"custom": {}},  # which compiles the kernels
    }
    assert list(project["project"]["scripts"]) == ["headcount"]
    package = ROOT / "src" / "headcount"
    assert not [path for name in BESIDE for path in (package / name, package / f"{name}.py") if path.exists()]
