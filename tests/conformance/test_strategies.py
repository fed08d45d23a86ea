"""What every strategy must be: within its budget whatever is selected, and with a forecast before anything is read."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.golden.requests import REQUESTS, Request
from tests.golden.tables import TABLES
from tests.strategies import selectable

import headcount as hc
from headcount.account.composition import compose
from headcount.mechanism.strategy import Strategy
from headcount.planner import Plan


def kinds(kind: type[Strategy] = Strategy) -> Iterator[type[Strategy]]:
    """All strategies that can be made."""
    if not kind.__abstractmethods__:
        yield kind
    for each in kind.__subclasses__():
        yield from kinds(each)


def planned(request: Request) -> Plan:
    plan: Plan = hc.plan(request.job, TABLES[request.table](), **request.arguments)
    return plan


def test_every_strategy_answers_some_request() -> None:
    assert {type(planned(request).strategy) for request in REQUESTS} == set(kinds())


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: f"{each.job}-{each.name}")
def test_all_parts_together_are_the_budget(request_: Request) -> None:
    plan = planned(request_)
    for strategy in (plan.strategy, plan.strategy.leanest):
        assert strategy.price + strategy.reserved + strategy.rest.epsilon == plan.budget.epsilon
        assert strategy.rest.epsilon > 0
    assert compose.covers(plan.cost, plan.charge().events)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: f"{each.job}-{each.name}")
def test_a_forecast_says_something_before_anything_is_read(request_: Request) -> None:
    plan = planned(request_)
    lines = plan.strategy.forecast(plan.job.item, plan.job.unit)
    assert lines
    assert all(label in ("error", "appear", "bound", "beware", "") and text for label, text in lines)
    if plan.selection:
        assert plan.selection.epsilon == plan.strategy.price
        assert plan.strategy.outlook(plan.job.item)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: f"{each.job}-{each.name}")
def test_what_may_be_selected_last_is_paid_for(request_: Request) -> None:
    """The mechanisms of what may be selected, once every later selection was made: there is one of every strategy that
    selects, and its noise is for the neighbours of the request."""
    leanest: Any = planned(request_).strategy.leanest
    mechanisms = [leanest.mechanism(bounding) for bounding in selectable(leanest)]
    assert bool(mechanisms) == (leanest.selection is not None)
    for mechanism in mechanisms:
        assert compose.covers(leanest.rest, mechanism.events)
        assert mechanism.allows(leanest.neighbours)
