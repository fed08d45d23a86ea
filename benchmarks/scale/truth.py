"""The true counts of a table, and how far off a release is from them."""

from pathlib import Path

import duckdb

from benchmarks.scale.rows import Off


def true_counts(table: Path) -> Path:
    """(item, count) of a table, in a file beside it: people per item. Made if it is not there."""
    path = table.with_suffix(".items.parquet")
    if not path.exists():
        part = path.with_suffix(".part")
        counted = f"SELECT item, count(DISTINCT user_id) AS count FROM '{table}' WHERE item IS NOT NULL GROUP BY item"
        duckdb.connect().sql(f"COPY ({counted} ORDER BY item) TO '{part}' (FORMAT parquet)")
        part.rename(path)
    return path


def off(released: Path, truth: Path) -> Off:
    """How far off: all errors over all true counts (items that are not released count with all of theirs); and of the
    released items the median relative error, and the part that is off by more than 10%."""
    asked = f"""
        WITH pairs AS (
            SELECT made.count AS shown, coalesce(made.count, 0) AS made, coalesce(known.count, 0) AS known
            FROM '{truth}' AS known FULL JOIN '{released}' AS made USING (item)
        ), errors AS (SELECT *, abs(shown - known) / greatest(known, 1) AS part FROM pairs)
        SELECT count(shown), sum(abs(made - known)) / sum(known), coalesce(median(part), 0),
            coalesce(avg((part > 0.1)::INT), 0)
        FROM errors
    """
    shown, l1, middle, beyond = duckdb.connect().sql(asked).fetchall()[0]
    return Off(int(shown), round(float(l1), 5), round(float(middle), 5), round(float(beyond), 5))


def fingerprint(released: Path) -> str:
    """The same for the same rows, whatever their order."""
    asked = f"SELECT md5(string_agg(rows::VARCHAR, ',' ORDER BY item)) FROM '{released}' AS rows"
    return str(duckdb.connect().sql(asked).fetchall()[0][0])
