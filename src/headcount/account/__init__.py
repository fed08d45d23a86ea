"""Privacy accounting, and the ledger that records what was spent. Imports nothing of the flow from table to release.

events/       what happened: frozen data
guarantee.py  the forms of a guarantee: (epsilon, delta), zCDP     relation.py  of which neighbours it speaks
curves/       the exact price of each mechanism
    gaussian.py  zcdp.py  threshold.py  shuffling.py  sampling.py  losses.py  sampled.py (several reports of a person)
prices/       what one event costs: a file for each kind of event
composition/  what events cost together
    cost.py     each definition by itself: pure, zCDP, GDP
    compose.py  the tightest of them                               pld.py
    receipt.py  what happened costs no more than what was paid
    filter.py   a budget for adaptive work
calibration/  the least noise for a given cost
    calibrate.py  noise and thresholds                             rates.py  of sample-and-threshold
    budget.py   budgets as typed; the least epsilon for an error
ledger/       one total budget for a group of people, on disk
"""

from headcount.account.composition.filter import ZcdpFilter
from headcount.account.guarantee import Cost
from headcount.account.ledger.charge import Charge
from headcount.account.ledger.ledger import Ledger
from headcount.account.ledger.parts import Part, PartKeys, PartResult
from headcount.account.ledger.record.rows import Sealed
from headcount.account.ledger.spend import Spend

__all__ = ["Charge", "Cost", "Ledger", "Part", "PartKeys", "PartResult", "Sealed", "Spend", "ZcdpFilter"]
