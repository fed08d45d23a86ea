"""The plain query, by Polars with its streaming engine."""

import polars as pl


def release(table: str, bound: int, how: str) -> pl.DataFrame:
    """(item, count)"""
    asked = pl.scan_parquet(table).group_by("item").agg(count=pl.col("user_id").n_unique())
    return asked.collect(engine="streaming")


def write(found: pl.DataFrame, out: str) -> None:
    """To a file."""
    found.write_parquet(out)
