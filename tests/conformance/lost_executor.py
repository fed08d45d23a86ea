"""Releases on a cluster of two executors, of which one is killed as soon as the release says that it reads, or that it
has read.

    python -m tests.conformance.lost_executor FOLDER

Prints, as JSON by case: the bytes of the release as a digest, or the error; and the number of charges in its ledger.
"""

import hashlib
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.conformance.engines import Seeded, people

import headcount as hc
from headcount.errors import HeadcountError
from headcount.source.engines import spark_rows, spark_session, spark_size

ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 2}
CASES = (("fetched", "reading"), ("parted", ""), ("kept", "choosing the bound"), ("drawn", "choosing the bound"))
"""How the table is read, and the step at which an executor is killed. Rows come to the driver; come partition by
partition, and an executor is killed after the first batch; stay on the cluster; or stay there, and are others each time
they are read."""


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def expected() -> str:
    """What DuckDB gives."""
    return digest(hc.plan("histogram", hc.table(people(), name="events"), **ASKED).release(entropy=Seeded()).content)


def kill_one(session: Any) -> None:
    """Kill an executor of this session: a child of its Java."""
    children = session._jvm.java.lang.ProcessHandle.current().descendants().iterator()
    while children.hasNext():
        child = children.next()
        if "CoarseGrainedExecutorBackend" in child.info().commandLine().orElse(""):
            child.destroyForcibly()
            child.onExit().get()
            return
    raise AssertionError("there is no executor")


def killing(session: Any, step: str) -> Callable[[str], None]:
    """A function that is told of each step, and kills an executor once, at this one."""
    left = [step]

    def progress(now: str) -> None:
        if now in left:
            left.remove(now)
            kill_one(session)

    return progress


def kill_between_batches(session: Any) -> list[str]:
    """From now on rows come partition by partition, and each time an executor is killed after the first batch; returns
    a list of the times that all came all the same."""
    came = list[str]()
    spark_size.COPIES, spark_size.SMALL_PART = 1 << 18, 1 << 60
    batches = spark_rows.Fetched.batches

    def killing_batches(self: spark_rows.Fetched) -> Iterator[Any]:
        for index, batch in enumerate(batches(self)):
            yield batch
            if index == 0:
                kill_one(session)
        came.append("all")

    spark_rows.Fetched.batches = killing_batches  # type: ignore[method-assign]
    return came


def frame_of(session: Any, path: Path, name: str) -> Any:
    """The table, as one of the cases reads it."""
    session.conf.set(spark_session.FETCH, "64MB" if name in ("fetched", "parted") else "0")
    if name != "drawn":
        return session.read.parquet(str(path))
    rows = [row for row in people().select(["user", "item"]).to_pylist() if row["user"] is not None]
    lists = session.sparkContext.parallelize([row["user"] for row in rows], 4)
    return session.createDataFrame(lists.map(lambda user: (user, f"item {random.random()}")), "user long, item string")


def outcome(session: Any, folder: Path, name: str, step: str) -> dict[str, Any]:
    """One release, with and without a ledger."""
    frame = frame_of(session, folder / "events.parquet", name)
    came = kill_between_batches(session) if name == "parted" else ["all"] * 2
    plan = hc.plan("histogram", hc.table(frame, name="events"), **ASKED)
    ledger = hc.Ledger(folder / f"{name}.db", epsilon=9, delta=1e-5)
    try:
        found = digest(plan.release(entropy=Seeded(), progress=killing(session, step)).content)
    except HeadcountError as failed:
        found = type(failed).__name__
    if name != "drawn":  # rows that change are another table to a ledger
        plan.release(ledger=ledger, progress=killing(session, step))
    assert came == ["all"] * 2, "rows came to the driver, with and without a ledger"
    return {"found": found, "charges": len(ledger.spends())}


def main(folder: Path) -> None:
    os.environ.setdefault("SPARK_HOME", str(Path(sys.modules["pyspark"].__file__ or "").parent))
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--conf spark.sql.shuffle.partitions=4 pyspark-shell"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    pq.write_table(people(), folder / "events.parquet", row_group_size=200)
    session = spark_session.start("local-cluster[2,1,1024]")
    found = {name: outcome(session, folder, name, step) for name, step in CASES}
    session.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    import pyspark  # noqa: F401  where its scripts are

    main(Path(sys.argv[1]))
