"""How far off sums per month are: noise with a common number for amounts that are cut at a bound typed by hand, beside
what is done by default, and beside a bound typed by hand on the norm of a person's amounts.

    python -m benchmarks.short_sums [FOLDER] [--runs N]      FOLDER has the tables; by default ../shared/data

Sums of amounts per month, epsilon 1, delta 1e-6. *rmse*: of all sums of all runs, from the true ones; *relative*: that
of the mean of the true sums; *of the cut*: from the sums of amounts that are cut, which is noise alone; *half-width*:
of intervals, on average; *within*: how many of them hold the true sum. *cut*: each person's amount of a month, at most;
*norm*: the bound that cuts nobody whom the cut leaves alone, cut times the root of the months.
"""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from math import sqrt
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.short_lists import PEOPLE, documented, of_an_app
from benchmarks.truth import folder
from headcount.jobs.registry import plan

RUNS = 10
Sums = dict[date, float]


@dataclass(frozen=True)
class Amounts:
    """A table with the columns user, at and amount; its months, and cuts that somebody may type."""

    name: str
    table: Callable[[Path], pa.Table]
    dates: tuple[str, str]
    months: int
    cuts: tuple[int, ...]


def of_visits(folder: Path) -> pa.Table:
    """The table of the how-to about dates, each visit of 5 to 95 minutes: no long tail."""
    table = documented(folder)
    return table.append_column("amount", pa.array(5.0 + np.arange(len(table)) * 31 % 91))


def of_purchases(folder: Path) -> pa.Table:
    """People of an app in six months, who spend on each of their days: log-normal, and each at a level of their own."""
    random, table = np.random.default_rng(2), of_an_app(folder)
    level = random.lognormal(1, 0.8, PEOPLE)[np.array(table["user"])]
    return table.append_column("amount", pa.array(level * random.lognormal(0, 0.7, len(table))))


def of_a_shop(folder: Path) -> pa.Table:
    """Orders of a real shop: wholesalers among its customers have most of the revenue."""
    found = pq.read_table(folder / "online_retail_orders.parquet", columns=["user_id", "at", "amount"])
    return found.rename_columns(["user", "at", "amount"])


HALF, YEAR = ("2024-01-01", "2024-06-30"), ("2010-12-01", "2011-11-30")
TABLES = (
    Amounts("minutes of visits, 6 months", of_visits, HALF, 6, (100, 200)),
    Amounts("app, 6 months", of_purchases, HALF, 6, (500, 2_000)),
    Amounts("online_retail_orders, 6 months", of_a_shop, ("2011-06-01", "2011-11-30"), 6, (5000, 20_000)),
    Amounts("online_retail_orders, 12 months", of_a_shop, YEAR, 12, (5000, 20_000)),
)


def sums(table: pa.Table, cut: int | None = None) -> Sums:
    """The sum of each month; of amounts that are cut for each person and month, with a cut."""
    within = "amount" if cut is None else f"least(greatest(amount, 0), {cut})"
    grouped = (
        """SELECT date_trunc('month', "at")::date AS month, "user", sum(amount) AS amount FROM rows GROUP BY 1, 2"""
    )
    with duckdb.connect() as engine:
        found = engine.register("rows", table).sql(f"SELECT month, sum({within}) FROM ({grouped}) GROUP BY 1")
        return dict(found.fetchall())


def measured(each: Amounts, table: pa.Table, runs: int, cut: int | None, **asked: Any) -> list[str]:
    """The columns of one way."""
    truth, there, errors, noise, widths, held = sums(table), sums(table, cut), [], [], [], []
    made = plan("histogram", table, **ASKED, dates=each.dates, **asked)
    for _ in range(runs):
        rows = made.release().table.to_pylist()
        errors += [row["sum"] - truth.get(row["at"], 0) for row in rows]
        noise += [row["sum"] - there.get(row["at"], 0) for row in rows]
        widths += [(row["high"] - row["low"]) / 2 for row in rows]
        held += [row["low"] <= truth.get(row["at"], 0) <= row["high"] for row in rows]
    rmse, months = _rmse(errors), [truth.get(row["at"], 0) for row in rows]
    of_cut = f"{_rmse(noise):,.0f}" if cut else ""
    return [f"{rmse:,.0f}", f"{rmse / np.mean(months):.3f}", of_cut, f"{np.mean(widths):,.0f}", f"{np.mean(held):.2f}"]


ASKED: dict[str, Any] = {
    "user": "user",
    "by": "at",
    "per": "month",
    "sum": "amount",
    "epsilon": 1,
    "delta": 1e-6,
}


def _rmse(errors: list[float]) -> float:
    return sqrt(np.mean(np.square(errors)))


def lines(each: Amounts, where: Path, runs: int) -> list[list[str]]:
    """The lines of one table."""
    table = each.table(where)
    found = [["default", *measured(each, table, runs, None)]]
    for cut in each.cuts:
        norm = round(cut * sqrt(each.months))
        found.append([f"norm {norm:,}", *measured(each, table, runs, None, bound=norm)])
        found.append([f"correlated, cut {cut:,}", *measured(each, table, runs, cut, bound=cut, mechanism="correlated")])
    return [[each.name, *line] for line in found]


def main() -> None:
    """Print the table."""
    parser = ArgumentParser()
    parser.add_argument("folder", nargs="*")
    parser.add_argument("--runs", type=int, default=RUNS)
    typed = parser.parse_args()
    heads = ["table", "bound", "rmse", "relative", "of the cut", "half-width", "within"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for each in TABLES:
        for line in lines(each, folder(typed.folder), typed.runs):
            print(f"| {' | '.join(line)} |", flush=True)


if __name__ == "__main__":
    main()
