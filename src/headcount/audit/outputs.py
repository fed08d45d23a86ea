"""What somebody sees of a release: everything. Exceptions, the order of keys and the lowest bits of a float are
outputs.

`seen` makes an output hashable without forgetting any of that; `features` are the numbers and facts by which an
attacker would tell two datasets apart.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Set
from typing import Any

import numpy as np

Feature = float | Hashable


def observe(run: Callable[[], Any]) -> Hashable:
    """Run it, and what was seen: its result, or the exception that it raised."""
    try:
        return seen(run())
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


def seen(output: Any) -> Hashable:
    """The output as a hashable value: dicts keep their order, sets have none, arrays are sequences."""
    if isinstance(output, np.ndarray):
        return tuple(output.tolist())
    if isinstance(output, np.generic):
        value: Hashable = output.item()
        return value
    if isinstance(output, Mapping):
        return ("dict", tuple((seen(key), seen(value)) for key, value in output.items()))
    if isinstance(output, Set):
        return frozenset(map(seen, output))
    if isinstance(output, list | tuple):
        return tuple(map(seen, output))
    return output  # type: ignore[no-any-return]


def features(output: Hashable) -> dict[str, Feature]:
    """Facts about an observed output, by name: numbers where an order makes sense, anything hashable elsewhere."""
    facts: dict[str, Feature] = {"output": output}
    if isinstance(output, frozenset):
        facts |= {"length": len(output)} | {f"has {item!r}": 1 for item in output}
    elif isinstance(output, tuple) and output[:1] == ("dict",):
        facts |= _of_pairs(output[1])
    elif isinstance(output, tuple) and output[:1] != ("raised",):
        facts |= {"length": len(output)} | _of_cells({f"[{place}]": value for place, value in enumerate(output)})
    else:
        facts |= _of_cells({"value": output})
    return facts


def _of_pairs(pairs: tuple[tuple[Hashable, Hashable], ...]) -> dict[str, Feature]:
    keys = tuple(key for key, _ in pairs)
    facts: dict[str, Feature] = {"length": len(keys), "order": keys}
    facts |= {f"has {key!r}": 1 for key in keys}
    return facts | _of_cells({f"[{key!r}]": value for key, value in pairs})


def _of_cells(cells: dict[str, Hashable]) -> dict[str, Feature]:
    """Every cell, the sum of the numbers, and where the bits of a float begin and end."""
    facts: dict[str, Feature] = dict(cells)
    summands = [value for value in cells.values() if isinstance(value, int | float)]
    if len(summands) > 1:
        facts["sum"] = sum(summands)
    for name, value in cells.items():
        if isinstance(value, float):
            facts[f"digits of {name}"] = (math.frexp(value)[1], lowest_bit(value))
    return facts


def lowest_bit(value: float | int) -> int:
    """The exponent of the last bit that is set: -3 for 0.625, 0 for every integer."""
    if isinstance(value, int) or not math.isfinite(value):
        return 0
    return 1 - value.as_integer_ratio()[1].bit_length()


def numbers(output: Hashable) -> Iterator[float | int]:
    """Every number in an observed output."""
    if isinstance(output, tuple | frozenset):
        for part in output:
            yield from numbers(part)
    elif isinstance(output, int | float):
        yield output
