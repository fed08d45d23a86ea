"""Run the tests that depend on what changed: `python -m tests.changed [COMMIT] [options of pytest]`.

Changed is what differs from a commit, by default from the last one. A test depends on all modules that it imports,
directly or not; `hc.name` is the module of that name, a process of its own the whole command line. A file that is not
Python has the tests of its folder. Those that import what changed by the shortest way come first. Tests of the
architecture always run: what they look at are all files.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Set
from functools import cache
from pathlib import Path

from benchmarks.architecture import Graph, imported, modules

from headcount import _HOMES as HOMES

ROOT = Path(__file__).parents[1]
ALWAYS = ("tests/architecture",)
BESIDE = ("tests", "audits", "benchmarks", "experiments", "docs")
PROCESS = {"tests.process": {"headcount.__main__"}, "headcount.__main__": {"headcount.cli"}}
"""What is started, and so imported by no line that can be read."""


def files(root: Path) -> dict[str, Path]:
    """All Python files, by the names that they are imported by."""
    beside = (path for folder in BESIDE for path in sorted((root / folder).rglob("*.py")))
    named = {".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path for path in beside}
    return modules(root / "src") | named


@cache
def graph(root: Path) -> Graph:
    """The modules that each module depends on; a package's public names stand for where they live."""
    known = files(root)
    return {name: _needed(name, path, known.keys()) | PROCESS.get(name, set()) for name, path in known.items()}


def _needed(name: str, path: Path, known: Set[str]) -> set[str]:
    source = path.read_text()
    folder = name if path.stem == "__init__" else name.rpartition(".")[0]
    found = imported(source, known, folder)
    if "headcount" in found and name != "headcount":
        found = found - {"headcount"} | {HOMES[each] for each in _public(source) if each in HOMES}
    return (found & known) - {name}


def _public(source: str) -> set[str]:
    """The names that a file takes from the package itself."""
    by_import = {
        alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module == "headcount"
        for alias in node.names
    }
    return by_import | set(re.findall(r"\b(?:hc|headcount)\.(\w+)", source))


def distances(changed: Iterable[str], needs: Graph) -> dict[str, int]:
    """How many imports lead from each module to one that changed; only those that depend on one."""
    found, waiting = dict[str, int](), set(changed)
    while waiting:
        found |= dict.fromkeys(waiting, len(found) and max(found.values()) + 1)
        waiting = {name for name, needed in needs.items() if needed & waiting} - found.keys()
    return found


def chosen_for(changed: Iterable[Path], root: Path = ROOT) -> list[str]:
    """The files and folders of tests to run, for some changed files; the nearest first."""
    known = files(root)
    names, paths = {path: name for name, path in known.items()}, list(changed)
    away = distances((names[path] for path in paths if path in names), graph(root))
    chosen = [known[name] for name in sorted(away, key=lambda name: away[name]) if _is_test(name)]
    beside = [_home(path, root) for path in paths if path not in names or path.name == "conftest.py"]
    return list(dict.fromkeys([*ALWAYS, *(str(path.relative_to(root)) for path in (*beside, *chosen))]))


def _is_test(name: str) -> bool:
    return name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")


def _home(path: Path, root: Path) -> Path:
    """The tests of a file that no test imports: in its folder, in the folder of its name, or those of the pages."""
    inside = path.relative_to(root).parts
    named = root / "tests" / (inside[1] if inside[0] == "tests" and len(inside) > 2 else inside[0])
    return path.parent if path.name == "conftest.py" else named if named.is_dir() else root / "tests" / "docs"


def changed_since(commit: str) -> list[Path]:
    """The files that differ from a commit, or are new."""
    git = ["git", "-C", str(ROOT)]
    lines = [
        *_lines([*git, "diff", "--name-only", "--diff-filter=d", commit]),
        *_lines([*git, "ls-files", "--others", "--exclude-standard"]),
    ]
    return [ROOT / line for line in lines]


def _lines(command: list[str]) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def main(arguments: list[str]) -> int:
    """Run pytest."""
    commit, options = (arguments[0], arguments[1:]) if arguments and arguments[0][0] != "-" else ("HEAD", arguments)
    found = chosen_for(changed_since(commit))
    print(f"{len(found)} files or folders of tests depend on what changed since {commit}.", flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", *options, *found], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
