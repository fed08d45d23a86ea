"""Several rounds behind a trusted aggregator that end in one release, under one promise.

    questions.py ──plan──► analyst.py ──Round──► clients, aggregator ──Result──► analyst.py ... ──► release.py
                            (ledger: the whole price, before the first round)

    plan.py      what all plans have: the promise, the next round from the results so far
    prefixes.py  heavy hitters over a tree of prefixes
    numbers.py   quantiles and ranges of a number: a tree of counts, or a binary search
    collect.py   all rounds over a transport

Each round is a `Round` with a step (federated/step.py): what a person's items become in it. The price is that of all
rounds together, composed exactly and not added up (docs/proofs/sample-threshold.md).
"""

from headcount.federated.rounds.analyst import RoundsAnalyst
from headcount.federated.rounds.collect import collect_rounds
from headcount.federated.rounds.numbers import QuantilesPlan, RangesPlan
from headcount.federated.rounds.prefixes import HeavyHittersPlan
from headcount.federated.rounds.questions import heavy_hitters, quantiles, ranges

__all__ = [
    "HeavyHittersPlan",
    "QuantilesPlan",
    "RangesPlan",
    "RoundsAnalyst",
    "collect_rounds",
    "heavy_hitters",
    "quantiles",
    "ranges",
]
