"""All jobs by name, and the plan of any of them."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from typing import Any

from headcount.errors import BadParameter
from headcount.job import Job
from headcount.jobs import JOBS
from headcount.planner import Plan, build

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(import_module(f"headcount.jobs.{name}"), name) for name in JOBS
}
"""The public function of each job. Importing its file registers its class."""


def plan(job: str, data: Any, **arguments: Any) -> Plan:
    """What a release would cost and how far off it would be: the arguments of the function of that name; nothing is
    read or spent.

    >>> import headcount as hc
    >>> hc.plan("histogram", hc.example(), user="user", by="song", epsilon=1, bound=20).mechanism.event.threshold
    103
    """
    name = job.replace("-", "_") if isinstance(job, str) else job
    if name not in FUNCTIONS:
        known = " or ".join(f'plan("{each}", data, ...)' for each in FUNCTIONS)
        raise BadParameter(f"plan({job!r:.40}, ...): unknown.", fix=known)
    _check_names(name, arguments)
    return build(Job.kind(name), data, arguments)


def _check_names(job: str, names: Iterable[str]) -> None:
    """Refuse parameters that a job does not have."""
    known = [name for name in signature(FUNCTIONS[job]).parameters if name not in ("data", "ledger", "again")]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            fix = f"{near[0]}=..., or no {name}" if near else f"no {name}"
            raise BadParameter(f"{name}: {job} has no such parameter.", fix=fix)


__all__ = ["FUNCTIONS", "Plan", "plan"]
