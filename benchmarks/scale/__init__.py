"""How time and memory grow with the table, beside the plain query and beside other libraries: docs/scaling.md.

    make bench                                  1 and 10 million events, the real tables, two peers
    make bench-full                             100 million events, Spark and all peers as well: hours
    python -m benchmarks.scale --sizes 1000000 --only weighted --rounds 1

The tables are made once (`events.py`) and kept in a folder outside of the checkout. Every measurement is a process of
its own (`once.py`), which first makes the same call on a tiny table: imports are not in the time. In each round all
ways take turns, and every ratio is to the plain query of the same round (`rounds.py`). Measured rows are kept
until the code that they measured changes; the command then prints its tables (`page.py`), which
`python -m benchmarks.evidence run scale` keeps for the page.
"""
