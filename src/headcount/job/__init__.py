"""Requests about a table: the base class of all jobs.

A job is a frozen dataclass whose fields are the parameters of one public function. It checks them, says which columns
it reads and what an item is, decides on a strategy for a budget, and makes the released table and sentences. It knows
no rows: every mistake of a user surfaces here or against the schema, before any row is read, and each message ends with
what to write instead. Its class stands on three others:

parameters.py    the parameters, as people type them and as a ledger keeps them
reading.py       what is read of a table
words.py         the sentences
job.py           the answer: the strategy for a budget, and the released table
"""

from headcount.job.job import Job
from headcount.job.parameters import REQUIRED
from headcount.job.words import ESTIMATED, PRIVACY, few_with_more

__all__ = ["ESTIMATED", "PRIVACY", "REQUIRED", "Job", "few_with_more"]
