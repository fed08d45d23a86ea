"""Right arguments of every job, from its first request of the golden net: a new job is in all tests that run over jobs
once it is there."""

from collections.abc import Sequence
from typing import Any

from headcount.jobs import JOBS
from tests.golden.requests import REQUESTS


def of_every_job(
    own: dict[str, dict[str, Any]], *, item: str, number: str, listed: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Arguments beside user and budget, for a table with these columns: those that a test has of its own, else those of
    the golden net."""
    return {job: own[job] if job in own else _arguments(job, item, number, listed) for job in JOBS}


def _arguments(job: str, item: str, number: str, listed: Sequence[str]) -> dict[str, Any]:
    """Those of the golden net, with other columns and items."""
    found = next(each.arguments for each in REQUESTS if each.job == job)
    named = {name: _renamed(value, item, number) for name, value in found.items() if name not in ("user", "epsilon")}
    return {**named, "keys": list(listed)} if "keys" in named else named


def _renamed(value: Any, item: str, number: str) -> Any:
    """A value with the names of other columns."""
    if isinstance(value, list):
        return [_renamed(each, item, number) for each in value]
    return value.replace("minutes", number).replace("item", item) if isinstance(value, str) else value
