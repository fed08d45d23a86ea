"""Ways of choosing a bound at a price of epsilon 0.1, beside a release at epsilon 1; drawn many times.

The choices are the product's, and so are their draws, with the operating system's entropy.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from experiments.bounding.people import People
from experiments.bounding.printed import LARGEST, PrintedPerturbation, threshold
from headcount.account.guarantee import Cost
from headcount.bound import SampledEvents
from headcount.bound.selection.by_load import Generalized, Unknown
from headcount.bound.selection.loads import Loads
from headcount.bound.selection.paper import Known, OutputPerturbation, Quantile, Ranked
from headcount.bound.selection.statistics import Sizes
from headcount.exact import Integers
from headcount.mechanism.known.strategy import SELECTIONS, KnownItems
from headcount.mechanism.unknown.strategy import Thresholds
from headcount.noise import SystemEntropy
from headcount.noise.finite import Softmax
from headcount.source.contributions import LARGEST_COUNT

PRICE = Fraction(1, 10)
SYSTEM = SystemEntropy()
FINE = 200
"""Candidates for known items, from 1 to C_m, each by the same factor larger than the last; those that are alike when
squared and rounded count once."""


def delta_of(people: People) -> float:
    """1 / (2 n), as in the paper."""
    return 1 / (2 * people.number)


def unknown(kind: type[Unknown], people: People, grid: Sequence[int]) -> Unknown:
    """For items not known in advance: it knows the thresholds and the noise of the release that will follow."""
    least = threshold(np.array(grid), delta_of(people))
    return kind(PRICE, "add-remove", SampledEvents, tuple(grid), tuple(least.tolist()), tuple(map(float, grid)))


def known(name: str, people: People, cells: int, sparsity: int) -> Known:
    """For so many known items, with the paper's largest bound; the weight of the noise is the product's."""
    plain = default(people, cells)
    kind: Any = PrintedPerturbation if name == PrintedPerturbation.name else SELECTIONS[name]
    made: Known = kind(PRICE, "add-remove", plain.weight, plain.largest, fine_grid(), sparsity)
    return replace(made, people=people.number) if isinstance(made, OutputPerturbation) else made


def fine_grid() -> tuple[int, ...]:
    """Squared bounds up to the paper's largest."""
    return tuple(sorted({round(bound**2) for bound in np.geomspace(1, LARGEST, FINE).tolist()}))


def default(people: People, cells: int) -> Known:
    """What the product does for so many known items if nothing is said: way, candidates and all."""
    chosen = KnownItems(**_release(people), cells=cells).selection
    assert isinstance(chosen, Known)
    return chosen


def top_count() -> Known:
    """The count that one person (1 / epsilon) has or exceeds, for one item: what the paper takes as bound for its
    Algorithm 5. Candidates are 1, 2, ..., 150; the paper says nothing about them."""
    return Quantile(PRICE, "add-remove", 1.0, LARGEST_COUNT, tuple(range(1, LARGEST + 1)))


def own_grid(people: People) -> tuple[int, ...]:
    """The product's own candidates for items not known in advance."""
    chosen = Thresholds(**_release(people), bound=Generalized.name).selection
    assert isinstance(chosen, Generalized)
    return chosen.grid


def _release(people: People) -> dict[str, Any]:
    """A release at epsilon 1, and 0.1 for the choice."""
    budget = Cost(1 + PRICE, Fraction(1, 2 * people.number))
    return {"budget": budget, "neighbours": "add-remove", "count": "events", "share": PRICE / budget.epsilon}


def drawn(choice: Unknown | Known, statistics: Loads | Sizes, times: int) -> Integers:
    """The candidates that were chosen, so many times."""
    return np.array(choice.grid)[_places(choice, statistics, times)]


def _places(choice: Any, statistics: Any, times: int) -> Integers | list[int]:
    if isinstance(choice, Unknown | Ranked):  # one law, of which all are drawn at once
        return SYSTEM.draw(_law(choice, statistics), times)
    return [choice.place(statistics, SYSTEM) for _ in range(times)]


def _law(choice: Any, statistics: Any) -> Softmax:
    """What the choice's own draw is one draw of."""
    spread = choice.span if isinstance(choice, Unknown) else 2 * choice.sensitivity
    exponents = [-choice.epsilon * Fraction(score) / spread for score in _plain(choice.scores(statistics))]
    return Softmax(tuple(each - max(exponents) for each in exponents), (1,) * len(exponents))


def _plain(scores: Any) -> list[Any]:
    return scores.tolist() if isinstance(scores, np.ndarray) else list(scores)
