"""From what is asked to what decides mechanism and bound, in public numbers."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from headcount.account import Cost
from headcount.bound.selection.people import PeopleCount
from headcount.mechanism import Distributed, Finding, Ordered, Sampling, Shaped, Wish
from headcount.mechanism.distribution.strategy import Method
from headcount.mechanism.shape.strategy import Way
from headcount.mechanism.topk.levels import TARGET
from headcount.question import Question

CROWD = Fraction(5, 100)
"""The part of epsilon for the number of people, if it is to be counted."""


def wish(asked: Question, budget: Cost, cells: int | None) -> Wish:
    """What decides mechanism and bound; `cells` is how many items are known in advance."""
    counted, sampling = crowd(asked, budget), Sampling(asked.p, asked.theta, asked.rule)
    return Wish(
        budget=replace(budget, delta=Fraction(0)) if asked.pure else budget,
        count=asked.count,
        neighbours=asked.neighbours,
        cells=cells,
        bound=asked.bound,
        mechanism=asked.mechanism,
        share=asked.share,
        grid=asked.grid,
        debias=asked.debias,
        people=asked.people,
        finding=_finding(asked),
        target=(asked.target_error or TARGET) if asked.mechanism == "plume-threshold" else None,
        looks=counted.epsilon if counted else Fraction(0),
        sampling=sampling,
        ordered=Ordered(asked.axis.cells, asked.how, asked.q, sampling) if asked.axis else None,
        shaped=_shaped(asked),
        distributed=_distributed(asked),
    )


def crowd(asked: Question, budget: Cost) -> PeopleCount | None:
    """How all people are counted, if what is told is a part of them and nobody said how many there are."""
    return PeopleCount(budget.epsilon * CROWD) if asked.heavy is not None and asked.people == "count" else None


def _shaped(asked: Question) -> Shaped | None:
    """How a shape is measured, if it was asked for."""
    if asked.view != "shape":
        return None
    return Shaped(cast(Way, asked.mechanism), asked.buckets, asked.people if isinstance(asked.people, int) else None)


def _distributed(asked: Question) -> Distributed | None:
    """How a distribution is learned, if it was asked for."""
    if asked.view != "distribution":
        return None
    people = asked.people if isinstance(asked.people, int) else None
    return Distributed(cast(Method, asked.mechanism), people, asked.sizes == "public")


def _finding(asked: Question) -> Finding | None:
    """How items are found one after another, if that was asked for."""
    if not asked.found:
        return None
    target = (asked.target_error or TARGET) if asked.told else None
    added: Any = "amount" if asked.sum else "count" if asked.count == "events" else ""
    return Finding(asked.kbar, target, asked.variant, asked.k, added, asked.first_epsilon, asked.selection_delta)
