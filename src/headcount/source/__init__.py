"""Rows in: any table becomes `Events`, and these become `Contributions`, on whatever engine holds them.

events.py         which table, which columns; opened by its schema, no row read
files.py          parquet, csv and jsonl, so that no row can make the reading fail
frames.py         pandas, polars, pyarrow, DuckDB relations: what is in memory, as Arrow
contributions.py  (user, item, count): the one way from rows to what each person did
binning.py        public edges for numbers and dates
"""

from headcount.source.contributions import Contributions, contributions
from headcount.source.events import Events, open_events

__all__ = ["Contributions", "Events", "contributions", "open_events"]
