"""The parameter `keys`: items that are known in advance, as a list, or as the values of each column."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Annotated, Any

from headcount.errors import BadParameter
from headcount.jobs.parameters import notation
from headcount.jobs.parameters.dates import EXAMPLE, MOST_ITEMS, no_column_of_by
from headcount.source.frames.cells import plain_key
from headcount.wording.typed import listed

MAX_KEYS = 10_000_000
"""Most public items of one list."""
Key = str | int | bool
Row = tuple[Key, ...]


def parse_keys(name: str, keys: Any, before: Mapping[str, Any]) -> tuple[Row, ...] | dict[str, Row]:
    """The public items; or values by column, whose combinations the items are."""
    if isinstance(keys, Mapping):
        return _by_column(keys, before["by"])
    rows = tuple(
        tuple(map(plain_key, key)) if isinstance(key, tuple | list) else (plain_key(key),) for key in _list(keys)
    )
    if not rows:
        raise BadParameter("keys=[]: a list of known items has at least one.", fix='keys=["apple", "pear"], or no keys')
    return rows


def _by_column(keys: Mapping[Any, Any], by: Sequence[str]) -> dict[str, Row]:
    """The values of each column, in the order of `by`."""
    if strange := [column for column in keys if column not in by]:
        raise no_column_of_by("keys", strange[0], by, _example(by[0]))
    if not keys:
        raise BadParameter("keys={}: of which column?", fix=f"{_example(by[0])}, or no keys")
    values = {column: tuple(map(plain_key, _list(keys[column], _example(column)))) for column in by if column in keys}
    if empty := [column for column in values if not values[column]]:
        raise BadParameter(f"keys: no value of {empty[0]!r}.", fix=_example(empty[0]))
    return values


def _example(column: str) -> str:
    return f'keys={{{column!r}: ["apple", "pear"]}}'


def _list(keys: Any, example: str = 'keys=["apple", "pear"]') -> list[Any]:
    return listed("keys", keys, MAX_KEYS, of="items", fix=example)


def rows_of(values: Mapping[str, Row], unlisted: Sequence[str], per: Mapping[str, str]) -> tuple[Row, ...]:
    """Every combination of values: of all columns that have neither bins nor dates, and of no others."""
    if twice := [column for column in values if column not in unlisted]:
        raise BadParameter(f"keys and bins or dates of {twice[0]!r}: only one of them.", fix=f"no keys of {twice[0]}")
    if missing := [column for column in unlisted if column not in values]:
        raise _unknown(missing[0], *next(iter(values.items())), per)
    if (items := prod(map(len, values.values()))) > MOST_ITEMS:
        raise BadParameter(f"keys: {items:,} items to release, at most {MOST_ITEMS:,}.", fix="fewer keys")
    return tuple(product(*values.values()))


def _unknown(missing: str, known: str, values: Row, per: Mapping[str, str]) -> BadParameter:
    """Suggest what to write if the values of a column are not known."""
    dates = f"dates={{{missing!r}: {EXAMPLE}}}"
    fix = f"{dates}, or keys" if missing in per else f"keys of {missing!r} as well, or bins, or per and dates"
    some = ", ".join([*map(repr, values[:2]), *(["..."] if len(values) > 2 else [])])
    return BadParameter(
        f"keys: those of {missing!r} are missing, and an item is known only if every part is.",
        fix=f"{fix}; if they are not known, where={{{known!r}: [{some}]}} instead of keys",
    )


Keys = Annotated[tuple[Row, ...] | None, parse_keys, notation.KEYS]
