"""One person with more items than a task has memory, on Spark: time and peak memory of a release.

    python -m benchmarks.spark_person [MILLIONS]

The person has 10 million different items, unless another number is given, among 20,000 people with 20 rows each. All of
Spark is one process with 1 GiB for its objects and two tasks at a time; rows stay on the cluster.
"""

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.scale.once import memory
from benchmarks.scale.with_headcount import ASKED
from headcount.jobs.histogram import histogram
from headcount.source.engines.spark_session import FETCH, start

MILLIONS = 10
SETTINGS = (
    "--driver-memory 1g --conf spark.driver.maxResultSize=0 --conf spark.sql.shuffle.partitions=16 "
    "--conf spark.local.dir={folder} pyspark-shell"
)
PERSON = "SELECT 'one' AS user_id, concat('item ', id) AS item FROM range({many})"
OTHERS = "SELECT concat('user ', id % 20000), concat('item ', id * 7919 % 1000 % (1 + id % 97)) FROM range(400000)"


def released(session: Any, path: str) -> int:
    """The number of items of a release."""
    return len(histogram(session.read.parquet(path), **ASKED, mechanism="thresholded", bound=50).table)


def main(millions: float) -> None:
    """Make the table, release from it, and print what that took."""
    with TemporaryDirectory() as folder:
        os.environ["PYSPARK_SUBMIT_ARGS"] = SETTINGS.format(folder=folder)
        session, path = start("local[2]"), str(Path(folder, "events"))
        session.conf.set(FETCH, "0")
        session.sql(f"{PERSON.format(many=int(millions * 1e6))} UNION ALL {OTHERS}").write.parquet(path)
        since = time.perf_counter()
        found = released(session, path)
        print(f"{found} items, {time.perf_counter() - since:.0f} s, {memory():,.0f} MiB at most, Java's among them")
        session.stop()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else MILLIONS)
