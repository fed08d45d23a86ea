"""Sites that answer for many people, such as hospitals: bounds hold for each person before anything leaves.

    table.py     any table that headcount reads, as each person's items, or as their bounded counts
    secure.py    SecureSite: takes part in a secure sum, with its people's counts and one share of noise
    reports.py   Site: reports to a trusted aggregator, one report for each person

The unit stays a person. A site sends the messages that a person's client sends, so server, aggregator and analyst are
the same. Proofs: docs/proofs/secure-sum.md and sample-threshold.md.
"""

from headcount.federated.sites.reports import Site
from headcount.federated.sites.secure import SecureSite

__all__ = ["SecureSite", "Site"]
