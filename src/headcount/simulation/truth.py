"""The truth: exact values of what a plan would release. NOT PRIVATE. The rows are read as a release reads them, with
its conditions, periods and public items; then nothing is bounded, and nothing is noised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headcount.exact import Floats
from headcount.jobs.bases.items import ItemJob
from headcount.jobs.quantiles import Quantiles
from headcount.mechanism.groups.metric import COUNTS, Metric
from headcount.mechanism.groups.strategy import GroupsStrategy
from headcount.planner import Plan
from headcount.run import Source, expressed, unquoted
from headcount.source.contributions.contributions import COUNT, USER, WIDE, Contributions
from headcount.source.engines.registry import to_arrow
from headcount.source.expressions import ir
from headcount.source.reading import reading
from headcount.source.scales.amounts import AMOUNT, GRID
from headcount.source.scales.binning import number

ADDITIVE = (*COUNTS, "sum")
"""Metrics whose value is 0 for a group that has no rows."""


@dataclass(frozen=True)
class TrueValues:
    """The exact values of one released column."""

    by_item: dict[tuple[Any, ...], float]
    additive: bool = True
    """True if an item that is not here has a value of 0; else it has none."""


Truth = dict[str, TrueValues]
"""Exact values, by the name of the released column."""


def truth_of(plan: Plan) -> Truth:
    """The exact values of what a plan would release."""
    return TRUTHS[plan.job.name](plan)


@contextmanager
def _opened(plan: Plan) -> Iterator[tuple[Source, ir.Table]]:
    """The source of a plan, and its rows, within the plan's memory."""
    source = plan.source()
    rows = source.events.table()
    with unquoted(source), reading(rows, plan.limits if source.events.owns_engine else None):
        yield source, rows


def _of_items(plan: Plan) -> Truth:
    """Values per item: counts, sums, or the metrics of groups."""
    with _opened(plan) as (source, rows), expressed(plan.job, source, rows).read() as pairs:
        metrics, query = _query(plan, pairs)
        found, people = to_arrow(query), to_arrow(pairs.people.agg(people=pairs.people.count()))
    items = list(zip(*(column.to_pylist() for column in _named(plan, found, len(pairs.items))), strict=True))
    scales = {metric.label: people["people"][0].as_py() if metric.kind == "share" else 1 for metric in metrics}
    return {
        metric.label: TrueValues(
            {item: value / scales[metric.label] for item, value in _known(items, column)},
            metric.kind in ADDITIVE,
        )
        for metric, column in zip(metrics, found.columns[len(pairs.items) :], strict=True)
    }


def _known(items: list[tuple[Any, ...]], column: pa.ChunkedArray) -> Iterator[tuple[tuple[Any, ...], float]]:
    """The items that have a value: a mean of nothing is none."""
    return ((item, float(value)) for item, value in zip(items, column.to_pylist(), strict=True) if value is not None)


def _named(plan: Plan, table: pa.Table, items: int) -> list[Any]:
    """The columns of items, as they are released."""
    columns = table.columns[:items]
    return list(plan.job.item_columns(columns).values()) if isinstance(plan.job, ItemJob) else columns


def _query(plan: Plan, pairs: Contributions) -> tuple[tuple[Metric, ...], ir.Table]:
    """The metrics, and the query for item0, item1, ..., and a column for each of them."""
    if isinstance(plan.strategy, GroupsStrategy):
        metrics, rows = plan.strategy.metrics, pairs.amounts
        values = [_metric(metric, rows) for metric in metrics]
    else:
        metrics, rows = (Metric(plan.job.value_name, "sum"),), pairs.tables().pairs
        added = rows[AMOUNT].cast(WIDE).sum() / GRID if AMOUNT in rows.columns else rows[COUNT].cast(WIDE).sum()
        values = [added.cast("float64")]
    named = {f"value{index}": value for index, value in enumerate(values)}
    return metrics, rows.group_by(*pairs.items).agg(**named)


def _metric(metric: Metric, rows: ir.Table) -> ir.Value:
    """A statistic of a group of rows."""
    if metric.kind in ("people", "share"):
        return rows[USER].nunique().cast("float64")
    if metric.kind == "events":
        return rows.count().cast("float64")
    amount = rows[f"{AMOUNT}{metric.column}"].cast("float64") / GRID
    if metric.kind == "quantile":
        return amount.quantile(float(metric.q))
    people, events, added = rows[USER].nunique(where=amount.notnull()), amount.count(), amount.sum().fill_null(0.0)
    found: dict[str, ir.Value] = {
        "people(x)": people,
        "events(x)": events,
        "sum": added,
        "mean": added / events.nullif(0),
        "mean per person": added / people.nullif(0),
    }
    return found[metric.kind].cast("float64")


def _of_quantiles(plan: Plan) -> Truth:
    """Quantiles of all rows; or, of a sample, of rows that weigh the same for each person together."""
    job = plan.job
    assert isinstance(job, Quantiles)
    values, weights = _weighted_values(plan, job)
    indices = np.searchsorted(np.cumsum(weights), [float(q) * weights.sum() for q in job.q])
    clipped = np.clip(values, job.axis.edges[0], job.axis.edges[-1])
    found = clipped[np.minimum(indices, len(values) - 1)] if len(values) else np.full(len(job.q), np.nan)
    by_item = {(float(q),): float(value) for q, value in zip(job.q, found, strict=True)}
    return {job.value_name: TrueValues(by_item, additive=False)}


def _weighted_values(plan: Plan, job: Quantiles) -> tuple[Floats, Floats]:
    """The values, rising, and the weight of each row."""
    with _opened(plan) as (source, rows):
        matching = job.matching(rows, source.events.types)  # user, value
        user, value = (matching[name] for name in matching.columns)
        found = to_arrow(matching.select(user=user, value=number(value)).drop_null())
    values = found["value"].to_numpy()
    people = found["user"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    weights = 1 / np.bincount(people)[people] if job.one_row_each else np.ones(len(values))
    order = np.argsort(values[~np.isnan(values)])
    return values[~np.isnan(values)][order], weights[~np.isnan(values)][order]


TRUTHS: dict[str, Callable[[Plan], Truth]] = {
    "histogram": _of_items,
    "aggregate": _of_items,
    "top": _of_items,
    "heavy_hitters": _of_items,
    "total": _of_items,
    "quantiles": _of_quantiles,
}
"""The truth, by job."""
