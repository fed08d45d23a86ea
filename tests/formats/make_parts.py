"""Make the ledger with a charge in parts, which later versions must read: python -m tests.formats.make_parts 0.10.parts

Once committed it is never made again."""

import gzip
import json
import sys
import tempfile
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path

from headcount.account import Charge, Cost, Ledger, Part, PartKeys, PartResult
from headcount.account.events import Laplace

FOLDER = Path(__file__).parent
EVENTS = (Laplace(Fraction(4), Fraction(1)),)
DAYS = ("Monday", "Tuesday", "Wednesday")
WEEK = Charge("people per day", Cost(Fraction(1), Fraction(0)), EVENTS, parts=tuple(Part(day, EVENTS) for day in DAYS))


def make(target: Path) -> None:
    """Seal two parts of three, and begin the third."""
    with tempfile.TemporaryDirectory() as name:
        ledger = Ledger(Path(name) / "parts.db", epsilon=9, delta=1e-5)
        for day in DAYS:
            with suppress(MemoryError):
                ledger.publish_part(WEEK, day, partial(work, day))
        target.mkdir(exist_ok=True)
        (target / "parts.db.gz").write_bytes(gzip.compress(ledger.path.read_bytes(), mtime=0))
        (target / "heads.json").write_text(json.dumps({"parts": ledger.head}))


def work(day: str, head: str, keys: PartKeys) -> PartResult:
    """Noise of a day; the last day is never finished."""
    if day == DAYS[-1]:
        raise MemoryError
    return PartResult(f"noise of {day}".encode(), EVENTS)


if __name__ == "__main__":
    make(FOLDER / sys.argv[1])
