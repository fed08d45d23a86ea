"""What privacy costs, and the ledger that pays it. Imports nothing of the flow from table to release.

events.py     what happened: frozen data
guarantee.py  what is guaranteed: (epsilon, delta), zCDP
cost.py       what an event costs: pure, zCDP, GDP                 gaussian.py  zcdp.py  threshold.py
compose.py    what events cost together, by the tightest bound     pld.py
calibrate.py  how much noise buys a given cost
sampling.py   what a sample costs that is thresholded              losses.py  sampled.py (several reports of a person)
rates.py      which rate and threshold buy a given cost
shuffling.py  what shuffled messages cost, and how few buy a given cost
filter.py     a budget for adaptive work
ledger.py     one total budget for a group of people, on disk      charge.py  chain.py  store.py  pending.py
                                                                   key.py  private.py  relation.py  turn.py  one_path.py
"""

from headcount.account.charge import Charge
from headcount.account.filter import ZcdpFilter
from headcount.account.guarantee import Cost
from headcount.account.ledger import Ledger, Sealed, Spend

__all__ = ["Charge", "Cost", "Ledger", "Sealed", "Spend", "ZcdpFilter"]
