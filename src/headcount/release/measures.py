"""The value columns of a release and their intervals: one value, low and high; or several, as X, X_low and X_high."""

from dataclasses import dataclass

import pyarrow as pa

from headcount.release.about import RANK, About


@dataclass(frozen=True)
class Measure:
    """A column of values, and the columns of the ends of its intervals."""

    name: str
    low: str
    high: str


def measures(table: pa.Table, about: About) -> list[Measure]:
    """The values that have intervals; none if only items were released."""
    names = table.column_names
    if about.value == RANK:
        return []
    if {"low", "high"} <= set(names):
        return [Measure(about.value, "low", "high")]
    released = [name for name in names if name not in about.by]
    several = [name for name in released if {f"{name}_low", f"{name}_high"} <= set(released)]
    return [Measure(name, f"{name}_low", f"{name}_high") for name in several]
