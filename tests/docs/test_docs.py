"""The documentation is true: its snippets run and print what they say they print, and it builds without a warning."""

import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import process

import headcount

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = Path(sys.executable).with_name("headcount")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def case(page: Path) -> Any:
    """A page to run; the one that starts a Spark has a sample in `conformance` instead, in the quick tier."""
    return pytest.param(page, marks=[pytest.mark.spark, pytest.mark.slow]) if page.name == "spark.md" else page


def matches(printed: str, written: str) -> bool:
    """Whether the text is what the page says, where `...` stands for anything."""
    pattern = ".*?".join(map(re.escape, written.strip().split("...")))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def run_console(block: str) -> None:
    """Each `$ command` prints what follows it; one of ours without anything of the shell is started by a fork."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, written = part.partition("\n")
        if re.fullmatch(r"headcount [^|&;<>$`*?~]*", command):
            run = process.run(COMMAND, *shlex.split(command)[1:], cwd=Path.cwd())
        else:
            path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
            run = subprocess.run(command, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert matches(run.stdout + run.stderr, written), f"{command}\n{run.stdout}{run.stderr}"


@pytest.mark.parametrize("page", [case(page) for page in PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_snippets(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python blocks run in order and share their names; a text block after one is what it prints."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    printed = io.StringIO()
    for kind, block in BLOCK.findall(page.read_text()):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, page.name, "exec"), names)
        elif kind == "text":
            assert matches(printed.getvalue(), block), f"{block}\nbut it printed:\n{printed.getvalue()}"
        elif kind == "console":
            run_console(block)


def with_examples() -> list[str]:
    """The modules whose text has an example, by name."""
    package = Path(headcount.__path__[0])
    found = [file.relative_to(package.parent) for file in package.rglob("*.py") if ">>> " in file.read_text()]
    return sorted(".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in found)


@pytest.mark.parametrize("name", with_examples())
def test_docstring_examples(name: str) -> None:
    ran = doctest.testmod(importlib.import_module(name))
    assert ran.failed == 0
    assert ran.attempted > 0


def test_every_module_can_be_imported() -> None:
    for module in pkgutil.walk_packages(headcount.__path__, "headcount."):
        importlib.import_module(module.name)


def test_the_site_builds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "index.html").exists()


def test_every_cited_page_exists() -> None:
    """A proof that the code points to is there."""
    cited = set()
    for file in (ROOT / "src").rglob("*.py"):
        cited |= set(re.findall(r"docs/[\w/-]+\.md", file.read_text()))
    assert cited
    assert [page for page in cited if not (ROOT / page).exists()] == []


def test_every_file_says_what_it_is_for() -> None:
    for file in [
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "tests").rglob("test_*.py"),
        *(ROOT / "benchmarks").glob("*.py"),
    ]:
        assert file.read_text().startswith('"""'), file
