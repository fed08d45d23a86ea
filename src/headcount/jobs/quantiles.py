"""Quantiles of a number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.bound.selection.options import ChosenBound
from headcount.errors import BadParameter
from headcount.exact import Number
from headcount.jobs.bases.numbers import MAX_LISTED, NumberJob, plain_list, plain_number
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import notation
from headcount.mechanism.options import choice
from headcount.mechanism.ordered.options import SampleSearch
from headcount.mechanism.ordered.readout import Quantiles as Readout
from headcount.mechanism.ordered.strategy import Method
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.release import Release
from headcount.release.views.quantiles import QUANTILES
from headcount.source.scales.axis import CELLS, Axis, Spacing, between, check_cells, even, spaced, spans_decades

DECILES = tuple(Fraction(tenth, 10) for tenth in range(1, 10))


@job_function
def quantiles(
    data: Any,
    *,
    user: str,
    value: str,
    where: Mapping[str, Any] | None = None,
    q: Number | Sequence[Number] = DECILES,
    range: tuple[Number, Number] | None = None,  # noqa: A002
    edges: Sequence[Number] | None = None,
    cells: int = CELLS,
    spacing: Spacing = "auto",
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    bound: int | str | ChosenBound = "auto",
    mechanism: Method | SampleThreshold | SampleSearch = "auto",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Estimate quantiles of a column of numbers: q=0.5 is the median.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    value: the column of numbers.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    q: the fractions, between 0 and 1; by default all tenths.
    range: the lowest and the highest value that can be, which are public; values below or above count as these.
    edges: instead of a range: public edges of cells, for values that are much denser in some places.
    cells: the number of cells that a range is cut into.
    spacing: "even" for cells of one width. "log" for cells whose width doubles with the distance from 0, for values
        over decades. "auto" takes "log" if one end of the range is at least 100 times as far from 0 as the other or, if
        0 is in the range, at least 10,000 away.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    target_error: instead of epsilon: the error that 95% of quantiles may have, in ranks (for ranges: in rows).
    bound: how many rows of one person count in full; with bound=1 everyone counts once, however many rows they have.
        `hc.ChosenBound(share=)` has the option of choosing it.
    mechanism: "tree" (the same as "auto"): noise on a tree of counts. "search": binary search, for one quantile or two.
        "sample-threshold" and "sample-search" are the same without noise, by samples; their options are those of
        `hc.SampleThreshold(p=, theta=)` and `hc.SampleSearch(p=, theta=)`.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    >>> import headcount as hc, pyarrow as pa
    >>> visits = pa.table({"user": range(10_000), "minutes": [number % 60 for number in range(10_000)]})
    >>> r = hc.quantiles(visits, user="user", value="minutes", q=[0.1, 0.5, 0.9], range=(0, 60), epsilon=1)
    >>> r.table.column_names
    ['q', 'value', 'low', 'high']
    """
    raise NotImplementedError


def parse_q(name: str, q: Any, before: Mapping[str, Any]) -> tuple[Fraction, ...]:
    """The fractions, rising."""
    fix = "q=[0.1, 0.5, 0.9], or q=0.5 for the median"
    listed = plain_list("q", q, "fractions", fix)
    parts = tuple(plain_number("q", each, fix) for each in listed)
    if not parts or len(parts) > MAX_LISTED or any(not 0 < part < 1 for part in parts):
        percent = bool(parts) and all(1 < part < 100 for part in parts)
        fix = f"q={[float(part / 100) for part in parts]!r:.60}" if percent else fix
        raise BadParameter(f"q={listed!r:.60}: up to {MAX_LISTED:,} numbers between 0 and 1.", fix=fix)
    if list(parts) != sorted(set(parts)):
        raise BadParameter(f"q={listed!r:.60}: they must rise.", fix=f"q={sorted({float(part) for part in parts})}")
    return parts


def parse_range(name: str, ends: Any, before: Mapping[str, Any]) -> Any:
    """The lowest and the highest value."""
    return even(ends, 2).edges


def parse_edges(name: str, edges: Any, before: Mapping[str, Any]) -> Any:
    """The edges of cells."""
    return between(edges).edges


def parse_cells(name: str, cells: Any, before: Mapping[str, Any]) -> int:
    """The number of cells."""
    return check_cells(cells)


@dataclass(frozen=True, kw_only=True)
class Quantiles(NumberJob):
    """The values below which given fractions of all rows fall."""

    name: ClassVar[str] = "quantiles"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --value price --range 0..1000 --q 0.5,0.9 --epsilon 1",
        "--user user --value price --edges 0,10,100,1000 --bound 1 --epsilon 1",
    )
    view = QUANTILES
    q: Annotated[tuple[Fraction, ...], parse_q, notation.QUANTILES] = DECILES
    range: Annotated[tuple[float, float] | None, parse_range, notation.RANGE] = None
    edges: Annotated[tuple[float, ...] | None, parse_edges, notation.EDGES] = None
    cells: Annotated[int, parse_cells] = CELLS
    spacing: Annotated[Spacing, choice(*get_args(Spacing))] = "auto"

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        """Edges make their own cells; a range decides on their spacing, unless it is given."""
        if parsed["edges"] is not None:
            return {**parsed, "cells": CELLS, "spacing": "auto"}
        if parsed["range"] is None or parsed["spacing"] != "auto":
            return parsed
        return {**parsed, "spacing": "log" if spans_decades(*parsed["range"]) else "even"}

    def check(self) -> None:
        if self.range is None and self.edges is None:
            raise BadParameter(
                "range: which values can there be? It is not read from the data.",
                fix="range=(0, 1000), or edges=[0, 1, 2, 5, 10, 100]",
            )
        if self.range is not None and self.edges is not None:
            raise BadParameter("range and edges: only one of them.", fix="range=(0, 1000)")
        if self.edges is None:
            spaced(self.range, self.cells, self.spacing)
        super().check()

    @cached_property
    def readout(self) -> Readout:
        if self.edges is not None:
            return Readout(Axis(self.edges, len(self.edges) - 1), self.q)
        assert self.range is not None
        return Readout(spaced(self.range, self.cells, self.spacing), self.q)

    @property
    def by_columns(self) -> tuple[str, ...]:
        return ("q",)

    @property
    def value_name(self) -> str:
        return "value"

    @property
    def value_noun(self) -> str:
        return "quantiles"

    @property
    def bias_phrase(self) -> str:
        return "may differ"
