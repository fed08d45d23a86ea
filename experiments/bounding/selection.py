"""Private selection of a bound at epsilon 0.1, beside a release at epsilon 1, sampled many times.

Mechanisms and samplers are the product's, with the operating system's entropy.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from experiments.bounding.paper import LARGEST, PrintedPerturbation, threshold
from experiments.bounding.people import People
from headcount.account.guarantee import Cost
from headcount.bound import SampledEvents
from headcount.bound.selection.by_load import Generalized, Unknown
from headcount.bound.selection.loads import Loads
from headcount.bound.selection.paper import Known, OutputPerturbation, Quantile, Ranked
from headcount.bound.selection.statistics import Sizes
from headcount.exact import Integers
from headcount.mechanism.known.strategy import SELECTIONS, KnownItemsStrategy
from headcount.mechanism.unknown.strategy import ThresholdStrategy
from headcount.noise import SystemEntropy
from headcount.noise.finite import Softmax
from headcount.source.contributions.contributions import LARGEST_COUNT

SELECTION_EPSILON = Fraction(1, 10)
SYSTEM = SystemEntropy()
CANDIDATES = 200
"""Number of candidates for known items, evenly spaced from 1 to C_m on a logarithmic scale; squares that round to the
same integer count once."""


def paper_delta(people: People) -> float:
    """1 / (2 n), as in the paper."""
    return 1 / (2 * people.number)


def unknown_choice(kind: type[Unknown], people: People, grid: Sequence[int]) -> Unknown:
    """The selection for items not known in advance, given the thresholds and noise of the release that follows."""
    minimum = threshold(np.array(grid), paper_delta(people))
    return kind(
        SELECTION_EPSILON, "add-remove", SampledEvents, tuple(grid), tuple(minimum.tolist()), tuple(map(float, grid))
    )


def known_choice(name: str, people: People, cells: int, sparsity: int) -> Known:
    """The selection `name` for `cells` known items, with the paper's largest bound and the product's noise weight."""
    plain = default_choice(people, cells)
    kind: Any = PrintedPerturbation if name == PrintedPerturbation.name else SELECTIONS[name]
    choice: Known = kind(SELECTION_EPSILON, "add-remove", plain.weight, plain.largest, fine_grid(), sparsity)
    return replace(choice, people=people.number) if isinstance(choice, OutputPerturbation) else choice


def fine_grid() -> tuple[int, ...]:
    """Squared bounds up to the paper's largest."""
    return tuple(sorted({round(bound**2) for bound in np.geomspace(1, LARGEST, CANDIDATES).tolist()}))


def default_choice(people: People, cells: int) -> Known:
    """The product's selection by generalised exponential mechanism, for `cells` known items."""
    chosen = KnownItemsStrategy(**_release(people), cells=cells, bound="generalized").selection
    assert isinstance(chosen, Known)
    return chosen


def largest_count_choice() -> Known:
    """The count that one person (1 / epsilon) has or exceeds, for one item: what the paper takes as bound for its
    Algorithm 5. Candidates are 1, 2, ..., 150; the paper says nothing about them."""
    return Quantile(SELECTION_EPSILON, "add-remove", 1.0, LARGEST_COUNT, tuple(range(1, LARGEST + 1)))


def default_grid(people: People) -> tuple[int, ...]:
    """The product's default candidates for items not known in advance."""
    chosen = ThresholdStrategy(**_release(people), bound=Generalized.name).selection
    assert isinstance(chosen, Generalized)
    return chosen.grid


def _release(people: People) -> dict[str, Any]:
    """A release at epsilon 1, and 0.1 for the choice."""
    budget = Cost(1 + SELECTION_EPSILON, Fraction(1, 2 * people.number))
    share = SELECTION_EPSILON / budget.epsilon
    return {"budget": budget, "neighbours": "add-remove", "count": "events", "share": share}


def select(choice: Unknown | Known, statistics: Loads | Sizes, times: int) -> Integers:
    """Sample the selected candidate `times` times."""
    return np.array(choice.grid)[_places(choice, statistics, times)]


def _places(choice: Any, statistics: Any, times: int) -> Integers | list[int]:
    if isinstance(choice, Unknown | Ranked):  # one distribution: all samples at once
        return SYSTEM.draw(_law(choice, statistics), times)
    return [choice.index(statistics, SYSTEM) for _ in range(times)]


def _law(choice: Any, statistics: Any) -> Softmax:
    """The distribution that one run of the selection samples from."""
    spread = choice.span if isinstance(choice, Unknown) else 2 * choice.sensitivity
    exponents = [-choice.epsilon * Fraction(score) / spread for score in _plain(choice.scores(statistics))]
    return Softmax(tuple(each - max(exponents) for each in exponents), (1,) * len(exponents))


def _plain(scores: Any) -> list[Any]:
    return scores.tolist() if isinstance(scores, np.ndarray) else list(scores)
