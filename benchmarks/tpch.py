"""Sums, means and medians per group on TPC-H (scale factor 1: 1.5 million orders of 100,000 customers).

    python -m benchmarks.tpch [--part sums|peers|means|five|times] [--runs 5] [--scale 1] [--folder FOLDER]

The privacy unit is the customer, epsilon 1 and delta 1e-6, everything paid. Ten questions are asked twice: with groups
that are not known, and with all groups as keys. *l1*: all errors over all true values, groups that are not shown
counted in full. *possible*: what Gaussian noise for three quarters of the price gives, with the best bound in hindsight
and what that clips undone by one ratio. *holds*: the share of intervals that hold the true value. *peers*: the same
sums by OpenDP and SmartNoise-SQL, each in an environment of its own (`benchmarks/peers/sums.py`). Data are made by the
wheel tpchgen-cli, into a temporary folder unless one is named.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import headcount as hc
from benchmarks.peers.sums import lines
from headcount.account.calibration.calibrate import analytic_sigma
from headcount.jobs.aggregate import aggregate
from headcount.jobs.histogram import histogram

TABLES = ("orders", "lineitem", "customer", "nation", "supplier")
ORDERS = "orders JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nationkey = n_nationkey"
LINES = "lineitem JOIN orders ON l_orderkey = o_orderkey"
REVENUE = "l_extendedprice * (1 - l_discount)"
PRICE_SHARE, QUANTILES = 0.75, np.array([0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0])
EPSILON, DELTA = 1.0, 1e-6
MAX_PRICE = 600_000
FIVE = ("people", "events", "sum(x)", "mean(x)", "median(x)")


@dataclass(frozen=True)
class Question:
    """A sum per group."""

    name: str
    groups: tuple[str, ...]
    amount: str
    source: str

    @property
    def sql(self) -> str:
        """(user, group0, group1, ..., x): the rows that are read."""
        groups = ", ".join(f"{group} AS group{index}" for index, group in enumerate(self.groups))
        return f"SELECT o_custkey AS user, {groups}, CAST({self.amount} AS DOUBLE) AS x FROM {self.source}"

    @property
    def by(self) -> list[str]:
        """The columns of groups."""
        return [f"group{index}" for index in range(len(self.groups))]


def month(column: str) -> str:
    """The month of a date, as text."""
    return f"strftime({column}, '%Y-%m')"


ORDERED, SHIPPED = month("o_orderdate"), month("l_shipdate")
QUESTIONS = (
    Question("order revenue per month", (ORDERED,), "o_totalprice", "orders"),
    Question("lineitem revenue per ship month", (SHIPPED,), REVENUE, LINES),
    Question("revenue per year and nation", ("strftime(o_orderdate, '%Y')", "n_name"), "o_totalprice", ORDERS),
    Question("revenue per month and nation", (ORDERED, "n_name"), "o_totalprice", ORDERS),
    Question("revenue per month and priority", (ORDERED, "o_orderpriority"), "o_totalprice", "orders"),
    Question("revenue per day", ("strftime(o_orderdate, '%Y-%m-%d')",), "o_totalprice", "orders"),
    Question("orders per month and nation", (ORDERED, "n_name"), "1", ORDERS),
    Question(
        "quantity per month and nation",
        (ORDERED, "n_name"),
        "l_quantity",
        f"{LINES} JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nationkey = n_nationkey",
    ),
    Question(
        "AUTOMOBILE revenue per month and nation",
        (ORDERED, "n_name"),
        "o_totalprice",
        f"{ORDERS} WHERE c_mktsegment = 'AUTOMOBILE'",
    ),
    Question(
        "revenue per month and supplier nation",
        (SHIPPED, "n_name"),
        REVENUE,
        f"{LINES} JOIN supplier ON l_suppkey = s_suppkey JOIN nation ON s_nationkey = n_nationkey",
    ),
)


def opened(folder: Path, scale: float) -> duckdb.DuckDBPyConnection:
    """The tables, made first if they are not there."""
    if not (folder / "orders.parquet").exists():
        program = Path(sys.executable).parent / "tpchgen-cli"
        made = [str(program), "parquet", "-s", f"{scale:g}", "-T", ",".join(TABLES), "--output-dir", str(folder)]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    connection = duckdb.connect()
    for table in TABLES:
        connection.execute(f"CREATE VIEW {table} AS FROM '{folder / table}.parquet'")
    return connection


def possible(connection: duckdb.DuckDBPyConnection, question: Question) -> float:
    """The error of a sum with the best bound in hindsight."""
    groups = ", ".join(question.by)
    ranks = f"dense_rank() OVER (ORDER BY user) - 1 AS u, dense_rank() OVER (ORDER BY {groups}) - 1 AS g"
    pairs = f"SELECT user, {groups}, sum(x) AS s FROM ({question.sql}) GROUP BY ALL"
    found = connection.sql(f"SELECT {ranks}, s FROM ({pairs})").fetchnumpy()
    user, group, sums = found["u"], found["g"], found["s"]
    norms, true = np.sqrt(np.bincount(user, sums**2)), np.bincount(group, sums)
    noise = float(analytic_sigma(EPSILON, DELTA)) / PRICE_SHARE**0.5 * np.sqrt(2 / np.pi) * len(true)
    errors = []
    for bound in np.quantile(norms, QUANTILES):
        kept = np.bincount(group, sums * np.minimum(1, bound / norms)[user])
        ratio = true.sum() / kept.sum()
        errors.append(np.hypot(noise * bound * ratio, np.abs(kept * ratio - true).sum()) / true.sum())
    return float(min(errors))


def truth(connection: duckdb.DuckDBPyConnection, question: Question) -> dict[tuple[Any, ...], dict[str, float]]:
    """The true value of each metric of each group."""
    groups = ", ".join(question.by)
    metrics = "count(DISTINCT user), count(*), sum(x), avg(x), median(x)"
    rows = connection.sql(f"SELECT {groups}, {metrics} FROM ({question.sql}) GROUP BY {groups}").fetchall()
    width = len(question.by)
    return {row[:width]: dict(zip(FIVE, row[width:], strict=True)) for row in rows}


def measured(
    connection: duckdb.DuckDBPyConnection,
    question: Question,
    true: dict[tuple[Any, ...], dict[str, float]],
    *,
    known: bool,
    metrics: tuple[str, ...] = ("sum(x)",),
    epsilon: float = EPSILON,
) -> dict[str, list[float]]:
    """Of each metric: l1, the median relative error, the share of intervals that hold, and the share that is shown."""
    keys = sorted(group if len(group) > 1 else group[0] for group in true) if known else None
    more: dict[str, Any] = {"range": (0, MAX_PRICE)} if "median(x)" in metrics else {}
    joined = hc.table(connection.sql(question.sql), promise="each row belongs to one person")  # by keys
    release = aggregate(joined, user="user", by=question.by, metrics=metrics, keys=keys, epsilon=epsilon, **more)
    rows = release.table.to_pydict()
    groups = list(zip(*(rows[name] for name in question.by), strict=True))
    found = {}
    for metric in metrics:
        wanted = np.array([float(true[group][metric]) for group in groups])
        value, low, high = (np.array(rows[f"{metric}{end}"]) for end in ("", "_low", "_high"))
        everything = sum(float(each[metric]) for each in true.values())
        off = np.abs(value - wanted)
        found[metric] = [
            (off.sum() + everything - wanted.sum()) / everything,
            float(np.median(off / wanted)) if len(off) else np.nan,
            float(((low <= wanted) & (wanted <= high)).mean()) if len(off) else np.nan,
            len(groups) / len(true),
        ]
    return found


def sums(connection: duckdb.DuckDBPyConnection, runs: int) -> Iterator[str]:
    """The ten questions."""
    yield "| question | groups | possible | keys: l1 | ratio | holds | not known: l1 | ratio | holds | shown |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for question in QUESTIONS:
        true, best = truth(connection, question), possible(connection, question)
        cells = [question.name, f"{len(true):,}", f"{best:.2%}"]
        for known in (True, False):
            each = [measured(connection, question, true, known=known)["sum(x)"] for _ in range(runs)]
            l1, _, holds, shown = np.mean(each, axis=0)
            cells += [f"{l1:.2%}", f"{l1 / best:.2f}", f"{holds:.1%}", *([] if known else [f"{shown:.1%}"])]
        yield f"| {' | '.join(cells)} |"


def peers(connection: duckdb.DuckDBPyConnection, runs: int) -> Iterator[str]:
    """The ten questions by OpenDP and SmartNoise-SQL, at their best bounds in hindsight."""
    yield "| question | peer | groups | l1 | shown | l1, bounds at 99% | best in hindsight |"
    yield "|---|---|---|---|---|---|---|"
    for question in QUESTIONS:
        item = " || ' ' || ".join(question.by)
        rows = f"SELECT user AS user_id, {item} AS item, sum(x) AS x FROM ({question.sql}) GROUP BY ALL"
        with tempfile.TemporaryDirectory() as folder:
            pairs = Path(folder) / "pairs.parquet"
            connection.sql(rows).write_parquet(str(pairs))
            for cells in lines(pairs, runs):
                yield f"| {question.name} | {' | '.join(cells)} |"


def means(connection: duckdb.DuckDBPyConnection, runs: int) -> Iterator[str]:
    """Means and medians of orders."""
    yield "| question | metric | keys: median error | holds | not known: median error | holds |"
    yield "|---|---|---|---|---|---|"
    for question in (QUESTIONS[0], QUESTIONS[3]):
        true = truth(connection, question)
        for metric in ("mean(x)", "median(x)"):
            cells = [question.name.replace("revenue", "value"), metric]
            for known in (True, False):
                each = [
                    measured(connection, question, true, known=known, metrics=(metric,))[metric] for _ in range(runs)
                ]
                _, error, holds, _ = np.mean(each, axis=0)
                cells += [f"{error:.2%}", f"{holds:.1%}"]
            yield f"| {' | '.join(cells)} |"


def five(connection: duckdb.DuckDBPyConnection, runs: int) -> Iterator[str]:
    """Five metrics in one question, beside five questions at a fifth of epsilon each."""
    yield "| question | metric | together: median error | holds | apart: median error | ratio |"
    yield "|---|---|---|---|---|---|"
    ratios = []
    for question in (QUESTIONS[0], QUESTIONS[2], QUESTIONS[3]):
        true = truth(connection, question)
        together = [measured(connection, question, true, known=False, metrics=FIVE) for _ in range(runs)]
        for metric in FIVE:
            part = EPSILON / len(FIVE)
            apart = [
                measured(connection, question, true, known=False, metrics=(metric,), epsilon=part)[metric]
                for _ in range(runs)
            ]
            _, error, holds, _ = np.mean([each[metric] for each in together], axis=0)
            alone = np.mean(apart, axis=0)[1]
            ratios.append(alone / error)
            yield f"| {question.name} | {metric} | {error:.2%} | {holds:.1%} | {alone:.2%} | {alone / error:.2f} |"
    yield f"| geometric mean | | | | | {np.exp(np.mean(np.log(ratios))):.2f} |"


def times(connection: duckdb.DuckDBPyConnection, runs: int) -> Iterator[str]:
    """CPU seconds beside a histogram of people, in turn: the least of some runs, as other processes only add."""
    yield "| question | histogram | one metric | ratio | five metrics | ratio |"
    yield "|---|---|---|---|---|---|"
    for question in (QUESTIONS[0], QUESTIONS[3]):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "rows.parquet")
            connection.sql(question.sql).write_parquet(path)
            taken = [_seconds(path, question.by) for _ in range(runs + 1)][1:]
        base, one, all_ = np.min(taken, axis=0)
        cells = [f"{base:.2f} s", f"{one:.2f} s", f"{one / base:.2f}", f"{all_:.2f} s", f"{all_ / base:.2f}"]
        yield f"| {question.name} | {' | '.join(cells)} |"


def _seconds(path: str, by: list[str]) -> list[float]:
    """CPU seconds of a histogram, of one metric and of five, one after another; of all threads together."""
    clock = [time.process_time()]
    histogram(path, user="user", by=by, epsilon=EPSILON)
    clock.append(time.process_time())
    aggregate(path, user="user", by=by, metrics=["sum(x)"], epsilon=EPSILON)
    clock.append(time.process_time())
    aggregate(path, user="user", by=by, metrics=FIVE, range=(0, MAX_PRICE), epsilon=EPSILON)
    clock.append(time.process_time())
    return np.diff(clock).tolist()


PARTS = {"sums": sums, "peers": peers, "means": means, "five": five, "times": times}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=(*PARTS, "all"), default="all")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--folder", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        connection = opened(Path(options.folder or temporary), options.scale)
        for name, part in PARTS.items():
            if options.part in (name, "all"):
                print(f"\n## {name}\n")
                for line in part(connection, options.runs):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
