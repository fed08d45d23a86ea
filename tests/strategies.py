"""Strategies and mechanisms, from what decides them."""

from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from inspect import isabstract
from pkgutil import walk_packages
from typing import Any

from headcount import mechanism
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


def mechanisms() -> list[type[AnyMechanism]]:
    """Every mechanism of the package in order of its name, also those with a base of their own, or that are bases
    themselves."""
    for module in walk_packages(mechanism.__path__, "headcount.mechanism."):
        import_module(module.name)
    return sorted({each for each in _below(Mechanism) if "name" in vars(each)}, key=lambda each: each.name)


def _below(kind: type[Any]) -> Iterator[type[AnyMechanism]]:
    for each in kind.__subclasses__():
        if not isabstract(each) and each.__module__.startswith("headcount."):
            yield each
        yield from _below(each)
