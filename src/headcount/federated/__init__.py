"""Federated collection by sampling and thresholding: people keep their data, each reports the items that their own
coins select, and only counts at or above a threshold are published.

    analyst.py ──Round──► client.py ──Report──► aggregator.py ──Result──► analyst.py: a release (counts.py)
                              ▲                      │
                              └──────Invitation──────┘   where not everybody is invited (sample.py)

There is no noise: privacy comes from the coins, which nobody sees, and from the threshold (Bharadwaj & Cormode 2022,
section 2; the exact prices are in `account.curves.sampling`). The aggregator is trusted to add, to apply the threshold,
and to reveal nothing else. Analysts and people need not trust each other. Messages are text (messages.py); their
transport is left to the deployment.

listed/ is for items of a public list, by a secure sum (secure/): people add noise by themselves, and the server that
adds them up is trusted with nobody's items.

rounds/ is for several rounds that end in one release: numbers, and items that are on no list, also by secure sums.

sites/ is for whoever answers for many people, such as a hospital: in the same rounds, with the same messages.

shape/ is for the shape of a histogram: there people add noise by themselves, and no item is ever published.

planning/ says what any of these takes from each client and how far off it is, before anybody takes part.
"""

from headcount.federated.aggregator import Aggregator
from headcount.federated.analyst import Analyst
from headcount.federated.client import Client
from headcount.federated.listed import SecureAnalyst, SecureClient, SecureRound, SecureServer
from headcount.federated.messages import Invitation, Refused, Report, Result, Round
from headcount.federated.shape import (
    SecureSum,
    ShapeAnalyst,
    ShapeClient,
    ShapeRound,
    Shares,
    Shuffler,
    Tally,
    Total,
)
from headcount.federated.sites import SecureSite, Site

__all__ = [
    "Aggregator",
    "Analyst",
    "Client",
    "Invitation",
    "Refused",
    "Report",
    "Result",
    "Round",
    "SecureAnalyst",
    "SecureClient",
    "SecureRound",
    "SecureServer",
    "SecureSite",
    "SecureSum",
    "ShapeAnalyst",
    "ShapeClient",
    "ShapeRound",
    "Shares",
    "Shuffler",
    "Site",
    "Tally",
    "Total",
]
