"""Where a ledger is kept: its rows, the bytes that it sealed, its key, and the secrets of charges that are pending.

store.py      the protocol: all that the ledger's rules know of a store
sqlite.py     one file of SQLite                                        turn.py  one_path.py
beside.py     its key and its secrets, in files beside it               private.py
"""
