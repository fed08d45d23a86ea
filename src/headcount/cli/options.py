"""Command-line options from the parameters of a job's public function: their names, defaults and help.

A parameter becomes an option of the same name. What is typed is text: a few parameters have a notation of their own
(lists, ranges, conditions), all others are text or whole numbers, by their annotation. The help is the first sentence
that the function's docstring says of a parameter.
"""

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from inspect import Parameter, signature
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from headcount.cli.option_objects import example_of, with_options
from headcount.errors import BadParameter
from headcount.source.operators import check_spelling
from headcount.source.regular import check_regular
from headcount.wording import first_sentence
from headcount.wording.docstring import described_parameters

SHARED = ("data", "user", "neighbours", "dataset", "promise", "ledger", "again", "memory", "spill")
"""Parameters of every job: `Run` has them, but for the promise: the command line opens files, which are no query."""
LISTS = ("by", "metrics", "keys", "bins", "per", "dates", "where", "q", "ranges", "weights")
"""Options that may be repeated."""
COLON = re.compile(r"([-+]?[0-9][-+.0-9e]*) ?: ?([-+]?[0-9][-+.0-9e]*)")
"""What other tools take for a range."""
OPEN_END = re.compile(r"([-+]?[0-9][-+.0-9eT]*) ?:|: ?([-+]?[0-9][-+.0-9eT]*)")
"""The same with one end open, which is no time of day: 10.. or ..10."""
QUOTED = re.compile(r'(?:(?<=,)|^)\s*"(?:[^"]|"")*"')
"""Values in quotes, among those of a list."""
BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")
COMPARED = re.compile(r"([^=<>!\"]+?)\s*((?:[<>]=?|!=|<>)[^=]*)")
"""A column and its values with an operator between them."""
PAIRS = {
    "range": "range=(0, 1000)",
    "ranges": "ranges=[(0, 10), (10, 50)]",
    "dates": 'dates=("2024-01-01", "2024-12-31")',
}
"""Examples of parameters that are two ends."""
NOTATION = {
    "by": "May be repeated.",
    "metrics": "As people, or 'mean(price)'. May be repeated.",
    "weights": "As 'sum(price)=3'. May be repeated.",
    "keys": "As apple,pear,plum; for one of several columns fruit=apple,pear. May be repeated.",
    "bins": "As 0,10,100; for one of several columns age=0,10,100.",
    "per": "As month; for one of several columns day=month.",
    "dates": "As 2024-01-01..2024-12-31; for one of several columns day=2024-01-01..2024-12-31.",
    "where": "As country=FR, plan=basic,pro, age=18..65, price=10.. or price=..99. May be repeated.",
    "q": "As 0.1,0.5,0.9.",
    "range": "As 0..1000.",
    "ranges": "As 0..10,10..50.",
    "edges": "As 0,1,5,10,100.",
    "grid": "As 1,2,5,10.",
    "debias": "None is typed as none.",
}
"""How values other than a word or a number are typed."""


SHORT = {
    "where": "Count only rows that meet a condition.",
    "bins": "Public edges for a column of numbers or dates.",
    "per": "hour, day, week, month, quarter or year of a column of dates.",
    "dates": "The first and the last date, if they are public. If all other columns are known as well, every period in "
    "between is released.",
}
"""The help where the docstring describes how Python types a value."""
BY_METRIC = {
    "bound": "As 'sum(price)=5000'. May be repeated.",
    "target_error": "As 'mean(price)=0.05'. May be repeated.",
    "range": "As 0..1000; for one of several columns price=0..1000. May be repeated.",
}
"""The same for parameters that are a mapping in some jobs."""
KEYS_FILE = "The items, from a file with a line for each; with several columns their values, with commas between."
SINGULAR = {"metrics": "metric", "weights": "weight"}
"""Options that are repeated, and so have the name of one."""


def own_options(function: Callable[..., Any]) -> list[Parameter]:
    """The options that only this job has."""
    own = [each for name, each in signature(function).parameters.items() if name not in SHARED]
    options = [option(each, help_of(function, each.name), example_of(function, each.name)) for each in own]
    if any(each.name == "keys" for each in own):
        place = next(place for place, each in enumerate(options) if each.name == "keys")
        file = Annotated[Path | None, typer.Option(help=KEYS_FILE)]
        options.insert(place + 1, Parameter("keys_file", Parameter.KEYWORD_ONLY, default=None, annotation=file))
    return options


