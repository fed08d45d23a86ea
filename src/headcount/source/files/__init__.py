"""Files that hold a table: Parquet, CSV and JSON lines, each read so that a broken row affects no other."""
