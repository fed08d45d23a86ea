"""The public function of a job: a signature with a docstring, which is all that it has.

A call is checked by the signature, bound to it, and released by the job of the function's name. So a parameter is
written in the signature and as a field of the job, and nowhere else; editors and type checkers see the signature."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar, cast

from headcount.job import Job
from headcount.jobs.calls.moved import check_moved
from headcount.jobs.calls.unpack import unpack
from headcount.planner import release
from headcount.wording.arguments import check_call

P = ParamSpec("P")
R = TypeVar("R")


def job_function(function: Callable[P, R]) -> Callable[P, R]:
    """Make a signature with a docstring the public function of the job of its name. Its body never runs."""
    known = signature(function)

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        kind = Job.kind(function.__name__)
        check_moved(kind, known.parameters, given)
        check_call(kind.name, known, args, given)
        bound = known.bind(*args, **given)
        bound.apply_defaults()
        return cast(R, release(kind, bound.arguments["data"], unpack(kind, bound.arguments)))

    return call
