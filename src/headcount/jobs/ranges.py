"""Rows in ranges of a number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.bound.selection.options import ChosenBound
from headcount.errors import BadParameter
from headcount.exact import Number, one_of, rational
from headcount.jobs.bases.numbers import MAX_LISTED, NumberJob, plain_list
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import notation
from headcount.mechanism.ordered.readout import Ranges as Readout
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.release import Release
from headcount.release.views.ranges import RANGES
from headcount.source.scales.axis import Axis
from headcount.wording.options import Options

Mechanism = Literal["auto", "tree", "sample-threshold"]
"""Those that count whole ranges."""


@job_function
def ranges(
    data: Any,
    *,
    user: str,
    value: str,
    ranges: Sequence[tuple[Number, Number]],
    where: Mapping[str, Any] | None = None,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    bound: int | str | ChosenBound = "auto",
    mechanism: Mechanism | SampleThreshold = "auto",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Count the rows whose value is in each range.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    value: the column of numbers.
    ranges: pairs of numbers, which may overlap. A range goes from the first up to, but without, the second.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    target_error: instead of epsilon: the error that 95% of counts may have through noise, in rows.
    bound: how many rows of one person count in full; with bound=1 everyone counts once, however many rows they have.
        `hc.ChosenBound(share=)` has the option of choosing it.
    mechanism: "tree" (the same as "auto"): noise on a tree of counts. "sample-threshold": without noise, by a sample,
        whose options are those of `hc.SampleThreshold(p=, theta=)`.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    >>> import headcount as hc, pyarrow as pa
    >>> visits = pa.table({"user": range(10_000), "minutes": [number % 60 for number in range(10_000)]})
    >>> r = hc.ranges(visits, user="user", value="minutes", ranges=[(0, 10), (10, 60)], epsilon=1)
    >>> r.table.column_names
    ['from', 'to', 'count', 'low', 'high']
    """
    raise NotImplementedError


def parse_ranges(name: str, ranges: Any, before: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    """Pairs of rising numbers."""
    fix = "ranges=[(0, 10), (10, 50)]"
    listed = plain_list("ranges", ranges, "pairs of numbers", fix)
    pairs = all(isinstance(each, tuple | list) and len(each) == 2 for each in listed)
    if not listed or len(listed) > MAX_LISTED or not pairs:
        raise BadParameter(f"ranges={ranges!r:.60}: up to {MAX_LISTED:,} pairs of numbers.", fix=fix)
    ends = tuple((float(rational("ranges", a, fix=fix)), float(rational("ranges", b, fix=fix))) for a, b in listed)
    if wrong := [each for each in ends if not each[0] < each[1]]:
        raise BadParameter(f"ranges: {wrong[0]} does not rise.", fix=fix)
    return ends


@dataclass(frozen=True, kw_only=True)
class Ranges(NumberJob):
    """Rows whose value is in each range; the cells are what lies between the ends of all ranges."""

    name: ClassVar[str] = "ranges"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --value price --ranges 0..10,10..100 --epsilon 1",
        "--user user --value price --ranges 0..10 --where country=FR --epsilon 1",
    )
    view = RANGES
    options: ClassVar[tuple[type[Options], ...]] = (ChosenBound, SampleThreshold)
    ranges: Annotated[tuple[tuple[float, float], ...], parse_ranges, notation.RANGES]

    def check(self) -> None:
        one_of("mechanism", self.mechanism, get_args(Mechanism))
        super().check()

    @cached_property
    def readout(self) -> Readout:
        points = sorted({end for each in self.ranges for end in each})
        return Readout(Axis(tuple(points), len(points) - 1, clamped=False), self.ranges)

    @property
    def by_columns(self) -> tuple[str, ...]:
        return ("from", "to")
