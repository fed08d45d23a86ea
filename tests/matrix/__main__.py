"""Install headcount in every cell, try it, and print a table. The exit code is 1 if a step fails anywhere.

python -m tests.matrix [WORD ...]    only cells whose titles have all of these words
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.matrix.cells import CELLS, Cell
from tests.matrix.install import build, environment, interpreter, run, size, versions

SMOKE = Path(__file__).with_name("smoke.py")


@dataclass(frozen=True)
class Outcome:
    """What a cell came to."""

    cell: Cell
    passed: int = 0
    failures: tuple[str, ...] = ()
    installed: str = ""
    """Versions and size."""

    @property
    def result(self) -> str:
        """The cell in the table."""
        if self.failures:
            return f"{len(self.failures)} FAIL"
        return f"all {self.passed}" if self.passed else "skipped: there is no such Python"


def main(words: Sequence[str]) -> int:
    """Print the table."""
    chosen = [cell for cell in CELLS if all(word.lower() in cell.title.lower() for word in words)]
    with TemporaryDirectory(prefix="headcount-wheel-") as folder:
        outcomes = list(_outcomes(chosen, build(Path(folder))))
    print("| environment | steps | installed |\n|---|---|---|")
    for each in outcomes:
        print(f"| {each.cell.title} | {each.result} | {each.installed} |")
    for each in outcomes:
        print(*(f"\n{each.cell.title}: {failure}" for failure in each.failures), sep="", end="")
    return int(any(each.failures for each in outcomes) or not any(each.passed for each in outcomes))


def _outcomes(cells: Sequence[Cell], wheel: Path) -> Iterator[Outcome]:
    for cell in cells:
        python = interpreter(cell.python)
        outcome = Outcome(cell) if python is None else _try(cell, python, wheel)
        print(f"{cell.title}: {outcome.result}", file=sys.stderr, flush=True)
        yield outcome


def _try(cell: Cell, python: str, wheel: Path) -> Outcome:
    try:
        with environment(cell, python, wheel) as programs, TemporaryDirectory(prefix="headcount-cell-") as folder:
            packages, megabytes = size(programs / "python")
            found = ", ".join(f"{name} {version}" for name, version in versions(programs / "python").items())
            done = run([programs / "python", SMOKE, cell.steps], Path(folder))
            return _outcome(cell, done, f"{packages} packages, {megabytes} MB: {found}")
    except subprocess.CalledProcessError as error:
        return Outcome(cell, failures=(f"cannot be installed: {error}",))


def _outcome(cell: Cell, done: subprocess.CompletedProcess[str], installed: str) -> Outcome:
    """Read the steps, a line of JSON each: a name, and what went wrong."""
    steps = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    failures = [f"{name}: {wrong}" for name, wrong in steps if wrong]
    if done.returncode or not steps:
        failures.append(f"ended with {done.returncode}: {done.stderr[-2000:]}")
    return Outcome(cell, len(steps) - len(failures), tuple(failures), installed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
