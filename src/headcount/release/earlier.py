"""Kinds of the steps of releases that do not name them, by how the sentences of their versions begin. These words are
those of files that exist: they are never changed."""

from typing import get_args

from headcount.wording.statement import Kind

KINDS: tuple[str, ...] = get_args(Kind)
STARTS: dict[str, Kind] = {
    "Each person": "bounding",
    "A person with": "bounding",
    "headcount scales down": "bounding",
    "The root of the sum": "bounding",
    "No limit": "bounding",
    "Somebody with": "bounding",
    "A person's counts": "bounding",
    "The interval from low to high": "interval",
    "Each interval from low to high": "interval",
    "From low to high": "interval",
}
MEASURED, UNCUT = "should contain", "Nobody has more than the bound"
"""In a step about intervals, if their coverage is measured; in one of values from which nothing was cut."""


def kinds_of(steps: tuple[str, ...]) -> tuple[str, ...]:
    """The kind of each step: the first one is about reading, the last one is the guarantee."""
    middle = [_kind(step) for step in steps[1:-1]]
    return (*["reading"][: len(steps) - 1], *middle, *["guarantee"][: len(steps)])


def _kind(step: str) -> Kind:
    found: Kind = next((kind for start, kind in STARTS.items() if step.startswith(start)), "mechanism")
    if found != "interval" and MEASURED not in step:
        return found
    return "measured interval" if MEASURED in step else "uncut interval" if UNCUT in step else "interval"
