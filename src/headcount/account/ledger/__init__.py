"""The ledger: one total budget for a group of people, with every spend on record.

ledger.py     what callers use                                     given.py  an object, or the path of its file
charge.py     what a release pays                                  attribution.py  parts.py
requests.py   requests to it: a charge, or a part of one
earlier.py    which earlier charge answers a request               key.py  pending.py
record/       its rows, a hash chain in which each is checked against all before it
book.py       the rows as readers see them                         spend.py  entry.py  notebook.py
stores/       where it is kept: a protocol, and SQLite
"""