def option(parameter: Parameter, text: str, example: str = "") -> Parameter:
    """The option of a parameter; `example` is a value with options of its own."""
    name, default = parameter.name, parameter.default
    mapping = name in ("bound", "target_error", "range") and "Mapping" in str(parameter.annotation)
    kind: Any = list[str] if name in LISTS or mapping else str
    if default is Parameter.empty:
        shown: Any = default
    elif default is None or kind is not str:
        kind, shown = kind | None, None
    else:
        shown = "1e-6" if name == "delta" else str(default)
    notation = f" {BY_METRIC[name] if mapping else NOTATION[name]}" if mapping or name in NOTATION else ""
    notation += f" Options as {example}." if example else ""
    flag = SINGULAR.get(name, name).replace("_", "-")
    short = _with_choices(SHORT.get(name) or first_sentence(text), parameter.annotation)
    metavar = None if name in LISTS or mapping else _metavar(parameter.annotation)
    typed = Annotated[kind, typer.Option(f"--{flag}", help=short + notation, metavar=metavar)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=shown, annotation=typed)


def _metavar(annotation: Any) -> str | None:
    """What a value is, if it is a number."""
    kinds = get_args(annotation) or (annotation,)
    if Fraction in kinds:
        return "<number>"
    return "<int>" if int in kinds and str not in kinds else None


def _with_choices(text: str, annotation: Any) -> str:
    """The help, with all values that there are unless it names them."""
    kinds = (annotation, *get_args(annotation))
    listed = [each for kind in kinds if get_origin(kind) is Literal for each in get_args(kind)]
    choices = [each for each in listed if isinstance(each, str)]
    return text if all(each in text for each in choices) else f"{text} One of {', '.join(choices)}."


def help_of(function: Callable[..., Any], name: str) -> str:
    """What the docstring says of a parameter."""
    text = described_parameters(function.__doc__).get(name, "")
    plain = text.replace('"', "").replace("`", "")
    return plain if text.startswith('"') else plain[:1].upper() + plain[1:]


def arguments(function: Callable[..., Any], typed: dict[str, Any]) -> dict[str, Any]:
    """The function's arguments, from options as typed; those that were not typed and have no default are left out."""
    parameters, file = signature(function).parameters, typed.pop("keys_file", None)
    given = {name: value for name, value in typed.items() if value is not None and value != []}
    found = {name: _value(parameters[name], value) for name, value in given.items() if name != "keys"}
    found |= {name: with_options(function, name, value) for name, value in found.items() if isinstance(value, str)}
    if "keys" in given:
        found["keys"] = _keys(given["keys"], found.get("by", ()))
    return found if file is None else {**found, "keys": _keys_in(file, found.get("keys"))}


def _value(parameter: Parameter, typed: Any) -> Any:
    """A parameter's value, from what was typed."""
    if isinstance(typed, list) and parameter.name in MAPPED:
        return MAPPED[parameter.name](typed)
    if parameter.name in PARSERS:
        return PARSERS[parameter.name](typed)
    return _number_or_text(typed) if "int" in str(parameter.annotation) and isinstance(typed, str) else typed


def _number_or_text(typed: str) -> int | str:
    """A whole number, if it is one."""
    return int(typed) if re.fullmatch("-?[0-9]{1,400}", typed) else typed


def _number(typed: str) -> float | int | str:
    for kind in (int, float):
        try:
            return kind(typed)
        except ValueError:
            continue
    return typed


def _numbers(typed: str) -> list[Any]:
    """1,2,5 as a list of numbers."""
    return [_number(each.strip()) for each in typed.split(",") if each.strip()]


def _pair(name: str, typed: str) -> Any:
    """Two numbers, as 0..1000."""
    low, dots, high = typed.partition("..")
    if not dots:
        ends = re.split(r"[:,]| to ", typed)
        fix = f"{name}={'..'.join(map(str.strip, ends))}" if len(ends) == 2 else PAIRS[name]
        raise BadParameter(f"{name}={typed}: a lower and an upper end.", fix=fix)
    return low, high


