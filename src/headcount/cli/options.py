"""Command-line options from the parameters of a job's public function: their names, defaults, help and text form."""

import csv
import re
from collections.abc import Callable, Mapping
from inspect import Parameter
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from headcount.cli.option_objects import example_of, with_options
from headcount.errors import BadParameter
from headcount.jobs.calls.described import JobParameter, parameters_of
from headcount.source.files.regular import check_regular
from headcount.wording.commas import csv_rows

SHARED = ("data", "user", "neighbours", "ledger")
"""Parameters of every job: `Run` has them."""


def own_options(function: Callable[..., Any]) -> list[Parameter]:
    """The options that only this job has."""
    own = [each for name, each in parameters_of(function).items() if name not in SHARED]
    return [option for each in own for option in options_of(each, example_of(function, each.name))]


def options_of(parameter: JobParameter, example: str = "") -> list[Parameter]:
    """The option of a parameter, and that of a file that its values may be in."""
    typed = parameter.typed
    if not typed.file:
        return [option(parameter, example)]
    file = Annotated[Path | None, typer.Option(help=typed.file, rich_help_panel=typed.panel)]
    from_file = Parameter(f"{parameter.name}_file", Parameter.KEYWORD_ONLY, default=None, annotation=file)
    return [option(parameter, example), from_file]


def option(parameter: JobParameter, example: str = "") -> Parameter:
    """The option of a parameter; `example` is a value with options of its own."""
    kind: Any = str if parameter.typed.several == "no" else list[str]
    required = parameter.default is Parameter.empty
    if not required and (parameter.default is None or kind is not str):
        kind, shown = kind | None, None
    else:
        shown = parameter.default if required else _shown(parameter.default)
    text = f"{parameter.help} Options as {example}." if example else parameter.help
    metavar = f"<{parameter.number}>" if parameter.number else None
    given = typer.Option(parameter.flag, help=text, metavar=metavar, rich_help_panel=parameter.typed.panel)
    return Parameter(parameter.name, Parameter.KEYWORD_ONLY, default=shown, annotation=Annotated[kind, given])


def _shown(default: Any) -> str:
    """A default as it would be typed: 1e-6, not 1e-06."""
    return re.sub("e-0", "e-", str(default)) if isinstance(default, float) else str(default)


def arguments(function: Callable[..., Any], typed: dict[str, Any]) -> dict[str, Any]:
    """The function's arguments, from options as typed; those that were not typed and have no default are left out."""

    def value(parameter: JobParameter, given: Any, before: dict[str, Any]) -> Any:
        found = plain_value(parameter, given, before)
        return with_options(function, parameter.name, found) if isinstance(found, str) else found

    return values(parameters_of(function), typed, value)


def plain_value(parameter: JobParameter, typed: Any, before: dict[str, Any]) -> Any:
    """A parameter's value, from what was typed and the arguments before it."""
    if parameter.typed.parse:
        return parameter.typed.parse(typed, before)
    return _number_or_text(typed) if int in parameter.kinds and isinstance(typed, str) else typed


def values(
    parameters: Mapping[str, JobParameter],
    typed: Mapping[str, Any],
    value: Callable[[JobParameter, Any, dict[str, Any]], Any] = plain_value,
) -> dict[str, Any]:
    """The values of parameters, from options as typed; those that were not typed and have no default are left out."""
    found = dict[str, Any]()
    for name, parameter in parameters.items():
        given, file = typed.get(name), typed.get(f"{name}_file")
        if given is not None and given != []:
            found[name] = value(parameter, given, found)
        if file is not None:
            found[name] = _rows_in(file, name, found.get(name))
    return found


def _number_or_text(typed: str) -> int | str:
    """A whole number, if it is one."""
    return int(typed) if re.fullmatch("-?[0-9]{1,400}", typed) else typed


def _rows_in(file: Path, name: str, listed: Any) -> list[Any]:
    """The items in a file, a line each."""
    if listed is not None:
        raise BadParameter(f"{name} and {name}_file: only one of them.", fix=f"{name}_file=items.csv")
    check_regular(file)
    try:
        lines = StringIO(file.read_text(encoding="utf-8-sig"))  # lines end at line ends alone, not at U+2028
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadParameter(
            f"{file}: cannot be read ({why}).", fix=f"{name}_file=items.csv, an item on each line"
        ) from None
    return [tuple(row) for row in csv_rows(csv.reader(lines), str(file)) if row]
