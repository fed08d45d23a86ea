"""Prints one table: a line for each way, a column for each table, in a cell *good / shown / l1*, means of 5 releases.

good: items shown with a relative error of at most 10%. l1: all errors over all true counts, items that are not shown
counted in full. A peer that takes longer than 10 minutes for a release, or fails, has that in its cell.
"""

import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import nan
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peers.environments import ROOT, python
from benchmarks.truth import TABLES, Off, folder, mean, true_counts
from headcount.jobs.histogram import histogram

OURS = ("auto", "thresholded", "weighted", "count-release")
RUNS = 5
PARTS = (95, 99)
LIMIT = 600
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Peer:
    """Another library, in a virtual environment of its own."""

    name: str
    environment: str
    script: Path
    noises: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table, and what is known about it."""

    path: Path
    pairs: Path
    """Its distinct pairs (user_id, item): what the peers read."""
    truth: dict[Any, int]
    bounds: dict[int, int]
    """Percentile -> true number of items of the person at that percentile."""


PEERS = (
    Peer("OpenDP 0.16", "opendp", Path("with_opendp.py"), ("gaussian", "laplace")),
    Peer("SmartNoise-SQL 1.0.10", "smartnoise", Path("with_smartnoise.py"), ("laplace",)),
)


def prepared(path: Path, to: Path) -> Table:
    """A table with its truth; its pairs are written to a folder."""
    pairs = to / path.name
    known = f"FROM '{path}' WHERE user_id IS NOT NULL AND item IS NOT NULL"
    duckdb.sql(f"COPY (SELECT DISTINCT user_id, item {known}) TO '{pairs}'")
    return Table(path, pairs, true_counts(path), {part: percentile(pairs, part) for part in PARTS})


def percentile(pairs: Path, part: int) -> int:
    """How many items a person has at a percentile."""
    each = f"SELECT count(*) AS items FROM '{pairs}' GROUP BY user_id"
    found = duckdb.sql(f"SELECT quantile_disc(items, {part / 100}) FROM ({each})").fetchall()
    return int(found[0][0])


def off(released: pa.Table, truth: Mapping[Any, float]) -> Off:
    """How far off some released rows (item, count) are; there are no intervals to look at."""
    rows = released.to_pydict()
    true = np.array([truth[item] for item in rows["item"]], dtype=np.float64)
    error = np.abs(np.array(rows["count"], dtype=np.float64) - true)
    everything = float(sum(truth.values()))
    l1 = float(error.sum() + everything - true.sum()) / everything
    return Off(len(true), int((error <= 0.1 * true).sum()), l1, nan)


def cell(release: Callable[[], pa.Table], truth: dict[Any, int]) -> str:
    """Good, shown and l1 of a way: the mean of some releases."""
    found = mean([off(release(), truth) for _ in range(RUNS)])
    return f"{found.good:,.0f} / {found.shown:,.0f} / {found.l1:.3f}"


def ours(mechanism: str, table: Table) -> str:
    """The cell of headcount."""
    asked: dict[str, Any] = {"epsilon": 1, "delta": 1e-6, "mechanism": mechanism}
    return cell(lambda: histogram(table.path, user="user_id", by="item", **asked).table, table.truth)


def theirs(peer: Peer, noise: str, part: int, table: Table) -> str:
    """The cell of a peer; the same bound twice is not measured twice."""
    bound = table.bounds[part]
    if part != PARTS[0] and bound == table.bounds[PARTS[0]]:
        return "the same bound"
    try:
        return cell(lambda: released(peer, table.pairs, bound, noise), table.truth)
    except subprocess.TimeoutExpired:
        return f"over {LIMIT // 60} minutes"
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr)
        return "out of memory" if error.returncode == -9 else f"failed ({error.returncode})"


def released(peer: Peer, pairs: Path, *settings: object) -> pa.Table:
    """One release by a peer: (item, count); settings as its script takes them."""
    with tempfile.TemporaryDirectory() as to:
        out = Path(to) / "released.parquet"
        command: list[str | Path] = [python(peer.environment), HERE / peer.script, pairs, *map(str, settings), out]
        ours = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run(command, check=True, timeout=LIMIT, capture_output=True, text=True, env=ours)
        return pq.read_table(out)


def our_ways() -> Iterator[tuple[str, Callable[[Table], str]]]:
    """Each of our mechanisms with its name."""
    for mechanism in OURS:
        yield f"headcount, {mechanism}", partial(ours, mechanism)


def their_ways() -> Iterator[tuple[str, Callable[[Table], str]]]:
    """Each setting of a peer with its name."""
    for peer in PEERS:
        for noise in peer.noises:
            for part in PARTS:
                yield f"{peer.name}, {noise}, bound at {part}%", partial(theirs, peer, noise, part)


def main(where: Path, ways: Iterable[tuple[str, Callable[[Table], str]]]) -> None:
    """Print the table, a line as soon as it is known."""
    paths = [path for path in (where / f"{name}.parquet" for name in TABLES) if path.exists()]
    with tempfile.TemporaryDirectory() as to:
        tables = [prepared(path, Path(to)) for path in paths]
        heads = [f"{table.path.stem} ({', '.join(map(str, table.bounds.values()))})" for table in tables]
        print(f"| good / shown / l1 | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
        for name, measured in ways:
            print(f"| {name} | {' | '.join(measured(table) for table in tables)} |", flush=True)


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("folder", nargs="*", help="the tables")
    parser.add_argument("--ours", action="store_true", help="headcount alone")
    parser.add_argument("--theirs", action="store_true", help="the peers alone")
    typed = parser.parse_args()
    both = typed.ours == typed.theirs
    wanted = chain(our_ways() if typed.ours or both else (), their_ways() if typed.theirs or both else ())
    main(folder(typed.folder), wanted)
