"""What comes back from an engine: rows as Arrow, whole numbers as NumPy's. pandas is not imported for it."""

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import types as ir

from headcount.exact import Integers
from headcount.source import spark
from headcount.source.exclusive import exclusive
from headcount.source.kept import on_spark


def fetched(table: ir.Table) -> pa.Table:
    """The rows, of the types that Ibis says. DuckDB gives them all at once, which all of its threads do together."""
    if on_spark(table):
        return spark.fetched(table)
    backend = ibis.get_backend(table)
    with exclusive(backend):
        found = backend._to_duckdb_relation(table).to_arrow_table()  # `to_pyarrow` would import pandas
    return found.cast(table.schema().to_pyarrow())


def whole_numbers(column: pa.ChunkedArray) -> Integers:
    """The column as NumPy's integers, which may be changed."""
    parts = [np.from_dlpack(chunk) for chunk in column.cast(pa.int64()).chunks]  # `to_numpy` would import pandas
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
