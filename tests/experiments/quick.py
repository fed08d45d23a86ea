"""Small versions of the experiments."""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

from experiments import experiment
from experiments.parts import Part, PartFunction
from experiments.report import Reproduction, Setting, Table

QUICK = Setting(Path("nowhere"), quick=True)
"""Without the folder of real tables: that is no mistake."""


def quickly(name: str) -> Reproduction:
    """The small version of an experiment."""
    return experiment(name)(QUICK, lambda step, fraction: None)


@cache
def quick_part(part: PartFunction) -> Part:
    """The small version of one part of an experiment, computed once."""
    return part(QUICK)


def computed_once(parts: Mapping[str, PartFunction]) -> dict[str, PartFunction]:
    """The same parts, each in its small version and computed once."""
    return {name: partial(_quick, part) for name, part in parts.items()}


def _quick(part: PartFunction, setting: Setting) -> Part:
    return quick_part(part)


def table(found: Part, title: str) -> Table:
    """The table whose title begins so."""
    (only,) = [each for each in found.tables if each.title.startswith(title)]
    return only


def assert_complete(found: Reproduction, folder: Path) -> None:
    """Tables with all their cells, the note on the quick version, and files with text and pictures."""
    text = found.markdown()
    assert "The quick version" in text
    assert "nan" not in text
    assert sum(len(each.rows) for each in found.tables) >= 1
    assert_filled(found.tables)
    assert [path.name for path in found.save(folder)] == [f"{found.name}.{kind}" for kind in ("md", "png", "svg")]
    assert (folder / f"{found.name}.md").read_text() == text
    assert (folder / f"{found.name}.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / f"{found.name}.svg").read_text()


def assert_filled(tables: tuple[Table, ...]) -> None:
    """Every row has a cell for every column."""
    assert all(len(row) == len(each.columns) for each in tables for row in each.rows)
