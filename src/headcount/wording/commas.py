"""Values with commas between them, as people type them: one in quotes may have a comma."""

import csv
from collections.abc import Iterable
from typing import Any

from headcount.errors import BadParameter


def separate(typed: str, name: str) -> list[str]:
    """apple,"pear, or plum" as a list.

    >>> separate('apple, "pear, or plum"', "keys")
    ['apple', 'pear, or plum']
    """
    return next(iter(csv_rows(csv.reader([typed], skipinitialspace=True), name)), [])


def csv_rows(rows: Iterable[list[str]], name: str) -> list[list[str]]:
    """Rows of values, read to their end."""
    try:
        return list(rows)
    except csv.Error as error:
        raise BadParameter(
            f"{name}: not a list of items ({error}).", fix='items with commas or line ends in quotes: "a,b"'
        ) from None


def number(typed: str) -> Any:
    """A number, if it is one; else the text."""
    for kind in (int, float):
        try:
            return kind(typed)
        except ValueError:
            continue
    return typed


def numbers(typed: str) -> list[Any]:
    """1,2,5 as a list of numbers.

    >>> numbers("1, 2.5,x,")
    [1, 2.5, 'x']
    """
    return [number(each.strip()) for each in typed.split(",") if each.strip()]
