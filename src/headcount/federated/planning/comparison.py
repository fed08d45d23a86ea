"""Results next to the truth. NOT PRIVATE: the truth is exact."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from headcount.exact import Floats
from headcount.federated.planning.people import People


@dataclass(frozen=True)
class Comparison:
    """A table of results with a column of the truth, and what follows from both."""

    table: pa.Table
    errors: Floats
    """What each value is off."""
    contained: int
    """Number of intervals that contain the truth."""
    hidden: int
    """Number of true values that have no row."""
    unit: str

    def error(self, share: float) -> float:
        """Largest error of this share of the values; 0 without values."""
        return float(np.quantile(self.errors, share)) if len(self.errors) else 0.0


def of_counts(table: pa.Table, people: People) -> Comparison:
    """Counts of people per item."""
    truth = Counter(item for items in people for item in set(items))
    names = table["item"].to_pylist()
    return compared(table, [truth[name] for name in names], "count", "people", hidden=len(truth.keys() - set(names)))


def of_heavy_hitters(table: pa.Table, people: People, minimum: int) -> Comparison:
    """Counts of items, of which those are hidden that at least `minimum` people have, and that have no row."""
    truth = Counter(item for items in people for item in set(items))
    heavy = {item for item, count in truth.items() if count >= minimum}
    return replace(of_counts(table, people), hidden=len(heavy - set(table["item"].to_pylist())))


def compared(
    table: pa.Table, truth: Sequence[float], column: str, unit: str, *, hidden: int = 0, errors: Floats | None = None
) -> Comparison:
    """A column and its interval next to the truth; `errors` if they are not the differences."""
    exact, values = np.array(truth, dtype=float), table[column].to_numpy().astype(float)
    low, high = (table[_end(table, column, name)].to_numpy() for name in ("low", "high"))
    contained = int(((low <= exact) & (exact <= high)).sum())
    off = np.abs(values - exact) if errors is None else errors
    at = table.column_names.index(column)
    return Comparison(table.add_column(at, "truth", pa.array(truth)), off, contained, hidden, unit)


def _end(table: pa.Table, column: str, end: str) -> str:
    """The name of an interval's end: of one column of several, with its name."""
    return f"{column}_{end}" if f"{column}_{end}" in table.column_names else end
