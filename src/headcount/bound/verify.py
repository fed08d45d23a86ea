"""Attained sensitivity: the most that any one person contributes after bounding, measured on the table."""

from __future__ import annotations

from headcount.bound.bounded import Sensitivity
from headcount.source.contributions.contributions import COUNT, USER
from headcount.source.expressions import ir


def attained(kept: ir.Table) -> Sensitivity:
    """Measure the most that one person contributes to the kept (user, items, count), each component by itself.

    Reads the data without noise: for tests and audits, never for a release."""
    people = kept.group_by(USER).agg(
        items=lambda rows: rows.count(),
        largest=lambda rows: rows[COUNT].max(),
        total=lambda rows: rows[COUNT].sum(),
        squared=lambda rows: (rows[COUNT] * rows[COUNT]).sum(),
    )
    measures = ("items", "largest", "total", "squared")
    max_items = people.agg(**{measure: people[measure].max() for measure in measures}).to_pyarrow().to_pylist()[0]
    return Sensitivity(**{measure: int(max_items[measure] or 0) for measure in measures})
