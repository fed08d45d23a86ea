"""Privacy accounting, and the ledger that records what was spent. Imports nothing of the flow from table to release.

events.py     what happened: frozen data
guarantee.py  the forms of a guarantee: (epsilon, delta), zCDP
cost.py       what an event costs: pure, zCDP, GDP                 gaussian.py  zcdp.py  threshold.py
compose.py    what events cost together, by the tightest bound     pld.py
receipt.py    what happened costs no more than what was paid
calibrate.py  the least noise for a given cost
sampling.py   what sample-and-threshold costs                      losses.py  sampled.py (several reports of a person)
rates.py      the best rate and threshold for a given cost
shuffling.py  what shuffled messages cost, and the fewest for a given cost
budget.py     budgets as typed; the least epsilon for an error
filter.py     a budget for adaptive work
ledger.py     one total budget for a group of people, on disk      charge.py  attribution.py  relation.py  spend.py
    requests.py  requests to it: a charge, or a part of one        parts.py
    book.py   its rows, as readers see them                        rows.py
    chain.py  rows that follow from one another                    append.py  history.py  formats.py
    stores/   where it is kept: a protocol, and SQLite
    earlier.py  which earlier charge answers a request             key.py  pending.py
given.py      a ledger as it is given: an object, or its path
entry.py      a sealed release in its ledger                       notebook.py  what a notebook shows of a ledger
"""

from headcount.account.charge import Charge
from headcount.account.filter import ZcdpFilter
from headcount.account.guarantee import Cost
from headcount.account.ledger import Ledger
from headcount.account.parts import Part, PartKeys, PartResult
from headcount.account.rows import Sealed
from headcount.account.spend import Spend

__all__ = ["Charge", "Cost", "Ledger", "Part", "PartKeys", "PartResult", "Sealed", "Spend", "ZcdpFilter"]
