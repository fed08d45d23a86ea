"""Option objects as they are typed: `count-release:variant=rogers,kbar=500`, `papers.dp-sgd:share=0.1`."""

import re
from collections.abc import Callable, Sequence
from typing import Any, get_args, get_origin, get_type_hints

from headcount.errors import BadParameter
from headcount.job import Job
from headcount.wording.options import Options, moved

WHOLE = re.compile("-?[0-9]{1,400}")
BETWEEN = re.compile(r",(?=\s*\w+=)")
"""What separates options: a comma before the next name, as a list has commas as well."""
CALL = re.compile(r"(hc|papers)\.(\w+)\((.*)\)", re.DOTALL)
"""An option object as Python writes it."""


def kinds_of(job: str, parameter: str) -> list[type[Options]]:
    """The classes of options that a parameter of a job takes."""
    return [kind for kind in Job.kind(job).options if kind.parameter == parameter]


def example_of(function: Callable[..., Any], parameter: str) -> str:
    """A value with options, as it is typed; empty if the parameter takes none."""
    kinds = [kind for kind in kinds_of(function.__name__, parameter) if kind.example]
    return f"{kinds[0].name}:{kinds[0].example}" if kinds else ""


def with_options(function: Callable[..., Any], parameter: str, typed: str) -> Any:
    """The object that a text stands for: one with options, or of a paper; all other texts as they are."""
    kinds = kinds_of(function.__name__, parameter)
    if not kinds or not (":" in typed or typed.startswith("papers.")):
        return typed
    name, _, listed = typed.partition(":")
    home, _, plain = name.rpartition(".")
    for kind in kinds:
        if kind.home == (home or "hc") and (named := kind.of_name(plain)) is not None:
            return kind(**named, **_values(kind, parameter, listed))
    return name


def _values(kind: type[Options], parameter: str, listed: str) -> dict[str, Any]:
    """variant=rogers,kbar=500 as a mapping."""
    pairs = [each.partition("=") for each in BETWEEN.split(listed) if each.strip()]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise BadParameter(
            f"{parameter}={kind.name}:{wrong[0]}: an option is typed as name=value.",
            fix=f"{parameter}={kind.name}:{kind.example}",
        )
    kinds = {name: [get_origin(each) for each in get_args(hint)] for name, hint in get_type_hints(kind).items()}
    several = {name for name, origins in kinds.items() if Sequence in origins}
    return {name.strip(): _value(value.strip(), name.strip() in several) for name, _, value in pairs}


def _value(typed: str, several: bool) -> Any:
    if several:
        return [_value(each.strip(), False) for each in typed.split(",") if each.strip()]
    return int(typed) if WHOLE.fullmatch(typed) else typed


def as_typed(value: str, kinds: Sequence[type[Options]]) -> str:
    """An object as Python writes it, as it is typed on the command line; all else as it is."""
    call = CALL.fullmatch(value)
    kind = next((each for each in kinds if call and each.__name__ == call[2]), None)
    if call is None or kind is None:
        return value
    listed = re.sub(r"[\[\]'\"]", "", call[3]).replace(", ", ",")
    way = re.match(r"way=(\w+),?", listed)
    name = f"{'papers.' if call[1] == 'papers' else ''}{way[1] if way else kind.name}"
    rest = listed[way.end() :] if way else listed
    return f"{name}:{rest}" if rest else name


def moved_option(job: str, option: str, words: Sequence[str]) -> str:
    """What to type instead of a former option of a job; empty if it never was one."""
    name = option.removeprefix("--").replace("-", "_")
    after = [value for word, value in zip(words, [*words[1:], ""], strict=True) if word == option]
    typed = [*after, *(word.partition("=")[2] for word in words if word.startswith(f"{option}="))]
    found = moved(name, _value(typed[0] if typed else "", False), Job.kind(job).options)
    if found is None:
        return ""
    parameter, _, value = found[1].partition("=")
    return f"--{parameter} {as_typed(value, Job.kind(job).options)}"
