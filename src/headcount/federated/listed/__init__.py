"""Counts of items of a public list by a secure sum: people add their own noise, and nobody sees a person's items.

    analyst.py ──SecureRound──► client.py ◄──secure/──► server.py ──Total──► analyst.py: a release (release.py)

Each person has a number for each item, 1 or 0, and adds a share of noise (laplace.py, gaussian.py). The server adds
masked vectors (secure/) and sees noisy sums alone. The noise that is priced is that of the people who are counted on
(counted_on.py: they answer, add their share, and tell nobody), less one of them, who may subtract their own from the
release. A round may be one of a series that finds the items (extension.py, federated/rounds). Proof:
docs/proofs/secure-sum.md.
"""

from headcount.federated.listed.analyst import SecureAnalyst
from headcount.federated.listed.client import SecureClient
from headcount.federated.listed.round import SecureRound
from headcount.federated.listed.server import SecureServer

__all__ = ["SecureAnalyst", "SecureClient", "SecureRound", "SecureServer"]
