"""One release by OpenDP 0.16 with its Polars API: people per item, items not known in advance.

    .venv-opendp/bin/python with_opendp.py PAIRS BOUND NOISE OUT        NOISE: gaussian or laplace

The bound: `truncate_per_group(1, by=[item])`, then `truncate_per_group(BOUND)`: random rows of a person, which OpenDP
charges as BOUND items with 1 row each. `truncate_num_groups(BOUND, by=[item])` is meant for this, but in 0.16.0 its
default `keep="sample"` fails when released (Polars: "multiple fields with name"), and `keep="first"` keeps BOUND - 1
items of a person (the first in the alphabet) while BOUND are charged, at BOUND 1 none at all.

The budget: Laplace noise is charged in (epsilon, delta) directly. Gaussian noise is charged in zCDP with a delta for
the threshold; OpenDP's own conversion gives the largest rho that is within epsilon 1 at the rest of delta. A quarter of
delta for the threshold gave the lowest threshold of those tried (bounds 25 and 205). `within` asks OpenDP again about
the sum of both.

As shipped. Issue opendp/opendp#2922 (delta is charged above the threshold, release is from the threshold on) is in
`make_laplace_threshold` and `make_gaussian_threshold`; the Polars API, which this uses, releases above it only.
"""

import math
import sys
from typing import Any

import opendp.prelude
import polars as pl

dp: Any = opendp.prelude
dp.enable_features("contrib")
EPSILON, DELTA = 1.0, 1e-6
FOR_THRESHOLD = DELTA / 4
USER, ITEM = pl.col("user_id"), pl.col("item")


def epsilon_at(rho: float) -> float:
    """What Gaussian noise of this rho costs, at the delta that is left."""
    space = dp.atom_domain(T=int), dp.absolute_distance(T=float)
    noise = dp.m.make_gaussian(*space, scale=math.sqrt(1 / (2 * rho)))
    return float(dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noise), DELTA - FOR_THRESHOLD).map(1.0)[0])


def loss(noise: str) -> Any:
    """The budget, in the measure that gives this noise."""
    if noise == "laplace":
        return dp.loss_of(epsilon=EPSILON, delta=DELTA)
    rho = dp.binary_search(lambda rho: epsilon_at(rho) <= EPSILON, bounds=(1e-6, 1.0))
    return dp.loss_of(rho=rho, delta=FOR_THRESHOLD)


def within(measurement: Any, people: Any, noise: str) -> bool:
    """Whether OpenDP itself says that this is within epsilon and delta."""
    if noise == "gaussian":
        measurement = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(measurement), DELTA)
    epsilon, delta = measurement.map(people)
    return bool(epsilon <= EPSILON and delta <= DELTA)


def release(pairs: str, bound: int, noise: str) -> pl.DataFrame:
    """(item, count)"""
    unit = dp.unit_of(contributions=1, identifier=USER)
    context = dp.Context.compositor(
        data=pl.scan_parquet(pairs), privacy_unit=unit, privacy_loss=loss(noise), split_evenly_over=1
    )
    query: Any = context.query()
    bounded = query.truncate_per_group(1, by=[ITEM]).truncate_per_group(bound)
    measurement = bounded.group_by("item").agg(dp.len(signed=True)).resolve()
    assert within(measurement, unit[1], noise)
    found: pl.DataFrame = context(measurement).collect()
    return found.rename({"len": "count"})


def write(found: pl.DataFrame, out: str) -> None:
    """To a file."""
    found.write_parquet(out)


if __name__ == "__main__":
    write(release(sys.argv[1], int(sys.argv[2]), sys.argv[3]), sys.argv[4])
