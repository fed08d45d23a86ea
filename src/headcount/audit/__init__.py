"""Attack ourselves. Public, so that everybody may.

enumerate.py    the exact law of the real code on tiny data, and its exact delta   choices.py  neighbours.py
statistical.py  a black-box audit with a false alarm below one in a million        outputs.py  columns.py
artefacts.py    what the lowest bits of floats give away
chaos.py        kill the ledger's writers at every step
retries.py      stop a release at every line between its first look and its seal
specimens.py    honest mechanisms and classic mistakes, to show that all of it works
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
