"""Types of columns on a DuckDB of ours, as DuckDB, Ibis and Arrow name them, without Ibis."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast

import pyarrow as pa

from headcount.source.expressions import dt, ibis

KINDS = {
    "VARCHAR": ("string", pa.string()),
    "BOOLEAN": ("boolean", pa.bool_()),
    "TINYINT": ("int8", pa.int8()),
    "SMALLINT": ("int16", pa.int16()),
    "INTEGER": ("int32", pa.int32()),
    "BIGINT": ("int64", pa.int64()),
    "UTINYINT": ("uint8", pa.uint8()),
    "USMALLINT": ("uint16", pa.uint16()),
    "UINTEGER": ("uint32", pa.uint32()),
}
"""Ibis's name and the Arrow type of types of DuckDB whose values are people and items as they are."""
NUMBERS = {
    "UBIGINT": ("uint64", pa.uint64()),
    "FLOAT": ("float32", pa.float32()),
    "DOUBLE": ("float64", pa.float64()),
    **{
        f"DECIMAL({digits},{scale})": (f"decimal({digits}, {scale})", pa.decimal128(digits, scale))
        for digits in range(1, 39)
        for scale in range(digits + 1)
    },
}
"""The same of further types, whose values are numbers."""
ON_DUCKDB = KINDS | NUMBERS
ARROW = dict(ON_DUCKDB.values())
"""Arrow types by Ibis's names."""
PLAIN = {kind: name for name, kind in ON_DUCKDB.values()}
"""Ibis's names of Arrow types that every engine has, so that none is opened to find them."""
FAMILIES = ("string", "boolean", "integer", "floating", "decimal", "date", "timestamp")
NUMERIC = ("integer", "floating", "decimal")


class Kind:
    """Ibis's type of this name: what checks of a schema look at first is known without Ibis."""

    def __init__(self, name: str) -> None:
        self._name = name
        family = _family(name)
        for each in FAMILIES:
            setattr(self, f"is_{each}", lambda holds=each == family: holds)
        self.is_numeric = lambda: family in NUMERIC

    def __getattr__(self, name: str) -> Any:
        return getattr(ibis.dtype(self._name), name)

    def to_pyarrow(self) -> pa.DataType:
        """The type as Arrow has it."""
        return ARROW[self._name]

    def __str__(self) -> str:
        return self._name

    def __eq__(self, other: object) -> bool:
        return str(other) == self._name

    def __hash__(self) -> int:
        return hash(self._name)


def _family(name: str) -> str:
    stem = re.split("[0-9(]", name)[0]
    return {"int": "integer", "uint": "integer", "float": "floating"}.get(stem, stem)


@cache
def kind_named(name: str) -> dt.DataType:
    """The type of this name, as Ibis writes it."""
    return cast("dt.DataType", Kind(name)) if name in ARROW else ibis.dtype(name)
