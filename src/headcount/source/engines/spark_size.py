"""Which tables come from Spark to the driver, where pairs are numbered and bounded in one pass over the rows, instead
of a dozen queries or more.

Spark estimates sizes from files and plans. Of rows that a program sent it knows none: these are tried, and Spark itself
ends a query whose result is too large. An estimate that is wrong costs time: what does not fit after all is bounded on
the cluster, with the same result.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headcount.source.engines.limits import parse_bytes
from headcount.source.engines.spark_session import FETCH, has_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RESULT, RESULT_DEFAULT = "spark.driver.maxResultSize", "1g"
MEMORY, MEMORY_DEFAULT = "spark.driver.memory", "1g"
FETCHED_PART = 8
"""A table comes to the driver if its estimated size is at most this part of the largest result, or of the driver's
memory if that is less: files are compressed, and take several times as much once they are read."""
UNKNOWN = 1 << 62
"""Spark's estimate of rows whose size it does not know is about 2^63."""


def fits_driver(frame: "DataFrame") -> bool:
    """True if the rows of a frame come to the driver by Arrow: by its estimated size, or that of its sources if that is
    smaller (of a join, Spark multiplies)."""
    session = frame.sparkSession
    room = _room(session)
    if not room or not has_arrow(session):
        return False
    plan = frame._jdf.queryExecution().optimizedPlan()
    size = min(_estimate(plan), sum(map(_estimate, _leaves(plan))))
    return size <= room or (size >= UNKNOWN and largest_result(session) > 0)


@contextmanager
def results_that_fit() -> Iterator[None]:
    """Raise MemoryError if Spark ends a query in the block for the size of its result."""
    try:
        yield
    except Exception as error:
        if RESULT in str(error):
            raise MemoryError from None
        raise


def largest_result(session: "SparkSession") -> int:
    """The most bytes of a result; 0 if there is no limit."""
    return _bytes(session, RESULT, RESULT_DEFAULT)


def driver_memory(session: "SparkSession") -> int:
    """The memory that the driver's Java may use, in bytes."""
    return _bytes(session, MEMORY, MEMORY_DEFAULT)


def _room(session: "SparkSession") -> int:
    """The largest estimate of a table that comes to the driver."""
    if given := session.conf.get(FETCH, None):
        return parse_bytes(given) or 0
    memory = driver_memory(session)
    return min(largest_result(session) or memory, memory) // FETCHED_PART


def _bytes(session: "SparkSession", name: str, default: str) -> int:
    utils: Any = session._jvm.org.apache.spark.network.util.JavaUtils  # type: ignore[union-attr]
    as_bytes = utils.byteStringAsMb if name == MEMORY else utils.byteStringAsBytes
    return int(as_bytes(session.sparkContext.getConf().get(name, default))) << (20 if name == MEMORY else 0)


def _estimate(plan: Any) -> int:
    return int(str(plan.stats().sizeInBytes()))


def _leaves(plan: Any) -> list[Any]:
    leaves = plan.collectLeaves()
    return [leaves.apply(index) for index in range(leaves.size())]
