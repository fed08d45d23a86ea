"""The record of a ledger: rows that follow from one another.

formats.py    which fields a row has, by version
chain.py      the hash of a row, and the digests and amounts in it
append.py     the rows that a ledger writes
history.py    one row checked against all before it
rows.py       all rows of a store, checked as they are read
"""
