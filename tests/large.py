"""A table of many events, made by arithmetic: common items are far more common, a few people do far more."""

from pathlib import Path

ROWS = 1_500_000

EVENTS = """
COPY (SELECT floor(250000 * pow(hash(i) / pow(2.0, 64), 2))::BIGINT AS person,
             'item ' || floor(pow(300000, hash(i + {rows}) / pow(2.0, 64)))::BIGINT AS item
      FROM range({rows}) AS r(i)) TO '{path}'"""


def events(folder: Path, rows: int = ROWS) -> Path:
    """The file: `person` and `item`."""
    import duckdb

    path = folder / "events.parquet"
    with duckdb.connect() as connection:
        connection.execute(EVENTS.format(rows=rows, path=path))
    return path
