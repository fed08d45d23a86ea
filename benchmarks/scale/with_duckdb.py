"""The plain query, by DuckDB: how many different people each item has. What every other way is measured against."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def release(table: str, bound: int, how: str) -> pa.Table:
    """(item, count)"""
    query = f"SELECT item, count(DISTINCT user_id) AS count FROM '{table}' GROUP BY item"
    return duckdb.connect().sql(query).to_arrow_table()


def write(found: pa.Table, out: str) -> None:
    """To a file."""
    pq.write_table(found, out)
