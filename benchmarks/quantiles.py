"""Quantiles of a heavy-tailed column, ours and OpenDP's: how many ranks they are off, and their time.

    python -m benchmarks.quantiles [--runs 20] [--quick]      --quick: fewer people, runs and lines
    python -m benchmarks.quantiles --decades [FOLDER]         values over decades; FOLDER has the real tables
    make .venv-opendp/ready                                   installs OpenDP; without it, its lines say so

A million people have an amount each, lognormal (3, 1) within the public range from 0 to 1000. Epsilon 1, delta 1e-6,
somebody added or removed. In a cell: the mean error of the quantiles and their largest, both the mean of all runs; and
the CPU time of a call, in calls of `quantile_cont` in DuckDB, the fastest of each. An error is by how many ranks an
answer would have to move.

OpenDP counts in our cells, or chooses among their edges (`peers/quantiles_opendp.py`). What is chosen is an edge;
nothing interpolates. So it also gets 2^20 edges, as an expert would take, which is more than we can have.

*Decades*: the quantiles 0.1, 0.5 and 0.9 of values in a range that is as wide as one would choose it without knowing
them, by cells of one width and by cells that widen with the value (what is taken by default): how far a quantile is off
in percent of itself, how wide its interval is in percent, the error in ranks, and the part of the intervals that hold
the true quantile, of which 95% should. One row of each person, epsilon 1. OpenDP's exponential mechanism chooses among
as many log-spaced candidates; it has no intervals.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.peers.environments import python
from benchmarks.truth import folder
from experiments.sampling.part import SYSTEM, as_bounded
from headcount.exact import Floats
from headcount.jobs.quantiles import quantiles
from headcount.jobs.registry import plan
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.source.scales.axis import Spacing

RANGE = (0, 1000)
CELLS = (2**14, 2**16)
FINE = 2**20
QUESTIONS = {
    "median": (0.5,),
    "0.1, 0.5, 0.9": (0.1, 0.5, 0.9),
    "deciles": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
}
OURS: dict[str, dict[str, Any]] = {
    "tree": {"mechanism": "tree"},
    "search": {"mechanism": "search"},
    "sample-threshold": {"mechanism": "sample-threshold"},
    'sample-threshold, rule="paper"': {"mechanism": SampleThreshold(rule="paper")},
    "sample-search": {"mechanism": "sample-search"},
}
DECADES_HEADS = ("values", "rows", "range", "cells", "off", "interval", "ranks off", "held")
SPACINGS: tuple[Spacing, Spacing] = ("even", "log")
HERE = Path(__file__).parent
OPENDP = python("opendp")
Parts = tuple[float, ...]


@dataclass(frozen=True)
class Data:
    """The people."""

    table: pa.Table
    """(user, amount)"""
    ranked: Floats
    """All amounts, ascending."""
    folder: Path
    """Where what OpenDP reads and writes is put."""


@dataclass(frozen=True)
class Way:
    """A way to get quantiles."""

    name: str
    answered: Callable[[Data, Parts, int], Floats | None]
    """A row for each run: the seconds of CPU, then the answers. None: it is not installed."""


def people(many: int, folder: Path) -> Data:
    """So many people with an amount each."""
    amounts = np.clip(np.random.default_rng(1).lognormal(3, 1, many), *RANGE)
    np.save(folder / "values.npy", amounts)
    return Data(pa.table({"user": np.arange(many), "amount": amounts}), np.sort(amounts), folder)


def plain(data: Data, parts: Parts, runs: int) -> Floats:
    """By DuckDB, without privacy."""
    asked = f"quantile_cont(amount, {list(parts)})"
    return rows(lambda: duckdb.from_arrow(data.table).aggregate(asked).fetchall()[0][0], runs)


def unit(data: Data, parts: Parts, runs: int) -> float:
    """The seconds of CPU that DuckDB takes."""
    return float(plain(data, parts, runs)[:, 0].min())


def ours(asked: dict[str, Any], cells: int, data: Data, parts: Parts, runs: int) -> Floats:
    """By headcount."""
    table: dict[str, Any] = {"user": "user", "value": "amount", "range": RANGE, "cells": cells, "bound": 1}
    asked = {**table, **asked, "q": list(parts), "epsilon": 1, "delta": 1e-6}
    return rows(lambda: quantiles(data.table, **asked).table["value"].to_pylist(), runs)


def rows(answer: Callable[[], list[float]], runs: int) -> Floats:
    """A row for each run: the seconds of CPU, then the answers."""
    return np.array([timed(answer) for _ in range(runs)])


def timed(answer: Callable[[], list[float]]) -> list[float]:
    """The seconds of CPU of a call, then what it answers."""
    started = time.process_time()
    answers = answer()
    return [time.process_time() - started, *answers]


def theirs(how: str, cells: int, data: Data, parts: Parts, runs: int) -> Floats | None:
    """By OpenDP, in a process of its own."""
    return by_opendp(data.folder, how, np.linspace(*RANGE, cells + 1), parts, runs)


def by_opendp(where: Path, how: str, points: Floats, parts: Parts, runs: int) -> Floats | None:
    """OpenDP's answers about the values in a folder, with these candidates, or edges of cells."""
    if not OPENDP.exists():
        return None
    values, edges, out = (where / f"{name}.npy" for name in ("values", "points", "out"))
    np.save(edges, points)
    script = HERE / "peers" / "quantiles_opendp.py"
    subprocess.run([OPENDP, script, values, edges, how, str(runs), out, *map(str, parts)], check=True)
    found: Floats = np.load(out)
    return found


