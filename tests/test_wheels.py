"""Wheels for every platform: what the workflow says is what cibuildwheel is told."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text())
TOLD: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
COMMANDS = {"posix": TOLD["test-command"], "windows": TOLD["windows"]["test-command"]}


def test_every_platform_has_a_machine_of_its_kind() -> None:
    built = {each["platform"]: each["runner"] for each in WORKFLOW["jobs"]["wheel"]["strategy"]["matrix"]["include"]}
    assert {name: runner.split("-")[0] for name, runner in built.items()} == {
        "linux-x86_64": "ubuntu",
        "linux-aarch64": "ubuntu",
        "macos-x86_64": "macos",
        "macos-arm64": "macos",
        "windows-x86_64": "windows",
    }
    runners = [*built.values(), *(job["runs-on"] for job in WORKFLOW["jobs"].values() if "matrix" not in str(job))]
    assert not [each for each in runners if "latest" in each]


@pytest.mark.parametrize("system", COMMANDS)
def test_a_wheel_is_tried_with_its_own_kernels(system: str) -> None:
    """By tests that are there, in the words of the shell that runs them."""
    assert TOLD["test-environment"] == {"HEADCOUNT_KERNELS": "installed"}
    tried = [word for command in COMMANDS[system] for word in command.split() if word.startswith("tests/")]
    assert "tests/source/test_kernels.py" in tried
    assert [path for path in tried if not (ROOT / path).exists()] == []
    enter = "cd /d {project} && " if system == "windows" else "cd {project} && "
    assert all(command.startswith(enter) for command in COMMANDS[system] if "tests/" in command)
    assert not [command for command in COMMANDS[system] if "'" in command]  # no quote in cmd.exe
