"""Random views against the proof of docs/proofs/views.md.

worlds.py      tables, and what one person's rows may be
databases.py   small databases with neighbours, and a search for a violation
generator.py   random expressions; it knows nothing of the rules
speed.py       CPU time of rewritten views over that of views as written, on TPC-H
__main__.py    the command
"""
