"""Strategies and mechanisms, from what decides them."""

from collections.abc import Iterator
from fractions import Fraction
from inspect import isabstract
from typing import Any

from headcount.account import Cost
from headcount.account.events import Neighbours
from headcount.bound import Bounding
from headcount.jobs.histogram import Histogram
from headcount.jobs.parameters.parameters import Count
from headcount.mechanism import AnyMechanism, Buckets, Mechanism, Staircase, Strategy
from headcount.mechanism.automatic import BASELINES, COUNTING
from headcount.mechanism.shape.strategy import ShapeStrategy


def strategy(
    budget: Cost,
    count: Count,
    neighbours: Neighbours,
    cells: int | None,
    bound: int | str,
    mechanism: Any = "auto",
    **more: Any,
) -> Strategy:
    """That of a histogram; `cells` is the number of its items, if they are known."""
    kinds = {kind.name: kind for kind in (*COUNTING, *BASELINES)}
    how = kinds[mechanism]() if isinstance(mechanism, str) else mechanism
    job = Histogram(user="user", by=("item",), count=count, neighbours=neighbours, bound=bound, mechanism=how, **more)
    return job.strategy(budget, cells)


def shaped(
    epsilon: Fraction, bound: int, neighbours: Neighbours, cells: int | None, **more: Any
) -> Staircase | Buckets:
    """The mechanism of a shape; `cells` is the number of its items, if they are known."""
    pure = Cost(epsilon, Fraction(0))
    return ShapeStrategy(budget=pure, neighbours=neighbours, bound=bound, cells=cells, **more).mechanism()


def selectable(strategy: Any) -> list[Bounding]:
    """Boundings that may be selected: those at the ends, and examples; none if the bound is given."""
    if strategy.selection is None:
        return []
    examples = [strategy.example(bound) for bound in (1, 10, 100)] if hasattr(strategy, "example") else []
    return [*strategy.extremes(), *examples]


def mechanisms(kind: type[AnyMechanism] = Mechanism) -> Iterator[type[AnyMechanism]]:
    """Every mechanism of the package, also those with a base of their own, or that are bases themselves."""
    for each in kind.__subclasses__():
        if "name" in vars(each) and not isabstract(each):
            yield each
        yield from mechanisms(each)
