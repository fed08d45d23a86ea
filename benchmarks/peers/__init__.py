"""headcount beside its peers: people per item, items not known in advance, epsilon 1, delta 1e-6 for a person.

    make peers                                 installs OpenDP and SmartNoise, each in its own .venv-*, and runs this
    python -m benchmarks.peers [FOLDER]        FOLDER has the tables; by default ../shared/data
    python -m benchmarks.peers.hindsight       only OpenDP, at its best bound in hindsight, and ours over it

Ours gets the table and nothing else: it pays for the choice of its bounds within epsilon. The peers need a bound on
the items of a person from the user, who should not look at the data to find one. As a favour they get the true 95th and
the true 99th percentile for nothing, and the distinct (user, item) pairs, so that no repeated event uses up a bound.
Each of their releases is a process of its own. Their other settings are what an expert would take: see `with_opendp.py`
and `with_smartnoise.py`. Nothing in them is repaired.
"""
