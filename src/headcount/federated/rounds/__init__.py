"""Several rounds that end in one release, under one promise.

    questions.py ──plan──► analyst.py ──Round──► clients, aggregator ──Result──► analyst.py ... ──► release.py
                            (ledger: the whole price, before the first round)

    series.py    what all plans have: the promise, the next round from the results so far
    plan.py      plans of rounds of sample and threshold, behind a trusted aggregator
    prefixes.py  heavy hitters over a tree of prefixes
    numbers.py   quantiles and ranges of a number: a tree of counts, or a binary search
    secure.py    heavy hitters of unknown items by secure sums: a plan of rounds whose server sees nobody's items
    collect.py   all rounds over a transport

Each round has a step: what a person's items become in it (federated/step.py, listed/extension.py). The price is that of
all rounds together, composed exactly and not added up (docs/proofs/sample-threshold.md, secure-sum.md).
"""

from headcount.federated.rounds.analyst import RoundsAnalyst
from headcount.federated.rounds.collect import collect_rounds
from headcount.federated.rounds.numbers import QuantilesPlan, RangesPlan
from headcount.federated.rounds.prefixes import HeavyHittersPlan
from headcount.federated.rounds.questions import heavy_hitters, quantiles, ranges, secure_heavy_hitters
from headcount.federated.rounds.secure import SecureHeavyHittersPlan

__all__ = [
    "HeavyHittersPlan",
    "QuantilesPlan",
    "RangesPlan",
    "RoundsAnalyst",
    "SecureHeavyHittersPlan",
    "collect_rounds",
    "heavy_hitters",
    "quantiles",
    "ranges",
    "secure_heavy_hitters",
]
