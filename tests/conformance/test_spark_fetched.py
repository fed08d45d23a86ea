"""Tables of Spark whose rows come to the driver, by one query or by partition: the bytes of the cluster and of DuckDB.
Where rows stay on the cluster, what was read once is not read again if it could be something else by then, whatever is
lost."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conformance import lost_executor
from tests.conformance.engines import SMALL, Seeded, on_spark, people

import headcount as hc
from headcount.source import contributions, open_events
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.engines import spark_size
from headcount.source.engines.spark import Spark
from headcount.source.engines.spark_session import FETCH, SORTS

pytestmark = [pytest.mark.spark, pytest.mark.slow(sibling="test_the_same_bytes")]

ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 2}


@pytest.fixture(scope="module")
def usual(spark: Any) -> Any:
    """A session in which nothing is said about where rows go."""
    session = spark.newSession()
    for name, value in SMALL.items():
        if name != FETCH:
            session.conf.set(name, value)
    return session


def released(data: Any, **asked: Any) -> bytes:
    """A release's bytes, always with the same chance."""
    return hc.plan("histogram", hc.table(data, name="events"), **{**ASKED, **asked}).release(entropy=Seeded()).content


QUESTIONS: list[dict[str, Any]] = [
    {},
    {"bound": 2},
    {"count": "events"},
    {"by": ["item", "city"]},
    {"user": "city", "by": "user", "bound": 3},
]
each_question = pytest.mark.parametrize("asked", QUESTIONS, ids=str)


@each_question
def test_the_same_bytes(usual: Any, asked: Any, tmp_path: Path) -> None:
    put = on_spark(usual, tmp_path)
    assert released(put(people()), **asked) == released(people(), **asked)


@pytest.fixture
def small_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a part of every table here fits into the driver at once."""
    monkeypatch.setattr(spark_size, "COPIES", 1 << 20)
    monkeypatch.setattr(spark_size, "SMALL_PART", 1 << 60)


def jobs_of(session: Any) -> int:
    """How many jobs there were until now."""
    return int(session.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


@pytest.mark.usefixtures("small_driver")
@each_question
def test_the_same_bytes_by_partition(usual: Any, asked: Any, tmp_path: Path) -> None:
    frame, before = on_spark(usual, tmp_path)(people()), jobs_of(usual)
    assert released(frame, **asked) == released(people(), **asked)
    assert jobs_of(usual) - before > 5


@pytest.mark.usefixtures("small_driver")
def test_rows_by_partition_are_all_rows(usual: Any, tmp_path: Path) -> None:
    """Each once; the share of them that came rises; and the user's thread has its settings and its job group."""
    usual.sparkContext.setJobGroup("mine", "what I do")
    context = usual.sparkContext._jsc.sc()
    frame, engine = on_spark(usual, tmp_path)(people()), Spark()
    table, before = engine.table(frame, ["user", "item"]), context.getLocalProperties().clone()
    shares, rows = list[float](), list[dict[str, Any]]()
    with engine.interruptible(table):
        for batch in engine.batches(table, 100):
            shares.append(engine.progress(table))
            rows += batch.to_pylist()
    expected = [tuple(row.values()) for row in people().select(["user", "item"]).to_pylist()]
    assert sorted(map(repr, (tuple(row.values()) for row in rows))) == sorted(map(repr, expected))
    assert shares == sorted(shares)
    assert (shares[0] < 0.5, shares[-1]) == (True, 1)
    assert context.getLocalProperties().equals(before)


@pytest.mark.usefixtures("small_driver")
@pytest.mark.parametrize("same", [True, False])
def test_no_partition_is_too_large(usual: Any, tmp_path: Path, same: bool) -> None:
    """Also not one of rows that are all the same."""
    rows = pa.table({"user": ["bot"] * 9000, "item": ["a"] * 9000}) if same else people().select(["user", "item"])
    frame = on_spark(usual, tmp_path)(rows)
    found, many = spark_size.in_parts(frame)
    sizes = [row.size for row in spark_size._by_partition(found).collect()]
    assert many == len(rows)
    assert max(sizes) <= spark_size._most_of_a_partition(usual) < sum(sizes)


def test_small_partitions_come_together(usual: Any, tmp_path: Path) -> None:
    frame = on_spark(usual, tmp_path)(people()).repartition(100)
    found, many = spark_size.in_parts(frame)
    assert (found.rdd.getNumPartitions(), many) == (1, len(people()))


