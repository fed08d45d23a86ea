"""Several statistics of each group in one question: people, events, sums, means, quantiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.people import NoisyCount, PeopleCount
from headcount.bound.selection.selection import BoundSelection
from headcount.errors import BadParameter
from headcount.exact import Number, positive
from headcount.job import ESTIMATED, few_with_more
from headcount.jobs.bases.items import ListedItemJob, check_zero_delta_of_groups
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import notation
from headcount.jobs.parameters.metrics import TypedMetric, cut_metrics, parse_metric, parse_metrics
from headcount.mechanism.groups.metric import Metric
from headcount.mechanism.groups.strategy import GroupsStrategy
from headcount.mechanism.mechanism import AnyMechanism, Columns, Estimand, Noisy
from headcount.release import Release
from headcount.release.views.aggregate import AGGREGATE
from headcount.source.expressions import dt
from headcount.source.scales.amounts import GRID, LARGEST_AMOUNT
from headcount.source.scales.axis import Axis, between, check_value, spaced
from headcount.source.scales.periods import Period

QUANTILE_CELLS = 128
"""Cells of a range, of each group."""
PEOPLE_SHARE = Fraction(2, 100)
"""Share of epsilon for the number of all people, if shares are released."""
MAX_WEIGHT = Fraction(1000)
"""Weights lie between this and its inverse: every metric keeps some units, which its totals are divided by."""
ByMetric = tuple[tuple[str, Fraction], ...]
"""A number for some of the metrics."""


@job_function
def aggregate(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    metrics: str | Sequence[str],
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    keys: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    per: Period | Mapping[str, Period] | None = None,
    dates: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    where: Mapping[str, Any] | None = None,
    range: Sequence[Number] | Mapping[str, Sequence[Number]] | None = None,  # noqa: A002
    bound: Mapping[str, Number] | None = None,
    weights: Mapping[str, Number] | None = None,
    target_error: Mapping[str, Number] | None = None,
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Compute several statistics of each group: people, events, sums, means, quantiles. Groups are found once.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    metrics: "people", "events", "share" (of all people); of the rows with a number in a column x: "people(x)",
        "events(x)", "sum(x)", "mean(x)" per event, "mean(x) per person", "median(x)", "quantile(x, 0.9)". A row without
        an x counts for the first three only, as in SQL. A mean per person is the sum of x divided by the number of
        people with an x.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    keys: the items, if they are known in advance; all of them are released. For several columns tuples, or a mapping
        from column to values: then every combination, also with the bins and dates of other columns.
    bins: public edges for a column of numbers or dates; for several columns, a mapping from column to edges.
    per: "hour", "day", "week", "month", "quarter" or "year" of a column of dates; an item is the start of one. For one
        of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    dates: the first and the last date, if they are public. If all other columns are known as well, every period in
        between is released: known by keys, bins or dates. Both dates are included; rows before or after do not count.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    range: for quantiles: the lowest and the highest value that can be, which are public; or edges. For several columns,
        a mapping from column to either.
    bound: what one person may contribute to a metric, as the Euclidean norm across groups: {"sum(price)": 5000}. By
        default headcount chooses every bound privately.
    weights: how much more of the budget a metric gets than the others: {"sum(price)": 3}. By default the metrics have
        about the same relative error.
    target_error: the relative error that a typical group's value may have, in 95% of cases: {"mean(price)": 0.05}.
        Such metrics get as much of the budget as that takes, up to nine tenths; the others share the rest.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    >>> import headcount as hc
    >>> r = hc.aggregate(hc.example(), user="user", by="song", metrics=["people", "events"], epsilon=1)
    >>> r.table.column_names
    ['song', 'people', 'people_low', 'people_high', 'events', 'events_low', 'events_high']
    """
    raise NotImplementedError


