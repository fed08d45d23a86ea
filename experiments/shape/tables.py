"""Synthetic tables: n people with one item each, sampled from a distribution."""

from collections.abc import Callable

import numpy as np

from headcount.exact import Floats, Integers

Source = Callable[[int, int], Floats]
"""Maps numbers of people and of cells to the probability of each cell."""


def zipf(exponent: float) -> Source:
    """Proportional to j^-exponent."""

    def chances(people: int, cells: int) -> Floats:
        weights = np.arange(1, cells + 1, dtype=np.float64) ** -exponent
        found: Floats = weights / weights.sum()
        return found

    return chances


def uniform(people: int, cells: int) -> Floats:
    """The same for a tenth as many items as there are people; the other cells stay empty."""
    items = people // 10
    return np.append(np.full(items, 1 / items), np.zeros(cells - items))


SOURCES: dict[str, Source] = {
    "zipf 1": zipf(1),
    "zipf 0.8": zipf(0.8),
    "zipf 1.3": zipf(1.3),
    "uniform": uniform,
}


def sample_tables(source: str, people: int, cells: int, seed: int, runs: int) -> list[Integers]:
    """Sample `runs` tables: people per cell."""
    random = np.random.default_rng([seed, people, cells])
    return list(random.multinomial(people, SOURCES[source](people, cells), size=runs))
