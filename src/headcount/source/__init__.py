"""Rows in: any table becomes `Events`, and these become `Contributions`, on whatever engine holds them.

events.py         which table, which columns; opened by its schema, no row read
identity.py       whether a table is the same as before, for a ledger
files.py          which files, of what kind, with which columns
parquet.py        Parquet, its columns by their places
blocks.py         text files as blocks of lines, and what is read of them as a table
header.py         the first line of a CSV
delimited.py      CSV, record by record, so that a broken line touches no other
jsonl.py          JSON lines, each by itself
engine.py         the DuckDB that reads these: its memory, what it puts aside, how far it is
spark.py          Spark as the engine, in a session of our own
kept.py           what an engine keeps for us meanwhile
frames.py         pandas, polars, pyarrow, DuckDB relations: what is in memory, as Arrow
contributions.py  (user, item, count): the one way from rows to what each person did
binning.py        public edges for numbers and dates
"""

from headcount.source.contributions import Contributions, contributions
from headcount.source.events import Events, open_events
from headcount.source.identity import identified

__all__ = ["Contributions", "Events", "contributions", "identified", "open_events"]