def test_rows_that_move_without_an_order_may_be_others(usual: Any, tmp_path: Path) -> None:
    """If Spark does not sort them before, a partition has other rows when it is computed again."""
    frame, engine = on_spark(usual, tmp_path)(people()), Spark()
    for sorts in ("true", "false"):
        frame.sparkSession.conf.set(SORTS, sorts)
        found = [engine.is_repeatable(engine.table(each, ["user"])) for each in (frame, frame.repartition(3))]
        assert found == [True, sorts == "true"]
    frame.sparkSession.conf.unset(SORTS)


@pytest.mark.usefixtures("small_driver")
def test_leaving_early_ends_the_jobs(usual: Any, tmp_path: Path) -> None:
    frame, engine = on_spark(usual, tmp_path)(people()), Spark()
    table = engine.table(frame, ["user", "item"])
    batches = engine.batches(table, 100)
    next(batches)
    batches.close()
    after = jobs_of(usual)
    assert usual.range(3).count() == 3
    assert jobs_of(usual) - after <= 4  # those of the count, and one that had begun


def test_one_query_reads_each_row_once(usual: Any, tmp_path: Path) -> None:
    plan = hc.plan("histogram", hc.table(on_spark(usual, tmp_path)(people()), name="events"), **ASKED)
    before = jobs_of(usual)
    plan.release(entropy=Seeded())
    assert jobs_of(usual) == before + 1


def test_rows_stay_on_the_cluster_if_the_user_says_so(usual: Any, tmp_path: Path) -> None:
    session = usual.newSession()
    for size, fetched in (("0", False), ("1", False), ("64MB", True), ("", True)):
        session.conf.set(FETCH, size)
        done = contributions(
            open_events(on_spark(session, tmp_path)(people()), ["user", "item"]).table(),
            [None],
            events=False,
            keys=None,
        )
        with done.read(ReadPlan(encoded=True)) as read:
            assert (read.encoded is not None) is fetched


def test_what_is_kept_of_rows_that_change_is_not_read_again(spark: Any) -> None:
    """Rows of a program may be others each time: nothing that is kept of them knows where they came from."""
    numbers = spark.sparkContext.parallelize([[1, "a"], [2, "b"]], 2)
    frame = spark.createDataFrame(numbers, "user long, item string")
    done = contributions(open_events(frame, ["user", "item"]).table(), [None], events=False, keys=None)
    before = set(spark.sparkContext._jsc.getPersistentRDDs())
    with done.read():
        kept = spark.sparkContext._jsc.getPersistentRDDs()
        new = [kept[number] for number in set(kept) - before]
        assert new
        assert all("checkpoint" in each.toDebugString().lower() for each in new)
    assert set(spark.sparkContext._jsc.getPersistentRDDs()) == before


SMALL_RESULTS = """
import json, sys
from tests.conformance.lost_executor import ASKED, digest
from tests.conformance.engines import Seeded
import headcount as hc
from headcount.source.engines import spark_session
session = spark_session.start("local[2]")
session.conf.set("spark.headcount.fetchBytes", "1GB")
plan = hc.plan("histogram", hc.table(session.read.parquet(sys.argv[1]), name="events"), **ASKED)
print(json.dumps(digest(plan.release(entropy=Seeded()).content)))
"""


@pytest.mark.slow
def test_more_rows_than_a_result_holds_stay_on_the_cluster(tmp_path: Path) -> None:
    """Long texts of which there are few take no room in a file, so these rows are taken for few as well. Spark says
    that there are more when it is too late to ask: the rows are read once more."""
    items = [f"{n % 7}{'-' * 100}" for n in range(100_000)]
    table = pa.table({"user": pa.array(range(100_000)), "item": items})
    pq.write_table(table, tmp_path / "events.parquet")
    settings = "--conf spark.driver.maxResultSize=1m --conf spark.sql.shuffle.partitions=2 pyspark-shell"
    found = run(["-c", SMALL_RESULTS, str(tmp_path / "events.parquet")], PYSPARK_SUBMIT_ARGS=settings)
    assert found == lost_executor.digest(released(table))


@pytest.mark.slow
def test_an_executor_is_lost(tmp_path: Path) -> None:
    """The release is the same, and charged once; one of rows that would be others when they are read again fails."""
    found = run(["-m", "tests.conformance.lost_executor", str(tmp_path)])
    same = {"found": lost_executor.expected(), "charges": 1}
    assert found == {"fetched": same, "parted": same, "kept": same, "drawn": {"found": "ReadingFailed", "charges": 0}}


def run(arguments: list[str], **environment: str) -> Any:
    """What a Python of its own prints, as JSON."""
    done = subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **environment}, capture_output=True, check=True, text=True
    )
    return json.loads(done.stdout)
