"""People keep their data: each sends what its own coins let through, and only counts from a threshold on are seen.

    analyst.py ──Round──► client.py ──Report──► aggregator.py ──Result──► analyst.py: a table with intervals
                              ▲                      │
                              └──────Invitation──────┘   where not everybody is asked (sample.py)

There is no noise: privacy comes from the coins, which nobody sees, and from the threshold (Bharadwaj & Cormode 2022,
section 2; the exact prices are in `account.sampling`). The aggregator is trusted to add, to cut, and to be silent.
Analysts and people need not trust each other. Messages are text (messages.py); how they travel is not our business.

shape/ is for the shape of a histogram: there people add noise by themselves, and no item is ever told.
"""

from headcount.federated.aggregator import Aggregator
from headcount.federated.analyst import Analyst, Findings
from headcount.federated.client import Client
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

__all__ = [
    "Aggregator",
    "Analyst",
    "Client",
    "Findings",
    "Invitation",
    "Refused",
    "Report",
    "Result",
    "Round",
    "SecureSum",
    "ShapeAnalyst",
    "ShapeClient",
    "ShapeRound",
    "Shares",
    "Shuffler",
    "Tally",
    "Total",
]
