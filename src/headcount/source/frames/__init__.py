"""Frames in memory, and their columns as Arrow: pandas, polars, pyarrow, DuckDB relations."""
