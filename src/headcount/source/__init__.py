"""Rows in: any table becomes `Events`, then `Contributions`, on the engine that holds it.

events.py         a table and its columns; opened by schema, no row read
schema.py         checks against the schema: person, items, amounts, public keys
table.py          data with what is declared about them: a name, a promise, limits
identity.py       fingerprint of a table, for a ledger; files that change while they are read
reading.py        a table while it is read: limits, interrupts, progress
example.py        a small table to try things on
files/            tables in files:
files.py            which, of what kind, with which columns            regular.py  refuses pipes and devices
parquet.py          Parquet, columns by position
blocks.py           text files as blocks of lines, streamed to the engine
header.py           the first line of a CSV
delimited.py        CSV record by record, so that a broken line affects no other
jsonl.py            JSON lines, each parsed by itself
scans.py            files that Python reads for an engine: progress, Ctrl-C
frames/           pandas, polars, pyarrow, DuckDB relations, as Arrow  cells.py  pandas_columns.py  arrow_columns.py
views/            joins and derived tables, with a proof that each row is one person's
contributions/    from rows to contributions:
contributions.py    (user, item, count): the only way there
encoded.py          contributions as integers, sorted by NumPy         streamed.py  in one pass     held.py  on disk
columns.py          names of columns       grouped.py  a list for each person, or rows of those with very many
derived.py          tables derived before counting: profiles
conditions/       rows that meet a condition   operators.py  those that are spelled otherwise   typed_conditions.py
scales/           what the values of a column are counted or measured by:
binning.py          public edges for numbers and dates
periods.py          days, weeks, months, ... of a column of dates
axis.py             public scale for a column of numbers
amounts.py          what is measured of a column of numbers, on an engine and in NumPy
buckets.py          keyed hash of items into buckets
engines/          the protocol of an engine, DuckDB, Spark, the registry
"""

from headcount.source.contributions.contributions import Contributions, contributions
from headcount.source.events import Events, open_events
from headcount.source.identity import identified, identified_rows, watch, watch_rows

__all__ = [
    "Contributions",
    "Events",
    "contributions",
    "identified",
    "identified_rows",
    "open_events",
    "watch",
    "watch_rows",
]