def ways(quick: bool) -> Iterator[Way]:
    """Each way, after DuckDB."""
    for cells in CELLS[:1] if quick else CELLS:
        for name, asked in OURS.items():
            yield Way(f"headcount, {name}, {told(cells)} cells", partial(ours, asked, cells))
        yield Way(f"OpenDP, tree, {told(cells)} cells", partial(theirs, "tree", cells))
        yield Way(f"OpenDP, exponential, {told(cells)} candidates", partial(theirs, "exponential", cells))
    if not quick:
        yield Way(f"OpenDP, exponential, {told(FINE)} candidates", partial(theirs, "exponential", FINE))


def told(cells: int) -> str:
    """A power of two."""
    return f"2^{cells.bit_length() - 1}"


def ranks_off(ranked: Floats, answers: Floats, parts: Parts) -> Floats:
    """By how many ranks each answer would have to move; equal values have all their ranks."""
    wanted = np.array(parts) * len(ranked)
    below, upto = (np.searchsorted(ranked, answers, side) for side in ("left", "right"))
    off: Floats = np.maximum(np.maximum(below - wanted, wanted - upto), 0.0)
    return off


def cell(way: Way, data: Data, parts: Parts, runs: int) -> str:
    """Mean error, largest error and time of a way; of a single quantile, both errors are one. DuckDB is timed here
    too, as the machine may be busier than a minute ago."""
    found = way.answered(data, parts, runs)
    if found is None:
        return "not installed: `make .venv-opendp/ready`"
    off = ranks_off(data.ranked, found[:, 1:], parts)
    errors = [off.mean(), off.max(axis=1).mean()][: len(parts)]
    times = found[:, 0].min() / unit(data, parts, runs)
    return " / ".join(f"{error:,.0f}" for error in errors) + f", {times:,.0f}x"


