"""The number of people, as far as a release tells it."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headcount.release.about import About
from headcount.release.columns import measures


@dataclass(frozen=True)
class People:
    """How many people there are, as far as that is public."""

    count: int
    origin: str
    """Where the number comes from, as a clause."""
    at_least: bool = False
    """True if there may be more."""
    roughly: bool = False
    """True if some may be counted several times, or not at all."""

    def __str__(self) -> str:
        return f"{'at least ' if self.at_least else 'about ' if self.roughly else ''}{self.count:,}"

    @property
    def is_exact(self) -> bool:
        """True if it is the number of people, but for noise."""
        return not (self.at_least or self.roughly)


def counts_people(about: About) -> bool:
    """True if values are numbers of people; the unit of a sum is its column, whatever that is called."""
    return about.value == "count" and about.unit == "people"


def largest_count(table: pa.Table, about: About) -> People | None:
    """Where people are counted, there are no fewer than the largest count's lower end."""
    ends = [measure.low for measure in measures(table, about)]
    if not counts_people(about) or not ends or not table.num_rows:
        return None
    return People(int(pc.max(table[ends[0]]).as_py()), "the lower end of the largest released count", True)
