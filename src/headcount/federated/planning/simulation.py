"""A whole collection in this process, next to the truth. NOT PRIVATE: it has everybody's items.

Invariants:

- with made-up people, the result is shown next to the truth, which is nobody's;
- with data, no value is shown or kept, only how far off values are: what a simulation draws was charged to no ledger,
  and must not be taken for a release. How far off they are is exact, and as secret as the data are.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headcount.errors import BadParameter
from headcount.federated.messages import distinct_items
from headcount.federated.planning.collection import Collection, table
from headcount.federated.planning.comparison import Comparison
from headcount.federated.planning.meter import Meter
from headcount.federated.planning.people import People
from headcount.federated.planning.traffic import Way, in_all
from headcount.federated.sample import random_sequence
from headcount.noise import Entropy, SystemEntropy
from headcount.wording import counted_noun, format_number, wrapped

MAX_SIMULATED = 200_000
"""Most people of a simulation: all of their clients are in memory."""
SHOWN_ROWS = 10
MADE_UP = "SIMULATION, NOT PRIVATE: MADE-UP PEOPLE, AND EXACT VALUES NEXT TO THE RESULT."
OF_DATA = (
    "SIMULATION, NOT PRIVATE: IT READS THE DATA, AND WHAT IT PRINTS IS EXACT. THIS IS NO RELEASE. KEEP IT TO YOURSELF "
    "IF THE DATA ARE SECRET."
)
WITHOUT_ROWS = "No values are shown: they would look like a release, and no ledger paid for one."
Progress = Callable[[int], object]
"""Receives the number of answers so far."""
_SYSTEM = SystemEntropy()


@dataclass(frozen=True)
class Simulation:
    """Outcome of a simulated collection."""

    collection: Collection
    answered: int
    sent: float
    """Mean bytes that a client sent who answered to the end."""
    received: float
    milliseconds: float
    """Mean time of a client."""
    table: pa.Table | None
    """The result next to the truth; None if the people were not made up."""
    values: int
    """Number of values in the result."""
    error_50: float
    error_95: float
    """What 50%, and 95%, of the values are off by at most."""
    contained: int
    """Number of intervals that contain the truth."""
    hidden: int
    """Number of true items that the result does not show."""
    unit: str

    def to_json(self) -> str:
        """The outcome as JSON, for programs."""
        plain: dict[str, Any] = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("collection", "table")
        }
        rows = {} if self.table is None else {"rows": self.table.to_pylist()}
        about = {"simulation": self.collection.what, "private": False, "people": self.collection.people}
        return json.dumps({**about, **plain, **rows}, indent=2, default=str)

    def __str__(self) -> str:
        heading = OF_DATA if self.table is None else MADE_UP
        what, parties = self.collection.what, self.collection.parties
        return "\n".join(
            [
                wrapped(heading),
                "",
                wrapped(f"{what}: {self.answered:,} of {parties:,} {self.collection.who} answered"),
                "",
                *(self._rows() if self.table is not None else [wrapped(WITHOUT_ROWS)]),
                "",
                *self._outcome(),
            ]
        )

    def _rows(self) -> list[str]:
        assert self.table is not None
        shown = self.table.slice(0, SHOWN_ROWS).to_pylist()
        more = self.table.num_rows - len(shown)
        rows = [[_cell(value) for value in row.values()] for row in shown]
        return [*table(self.table.column_names, rows), *([f"  ... and {more:,} more rows"] if more > 0 else [])]

    def _outcome(self) -> list[str]:
        off = f"half of the values by at most {format_number(self.error_50)} {self.unit}, 95% by at most "
        planned = self.collection.errors(self.answered)[-1].here if self.collection.is_comparable else None
        stated = "" if planned is None else f" (the plan: {format_number(planned)})"
        hidden = f"; {counted_noun(self.hidden, 'item')} without a row" if self.hidden else ""
        return [
            f"  off        {off}{format_number(self.error_95)}{stated}",
            f"  intervals  {self.contained:,} of {self.values:,} contain the truth{hidden}",
            f"  sent       {self.sent:,.0f} bytes by each client{self._planned('sends')}",
            f"  received   {self.received:,.0f} bytes by each client{self._planned('receives')}",
            f"  time       {format_number(self.milliseconds)} ms for each client",
        ]

    def _planned(self, way: Way) -> str:
        """The bytes that the plan states."""
        least, most, mean = in_all(self.collection.traffic, way)
        if mean is not None:
            return f" (the plan: {mean:,.0f})"
        return f" (the plan: {least:,} to {most:,})"


def simulate(
    collection: Collection,
    *,
    data: Sequence[Sequence[str]] | None = None,
    progress: Progress = lambda done: None,
    entropy: Entropy = _SYSTEM,
) -> Simulation:
    """Run a whole collection in this process. NOT PRIVATE: DO NOT SHARE WHAT IT PRINTS IF THE DATA ARE SECRET.

    data: the items of each person; by default people are made up. With data, no values are shown.
    progress: called with the number of answers so far.

    >>> from headcount.federated.planning import histogram
    >>> found = simulate(histogram(people=500, epsilon=4))
    >>> found.answered, found.table.column_names
    (500, ['item', 'truth', 'count', 'low', 'high'])
    """
    people = collection.relevant(_people(collection, data))
    never, leaving = _missing(collection, entropy)
    parties = collection.together(people)
    there = [each for number, each in enumerate(parties) if number not in never]
    places = [number for number in range(len(parties)) if number not in never]
    done = iter(range(1, 2**62))
    meter = Meter(lambda: progress(next(done)))
    found = collection.run(there, {place for place, each in enumerate(places) if each in leaving}, meter, entropy)
    answered = collection.apart([each for number, each in enumerate(parties) if number not in never | leaving])
    return _outcome(collection, collection.compare(found.table, answered), meter, made_up=data is None)


def _outcome(collection: Collection, found: Comparison, meter: Meter, *, made_up: bool) -> Simulation:
    return Simulation(
        collection=collection,
        answered=len(meter.sizes),
        sent=meter.mean("sends"),
        received=meter.mean("receives"),
        milliseconds=1e3 * meter.seconds / len(meter.sizes),
        table=found.table if made_up else None,
        values=len(found.errors),
        error_50=found.error(0.5),
        error_95=found.error(0.95),
        contained=found.contained,
        hidden=found.hidden,
        unit=found.unit,
    )


def _people(collection: Collection, data: Sequence[Sequence[str]] | None) -> People:
    if collection.people > MAX_SIMULATED:
        raise BadParameter(
            f"people={collection.people:,}: a simulation has at most {MAX_SIMULATED:,}.", fix=f"people={MAX_SIMULATED}"
        )
    if data is None:
        return collection.made_up()
    for items in data:
        distinct_items(items)
    people = [list(dict.fromkeys(items)) for items in data]
    if len(people) != collection.people:
        raise BadParameter(
            f"people={collection.people:,}: the data are of {len(people):,}.", fix=f"people={len(people)}"
        )
    return people


def _missing(collection: Collection, entropy: Entropy) -> tuple[set[int], set[int]]:
    """People who never answer, and people who leave in between."""
    gone = random_sequence(collection.parties, collection.missing, entropy)
    return set(gone[: collection.never]), set(gone[collection.never :])


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.4g}"
    return f"{value:,.0f}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
