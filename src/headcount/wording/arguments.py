"""Arguments by their names: what Python says of a wrong call becomes a line to write instead."""

from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypeVar

from headcount.errors import WrongCall, shown

P = ParamSpec("P")
R = TypeVar("R")

OTHER_NAMES = {
    "n": "k",
    "eps": "epsilon",
    "budget": "epsilon",
    "user_col": "user",
    "user_id": "user",
    "id": "user",
    "person": "user",
    "group_by": "by",
    "groupby": "by",
    "group": "by",
    "item": "by",
    "metric": "metrics",
    "statistics": "metrics",
    "aggs": "metrics",
    "filter": "where",
    "query": "where",
    "clip": "bound",
    "quantiles": "q",
    "dataset": "name",
}
"""What other tools call a parameter."""
EXAMPLES = {
    "data": "{name}(table, ...), with a frame or the path of a file",
    "user": 'user="user_id", the column that tells people apart',
    "by": 'by="word", the column that makes an item',
    "value": 'value="amount", the column of numbers',
    "metrics": 'metrics=["people", "sum(price)"]',
    "ranges": "ranges=[(0, 10), (10, 50)]",
    "people": 'people=100000 if that is public, or people="count" to pay for it',
    "path": 'Ledger("visits.db", epsilon=3, delta=1e-5)',
    "job": 'plan("histogram", data, ...)',
}
"""What to write if a parameter is missing."""


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse a call that Python would refuse, with the line to write instead. Signature and help stay those of the
    function."""
    known, name = signature(function), function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        check_call(name, known, args, given)
        return function(*args, **given)

    return call


def check_call(name: str, known: Signature, args: tuple[Any, ...], given: dict[str, Any]) -> None:
    """Refuse unknown names, arguments without a name, and missing ones."""
    parameters = known.parameters.values()
    if all(each.kind is not Parameter.VAR_KEYWORD for each in parameters):
        check_names(name, given, [each.name for each in parameters if each.name != "self"])
    places = [each.name for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    others = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    if unnamed := args[len(places) :]:
        listed = ", ".join(f"{other}={shown(value)}" for other, value in zip(others, unnamed, strict=False))
        after = "" if places == ["self"] else f" after {places[-1]}"
        raise WrongCall(f"{name}: arguments{after} have names.", fix=listed or f"{name}({places[-1]})")
    needed = [each.name for each in parameters if each.default is Parameter.empty and each.kind in NAMED]
    if missing := [each for each in needed if each not in given and each not in places[: len(args)]]:
        example = EXAMPLES.get(missing[0], f"{missing[0]}=...")
        raise WrongCall(f"{name}: {missing[0]} is missing.", fix=example.format(name=name))


def check_names(function: str, given: dict[str, Any], known: Collection[str]) -> None:
    """Refuse parameters that a function does not have."""
    for name, value in given.items():
        if name not in known:
            near = OTHER_NAMES.get(name, "")
            meant = [near] if near in known else get_close_matches(name, known, n=1)
            fix = f"did you mean {meant[0]}={shown(value)}?" if meant else f"no {name}"
            raise WrongCall(f"{name}: {function} has no such parameter.", fix=fix)


NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
"""Kinds of parameters that have a name."""
