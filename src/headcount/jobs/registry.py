"""All jobs by name, and the plan of any of them."""

from collections.abc import Callable, Collection
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from typing import Any

from headcount.errors import BadParameter, shown
from headcount.job import Job
from headcount.jobs import JOBS
from headcount.jobs.calls.moved import check_moved
from headcount.jobs.calls.unpack import unpack
from headcount.planner import Plan, build, request
from headcount.wording.arguments import check_names, explained

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(import_module(f"headcount.jobs.{name}"), name) for name in JOBS
}
"""The public function of each job. Importing its file registers its class."""


@explained
def plan(job: str, data: Any, **arguments: Any) -> Plan:
    """Plan a release: its cost, its expected error and its steps. It takes the name of a job and the arguments of that
    function, reads only the schema, and spends nothing.

    >>> import headcount as hc
    >>> hc.plan("histogram", hc.example(), user="user", by="song", epsilon=1, bound=20).mechanism.event.threshold
    103
    """
    name = job_name("plan", job, FUNCTIONS)
    kind, known = Job.kind(name), signature(FUNCTIONS[name]).parameters
    check_moved(kind, known, arguments)
    check_names(name, arguments, [each for each in known if each not in ("data", "ledger")])
    return build(kind, data, unpack(kind, arguments))


def columns_read(job: str, arguments: dict[str, Any]) -> tuple[str, ...]:
    """The columns of a table that a job reads, given the arguments of its function; wrong ones are refused."""
    kind = Job.kind(job)
    check_moved(kind, signature(FUNCTIONS[job]).parameters, arguments)
    return request(kind, unpack(kind, arguments)).columns


def job_name(function: str, job: Any, known: Collection[str], otherwise: str = "unknown") -> str:
    """The name of a job, which comes first: `function(job, data, ...)`; `otherwise` is said of all others."""
    if not isinstance(job, str):
        raise BadParameter(
            f"{function}({type(job).__name__}, ...): the name of the job comes first.",
            fix=f'{function}("histogram", data, ...)',
        )
    name = job.replace("-", "_")
    if name not in known:
        near = [f'did you mean {function}("{each}", data, ...)? ' for each in get_close_matches(name, known, n=1)]
        raise BadParameter(
            f"{function}({shown(job)}, ...): {otherwise}.", fix="".join([*near, f"One of {', '.join(known)}"])
        )
    return name


__all__ = ["FUNCTIONS", "Plan", "job_name", "plan"]
