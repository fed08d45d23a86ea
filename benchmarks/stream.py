"""Counting a stream: how fast, and how near the shape is.

    python -m benchmarks.stream

Events are of items that are common like 1, 1/2, 1/3, ... (Zipf). The error is that of all counts together, largest
first (l1), of 100,000 events on as many possible items, epsilon 1, one event replaced, means of 5. Seconds are of one
core; memory is what the process needs meanwhile, more than before (on Linux).
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa

from headcount import noise
from headcount.estimate.shape import buckets, staircase
from headcount.estimate.shape.kernel import laplace
from headcount.estimate.shape.prevalence import Prevalence, of_counts
from headcount.exact import Integers
from headcount.mechanism.shape.staircase import staircase as measured
from headcount.source.scales.buckets import buckets_of
from headcount.stream import Counter

MANY = 1_000_000
EVENTS, RUNS = 100_000, 5
SCALE = 2
"""Epsilon 1, one event replaced."""


def zipf(events: int, items: int, seed: int) -> Integers:
    """So many events, each the number of its item."""
    shares = np.cumsum(1 / np.arange(1, items + 1))
    found: Integers = np.searchsorted(shares, np.random.default_rng(seed).random(events) * shares[-1])
    return found


def timed(what: str, work: Callable[[], object], many: int) -> str:
    """A line of the first table."""
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
    before, start = peak(), process_time()
    work()
    seconds = process_time() - start
    return f"| {what} | {seconds:.2f} | {many / seconds:,.0f} | {peak() - before:,.0f} |"


def peak() -> float:
    """The most memory that this process has had, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def speed() -> None:
    """Print the first table."""
    numbers = zipf(MANY, MANY, 0)
    songs = pa.array([f"song number {number}" for number in range(MANY)])
    events, known = songs.take(pa.array(numbers)), songs.slice(0, EVENTS)
    hashed, listed = Counter(buckets=MANY, epsilon=1), Counter(known, epsilon=1)
    within = events.filter(pa.array(numbers < EVENTS))
    some = events.slice(0, 1000).to_pylist()
    lines: list[tuple[str, Callable[[], object], int]] = [
        ("the buckets of 1,000,000 different texts", lambda: buckets_of(pa.table({"song": songs}), b"key", MANY), MANY),
        ("add 1,000,000 texts, 1,000,000 buckets", lambda: hashed.add(events), MANY),
        (f"add {len(within):,} texts, a list of {EVENTS:,}", lambda: listed.add(within), len(within)),
        ("add 1,000 texts one by one, buckets", lambda: one_by_one(hashed, some), 1000),
        ("save and load 1,000,000 buckets", lambda: Counter.load(hashed.state()), MANY),
        ("the shape of 1,000,000 buckets", hashed.shape, MANY),
    ]
    print("| | seconds | a second | MiB more |\n|---|---|---|---|")
    for line in lines:
        print(timed(*line), flush=True)


def one_by_one(counter: Counter, events: list[str]) -> None:
    for event in events:
        counter.add([event])


def off(found: Prevalence, truth: Prevalence) -> int:
    """How far off all counts are together, the largest compared with the largest."""
    both = [found.largest_first, truth.largest_first]
    length = max(map(len, both))
    one, other = (np.pad(counts, (0, length - len(counts))) for counts in both)
    return int(np.abs(one - other).sum())


def streamed(events: Integers, **settings: object) -> list[Prevalence]:
    """By EM, and by the paper's estimator."""
    counter = Counter(epsilon=1, neighbours="replace", **settings)  # type: ignore[arg-type]
    counter.add(events)
    return [counter.shape(estimator="em").prevalences, counter.shape(estimator="paper").prevalences]


def central(counts: Integers) -> list[Prevalence]:
    """The same by somebody who holds the table: noise once on every count, by EM and by the paper's estimator; and by
    the staircase."""
    noisy, kernel = counts + noise.discrete_laplace(SCALE, len(counts)), laplace(SCALE)
    side = int(np.ceil(counts.sum() ** 0.5))
    rows, columns = (part + noise.discrete_laplace(SCALE, side) for part in measured(counts, side, side))
    return [
        buckets.estimate_shape(noisy, kernel, hashed=False, estimator="em").prevalence,
        buckets.estimate_shape(noisy, kernel, hashed=False, estimator="paper").prevalence,
        staircase.estimate_shape(rows, columns, scale=SCALE),
    ]


def errors(run: int) -> list[int]:
    """How far off each way is."""
    print(f"run {run + 1} of {RUNS}", file=sys.stderr)
    events = zipf(EVENTS, EVENTS, run)
    counts = np.bincount(events, minlength=EVENTS)
    ways = [
        *streamed(events, domain=np.arange(EVENTS)),
        *streamed(events, buckets=4 * EVENTS),
        *central(counts),
    ]
    return [off(found, of_counts(counts)) for found in ways]


def main() -> None:
    """Print the tables."""
    speed()
    found = np.array([errors(run) for run in range(RUNS)])
    names = ["stream, a list", "stream, 400,000 buckets", "central, a list"]
    print("\n| | EM | the paper's estimator |\n|---|---|---|")
    for index, name in enumerate(names):
        em, paper = (f"{found[:, 2 * index + each].mean():,.0f}" for each in (0, 1))
        print(f"| {name} | {em} | {paper} |")
    print(f"\ncentral, staircase: {found[:, -1].mean():,.0f}")


if __name__ == "__main__":
    main()
