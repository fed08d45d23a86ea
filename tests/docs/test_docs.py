"""The documentation is true: its snippets run and print what they say they print, and it builds without a warning."""

import contextlib
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import headcount
from headcount.jobs import JOBS
from tests.docs import reference
from tests.docs.snippets import (
    ONE_RUN,
    PAGES,
    ROOT,
    fixed_entropy,
    has_one_run,
    matches,
    printed_blocks,
    run_console,
    trimmed,
)


def case(page: Path) -> Any:
    """A page to run; the one that starts a Spark has a sample in `conformance` instead, in the quick tier."""
    return pytest.param(page, marks=[pytest.mark.spark, pytest.mark.slow]) if page.name == "spark.md" else page


@pytest.mark.parametrize("page", [case(page) for page in PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_snippets(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that shows one run is run under fixed entropy: what it shows is fresh (`python -m tests.docs.update`)."""
    monkeypatch.chdir(tmp_path)
    name, text = page.relative_to(ROOT).as_posix(), page.read_text()
    with fixed_entropy() if has_one_run(text) else contextlib.nullcontext():
        for kind, title, block, printed in printed_blocks(name, text):
            if kind == "text" and title == ONE_RUN:
                assert block.strip("\n") == trimmed(printed)
            elif kind == "text":
                assert matches(printed, block), f"{block}\nbut it printed:\n{printed}"
            elif kind == "console":
                run_console(block)


@pytest.mark.every_case
@pytest.mark.parametrize("job", JOBS)
def test_reference_pages_are_fresh(job: str) -> None:
    """`python -m tests.docs.update` writes them."""
    assert reference.without_output(reference.path(job).read_text()) == reference.page(job)


def test_the_page_of_options_is_fresh() -> None:
    """`python -m tests.docs.update` writes it."""
    assert reference.OPTIONS.read_text() == reference.options_page()


def with_examples() -> list[str]:
    """The modules whose text has an example, by name."""
    package = Path(headcount.__path__[0])
    found = [file.relative_to(package.parent) for file in package.rglob("*.py") if ">>> " in file.read_text()]
    return sorted(".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in found)


class Finder(doctest.DocTestFinder):
    """Finds examples of decorated functions too: a wrapper is of the module of what it wraps."""

    def _from_module(self, module: ModuleType | None, object: object) -> bool:  # noqa: A002
        kept = inspect.unwrap(object) if callable(object) else object
        return bool(super()._from_module(module, kept))  # type: ignore[misc]


@pytest.mark.parametrize("name", with_examples())
def test_docstring_examples(name: str) -> None:
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner()
    for example in Finder().find(module):
        runner.run(example)
    assert runner.failures == 0
    assert runner.tries > 0


def test_every_module_can_be_imported() -> None:
    for module in pkgutil.walk_packages(headcount.__path__, "headcount."):
        importlib.import_module(module.name)


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
