"""Limit on the memory that a release file takes, before it is read: a few bytes may stand for far more than there is.

A dictionary, a run of equal values, a shared prefix or compression make much out of little. So a file is decoded a few
rows at a time, with nothing kept, until the sum is too large; and no single value is larger than the file says that its
pages are.
"""

import pyarrow as pa
import pyarrow.parquet as pq

MAX_ROWS = 10**8
MAX_BYTES = 2**28
"""Decoded bytes that any file may have."""
MAX_RATIO = 1000
"""Decoded bytes for each byte of a larger file. Noise does not compress: releases are far below."""
MOST_BATCH = 2**16
"""Rows that are decoded at a time."""
MIN_BATCHES = 16
"""No batch has a larger share of the limit than one of these: decoding takes memory of its own."""


class NotARelease(ValueError):
    """The file is no release; the message says why."""


def check_size(content: bytes) -> None:
    """Refuse a file that would take more memory than a release of its size may."""
    file = pq.ParquetFile(pa.BufferReader(content))
    most, pages = max(MAX_BYTES, MAX_RATIO * len(content)), _page_bytes(file.metadata)
    if file.metadata.num_rows > MAX_ROWS:
        raise NotARelease(f"{file.metadata.num_rows:,} rows")
    if any(file.schema.column(index).max_repetition_level for index in range(file.metadata.num_columns)):
        raise NotARelease("a column of lists")
    rows = max(1, min(MOST_BATCH, most // MIN_BATCHES // max(*pages, 8 * file.metadata.num_columns)))
    if sum(pages) > most or _is_larger(file, rows, most):
        raise NotARelease("far more in it than a file of its size can hold")


def _page_bytes(metadata: pq.FileMetaData) -> list[int]:
    """Bytes of the pages of each group of rows, before compression, as the file says. (Arrow ends the process where a
    column's own metadata contradict themselves: they are not looked at.)"""
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    return [max(0, group.total_byte_size) for group in groups] or [0]


def _is_larger(file: pq.ParquetFile, rows: int, most: int) -> bool:
    """True if all rows together have more than `most` bytes; `rows` are decoded at a time."""
    decoded = 0
    for batch in file.iter_batches(batch_size=rows, use_threads=False):
        decoded += batch.nbytes
        if decoded > most:
            return True
    return False
