"""README.md and the front page show what the files of docs/evidence say, and nothing that is older than its code."""

import re
from pathlib import Path

import pytest
from benchmarks.evidence.pages import OLDER, PLAIN_PAGES, SITE, in_plain_text, shown
from benchmarks.evidence.record import FOLDER, read
from benchmarks.evidence.registry import EXPERIMENTS

ROOT = Path(__file__).parents[2]
SITE_PAGES = (ROOT / "docs" / "evidence.md", ROOT / "docs" / "scaling.md")
FIGURE = re.compile(r"\d[\d,.]*\s?(?:%|x\b|s\b|ms\b|MiB|GiB)|\d\.\d|\d,\d{3}")
"""A number with a unit, a fraction or thousands: what somebody measured."""


@pytest.mark.parametrize("page", PLAIN_PAGES, ids=lambda page: page.name)
def test_plain_pages_show_what_the_files_say(page: Path) -> None:
    """`python -m benchmarks.evidence render` writes them."""
    text = page.read_text()
    assert text.replace(f" {OLDER}", "") == in_plain_text(text).replace(f" {OLDER}", "")


@pytest.mark.parametrize("page", PLAIN_PAGES, ids=lambda page: page.name)
def test_plain_pages_show_nothing_that_is_older_than_its_code(page: Path) -> None:
    """The last step of a change: `make evidence-quick` measures anew what is older (planted bugs: the night's run)."""
    assert {each.name for each in shown(page.read_text()) if each.stale} == set()
    assert OLDER not in page.read_text()


def test_what_plain_pages_show_is_measured_quickly_or_does_not_age_with_our_code() -> None:
    for page in PLAIN_PAGES:
        for each in shown(page.read_text()):
            experiment = EXPERIMENTS[each.name]
            assert experiment.quick or not any(source.startswith("src/") for source in experiment.sources), each.name


@pytest.mark.parametrize("page", SITE_PAGES, ids=lambda page: page.name)
def test_every_figure_of_the_evidence_stands_in_a_file(page: Path) -> None:
    lines = re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", page.read_text()).splitlines()
    assert [line for line in lines if line.startswith("|") and FIGURE.search(line)] == []
    assert len(SITE.findall(page.read_text())) > 3


def test_every_file_is_of_an_experiment_or_of_the_matrix() -> None:
    """`matrix` is written by the command that tests versions of dependencies."""
    files = {path.stem for path in FOLDER.glob("*.json")} - {"matrix"}
    assert files <= set(EXPERIMENTS)
    for name in files:
        kept = read(name)
        assert kept is not None
        assert kept.commit or kept.transcribed
        assert kept.tables
