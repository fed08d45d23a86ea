"""Text forms of parameters that are more than a word or a number: lists, pairs, values by column or by metric."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headcount.errors import BadParameter
from headcount.wording.commas import number, numbers, separate
from headcount.wording.parameter import PRIVACY, WHAT, Typed

Text = Callable[[str], Any]
"""Makes a value of a text."""


def alone(parse: Callable[[Any], Any]) -> Callable[[Any, Mapping[str, Any]], Any]:
    """A parser that needs no other arguments."""
    return lambda typed, before: parse(typed)


def pair(name: str, example: str) -> Text:
    """Two ends, as 0..1000."""

    def parse(typed: str) -> tuple[str, str]:
        low, dots, high = typed.partition("..")
        if not dots:
            ends = re.split(r"[:,]| to ", typed)
            fix = f"{name}={'..'.join(map(str.strip, ends))}" if len(ends) == 2 else example
            raise BadParameter(f"{name}={typed}: a lower and an upper end.", fix=fix)
        return low, high

    return parse


def by_column(parse: Text) -> Callable[[list[str]], Any]:
    """A value; or, if a column is named, a mapping."""

    def parsed(typed: list[str]) -> Any:
        named = (each.rpartition("=") for each in typed)
        values = {column: parse(value.strip()) for column, _, value in named}
        return values[""] if list(values) == [""] else values

    return parsed


def by_metric(typed: list[str]) -> dict[str, str]:
    """sum(price)=5000 as a mapping."""
    if strange := [each for each in typed if "=" not in each]:
        raise BadParameter(f"{strange[0]}: a metric and its number.", fix="'sum(price)=3'")
    return {metric: number for metric, _, number in (each.rpartition("=") for each in typed)}


def _edges(typed: str) -> list[Any]:
    """0,10,100 as edges."""
    return [number(edge.strip()) for edge in typed.split(",")]


def _keys(typed: list[str], before: Mapping[str, Any]) -> list[str] | dict[str, list[str]]:
    """apple,pear as a list; fruit=apple,pear as the values of a column, if that is its name."""
    by: Sequence[str] = before.get("by", ())
    named = [(column, values) for column, _, values in (each.partition("=") for each in typed) if column in by]
    if not named:
        return [item for each in typed for item in separate(each, "keys")]
    if len(named) < len(typed):
        raise BadParameter("keys: of which column?", fix=f"keys={named[0][0]}=apple,pear")
    found: dict[str, list[str]] = {column: [] for column, _ in named}
    for column, values in named:
        found[column] += separate(values, "keys")
    return found


def _range_of_column(typed: str) -> Any:
    """0..1000, or edges: 0,10,100."""
    return pair("range", RANGE_EXAMPLE)(typed) if ".." in typed else numbers(typed)


def _ranges(typed: list[str]) -> list[Any]:
    """0..10,10..50 as a list."""
    return [pair("ranges", "ranges=[(0, 10), (10, 50)]")(each) for each in ",".join(typed).split(",")]


RANGE_EXAMPLE = "range=(0, 1000)"
WHAT_IT_IS = Typed(panel=WHAT)
COST = Typed(panel=PRIVACY)
BY = Typed(panel=WHAT, notation="May be repeated.", parse=alone(list), several="options")
METRICS = Typed(
    panel=WHAT,
    notation="As people, or 'mean(price)'. May be repeated.",
    parse=alone(list),
    several="options",
    flag="metric",
)
KEYS = Typed(
    panel=WHAT,
    notation="As apple,pear,plum; for one of several columns fruit=apple,pear. May be repeated.",
    parse=_keys,
    several="commas",
    file="The items, from a file with a line for each; with several columns their values, with commas between.",
)
BINS = Typed(
    panel=WHAT,
    notation="As 0,10,100; for one of several columns age=0,10,100.",
    parse=alone(by_column(_edges)),
    several="commas",
    help="Public edges for a column of numbers or dates.",
)
PER = Typed(
    panel=WHAT,
    notation="As month; for one of several columns day=month.",
    parse=alone(by_column(str)),
    several="commas",
    help="hour, day, week, month, quarter or year of a column of dates.",
)
DATES = Typed(
    panel=WHAT,
    notation="As 2024-01-01..2024-12-31; for one of several columns day=2024-01-01..2024-12-31.",
    parse=alone(by_column(pair("dates", 'dates=("2024-01-01", "2024-12-31")'))),
    several="commas",
    help="The first and the last date, if they are public. If all other columns are known as well, every period in "
    "between is released.",
)
QUANTILES = Typed(
    panel=WHAT, notation="As 0.1,0.5,0.9.", parse=alone(lambda typed: numbers(",".join(typed))), several="commas"
)
RANGE = Typed(panel=WHAT, notation="As 0..1000.", parse=alone(pair("range", RANGE_EXAMPLE)))
RANGE_BY_COLUMN = Typed(
    panel=WHAT,
    notation="As 0..1000; for one of several columns price=0..1000. May be repeated.",
    parse=alone(by_column(_range_of_column)),
    several="mapping",
)
RANGES = Typed(panel=WHAT, notation="As 0..10,10..50.", parse=alone(_ranges), several="commas")
EDGES = Typed(panel=WHAT, notation="As 0,1,5,10,100.", parse=alone(numbers))
DEBIAS = Typed(notation="None is typed as none.", parse=alone(lambda typed: None if typed == "none" else typed))
WEIGHTS = Typed(
    notation="As 'sum(price)=3'. May be repeated.", parse=alone(by_metric), several="mapping", flag="weight"
)
BOUND_BY_METRIC = Typed(
    panel=PRIVACY, notation="As 'sum(price)=5000'. May be repeated.", parse=alone(by_metric), several="mapping"
)
ERROR_BY_METRIC = Typed(
    panel=PRIVACY, notation="As 'mean(price)=0.05'. May be repeated.", parse=alone(by_metric), several="mapping"
)
