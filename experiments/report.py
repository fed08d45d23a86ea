"""What an experiment gives back: tables, what was read how, and a picture. Written as Markdown."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments.pictures import Panel, figure
from headcount.release.plot import render
from headcount.wording import visible

Progress = Callable[[str, float], None]
"""Reports the current step and the fraction of the experiment that is done."""


@dataclass(frozen=True)
class Setting:
    """How an experiment is run."""

    data: Path
    """The folder with the real tables."""
    quick: bool = False
    """Whether to run a small version, to see that everything works."""
    seed: int = 1
    """Of the synthetic data and of the noise whose effect is measured. Private choices have no seed."""

    def said(self, substituted: str, *, there: bool) -> str:
        """A sentence on the real tables that stand in the place of a paper's."""
        if self.quick:
            return "The quick version: little data, few runs. Its numbers are not the experiment's."
        return (
            substituted
            if there
            else f"No tables in {visible(str(self.data))}: what would be computed on them is left out."
        )


@dataclass(frozen=True)
class Table:
    """Numbers, as they are to be read."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The table, under its title."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return f"{self.title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper, made again."""

    name: str
    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    """What was read how, and what does not agree."""
    panels: tuple[Panel, ...]
    """The picture."""

    def markdown(self) -> str:
        """All of it but the picture."""
        notes = "\n".join(f"- {note}" for note in self.notes)
        return "\n\n".join([f"## {self.title}", *(table.markdown() for table in self.tables), notes]) + "\n"

    def save(self, folder: Path) -> list[Path]:
        """The Markdown and the picture, in a folder."""
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
    """A loss as the papers print it: .0124; very small ones with an exponent."""
    plain = f"{value:.{digits}f}"
    return f"{value:.1e}" if 0 < abs(value) < 10**-digits else plain.removeprefix("0") if plain[0] == "0" else plain
