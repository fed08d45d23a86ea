"""Ways to release: every combination of the values that are listed, beside mappings of what else differs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import product
from typing import Any

from headcount.errors import BadParameter
from headcount.jobs.registry import FUNCTIONS

MAX_WAYS = 100
LISTS = 'ways=[{"by": "song"}, {"by": "artist"}]'


@dataclass(frozen=True)
class Way:
    """One set of arguments."""

    arguments: dict[str, Any]
    """All arguments of the job's function."""
    varied: dict[str, Any]
    """Those that differ between ways."""


def ways_of(job: str, ways: Sequence[Mapping[str, Any]] | None, arguments: Mapping[str, Any]) -> list[Way]:
    """Every way: each mapping, with each combination of listed values."""
    listed = {name: value for name, value in arguments.items() if _is_varied(job, name, value)}
    fixed = {name: value for name, value in arguments.items() if name not in listed}
    mappings, combinations = _mappings(ways, arguments), list(product(*listed.values()))
    if not 0 < len(mappings) * len(combinations) <= MAX_WAYS:
        count = f"{len(mappings) * len(combinations):,} ways to compare"
        raise BadParameter(f"{count}; from 1 to {MAX_WAYS}.", fix="epsilon=[0.5, 1, 2], or fewer values")
    varied = [{**each, **dict(zip(listed, values, strict=True))} for each in mappings for values in combinations]
    return [Way({**fixed, **each}, each) for each in varied]


def _is_varied(job: str, name: str, value: Any) -> bool:
    """True for a list of values; a list that is itself one value, such as `by` or `keys`, is varied by `ways`."""
    parameter = signature(FUNCTIONS[job]).parameters.get(name)
    return isinstance(value, list | tuple) and parameter is not None and "Sequence" not in str(parameter.annotation)


def _mappings(ways: Sequence[Mapping[str, Any]] | None, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    if ways is None:
        return [{}]
    listed = isinstance(ways, Iterable) and not isinstance(ways, Mapping | str)
    if not listed or not all(isinstance(each, Mapping) for each in ways):
        raise BadParameter(f"ways={ways!r:.60}: a list of mappings.", fix=LISTS)
    if twice := [name for each in ways for name in each if name in arguments]:
        raise BadParameter(f"{twice[0]}: given both in ways and outside of them.", fix=f"{twice[0]} in ways alone")
    return [dict(each) for each in ways]
