"""Which Java Spark starts on: fake ones that say a version and nothing else."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from headcount.errors import BadParameter
from headcount.source.engines import java

SPARK = "3.5.7"
Choose = Callable[..., str]


def fake(home: Path, version: str, *, code: int = 0, before: str = "") -> str:
    """A Java home."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{before}openjdk version \"{version}\" 2024-01-01' >&2\nexit {code}\n")
    program.chmod(0o755)
    return str(home)


@pytest.fixture
def choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Choose:
    """What JAVA_HOME is after the choice between Javas of these versions: the folder's name, or "" for that on PATH."""

    def chosen(*, home: str = "", path: str = "", wheel: str = "", spark: str = SPARK) -> str:
        homes = {name: fake(tmp_path / name, said) for name, said in (("path", path), ("wheel", wheel)) if said}
        monkeypatch.setenv("JAVA_HOME", "")  # as if it were not set
        monkeypatch.setenv("PATH", f"{homes['path']}/bin" if path else str(tmp_path / "empty"))
        monkeypatch.setattr(java, "_packaged", lambda: homes.get("wheel"))
        if home:
            monkeypatch.setenv("JAVA_HOME", fake(tmp_path / "home", home))
        java.use_java(spark, install="pip install it")
        return Path(os.environ["JAVA_HOME"]).name

    return chosen


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ({"path": "17.0.2", "wheel": "21.0.8"}, ""),  # Linux on ARM
        ({"path": "17.0.2", "wheel": "17.0.9"}, ""),
        ({"path": "1.8.0_302", "wheel": "21"}, ""),
        ({"path": "11.0.2", "wheel": "21"}, ""),
        ({"path": "21.0.1", "wheel": "17.0.9"}, "wheel"),
        ({"path": "25", "wheel": "17.0.9"}, "wheel"),
        ({"path": "25", "wheel": "21.0.8"}, "wheel"),  # without Arrow
        ({"path": "21.0.1", "wheel": "21.0.8"}, ""),
        ({"path": "21.0.1"}, ""),
        ({"wheel": "21.0.8"}, "wheel"),
        ({"path": "1.7.0_80", "wheel": "21.0.8"}, "wheel"),
        ({"path": "24-ea", "wheel": "17-internal"}, "wheel"),
        ({"home": "21.0.1", "path": "17.0.2", "wheel": "17.0.9"}, "home"),  # the user's own, whatever it is
        ({"home": "25", "path": "17.0.2"}, "home"),
        ({"path": "21.0.2", "wheel": "17", "spark": "4.0.1"}, ""),
    ],
)
def test_the_java_that_suits_best(choose: Choose, there: dict[str, str], expected: str) -> None:
    assert choose(**there) == expected


@pytest.mark.parametrize(
    "there",
    [
        {},
        {"path": "25"},
        {"path": "1.7.0_80", "wheel": "23.0.1"},
        {"path": "11.0.2", "wheel": "17.0.9", "spark": "4.0.1"},  # that of the wheel lacks a module
    ],
)
def test_no_java_that_suits(choose: Choose, there: dict[str, str]) -> None:
    with pytest.raises(BadParameter) as failed:
        choose(**there)
    assert str(failed.value) == (
        f"there is no Java that Spark {there.get('spark', SPARK)} runs on. "
        "Fix: pip install it, or set JAVA_HOME to a JDK 17"
    )


def test_a_java_home_without_a_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the user's: nothing is chosen instead."""
    for home in (str(tmp_path / "none"), fake(tmp_path / "broken", "17.0.2", code=1)):
        monkeypatch.setenv("JAVA_HOME", home)
        with pytest.raises(BadParameter, match="there is no Java that starts") as failed:
            java.use_java(SPARK, install="pip install it")
        assert home in str(failed.value)


def test_a_java_that_does_not_start_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As /usr/bin/java is on a Mac where none is installed."""
    monkeypatch.setenv("JAVA_HOME", "")  # as if it were not set
    monkeypatch.setenv("PATH", fake(tmp_path / "stub", "17.0.2", code=1) + "/bin")
    monkeypatch.setattr(java, "_packaged", lambda: fake(tmp_path / "wheel", "21.0.8"))
    java.use_java(SPARK, install="")
    assert os.environ["JAVA_HOME"] == str(tmp_path / "wheel")


def test_what_else_a_java_says_is_not_its_version(tmp_path: Path) -> None:
    assert java._version(fake(tmp_path, "17.0.2", before="Picked up JAVA_TOOL_OPTIONS: -Dversion=9 ")) == 17


@pytest.mark.parametrize(
    ("spark", "version", "expected"),
    [
        ("3.5.7", "1.8", True),
        ("3.5.7", "11", True),
        ("3.5.7", "17", True),
        ("3.5.7", "21", False),
        ("4.0.1", "21", True),
    ],
)
def test_where_spark_sends_arrow(spark: str, version: str, expected: bool) -> None:
    assert java.sends_arrow(spark, version) is expected
