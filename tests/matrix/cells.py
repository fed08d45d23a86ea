"""The environments that are tried: a Python, and versions of everything that is installed with headcount."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PYTHONS = ("3.11", "3.12", "3.13")
FRAMES = ("pandas>=2.2", "polars>=1.20")
"""Packages that headcount works with, but does not install; the versions are those of the extra `dev`."""

COMPILED = ("duckdb", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "python-flint", "scipy")
"""The lowest version is that of the oldest wheel for a Python: nobody compiles these."""


@dataclass(frozen=True)
class Cell:
    """One environment."""

    python: str
    resolution: Literal["lowest-direct", "highest"]
    """The lowest versions that pyproject.toml allows, or the newest."""
    extras: tuple[str, ...] = ("chart", "pld")
    others: tuple[str, ...] = FRAMES
    """Further requirements."""
    note: str = ""
    steps: Literal["all", "spark"] = "all"

    @property
    def title(self) -> str:
        """What the table calls it."""
        versions = "lowest" if self.resolution == "lowest-direct" else "newest"
        return f"Python {self.python}, {versions}" + (f", {self.note}" if self.note else "")

    def requirements(self, project: Path) -> list[str]:
        """What uv is to install. It takes the lowest versions only of what is named to it, not of what a wheel needs:
        so it reads pyproject.toml."""
        extras = [f"--extra={extra}" for extra in self.extras]
        wheels = [f"--only-binary={package}" for package in COMPILED]
        return [f"--resolution={self.resolution}", f"--requirements={project}", *extras, *wheels, *self.others]


CELLS = [
    *(Cell(python, "lowest-direct") for python in PYTHONS),
    *(Cell(python, "highest") for python in PYTHONS),
    Cell("3.12", "highest", extras=(), others=(), note="headcount alone, without pandas"),
    Cell("3.12", "highest", extras=("spark",), others=("pyspark>=4",), note="PySpark 4", steps="spark"),
    Cell("3.11", "lowest-direct", extras=("spark-java",), others=(), note="PySpark 3.5", steps="spark"),
]
