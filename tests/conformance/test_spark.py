"""What is Spark's own: settings, repeated and reordered work, wrong input, and what is left behind."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conformance.engines import SMALL, Put, Seeded, on_spark, people

import headcount as hc
from headcount.errors import BadParameter, HeadcountError, LedgerError, NotATable, ReadingFailed, UnknownColumn
from headcount.source import contributions, open_events
from headcount.source.engines import spark as engine
from headcount.source.engines import spark_rows, spark_session
from headcount.source.files.files import frame_by

pytestmark = [pytest.mark.spark, pytest.mark.slow(sibling="test_the_order_of_rows_and_partitions_do_not_matter")]

ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 2, "bound": 2}


def bytes_of(data: Any, folder: Path, **asked: Any) -> bytes:
    """A release's bytes, always with the same chance."""
    plan = hc.plan("histogram", hc.table(data, name="events"), **{**ASKED, **asked})
    return plan.release(entropy=Seeded()).save(folder / "release.parquet").read_bytes()


@pytest.fixture(scope="module")
def put(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Put:
    return on_spark(spark, tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def frame(put: Put) -> Any:
    return put(people())


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What DuckDB gives."""
    return bytes_of(people(), tmp_path_factory.mktemp("expected"))


def test_any_settings_of_a_session(spark: Any, frame: Any, expected: bytes, tmp_path: Path) -> None:
    """They change nothing, and are not changed."""
    odd = {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.caseSensitive": "true",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.sql.decimalOperations.allowPrecisionLoss": "false",
        "spark.sql.parser.quotedRegexColumnNames": "true",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.groupByOrdinal": "false",
        "spark.sql.orderByOrdinal": "false",
        "spark.sql.shuffle.partitions": "7",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "3",
        "spark.sql.legacy.sizeOfNull": "false",
    }
    other = spark.newSession()
    for name, value in {**SMALL, **odd}.items():
        other.conf.set(name, value)
    path = frame.inputFiles()[0]
    assert bytes_of(other.read.parquet(path), tmp_path) == expected
    assert {name: other.conf.get(name) for name in odd} == odd


def test_a_ledger_sees_whether_the_rows_are_the_same(put: Put, tmp_path: Path) -> None:
    """In any order; also which of two columns has no value, and how often a row stands there."""
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=9, delta=1e-5)
    asked: dict[str, Any] = {**ASKED, "keys": ["a", "b"], "ledger": ledger}
    rows = {"user": ["a", None, "b", "b"], "item": [None, "a", "b", "a"]}
    kinds = pa.schema({"user": pa.string(), "item": pa.string()})
    first = hc.histogram(hc.table(put(pa.table(rows, kinds)), name="events"), **asked)
    moved = {name: column[::-1] for name, column in rows.items()}
    assert hc.histogram(hc.table(put(pa.table(moved, kinds)), name="events"), **asked).content == first.content
    for other in (
        {**rows, "user": [None, "a", "b", "b"], "item": ["a", None, "b", "b"]},
        {**rows, "user": [None, None, "b", "b"], "item": ["a", "a", "b", "a"]},
        {name: [*column, column[2], column[2]] for name, column in rows.items()},
    ):
        with pytest.raises(LedgerError, match="the data changed since"):
            hc.histogram(hc.table(put(pa.table(other, kinds)), name="events"), **asked)
    assert len(ledger.spends()) == 1


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def unknown_function(text: str) -> str:  # type: ignore[empty-body]
    """No function of Spark."""


def test_what_the_engine_cannot_do_is_not_charged(frame: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = hc.Ledger(tmp_path / "events.db", epsilon=9, delta=1e-5)
    plan = hc.plan("histogram", hc.table(frame, name="events"), **ASKED)
    monkeypatch.setattr(engine.Spark, "sha256", lambda self, text: unknown_function(text))
    with pytest.raises(BadParameter, match="its engine cannot run this request"):
        plan.release(ledger=ledger)
    assert ledger.spends() == ()


def test_as_users_have_it(spark: Any, frame: Any, expected: bytes, tmp_path: Path) -> None:
    """With compiled and adaptive queries, a table by its name, an Ibis table, and a query."""
    usual = spark.newSession()
    usual.conf.set("spark.sql.adaptive.enabled", "true")
    usual.conf.set("spark.sql.codegen.wholeStage", "true")
    usual.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
    usual.read.parquet(frame.inputFiles()[0]).createTempView("events")
    assert bytes_of(usual.table("events"), tmp_path) == expected
    table = ibis.pyspark.connect(usual).table("events")
    assert bytes_of(table, tmp_path) == expected
    assert hc.plan("histogram", table, **ASKED).dataset == "events"


def test_the_order_of_rows_and_partitions_do_not_matter(frame: Any, expected: bytes, tmp_path: Path) -> None:
    for same in (
        frame.repartition(7),
        frame.repartitionByRange(5, "amount").coalesce(1),
        frame.repartition(3, "item"),
    ):
        assert bytes_of(same, tmp_path) == expected


def test_tasks_that_fail_and_are_tried_again(spark: Any, frame: Any, expected: bytes, tmp_path: Path) -> None:
    """Every partition fails the first time, halfway; the release is the same, and so is one with a chosen bound."""
    marks = tmp_path / "marks"
    marks.mkdir()

    def once(index: int, rows: Any) -> Any:
        mark = marks / f"{index}"
        for number, row in enumerate(rows):
            if number == 5 and not mark.exists():
                mark.touch()
                raise OSError("the first time")
            yield row

    def failing() -> Any:
        for mark in marks.iterdir():
            mark.unlink()
        parts = spark.sparkContext.parallelize(list(map(tuple, frame.collect())), 3).mapPartitionsWithIndex(once)
        return spark.createDataFrame(parts, frame.schema, verifySchema=False)

    assert bytes_of(failing(), tmp_path) == expected
    assert len(list(marks.iterdir())) == 3
    assert bytes_of(failing(), tmp_path, bound="auto") == bytes_of(people(), tmp_path, bound="auto")
    assert len(list(marks.iterdir())) == 3


def test_what_always_fails_says_nothing_of_the_rows(spark: Any, frame: Any) -> None:
    broken = frame.selectExpr("user", "if(user = 1, raise_error(item), item) as item")
    with pytest.raises(NotATable, match="a query with"):
        hc.plan("histogram", broken, **ASKED)
    with pytest.raises(ReadingFailed, match="could not be read to their end") as failed:
        hc.plan("histogram", hc.table(broken, promise="each row belongs to one person"), **ASKED).release(
            entropy=Seeded()
        )
    assert failed.value.__cause__ is None
    assert "item 1" not in str(failed.value)


def test_nothing_is_left_behind(spark: Any, frame: Any, tmp_path: Path) -> None:
    bytes_of(frame, tmp_path, keys=["item 1", "é"], bound="auto")
    assert spark.catalog.listTables() == []
    assert spark.sql(f"SHOW VIEWS IN {spark.conf.get('spark.sql.globalTempDatabase')}").collect() == []
    assert len(spark.sparkContext._jsc.getPersistentRDDs()) == 0


def test_a_second_reader_takes_nothing_from_the_first(frame: Any) -> None:
    """Spark shares what it keeps between readers of the same plan, and gives it up when the first of them ends."""
    kept = frame.sparkSession.sparkContext._jsc.getPersistentRDDs
    done = contributions(open_events(frame, ["user", "item"]).table(), [None], events=False, keys=None)
    with done.read():
        there = len(kept())
        with done.read():
            assert len(kept()) == 2 * there
        assert len(kept()) == there


def test_the_active_session_stays(spark: Any, frame: Any, tmp_path: Path) -> None:
    active = spark.getActiveSession()
    bytes_of(frame, tmp_path, keys=["item 1", "é"])
    assert spark.getActiveSession() is active


def test_threads_on_one_session(spark: Any, frame: Any, tmp_path: Path) -> None:
    """Each gets what it would get alone, and the active session stays."""
    active, keys = spark.getActiveSession(), {"keys": ["item 1", "é"]}
    folders = [tmp_path / str(number) for number in range(4)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(len(folders)) as threads:
        found = list(threads.map(lambda folder: bytes_of(frame, folder, **keys), folders))
    assert found == [bytes_of(people(), tmp_path, **keys)] * len(folders)
    assert spark.getActiveSession() is active
    assert spark.catalog.listTables() == []


def test_one_session_of_ours_at_a_time_is_the_active_one(spark: Any) -> None:
    with spark_session.active_session_kept(spark):
        assert not spark_session._ACTIVE.acquire(blocking=False)
    assert spark_session._ACTIVE.acquire(blocking=False)
    spark_session._ACTIVE.release()


def test_a_long_text_that_is_no_number_is_refused_at_once(spark: Any) -> None:
    """In a time that grows with its length, not with the square of it: this one would take hours."""
    long = spark.sql("SELECT 1 AS user, concat(repeat('9', 1000000), 'x') AS size")
    plan = hc.plan("histogram", long, user="user", by="size", epsilon=1, bound=1, bins=[0, 1, 2])
    assert len(plan.release(entropy=Seeded()).table) == 2


def test_nothing_that_is_run_depends_on_chance(frame: Any, spark_log: Path, tmp_path: Path) -> None:
    """Everything that Spark was asked for in this process stands in its log."""
    bytes_of(frame, tmp_path)
    written = "".join(file.read_text() for file in spark_log.rglob("*") if file.is_file())
    plans = [line for line in written.splitlines() if "SQLExecutionStart" in line]
    assert len(plans) > 3
    for word in ("rand(", "randn(", "random(", "uuid(", "shuffle(", "monotonically_increasing_id", "sample("):
        assert not [line for line in plans if word in line.lower()]


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"by": "itme"}, UnknownColumn, "did you mean 'item'"),
        ({"user": "amounts"}, UnknownColumn, "there is no column 'amounts'"),
        ({"by": "amount"}, UnknownColumn, "numbers with a fraction"),
        ({"by": "day", "keys": ["x"]}, BadParameter, "holds date, the keys do not"),
        ({"by": "day", "bins": [1, 2]}, UnknownColumn, "holds date, and bins cut numbers"),
    ],
)
def test_wrong_input_says_the_same(frame: Any, asked: Any, error: type[HeadcountError], words: str) -> None:
    said = []
    for data in (people(), frame):
        with pytest.raises(error, match=words) as failed:
            hc.plan("histogram", data, **{**ASKED, **asked})
        said.append(str(failed.value))
    assert said[0] == said[1]


def test_names_of_columns_mean_nothing(spark: Any, tmp_path: Path) -> None:
    odd = ["a.b`c", "select", 'x"; DROP TABLE t; --', "", "A", "b"]
    wide = spark.createDataFrame([("u", "i", "j", "k", "l", "m")]).toDF(*odd)
    for column in odd[1:]:
        plan = hc.plan("histogram", wide, user=odd[0], by=column, epsilon=1, bound=1, keys=list("ijklm"))
        assert len(plan.release(entropy=Seeded()).table) == 5
    with pytest.raises(BadParameter, match="two columns 'a'"):
        hc.plan("histogram", wide.toDF("u", "a", "a", "b", "c", "d"), user="u", by="a", epsilon=1)


def test_text_that_is_no_unicode(spark: Any) -> None:
    bad = spark.sql(
        "SELECT 'u' AS user, decode(unhex('61FF'), 'ISO-8859-1') AS item, cast(unhex('61FF') AS string) AS raw"
    )
    plan = hc.plan("histogram", bad, user="user", by="raw", epsilon=1, bound=1, keys=["a\ufffd"])
    assert plan.release(entropy=Seeded()).table["raw"].to_pylist() == ["a\ufffd"]


def test_other_tables_are_refused(spark: Any) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(NotATable, match="has no end"):
        hc.plan("histogram", stream, user="value", by="timestamp", epsilon=1)
    with pytest.raises(NotATable, match="another each time"):
        hc.plan("histogram", spark.sql("SELECT 1 AS user, rand() < 0.5 AS item"), user="user", by="item", epsilon=1)
    nested = spark.sql("SELECT 1 AS user, array(1) AS item, interval '1' year AS odd")
    for column in ("item", "odd"):
        with pytest.raises(UnknownColumn, match=f"column '{column}'"):
            hc.plan("histogram", nested, user="user", by=column, epsilon=1)


def test_files_by_way_of_spark(spark: Any, expected: bytes, tmp_path: Path) -> None:
    """As the command line reads them: Parquet; what Spark reads in its own way is refused."""
    path = tmp_path / "odd {1},[2]*?.parquet"
    pq.write_table(people(), path)
    found = frame_by(engine.Spark(), [str(path)], ["user", "item"], "local[2,4]")
    assert found.columns == people().column_names
    assert hc.plan("histogram", found, **ASKED).columns == hc.plan("histogram", path, **ASKED).columns
    pq.write_table(pa.table({"user": ["1"], "item": ["a"]}), tmp_path / "odd 2.parquet")
    with pytest.raises(NotATable, match="do not agree on column 'user'"):
        frame_by(engine.Spark(), [str(tmp_path / "odd*.parquet")], ["user", "item"], "local[2,4]")
    with pytest.raises(NotATable, match="Spark reads such a file differently"):
        frame_by(engine.Spark(), ["events.csv"], ["user"], "local[2,4]")
    with pytest.raises(NotATable, match="no such file"):
        frame_by(engine.Spark(), ["none.parquet"], ["user"], "local[2,4]")


def test_spark_is_imported_only_when_it_is_used() -> None:
    code = "import sys, headcount; sys.exit('pyspark' in sys.modules or 'ibis.backends.pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


ODD = (
    "SELECT * FROM VALUES (1L, 'é', true, date'2024-01-31', timestamp'1970-01-01 00:00:00.000001', 1.50BD, "
    "array(1L, 2L)), (null, null, null, null, null, null, null) "
    "AS t(number, text, flag, day, moment, decimal, several) ORDER BY number DESC"
)
ROWS = pa.table(
    {
        "number": pa.array([1, None], pa.int64()),
        "text": ["é", None],
        "flag": [True, None],
        "day": pa.array([date(2024, 1, 31), None]),
        "moment": pa.array([1, None]).cast(pa.timestamp("us")),
        "decimal": pa.array([Decimal("1.50"), None], pa.decimal128(3, 2)),
        "several": pa.array([[1, 2], None], pa.list_(pa.int64())),
    }
)
"""What that gives, however it comes back."""


def test_rows_come_back_without_arrow_as_well(spark: Any) -> None:
    """As on a Java of which Spark's Arrow knows nothing."""
    odd = spark_session.own_session(spark).sql(ODD)
    assert spark_rows.row_by_row(odd, ROWS.schema).equals(ROWS)
    assert len(spark_rows.row_by_row(odd.limit(0), ROWS.schema)) == 0


def test_rows_come_back_by_arrow(spark: Any) -> None:
    if not spark_session.has_arrow(spark):
        pytest.skip("this Spark cannot send Arrow on this Java")
    odd = spark_session.own_session(spark).sql(ODD)
    assert spark_rows.by_arrow(odd).cast(ROWS.schema).equals(ROWS)
    assert len(spark_rows.by_arrow(odd.limit(0))) == 0


@pytest.mark.parametrize("asked", [{}, {"keys": ["item 1", "é"]}, {"by": "day", "bound": "auto"}])
def test_a_release_without_arrow_is_the_same(
    frame: Any, asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "has_arrow", lambda session: False)
    monkeypatch.delattr(engine, "by_arrow")
    assert bytes_of(frame, tmp_path, **asked) == bytes_of(people(), tmp_path, **asked)
