"""The shape of a histogram from people who keep their data: how many items have how many people, and no item is named.

    analyst.py ──ShapeRound──► client.py ──Shares──► middle.py: Shuffler ──Tally──► analyst.py: the shape
                                                              SecureSum ──Total──►

Items fall into buckets by a keyed hash. Each person sends +1 for their bucket, and small shares of noise for all
buckets, which add up to discrete Laplace noise (Ghazi et al. 2022, Corollary 3). A shuffler hides who sent what, and
pairs of +1 and -1 hide what it cannot; a secure sum reveals sums alone, and needs no pairs. Both are stand-ins, which
are trusted and see every answer: nothing is encrypted or masked (middle.py). Proof: docs/proofs/shuffle.md.
"""

from headcount.federated.shape.analyst import ShapeAnalyst
from headcount.federated.shape.client import ShapeClient
from headcount.federated.shape.messages import ShapeRound, Shares, Tally, Total
from headcount.federated.shape.middle import SecureSum, Shuffler

__all__ = [
    "SecureSum",
    "ShapeAnalyst",
    "ShapeClient",
    "ShapeRound",
    "Shares",
    "Shuffler",
    "Tally",
    "Total",
]
