"""Every planted bug turns its test red. That the same tests are green without it, the rest of the run shows.

The full tier plants one bug in each room, always the same, and those that lie in, or are caught by, a file that
changed since the branch began or, where there is no other branch, since the last commit.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from .bug import patched
from .planted import BUGS, ROOT, Bug, caught

SPARK = "tests/conformance/"
FIRST_OF_EACH_ROOM = {bug.file.partition("/")[0]: bug for bug in reversed(BUGS) if not bug.caught_by.startswith(SPARK)}
MAX_CHANGED = 15
"""A change that touches more bugs than these has a sample of them: its author runs all."""


def git(*words: str) -> str:
    """What git says; nothing where there is no git, or no such commit."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        return ""


def changed_files() -> set[str]:
    """Files that differ from where the branch began, committed or not."""
    start = git("merge-base", "HEAD", "origin/main")
    if start in ("", git("rev-parse", "HEAD")):
        start = "HEAD~1"
    return set(git("diff", "--name-only", "--relative", start).splitlines())


def changed_bugs() -> list[Bug]:
    files = changed_files()
    found = [bug for bug in BUGS if {f"src/headcount/{bug.file}", bug.caught_by.partition("::")[0]} & files]
    return found[:: 1 + len(found) // MAX_CHANGED]


BY_DAY = {bug.name for bug in [*FIRST_OF_EACH_ROOM.values(), *changed_bugs()]}


@pytest.mark.planted
@pytest.mark.slow(but=BY_DAY)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_caught(bug: Bug) -> None:
    """Each bug runs in a process of its own."""
    assert caught(bug)


def test_every_room_has_a_bug_in_the_full_tier() -> None:
    assert {bug.file.partition("/")[0] for bug in BUGS} == set(FIRST_OF_EACH_ROOM)


def test_every_planted_text_is_there_once_and_its_test_exists() -> None:
    """A bug whose text moved away would plant nothing."""
    sources = {bug.file: (ROOT / "src/headcount" / bug.file).read_text() for bug in BUGS}
    lost = [bug.name for bug in BUGS if any(sources[bug.file].count(text) != 1 for text, _ in bug.patches)]
    assert lost == []
    tests = {file: (ROOT / file).read_text() for file in {bug.caught_by.partition("::")[0] for bug in BUGS}}
    names = [(bug.caught_by.partition("::")[0], bug.caught_by.split("::")[-1].partition("[")[0]) for bug in BUGS]
    assert [name for file, name in names if f"def {name}(" not in tests[file]] == []


def test_every_planted_bug_is_code_without_unknown_names(tmp_path: Path) -> None:
    """A bug that cannot even run is caught by anything, and shows nothing."""
    python = [bug for bug in BUGS if bug.file.endswith(".py")]
    for number, bug in enumerate(python):
        (tmp_path / f"{number}.py").write_text(patched(bug))
    check = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select",
        "F821,F822,F823",
        "--output-format=concise",
    ]
    found = subprocess.run([*check, str(tmp_path)], capture_output=True, text=True).stdout
    names = {f"{number}.py": bug.name for number, bug in enumerate(python)}
    lines = [Path(line.partition(":")[0]).name for line in found.splitlines()]
    assert sorted({names[line] for line in lines if line in names}) == []
