"""The outputs that an attacker sees: everything. Exceptions, the order of keys and the lowest bits of a float are
outputs.

`seen` makes an output hashable without losing any of that; `features` are the numbers and facts by which an attacker
would distinguish two datasets.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

Feature = float | Hashable


@dataclass(frozen=True)
class Seen:
    """A hashable image of anything but an integer, a text or None: its kind, and its content."""

    kind: str
    inside: Hashable

    def __repr__(self) -> str:
        return f"{self.kind} {self.inside!r}"


def observe(run: Callable[[], Any]) -> Hashable:
    """Run it, and return its result, or the exception that it raised, as a hashable output."""
    try:
        return seen(run())
    except Exception as error:
        return Seen("raised", (type(error).__name__, _text(error)))


def _text(error: Exception) -> str:
    try:
        return str(error)
    except Exception as worse:
        return f"an error without a message: {type(worse).__name__}"


def seen(output: Any) -> Hashable:
    """Map an output to a hashable value that differs whenever the output does: 1, True, 1.0 and -0.0 all differ.

    Objects of other kinds are mapped to their repr: return numbers, texts and containers of them for a full audit."""
    if isinstance(output, np.ndarray | np.generic) and not isinstance(plain := output.tolist(), np.generic):
        return seen(plain)
    if isinstance(output, bool) or not isinstance(output, int | str | None) or _too_long(output):
        return _tagged(output)
    return output


def _too_long(output: Any) -> bool:
    return isinstance(output, int) and output.bit_length() > 10_000


def _tagged(output: Any) -> Seen:
    kind = type(output).__name__
    if isinstance(output, int):
        return Seen(kind, hex(output))
    if isinstance(output, float):
        return Seen("float", output.hex())
    if isinstance(output, Mapping):
        return Seen(kind, tuple(Seen("pair", (seen(key), seen(value))) for key, value in output.items()))
    if isinstance(output, Set):
        return Seen(kind, frozenset(map(seen, output)))
    if isinstance(output, list | tuple):
        return Seen(kind, tuple(map(seen, output)))
    return Seen(kind, repr(output))


def features(output: Hashable) -> dict[str, Feature]:
    """Facts about an observed output, by name: numbers where an order makes sense, anything hashable elsewhere."""
    facts: dict[str, Feature] = {"output": output}
    inside = output.inside if isinstance(output, Seen) else None
    if isinstance(inside, frozenset):
        return facts | {"length": len(inside)} | {f"has {item!r}": 1 for item in inside}
    if not isinstance(inside, tuple):
        return facts | _of_cells({"value": output})
    pairs = [part.inside for part in inside if isinstance(part, Seen) and part.kind == "pair"]
    if inside and len(pairs) == len(inside):
        return facts | _of_pairs(pairs)
    return facts | {"length": len(inside)} | _of_cells({f"[{index}]": cell for index, cell in enumerate(inside)})


def _of_pairs(pairs: Sequence[Any]) -> dict[str, Feature]:
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
    return facts | ({"sum": math.fsum(summands)} if len(summands) > 1 and all(map(_moderate, summands)) else {})


def _moderate(number: float | int) -> bool:
    return abs(number) < 2**500


def as_number(cell: Hashable) -> float | int | None:
    """The number that an observed cell stands for, if it is one that has an order."""
    if isinstance(cell, int):
        return cell
    if isinstance(cell, Seen) and cell.kind == "float":
        number = float.fromhex(str(cell.inside))
        return None if math.isnan(number) else number
    return None


def numbers(output: Hashable) -> Iterator[float | int]:
    """Every number in an observed output."""
    number = as_number(output)
    if number is not None:
        yield number
        return
    match output:
        case Seen():
            yield from numbers(output.inside)
        case tuple() | frozenset():
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
