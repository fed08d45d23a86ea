"""The items of each person in files, for simulations."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from headcount.errors import UnknownColumn
from headcount.source.files.files import open_files

LONGEST = 40
"""Most characters of a column's name in a refusal."""


def people_in(files: Sequence[str], user: str, by: str) -> list[list[str]]:
    """Everybody's different items as text, in their order; rows without a person or without an item do not count."""
    tables = open_files(files, (user, by))
    for names in tables.names:
        for column in (user, by):
            if column not in names:
                raise UnknownColumn(f"there is no column {column[:LONGEST]!r}.", fix=f"one of {', '.join(names)}")
    rows = tables.read((user, by)).table.to_pyarrow().drop_null()
    users, items = (pc.cast(rows[name], pa.string()).to_pylist() for name in ("column0", "column1"))
    found: dict[str, dict[str, None]] = {}
    for person, item in zip(users, items, strict=True):
        found.setdefault(person, {})[item] = None
    return [list(each) for each in found.values()]
