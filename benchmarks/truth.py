"""How far off a release is from the truth: what the error benchmarks have in common."""

import os
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from headcount.release import Release

TABLES = ("npm_deps2016_all", "ubuntu_irc_words", "online_retail", "reddit_titles500k_words", "reddit_domain")
SYNTHETIC = "synthetic heavy tails"


@dataclass(frozen=True)
class Off:
    """One release beside the truth."""

    shown: float
    good: float
    """Shown with a relative error of at most 10%."""
    l1: float
    """All errors over all true counts; items that are not shown count with all of theirs."""
    within: float
    """The part of the shown intervals that hold the true count."""


def folder(typed: list[str]) -> Path:
    """Where the tables are: as typed, as the environment variable HEADCOUNT_TABLES says, or ../shared/data."""
    default = os.environ.get("HEADCOUNT_TABLES", Path(__file__).parents[1].parent / "shared" / "data")
    return Path(typed[0] if typed else default)


def typed(runs: int) -> tuple[Path, Sequence[str], int]:
    """What was typed, [FOLDER] [--runs N] [--only TABLE]: the folder, the names of tables, and the number of runs."""
    parser = ArgumentParser()
    parser.add_argument("folder", nargs="*")
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--only", choices=TABLES)
    found = parser.parse_args()
    return folder(found.folder), [found.only] if found.only else TABLES, found.runs


def tables(where: Path, to: Path) -> dict[str, Path]:
    """The real tables, and a synthetic one that is written to a folder."""
    pq.write_table(heavy_tails(), to / "synthetic.parquet")
    return {name: where / f"{name}.parquet" for name in TABLES} | {SYNTHETIC: to / "synthetic.parquet"}


def heavy_tails(people: int = 20_000, items: int = 50_000) -> pa.Table:
    """About a million events: how many a person has is Pareto of index 0.9, which items is Zipf."""
    random = np.random.default_rng(1)
    sizes = np.minimum((random.pareto(0.9, people) + 1) * 8, 5000).astype(np.int64)
    chances = 1 / np.arange(1, items + 1)
    chosen = random.choice(items, sizes.sum(), p=chances / chances.sum())
    names = pa.array([f"item {number}" for number in range(items)])
    return pa.table({"user_id": np.repeat(np.arange(people), sizes), "item": names.take(pa.array(chosen))})


def true_counts(path: Path, *, events: bool = False) -> dict[Any, int]:
    """People, or events, per item."""
    what = "count(*)" if events else "count(DISTINCT user_id)"
    return dict(duckdb.sql(f"SELECT item, {what} FROM '{path}' WHERE item IS NOT NULL GROUP BY item").fetchall())


def true_counts_of(table: pa.Table, user: str, item: str) -> dict[Any, int]:
    """People per item of a table in memory."""
    counts = table.group_by([user, item]).aggregate([]).group_by(item).aggregate([([], "count_all")])
    return dict(zip(counts[item].to_pylist(), counts["count_all"].to_pylist(), strict=True))


def off(release: Release, truth: dict[Any, int]) -> Off:
    """How far off a release is."""
    rows = release.table.to_pydict()
    true = np.array([truth[item] for item in rows["item"]], dtype=np.float64)
    count, low, high = (np.array(rows[name], dtype=np.float64) for name in ("count", "low", "high"))
    error, all_ = np.abs(count - true), float(sum(truth.values()))
    within = float(((low <= true) & (true <= high)).mean()) if len(true) else 1.0
    return Off(len(true), int((error <= 0.1 * true).sum()), float(error.sum() + all_ - true.sum()) / all_, within)


def mean(several: list[Off]) -> Off:
    """The mean of several releases."""
    return Off(*(fmean(getattr(each, name) for each in several) for name in ("shown", "good", "l1", "within")))