def parse_range(name: str, ends: Any, before: Mapping[str, Any]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """The range or the edges of each column that has quantiles."""
    ordered = _ordered(before["metrics"])
    if ends is None:
        return ()
    if not isinstance(ends, Mapping):
        ends = {_only(ordered): ends}
    if strange := [column for column in ends if column not in ordered]:
        raise BadParameter(
            f"range: none of the metrics is a quantile of {strange[0]!r}.", fix='metrics=["median(x)"], or no range'
        )
    return tuple((column, _ends(ends[column])) for column in ordered if column in ends)


def _only(ordered: Sequence[str]) -> str:
    """The one column with quantiles, whose range needs no name."""
    if not ordered:
        raise BadParameter("range: none of the metrics is a quantile.", fix='metrics=["median(x)"], or no range')
    if len(ordered) > 1:
        raise BadParameter("range: name the column of each range.", fix=f"range={{{ordered[0]!r}: (0, 1000)}}")
    return ordered[0]


def _ends(ends: Any) -> tuple[float, ...]:
    """Two ends, or edges, as numbers."""
    axis = axis_of(ends)
    return (axis.edges[0], axis.edges[-1]) if len(ends) == 2 else axis.edges


def axis_of(ends: Any) -> Axis:
    """The scale of a range, or of edges."""
    listed = isinstance(ends, tuple | list) and len(ends) > 2
    return between(ends) if listed else spaced(ends, QUANTILE_CELLS, "auto")


def _ordered(metrics: Sequence[TypedMetric]) -> list[str]:
    """The columns with quantiles."""
    return list(dict.fromkeys(each.column for each in metrics if each.ordered))


def parse_by_metric(name: str, given: Any, before: Mapping[str, Any]) -> ByMetric:
    """A positive number for some of the metrics."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise BadParameter(f"{name}={given!r:.60}: a number for each metric.", fix=f'{name}={{"sum(price)": 3}}')
    found = {parse_metric(str(metric)).text: value for metric, value in given.items()}
    listed = _texts(before["metrics"])
    if strange := [metric for metric in found if metric not in listed]:
        raise BadParameter(f"{name}: {strange[0]!r} is not among the metrics.", fix=f'{name}={{"sum(price)": 3}}')
    fix = f'{name}={{"sum(price)": 3}}'
    return tuple((metric, positive(name, found[metric], fix=fix)) for metric in listed if metric in found)


def _texts(metrics: Sequence[TypedMetric]) -> list[str]:
    """The released columns of metrics."""
    return [each.text for each in metrics]


@dataclass(frozen=True, kw_only=True)
class Aggregate(ListedItemJob):
    """Several statistics of each group."""

    name: ClassVar[str] = "aggregate"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --by country --metric people --metric 'mean(price)' --epsilon 1",
        "--user user --by country --metric 'median(price)' --range 0..500 --epsilon 1",
    )
    view = AGGREGATE
    metrics: Annotated[tuple[TypedMetric, ...], parse_metrics, notation.METRICS]
    range: Annotated[tuple[tuple[str, tuple[float, ...]], ...], parse_range, notation.RANGE_BY_COLUMN] = ()
    """The scale of each column with quantiles: its ends, or edges."""
    bound: Annotated[ByMetric, parse_by_metric, notation.BOUND_BY_METRIC] = ()
    weights: Annotated[ByMetric, parse_by_metric, notation.WEIGHTS] = ()
    target_error: Annotated[ByMetric, parse_by_metric, notation.ERROR_BY_METRIC] = ()

    @classmethod
    def relative_target(cls, typed: Mapping[str, Any]) -> bool:
        return True

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        pairs = {name: dict(plain[name]) for name in ("range", "bound", "weights", "target_error")}
        return super().from_plain({**plain, **pairs})

    @property
    def _fields(self) -> dict[str, Any]:
        """A request is stored with the texts of its metrics."""
        return {**super()._fields, "metrics": _texts(self.metrics)}

    def check(self) -> None:
        super().check()
        if missing := [column for column in _ordered(self.metrics) if column not in dict(self.range)]:
            raise BadParameter(
                f"metrics: a quantile of {missing[0]!r} needs a range of values, which is public.",
                fix=f"range={{{missing[0]!r}: (0, 1000)}}",
            )
        for column in self.numbers:
            if column in (self.user, *self.by):
                raise BadParameter(
                    f"metrics: {column!r} is a column that makes the person or the group.", fix='metrics=["sum(price)"]'
                )
        if taken := [column for column in self.by if column in self._released]:
            raise BadParameter(f"by={taken[0]!r}: the release has a column of that name.", fix="another name")
        self._check_sizes()

    def _check_sizes(self) -> None:
        """Refuse bounds and weights that leave nothing of a metric, or of the others: noise would hide it."""
        if beyond := [metric for metric, bound in self.bound if not Fraction(1, GRID) <= bound <= LARGEST_AMOUNT]:
            raise BadParameter(
                f"bound: that of {beyond[0]!r} lies between 1/{GRID} and {LARGEST_AMOUNT:,}.",
                fix='bound={"sum(price)": 5000}',
            )
        if beyond := [metric for metric, weight in self.weights if not 1 / MAX_WEIGHT <= weight <= MAX_WEIGHT]:
            raise BadParameter(
                f"weights: that of {beyond[0]!r} lies between 1/{MAX_WEIGHT} and {MAX_WEIGHT}.",
                fix='weights={"sum(price)": 3}',
            )
        if beyond := [metric for metric, target in self.target_error if not Fraction(1, 10**6) <= target <= 10]:
            raise BadParameter(
                f"target_error: that of {beyond[0]!r} lies between 0.000001 and 10.",
                fix='target_error={"mean(price)": 0.05}',
            )

    def check_zero_delta(self) -> None:
        if not self.known:
            raise BadParameter(
                "delta=0: groups that are not known in advance need a delta above 0.",
                fix='delta=1e-6, or the list of groups: keys=["north", "south"]',
            )
        check_zero_delta_of_groups(self.bound)

    def of_one_row(self, delta: Fraction) -> Self:
        usual = self.known and self._counts and not self.bound and delta > 0
        return replace(self, bound=tuple((text, Fraction(1)) for text in _texts(self.metrics))) if usual else self

    @property
    def _counts(self) -> bool:
        """True if only people and events are counted: one row adds at most 1 to each."""
        return all(each.name in ("people", "events") for each in self.metrics)

    def most(self, cells: int | None, *, one_row: bool) -> int | None:
        return 1 if one_row and self._counts else None

    def estimand(self, mechanism: AnyMechanism, most: int | None) -> Estimand:
        """Each metric has a bound of its own."""
        enough = most is not None and sum(bound >= most for _, bound in self.bound) == len(self.metrics)
        return "true" if enough else mechanism.estimand

    @property
    def _released(self) -> list[str]:
        return [f"{metric}{suffix}" for metric in _texts(self.metrics) for suffix in ("", "_low", "_high")]

    # the table

    @property
    def own_columns(self) -> tuple[str, ...]:
        return (*super().own_columns, *self.numbers)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.column for each in self.metrics if each.column))

    @property
    def scales(self) -> tuple[Axis | None, ...]:
        found = {column: axis_of(edges) for column, edges in self.range}
        return tuple(found.get(column) for column in self.numbers)

    @property
    def measures_single_amounts(self) -> bool:
        return any(each.measures_single_amounts for each in self._metrics)

    def check_own_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        super().check_own_schema(columns)
        for column in self.numbers:
            check_value(column, columns[column])

    @property
    def measures_people(self) -> bool:
        return "share" in _texts(self.metrics)

    # how it is answered

    @cached_property
    def _metrics(self) -> tuple[Metric, ...]:
        weights, bounds, targets = dict(self.weights), dict(self.bound), dict(self.target_error)
        return tuple(
            replace(
                each.of_columns(self.numbers),
                weight=float(weights.get(each.text, 1)),
                bound=float(bounds[each.text] * GRID) if each.text in bounds else None,
                target=float(targets[each.text]) if each.text in targets else None,
            )
            for each in self.metrics
        )

    def strategy(self, budget: Cost, cells: int | None) -> GroupsStrategy:
        return GroupsStrategy(
            budget=budget,
            neighbours=self.neighbours,
            metrics=self._metrics,
            scales=self.scales,
            cells=cells,
            people_count=PeopleCount(budget.epsilon * PEOPLE_SHARE) if self.measures_people else None,
        )

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        if not self.measures_people:
            return super().table(noisy, columns, people)
        shares = dict(columns.by_name)
        counted = float(people.count)
        maximum, minimum = counted + people.half_width, max(counted - people.half_width, 1.0)
        for suffix, all_ in (("", counted), ("_low", maximum), ("_high", minimum)):
            shares[f"share{suffix}"] = pc.min_element_wise(
                pc.divide(shares[f"share{suffix}"].cast("double", safe=False), all_), 1.0
            )
        return super().table(noisy, Columns(shares), people)

    # words

    @property
    def value_name(self) -> str:
        return self.metrics[0].text

    @property
    def value_noun(self) -> str:
        return "values"

    @property
    def quantity(self) -> str:
        return "value"

    @property
    def unit(self) -> str:
        return "people"

    def bound_phrase(self, limit: int) -> str:
        return "the bounds that are given"

    def unseen(self, mechanism: AnyMechanism, selections: Sequence[BoundSelection[Any]]) -> str:
        if mechanism.estimand != "true":
            return ""
        few = few_with_more(mechanism.undetected_people)
        return f"{few} headcount would cut part of that without noticing: {cut_metrics(self.metrics)}. {ESTIMATED}"

    def own_title(self) -> str:
        return f"{', '.join(_texts(self.metrics))} per {self.item}"
