"""Headcount releases histograms about people, under a differential privacy that covers all of what a person did.

    source/          bound/             mechanism/          release/
    Events ────────► Contributions ───► Bounded ──────────► Noisy ───────► Release ──► report/
    any table        (user,item,count)  totals and a proven  exact noise    table with intervals, cost, explanation
                     on its engine      sensitivity          from noise/

    planning.py: made before, from the schema alone          account/: events, their cost, and the ledger that pays
    api.py: the front door                               audit/: attack ourselves: proofs, statistics, crashes
    federated/: the same where people keep their data    stream/: counts of a stream whose memory may be seized

>>> import headcount as hc
>>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headcount import account, audit, federated, noise, stream
    from headcount.account import Charge, Cost, Ledger
    from headcount.api import heavy_hitters, histogram, load, profile, top, total
    from headcount.api_distribution import distribution
    from headcount.api_numbers import quantiles, ranges
    from headcount.api_shape import shape
    from headcount.errors import HeadcountError
    from headcount.planning import Plan
    from headcount.plans import plan
    from headcount.release import Release, Shape
    from headcount.source.example import example

__version__ = "0.9.0"
__all__ = [
    "Charge",
    "Cost",
    "HeadcountError",
    "Ledger",
    "Plan",
    "Release",
    "Shape",
    "account",
    "audit",
    "distribution",
    "example",
    "federated",
    "heavy_hitters",
    "histogram",
    "load",
    "noise",
    "plan",
    "profile",
    "quantiles",
    "ranges",
    "shape",
    "stream",
    "top",
    "total",
]

_HOMES = {
    "Charge": "headcount.account",
    "Cost": "headcount.account",
    "HeadcountError": "headcount.errors",
    "Ledger": "headcount.account",
    "Plan": "headcount.planning",
    "Release": "headcount.release",
    "Shape": "headcount.release",
    "distribution": "headcount.api_distribution",
    "example": "headcount.source.example",
    "heavy_hitters": "headcount.api",
    "histogram": "headcount.api",
    "load": "headcount.api",
    "plan": "headcount.plans",
    "profile": "headcount.api",
    "quantiles": "headcount.api_numbers",
    "ranges": "headcount.api_numbers",
    "shape": "headcount.api_shape",
    "top": "headcount.api",
    "total": "headcount.api",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the import itself is quick."""
    if name not in __all__:
        raise AttributeError(f"module 'headcount' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name) if name in _HOMES else import_module(f"headcount.{name}")
