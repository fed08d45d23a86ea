"""The plain query and releases on Spark, on 2 threads of this machine, one after another in one process.

    python -m benchmarks.scale.with_spark TABLE BOUND ROUNDS HOW...

Java compiles what it runs often, so a tiny table warms up nothing: a first round on the table itself is not told. Then
come the rounds, in each of which all take turns. Prints a list of rounds: for each way wall and CPU seconds, with
Java's. Memory is Java's, which takes what it may, and the same for all.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark.sql import DataFrame

from benchmarks.scale.once import cpu, memory
from benchmarks.scale.ways import CLUSTER
from benchmarks.scale.with_headcount import ASKED, said
from headcount.jobs.histogram import histogram
from headcount.source.engines.spark_session import FETCH, start

SETTINGS = "--driver-memory 8g --conf spark.sql.shuffle.partitions=8 pyspark-shell"
"""One process is driver and workers at once."""


def plain(events: DataFrame) -> int:
    """The plain query; its rows come to the driver as Arrow, the fastest way that there is."""
    events.createOrReplaceTempView("events")
    asked: Any = events.sparkSession.sql("SELECT item, count(DISTINCT user_id) AS count FROM events GROUP BY item")
    return sum(len(batch) for batch in asked._collect_as_arrow())


def ours(table: str, bound: int, how: str, events: DataFrame) -> int:
    """A release, of rows that come to the driver if they fit, or of rows that stay on the cluster."""
    events.sparkSession.conf.set(FETCH, "0" if how.endswith(CLUSTER) else "")
    return len(histogram(events, **ASKED, **said(table, bound, how.removesuffix(CLUSTER))).table)


def timed(call: Callable[[DataFrame], int], events: DataFrame) -> dict[str, float]:
    """What a call takes."""
    before, since = cpu(), time.perf_counter()
    call(events)
    wall = time.perf_counter() - since
    return {"wall": round(wall, 4), "cpu": round(cpu() - before, 4), "memory": round(memory(), 1)}


def main(table: str, bound: int, rounds: int, hows: list[str]) -> None:
    """A round to warm up, then the rounds that are reported."""
    os.environ["PYSPARK_SUBMIT_ARGS"] = SETTINGS
    spark = start("local[2]")
    events = spark.read.parquet(table)
    calls: dict[str, Callable[[DataFrame], int]] = {"plain": plain}
    calls |= {how: partial(ours, table, bound, how) for how in hows}
    told = [{how: timed(call, events) for how, call in calls.items()} for _ in range(rounds + 1)]
    spark.stop()
    print(json.dumps(told[1:]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
