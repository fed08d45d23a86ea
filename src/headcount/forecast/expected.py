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
    return [
        "  error   depends on the bound that is chosen; 19 of 20 counts would be off by at most "
        + _listed([digits(each.error) for each in shown]),
        _appear_if(wish, shown, item, unit),
    ]


def _lines(mechanism: Mechanism, item: str, unit: str) -> list[str]:
    least = appears(mechanism)
    return [
        f"  error   19 of 20 counts are off by at most {digits(mechanism.error)} (noise alone)",
        f"  appear  an item ({item}) needs about {least} {unit} to appear" if least else _all(item),
    ]


def _appear_if(wish: Wish, shown: list[Mechanism], item: str, unit: str) -> str:
    if wish.cells is not None:
        return _all(item)
    return f"  appear  an item ({item}) would need about " + _listed([f"{appears(each)} {unit}" for each in shown])


def _all(item: str) -> str:
    return f"  appear  every item ({item}) of the public list appears"


def _listed(values: list[str]) -> str:
    told = [f"{value} if it is {bound}" for value, bound in zip(values, EXAMPLES, strict=True)]
    return f"{', '.join(told)} (noise alone)"


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
