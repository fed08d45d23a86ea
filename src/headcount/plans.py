"""What a release would be: the plan of every job, from its arguments as typed."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.asked import heavy_question, profile_question, question, top_question, total_question
from headcount.asked_distribution import distribution_question
from headcount.asked_numbers import quantiles_question, ranges_question
from headcount.asked_shape import shape_question
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.forecast import epsilon_for
from headcount.mechanism import Name
from headcount.mechanism.distribution.strategy import Method
from headcount.mechanism.ordered.strategy import How
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.mechanism.shape.strategy import Way
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.planning import Plan
from headcount.question import Count, Debias, Estimator, Loss, Question, Sizes
from headcount.source import open_events
from headcount.source.engine import limits
from headcount.source.events import check_limits
from headcount.spending import budget, check_delta, check_target, given

Job = Literal["histogram", "heavy_hitters", "top", "profile", "total", "quantiles", "ranges", "shape", "distribution"]
_QUESTIONS: dict[Job, Callable[..., Question]] = {
    "histogram": question,
    "heavy_hitters": heavy_question,
    "top": top_question,
    "profile": profile_question,
    "total": total_question,
    "quantiles": quantiles_question,
    "ranges": ranges_question,
    "shape": shape_question,
    "distribution": distribution_question,
}


NEEDED = {
    "by": ("which column makes an item?", 'by="word"'),
    "value": ("which column holds the numbers?", 'value="amount"'),
    "ranges": ("which ranges?", "ranges=[(0, 10), (10, 50)]"),
}
"""What has no default, where it is known."""


def plan(
    job: Job,
    data: Any,
    *,
    user: str,
    by: str | Sequence[str] | None = None,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    where: Mapping[str, Any] | None = None,
    count: Count | Literal["none"] | None = None,
    k: int | None = None,
    keys: Sequence[Any] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    sum: str | None = None,  # noqa: A002
    bound: int | str = "auto",
    share: Number | None = None,
    grid: Sequence[int] | None = None,
    mechanism: Name | How | Way | Method = "auto",
    variant: VariantName = "level",
    kbar: int = KBAR,
    first_epsilon: Number | None = None,
    selection_delta: Number | None = None,
    rho: Number | None = None,
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    debias: Debias = "auto",
    people: int | str | None = None,
    value: str | None = None,
    q: Number | Sequence[Number] | None = None,
    range: tuple[Number, Number] | None = None,  # noqa: A002
    edges: Sequence[Number] | None = None,
    cells: int | None = None,
    ranges: Sequence[tuple[Number, Number]] | None = None,
    loss: Loss = "l1",
    estimator: Estimator = "em",
    buckets: int | None = None,
    sizes: Sizes = "private",
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Plan:
    """What a release would cost and how far off it would be: the arguments of the function of that name; nothing is
    read or spent.

    >>> import headcount as hc
    >>> hc.plan("histogram", hc.example(), user="user", by="song", epsilon=1, bound=20).mechanism.event.threshold
    103
    """
    job = job.replace("-", "_") if isinstance(job, str) else job  # type: ignore[assignment]
    if job not in _QUESTIONS:
        known = " or ".join(f'plan("{each}", data, ...)' for each in _QUESTIONS)
        raise BadParameter(f"plan({job!r:.40}, ...): unknown.", fix=known)
    told = {
        "by": by,
        "where": where,
        "count": count,
        "k": k,
        "keys": keys,
        "bins": bins,
        "sum": sum,
        "bound": bound,
        "share": share,
        "grid": grid,
        "mechanism": mechanism,
        "variant": variant,
        "kbar": kbar,
        "first_epsilon": first_epsilon,
        "selection_delta": selection_delta,
        "p": p,
        "theta": theta,
        "rule": rule,
        "debias": debias,
        "people": people,
        "value": value,
        "q": q,
        "range": range,
        "edges": edges,
        "cells": cells,
        "ranges": ranges,
        "loss": loss,
        "estimator": estimator,
        "buckets": buckets,
        "sizes": sizes,
    }
    relative = job == "top" or mechanism in ("count-release", "plume-threshold") or sum is not None
    if relative:  # there it is a part of a count
        told["target_error"], target_error = target_error, None
    asked = _asked(job, user, neighbours, told)
    check_delta(delta, asked)
    usable = limits(memory, spill)
    events = open_events(data, asked.columns, dataset, asked.roles)
    check_limits(data, events, usable)
    asked.check_source(events)
    columns = {name: str(kind) for name, kind in events.columns.items()}

    def made(epsilon: Number) -> Plan:
        return Plan(events.name, asked, budget(epsilon, delta), columns, events, usable)

    if target_error is None:
        plan = made(given(epsilon, rho, delta, asked))
        plan.check()
        return plan
    check_target(target_error, rho if epsilon is None else epsilon, asked)
    return epsilon_for(target_error, made)


def _asked(job: Job, user: str, neighbours: Neighbours, told: dict[str, Any]) -> Question:
    """The question; what was left as it is by default is not told, and what a job does not know is refused."""
    usual = signature(plan).parameters
    said = {name: value for name, value in told.items() if not _same(value, usual[name].default)}
    known = signature(_QUESTIONS[job]).parameters
    if strange := [name for name in said if name not in known]:
        raise BadParameter(f"{strange[0]}: a {job} has no such parameter.", fix=f"no {strange[0]}")
    for name, (asked, fix) in NEEDED.items():
        if name in known and told[name] is None:
            raise BadParameter(f"{name}=None: {asked}", fix=fix)
    return _QUESTIONS[job](user=user, neighbours=neighbours, **said)


def _same(value: Any, usual: Any) -> bool:
    return value is usual or (isinstance(value, str) and value == usual)


def opened(ledger: Ledger | str | Path | None) -> Ledger | None:
    """The ledger, by its path."""
    return Ledger(ledger) if isinstance(ledger, str | Path) else ledger
