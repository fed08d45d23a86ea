"""A planted bug: text of the package and what it becomes, planted in a copy in which a named test must then fail."""

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests import process

ROOT = Path(__file__).parents[2]
PYTEST = Path(sys.executable).with_name("pytest")
OPTIONS = ("--night", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.privacy.unshrunk")
ALONE = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""One test in one process needs no other plugins."""


@dataclass(frozen=True)
class Bug:
    """One planted bug."""

    name: str
    file: str
    patches: tuple[tuple[str, str], ...]
    """Text, and what it becomes."""
    caught_by: str
    """The test that must fail."""


def planted(bug: Bug, folder: Path) -> None:
    """A copy of the package with the bug in it."""
    package = ROOT / "src" / "headcount"  # linked, with what is compiled: only the bug is written
    shutil.copytree(package, folder / "headcount", copy_function=os.symlink)
    file = folder / "headcount" / bug.file
    file.unlink()
    file.write_text(patched(bug))


def patched(bug: Bug) -> str:
    """The text of the file with the bug in it."""
    text = (ROOT / "src" / "headcount" / bug.file).read_text()
    for old, new in bug.patches:
        if text.count(old) != 1:
            raise LookupError(f"{bug.name}: {old!r} occurs {text.count(old)} times in {bug.file}, not once")
        text = text.replace(old, new)
    return text


def caught(bug: Bug) -> bool:
    """Whether the named test fails with the bug in place."""
    with tempfile.TemporaryDirectory() as folder:
        planted(bug, Path(folder))
        environment = {**os.environ, **ALONE, "PYTHONPATH": folder}
        run = process.run(PYTEST, *OPTIONS, bug.caught_by, cwd=ROOT, env=environment)
    if run.returncode not in (0, 1) or (run.returncode and "failed" not in run.stdout):
        raise LookupError(f"{bug.name}: {bug.caught_by} did not run\n{run.stdout[-2000:]}")
    return run.returncode == 1
