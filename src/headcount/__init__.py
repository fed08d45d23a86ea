"""Headcount releases histograms about people, under a differential privacy that covers all of what a person did.

Here so far are the parts on which every privacy claim rests:

    noise/     exact draws on the system's entropy                headcount.noise.discrete_laplace(20, 1000)
    account/   events, their cost, and the ledger that pays       headcount.Ledger("visits.db", epsilon=3, delta=1e-5)
    audit/     attack ourselves: proofs, statistics, crashes      headcount.audit.audit(run, a, b, epsilon=1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headcount import account, audit, noise
    from headcount.account import Charge, Cost, Ledger
    from headcount.errors import HeadcountError

__version__ = "0.1.0"
__all__ = ["Charge", "Cost", "HeadcountError", "Ledger", "account", "audit", "noise"]

_HOMES = {
    "Charge": "headcount.account",
    "Cost": "headcount.account",
    "HeadcountError": "headcount.errors",
    "Ledger": "headcount.account",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the import itself is quick."""
    if name not in __all__:
        raise AttributeError(f"module 'headcount' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name) if name in _HOMES else import_module(f"headcount.{name}")
