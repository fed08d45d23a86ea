"""How far off people per month are: the default, which bounds nobody on a short public list, beside the bounds that
were chosen before, and beside a bound that is typed by hand.

    python -m benchmarks.short_lists [FOLDER] [--runs N]      FOLDER has the tables; by default ../shared/data

People per month, epsilon 1, delta 1e-6. *rmse*: of all counts of all runs; *worst run*: the largest of a run's own.
*target*: (sqrt(d) + 1) / 2 times the noise of one count, for d months. *chosen*: bound="generalized", debias="ratio",
which was the default of lists of up to 11 items before version 0.11.
"""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.truth import folder
from headcount.account.calibration import calibrate
from headcount.jobs.registry import plan

RUNS = 100
CHOSEN: dict[str, Any] = {"bound": "generalized", "debias": "ratio"}
PEOPLE = 20_000
FIRST = datetime(2024, 1, 1)


@dataclass(frozen=True)
class Months:
    """A table and its public dates."""

    name: str
    table: Callable[[Path], pa.Table]
    """With the columns user and at."""
    dates: tuple[str, str]


def documented(folder: Path) -> pa.Table:
    """The table of the how-to about dates: 4,000 people with five visits in six months."""
    rows = np.arange(20_000)
    hours = rows * 7919 % 4368
    return pa.table({"user": rows % 4000, "at": [FIRST + timedelta(hours=int(hour)) for hour in hours]})


def of_an_app(folder: Path) -> pa.Table:
    """People of an app: each comes with a rate of their own on every day since they joined, in six months."""
    random = np.random.default_rng(1)
    rate, joined = random.lognormal(-1.6, 1.3, PEOPLE).clip(0, 0.95), random.integers(0, 182, PEOPLE)
    days = [np.flatnonzero((random.random(PEOPLE) < rate) & (joined <= day)) for day in range(182)]
    moments = np.repeat(np.array([FIRST + timedelta(days=day) for day in range(182)]), [len(day) for day in days])
    return pa.table({"user": np.concatenate(days), "at": moments})


def of_a_shop(folder: Path) -> pa.Table:
    """Orders of a real shop, 13 months."""
    found = pq.read_table(folder / "online_retail_orders.parquet", columns=["user_id", "at"])
    return found.rename_columns(["user", "at"])


TABLES = (
    Months("how-to about dates, 6 months", documented, ("2024-01-01", "2024-06-30")),
    Months("app, 6 months", of_an_app, ("2024-01-01", "2024-06-30")),
    Months("online_retail_orders, 13 months", of_a_shop, ("2010-12-01", "2011-12-31")),
)


def true_counts(table: pa.Table) -> dict[Any, int]:
    """People per month."""
    counted = """SELECT date_trunc('month', "at")::date, count(DISTINCT "user") FROM rows GROUP BY 1"""
    with duckdb.connect() as engine:
        return dict(engine.register("rows", table).sql(counted).fetchall())


def measured(table: pa.Table, dates: tuple[str, str], runs: int, **asked: Any) -> list[str]:
    """Rmse of all runs, the largest of one run, mean width of the intervals, and how many hold the true count."""
    truth, errors, widths, held = true_counts(table), [], [], []
    made = plan("histogram", table, user="user", by="at", per="month", dates=dates, epsilon=1, delta=1e-6, **asked)
    for _ in range(runs):
        rows = made.release().table.to_pylist()
        there = [truth.get(row["at"], 0) for row in rows]
        errors.append([row["count"] - count for row, count in zip(rows, there, strict=True)])
        widths.append(np.mean([row["high"] - row["low"] for row in rows]))
        held.append(np.mean([row["low"] <= count <= row["high"] for row, count in zip(rows, there, strict=True)]))
    squares = np.mean(np.square(errors), axis=1)
    return [
        f"{sqrt(squares.mean()):.1f}",
        f"{sqrt(squares.max()):.1f}",
        f"{np.mean(widths):.0f}",
        f"{np.mean(held):.2f}",
    ]


def lines(each: Months, where: Path, runs: int) -> list[list[str]]:
    """The lines of one table."""
    table = each.table(where)
    first, last = map(date.fromisoformat, each.dates)
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    target = (sqrt(months) + 1) / 2 * float(calibrate.analytic_sigma(1, Fraction("1e-6")))
    ways: dict[str, dict[str, Any]] = {"chosen": CHOSEN, f"bound={months}": {"bound": months}, "default": {}}
    return [[each.name, name, *measured(table, each.dates, runs, **way), f"{target:.1f}"] for name, way in ways.items()]


def main() -> None:
    """Print the table."""
    parser = ArgumentParser()
    parser.add_argument("folder", nargs="*")
    parser.add_argument("--runs", type=int, default=RUNS)
    typed = parser.parse_args()
    heads = ["table", "bound", "rmse", "worst run", "width", "within", "target"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for each in TABLES:
        for line in lines(each, folder(typed.folder), typed.runs):
            print(f"| {' | '.join(line)} |", flush=True)


if __name__ == "__main__":
    main()
