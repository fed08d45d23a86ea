"""Options as a request keeps them: flat, beside the name of what they are options of."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from headcount.errors import BadParameter
from headcount.job import Job
from headcount.wording.options import Options, option_fields

PRICE = "rho"
"""An option that is what the release costs, and no part of the question."""


def unpack(kind: type[Job], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a job, with option objects unpacked into fields of the request."""
    unpacked = dict(typed)
    for name, value in typed.items():
        _check_name(kind, name, value)
        if isinstance(value, Options):
            _check_kind(kind, name, value)
            passed = _passed_on(kind, name, value)
            if twice := [each for each in passed if each in unpacked]:
                raise BadParameter(f"{twice[0]}: given twice.", fix=f"no {twice[0]} in {name}")
            unpacked |= {**passed, name: _left(kind, name, value, passed)}
    return unpacked


def _check_name(kind: type[Job], name: str, value: Any) -> None:
    """Refuse the name of what is an object alone."""
    papers = [each for each in kind.options if each.parameter == name and each.home != "hc"]
    if found := [each for each in papers if isinstance(value, str) and each.name == value]:
        raise BadParameter(f'{name}="{value}": it is in headcount.papers.', fix=f"{name}={found[0]()!r}")


def _check_kind(kind: type[Job], name: str, value: Options) -> None:
    """Refuse options of what the parameter of this job does not take."""
    kinds = [each for each in kind.options if each.parameter == name]
    if type(value) not in kinds:
        listed = ", ".join(f"hc.{each.__name__}" for each in kinds if each.home == "hc" and option_fields(each))
        fix = f"one of {listed}" if listed else f"no {name}"
        raise BadParameter(f"{name}={value!r}: {kind.name} does not take it.", fix=fix)


def _passed_on(kind: type[Job], name: str, value: Options) -> dict[str, Any]:
    """The options that are fields of the request, or its price."""
    fields = {field.name for field in option_fields(type(value))}
    kept = fields - set(value.passed_on) if name in kind.keeps_options else set[str]()
    if strange := [each for each in value.passed if each not in {*kept, *kind.option_parameters, PRICE}]:
        raise BadParameter(f"{strange[0]}: {kind.name} has no such option.", fix=f"no {strange[0]}")
    return {each: given for each, given in value.passed.items() if each not in kept}


def _left(kind: type[Job], name: str, value: Any, passed: Mapping[str, Any]) -> Any:
    """What is left of an object: its name, or the object without what was passed on."""
    return replace(value, **dict.fromkeys(passed)) if name in kind.keeps_options else value.stored_name
