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
"""Files are compressed: what is estimated by them takes up to this many times as much as a result, mostly."""
SMALL_PART = 512
"""Rows that are estimated at this part of the driver's memory are few, however well they are compressed."""
COPIES = 16
"""The driver's Java holds two partitions at once, each as it came and as it is sent on; and has room for other work."""
TOGETHER = 64 << 20
"""Bytes of partitions that come together: each job takes some hundredths of a second."""
CELL_BYTES, DECIMAL_BYTES = 9, 17
"""Most bytes of a value in Arrow, beside its text."""
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


def are_few(frame: "DataFrame") -> bool:
    """True if the rows had better come by one query."""
    return _size(frame) <= driver_memory(frame.sparkSession) // SMALL_PART


def in_parts(frame: "DataFrame") -> tuple["DataFrame", int]:
    """The rows in partitions of which the driver can hold two, whatever is in them; and their number. They are looked
    at first, as nobody knows from files what texts take that are there many times."""
    found = [(row.many, row.size) for row in _by_partition(frame).collect()]
    most, every = _most_of_a_partition(frame.sparkSession), sum(size for _, size in found)
    largest = max([size for _, size in found], default=0)
    together = min(most, TOGETHER) // max(largest, 1)
    if largest > most:
        frame = frame.repartition(ceil(2 * every / most))
    elif together > 1:
        frame = frame.coalesce(ceil(len(found) / together) or 1)
    return frame, sum(many for many, _ in found)


def _by_partition(frame: "DataFrame") -> "DataFrame":
    """(part, many, size): number of rows, and of their bytes as a result, in each partition that has any."""
    from pyspark.sql import functions

    lengths = (functions.octet_length(name) for name, kind in frame.dtypes if kind == "string")
    texts = [functions.coalesce(length, functions.lit(0)) for length in lengths]
    fixed = sum(DECIMAL_BYTES if kind.startswith("decimal") else CELL_BYTES for _, kind in frame.dtypes)
    size = functions.sum(sum(texts, functions.lit(fixed)))
    part = functions.spark_partition_id().alias("part")
    return frame.groupBy(part).agg(functions.count(functions.lit(1)).alias("many"), size.alias("size"))


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
    """The most bytes of a partition that comes by itself."""
    memory = driver_memory(session)
    return max(1, min((largest_result(session) or memory) // 2, memory // COPIES))


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
