"""Which tables come from Spark to the driver, where pairs are numbered and bounded in one pass over the rows, instead
of a dozen queries or more; and in what parts.

Spark estimates sizes from files and plans. Of rows that a program sent it knows none: these are tried, and Spark itself
ends a query whose result is too large. An estimate that is wrong costs time: what does not fit after all is bounded on
the cluster, with the same result.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any

from headcount.source.engines.limits import parse_bytes
from headcount.source.engines.spark_session import FETCH, has_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RESULT, RESULT_DEFAULT = "spark.driver.maxResultSize", "1g"
MEMORY, MEMORY_DEFAULT = "spark.driver.memory", "1g"
EXPANDED = 8
"""Files are compressed, and take up to this many times as much once they are read, or rarely more."""
COPIES = 8
"""The driver's Java holds two results at once, each as it came and as it is sent on; and has room for other work."""
LOST = (RESULT, "TaskResultLost", "OutOfMemoryError")
"""What Spark says of a result that is too large."""
UNKNOWN = 1 << 62
"""Spark's estimate of rows whose size it does not know is about 2^63."""


def fits_driver(frame: "DataFrame", *, repeatable: bool) -> bool:
    """True if the rows of a frame come to the driver by Arrow: by partition, if they are `repeatable`, else by one
    query."""
    session = frame.sparkSession
    room = _room(session, repeatable=repeatable)
    if not room or not has_arrow(session):
        return False
    size = _size(frame)
    return size <= room or (size >= UNKNOWN and largest_result(session) > 0)


def is_one_result(frame: "DataFrame") -> bool:
    """True if the rows had better come by one query: they are few, or nobody knows."""
    size = _size(frame)
    return size <= _most_of_a_partition(frame.sparkSession) or size >= UNKNOWN


def in_small_partitions(frame: "DataFrame") -> "DataFrame":
    """The rows in partitions that the driver can hold: sent to other ones, if there are too few."""
    least = ceil(_size(frame) / _most_of_a_partition(frame.sparkSession))
    there = frame._jdf.queryExecution().toRdd().getNumPartitions()
    return frame if there >= least else frame.repartition(least, *frame.columns)


@contextmanager
def results_that_fit() -> Iterator[None]:
    """Raise MemoryError if a query in the block ends for the size of its result."""
    try:
        yield
    except Exception as error:
        if any(sign in str(error) for sign in LOST):
            raise MemoryError from None
        raise


def largest_result(session: "SparkSession") -> int:
    """The most bytes of a result; 0 if there is no limit."""
    return _bytes(session, RESULT, RESULT_DEFAULT)


def driver_memory(session: "SparkSession") -> int:
    """The memory that the driver's Java may use, in bytes."""
    return _bytes(session, MEMORY, MEMORY_DEFAULT)


def _room(session: "SparkSession", *, repeatable: bool) -> int:
    """The largest estimate of a table that comes to the driver."""
    if given := session.conf.get(FETCH, None):
        return parse_bytes(given) or 0
    return driver_memory(session) if repeatable else _most_of_a_query(session)


def _most_of_a_query(session: "SparkSession") -> int:
    """The largest estimate of what comes by one query."""
    memory = driver_memory(session)
    return min(largest_result(session) or memory, memory) // EXPANDED


def _most_of_a_partition(session: "SparkSession") -> int:
    """The largest estimate of a partition that comes by itself."""
    return min(_most_of_a_query(session), driver_memory(session) // (EXPANDED * COPIES))


def _size(frame: "DataFrame") -> int:
    """The estimated size of a frame, or that of its sources if it is smaller (of a join, Spark multiplies)."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    return min(_estimate(plan), sum(map(_estimate, _leaves(plan))))


def _bytes(session: "SparkSession", name: str, default: str) -> int:
    utils: Any = session._jvm.org.apache.spark.network.util.JavaUtils  # type: ignore[union-attr]
    as_bytes = utils.byteStringAsMb if name == MEMORY else utils.byteStringAsBytes
    return int(as_bytes(session.sparkContext.getConf().get(name, default))) << (20 if name == MEMORY else 0)


def _estimate(plan: Any) -> int:
    return int(str(plan.stats().sizeInBytes()))


def _leaves(plan: Any) -> list[Any]:
    leaves = plan.collectLeaves()
    return [leaves.apply(index) for index in range(leaves.size())]
