"""What selections by one noisy number have in common: an exact epsilon, which is attained and paid for."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from headcount.account.composition import cost
from headcount.account.events import Laplace
from headcount.audit import delta, outcomes
from headcount.bound.selection.one_number import OneNumber
from headcount.bound.selection.statistics import Sizes
from headcount.noise import Entropy


def sizes(*people: int) -> Sizes:
    """People with these numbers of items."""
    found, counts = np.unique(np.array(people, dtype=np.int64), return_counts=True)
    return Sizes(found, counts.astype(np.int64), np.zeros_like(counts))


def check_exact_epsilon(selection: OneNumber, seen: Callable[[Any], object]) -> None:
    """Every draw of a selection of epsilon 1, with a person who has very much, or without: never above, and attained.
    `seen` is what shows of a bounding."""

    def distribution(people: Sizes) -> Any:
        def run(entropy: Entropy) -> object:
            return seen(selection.draw(people, entropy))

        return outcomes(run, Fraction(1, 1000))

    minimum, max_items = sizes(2, 1) if selection.neighbours == "replace" else sizes(2), sizes(2, 50)
    assert delta(distribution(max_items), distribution(minimum), Fraction(1)).low == 0
    assert delta(distribution(minimum), distribution(max_items), Fraction(1)).low == 0
    assert delta(distribution(max_items), distribution(minimum), Fraction(9, 10)).low > 0
    (event,) = selection.events
    assert isinstance(event, Laplace)
    assert cost.native(event).epsilon == selection.epsilon
