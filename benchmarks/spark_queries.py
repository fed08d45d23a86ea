"""How many queries and jobs a release runs on Spark, step by step, if the rows stay on the cluster.

    python -m benchmarks.spark_queries [EVENTS]

A *query* is an action by SQL, which Spark calls an execution. Each is one *job* or several, as adaptive execution runs
every shuffle by itself. Numbers do not depend on the machine, and hardly on the table: 100,000 synthetic events, unless
another number is given. What is prepared beforehand (a request runs on no rows first, a ledger looks at all of them) is
not counted here.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import headcount as hc
from benchmarks.scale.events import table
from benchmarks.scale.with_headcount import ASKED
from headcount.source.engines.spark_session import FETCH, start

EVENTS = 100_000
SETTINGS = "--driver-memory 2g --conf spark.sql.shuffle.partitions=4 pyspark-shell"
REQUESTS: dict[str, dict[str, Any]] = {
    "nothing said": {},
    "joint": {"mechanism": "joint"},
    "rounds": {"mechanism": "rounds"},
    "weighted": {"mechanism": "weighted"},
    "thresholded, bound chosen": {"mechanism": "thresholded", "bound": "auto"},
    "thresholded, bound 50": {"mechanism": "thresholded", "bound": 50},
}
"""Requests by their name."""


def counters(session: Any) -> Callable[[], Counter[str]]:
    """A function that returns how many queries and jobs there were until now."""
    executions = session._jsparkSession.sharedState().statusStore().executionsCount
    scheduler = session.sparkContext._jsc.sc()

    def now() -> Counter[str]:
        scheduler.listenerBus().waitUntilEmpty()
        return Counter(queries=executions(), jobs=scheduler.dagScheduler().numTotalJobs())

    return now


def steps(frame: Any, asked: dict[str, Any], now: Callable[[], Counter[str]]) -> dict[str, Counter[str]]:
    """Queries and jobs of a release, by the step that it tells."""
    told = [("planning", now())]
    hc.plan("histogram", hc.table(frame, name="events"), **ASKED, **asked).release(
        progress=lambda step: told.append((step, now()))
    )
    told.append(("end", now()))
    return {step: after - before for (step, before), (_, after) in pairwise(told) if after - before}


def lines(name: str, found: dict[str, Counter[str]]) -> list[str]:
    """A line of a Markdown table for each step, and one for their sum."""
    every = {**found, "in all": sum(found.values(), Counter[str]())}
    return [f"| {name} | {step} | {count['queries']} | {count['jobs']} |" for step, count in every.items()]


def main(events: int) -> None:
    """Print the table."""
    os.environ["PYSPARK_SUBMIT_ARGS"] = SETTINGS
    session = start("local[2]")
    session.conf.set(FETCH, "0")
    now = counters(session)
    print("| request | step | queries | jobs |", "|---|---|---:|---:|", sep="\n")
    with TemporaryDirectory() as folder:
        frame = session.read.parquet(str(table(events, Path(folder))))
        for name, asked in REQUESTS.items():
            print(*lines(name, steps(frame, asked, now)), sep="\n", flush=True)
    session.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS)
