"""Planning of a collection before anybody takes part: what each client sends, how far off results are, and what comes
out if more people are missing.

    one_round.py       histogram, shape: from parameters to a collection
    several_rounds.py  quantiles, ranges, heavy_hitters and its secure kind: from parameters to a collection
    typed.py           people, dropouts and the price, as typed
    collection.py      base class: messages, errors, dropouts, as text and as JSON
    sampled.py         people per item behind a trusted aggregator
    listed.py          people per item of a public list, by a secure sum
    shaped.py          the shape of a histogram
    series.py          several rounds: quantiles, ranges, heavy hitters
    extended.py        several rounds of secure sums: heavy hitters
    traffic.py         sizes of messages, from their schema
    central.py         the error where all data are in one table, for comparison
    people.py          made-up people, and how they answer
    simulation.py      a whole collection in this process, next to the truth: not private

Nothing here is published or charged: the round of a plan has the id of no round.
"""

from headcount.federated.planning.collection import Collection
from headcount.federated.planning.one_round import histogram, shape
from headcount.federated.planning.several_rounds import heavy_hitters, quantiles, ranges, secure_heavy_hitters
from headcount.federated.planning.simulation import Simulation, simulate

__all__ = [
    "Collection",
    "Simulation",
    "heavy_hitters",
    "histogram",
    "quantiles",
    "ranges",
    "secure_heavy_hitters",
    "shape",
    "simulate",
]