def _keys(typed: list[str], by: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """apple,pear as a list; fruit=apple,pear as the values of a column, if that is its name."""
    named = [(column, values) for column, _, values in (each.partition("=") for each in typed) if column in by]
    if not named:
        return [item for each in typed for item in _items(each)]
    if len(named) < len(typed):
        raise BadParameter("keys: of which column?", fix=f"keys={named[0][0]}=apple,pear")
    found: dict[str, list[str]] = {column: [] for column, _ in named}
    for column, values in named:
        found[column] += _items(values)
    return found


def _items(typed: str) -> list[str]:
    """apple,pear as a list; an item in quotes may have a comma."""
    return next(iter(_csv_rows(csv.reader([typed], skipinitialspace=True), "keys")), [])


def _keys_in(file: Path, listed: Any) -> list[Any]:
    """The items in a file, a line each."""
    if listed is not None:
        raise BadParameter("keys and keys_file: only one of them.", fix="keys_file=items.csv")
    check_regular(file)
    try:
        lines = StringIO(file.read_text(encoding="utf-8-sig"))  # lines end at line ends alone, not at U+2028
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadParameter(
            f"{file}: cannot be read ({why}).", fix="keys_file=items.csv, an item on each line"
        ) from None
    return [tuple(row) for row in _csv_rows(csv.reader(lines), str(file)) if row]


def _csv_rows(rows: Iterable[list[str]], where: str) -> list[list[str]]:
    """Rows of items, read to their end."""
    try:
        return list(rows)
    except csv.Error as error:
        raise BadParameter(
            f"{where}: not a list of items ({error}).", fix='items with commas or line ends in quotes: "a,b"'
        ) from None


def _by_column(parse: Callable[[str], Any]) -> Callable[[list[str]], Any]:
    """A value; or, if a column is named, a mapping."""

    def parsed(typed: list[str]) -> Any:
        named = (each.rpartition("=") for each in typed)
        values = {column: parse(value.strip()) for column, _, value in named}
        return values[""] if list(values) == [""] else values

    return parsed


def _edges(typed: str) -> list[Any]:
    """0,10,100 as edges."""
    return [_number(edge.strip()) for edge in typed.split(",")]


def _where(typed: list[str]) -> dict[str, Any]:
    """country=FR is one value, plan=basic,pro several, age=18..65 two ends, price=10.. one."""
    conditions: dict[str, Any] = {}
    for each in typed:
        if compared := COMPARED.fullmatch(each):
            check_spelling(compared[1], compared[2])
        column, equals, value = each.partition("=")
        if not equals or not column or not value:
            raise BadParameter(f"where={each}: a column and what it must be.", fix="where=country=FR")
        if column in conditions:
            raise BadParameter(f"where: {column} is given twice.", fix=f"where={column}=FR,DE for several values")
        conditions[column] = _allowed(column, value)
    return conditions


def _allowed(column: str, typed: str) -> Any:
    """What a column must be: two ends, or values; what stands in quotes is a value."""
    quoted, open_end = typed.startswith('"'), OPEN_END.fullmatch(typed)
    if open_end:
        return _end(open_end[1]), _end(open_end[2])
    low, dots, high = typed.partition("..")
    return (_end(low), _end(high)) if dots and not quoted else _values(column, typed)


def _values(column: str, typed: str) -> list[str | bool]:
    """basic,pro or "basic, or more",pro: what stands in quotes is one value, as it is."""
    if ends := COLON.fullmatch(typed):
        raise BadParameter(
            f"where={column}={typed}: two ends, or a text?",
            fix=f"where={{{column!r}: ({ends[1]}, {ends[2]})}} for all between the two, or where={{{column!r}: "
            f"[{typed!r}]}} for that very text",
        )
    if not typed.startswith('"'):
        check_spelling(column, typed)
    values = next(iter(_csv_rows(csv.reader([typed], skipinitialspace=True), "where")), [])
    quoted = {each.strip()[1:-1].replace('""', '"') for each in QUOTED.findall(typed)}
    return [value if value in quoted else _plain_value(column, value) for value in values]


def _plain_value(column: str, typed: str) -> str | bool:
    """A value without quotes: no operator, and true or false in any spelling."""
    check_spelling(column, typed)
    return typed.casefold() == "true" if typed in BOOLEANS else typed


def _end(typed: str | None) -> Any:
    """A number, or a date as it was typed; None for an end that is open."""
    if not typed:
        return None
    try:
        number = float(typed)
    except ValueError:
        return typed
    return int(number) if number.is_integer() else number


def _by_metric(typed: list[str]) -> dict[str, str]:
    """sum(price)=5000 as a mapping."""
    if strange := [each for each in typed if "=" not in each]:
        raise BadParameter(f"{strange[0]}: a metric and its number.", fix="'sum(price)=3'")
    return {metric: number for metric, _, number in (each.rpartition("=") for each in typed)}


MAPPED: dict[str, Callable[[Any], Any]] = {
    "bound": _by_metric,
    "target_error": _by_metric,
    "weights": _by_metric,
    "range": _by_column(lambda typed: _pair("range", typed) if ".." in typed else _numbers(typed)),
}
"""The notation of parameters that are a mapping in some jobs."""
PARSERS: dict[str, Callable[[Any], Any]] = {
    "by": list,
    "metrics": list,
    "bins": _by_column(_edges),
    "per": _by_column(str),
    "dates": _by_column(lambda typed: _pair("dates", typed)),
    "where": _where,
    "q": lambda typed: _numbers(",".join(typed)),
    "range": lambda typed: _pair("range", typed),
    "ranges": lambda typed: [_pair("ranges", each) for each in ",".join(typed).split(",")],
    "edges": _numbers,
    "grid": _numbers,
    "debias": lambda typed: None if typed == "none" else typed,
}
"""The notation of values other than a word or a number."""
