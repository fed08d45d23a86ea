"""Whether a table is the same as before: a fingerprint of what will be read, which a ledger keeps under a key.

of a file      SHA-256 of its bytes; of several files, of their digests, sorted: names and order do not matter
of a table     how many rows there are, and two sums of 64-bit hashes of them, computed by its engine: the order of rows
               does not matter, and a row that stands there twice counts twice. On DuckDB the second hash is one of the
               first, as texts are hashed but once

Nobody can make use of two tables with the same fingerprint: at most the release of the one is returned for the other.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import ibis
from ibis.expr import types as ir

from headcount.source import spark
from headcount.source.engine import Limits, reading
from headcount.source.events import Events
from headcount.source.kept import on_spark


def identified(events: Events, limits: Limits) -> tuple[bytes, Events]:
    """The fingerprint; and the table to be read next, which is not converted a second time."""
    if events.files is not None:
        return of_files(events.files()), events
    ready = events.loaded(events)
    table = ready.table()  # column0, column1, ...
    with reading(table, limits if events.ours else None):
        return of_table(table), ready


def of_files(found: Sequence[str]) -> bytes:
    """The fingerprint of files of one kind."""
    kind, digests = Path(found[0].lower().removesuffix(".gz")).suffix, sorted(map(_of_file, found))
    return hashlib.sha256(kind.encode() + b"".join(digests)).digest()


def _of_file(name: str) -> bytes:
    with Path(name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def of_table(table: ir.Table) -> bytes:
    """The fingerprint of a table on its engine."""
    sums = spark.sums(table) if on_spark(table) else _duckdb_sums(table)
    return repr([int(each) for each in sums]).encode()


def _duckdb_sums(table: ir.Table) -> tuple[int, ...]:
    row = f"hash({', '.join(table.columns)})"  # column0, column1, ...
    sums = ", ".join(f"coalesce(sum({each}), 0)" for each in (row, f"hash({row})"))
    found = ibis.get_backend(table)._to_duckdb_relation(table).aggregate(f"count(*), {sums}").fetchone()
    assert found is not None, "an aggregate has a row"
    return tuple(found)