def telling(what: str) -> None:
    """What is being measured, if somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


def main(many: int, runs: int, quick: bool) -> None:
    """Print the table, a line as soon as it is known."""
    with tempfile.TemporaryDirectory() as folder:
        data = people(many, Path(folder))
        print(f"| mean / largest error in ranks, time | {' | '.join(QUESTIONS)} |\n|{'---|' * (len(QUESTIONS) + 1)}")
        seconds = [unit(data, parts, runs) for parts in QUESTIONS.values()]
        print(f"| DuckDB, no privacy | {' | '.join(f'{each * 1000:.0f} ms' for each in seconds)} |", flush=True)
        for way in ways(quick):
            cells = []
            for name, parts in QUESTIONS.items():
                telling(f"{way.name}: {name}")
                cells.append(cell(way, data, parts, runs))
            telling("")
            print(f"| {way.name} | {' | '.join(cells)} |", flush=True)


def over_decades(where: Path) -> Iterator[tuple[str, Floats, tuple[float, float]]]:
    """Names, values and public ranges."""
    random = np.random.default_rng(1)
    incomes = random.lognormal(10, 1, 20_000)
    for end in (10**6, 10**8):
        yield "incomes, lognormal (10, 1)", incomes, (0, end)
    yield "incomes, lognormal (10, 1)", incomes, (1, 10**9)
    yield "sizes, lognormal (8, 3)", random.lognormal(8, 3, 20_000), (0, 10**9)
    yield "gifts, Pareto 1.2", 1 + random.pareto(1.2, 20_000), (1, 10**6)
    yield "uniform", random.uniform(0, 10**6, 20_000), (0, 10**6)
    for name in ("ubuntu_irc_words", "online_retail", "npm_deps2016_all"):
        if (path := where / f"{name}.parquet").exists():
            rows = duckdb.sql(f"SELECT count(*) AS rows FROM '{path}' GROUP BY user_id").fetchnumpy()["rows"]
            yield f"rows of a person, {name}", rows.astype(np.float64), (1, 10**6)


def decades(where: Path, runs: int) -> None:
    """Print the table of values over decades."""
    print(f"| {' | '.join(DECADES_HEADS)} |\n|{'---|' * len(DECADES_HEADS)}")
    for name, values, ends in over_decades(where):
        for spacing in SPACINGS:
            line = [name, f"{len(values):,}", f"{ends[0]:g} to {ends[1]:g}", spacing]
            print(f"| {' | '.join([*line, *_accuracy(values, ends, spacing, runs)])} |", flush=True)
        line = [name, f"{len(values):,}", f"{ends[0]:g} to {ends[1]:g}", "OpenDP"]
        print(f"| {' | '.join([*line, *_peer_accuracy(values, ends, max(1, runs // 8))])} |", flush=True)


def _peer_accuracy(values: Floats, ends: tuple[float, float], runs: int) -> Iterator[str]:
    """How far off OpenDP's exponential mechanism is, with as many log-spaced candidates as we have cells."""
    parts = QUESTIONS["0.1, 0.5, 0.9"]
    with tempfile.TemporaryDirectory() as where:
        np.save(Path(where) / "values.npy", values)
        found = by_opendp(Path(where), "exponential", np.geomspace(max(ends[0], 1), ends[1], CELLS[0]), parts, runs)
    if found is None:
        yield from ("not installed", "", "", "")
        return
    true, ranked = _true(values, parts), np.sort(values)
    yield f"{100 * np.abs(found[:, 1:] / true - 1).mean():.2f}%"
    yield from ("none", f"{ranks_off(ranked, found[:, 1:], parts).mean():,.0f}", "")


def _true(values: Floats, parts: Parts) -> Floats:
    """The true quantiles."""
    ranked: Floats = np.sort(values)[np.ceil(np.array(parts) * len(values)).astype(int) - 1]
    return ranked


def _accuracy(values: Floats, ends: tuple[float, float], spacing: Spacing, runs: int) -> Iterator[str]:
    """How far off, how wide, how many ranks off, and how often held."""
    parts, ranked = QUESTIONS["0.1, 0.5, 0.9"], np.sort(values)
    true = _true(values, parts)
    found, low, high = np.moveaxis(_released(values, ends, spacing, parts, runs), 2, 0)
    yield f"{100 * np.abs(found / true - 1).mean():.2f}%"
    yield f"{100 * ((high - low) / true).mean():.2f}%"
    yield f"{np.mean([ranks_off(ranked, each, parts) for each in found]):,.0f}"
    yield f"{((low <= true) & (true <= high)).mean():.3f}"


def _released(values: Floats, ends: tuple[float, float], spacing: Spacing, parts: Parts, runs: int) -> Floats:
    """Values and intervals, by run and quantile: as of a release with a row of each person."""
    table = pa.table({"user": [0], "value": [0.0]})
    asked: dict[str, Any] = {"user": "user", "value": "value", "q": list(parts), "range": ends, "bound": 1}
    mechanism = plan("quantiles", table, **asked, spacing=spacing, epsilon=1).mechanism
    points = mechanism.readout.axis.points  # type: ignore[attr-defined]
    cells = np.clip(np.searchsorted(points, values, side="right") - 1, 0, len(points) - 2)
    bounded = as_bounded(np.bincount(cells, minlength=len(points) - 1), mechanism.bounding)
    found = [mechanism.estimate(mechanism.run(bounded, SYSTEM)).by_name for _ in range(runs)]
    return np.array([np.stack([each[name] for name in ("value", "low", "high")], axis=1) for each in found])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="releases of each line; by default 20, or 3")
    parser.add_argument("--quick", action="store_true", help="100,000 people, 2^14 cells")
    parser.add_argument("--decades", nargs="*", help="values over decades alone; a folder of tables")
    typed = parser.parse_args()
    if typed.decades is not None:
        decades(folder(typed.decades), typed.runs or 40)
        sys.exit()
    main(10**5 if typed.quick else 10**6, typed.runs or (3 if typed.quick else 20), typed.quick)
