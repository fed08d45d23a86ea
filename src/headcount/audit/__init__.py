"""Audits of mechanisms and of the ledger. Public, so that everybody can attack their own code and ours.

headcount's own mechanisms are attacked by the package `audits` of the repository: `make audit`.

enumerate.py    the exact law of the real code on tiny data, and its exact delta    choices.py  neighbours.py
statistical.py  a black-box audit with a false-alarm rate below one in a million    outputs.py  columns.py
artefacts.py    an audit of the lowest bits of floats
chaos.py        kills of the ledger's writers at every step
retries.py      stops of a release at every line between its first draw and its seal
evidence.py     e-values: evidence against a claim, for any number of runs
"""

from headcount.audit.artefacts import Artefacts, artefacts
from headcount.audit.enumerate import Delta, Laws, Outcomes, delta, outcomes, worst_delta
from headcount.audit.statistical import Finding, audit

__all__ = [
    "Artefacts",
    "Delta",
    "Finding",
    "Laws",
    "Outcomes",
    "artefacts",
    "audit",
    "delta",
    "outcomes",
    "worst_delta",
]
