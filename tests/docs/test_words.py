"""The old dialect stays out of the package and of the pages: its phrases, participles as names, adverbs as constants.

What users read is plain English, what programmers read is the standard vocabulary (docs/reference/glossary.md);
docs/style.md has pairs of before and after."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "headcount"
PHRASES = re.compile(r"\b(so many|so much|told|asked|of it|meanwhile|wish|wished|telling)\b", re.I)
NAMES = re.compile(r"^_*(told|asked|drawn|held|made|said|wish|wished)$|_told$", re.I)
ADVERBS = {
    *("LOUDER", "LOOK", "OTHERWISE", "SURE", "SURELY", "NEARLY", "SOME", "SEVERAL", "A_FEW", "ROOMY", "FULL", "USUAL"),
    *("RARE", "FEW", "TELLING", "OFTEN", "ROUGHLY", "STILL", "CLEARLY", "AT_ONCE", "SOFTEST", "LIGHT", "FINE", "SPARE"),
    *("SHORTER", "WORTH", "NEAR", "ALIKE", "EXACTLY", "EVERYBODY", "LONGER", "MISS", "WIDTH"),
}
FILES = sorted(SRC.rglob("*.py"))
LABELS = re.compile(r"\bpapers?\s+00[0-9]\b", re.I)
"""A paper by its number in our folder, also across two lines: papers are cited by author and year."""
FOLDERS = ("src", "audits", "experiments", "benchmarks", "tests")
SCRIPTS = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py") if file != Path(__file__))
OLD = (
    *("so many", "so much", r"(?:is|are|was|be|not|as) told", "is asked", "asked for", "meanwhile", "wish(?:ed)?"),
    *("fulfils?", "in the place of", "of which so", "if nothing is said", "as many as wished", "papers? 00[0-9]"),
    *("our (?:own )?digest", "that is meant", "tells how", "is said by"),
    *("somebody", "next to nothing", "whatever people are like", "one after another", "be ruled out that"),
)
"""Phrases that docs/style.md has a better one for."""
FRONTED = re.compile(r"(?:^|[.!?:|] |\*\* )(?:[-*] |\d+\. )?Of (?!course)", re.MULTILINE)
"""A sentence that begins with "Of": its subject comes first instead."""
IN_CODE = re.compile(rf"\b(?:{'|'.join(OLD)})\b", re.I)
IN_PAGES = re.compile(rf"\b(?:{'|'.join((*OLD, 'beside', 'from which on'))})\b", re.I)
"""In pages "beside" is "compared with", "together with" or "next to"."""
IN_GUIDES = re.compile(r"\b(?:of it|told|asked|telling|took away|takes? away|not mentioned)\b", re.I)
"""Also wrong where nobody proves or measures anything."""
CODE = re.compile(
    r"^```.*?^```$|^    .*?$|`[^`\n]*`|\]\([^)\n]*\)|\{#[^}\n]*\}|<!-- words:.*?<!-- words: end -->",
    re.MULTILINE | re.DOTALL,
)
"""What is no prose: code, targets of links, and what shows old phrases on purpose."""
HISTORY = ROOT / "docs" / "evidence" / "history.md"
"""What earlier versions measured, in the words of that time."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {HISTORY})]
MEASURED = ("docs/proofs",)
EARLIER = ("Somebody with",)
"""How steps begin in releases of earlier versions, which reports still recognise."""


def named(file: Path) -> list[tuple[int, str]]:
    """Every name that a file gives: of functions, classes, arguments, fields and variables."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append((node.lineno, node.name))
        elif isinstance(node, ast.arg):
            found.append((node.lineno, node.arg))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append((node.lineno, node.id))
    return found


@pytest.mark.every_case
@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SRC)))
def test_no_file_speaks_the_old_dialect(file: Path) -> None:
    lines = [line for line in file.read_text().splitlines() if not any(start in line for start in EARLIER)]
    assert [line.strip() for line in lines if PHRASES.search(line) or IN_CODE.search(line)] == []
    assert [name for name in named(file) if NAMES.search(name[1])] == []
    assert [name for name in named(file) if name[1].strip("_") in ADVERBS] == []


def test_papers_are_cited_by_author_and_year() -> None:
    assert [str(file.relative_to(ROOT)) for file in SCRIPTS if LABELS.search(file.read_text())] == []


def prose(page: Path) -> list[str]:
    """The lines of a page without code, and without what shows old phrases on purpose."""
    return CODE.sub(lambda found: "\n" * found[0].count("\n"), page.read_text()).splitlines()


@pytest.mark.every_case
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_speaks_the_old_dialect(page: Path) -> None:
    guide = not str(page.relative_to(ROOT)).startswith(MEASURED)
    found = [
        line
        for line in prose(page)
        if IN_PAGES.search(line) or FRONTED.search(line) or (guide and IN_GUIDES.search(line))
    ]
    assert found == []


def strings(file: Path) -> list[str]:
    """The texts of a file that users may read: all of them but docstrings."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    described = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    constants = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in described]
    return [node.value for node in constants if isinstance(node.value, str)]


@pytest.mark.every_case
@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SRC)))
def test_no_text_for_users_speaks_the_old_dialect(file: Path) -> None:
    old = [text for text in strings(file) if IN_PAGES.search(text) or IN_GUIDES.search(text) or FRONTED.search(text)]
    assert [text for text in old if text not in EARLIER] == []


def test_the_dialect_is_heard() -> None:
    assert IN_PAGES.search("what was asked for is told")
    assert IN_PAGES.search("Somebody with more counts less, beside a bound that takes next to nothing away.")
    assert all(map(FRONTED.search, ("Of items, one.", "It is. Of these, two.", "| Of three |", "- **a.** Of four")))
    assert not FRONTED.search("Most of them. Offers. Of course.")
    assert not IN_PAGES.search("people who asked")
    assert PHRASES.search("so many items are told")
    assert LABELS.search("as printed (paper\n003, section 4)")
    assert not LABELS.search("Rogers 2024, section 4; paper.py has 0.003")
    assert not PHRASES.search("a wishlist, as many as")
    assert all(map(NAMES.search, ("price_told", "asked", "_made")))
    assert not NAMES.search("withheld")
