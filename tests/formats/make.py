"""Make the files of one version, which later versions must read, in tests/formats/<version>:

    python -m tests.formats.make 0.10                              by this version
    PYTHONPATH=<older>/src python tests/formats/make.py 0.9        by an older one, checked out at <older>

Once committed they are never made again: they are what that version wrote.
"""

import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import headcount as hc

FOLDER = Path(__file__).parent
JOBS: dict[str, dict[str, Any]] = {
    "histogram": {"by": "word", "bound": 1},
    "profile": {"by": "word"},
    "quantiles": {"value": "age", "edges": list(range(0, 101, 10)), "q": [0.5]},
    "shape": {"by": "word", "bound": 1},
    "total": {"bound": 1},
}
"""One release of every kind of table that has a layout of its own."""


def rows() -> str:
    """People with a word and an age each."""
    return "user,word,age\n" + "".join(f"{user},{'abc'[user % 3]},{user * 7 % 90}\n" for user in range(300))


def fails(head: str, secret: bytes = b"") -> bytes:
    """Work that is never finished."""
    raise MemoryError


def make(target: Path) -> None:
    """Make a ledger with its releases, its key and its head, and a plan."""
    visits, path = target / "visits.csv", target / "visits.db"
    visits.write_text(rows())
    ledger = hc.Ledger(path, epsilon=9, delta=1e-5)
    for name, asked in JOBS.items():
        job: Callable[..., hc.Release] = getattr(hc, name)
        release = job(visits, user="user", epsilon=1, ledger=ledger, **asked)
        release.save(target / f"{name}.parquet")
    with suppress(MemoryError):
        ledger.publish(hc.Charge("never finished", hc.Cost(Fraction(1), Fraction(0))), fails)
    (target / "plan.json").write_text(hc.plan("total", visits, user="user", epsilon=1, bound=1).to_json())
    (target / "heads.json").write_text(json.dumps({"visits": ledger.head, "spent": str(ledger.spent.epsilon)}))


def keep(made: Path, target: Path) -> None:
    """Copy what is kept: neither lock nor secret, and the ledger packed."""
    target.mkdir(exist_ok=True)
    for file in sorted(made.iterdir()):
        if file.suffix == ".db":
            (target / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
        elif ".secret-" not in file.name and file.suffix != ".lock":
            shutil.copyfile(file, target / ("key" if file.suffix == ".key" else file.name))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
        keep(Path(name), FOLDER / sys.argv[1])
