"""Fingerprint of a table, which a ledger keeps under a key: is this the same data as before?

of a file      SHA-256 of its bytes; for several files, of their sorted digests: names and order do not matter
of its rows    where they are cheap to read (Parquet), also as of a table: row order, row groups, compression, other
               columns, and which file holds which row, do not matter
of a table     number of rows and two sums of 64-bit row hashes, computed by its engine (`Engine.row_hashes`): row order
               does not matter, and a repeated row counts as often as it occurs

Two tables that differ by accident collide with a probability of about 2^-64. A collision gives nothing away: at most
the sealed release of one table is returned for the other. (Assumptions: docs/proofs/ledger.md.)

What is read is what has the fingerprint. Files are watched from the first look to the last row (`watch`). A table on a
user's engine is opened once for both: either it shows one snapshot (`Engine.snapshot`), or its rows are hashed again
when they are read (`watch_rows`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from headcount.errors import FileChanged, HeadcountError
from headcount.source.engines.limits import Limits
from headcount.source.engines.registry import engine_of
from headcount.source.engines.scan import Scan
from headcount.source.events import Events
from headcount.source.expressions import ir
from headcount.source.reading import reading

AFTER_CHANGE = (
    "ask again once nobody writes to it. If a ledger was charged, that charge is for the {0} as it was: with that {0} "
    "back it costs nothing more; hc.plan(...).release(ledger=ledger, again=True) pays for the {0} as it is now"
)


def identified(events: Events, limits: Limits) -> tuple[bytes, Events]:
    """Return the fingerprint, and the events to read next, converted only once."""
    if events.files is not None:
        return of_files(events.files()), events
    ready = events.loaded(events)
    table = _rows(ready)  # column0, column1, ...
    with reading(table, limits if events.owns_engine else None):
        return _of_rows(table), ready


def identified_rows(events: Events, limits: Limits) -> bytes:
    """Return the fingerprint of the rows of files, in the columns that are read."""
    table = _rows(events)
    with reading(table, limits if events.owns_engine else None):
        return _of_rows(table)


def _rows(events: Events) -> ir.Table | Scan:
    """The table, opened as SQL if it can be."""
    return events.scan() if events.scan else events.table()


def _of_rows(table: ir.Table | Scan) -> bytes:
    return repr([int(each) for each in engine_of(table).row_hashes(table)]).encode()


def watch(events: Events) -> Callable[[], None]:
    """Return a function that raises `FileChanged` once the files are not those that are there now: each by its name,
    place on the disk, size and time."""
    before = _versions(events)

    def check_unchanged() -> None:
        if _versions(events) != before:
            raise FileChanged(
                f"{events.name}: a file changed while it was read. Nothing was released.",
                fix=AFTER_CHANGE.format("file"),
            )

    return check_unchanged


def watch_rows(events: Events, found: bytes) -> Callable[[], None]:
    """Return a function that raises `FileChanged` if a table on a user's engine has another fingerprint than before."""
    if events.owns_engine or engine_of(table := events.table()).snapshot:
        return lambda: None

    def check_rows() -> None:
        if _of_rows(table) != found:
            raise FileChanged(
                f"{events.name}: the table changed while it was read. Nothing was released.",
                fix=AFTER_CHANGE.format("table"),
            )

    return check_rows


def _versions(events: Events) -> list[tuple[str, int, int, int, int]] | None:
    """Name, device, inode, size and time of each file; None if one cannot be found."""
    try:
        found = [(name, Path(name).stat()) for name in (events.files() if events.files else ())]
    except (OSError, HeadcountError):
        return None
    return [(name, each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for name, each in found]


def of_files(found: Sequence[str]) -> bytes:
    """Return the fingerprint of files of one kind."""
    kind, digests = Path(found[0].lower().removesuffix(".gz")).suffix, sorted(map(_of_file, found))
    return hashlib.sha256(kind.encode() + b"".join(digests)).digest()


def _of_file(name: str) -> bytes:
    with Path(name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
