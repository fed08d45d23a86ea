"""One release by OpenDP 0.16 with its Polars API: an amount per item, items public or not known in advance.

    .venv-opendp/bin/python sums_opendp.py PAIRS BOUND MOST NOISE SHARE OUT     NOISE: gaussian or laplace

PAIRS has a row (user_id, item, x) for each person and item. BOUND random items of a person are kept, as in
`with_opendp.py`, and amounts are whole numbers between 0 and MOST: sums of floats need more noise. SHARE of the budget
is for the counts that decide which items are shown; 0 stands for items that are public, given by `with_keys`. Scales
and threshold are set by hand, because `resolve` splits a budget evenly and tries a hundred scales; OpenDP says whether
they are within the budget.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import polars as pl

from benchmarks.peers.with_opendp import ITEM, USER, dp, loss, within, write

MARGIN = 1 + 1e-6
"""Scales are larger by this factor, for OpenDP's rounding."""
PUBLIC_SIZE = {"max_length": 10_000_000, "max_groups": 100_000}
X: Any = pl.col("x")


def scale(noise: str, bound: int, share: float) -> float:
    """The scale of noise for amounts up to 1, at a share of the budget."""
    budget = loss(noise)[1][0] * share
    return MARGIN * (bound / budget if noise == "laplace" else math.sqrt(bound / (2 * budget)))


def asked(query: Any, bound: int, max_items: int, noise: str, share: float, keys: pl.DataFrame) -> Any:
    """The query: sums of public items, or counts and sums."""
    groups = query.truncate_per_group(1, by=[ITEM]).truncate_per_group(bound).group_by("item")
    total = X.dp.sum((0, max_items), scale=max_items * scale(noise, bound, 1 - share))
    if not share:
        return groups.agg(total).with_keys(keys)
    return groups.agg(dp.len(signed=True, scale=scale(noise, bound, share)), total)


def min_threshold(made: Callable[[int], Any], unit: Any, noise: str) -> Any:
    """The measurement with the lowest threshold that is within delta."""
    delta = loss(noise)[1][1]
    return made(dp.binary_search(lambda height: made(height).map(unit)[1] <= delta, bounds=(2, 1_000_000)))


def release(pairs: str, bound: int, max_items: int, noise: str, share: float) -> pl.DataFrame:
    """(item, count): what amounts add up to."""
    rows = pl.scan_parquet(pairs).with_columns(X.round().cast(pl.Int64))
    unit = dp.unit_of(contributions=1, identifier=USER)
    margin = dp.polars.Margin(by=["item"], **PUBLIC_SIZE)
    context = dp.Context.compositor(data=rows, privacy_unit=unit, privacy_loss=loss(noise), margins=[margin])
    query = asked(context.query(), bound, max_items, noise, share, rows.select("item").unique().collect())
    space = *context.accountant.input_space, context.accountant.output_measure
    plan = object.__getattribute__(query, "polars_plan")

    def made(threshold: int | None) -> Any:
        return dp.m.make_private_lazyframe(*space, plan, 1.0, threshold)

    measurement = min_threshold(made, unit[1], noise) if share else made(None)
    assert within(measurement, unit[1], noise)
    found: pl.DataFrame = measurement(rows).collect()
    return found.select("item", pl.col("x").alias("count"))


if __name__ == "__main__":
    table, bound, max_items, noise, share, out = sys.argv[1:]
    write(release(table, int(bound), int(max_items), noise, float(share)), out)
