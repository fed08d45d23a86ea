"""The result of an experiment: tables, notes on how the paper was read, and a picture, written as Markdown."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments.pictures import Panel, figure
from headcount.errors import visible
from headcount.release.plot import render

Progress = Callable[[str, float], None]
"""Reports the current step and the fraction of the experiment that is done."""


@dataclass(frozen=True)
class Setting:
    """Parameters of a run."""

    data: Path
    """The folder with the real tables."""
    quick: bool = False
    """True for a small version that only shows that everything works."""
    seed: int = 1
    """Seed of synthetic data and of simulated noise. Private selections have no seed."""

    def data_note(self, substitution: str, *, available: bool) -> str:
        """A sentence on the real tables that substitute a paper's data."""
        if self.quick:
            return "The quick version: little data, few runs. Its numbers are not the experiment's."
        return (
            substitution
            if available
            else f"No tables in {visible(str(self.data))}: what would be computed on them is left out."
        )


@dataclass(frozen=True)
class Table:
    """A table of formatted cells."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The table, under its title."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return f"{self.title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper, reproduced."""

    name: str
    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    """How the paper was read, and what does not agree."""
    panels: tuple[Panel, ...]
    """The picture."""

    def markdown(self) -> str:
        """Everything but the picture, as Markdown."""
        notes = "\n".join(f"- {note}" for note in self.notes)
        return "\n\n".join([f"## {self.title}", *(table.markdown() for table in self.tables), notes]) + "\n"

    def save(self, folder: Path) -> list[Path]:
        """Write the Markdown and the picture to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = [self._write(folder, "md", self.markdown().encode())]
        if not self.panels:
            return texts
        picture = figure(self.panels)
        return texts + [self._write(folder, kind, render(picture, kind)) for kind in ("png", "svg")]

    def _write(self, folder: Path, kind: str, content: bytes) -> Path:
        path = folder / f"{self.name}.{kind}"
        path.write_bytes(content)
        return path


Experiment = Callable[[Setting, Progress], Reproduction]


def number(value: float, digits: int = 4) -> str:
    """Format a number as the papers print it: .0124; very small ones with an exponent."""
    plain = f"{value:.{digits}f}"
    return f"{value:.1e}" if 0 < abs(value) < 10**-digits else plain.removeprefix("0") if plain[0] == "0" else plain
