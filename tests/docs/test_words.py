"""The old dialect stays out of the package: its phrases, its participles as names, its adverbs as constants.

What users read is plain English, what programmers read is the standard vocabulary (docs/reference/glossary.md)."""

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "headcount"
PHRASES = re.compile(r"\b(so many|so much|told|asked|of it|meanwhile|wish|wished|telling)\b", re.I)
NAMES = re.compile(r"^_*(told|asked|drawn|held|made|said|wish|wished)$|_told$", re.I)
ADVERBS = {
    *("LOUDER", "LOOK", "OTHERWISE", "SURE", "SURELY", "NEARLY", "SOME", "SEVERAL", "A_FEW", "ROOMY", "FULL", "USUAL"),
    *("RARE", "FEW", "TELLING", "OFTEN", "ROUGHLY", "STILL", "CLEARLY", "AT_ONCE", "SOFTEST", "LIGHT", "FINE", "SPARE"),
    *("SHORTER", "WORTH", "NEAR", "ALIKE", "EXACTLY", "EVERYBODY", "LONGER", "MISS", "WIDTH"),
}
FILES = sorted(SRC.rglob("*.py"))


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
    lines = enumerate(file.read_text().splitlines(), 1)
    assert [f"{number}: {line.strip()}" for number, line in lines if PHRASES.search(line)] == []
    assert [name for name in named(file) if NAMES.search(name[1])] == []
    assert [name for name in named(file) if name[1].strip("_") in ADVERBS] == []


def test_the_dialect_is_heard() -> None:
    assert PHRASES.search("so many items are told")
    assert not PHRASES.search("a wishlist, as many as")
    assert all(map(NAMES.search, ("price_told", "asked", "_made")))
    assert not NAMES.search("withheld")
