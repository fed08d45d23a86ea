"""What a release will be like, told before anything is read: how far off counts are, and which items appear. If the
bound is still to be chosen, for a few bounds that it may be."""

from math import isqrt

from headcount.bound import Bounding, SampledEvents, SampledItems, ScaledToSize, ScaledToSum, TwoScales
from headcount.mechanism import Mechanism, Wish, digits, mechanism_for

EXAMPLES = (1, 10, 100)
"""Bounds for which a plan tells what would follow."""


def lines(wish: Wish, item: str, unit: str) -> list[str]:
    """The lines of a plan."""
    if wish.way is None:
        return _lines(mechanism_for(wish), item, unit)
    shown = [mechanism_for(wish, _example(wish, bound)) for bound in EXAMPLES]
    errors = _listed([digits(each.error) for each in shown])
    counts = [f"  error   19 of 20 counts are off by at most {errors} (noise alone)"]
    if wish.cells is not None:
        return counts if wish.cells == 1 else [*counts, _all(item)]
    first, *rest = (appears(each) for each in shown)
    return [*counts, f"  appear  an item ({item}) needs about {_listed([f'{first} {unit}', *rest])}"]


def foretold(wish: Wish, item: str) -> str:
    """What will follow the choice of a bound, in a sentence."""
    if wish.cells is not None:
        undone = "" if wish.debias in (None, "auto") else f", and what that takes away is undone ({wish.debias})"
        return f"People are held to that bound{undone}. Every {item} of the public list gets noise for it."
    if not wish.weighing:
        return f"People are held to that bound. Every {item} that is left gets noise; the small ones are not mentioned."
    again = "" if wish.debias is None else " What is shown is measured once more, to undo what scaling took away."
    return (
        f"People's counts are scaled to that bound. Every {item} that occurs gets noise; the small ones are not "
        f"mentioned.{again} If nearly everybody has one or two {item}s, so many are kept instead of scaled."
    )


def _lines(mechanism: Mechanism, item: str, unit: str) -> list[str]:
    least = appears(mechanism)
    return [
        f"  error   19 of 20 counts are off by at most {digits(mechanism.error)} (noise alone)",
        f"  appear  an item ({item}) needs about {least} {unit} to appear" if least else _all(item),
    ]


def _all(item: str) -> str:
    return f"  appear  every item ({item}) of the public list appears"


def _listed(values: list[str]) -> str:
    return ", ".join(f"{value} for a bound of {bound}" for value, bound in zip(values, EXAMPLES, strict=True))


def appears(mechanism: Mechanism) -> str:
    """The noisy count from which on an item is shown; empty if all are."""
    threshold = getattr(mechanism.event, "threshold", None)
    return "" if threshold is None else digits(threshold / mechanism.bounding.unit)


def _example(wish: Wish, bound: int) -> Bounding:
    """A bound that may be chosen."""
    squared = bound if wish.count == "users" else bound**2
    if wish.weighing:
        return TwoScales(squared, 4 * squared, min(8 * bound, 10_000), wish.largest, (1, 1))
    if wish.cells is None:
        return (SampledItems if wish.count == "users" else SampledEvents)(bound)
    if wish.laplace:
        return ScaledToSum(bound, wish.largest)
    return ScaledToSize(squared, wish.largest if wish.count == "users" else isqrt(squared))
