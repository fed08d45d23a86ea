"""Keyed hashes of people: SHA-256 of a fresh secret and a person's id as text.

The digits are the same on every engine, in this process and on every retry, and independent of the order of the rows
and of other people.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import numpy as np
import pyarrow as pa

from headcount.exact import Integers
from headcount.source.contributions.contributions import USER, spelled
from headcount.source.contributions.encoded import PERSON, EncodedPairs
from headcount.source.engines.duckdb_connection import connect
from headcount.source.engines.registry import engine_of, to_arrow
from headcount.source.expressions import ibis, ir
from headcount.source.frames.arrow_columns import arrow, hexadecimal, is_text, whole_numbers

DIGITS = 8
"""Hexadecimal digits of the hash used for the start: 32 bits. Of m starts none is favoured by more than m / 2^32."""
FEW_PEOPLE = 1 << 15
"""Most people who are hashed one by one: more take longer than a query."""
PART = 1 << 13
"""People that a core hashes at once."""
Hashes = Callable[[Integers], Integers]
"""Function that returns the keyed hashes of people, by their numbers."""


def hashes(numbers: EncodedPairs, max_items: int, secret: bytes) -> Hashes:
    """Function that returns the hashes of people above a bound, by their numbers: computed in this process if their
    ids are here and are text or integers, else by the engine. The digits are the same."""

    def of_people(people: Integers) -> Integers:
        ids = None if numbers.ids is None else numbers.ids(people)
        if ids is None or not (is_text(ids.type) or pa.types.is_integer(ids.type)):
            with numbers.on_engine(people, max_items) as above:
                return _at(_on_engine(above, secret), people)
        return _one_by_one(ids, secret) if len(ids) <= FEW_PEOPLE else _by_query(ids, secret)

    return of_people


def _one_by_one(ids: pa.Array, secret: bytes) -> Integers:
    key = secret.hex().encode()
    digests = [sha256(key + str(person).encode()).digest()[: DIGITS // 2] for person in ids.to_pylist()]
    return np.frombuffer(b"".join(digests), dtype=">u4").astype(np.int64)


def _by_query(ids: pa.Array, secret: bytes) -> Integers:
    """By a DuckDB of our own, on all cores: the engine of the rows may be elsewhere, and take longer to be ready."""
    digest = f"left(sha256('{secret.hex()}' || CAST(people.\"{USER}\" AS VARCHAR)), {DIGITS})"
    people = pa.table({PERSON: arrow(np.arange(len(ids))), USER: ids})
    parts, connection = pa.Table.from_batches(people.to_batches(PART), people.schema), connect()
    try:
        connection.con.register("people", parts)
        found = connection.con.sql(f"SELECT {PERSON}, {digest} AS digits FROM people").to_arrow_table()
    finally:
        connection.disconnect()
    every = np.empty(len(ids), dtype=np.int64)
    every[whole_numbers(found[PERSON])] = hexadecimal(found["digits"])
    return every


def _on_engine(above: ir.Table, secret: bytes) -> ir.Table:
    """(person, digits) of people. The digits of their hashes stay text, which is far quicker to compile for an engine
    than a number of them."""
    return above.select(PERSON, digits=_digest(above, secret).substr(0, DIGITS))


def _at(hashes: ir.Table, people: Integers) -> Integers:
    """Look up people in (person, digits); 0 for a person without a hash, which is as good as any start."""
    if not len(people):
        return people
    first, last = int(people[0]), int(people[-1])
    found = to_arrow(hashes.filter(hashes[PERSON].between(first, last)))
    every = np.zeros(last - first + 1, dtype=np.int64)
    every[whole_numbers(found[PERSON]) - first] = hexadecimal(found["digits"])
    return every[people - first]


def hashed(people: ir.Table, secret: bytes, digits: int = DIGITS) -> ir.Table:
    """Add a column `hash` to the people: a keyed hash of `digits` hexadecimal digits, as an integer."""
    digested = people.mutate(digest=_digest(people, secret))
    number = ibis.literal(0, "int64")
    for index in range(digits):
        number = number * 16 + ibis.literal("0123456789abcdef").find(digested.digest.substr(index, 1))
    return digested.mutate(hash=number).drop("digest")


def _digest(people: ir.Table, secret: bytes) -> ir.Column:
    """SHA-256 of the secret and each person, in hexadecimal digits."""
    return engine_of(people).sha256(ibis.literal(secret.hex()) + spelled(people[USER]))
