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
    """The output as a hashable value that differs whenever the output does: 1, True, 1.0 and -0.0 are all different.

    Integers, text and None stay what they are; anything else becomes a tuple that begins with what it is."""
    if isinstance(output, np.ndarray | np.generic):
        return seen(output.tolist())
    if isinstance(output, bool) or not isinstance(output, int | str | None):
        return _tagged(output)
    return output


def _tagged(output: Any) -> Hashable:
    kind = type(output).__name__
    if isinstance(output, float):
        return (kind, output.hex())
    if isinstance(output, Mapping):
        return (kind, tuple((seen(key), seen(value)) for key, value in output.items()))
    if isinstance(output, Set):
        return (kind, frozenset(map(seen, output)))
    if isinstance(output, list | tuple):
        return (kind, tuple(map(seen, output)))
    return (kind, repr(output))


def features(output: Hashable) -> dict[str, Feature]:
    """Facts about an observed output, by name: numbers where an order makes sense, anything hashable elsewhere."""
    facts: dict[str, Feature] = {"output": output}
    kind, inside = output if isinstance(output, tuple) and len(output) == 2 else ("", None)
    if isinstance(inside, frozenset):
        return facts | {"length": len(inside)} | {f"has {item!r}": 1 for item in inside}
    if kind == "dict" and isinstance(inside, tuple):
        return facts | _of_pairs(inside)
    if isinstance(inside, tuple):
        return facts | {"length": len(inside)} | _of_cells({f"[{place}]": cell for place, cell in enumerate(inside)})
    return facts | _of_cells({"value": output})


def _of_pairs(pairs: tuple[tuple[Hashable, Hashable], ...]) -> dict[str, Feature]:
    keys = tuple(key for key, _ in pairs)
    facts: dict[str, Feature] = {"length": len(keys), "order": keys}
    facts |= {f"has {key!r}": 1 for key in keys}
    return facts | _of_cells({f"[{key!r}]": value for key, value in pairs})


def _of_cells(cells: dict[str, Hashable]) -> dict[str, Feature]:
    """Every cell, the sum of the numbers, and where the bits of a float begin and end."""
    facts: dict[str, Feature] = {}
    for name, cell in cells.items():
        number = as_number(cell)
        facts[name] = cell if number is None else number
        if isinstance(number, float):
            facts[f"digits of {name}"] = digits(number)
    summands = [number for number in map(as_number, cells.values()) if number is not None]
    return facts | ({"sum": sum(summands)} if len(summands) > 1 else {})


def as_number(cell: Hashable) -> float | int | None:
    """The number that an observed cell stands for, if it is one that has an order."""
    if isinstance(cell, int):
        return cell
    if isinstance(cell, tuple) and len(cell) == 2 and cell[0] == "float":
        number = float.fromhex(str(cell[1]))
        return None if math.isnan(number) else number
    return None


def numbers(output: Hashable) -> Iterator[float | int]:
    """Every number in an observed output."""
    number = as_number(output)
    if number is not None:
        yield number
    elif isinstance(output, tuple | frozenset):
        for part in output:
            yield from numbers(part)


def digits(number: float) -> tuple[int, int]:
    """The exponents of the first and of the last bit that is set."""
    return math.frexp(number)[1], lowest_bit(number)


def lowest_bit(number: float | int) -> int:
    """The exponent of the last bit that is set: -3 for 0.625, 0 for every integer."""
    if isinstance(number, int) or not math.isfinite(number):
        return 0
    return 1 - number.as_integer_ratio()[1].bit_length()
